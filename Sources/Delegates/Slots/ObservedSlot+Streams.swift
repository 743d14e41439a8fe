public import Streams

extension ObservedSlot {
  /// The arguments of each call, sent before the handler and the forwardee are called. Those of a call that comes while an observer of
  /// this stream is running are sent when it has returned, which can be after the answer.
  public final var willInvoke: Stream<Arguments> {
    let push = will ?? .passRetained(PushStream())
    will = push
    return observing(push.takeUnretainedValue(), Self.willBit)
  }

  /// The arguments of each call, sent after the handler and the forwardee, even if one of them threw.
  public final var didInvoke: Stream<Arguments> {
    let push = did ?? .passRetained(PushStream())
    did = push
    return observing(push.takeUnretainedValue(), Self.didBit)
  }

  /// The arguments of each call, sent after the handler and the forwardee. A short name for `didInvoke`.
  ///
  /// The stream is hot and replays nothing. It completes when the proxy is deallocated, and does not retain the proxy.
  public final var stream: Stream<Arguments> { didInvoke }

  /// The arguments of each call, sent after the body. The name of `didInvoke` for intercepted methods.
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

  /// The arguments, as one tuple, and the outcome of each call.
  @usableFromInline
  final var endings: Stream<(Arguments, Result<Output, Failure>)> {
    let push = ended ?? .passRetained(PushStream())
    ended = push
    return observing(push.takeUnretainedValue(), Self.outcomeBit)
  }

  /// A stream that sets a bit while it has observers. It retains the subject, not the slot.
  private final func observing<Element>(
    _ push: PushStream<Element>, _ bit: UInt8, name: StaticString? = #function
  ) -> Stream<Element> {
    if isFinished { push.completed() }
    return Stream.unguarded(name: name) { [weak self] observer in
      let place = push.subscribe(observer)
      guard let self, !place.isDisposed, push.observerCount > 0 else { return place }
      observerCount += 1
      set(bit, true)
      return SlotPlace(place) { [weak self] in
        // `finish()` has reset the count.
        guard let self, observerCount > 0 else { return }
        observerCount -= 1
        if push.observerCount == 0 { set(bit, false) }
      }
    }
  }

  /// Completes each stream at its home.
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
  /// The arguments and the result of each call that returned, as one flat tuple. Only `outcomes` has calls that threw.
  @inlinable
  public var results: Stream<(repeat each Argument, Output)> {
    pairs.spread(Flattening<repeat each Argument, Output>())
  }

  /// The arguments and the outcome of each call, as one flat tuple. The outcome is a `Result`.
  @inlinable
  public var outcomes: Stream<(repeat each Argument, Result<Output, Failure>)> {
    endings.spread(Flattening<repeat each Argument, Result<Output, Failure>>())
  }
}

/// The registration of an observer of a slot.
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
