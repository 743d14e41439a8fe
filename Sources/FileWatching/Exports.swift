// `import FileWatching` also imports `EventLoops` and `Streams`, because the API of this module uses their types.

@_exported public import EventLoops
@_exported public import Streams
