/// Where a delegate stands in its owner: how it is read and set, and what tells it from other places.
///
/// A key path is a place: `\.delegate` does wherever a place is asked for by key path. A place that can only be set is made of a
/// closure:
/// ```swift
/// let place = DelegatePlace<Parser, any ParserDelegate>("events") { parser, delegate in parser.setDelegate(delegate) }
/// ```
public struct DelegatePlace<Owner: AnyObject, Delegate> {
  let key: AnyHashable
  let get: ((Owner) -> Delegate?)?
  let set: (Owner, Delegate?) -> Void

  /// The place at a property, `weak` as a rule.
  public init(_ keyPath: ReferenceWritableKeyPath<Owner, Delegate?>) {
    key = keyPath
    get = { $0[keyPath: keyPath] }
    set = { $0[keyPath: keyPath] = $1 }
  }

  /// The place at a property that always has a delegate. Where what was there before has gone, the proxy stays.
  public init(_ keyPath: ReferenceWritableKeyPath<Owner, Delegate>) {
    key = keyPath
    get = { $0[keyPath: keyPath] }
    set = { if let delegate = $1 { $0[keyPath: keyPath] = delegate } }
  }

  /// A place that is set with a closure. `name` tells it from other places of the same owner. Without `get` nobody knows what
  /// was there before: nothing is forwarded to and nil is put back.
  public init(
    _ name: String, get: ((Owner) -> Delegate?)? = nil, set: @escaping (Owner, Delegate?) -> Void
  ) {
    key = name
    self.get = get
    self.set = set
  }
}

@available(*, unavailable)
extension DelegatePlace: Sendable {}
