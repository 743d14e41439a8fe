/// The address of an isolation domain. A job that you post to it runs there.
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
/// Event loops, the main actor, and actors have one. The crossing points between threads (`Inlet`, `Confined`) use it, and so do
/// objects that are deallocated on another thread.
public protocol Mailbox: AnyObject, Sendable {
  /// Runs `job` later in the domain, after all jobs that the same thread posted before.
  ///
  /// Returns false if the domain has closed; the job is then released without running.
  @discardableResult
  func post(_ job: sending @escaping () -> Void) -> Bool

  /// True if the caller is in the domain. Nil if this cannot be decided, as for an actor that shares its threads.
  var isCurrent: Bool? { get }
}

/// A mailbox whose domain can close, and that notifies observers before: the mailbox of a loop.
package protocol ClosingMailbox: Mailbox {
  /// Runs `job` in the domain, even while the domain closes. For necessary work, such as the job of a task that waits for it, or a
  /// release. Returns false if the domain has closed.
  func postWhileClosing(_ job: sending @escaping () -> Void) -> Bool

  /// Notifies `observer`, which is not retained, when the domain closes, after the jobs that were posted before. Call it in the
  /// domain. Returns false if the domain has closed.
  @discardableResult
  func notifyOfClosing(_ observer: any ClosingObserver) -> Bool
}

extension Mailbox {
  /// Runs `job` in the domain, even while that closes if the mailbox can. Returns false if the domain has closed.
  package func postWhileClosing(_ job: sending @escaping () -> Void) -> Bool {
    if let mailbox = self as? any ClosingMailbox { return mailbox.postWhileClosing(job) }
    return post(job)
  }
}

/// An observer of the end of its domain.
package protocol ClosingObserver: AnyObject {
  /// Called once, in the domain, when it closes. Jobs that are posted from now on do not run.
  func homeWillClose()
}

/// A box that sends a value to its domain if the compiler cannot prove that this is safe.
struct Transfer<Value>: @unchecked Sendable {
  // Sendable: the sender gives the value up, and the domain that owns it opens the box once.
  let value: Value

  init(_ value: Value) { self.value = value }
}
