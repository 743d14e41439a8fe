internal import Streams

extension ObservedSlot {
  /// Replaces the slot's handler: `put` stores the new one, `remove` takes it out and returns it. `end` runs once, in the
  /// home domain, when the handler is removed or replaced, or the slot is deallocated.
  final func occupy(
    _ isolation: (any Actor)?, put: () -> Void, remove: @escaping () -> Any, end: @escaping () -> Void
  ) -> any Disposable {
    // A finished slot asks no handler, so this one ends at once.
    if isFinished {
      let ended = BlockDisposable(end)
      ended.dispose()
      return ended
    }
    // A loop, because the end of a handler can add another one.
    while let before = place {
      place = nil
      before.dispose()
    }
    let place = HandlerPlace(
      remove: { [weak self] place in
        guard let self, self.place === place else { return }
        self.place = nil
        let old = remove()
        set(Self.handlerBit, false)
        withExtendedLifetime(old) {}
      }, end: end)
    places.add(place, isolation: isolation)
    put()
    self.place = place
    set(Self.handlerBit, true)
    return place
  }
}

/// The registration of a handler in its slot.
///
/// Ownership: proxy ===> bag ===> registration ===> handler; slot ===> handler. The bag ends its registrations in the home
/// domain, even if the proxy is deallocated on another thread.
final class HandlerPlace: Disposable {
  private var remove: ((HandlerPlace) -> Void)?
  private var end: (() -> Void)?

  init(remove: @escaping (HandlerPlace) -> Void, end: @escaping () -> Void) {
    self.remove = remove
    self.end = end
  }

  var isDisposed: Bool { remove == nil }

  func dispose() {
    remove.take()?(self)
    end.take()?()
  }
}
