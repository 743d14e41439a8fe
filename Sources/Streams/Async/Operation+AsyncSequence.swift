extension Operation {
  /// Creates an operation that emits the elements of an asynchronous sequence.
  ///
  /// Each observer starts a task that iterates the sequence in the observer's isolation and delivers there. Nothing is delivered
  /// before `observe` has returned. Disposing cancels the task. While the observer is paused, no further element is requested, and an
  /// element that was requested before is held.
  ///
  /// Traps if it is observed anywhere but on a loop's thread, on the main actor, or in the actor that created it. The task retains an
  /// actor without a loop while it waits for an element, so dispose the subscription if the sequence does not end.
  ///
  /// - Complexity: One task for each observer, and the cost of the sequence for each element.
  /// - Parameters:
  ///   - sequence: The sequence. Each observer creates an iterator.
  ///   - isolation: The actor in which the task runs if there is no loop. Leave it out.
  public init<Elements: AsyncSequence>(_ sequence: Elements, isolation: isolated (any Actor)? = #isolation)
  where Elements.Element == Element, Elements.Failure == Failure {
    let isolation = isolation.map(WeakActor.init)
    self.init({ observer in
      let home = Home.current(isolation?.actor)
      guard let actor = home.actor else {
        misuse(
          """
          A stream of an asynchronous sequence was observed on a thread that cannot receive its elements. Observe it on a \
          loop's thread, on the main actor, or in the actor that created it.
          """)
      }
      let pump = AsyncPump(sequence, observer)
      // A closed domain delivers nothing.
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
  // The task runs in the domain that creates it, which is the pump's.
  let transfer = Transfer(pump)
  return Task { await transfer.value.run(isolation: actor) }
}

/// A pump without its generic types, which a task cannot capture.
private protocol Pump {
  func run(isolation: isolated any Actor) async
}

/// The iteration of an asynchronous sequence for one observer, confined to the observer's domain, in which the task runs.
///
/// When the domain closes, the iteration is over, like after a disposal. The rest of the task then runs elsewhere, finds no
/// observer, and changes nothing here.
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
          // The observer was disposed before the element was there.
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

  /// Returns whether the subscription was disposed or home has closed, so that nothing is delivered.
  private func isOver(_ isolation: any Actor) -> Bool {
    guard let actor = isolation as? MailboxActor, actor.isClosed else { return observer == nil }
    // Home closed without a notification, so this ends the iteration.
    if observer != nil, actor.isVacant { homeWillClose() }
    return true
  }

  /// Disposes an element, but not while the thread of a closing loop runs, because the element can share state with it.
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
