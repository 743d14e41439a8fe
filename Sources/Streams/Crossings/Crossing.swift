import DequeModule

extension StreamProtocol where Element: Sendable {
  /// Moves the consuming side of a stream to another domain. The source stays here, and `consume` builds the rest of the chain there.
  ///
  /// ```swift
  /// let queue = Queue(label: "disk")
  /// ticks.observe(on: queue) { ticks, bag in
  ///   ticks.map { "tick \($0)" }.observeNext { print($0) }.dispose(in: bag)
  /// }.dispose(in: bag)
  /// ```
  ///
  /// - `consume` runs once, at `home`. The stream that it receives is hot and confined to that domain. It delivers the elements of
  ///   the source in order, in batches, then the end. The source continues even if the stream has no observer.
  /// - The bag that `consume` receives belongs to `home`. It is disposed there when the result is disposed, or when the end has
  ///   been delivered and the subscriptions and bindings in the bag have ended, so that their pending elements are delivered
  ///   first. They can be in bags, composites, and serial disposables. Other disposables in the bag are not waited for.
  /// - The source is paused at the high watermark, and resumed at the low one. While all observers on the far side are paused,
  ///   pending elements stay. A source that cannot pause can exceed the high watermark, which is reported once through
  ///   `Diagnostics`. No element is dropped.
  /// - If `home` has closed, or when it closes, the source is disposed. If the source is deallocated without an end, or its loop
  ///   closes, the stream completes.
  /// - After `dispose()`, pending elements are dropped and no end is delivered. A batch whose delivery has begun is delivered.
  ///
  /// Call this on a loop's thread, on the main actor, or in an actor.
  ///
  /// - Complexity: Two locks for each element, and one wake-up for each batch.
  /// - Parameters:
  ///   - home: A queue, or the mailbox of another domain.
  ///   - watermarks: The numbers of pending elements at which the source is paused and resumed.
  ///   - isolation: The observing actor if it has no loop. Leave it out.
  ///   - file: The file that names the subscription in recordings and in reports of leaks. Leave it out, like `line`.
  ///   - consume: Builds the chain at `home`, with the stream and a bag that ends with it.
  /// - Returns: A disposable that ends the source and the far side.
  public func observe(
    on home: any Mailbox, watermarks: Watermarks = .standard, isolation: (any Actor)? = #isolation,
    file: StaticString = #fileID, line: UInt = #line,
    _ consume: sending @escaping (Operation<Element, Failure>, DisposeBag) -> Void
  ) -> any Disposable {
    guard let here = Home.current(isolation).mailbox else {
      misuse(
        """
        observe(on:_:) is used where nothing can be sent back to: use it on a loop's thread, on the main actor or in an \
        actor.
        """)
    }
    let crossing = Crossing<Element, Failure>(from: here, to: home, watermarks, (file, line), consume)
    if crossing.isDisposed { return crossing }
    let connect = { crossing.connect(self) }
    if let isolation { withIsolation(isolation, connect) } else { connect() }
    return crossing
  }
}

/// The near side of a stream that is consumed in another domain.
///
/// Ownership: the result of `observe(on:)`, and the source's observer ===> Crossing ===> link ===> upstream ===> that observer;
/// Crossing ===> Confined ===> FarSide ===> bag. The near side can be deallocated before the far side has delivered the end. The
/// far side retains itself until then.
private final class Crossing<Element: Sendable, Failure: Error>: EndNotifying, ClosingObserver {
  private let inlet: Inlet<Element>
  private let backlog: Backlog
  private let failure = Lock<Failure?>(nil)
  /// Keeps the loop of the near side running until the far side has delivered the end.
  private let keepAlive: any Disposable
  /// True while the inlet asks the source to pause.
  private let isFull = Lock(false)
  private var far: Confined<FarSide>?
  @exclusivity(unchecked) private var waiting = Deque<Element>()
  private var sourceHasEnded = false
  private var isPaused = false
  private(set) var isDisposed = false
  private var isWatched = false
  /// Retains the crossing until the pending elements are sent, because a source that has ended does not.
  private var keep: Crossing?

