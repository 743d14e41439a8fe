public import DequeModule

/// The first elements of all `streams` as one tuple, then the second ones, and so on.
///
/// The streams are observed in order. What waits for the others is held: up to `BacklogBound.zip` elements of each, where
/// that stream is paused. Completes as soon as no further tuple is possible: when one has completed and all its elements
/// have gone. A failure passes at once, drops what waits and disposes of the others. What is sent from inside a delivery
/// is delivered after it. Pausing reaches all.
public func zip<Failure: Error, each Element>(
  _ streams: repeat any StreamProtocol<each Element, Failure>
) -> Operation<(repeat each Element), Failure> {
  let sources = (repeat erase(each streams))
  return Operation(unguarded: { observer in
    let gate = SourceGate(observer)
    let sides = (repeat ZipSide<each Element>(gate))
    let state = Zip(gate) { (repeat (each sides).pop()) }
    repeat state.add(each sides)
    repeat state.connect(each sides, each sources)
    state.didConnect()
    return state
  })
}

extension Operation {
  /// The first elements of all `streams` as one array, in their order, then the second ones. See the function `zip`.
  ///
  /// Completes at once where there is no stream.
  public static func zip(_ streams: [Operation]) -> Operation<[Element], Failure> {
    Operation<[Element], Failure>(unguarded: { observer in
      let gate = SourceGate(observer)
      let sides = streams.map { _ in ZipSide<Element>(gate) }
      let state = Zip(gate) { sides.map { $0.pop() } }
      for side in sides { state.add(side) }
      for (side, stream) in Swift.zip(sides, streams) { state.connect(side, stream) }
      state.didConnect()
      return state
    })
  }
}

extension StreamProtocol {
  /// The first element of this stream with the first of `other`, then the second ones, and so on.
  ///
  /// What waits for the other side is held, up to `BacklogBound.zip` elements, where the side that is ahead is paused.
  /// Completes as soon as no further pair is possible: when one side has completed and all its elements have gone. A
  /// failure passes at once, drops what waits and disposes of the other. Pausing reaches both.
  @inlinable
  public func zip<Other: StreamProtocol>(
    with other: Other
  ) -> Operation<(Element, Other.Element), Failure> where Other.Failure == Failure {
    Operation(unguarded: { observer in
      let gate = SourceGate(observer)
      let left = ZipSide<Element>(gate)
      let right = ZipSide<Other.Element>(gate)
      let state = Zip(gate) { (left.pop(), right.pop()) }
      state.add(left)
      state.add(right)
      state.connect(left, self)
      state.connect(right, other)
      return state
    })
  }
}

/// What one side has emitted and the others have not matched yet.
@usableFromInline
final class ZipSide<Element>: CombinedSide {
  @exclusivity(unchecked) @usableFromInline var waiting = Deque<Element>()

  @usableFromInline
  init(_ downstream: Gate) { super.init(downstream: downstream, bound: BacklogBound.zip, name: "zip") }

  @inlinable
  func pop() -> Element { waiting.removeFirst() }

  @usableFromInline override var count: Int { waiting.count }
}

@usableFromInline
final class Zip<Output, Failure: Error>: Combining<Output, Failure> {
  @exclusivity(unchecked) @usableFromInline var make: (() -> Output)?

  @inlinable
  init(_ exit: SourceGate<Output, Failure>, _ make: @escaping () -> Output) {
    self.make = make
    super.init(exit)
  }

  @inlinable
  func add(_ side: CombinedSide) { sides.append(side) }

  @inlinable
  func connect<Source: StreamProtocol>(_ side: ZipSide<Source.Element>, _ source: Source)
  where Source.Failure == Failure {
    if exit.isClosed || side.link.isClosedHere { return }
    side.link.connect(
      source,
      next: { element in
        side.waiting.append(element)
        self.emit()
        side.backlog.didGrow(to: side.waiting.count)
      },
      termination: { end in
        side.hasCompleted = true
        if case .failed = end { self.finish(end) } else { self.completeIfOver() }
      })
  }

  /// Without any upstream there is nothing to wait for.
  @usableFromInline
  func didConnect() { if sides.isEmpty, !exit.isClosed, make != nil { finish(.completed) } }

  @usableFromInline
  func emit() {
    while !sides.isEmpty, sides.allSatisfy({ $0.count > 0 }), let make {
      exit.next(make())
      // Resuming one that was ahead may deliver.
      for side in sides { side.backlog.didShrink(to: side.count) }
      completeIfOver()
    }
  }

  @usableFromInline
  func completeIfOver() {
    if sides.contains(where: { $0.hasCompleted && $0.count == 0 }) { finish(.completed) }
  }

  @usableFromInline
  override func stop() {
    super.stop()
    make = nil
  }
}
