internal import Streams

/// A delegate that a proxy forwards to, held weakly or retained.
///
/// Swift cannot hold an existential weakly if its protocol is a generic parameter. So this holds the object weakly, and a
/// copy of the existential's bits, which it reads only while the object is alive.
@usableFromInline
final class Forwardee<Delegate> {
  @exclusivity(unchecked) @usableFromInline private(set) weak var object: AnyObject?
  /// The delegate if it is retained. Otherwise a copy of its bits, without a reference.
  @usableFromInline let delegate: UnsafeMutablePointer<Delegate>
  @exclusivity(unchecked) @usableFromInline private(set) var isKept: Bool
  /// Nil if there is no delegate, or if it is not an object.
  let identity: ObjectIdentifier?

  /// True until its installation is disposed, which restores the earlier forwardees in its place, also after its deallocation.
  var isInstalled = false

  /// True after it has been removed by itself, also for a call that is being forwarded.
  var isRemoved = false

  /// What receives the calls in place of this forwardee, after its installation was disposed, or its proxy has left a
  /// `DelegateChain`.
  var successors: [Forwardee]?

  /// True if this never had a delegate of its own.
  private let isLink: Bool

  /// A link to other forwardees.
  init(standingFor others: [Forwardee]) {
    successors = others
    identity = nil
    isKept = false
    isLink = true
    delegate = .allocate(capacity: 1)
  }

  init(_ delegate: Delegate, retaining: Bool) {
    let type = Swift.type(of: delegate as Any)
    let isObject = type is AnyClass
    identity = isObject ? ObjectIdentifier(delegate as AnyObject) : nil
    isKept = retaining
    isLink = false
    self.delegate = .allocate(capacity: 1)
    if retaining { self.delegate.initialize(to: delegate) } else { copyBits(of: delegate, isObject: isObject) }
  }

  /// Releases the delegate, and holds it weakly from now on.
  func loosen() {
    let delegate = delegate.move()
    isKept = false
    copyBits(of: delegate, isObject: identity != nil)
  }

  private func copyBits(of delegate: Delegate, isObject: Bool) {
    if !isObject {
      misuse(
        """
        A \(Swift.type(of: delegate as Any)) cannot be held weakly as a forwardee, because it is not an object. Make the protocol AnyObject, or retain \
        the forwardee with setForwardee(_:retaining: true).
        """)
    }
    object = delegate as AnyObject
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

  /// False if this can be removed, because it receives no calls and never will.
  var mayForward: Bool { isAlive || isInstalled || successors != nil }

  /// This forwardee, or what receives the calls in its place.
  var standing: [Forwardee] {
    guard let others = successors?.flatMap(\.standing) else { return [self] }
    successors = others
    return others
  }

  /// The same, with links.
  var replacement: [Forwardee] { isLink ? [self] : successors?.flatMap(\.replacement) ?? [self] }

  /// Returns whether a call that is forwarded here reaches `proxy`, directly or through other proxies.
  func leads(to proxy: ProtocolProxy<Delegate>) -> Bool {
    guard identity != nil, let delegate = current, let other = delegate as? ProtocolProxy<Delegate> else {
      return false
    }
    return other === proxy || other.forwardees.contains { $0.leads(to: proxy) }
  }
}
