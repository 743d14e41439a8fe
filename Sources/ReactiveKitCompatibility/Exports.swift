// Reexported because the API of this module names their types.

@_exported public import EventLoops
@_exported public import Properties
@_exported public import Streams
