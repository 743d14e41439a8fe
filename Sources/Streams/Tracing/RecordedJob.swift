/// Wraps a job that is posted to a domain, so that a recording shows where it came from and how long it waited. Without the trait
/// `Tracing`, and while nothing is recorded, returns the job itself.
@inlinable @inline(__always)
package func recorded(_ name: StaticString, _ job: sending @escaping () -> Void) -> sending () -> Void {
  #if Tracing
  // The job is handed over with the closure around it, which the receiver alone runs.
  nonisolated(unsafe) let result = Trace.isOn ? Trace.crossing("\(name)", job) : job
  return result
  #else
  return job
  #endif
}
