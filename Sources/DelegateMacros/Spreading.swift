/// The same function with an array in the place of its variadic parameter. For what `@Proxied` generates, which has to hand on
/// arguments of any number.
///
/// A variadic parameter is an array to the function that is called: `(Int...) -> Void` and `([Int]) -> Void` differ in how a call
/// is written, not in how it is made. The types are those that the macro has read off the requirement.
@inlinable
public func spreading<Function, Spread>(_ function: Function, as type: Spread.Type) -> Spread {
  unsafeBitCast(function, to: type)
}
