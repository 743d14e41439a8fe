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
