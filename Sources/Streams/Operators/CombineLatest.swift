/// The newest elements of all `streams` as one tuple, each time one of them emits: what `combineLatest` of each number of
/// streams stands on.
///
/// Not public: a chain of operators on a function whose result is a pack expansion does not compile.
@usableFromInline
package func combineLatestPack<Failure: Error, each Element>(
  _ streams: repeat Operation<each Element, Failure>
) -> Operation<(repeat each Element), Failure> {
  let sources = (repeat each streams)
  return Operation(unguarded: { observer in
    let exit = SerializedSubscription(observer)
    let sides = (repeat LatestSide<each Element>(exit))
    let state = CombineLatest(exit) { (repeat (each sides).newest.take().unsafelyUnwrapped) }
    repeat state.add(each sides)
    repeat state.connect(each sides, each sources)
    return state.exit
  })
}

extension Operation {
  /// The newest elements of all `streams` as one array, in their order. See the function `combineLatest`.
  ///
  /// Completes at once where there is no stream.
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

  /// The newest elements of all `streams`, of whatever types they are, as one array, each time one of them emits.
  ///
  /// In their order. Completes at once if there is no stream.
  @_disfavoredOverload
  public static func combineLatest(
    _ streams: [any StreamProtocol<Element, Failure>]
  ) -> Operation<[Element], Failure> {
    combineLatest(streams.map { $0.toOperation() })
  }
}

/// The newest elements of all `streams`, of whatever types they are, as one array, each time one of them emits.
///
/// In their order. Completes at once if there is no stream.
@_disfavoredOverload
public func combineLatest<Element, Failure: Error>(
  _ streams: [any StreamProtocol<Element, Failure>]
) -> Operation<[Element], Failure> {
  Operation<Element, Failure>.combineLatest(streams.map { $0.toOperation() })
}

extension StreamProtocol {
  /// The newest element of this stream and the newest of `other`, each time one of them emits.
  ///
  /// Emits first when both have emitted. Completes when both have completed, and as soon as one completes that has
  /// emitted nothing; a failure passes at once and disposes of the other. Pausing reaches both. Holds one element of each.
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

/// The newest element of one side.
@usableFromInline
final class LatestSide<Element>: CombinedSide {
  @usableFromInline let newest = Newest<Element>()

  @usableFromInline
  init(_ downstream: Subscription) { super.init(downstream: downstream, bound: .max / 4, name: "combineLatest") }
}

@usableFromInline
final class CombineLatest<Output, Failure: Error>: Combining<Output, Failure> {
  @exclusivity(unchecked) @usableFromInline var make: (() -> Output)?
  /// Sides that have not emitted yet.
  @exclusivity(unchecked) @usableFromInline var missing = 0
  @exclusivity(unchecked) @usableFromInline var running = 0

  @inlinable
  init(_ exit: SerializedSubscription<Output, Failure>, _ make: @escaping () -> Output) {
    self.make = make
    super.init(exit)
  }

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
      source, next: { self.next($0, of: side) }, termination: { self.terminate($0, of: side) })
  }

  /// Without any upstream there is nothing to wait for.
  @usableFromInline
  func didConnect() { if sides.isEmpty, running == 0 { finish(.completed) } }

  @inlinable
  func next<Element>(_ element: Element, of side: LatestSide<Element>) {
    if missing == 0 {
      // Every side has been in an output, and this element goes into one at once.
      side.newest.element = element
      if let make { exit.next(make()) }
      return
    }
    if side.newest.element == nil { missing -= 1 }
    var old = side.newest.exchange(element)
    if missing == 0, let make { exit.next(make()) }
    // Last: disposing may run anything.
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
    super.dispose()
    make = nil
  }
}
