#if Macros
/// Makes the proxy of a delegate protocol: for `DownloaderDelegate` the class `DownloaderDelegateProxy`, as visible as the
/// protocol, with a slot for each requirement.
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
/// A slot is called like its method without the sender: `didReceive`. Methods that would get one name get all their labels, and
/// if that is not enough the types of their parameters. What a property or a method without parameters is called has `Slot`
/// behind it: `titleSlot`, `finishSlot`.
///
/// The class is `nonisolated`; each of its members has the global actor of the protocol or of its requirement. It compiles with
/// every default isolation. A forwarded asynchronous call stays on the executor of its caller.
///
/// Methods, properties and subscripts, throwing (any error or one) and asynchronous ones, `inout`, variadic, tuple and function
/// parameters have slots. Generic and mutating methods, initialisers and static requirements cannot; the macro says so, and
/// leaves to a protocol extension what is `@Unproxied`. A requirement with the name of a member that every proxy has
/// (`dispose()`, `slots`) is refused. Associated types have to be primary: they become parameters of the class.
@attached(peer, names: suffixed(Proxy))
public macro Proxied() = #externalMacro(module: "DelegateMacrosPlugin", type: "ProxiedMacro")

/// The same for a protocol that inherits from others, whose requirements a macro cannot see: they are repeated, and named here.
///
/// ```swift
/// @Proxied(inheriting: (any TaskDelegate).self)
/// protocol DataDelegate: TaskDelegate {
///   func taskDidEnd(_ task: Task)  // TaskDelegate's
///   func task(_ task: Task, didReceive bytes: Int)
/// }
/// ```
///
/// One that is missing here is missing in the proxy, which then does not compile.
@attached(peer, names: suffixed(Proxy))
public macro Proxied(inheriting inherited: Any.Type...) =
  #externalMacro(module: "DelegateMacrosPlugin", type: "ProxiedMacro")

/// The same for a protocol of another module, whose requirements are repeated here, those that it inherits as well.
///
/// ```swift
/// @Proxied(mirroring: (any XMLParserDelegate).self)
/// protocol ParserDelegate: AnyObject {
///   func parserDidStartDocument(_ parser: XMLParser)
/// }
/// let proxy = ParserDelegateProxy()  // an XMLParserDelegate
/// ```
///
/// Only the class is called after the protocol that stands here, and is as visible as that. Requirements with a default may
/// be left out; another one that is missing is a compile error.
@attached(peer, names: suffixed(Proxy))
public macro Proxied(mirroring foreign: Any.Type) =
  #externalMacro(module: "DelegateMacrosPlugin", type: "ProxiedMacro")

/// Names the slot of a requirement of a protocol that is `@Proxied`.
@attached(peer)
public macro Slot(_ name: StaticString) = #externalMacro(module: "DelegateMacrosPlugin", type: "MarkerMacro")

/// Says what a requirement of a protocol that is `@Proxied` returns when neither a handler nor a forwardee answers. Without it
/// or `@Defaulted` the program stops there.
///
/// The value says its type where it is not plain: `[Int]()`, `Decision.cancel`. It is evaluated only when it is needed.
@attached(peer)
public macro Slot(default value: Any?) = #externalMacro(module: "DelegateMacrosPlugin", type: "MarkerMacro")

/// Names a slot, and says what is returned when nobody answers.
@attached(peer)
public macro Slot(_ name: StaticString, default value: Any?) =
  #externalMacro(module: "DelegateMacrosPlugin", type: "MarkerMacro")

/// Says that an extension of the protocol has a default for a requirement of a protocol that is `@Proxied`: the proxy does what
/// that does when neither a handler nor a forwardee answers. The requirement has a slot all the same.
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
/// The default is called on an object of the proxy's, whose other requirements are the proxy's. Costs its allocation, where
/// nobody else answers. Setting a property that nobody takes does nothing.
@attached(peer)
public macro Defaulted() = #externalMacro(module: "DelegateMacrosPlugin", type: "MarkerMacro")

/// Has `@Proxied` leave out a requirement for which an extension of the protocol has a default: the proxy does what that does.
@attached(peer)
public macro Unproxied() = #externalMacro(module: "DelegateMacrosPlugin", type: "MarkerMacro")
#endif
