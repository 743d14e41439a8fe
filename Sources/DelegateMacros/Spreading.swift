/// Converts a function with a variadic parameter into one with an array. Code that `@Proxied` generates uses it to forward any
/// number of arguments.
///
/// The called function gets a variadic parameter as an array: `(Int...) -> Void` and `([Int]) -> Void` differ only in the syntax
/// of a call. The macro takes the types from the requirement.
@inlinable
public func spreading<Function, Spread>(_ function: Function, as type: Spread.Type) -> Spread {
  unsafeBitCast(function, to: type)
}
