public import Streams

/// Holds back what must not happen inside of a C function until that has returned: one for each object of a library that
/// must not be called, or destroyed, from inside of its callbacks. (N1, N2.)
///
/// ```swift
/// let calls = Deferral()
/// hook.deliver(after: calls).observeNext { print($0) }.dispose(in: bag)
/// …
/// calls.during { library_step(object) }         // the hook fires inside; its elements arrive when step has returned
/// calls.afterCall { library_free(object) }      // now, or after the call that is under way
/// ```
///
/// Every call into the library that may call back goes through `during`. What waits runs in order, before the outermost
/// `during` returns. It may call the library again.
///
/// Confined.
public final class Deferral {
  @exclusivity(unchecked) @usableFromInline var depth = 0
  @exclusivity(unchecked) @usableFromInline var isRunning = false
  private var jobs: [() -> Void] = []
  private var hasReported = false

  /// More than this many jobs are reported: one C call has made them all.
  static var reportingBound: Int { 65_536 }

  /// Makes one for an object that no call is under way to.
  public init() {}

  /// True when nothing holds back: `afterCall` runs its job at once.
  @inlinable
  public var isIdle: Bool { depth == 0 && !isRunning }

  /// Runs `call`, which calls into the library. What is deferred meanwhile runs when it has returned or thrown; inside of
  /// another `during`, when that has.
  public func during<Result, Failure: Error>(_ call: () throws(Failure) -> Result) throws(Failure) -> Result {
    depth += 1
    defer {
      depth -= 1
      run()
    }
    return try call()
  }

  /// Runs `job` when no call is under way: now, or after what already waits.
  ///
  /// Memory grows with what one C function causes. Beyond 65,536 jobs this is reported once.
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
  /// The same events when the library may be called again: at once where no call is under way, otherwise after the outermost
  /// `deferral.during` has called C. Nothing comes after disposal, also of what waits.
  @inlinable
  public func deliver(after deferral: Deferral) -> Operation<Element, Failure> {
    Operation { observer in
      observe(
        next: { element in
          if deferral.isIdle { return observer.next(element) }
          deferral.afterCall { observer.next(element) }
        },
        termination: { end in deferral.afterCall { observer.terminate(end) } })
    }
  }
}
