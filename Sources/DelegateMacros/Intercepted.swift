#if Macros
/// Lets observers into a method of a class, structure or actor: `save(to:)` gets the slot `saveToSlot`, and its body goes through
/// that.
///
/// ```swift
/// final class Document: ReactiveCompatible {
///   @Intercepted func save(to path: String) throws -> Int { try write(path) }
/// }
/// document.reactive.signal(for: \.saveToSlot).observeNext { path in print(path) }
/// document.saveToSlot.results.observeNext { path, size in print(path, size) }
/// ```
///
/// Observers hear of each call, from outside and from inside of the object; see `ProxySlot`. The slot is called like the method with
/// all its labels. A method that nobody observes costs a load and a branch more; an asynchronous one a little more.
///
/// The slot is a stored property: the method stands in the declaration of the type, not in an extension, and is neither static
/// nor generic. In a structure the copies share the slot.
@attached(peer, names: arbitrary)
@attached(body)
public macro Intercepted() = #externalMacro(module: "DelegateMacrosPlugin", type: "InterceptedMacro")

/// The same with a name for the slot, for instance where a superclass has one of the name already.
@attached(peer, names: arbitrary)
@attached(body)
public macro Intercepted(_ slot: StaticString) =
  #externalMacro(module: "DelegateMacrosPlugin", type: "InterceptedMacro")
#endif
