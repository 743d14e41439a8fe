#if Macros
/// Makes a method of a class, structure, or actor observable. The method `save(to:)` gets the slot `saveToSlot` and runs its body
/// through it.
///
/// ```swift
/// final class Document: ReactiveCompatible {
///   @Intercepted func save(to path: String) throws -> Int { try write(path) }
/// }
/// document.reactive.signal(for: \.saveToSlot).observeNext { path in print(path) }
/// document.saveToSlot.results.observeNext { path, size in print(path, size) }
/// ```
///
/// Observers receive each call, also those that the object makes itself. The slot's name is the method's name with all its
/// labels.
///
/// The slot is a stored property, so the method must be in the declaration of the type and not in an extension, and must be
/// neither static nor generic. The copies of a structure share the slot.
///
/// - Complexity: Without observers, a call takes a load and a branch longer; a call of an asynchronous method a little more.
@attached(peer, names: arbitrary)
@attached(body)
public macro Intercepted() = #externalMacro(module: "DelegateMacrosPlugin", type: "InterceptedMacro")

/// Makes a method observable through a slot of this name, for example because a superclass has a slot of the usual name.
@attached(peer, names: arbitrary)
@attached(body)
public macro Intercepted(_ slot: StaticString) =
  #externalMacro(module: "DelegateMacrosPlugin", type: "InterceptedMacro")
#endif
