internal import Streams

/// A delegate that is held weakly, or kept.
///
/// A protocol's existential cannot be held weakly where the protocol is a generic parameter. So the object is held weakly,
/// and beside it stand the bits of the existential, which are looked at only while the object is alive.
@usableFromInline
final class Forwardee<Delegate> {
  @usableFromInline weak let object: AnyObject?
  /// Where it is kept, the delegate. Otherwise a copy of its bits, without a reference of its own.
  @usableFromInline let delegate: UnsafeMutablePointer<Delegate>
  @usableFromInline let isKept: Bool
  /// Nil for what is no object.
  let identity: ObjectIdentifier?

  /// Who stand in its place once its installation has been disposed of: a later one may put it back that had displaced it.
  var successors: [Forwardee]?

  init(_ delegate: Delegate, retaining: Bool) {
    let type = Swift.type(of: delegate as Any)
    let isObject = type is AnyClass
    identity = isObject ? ObjectIdentifier(delegate as AnyObject) : nil
    isKept = retaining
    self.delegate = .allocate(capacity: 1)
    object = retaining || !isObject ? nil : delegate as AnyObject
    if retaining {
      self.delegate.initialize(to: delegate)
      return
    }
    if !isObject {
      misuse(
        """
        A \(type) cannot be held weakly as a forwardee, because it is not an object. Make the protocol AnyObject, or retain \
        the forwardee with setForwardee(_:retaining: true).
        """)
    }
    withUnsafeBytes(of: delegate) { bytes in
      UnsafeMutableRawPointer(self.delegate).copyMemory(
        from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
    }
  }

  deinit {
    if isKept { delegate.deinitialize(count: 1) }
    delegate.deallocate()
  }

  /// The delegate, if it is still there.
  @inlinable @inline(__always)
  var current: Delegate? {
    if isKept { return delegate.pointee }
    guard let object else { return nil }
    // What the weak load has retained goes with the bits.
    _ = Unmanaged.passRetained(object)
    return delegate.move()
  }

  /// Whether it is kept here and nowhere else.
  var isOnlyReference: Bool {
    if !isKept || identity == nil { return isKept }
    // A class-bound existential begins with its object.
    return isKnownUniquelyReferenced(&UnsafeMutableRawPointer(delegate).assumingMemoryBound(to: AnyObject.self).pointee)
  }

  var isAlive: Bool { isKept || object != nil }

  /// Itself, or those who stand in its place.
  var standing: [Forwardee] { successors.map { $0.flatMap(\.standing) } ?? [self] }

  /// Whether what is forwarded to it reaches `proxy`: it is that, or another proxy in front of it.
  func leads(to proxy: ProtocolProxy<Delegate>) -> Bool {
    guard identity != nil, let delegate = current, let other = delegate as? ProtocolProxy<Delegate> else {
      return false
    }
    return other === proxy || other.forwardees.contains { $0.leads(to: proxy) }
  }
}
