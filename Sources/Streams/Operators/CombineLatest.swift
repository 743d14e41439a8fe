/// Emits the latest elements of all `streams` as one tuple, each time one of them emits. The `combineLatest` functions use it.
///
/// Not public, because a chain of operators on a function whose result is a pack expansion does not compile.
@usableFromInline
package func combineLatestPack<Failure: Error, each Element>(
  _ streams: repeat Operation<each Element, Failure>
) -> Operation<(repeat each Element), Failure> {
  let sources = (repeat each streams)
  return .unguarded(name: "combineLatest(_:)") { observer in
    let exit = SerializedSubscription(observer)
    let sides = (repeat LatestSide<each Element>(exit))
    let state = CombineLatest(exit) { (repeat (each sides).newest.take().unsafelyUnwrapped) }
    repeat state.add(each sides)
    repeat state.connect(each sides, each sources)
    return state.exit
  }
}

extension Operation {
  /// Emits the latest elements of all `streams` as one array, in the order of the streams, each time one of them emits.
  ///
  /// The first array is emitted after each stream has emitted. Completes when all have completed, and as soon as one completes
  /// without an element. Completes immediately if there is no stream. A failure is delivered immediately and disposes the
  /// others.
  public static func combineLatest(_ streams: [Operation]) -> Operation<[Element], Failure> {
    Operation<[Element], Failure>(unguarded: { observer in
      let exit = SerializedSubscription(observer)
      let sides = streams.map { _ in LatestSide<Element>(exit) }
      let state = CombineLatest(exit) { sides.map { $0.newest.take().unsafelyUnwrapped } }
      for side in sides { state.add(side) }
      for (side, stream) in Swift.zip(sides, streams) { state.connect(side, stream) }
      state.didConnect()
      return state.exit
    })
  }

  /// Emits the latest elements of all `streams` as one array, in the order of the streams, each time one of them emits. The streams
  /// can have different types.
  ///
  /// The first array is emitted after each stream has emitted. Completes immediately if there is no stream.
  @_disfavoredOverload
  public static func combineLatest(
    _ streams: [any StreamProtocol<Element, Failure>]
  ) -> Operation<[Element], Failure> {
    combineLatest(streams.map { $0.toOperation() })
  }
}

/// Emits the latest elements of all `streams` as one array, in the order of the streams, each time one of them emits. The streams can
/// have different types.
///
/// The first array is emitted after each stream has emitted. Completes immediately if there is no stream.
@_disfavoredOverload
public func combineLatest<Element, Failure: Error>(
  _ streams: [any StreamProtocol<Element, Failure>]
) -> Operation<[Element], Failure> {
  Operation<Element, Failure>.combineLatest(streams.map { $0.toOperation() })
}

extension StreamProtocol {
  /// Emits the latest elements of this stream and of `other`, each time one of them emits.
  ///
  /// The first pair is emitted after both streams have emitted. Completes when both have completed, and as soon as one completes
  /// without an element. A failure is delivered immediately and disposes the other stream. Pausing reaches both. Holds one element of
  /// each.
  @inlinable
  public func combineLatest<Other: StreamProtocol>(
    with other: Other
  ) -> Operation<(Element, Other.Element), Failure> where Other.Failure == Failure {
    Operation(unguarded: { observer in
      let exit = SerializedSubscription(observer)
      let left = LatestSide<Element>(exit)
      let right = LatestSide<Other.Element>(exit)
      let state = CombineLatest(exit) { (left.newest.take().unsafelyUnwrapped, right.newest.take().unsafelyUnwrapped) }
      state.add(left)
      state.add(right)
      state.connect(left, self)
      state.connect(right, other)
      return state.exit
    })
  }
}

/// One source of `combineLatest`, with its latest element.
@usableFromInline
final class LatestSide<Element>: CombinedSide {
  @usableFromInline let newest = Newest<Element>()

  @usableFromInline
  init(_ downstream: Subscription) {
    super.init(downstream: downstream, Watermarks(high: .max / 4), name: "combineLatest")
  }
}

