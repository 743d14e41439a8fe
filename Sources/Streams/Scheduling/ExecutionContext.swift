/// The context in which a closure runs: immediately, on the main thread, or on a queue.
///
/// ```swift
/// let later = ExecutionContext.dispatch(.main)
/// later.execute { print("on the main queue") }
/// ExecutionContext.immediate.execute { print("here and now") }
/// ```
///
/// Loops, queues, and Dispatch add their contexts in extensions.
public struct ExecutionContext: Sendable {
  private enum Kind {
    case immediate
    case mailbox(any Mailbox)
    case custom(Custom)
  }

  /// An object, so that copies of a context are equal to it and other contexts are not.
  private final class Custom: Sendable {
    let execute: @Sendable (sending @escaping () -> Void) -> Bool

    init(_ execute: @escaping @Sendable (sending @escaping () -> Void) -> Bool) { self.execute = execute }
  }

  private let kind: Kind

  private init(kind: Kind) { self.kind = kind }

  /// Creates a context that passes its jobs to `execute`.
  public init(_ execute: @escaping @Sendable (sending @escaping () -> Void) -> Void) {
    kind = .custom(
      Custom {
        execute($0)
        return true
      })
  }

  /// Creates a context that passes its jobs to `execute`, which returns false if it has released the job without running it.
  package static func attempting(
    _ execute: @escaping @Sendable (sending @escaping () -> Void) -> Bool
  ) -> ExecutionContext { ExecutionContext(kind: .custom(Custom(execute))) }

  /// Creates the context of a domain. Jobs are posted to its mailbox, even from inside the domain.
  public init(_ mailbox: any Mailbox) { kind = .mailbox(mailbox) }

  /// Runs jobs immediately on the caller's thread.
  public static let immediate = ExecutionContext(kind: .immediate)

  var isImmediate: Bool {
    if case .immediate = kind { return true }
    return false
  }

  /// The mailbox of the domain, or nil if this is not the context of a domain.
  var mailbox: (any Mailbox)? {
    if case .mailbox(let mailbox) = kind { return mailbox }
    return nil
  }

  /// Runs `job` once in the context. If the domain has closed, the job is released without running.
  public func execute(_ job: sending @escaping () -> Void) { _ = attempt(job) }

  /// Runs `job` once in the context. Returns false if the domain has closed.
  package func attempt(_ job: sending @escaping () -> Void) -> Bool {
    switch kind {
    case .immediate:
      job()
      return true
    case .mailbox(let mailbox): return mailbox.post(job)
    case .custom(let custom): return custom.execute(job)
    }
  }

  /// True if the caller runs in the context. False if this cannot be decided: for a context that was created with a closure, and for
  /// an actor that shares its threads.
  public var isCurrent: Bool {
    switch kind {
    case .immediate: true
    case .mailbox(let mailbox): mailbox.isCurrent == true
    case .custom: false
    }
  }
}

extension ExecutionContext: Equatable {
  /// Contexts of the same domain are equal. A context that was created with a closure is equal only to its copies.
  public static func == (first: ExecutionContext, second: ExecutionContext) -> Bool {
    switch (first.kind, second.kind) {
    case (.immediate, .immediate): true
    case (.mailbox(let first), .mailbox(let second)): first === second
    case (.custom(let first), .custom(let second)): first === second
    default: false
    }
  }
}