  init(
    from here: any Mailbox, to home: any Mailbox, _ marks: Watermarks, _ place: (file: StaticString, line: UInt),
    _ consume: sending @escaping (Operation<Element, Failure>, DisposeBag) -> Void
  ) {
    keepAlive = here.keepAlive(for: "a stream that another queue observes")
    inlet = Inlet(capacity: marks.high, whenFull: .dropNewest, from: here)
    let source = NotifyingSubscription(downstream: nil)
    source.isObserved(at: place.file, place.line)
    backlog = Backlog(source, marks, name: "observe(on:_:)")
    let far = Confined(at: home) {
      let far = FarSide()
      (HomeThread.mailbox as? any ClosingMailbox)?.notifyOfClosing(far)
      return far
    }
    self.far = far
    // A source that is deallocated without an end completes the stream on the far side.
    source.onVanish = { [weak self] in self?.terminate(.completed) }
    let near = Confined(WeakCrossing(self, keepAlive), here: here)
    inlet.onPressure(at: marks) { [isFull] pressure in
      isFull.withLock { $0 = pressure == .high }
      if pressure == .low { near.async { $0.crossing?.flush() } }
    }
    // Runs on the thread that finds that the far side has closed, whether or not the source is paused.
    inlet.onClose { near.async { $0.crossing?.dispose() } }
    // Captures no inlet: if the near side is deallocated without an end, its inlet is too, which completes the stream.
    let (core, failure, consume) = (inlet.core, failure, Transfer(consume))
    let isOpen = far.async { far in
      far.onFinish = { near.async { $0.didFinish() } }
      let stream = Operation<Element, Failure>.unguarded(name: "observe(on:)") { observer in
        core.subscribe(
          Observer(
            for: observer.subscription, next: observer.onNext,
            termination: { _ in
              observer.onTermination(failure.withLock { $0 }.map { .failed($0) } ?? .completed)
            }))
      }
      consume.value(stream, far.bag)
      core.reportIfUnobserved(
        """
        observe(on:_:) delivers nothing: when its closure has returned there is no observer. Observe the stream in the \
        closure, and put the subscription into the bag that the closure gets: a bag of its own ends with it. If the \
        closure passes the stream on to another queue, that queue has shut down.
        """)
      // The last observer of the stream: it disposes the bag after all others have received the end.
      far.place = core.subscribe(
        Observer(
          for: Subscription(downstream: nil), next: { _ in }, termination: { [weak far] _ in far?.sourceDidEnd(home) }),
        isCounted: false)
    }
    if !isOpen { dispose() }
    (HomeThread.mailbox as? any ClosingMailbox)?.notifyOfClosing(self)
  }

  /// Handles the end of the near side's loop: the pending elements and the end are still delivered on the far side.
  func homeWillClose() {
    if isDisposed { return }
    end()
    inlet.core.finish(after: &waiting)
    inlet.core.drop(&waiting)
    far.take()?.asyncWhileClosing { $0.holdUntilFinished() }
  }

  func connect<Source: StreamProtocol>(_ source: Source) where Source.Element == Element, Source.Failure == Failure {
    backlog.link.connect(source, next: { self.next($0) }, termination: { self.terminate($0) })
  }

  private func next(_ element: Element) {
    if isDisposed { return }
    #if Tracing
    let isTraced = Trace.isOn
    if isTraced { Trace.deliver(element, to: backlog.link) }
    defer { if isTraced { Trace.end() } }
    #endif
    if !waiting.isEmpty || !inlet.send(element) {
      waiting.append(element)
      if inlet.isClosed { return dispose() }
      backlog.didGrow(to: waiting.count)
    }
    update()
  }

  private func terminate(_ end: Termination<Failure>) {
    if case .failed(let error) = end { failure.withLock { $0 = error } }
    sourceHasEnded = true
    keep = self
    flush()
  }

  private func flush() {
    if isDisposed { return }
    while !waiting.isEmpty, inlet.send(waiting[0]) {
      waiting.removeFirst()
      backlog.didShrink(to: waiting.count)
      if isDisposed { return }
    }
    if inlet.isClosed { return dispose() }
    if sourceHasEnded, waiting.isEmpty {
      inlet.finish()
      keep = nil
    }
    update()
  }

