extension Operation where Element: Sendable {
  /// Runs `work` in `context` once for each observer, emits its result in the home domain, and completes. Fails with the error that
  /// it throws.
  ///
  /// If the subscription is disposed before `work` starts, `work` does not run; afterwards its result is dropped. If `context` is
  /// closed, the operation completes without an element.
  ///
  /// - Parameters:
  ///   - context: The context in which `work` runs, such as a queue or the thread pool.
  ///   - isolation: The observing actor if it has no loop. Leave it out.
  ///   - work: A closure that returns the element.
  public static func execute(
    on context: ExecutionContext, isolation: (any Actor)? = #isolation,
    _ work: @escaping @Sendable () throws(Failure) -> Element
  ) -> Operation {
    execute(on: context, capacity: 1, whenFull: .dropNewest, isolation: isolation) { inlet throws(Failure) in
      var result: Element? = try work()
      // The observer was disposed, so the result is dropped.
      if inlet.core.send(from: &result) { return }
      Untaken.dispose(&result)
    }
  }

  /// Runs `produce` in `context` once for each observer, emits the elements that it sends to its inlet in the home domain, and
  /// completes. Fails with the error that it throws, after the elements that it sent before.
  ///
  /// If the subscription is disposed before `produce` starts, `produce` does not run. Afterwards `send` returns false, and `produce`
  /// should return.
  ///
  /// - Parameters:
  ///   - context: The context in which `produce` runs, such as a queue or the thread pool.
  ///   - capacity: The maximum number of pending elements, at least 1.
  ///   - policy: The policy for an element that exceeds the capacity.
  ///   - isolation: The observing actor if it has no loop. Leave it out.
  ///   - produce: A closure that sends the elements.
  public static func execute(
    on context: ExecutionContext, capacity: Int, whenFull policy: OverflowPolicy,
    isolation: (any Actor)? = #isolation, _ produce: @escaping @Sendable (Inlet<Element>) throws(Failure) -> Void
  ) -> Operation {
    let isolation = isolation.map(WeakActor.init)
    return Operation(unguarded: { observer in
      let link = Subscription(downstream: observer.subscription)
      let failure = Lock<Failure?>(nil)
      let isWanted = Lock(true)
      let inlet = Inlet<Element>(
        capacity: capacity, whenFull: policy, for: "elements of execute(on:)", isolation: isolation?.actor)
      let elements = inlet.stream
      link.connect(
        // If the context releases the job without running it, the inlet is deallocated and the stream completes.
        elements.doOn(disposed: { [weak inlet] in
          isWanted.withLock { $0 = false }
          inlet?.finish()
        }), next: observer.onNext,
        termination: { _ in
          observer.onTermination(failure.withLock { $0 }.map { .failed($0) } ?? .completed)
        })
      context.execute {
        if !isWanted.withLock({ $0 }) { return }
        do throws(Failure) {
          try produce(inlet)
        } catch {
          failure.withLock { $0 = error }
        }
        inlet.finish()
      }
      return link
    })
  }
}
