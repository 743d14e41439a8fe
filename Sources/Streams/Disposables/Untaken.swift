/// Elements that are dropped before an observer has taken them.
///
/// An element that conforms to `Disposable` owns a resource. What holds elements on their way disposes of those that it drops,
/// unless there is another reference to them: an element that several observers share is never disposed under one of them,
/// but by the last that drops it. The sender, further down the stack or on another thread, may still refer to an element that
/// is dropped: so the reference count is checked once more in the next iteration of the domain's loop.
@usableFromInline
package enum Untaken {
  /// Releases the element in `slot`, and disposes of it if that was the last reference. Without a second look where the
  /// element has been delivered: if there is another reference, the observer has kept it.
  @usableFromInline
  package static func dispose<Element>(_ slot: inout Element?, looksAgain: Bool = true) {
    if _isPOD(Element.self) {
      slot = nil
      return
    }
    var resource = slot as? any Disposable
    slot = nil
    dispose(&resource, looksAgain: looksAgain)
  }

  /// Puts `element` into `slot` in place of the one there, which is released afterwards, and disposed of if that was the last
  /// reference: disposing may run anything, and come back here.
  @inlinable
  static func replace<Element>(_ slot: inout Element?, with element: Element) {
    var old: Element? = element
    swap(&old, &slot)
    if old != nil { dispose(&old) }
  }

  /// Releases the elements, oldest first, and disposes of each if that was the last reference.
  @usableFromInline
  package static func disposeAll<Elements>(_ elements: inout Elements)
  where Elements: RangeReplaceableCollection & BidirectionalCollection & MutableCollection {
    // What is disposed may come back here.
    var rest = Elements()
    swap(&rest, &elements)
    if _isPOD(Elements.Element.self) { return }
    rest.reverse()
    while !rest.isEmpty {
      var slot: Elements.Element? = rest.removeLast()
      dispose(&slot)
    }
  }

  /// `resource` has the holder's reference, and no local variable here has another one when it is asked for.
  @inline(never)
  private static func dispose(_ resource: inout (any Disposable)?, looksAgain: Bool) {
    guard let type = resource.map({ Swift.type(of: $0) }), resource?.isDisposed == false else { return }
    if let type = type as? any SelfRetaining.Type {
      // Alive: it retains itself until it has been disposed.
      let object: Unmanaged<AnyObject> = .passUnretained(resource.unsafelyUnwrapped)
      resource = nil
      if !type.disposeIfUnused(object), looksAgain { lookAgain(object.takeUnretainedValue()) }
    } else {
      var object: AnyObject? = resource.unsafelyUnwrapped
      resource = nil
      if isKnownUniquelyReferenced(&object) {
        (object as? any Disposable)?.dispose()
      } else if looksAgain, let object {
        lookAgain(object)
      }
    }
  }

  /// Checks `object` again in the next iteration of the domain's loop, if it has one.
  private static func lookAgain(_ object: AnyObject) {
    guard let mailbox = Home.current(nil).mailbox, !(mailbox is ActorMailbox) else { return }
    let dropped = Transfer(Cell(object as? any Disposable))
    mailbox.post { dispose(&dropped.value.value, looksAgain: false) }
  }
}

/// A disposable that lives on when the program has released it, until it is disposed: a handle, which libuv retains.
package protocol SelfRetaining: Disposable, AnyObject {
  /// Disposes of an object that has not been disposed, if nothing but itself refers to it and nothing is under way in it.
  /// Returns false where that may be so in a later turn.
  static func disposeIfUnused(_ object: Unmanaged<AnyObject>) -> Bool
}
