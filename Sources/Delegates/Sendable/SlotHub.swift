import Streams

/// The observers and the handler of a slot that is called on any thread.
///
/// Ownership: slot ===> hub <=== streams of the slot, so that a stream that is observed after the slot's deallocation
/// completes.
final class SlotHub<Arguments: Sendable, Handler: Sendable>: Sendable {
  private struct State: Sendable {
    var handler: Handler?
    /// Changes with each handler, so that disposing one handler does not remove another.
    var generation = 0
    var inlets: [Inlet<Arguments>] = []
    var isFinished = false
  }

  private let state = Lock(State())
  /// The name of the slot, with the name of its proxy class if that is known.
  private let name: String?
  private let owner: StaticString

  init(_ name: String?, of owner: StaticString) {
    self.name = name
    self.owner = owner
  }

  /// Sends the arguments to the observers, and returns the handler.
  func send(_ arguments: Arguments) -> Handler? {
    let (handler, inlets) = state.withLock { ($0.handler, $0.inlets) }
    for inlet in inlets { inlet.send(arguments) }
    return handler
  }

  func stream(_ capacity: Int, _ policy: OverflowPolicy) -> Stream<Arguments> {
    Stream { [self] observer in
      let inlet = Inlet<Arguments>(capacity: capacity, whenFull: policy, isolation: nil)
      let isFinished = state.withLock { state in
        if !state.isFinished { state.inlets.append(inlet) }
        return state.isFinished
      }
      if isFinished { inlet.finish() }
      let delivery = inlet.stream.observe(next: { observer.next($0) }, termination: { _ in observer.completed() })
      return CompositeDisposable([
        delivery, BlockDisposable { [weak self] in self?.state.withLock { $0.inlets.removeAll { $0 === inlet } } },
      ])
    }
  }

  func install(_ handler: Handler, replacing: Bool) throws(SlotOccupied) -> any Disposable {
    // The old handler is released outside the lock.
    let (old, generation) = state.withLock { state -> (Handler?, Int?) in
      if state.isFinished { return (nil, state.generation) }
      if state.handler != nil, !replacing { return (nil, nil) }
      let old = state.handler
      state.handler = handler
      state.generation += 1
      return (old, state.generation)
    }
    withExtendedLifetime(old) {}
    guard let generation else { throw SlotOccupied(slot: name.map { "\(owner).\($0)" } ?? "of \(owner)") }
    return BlockDisposable { [weak self] in
      let old = self?.state.withLock { state -> Handler? in
        state.generation == generation ? state.handler.take() : nil
      }
      withExtendedLifetime(old) {}
    }
  }

  func replace(_ handler: Handler) -> any Disposable {
    do {
      return try install(handler, replacing: true)
    } catch {
      misuse("A slot that is to be replaced cannot be occupied.")
    }
  }

  /// Releases the handler and completes the streams. Streams that are observed later complete immediately.
  func finish() {
    let old = state.withLock { state in
      defer {
        state.handler = nil
        state.inlets = []
        state.isFinished = true
      }
      return state
    }
    for inlet in old.inlets { inlet.finish() }
  }
}

// Closures with separate arguments, which `Spreading` makes of closures with one tuple.

protocol SendableSpreading<Arguments, Output>: Sendable {
  associatedtype Arguments
  associatedtype Output
  associatedtype Failure: Error

  func call(_ arguments: Arguments) throws(Failure) -> Output
}

/// A handler that takes separate arguments.
struct SendableSpreadHandler<Failure: Error, Output, each Argument>: SendableSpreading {
  typealias Arguments = (repeat each Argument)

  private let handler: @Sendable (repeat each Argument) throws(Failure) -> Output

  init(_ handler: @escaping @Sendable (repeat each Argument) throws(Failure) -> Output) { self.handler = handler }

  func call(_ arguments: (repeat each Argument)) throws(Failure) -> Output { try handler(repeat each arguments) }
}

/// A handler that takes another value before the arguments.
struct SendablePrefixedHandler<Failure: Error, Output, First, each Argument>: SendableSpreading {
  typealias Arguments = (repeat each Argument)

  private let first: @Sendable () -> First
  private let handler: @Sendable (First, repeat each Argument) throws(Failure) -> Output

  init(
    _ first: @escaping @Sendable () -> First,
    _ handler: @escaping @Sendable (First, repeat each Argument) throws(Failure) -> Output
  ) {
    self.first = first
    self.handler = handler
  }

  func call(_ arguments: (repeat each Argument)) throws(Failure) -> Output {
    try handler(first(), repeat each arguments)
  }
}