@usableFromInline
final class CombineLatest<Output, Failure: Error>: Combining<Output, Failure> {
  @exclusivity(unchecked) @usableFromInline var make: (() -> Output)?
  /// The number of sources that have not emitted.
  @exclusivity(unchecked) @usableFromInline var missing = 0
  @exclusivity(unchecked) @usableFromInline var running = 0
  /// What the sources send during a delivery. Its outputs are made after it, because the elements of an output count as emitted,
  /// and an output that waits could still be dropped.
  @exclusivity(unchecked) @usableFromInline var nested = ReentryQueue<NestedInput, Failure>()
  /// True from the first nested input until the last one has been handled. Faster to read than the queue.
  @exclusivity(unchecked) @usableFromInline var hasNested = false
  /// Whether the sources are to be resumed when the nested inputs have been handled. A source that answers immediately would otherwise
  /// emit all its elements behind them, and the observer could not pause it.
  @exclusivity(unchecked) @usableFromInline var resumesLater = false

  /// Something that a source has sent, with what is to be done with it.
  @usableFromInline
  struct NestedInput {
    @usableFromInline let handle: () -> Void

    @usableFromInline
    init(handle: @escaping () -> Void) { self.handle = handle }
  }

  @inlinable
  init(_ exit: SerializedSubscription<Output, Failure>, _ make: @escaping () -> Output) {
    self.make = make
    super.init(exit)
  }

  @usableFromInline
  override var isOver: Bool { !hasNested && super.isOver }

  @inlinable
  func add(_ side: CombinedSide) {
    sides.append(side)
    missing += 1
    running += 1
  }

  @inlinable
  func connect<Source: StreamProtocol>(_ side: LatestSide<Source.Element>, _ source: Source)
  where Source.Failure == Failure {
    if exit.isDisposed || side.link.isDisposed { return }
    side.link.connect(
      source,
      next: { element in
        if self.exit.isDelivering || self.hasNested { return self.enqueue(element, of: side) }
        self.next(element, of: side)
        if self.hasNested { self.drain() }
      },
      termination: { end in
        if self.exit.isDelivering || self.hasNested {
          self.enqueue { self.terminate(end, of: side) }
        } else {
          self.terminate(end, of: side)
        }
      })
  }

  @usableFromInline
  func enqueue<Element>(_ element: Element, of side: LatestSide<Element>) {
    let held = HeldElement(element)
    enqueue { if let element = held.take() { self.next(element, of: side) } }
  }

  @usableFromInline
  func enqueue(_ handle: @escaping () -> Void) {
    hasNested = true
    nested.append(NestedInput(handle: handle))
  }

  @usableFromInline
  func drain() {
    while let input = nested.popElement() { input.handle() }
    hasNested = false
    if resumesLater { resume() }
    exit.checkVanished()
  }

  @usableFromInline
  override func pause() {
    resumesLater = false
    super.pause()
  }

  @usableFromInline
  override func resume() {
    resumesLater = hasNested
    if !hasNested { super.resume() }
  }

  /// Completes immediately without a source.
  @usableFromInline
  func didConnect() { if sides.isEmpty, running == 0 { finish(.completed) } }

  @inlinable
  func next<Element>(_ element: Element, of side: LatestSide<Element>) {
    if missing == 0 {
      // Every element was emitted before, and this one is emitted now.
      var old: Element? = element
      swap(&old, &side.newest.element)
      if let make { exit.next(make()) }
      // Last, because a deinit can run any code.
      withExtendedLifetime(old) {}
      return
    }
    if side.newest.element == nil { missing -= 1 }
    var old = side.newest.exchange(element)
    if missing == 0, let make { exit.next(make()) }
    // Last, because a disposal can run any code.
    if old != nil { Untaken.dispose(&old) }
  }

  @inlinable
  func terminate<Element>(_ end: Termination<Failure>, of side: LatestSide<Element>) {
    if case .failed = end {
      finish(end)
      return
    }
    running -= 1
    if running == 0 || side.newest.element == nil { finish(.completed) }
  }

  @usableFromInline
  override func dispose() {
    // First, because disposing a pending element can make a source send, whose link is not cut while it is being observed.
    make = nil
    super.dispose()
    nested.removeAll()
  }
}
