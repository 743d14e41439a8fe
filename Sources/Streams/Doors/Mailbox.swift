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

/// A mailbox whose domain closes, and says so before: a loop's.
package protocol ClosingMailbox: Mailbox {
  /// Runs `job` in the domain, also while that closes: for what has to be done, such as the job of a task that waits for it,
  /// or a release. Returns false when the domain has closed.
  func postWhileClosing(_ job: sending @escaping () -> Void) -> Bool

  /// Notifies `observer`, which is not retained, when the domain closes: after what was posted before has run. Call it in
  /// the domain. Returns false when it has closed.
  @discardableResult
  func notifyOfClosing(_ observer: any ClosingObserver) -> Bool
}

extension Mailbox {
  /// Runs `job` in the domain, also while that closes, if it can. Returns false when the domain has closed.
  package func postWhileClosing(_ job: sending @escaping () -> Void) -> Bool {
    if let mailbox = self as? any ClosingMailbox { return mailbox.postWhileClosing(job) }
    return post(job)
  }
}

/// Is notified when the domain that it belongs to closes.
package protocol ClosingObserver: AnyObject {
  /// The domain closes. Called in it, once; nothing that is posted to it runs from now on.
  func homeWillClose()
}

/// Carries what the compiler cannot see to be safe across to the domain it belongs to.
struct Transfer<Value>: @unchecked Sendable {
  // Sendable: made by the sender, which gives it up, and opened once, in the domain that owns the content.
  let value: Value

  init(_ value: Value) { self.value = value }
}
