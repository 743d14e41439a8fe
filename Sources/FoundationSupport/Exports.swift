// `import FoundationSupport` gives `Properties` and `Streams`, too: this module's API names their types.

@_exported public import Properties
@_exported public import Streams
