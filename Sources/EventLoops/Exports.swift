// `import EventLoops` also imports these modules, because the API of this module uses their types.

@_exported public import Callbacks
@_exported public import Streams
