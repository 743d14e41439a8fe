// Reexported because the API of this module names its types.

@_exported public import Streams
