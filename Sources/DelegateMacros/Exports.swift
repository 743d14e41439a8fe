// Reexported because the API of this module names their types.

@_exported public import Delegates
@_exported public import Streams
