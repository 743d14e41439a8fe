/// The rule for elements that are dropped before an observer has taken them.
///
/// An element that conforms to `Disposable` owns a resource. A buffer disposes the elements that it drops, unless there is another
/// reference to them. So an element that several observers share is disposed only by the last buffer that drops it. The sender,
/// further down the stack or on another thread, may still refer to a dropped element. Therefore the reference count is checked
/// again in the next iteration of the domain's loop.
@usableFromInline
package enum Untaken {
  /// Releases the element in `slot`, and disposes it if that was the last reference. There is no second check if the element was
  /// delivered: another reference then belongs to the observer. The second check runs at `home`, or if that is nil in the caller's domain.
  @usableFromInline
  package static func dispose<Element>(
    _ slot: inout Element?, looksAgain: Bool = true, at home: (any Mailbox)? = nil
  ) {
    if _isPOD(Element.self) {
      slot = nil
      return
    }
    var resource = slot as? any Disposable
    slot = nil
    dispose(&resource, looksAgain: looksAgain, at: home)
  }

  /// Releases the element, and disposes it if that was the last reference.
  @inlinable
  static func drop<Element>(_ element: consuming Element) {
    var slot: Element? = consume element
    dispose(&slot)
  }

  /// Replaces the element in `slot`. The old one is released afterwards, and disposed if that was the last reference, because a
  /// disposal can run any code, including this.
  @inlinable
  static func replace<Element>(_ slot: inout Element?, with element: Element) {
    var old: Element? = element
    swap(&old, &slot)
    if old != nil { dispose(&old) }
  }

  /// Releases the elements, oldest first, and disposes each if that was the last reference.
  @usableFromInline
  package static func disposeAll<Elements>(_ elements: inout Elements)
  where Elements: RangeReplaceableCollection & BidirectionalCollection & MutableCollection {
    // A disposal can call this again.
    var rest = Elements()
    swap(&rest, &elements)
    if _isPOD(Elements.Element.self) { return }
    rest.reverse()
    while !rest.isEmpty {
      var slot: Elements.Element? = rest.removeLast()
      dispose(&slot)
    }
  }

  /// `resource` has the buffer's reference. No local variable has another one when the count is read.
  @inline(never)
  private static func dispose(
    _ resource: inout (any Disposable)?, looksAgain: Bool, at home: (any Mailbox)? = nil
  ) {
    guard let type = resource.map({ Swift.type(of: $0) }), resource?.isDisposed == false else { return }
    if let type = type as? any SelfRetaining.Type {
      // Still alive, because it retains itself until it is disposed.
      let object: Unmanaged<AnyObject> = .passUnretained(resource.unsafelyUnwrapped)
      resource = nil
      if !type.disposeIfUnused(object), looksAgain { lookAgain(object.takeUnretainedValue(), at: home) }
    } else {
      var object: AnyObject? = resource.unsafelyUnwrapped
      resource = nil
      if isKnownUniquelyReferenced(&object) {
        (object as? any Disposable)?.dispose()
      } else if looksAgain, let object {
        lookAgain(object, at: home)
      }
    }
  }

  /// Checks the reference count of `object` again in the next iteration of the loop of `home`, or of the caller's domain, if it has one.
  private static func lookAgain(_ object: AnyObject, at home: (any Mailbox)?) {
    guard let mailbox = home ?? Home.current(nil).mailbox, !(mailbox is ActorMailbox) else { return }
    let dropped = Transfer(Cell(object as? any Disposable))
    // A domain that closes accepts no ordinary job. Afterwards nothing runs there any more, so this is the last occasion.
    if !mailbox.postWhileClosing({ dispose(&dropped.value.value, looksAgain: false) }) {
      dispose(&dropped.value.value, looksAgain: false)
    }
  }
}

/// A disposable that retains itself until it is disposed: a handle, which libuv refers to.
package protocol SelfRetaining: Disposable, AnyObject {
  /// Disposes an object if only it refers to itself and it has no operation in progress. Returns false if that can become so in a
  /// later loop iteration.
  static func disposeIfUnused(_ object: Unmanaged<AnyObject>) -> Bool
}
