/// A type whose instances tell how long they live: keep a `Lifetime.Token` and give its lifetime.
///
/// ```swift
/// final class Model: LifetimeProviding {
///   private let token = Lifetime.Token()
///   var lifetime: Lifetime { Lifetime(token) }
/// }
/// ```
///
/// Bindings to such an object end with it, at once. A type that cannot tell does not compile where this is asked for.
public protocol LifetimeProviding: AnyObject {
  /// The lifetime that ends with the instance. It does not keep the instance.
  var lifetime: Lifetime { get }
}

extension StreamProtocol {
  /// The elements until `object` goes, then completed; the source is disposed of. Does not keep the object.
  public func take(duringLifetimeOf object: some LifetimeProviding) -> Operation<Element, Failure> {
    take(during: object.lifetime)
  }
}

extension Lifetime {
  /// The lifetime of `object`.
  public static func of(_ object: some LifetimeProviding) -> Lifetime { object.lifetime }

  /// Not there: nobody but the object itself can tell when it goes.
  @available(
    *, unavailable,
    message: "This type cannot tell how long it lives: keep a Lifetime.Token in it and conform to LifetimeProviding."
  )
  @_disfavoredOverload
  public static func of(_ object: AnyObject) -> Lifetime { .empty }
}

extension StreamProtocol {
  /// Not there: nobody but the object itself can tell when it goes.
  @available(
    *, unavailable,
    message: "This type cannot tell how long it lives: keep a Lifetime.Token in it and conform to LifetimeProviding."
  )
  @_disfavoredOverload
  public func take(duringLifetimeOf object: AnyObject) -> Operation<Element, Failure> { toOperation() }
}
