internal import Streams

/// A delegate that a proxy forwards to, held weakly or retained.
///
/// Swift cannot hold an existential weakly if its protocol is a generic parameter. So this holds the object weakly, and a
/// copy of the existential's bits, which it reads only while the object is alive.
@usableFromInline
final class Forwardee<Delegate> {
  @usableFromInline weak let object: AnyObject?
  /// The delegate if it is retained. Otherwise a copy of its bits, without a reference.
  @usableFromInline let delegate: UnsafeMutablePointer<Delegate>
  @usableFromInline let isKept: Bool
  /// Nil if the delegate is not an object.
  let identity: ObjectIdentifier?

  /// True until its installation is disposed, which restores the earlier forwardees in its place, also after its deallocation.
  var isInstalled = false

  /// The forwardees that replaced this one when its installation was disposed. A later forwardee that displaced this one
  /// restores them in its place.
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

  /// The delegate, or nil if it was deallocated.
  @inlinable @inline(__always)
  var current: Delegate? {
    if isKept { return delegate.pointee }
    guard let object else { return nil }
    // Hands the reference of the weak load over to the copied bits.
    _ = Unmanaged.passRetained(object)
    return delegate.move()
  }

  /// True if this holds the only reference to the delegate.
  var isOnlyReference: Bool {
    if !isKept || identity == nil { return isKept }
    // A class-bound existential begins with its object.
    return isKnownUniquelyReferenced(&UnsafeMutableRawPointer(delegate).assumingMemoryBound(to: AnyObject.self).pointee)
  }

  var isAlive: Bool { isKept || object != nil }

  /// This forwardee, or those that replaced it.
  var standing: [Forwardee] { successors.map { $0.flatMap(\.standing) } ?? [self] }

  /// Returns whether a call that is forwarded here reaches `proxy`, directly or through other proxies.
  func leads(to proxy: ProtocolProxy<Delegate>) -> Bool {
    guard identity != nil, let delegate = current, let other = delegate as? ProtocolProxy<Delegate> else {
      return false
    }
    return other === proxy || other.forwardees.contains { $0.leads(to: proxy) }
  }
}
