/// The name of a method and its types: what `#method` makes of a reference.
///
/// Made by the macro; by hand nobody checks that there is such a method.
public struct MethodName<Owner, Failure: Error, Output, each Argument>: Sendable {
  /// The name with its labels: `table(_:didSelect:)`; `reload` where there are no parameters.
  public let name: String

  /// Names a method, whose types are those of the result.
  public init(_ name: String) { self.name = name }
}

#if Macros
/// A reference to a method, checked by the compiler: there is such a method, and its types are those of the result.
///
/// ```swift
/// proxy.stream(#method((any TableDelegate).table(_:didSelect:))) { push, table, row in push.next(row) }
/// ```
///
/// It names the protocol, or the proxy's class: `#method(TableDelegateProxy.table(_:didSelect:))`. Methods that only their
/// types tell apart are told apart by theirs: `#method((any Sink).put(_:) as (any Sink) -> (Int) -> Void)`.
///
/// A method with an `inout` or a variadic parameter cannot be referred to in Swift; take its slot.
@freestanding(expression)
public macro method<Owner, Failure: Error, Output, each Argument>(
  _ method: (Owner) -> (repeat each Argument) async throws(Failure) -> Output
) -> MethodName<Owner, Failure, Output, repeat each Argument> =
  #externalMacro(module: "DelegateMacrosPlugin", type: "MethodMacro")
#endif
