internal import Streams

extension ObservedSlot {
  /// Puts a handler in place of the one that may be there: `put` stores it, `remove` takes it out and returns it. `end` runs,
  /// once and at home, when it is removed or replaced, or goes with the slot.
  final func occupy(
    _ isolation: (any Actor)?, put: () -> Void, remove: @escaping () -> Any, end: @escaping () -> Void
  ) -> any Disposable {
    // Nobody will ask: the end of what has not begun.
    if isFinished {
      let ended = BlockDisposable(end)
      ended.dispose()
      return ended
    }
    // More than one where somebody puts another in place when the first ends.
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

/// A handler's stay in its slot.
///
/// Ownership: proxy ===> bag ===> place ===> handler; slot ===> handler. The bag takes its places home to end them there,
/// wherever the proxy dies.
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
