/// A type whose instances have a lifetime. Store a `Lifetime.Token` and return its lifetime.
///
/// ```swift
/// final class Model: LifetimeProviding {
///   private let token = Lifetime.Token()
///   var lifetime: Lifetime { Lifetime(token) }
/// }
/// ```
///
/// Bindings to such an object end as soon as it is deallocated, except those that a `Binder` delivers in another domain.
public protocol LifetimeProviding: AnyObject {
  /// The lifetime that ends with the instance. It does not retain the instance.
  var lifetime: Lifetime { get }
}

extension StreamProtocol {
  /// Emits the elements until `object` is deallocated, then completes and disposes the source. Does not retain the object.
  public func take(duringLifetimeOf object: some LifetimeProviding) -> Operation<Element, Failure> {
    take(during: object.lifetime)
  }
}

extension Lifetime {
  /// Returns the lifetime of `object`.
  public static func of(_ object: some LifetimeProviding) -> Lifetime { object.lifetime }

  /// Unavailable: only a type that is `LifetimeProviding` has a lifetime.
  @available(
    *, unavailable,
    message: "This type cannot tell how long it lives: keep a Lifetime.Token in it and conform to LifetimeProviding."
  )
  @_disfavoredOverload
  public static func of(_ object: AnyObject) -> Lifetime { .empty }
}

extension StreamProtocol {
  /// Unavailable: only a type that is `LifetimeProviding` has a lifetime.
  @available(
    *, unavailable,
    message: "This type cannot tell how long it lives: keep a Lifetime.Token in it and conform to LifetimeProviding."
  )
  @_disfavoredOverload
  public func take(duringLifetimeOf object: AnyObject) -> Operation<Element, Failure> { toOperation() }
}
