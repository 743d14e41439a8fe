/// The address of an isolation domain: post a job to it and it runs there.
///
/// ```swift
/// final class DispatchMailbox: Mailbox {
///   let queue = DispatchQueue(label: "mailbox")
///
///   func post(_ job: sending @escaping () -> Void) -> Bool {
///     nonisolated(unsafe) let job = job
///     queue.async { job() }
///     return true
///   }
///
///   var isCurrent: Bool? { nil }
/// }
/// ```
///
/// Event loops, the main actor and actors have one. The doors between threads (`Inlet`, `Confined`) and the disposal of
/// what dies on a foreign thread stand on it.
public protocol Mailbox: AnyObject, Sendable {
  /// Runs `job` in the domain, later, after all jobs that were posted before by the same thread.
  ///
  /// Returns false when the domain has closed; the job is then released without running.
  @discardableResult
  func post(_ job: sending @escaping () -> Void) -> Bool

  /// Whether the caller runs in the domain; nil where nothing can tell, as for an actor that shares its threads.
  var isCurrent: Bool? { get }
}

/// Carries what the compiler cannot see to be safe across to the domain it belongs to.
struct Transfer<Value>: @unchecked Sendable {
  // Sendable: made by the sender, which gives it up, and opened once, in the domain that owns the content.
  let value: Value

  init(_ value: Value) { self.value = value }
}
