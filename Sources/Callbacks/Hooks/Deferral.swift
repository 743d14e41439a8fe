public import Streams

/// A queue of work that must not run inside a C function, for a library that must not be called, or whose objects must not be
/// destroyed, from inside its callbacks. Use one for each such object. (N1, N2.)
///
/// ```swift
/// let calls = Deferral()
/// hook.deliver(after: calls).observeNext { print($0) }.dispose(in: bag)
/// …
/// calls.during { library_step(object) }         // the hook fires inside; its elements are delivered when step has returned
/// calls.afterCall { library_free(object) }      // now, or after the running call
/// ```
///
/// Make each call into the library that can call back through `during`. The deferred jobs run in order, before the outermost
/// `during` returns. They can call the library again.
///
/// A deferral is confined to the domain that creates it.
public final class Deferral {
  @exclusivity(unchecked) @usableFromInline var depth = 0
  @exclusivity(unchecked) @usableFromInline var isRunning = false
  private var jobs: [() -> Void] = []
  private var hasReported = false

  /// A larger number of pending jobs is reported once.
  static var reportingBound: Int { 65_536 }

  /// Creates a deferral. Create it while no call of the library is running.
  public init() {}

  /// True if no call is running, so `afterCall` runs its job immediately.
  @inlinable
  public var isIdle: Bool { depth == 0 && !isRunning }

  /// Runs `call`, which calls into the library. Deferred jobs run after the outermost `during` has returned or thrown.
  public func during<Result, Failure: Error>(_ call: () throws(Failure) -> Result) throws(Failure) -> Result {
    depth += 1
    defer {
      depth -= 1
      run()
    }
    return try call()
  }

  /// Runs `job` immediately if no call is running, otherwise after the jobs that are pending.
  ///
  /// The number of pending jobs is not limited. More than 65,536 are reported once.
  public func afterCall(_ job: @escaping () -> Void) {
    if isIdle { return job() }
    jobs.append(job)
    if jobs.count > Self.reportingBound, !hasReported {
      hasReported = true
      Diagnostics.report("More than \(Self.reportingBound) events wait for one C function to return.")
    }
  }

  private func run() {
    guard depth == 0, !isRunning else { return }
    isRunning = true
    defer { isRunning = false }
    while !jobs.isEmpty {
      let batch = jobs
      jobs = []
      for job in batch { job() }
    }
  }
}

@available(*, unavailable)
extension Deferral: Sendable {}

extension StreamProtocol {
  /// Delivers the events when the library can be called again: immediately if no call is running, otherwise after the
  /// outermost `deferral.during`. Nothing is delivered after disposal, and pending events are dropped. A pending element that owns
  /// a resource is then disposed.
  @inlinable
  public func deliver(after deferral: Deferral) -> Operation<Element, Failure> {
    Operation { observer in
      observe(
        next: { element in
          if deferral.isIdle { return observer.next(element) }
          let held = HeldElement(element)
          deferral.afterCall { if !observer.isDisposed, let element = held.take() { observer.next(element) } }
        },
        termination: { end in deferral.afterCall { observer.terminate(end) } })
    }
  }
}
