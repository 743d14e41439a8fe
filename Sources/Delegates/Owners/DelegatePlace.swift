/// The accessor of a delegate in its owner: how it is read and set, and a name.
///
/// You can pass a key path such as `\.delegate` instead. For a delegate that can only be set, use a closure:
/// ```swift
/// let place = DelegatePlace<Parser, any ParserDelegate>("events") { parser, delegate in parser.setDelegate(delegate) }
/// ```
public struct DelegatePlace<Owner: AnyObject, Delegate> {
  let key: AnyHashable
  let get: ((Owner) -> Delegate?)?
  let set: (Owner, Delegate?) -> Void
  var isRefreshing = false
  var isKeeping = false

  /// The accessor of an optional property, usually a `weak` one.
  public init(_ keyPath: ReferenceWritableKeyPath<Owner, Delegate?>) {
    key = keyPath
    get = { $0[keyPath: keyPath] }
    set = { $0[keyPath: keyPath] = $1 }
  }

  /// The accessor of a property that always has a delegate. If the delegate that was displaced is deallocated, the proxy stays.
  public init(_ keyPath: ReferenceWritableKeyPath<Owner, Delegate>) {
    key = keyPath
    get = { $0[keyPath: keyPath] }
    set = { if let delegate = $1 { $0[keyPath: keyPath] = delegate } }
  }

  /// An accessor with closures. `name` distinguishes it from other accessors of the same owner.
  ///
  /// Without `get`, the proxy cannot read the delegate that it displaces: it forwards to no delegate, and sets nil when
  /// it is removed.
  public init(
    _ name: String, get: ((Owner) -> Delegate?)? = nil, set: @escaping (Owner, Delegate?) -> Void
  ) {
    key = name
    self.get = get
    self.set = set
  }

  /// The accessor for an owner that checks the methods that its delegate implements only when the delegate is set, for example to
  /// fill a table of C functions.
  ///
  /// The proxy is set again with each element of its `implementationChanges`. The setter checks `isImplemented` of its
  /// slots.
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

  /// The accessor for an owner that retains its delegate. The proxy then retains the delegate that it displaces. If the owner has the last
  /// reference to the proxy and sets another delegate, or nil, this is not changed when the proxy is deallocated.
  ///
  /// Otherwise the proxy retains the delegate only if the owner has the only reference to it at that time.
  public var keeping: Self {
    var place = self
    place.isKeeping = true
    return place
  }
}

@available(*, unavailable)
extension DelegatePlace: Sendable {}
