#if !Macros
// The macros of this module if the trait is off. Their use is an error that says how to enable it.
//
// The declaration of a macro names its implementation, and the compiler warns if there is none. The standard library's
// macro for observation stands in: every toolchain has it, and it adds nothing to a protocol or a function.

/// Generates the proxy of a delegate protocol. Needs the package trait `Macros`.
@available(
  *, unavailable, message: "Enable the package trait: .package(path: \"../headwater\", traits: [\"Macros\"])"
)
@attached(peer)
public macro Proxied(globalActor: (any GlobalActor.Type)? = nil) =
  #externalMacro(module: "ObservationMacros", type: "ObservationTrackedMacro")

/// Generates the proxy of a protocol that inherits from others. Needs the package trait `Macros`.
@available(
  *, unavailable, message: "Enable the package trait: .package(path: \"../headwater\", traits: [\"Macros\"])"
)
@attached(peer)
public macro Proxied(inheriting inherited: Any.Type..., globalActor: (any GlobalActor.Type)? = nil) =
  #externalMacro(module: "ObservationMacros", type: "ObservationTrackedMacro")

/// Generates the proxy of a protocol of another module. Needs the package trait `Macros`.
@available(
  *, unavailable, message: "Enable the package trait: .package(path: \"../headwater\", traits: [\"Macros\"])"
)
@attached(peer)
public macro Proxied(mirroring foreign: Any.Type, globalActor: (any GlobalActor.Type)? = nil) =
  #externalMacro(module: "ObservationMacros", type: "ObservationTrackedMacro")

/// Names the slot of a requirement. Needs the package trait `Macros`.
@available(
  *, unavailable, message: "Enable the package trait: .package(path: \"../headwater\", traits: [\"Macros\"])"
)
@attached(peer)
public macro Slot(_ name: StaticString) =
  #externalMacro(module: "ObservationMacros", type: "ObservationTrackedMacro")

/// Sets what a requirement returns if nothing answers. Needs the package trait `Macros`.
@available(
  *, unavailable, message: "Enable the package trait: .package(path: \"../headwater\", traits: [\"Macros\"])"
)
@attached(peer)
public macro Slot(default value: Any?) =
  #externalMacro(module: "ObservationMacros", type: "ObservationTrackedMacro")

/// Names a slot, and sets what its requirement returns if nothing answers. Needs the package trait `Macros`.
@available(
  *, unavailable, message: "Enable the package trait: .package(path: \"../headwater\", traits: [\"Macros\"])"
)
@attached(peer)
public macro Slot(_ name: StaticString, default value: Any?) =
  #externalMacro(module: "ObservationMacros", type: "ObservationTrackedMacro")

/// Marks a requirement that a protocol extension implements. Needs the package trait `Macros`.
@available(
  *, unavailable, message: "Enable the package trait: .package(path: \"../headwater\", traits: [\"Macros\"])"
)
@attached(peer)
public macro Defaulted() =
  #externalMacro(module: "ObservationMacros", type: "ObservationTrackedMacro")

/// Excludes a requirement from the proxy. Needs the package trait `Macros`.
@available(
  *, unavailable, message: "Enable the package trait: .package(path: \"../headwater\", traits: [\"Macros\"])"
)
@attached(peer)
public macro Unproxied() =
  #externalMacro(module: "ObservationMacros", type: "ObservationTrackedMacro")

/// Makes a method observable. Needs the package trait `Macros`.
@available(
  *, unavailable, message: "Enable the package trait: .package(path: \"../headwater\", traits: [\"Macros\"])"
)
@attached(peer)
public macro Intercepted() =
  #externalMacro(module: "ObservationMacros", type: "ObservationTrackedMacro")

/// Makes a method observable through a slot of this name. Needs the package trait `Macros`.
@available(
  *, unavailable, message: "Enable the package trait: .package(path: \"../headwater\", traits: [\"Macros\"])"
)
@attached(peer)
public macro Intercepted(_ slot: StaticString) =
  #externalMacro(module: "ObservationMacros", type: "ObservationTrackedMacro")

/// A reference to a method, checked by the compiler. Needs the package trait `Macros`.
@available(
  *, unavailable, message: "Enable the package trait: .package(path: \"../headwater\", traits: [\"Macros\"])"
)
@freestanding(expression)
public macro method<Method>(_ method: Method) -> Method =
  #externalMacro(module: "ObservationMacros", type: "ObservationTrackedMacro")
#endif
