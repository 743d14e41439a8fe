// `import Callbacks` gives `Streams`, too: this module's API names its types.

@_exported public import Streams
