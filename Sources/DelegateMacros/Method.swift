/// The name of a method with its types.
///
/// Create it with `#method`, which checks that the method exists.
public struct MethodName<Owner, Failure: Error, Output, each Argument>: Sendable {
  /// The name with its labels: `table(_:didSelect:)`, or `reload` for a method without parameters.
  public let name: String

  /// Creates the name of a method with the types of the context. Nothing checks that the method exists.
  public init(_ name: String) { self.name = name }
}

#if Macros
/// A reference to a method. The compiler checks that the method exists and has the types of the result.
///
/// ```swift
/// proxy.stream(#method((any TableDelegate).table(_:didSelect:))) { push, table, row in push.next(row) }
/// ```
///
/// Name the protocol or the proxy's class: `#method(TableDelegateProxy.table(_:didSelect:))`. For methods that differ only in
/// their types, add the type: `#method((any Sink).put(_:) as (any Sink) -> (Int) -> Void)`.
///
/// Swift cannot refer to a method with an `inout` or a variadic parameter. Use its slot instead.
@freestanding(expression)
public macro method<Owner, Failure: Error, Output, each Argument>(
  _ method: (Owner) -> (repeat each Argument) async throws(Failure) -> Output
) -> MethodName<Owner, Failure, Output, repeat each Argument> =
  #externalMacro(module: "DelegateMacrosPlugin", type: "MethodMacro")
#endif