  private func update() {
    if isPaused || !waiting.isEmpty || isFull.withLock({ $0 }) { backlog.hold() } else { backlog.release() }
  }

  fileprivate func didFinish() {
    if isDisposed { return }
    end()
    far = nil
  }

  private func end() {
    isDisposed = true
    keepAlive.dispose()
    backlog.link.dispose()
    keep = nil
    if isWatched { EndWatch.somethingEnded() }
  }

  var hasEnded: Bool { isDisposed }

  func watch() { isWatched = true }

  /// If it was not disposed, the pending elements and the end are still delivered on the far side.
  deinit {
    far?.asyncWhileClosing { $0.holdUntilFinished() }
    if isWatched { EndWatch.somethingEnded() }
  }

  func dispose() {
    if isDisposed { return }
    end()
    inlet.cancel()
    let far = far.take()
    // If the far side is closing, it finishes by itself: after the crossings in its bag have sent what they have.
    if far?.async({ $0.finish() }) == false { far?.asyncWhileClosing { $0.holdUntilFinished() } }
    // Dropped by the inlet's core, because the call that sent the last element may still refer to it.
    inlet.core.drop(&waiting)
  }

  func pause() {
    isPaused = true
    update()
  }

  func resume() {
    isPaused = false
    update()
  }

  /// A weak reference to the crossing, for the inlet's watermarks.
  private final class WeakCrossing {
    weak var crossing: Crossing?
    // The crossing itself may be released before the far side has delivered the end.
    private let keepAlive: any Disposable

    init(_ crossing: Crossing, _ keepAlive: any Disposable) {
      self.crossing = crossing
      self.keepAlive = keepAlive
    }

    func didFinish() {
      keepAlive.dispose()
      crossing?.didFinish()
    }
  }
}

/// The far side of a crossing. It has the bag, which is disposed with the near side, or when the end has been delivered and the
/// members of the bag have ended.
private final class FarSide: ClosingObserver {
  let bag = DisposeBag()
  var onFinish: (() -> Void)?
  /// The subscription to the stream.
  var place: (any Disposable)?
  private var keep: FarSide?
  private var isFinishing = false
  private var isFinished = false
  private var isClosing = false
  /// Waits for the members of the bag after the source has ended.
  private var watch: EndWatch?

  func holdUntilFinished() { if !isFinished { keep = self } }

  /// Handles the end of the far side's loop. The inlet, which is also notified, ends the near side.
  ///
  /// The bag is disposed in a second round: it can have crossings to other domains, which send on what they have and their end in the
  /// first.
  func homeWillClose() {
    if !isClosing, (HomeThread.mailbox as? any ClosingMailbox)?.notifyOfClosing(self) == true {
      isClosing = true
      return
    }
    onFinish = nil
    finish()
  }

  func finish() {
    if isFinished { return }
    isFinished = true
    keep = nil
    if watch.take() != nil, bag.hasEnded { bag.disposeOfTheRest() } else { bag.dispose() }
    place.take()?.dispose()
    onFinish.take()?()
  }

  /// Handles the end after all observers received it. Operators may still hold elements or have other sources.
  func sourceDidEnd(_ home: any Mailbox) {
    bag.watch()
    let far = Transfer(WeakFarSide(self))
    watch = EndWatch(at: home) { far.value.side?.look(home) }
    look(home)
  }

  private func look(_ home: any Mailbox) { if !isFinished, bag.hasEnded { finishLater(at: home) } }

  private func finishLater(at home: any Mailbox) {
    if isFinishing { return }
    isFinishing = true
    let far = Transfer(self)
    home.post {
      far.value.isFinishing = false
      // The observer of the end may have added a subscription to the bag.
      if far.value.bag.hasEnded { far.value.finish() }
    }
  }

  private final class WeakFarSide {
    weak var side: FarSide?

    init(_ side: FarSide) { self.side = side }
  }
}
