public import Streams

extension ObservedSlot {
  /// The arguments of each call, before anybody else hears of it.
  public final var willInvoke: Stream<Arguments> {
    let push = will ?? .passRetained(PushStream())
    will = push
    return observing(push.takeUnretainedValue(), Self.willBit)
  }

  /// The arguments of each call, after the handler and the forwardee, also where one of them has thrown.
  public final var didInvoke: Stream<Arguments> {
    let push = did ?? .passRetained(PushStream())
    did = push
    return observing(push.takeUnretainedValue(), Self.didBit)
  }

  /// The arguments of each call: `didInvoke` by its short name.
  ///
  /// It is hot: it has no memory, and starts with the next call. It completes when the proxy goes, which it does not keep.
  public final var stream: Stream<Arguments> { didInvoke }

  /// The same as `stream`, for methods of one's own: see `Reactive.signal(for:)`.
  public final var signal: Stream<Arguments> { didInvoke }

  /// One empty element after each call.
  public final var trigger: Stream<Void> { didInvoke.map { _ in } }

  /// The arguments, as one tuple, and the result of each call that returned.
  @usableFromInline
  final var pairs: Stream<(Arguments, Output)> {
    let push = returned ?? .passRetained(PushStream())
    returned = push
    return observing(push.takeUnretainedValue(), Self.resultBit)
  }

  /// The arguments, as one tuple, and what became of each call.
  @usableFromInline
  final var endings: Stream<(Arguments, Result<Output, Failure>)> {
    let push = ended ?? .passRetained(PushStream())
    ended = push
    return observing(push.takeUnretainedValue(), Self.outcomeBit)
  }

  /// A stream that sets a bit as long as it is observed. It keeps the push stream, not the slot.
  private final func observing<Element>(_ push: PushStream<Element>, _ bit: UInt8) -> Stream<Element> {
    if isFinished { push.completed() }
    return Stream.unguarded { [weak self] observer in
      let place = push.subscribe(observer)
      guard let self, !place.isDisposed, push.observerCount > 0 else { return place }
      observerCount += 1
      set(bit, true)
      return SlotPlace(place) { [weak self] in
        // What has completed has been counted out.
        guard let self, observerCount > 0 else { return }
        observerCount -= 1
        if push.observerCount == 0 { set(bit, false) }
      }
    }
  }

  /// Each at its home.
  final func endStreams() {
    end(will)
    end(did)
    end(returned)
    end(ended)
  }

  private final func end<Element>(_ push: Unmanaged<PushStream<Element>>?) {
    if let push = push?.takeUnretainedValue() { push.completeAtHome() }
  }
}

extension ProxySlot {
  /// The arguments and the result of each call that returned, as one tuple. Calls that throw are in `outcomes` alone.
  @inlinable
  public var results: Stream<(repeat each Argument, Output)> {
    pairs.spread(Flattening<repeat each Argument, Output>())
  }

  /// The arguments and the outcome of each call, as one tuple: what it returned or what it threw.
  @inlinable
  public var outcomes: Stream<(repeat each Argument, Result<Output, Failure>)> {
    endings.spread(Flattening<repeat each Argument, Result<Output, Failure>>())
  }
}

/// A place among the observers of a slot.
private final class SlotPlace: Disposable {
  private let place: any Disposable
  private var onLeave: (() -> Void)?

  init(_ place: any Disposable, _ onLeave: @escaping () -> Void) {
    self.place = place
    self.onLeave = onLeave
  }

  var isDisposed: Bool { place.isDisposed }

  func dispose() {
    place.dispose()
    onLeave.take()?()
  }
}
