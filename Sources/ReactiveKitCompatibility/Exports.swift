// `import ReactiveKitCompatibility` gives these modules, too: this module's API names their types.

@_exported public import EventLoops
@_exported public import Properties
@_exported public import Streams
