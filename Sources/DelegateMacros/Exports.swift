// `import DelegateMacros` gives `Delegates` and `Streams`, too: this module's API names their types.

@_exported public import Delegates
@_exported public import Streams
