extension Operation {
  /// The elements of an asynchronous sequence.
  ///
  /// Each observer starts a task that iterates the sequence in the observer's isolation and delivers there; nothing is
  /// delivered before `observe` has returned. Disposing cancels the task. While the observer is paused no element is asked
  /// for, and one that has been asked for before waits.
  ///
  /// Observe it on a loop's thread, on the main actor, or in the actor that made it; elsewhere it traps. An actor without a
  /// loop is kept alive while the task waits for an element of a sequence that does not end: dispose of the subscription.
  ///
  /// Cost: a task for each observer, and what the sequence costs for each element.
  ///
  /// - Parameters:
  ///   - sequence: Made into an iterator for each observer. Whether it may be iterated twice is its own affair.
  ///   - isolation: Where the task runs if no loop runs there. Leave it out.
  public init<Elements: AsyncSequence>(_ sequence: Elements, isolation: isolated (any Actor)? = #isolation)
  where Elements.Element == Element, Elements.Failure == Failure {
    let isolation = isolation.map(WeakActor.init)
    self.init({ observer in
      let home = Home.current(isolation?.actor)
      guard let actor = home.actor else {
        misuse(
          """
          A stream of an asynchronous sequence is observed where nothing can be delivered to: observe it on a loop's \
          thread, on the main actor, or in the actor that made it.
          """)
      }
      let pump = AsyncPump(sequence, observer)
      // In a domain that has closed nothing is delivered.
      if let mailbox = home.mailbox as? any ClosingMailbox, actor is MailboxActor,
        !mailbox.notifyOfClosing(pump)
      {
        return .none
      }
      pump.task = startPump(pump, in: actor)
      return pump
    })
  }
}

private func startPump(_ pump: any Pump, in actor: any Actor) -> Task<Void, Never> {
  // The task runs in the domain that makes it, which is the pump's.
  let transfer = Transfer(pump)
  return Task { await transfer.value.run(isolation: actor) }
}

/// A pump whose types are forgotten: a task may not capture them.
private protocol Pump {
  func run(isolation: isolated any Actor) async
}

/// The iteration of an asynchronous sequence for one observer. Confined: the task runs in the observer's domain.
///
/// When that closes it is over, as if it had been disposed. What is left of the task runs elsewhere then, and finds no
/// observer; nothing here is changed any more.
private final class AsyncPump<Elements: AsyncSequence>: Disposable, Pump, ClosingObserver {
  private let sequence: Elements
  private var observer: Observer<Elements.Element, Elements.Failure>?
  private var waiter: UnsafeContinuation<Void, Never>?
  var task: Task<Void, Never>?

  init(_ sequence: Elements, _ observer: Observer<Elements.Element, Elements.Failure>) {
    self.sequence = sequence
    self.observer = observer
  }

  var isDisposed: Bool { observer == nil }

  func run(isolation: isolated any Actor) async {
    if isOver(isolation) { return }
    var iterator = sequence.makeAsyncIterator()
    do throws(Elements.Failure) {
      while true {
        await untilResumed(isolation)
        if isOver(isolation) { return }
        var element = try await iterator.next(isolation: isolation)
        if element == nil { break }
        await untilResumed(isolation)
        if isOver(isolation) {
          // The element came when the observer had left.
          drop(&element, isolation)
          return
        }
        if let element { observer?.next(element) }
      }
      finish(.completed, isolation)
    } catch {
      finish(.failed(error), isolation)
    }
  }

  private func finish(_ end: Termination<Elements.Failure>, _ isolation: isolated any Actor) {
    if isOver(isolation) { return }
    observer.take()?.terminate(end)
  }

  /// Disposed, or home has closed: then this does not run in the observer's domain and delivers nothing.
  private func isOver(_ isolation: any Actor) -> Bool {
    guard let actor = isolation as? MailboxActor, actor.isClosed else { return observer == nil }
    // Home has not said that it closes: nobody else will end it.
    if observer != nil, actor.isVacant { homeWillClose() }
    return true
  }

  /// Disposes of an element, but not while the thread of a loop that is closing still runs: the element may share state with it.
  private func drop(_ element: inout Elements.Element?, _ isolation: any Actor) {
    guard let actor = isolation as? MailboxActor, actor.isClosed else { return Untaken.dispose(&element) }
    let held = Held<[Elements.Element]>()
    if let element = element.take() { held.value.append(element) }
    let dropped = Transfer(held)
    actor.whenVacant { dropped.value.drop() }
  }

  private func untilResumed(_ isolation: isolated any Actor) async {
    while !isOver(isolation), observer?.isPaused == true {
      await withUnsafeContinuation(isolation: isolation) { waiter = $0 }
    }
  }

  func dispose() {
    if observer == nil { return }
    observer = nil
    task?.cancel()
    waiter.take()?.resume()
  }

  func homeWillClose() {
    let subscription = observer?.subscription
    dispose()
    subscription?.sourceDidVanish()
  }

  func resume() { if observer != nil { waiter.take()?.resume() } }
}
