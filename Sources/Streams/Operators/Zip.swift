public import DequeModule

/// Emits the first elements of all `streams` as one tuple, then the second ones, and so on. The `zip` functions use it.
///
/// Not public, because a chain of operators on a function whose result is a pack expansion does not compile.
@usableFromInline
package func zipPack<Failure: Error, each Element>(
  _ streams: repeat Operation<each Element, Failure>
) -> Operation<(repeat each Element), Failure> {
  let sources = (repeat each streams)
  return .unguarded(name: "zip(_:)") { observer in
    let exit = SerializedSubscription(observer)
    let missing = Cell(0)
    let sides = (repeat ZipSide<each Element>(exit, missing))
    let state = Zip(exit, missing) { (repeat (each sides).pop()) }
    repeat state.add(each sides)
    repeat state.connect(each sides, each sources)
    return state.exit
  }
}

extension Operation {
  /// Emits the first elements of all `streams` as one array, in the order of the streams, then the second ones, and so on.
  ///
  /// Each stream is paused at `Watermarks.standard` pending elements. Completes as soon as no further array is possible, or immediately if
  /// there is no stream. A failure is delivered immediately, drops the pending elements, and disposes the others.
  public static func zip(_ streams: [Operation]) -> Operation<[Element], Failure> {
    Operation<[Element], Failure>(unguarded: { observer in
      let exit = SerializedSubscription(observer)
      let missing = Cell(0)
      let sides = streams.map { _ in ZipSide<Element>(exit, missing) }
      let state = Zip(exit, missing) { sides.map { $0.pop() } }
      for side in sides { state.add(side) }
      for (side, stream) in Swift.zip(sides, streams) { state.connect(side, stream) }
      state.didConnect()
      return state.exit
    })
  }

  /// Emits the first elements of all `streams` as one array, in the order of the streams, then the second ones, and so on. The streams can
  /// have different types.
  ///
  /// Completes as soon as no further array is possible, or immediately if there is no stream.
  @_disfavoredOverload
  public static func zip(
    _ streams: [any StreamProtocol<Element, Failure>]
  ) -> Operation<[Element], Failure> {
    zip(streams.map { $0.toOperation() })
  }
}

/// Emits the first elements of all `streams` as one array, in the order of the streams, then the second ones, and so on. The streams can
/// have different types.
///
/// Completes as soon as no further array is possible, or immediately if there is no stream.
@_disfavoredOverload
public func zip<Element, Failure: Error>(
  _ streams: [any StreamProtocol<Element, Failure>]
) -> Operation<[Element], Failure> {
  Operation<Element, Failure>.zip(streams.map { $0.toOperation() })
}

extension StreamProtocol {
  /// Emits the first element of this stream with the first of `other`, then the second ones, and so on.
  ///
  /// The stream that is ahead is paused at `Watermarks.standard` pending elements. Completes as soon as no further pair is possible: when one
  /// stream has completed and all its elements were emitted. A failure is delivered immediately, drops the pending elements, and
  /// disposes the other stream. Pausing reaches both.
  @inlinable
  public func zip<Other: StreamProtocol>(
    with other: Other
  ) -> Operation<(Element, Other.Element), Failure> where Other.Failure == Failure {
    Operation(unguarded: { observer in
      let exit = SerializedSubscription(observer)
      let missing = Cell(0)
      let left = ZipSide<Element>(exit, missing)
      let right = ZipSide<Other.Element>(exit, missing)
      let state = Zip(exit, missing) { (left.pop(), right.pop()) }
      state.add(left)
      state.add(right)
      state.connect(left, self)
      state.connect(right, other)
      return state.exit
    })
  }
}

/// One source of `zip`, with its pending elements.
@usableFromInline
final class ZipSide<Element>: CombinedSide {
  @exclusivity(unchecked) @usableFromInline var waiting = Deque<Element>()
  /// The number of sources without a pending element. All sources share it.
  @usableFromInline let missing: Cell<Int>

  @inlinable
  init(_ downstream: Subscription, _ missing: Cell<Int>) {
    self.missing = missing
    missing.value += 1
    super.init(downstream: downstream, .standard, name: "zip")
  }

  @inlinable
  func append(_ element: Element) {
    if waiting.isEmpty { missing.value -= 1 }
    waiting.append(element)
  }

  @inlinable
  func pop() -> Element {
    let element = waiting.removeFirst()
    if waiting.isEmpty { missing.value += 1 }
    return element
  }

  @usableFromInline override var count: Int { waiting.count }

  @usableFromInline override func drop() { Untaken.disposeAll(&waiting) }
}

@usableFromInline
final class Zip<Output, Failure: Error>: Combining<Output, Failure> {
  @usableFromInline let missing: Cell<Int>
  @exclusivity(unchecked) @usableFromInline var make: (() -> Output)?
  /// True while a source is paused at its limit.
  @exclusivity(unchecked) @usableFromInline var isFull = false
  @exclusivity(unchecked) @usableFromInline var hasCompletedSide = false

  @inlinable
  init(_ exit: SerializedSubscription<Output, Failure>, _ missing: Cell<Int>, _ make: @escaping () -> Output) {
    self.missing = missing
    self.make = make
    super.init(exit)
  }

  @inlinable
  func add(_ side: CombinedSide) { sides.append(side) }

  @inlinable
  func connect<Source: StreamProtocol>(_ side: ZipSide<Source.Element>, _ source: Source)
  where Source.Failure == Failure {
    if exit.isDisposed || side.link.isDisposed { return }
    side.link.connect(
      source,
      next: { element in
        side.append(element)
        if self.missing.value == 0 { self.emit() }
        if side.backlog.didGrow(to: side.waiting.count) { self.isFull = true }
      },
      termination: { end in
        side.hasCompleted = true
        self.hasCompletedSide = true
        if case .failed = end { self.finish(end) } else { self.completeIfOver() }
      })
  }

  /// Completes immediately without a source.
  @usableFromInline
  func didConnect() { if sides.isEmpty, !exit.isDisposed, make != nil { finish(.completed) } }

  @inlinable
  func emit() {
    while missing.value == 0, !exit.isDisposed, let make {
      exit.next(make())
      #if Tracing
      for side in sides { side.backlog.record(side.count) }
      #endif
      if isFull { shrink() }
      if hasCompletedSide { completeIfOver() }
    }
  }

  /// Resumes the sources that were ahead. They can deliver inside this call.
  @usableFromInline
  func shrink() {
    isFull = false
    for side in sides where side.backlog.didShrink(to: side.count) { isFull = true }
  }

  @usableFromInline
  func completeIfOver() {
    if sides.contains(where: { $0.hasCompleted && $0.count == 0 }) { finish(.completed) }
  }

  @usableFromInline
  override func dispose() {
    // First, because disposing a pending element can make a source send, whose link is not cut while it is being observed.
    make = nil
    super.dispose()
  }
}
