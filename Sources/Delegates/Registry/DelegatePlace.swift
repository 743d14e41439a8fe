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
  var isRefreshing = false
  var isKeeping = false

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

  /// The same place in an owner that asks only when it is told its delegate which methods that has, and fills a table of
  /// closures or C functions by it: the proxy is set again with each element of its `implementationChanges`, as long as it
  /// stands there. `isImplemented` of its slots is what the owner, or the closure that sets, looks at.
  ///
  /// ```swift
  /// let place = DelegatePlace<Parser, any ParserDelegate>("events") { parser, delegate in
  ///   let proxy = delegate as? ParserDelegateProxy
  ///   parser.onText = proxy?.didFindText.isImplemented == true ? { proxy?.parser($0, didFindText: $1) } : nil
  /// }.refreshing
  /// ```
  public var refreshing: Self {
    var place = self
    place.isRefreshing = true
    return place
  }

  /// The same place in an owner that keeps its delegate: what a proxy finds there it keeps in the owner's stead.
  ///
  /// Without it the proxy keeps only what nobody else keeps at that moment: whoever does may let it go later.
  public var keeping: Self {
    var place = self
    place.isKeeping = true
    return place
  }
}

@available(*, unavailable)
extension DelegatePlace: Sendable {}
