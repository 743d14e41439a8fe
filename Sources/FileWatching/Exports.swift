// `import FileWatching` gives `EventLoops` and `Streams`, too: this module's API names their types.

@_exported public import EventLoops
@_exported public import Streams
