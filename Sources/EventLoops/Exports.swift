// `import EventLoops` gives these, too: this module's API names their types.

@_exported public import Callbacks
@_exported public import Streams
