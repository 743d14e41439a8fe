#if Macros
/// Generates the proxy of a delegate protocol: the class `DownloaderDelegateProxy` for `DownloaderDelegate`, with the protocol's
/// access level and a slot for each requirement.
///
/// ```swift
/// @Proxied protocol DownloaderDelegate: AnyObject {
///   func downloader(_ downloader: Downloader, didReceive bytes: Int)
///   @Defaulted func downloader(_ downloader: Downloader, shouldRetry attempt: Int) -> Bool
/// }
///
/// extension DownloaderDelegate {
///   func downloader(_ downloader: Downloader, shouldRetry attempt: Int) -> Bool { attempt < 3 }
/// }
///
/// let proxy = DownloaderDelegateProxy()
/// proxy.didReceive.stream.observeNext { downloader, bytes in print(bytes) }.dispose(in: bag)
/// let another = DownloaderDelegateProxy(shouldRetry: { downloader, attempt in attempt < 3 })
/// ```
///
/// A slot has the name of its method without the sender: `didReceive`. If several methods would share a name, their slots have
/// all labels, and if that is not enough the types of the parameters. The slot of a property or of a method without parameters
/// ends in `Slot`: `titleSlot`, `finishSlot`.
///
/// The class is `nonisolated`. Each member has the global actor of the protocol or of its requirement, so the class compiles
/// with every default isolation. A forwarded asynchronous call stays on the executor of its caller. A macro cannot see whether
/// an attribute of the protocol whose name does not end in `Actor` is a global actor or a macro. `globalActor` tells it, and is
/// nil for a macro.
///
/// Requirements can be methods, properties, and subscripts. They can throw any error or one type, and be asynchronous.
/// Parameters can be `inout`, variadic, tuples, and functions. Generic and mutating methods, initializers, and static
/// requirements cannot have slots: the macro reports an error, unless the requirement is `@Unproxied` and a protocol extension
/// implements it. A requirement with the name of a member of every proxy (`dispose()`, `slots`) is an error. Associated types
/// must be primary; they become generic parameters of the class.
@attached(peer, names: suffixed(Proxy))
public macro Proxied(globalActor: (any GlobalActor.Type)? = nil) =
  #externalMacro(module: "DelegateMacrosPlugin", type: "ProxiedMacro")

/// Generates the proxy of a protocol that inherits from others. A macro cannot see inherited requirements, so name the protocols
/// here and repeat their requirements.
///
/// ```swift
/// @Proxied(inheriting: (any TaskDelegate).self)
/// protocol DataDelegate: TaskDelegate {
///   func taskDidEnd(_ task: Task)  // TaskDelegate's
///   func task(_ task: Task, didReceive bytes: Int)
/// }
/// ```
///
/// If you omit a requirement, the proxy does not conform and does not compile.
@attached(peer, names: suffixed(Proxy))
public macro Proxied(inheriting inherited: Any.Type..., globalActor: (any GlobalActor.Type)? = nil) =
  #externalMacro(module: "DelegateMacrosPlugin", type: "ProxiedMacro")

/// Generates the proxy of a protocol of another module. Repeat its requirements here, including those that it inherits.
///
/// ```swift
/// @Proxied(mirroring: (any XMLParserDelegate).self)
/// protocol ParserDelegate: AnyObject {
///   func parserDidStartDocument(_ parser: XMLParser)
/// }
/// let proxy = ParserDelegateProxy()  // an XMLParserDelegate
/// ```
///
/// The class gets its name and its access level from the protocol that you write here. You can omit requirements with a default;
/// omitting another one is a compile error.
@attached(peer, names: suffixed(Proxy))
public macro Proxied(mirroring foreign: Any.Type, globalActor: (any GlobalActor.Type)? = nil) =
  #externalMacro(module: "DelegateMacrosPlugin", type: "ProxiedMacro")

/// Keeps the optimizer from an error. `@Proxied` attaches this to a class that it generates, and nothing else needs it.
///
/// In a release build, Swift 6.3 would call the methods of the only other type that conforms to an internal protocol on the
/// proxy, because it does not look for conformances in the code of a peer macro.
@attached(extension)
public macro SecondConformer() = #externalMacro(module: "DelegateMacrosPlugin", type: "SecondConformerMacro")

/// Names the slot of a requirement of a `@Proxied` protocol.
@attached(peer)
public macro Slot(_ name: StaticString) = #externalMacro(module: "DelegateMacrosPlugin", type: "MarkerMacro")

/// Sets the result of a requirement of a `@Proxied` protocol if neither a handler nor a forwardee answers. Without a default and
/// without `@Defaulted`, such a call traps.
///
/// Write the type if the value does not tell it: `[Int]()`, `Decision.cancel`. The value is evaluated only when it is needed.
@attached(peer)
public macro Slot(default value: Any?) = #externalMacro(module: "DelegateMacrosPlugin", type: "MarkerMacro")

/// Names a slot, and sets the result of its requirement if neither a handler nor a forwardee answers.
@attached(peer)
public macro Slot(_ name: StaticString, default value: Any?) =
  #externalMacro(module: "DelegateMacrosPlugin", type: "MarkerMacro")

/// Marks a requirement of a `@Proxied` protocol that an extension of the protocol implements. The proxy calls that implementation
/// if neither a handler nor a forwardee answers. The requirement still has a slot.
///
/// ```swift
/// @Proxied protocol DownloaderDelegate: AnyObject {
///   @Defaulted func downloader(_ downloader: Downloader, shouldRetry attempt: Int) -> Bool
/// }
/// extension DownloaderDelegate {
///   func downloader(_ downloader: Downloader, shouldRetry attempt: Int) -> Bool { attempt < 3 }
/// }
/// ```
///
/// The implementation runs on a helper object, which sends all other requirements to the proxy. Setting a property that neither a
/// handler nor a forwardee takes does nothing.
///
/// - Complexity: One allocation for each call of the default.
@attached(peer)
public macro Defaulted() = #externalMacro(module: "DelegateMacrosPlugin", type: "MarkerMacro")

/// Excludes a requirement from the proxy. The proxy uses the implementation of the protocol extension.
@attached(peer)
public macro Unproxied() = #externalMacro(module: "DelegateMacrosPlugin", type: "MarkerMacro")
#endif
