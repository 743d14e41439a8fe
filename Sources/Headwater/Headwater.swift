// The umbrella: `import Headwater` gives the whole package except macros, testing, and `FoundationSupport`.

@_exported public import Callbacks
@_exported public import Delegates
@_exported public import EventLoops
@_exported public import FileWatching
@_exported public import Properties
@_exported public import Stores
@_exported public import Streams
