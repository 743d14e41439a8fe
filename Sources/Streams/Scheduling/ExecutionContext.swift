/// Where a closure runs: here and now, on the main thread, on a queue.
///
/// ```swift
/// let later = ExecutionContext.dispatch(.main)
/// later.execute { print("on the main queue") }
/// ExecutionContext.immediate.execute { print("here and now") }
/// ```
///
/// A Sendable value. Loops, queues and Dispatch add contexts of their own.
public struct ExecutionContext: Sendable {
  private enum Kind {
    case immediate
    case mailbox(any Mailbox)
    case custom(Custom)
  }

  /// An object, so that copies of a context can be told from other contexts.
  private final class Custom: Sendable {
    let execute: @Sendable (sending @escaping () -> Void) -> Void

    init(_ execute: @escaping @Sendable (sending @escaping () -> Void) -> Void) { self.execute = execute }
  }

  private let kind: Kind

  private init(kind: Kind) { self.kind = kind }

  /// A context that runs jobs as `execute` does.
  public init(_ execute: @escaping @Sendable (sending @escaping () -> Void) -> Void) {
    kind = .custom(Custom(execute))
  }

  /// The context of a domain: jobs are posted to its mailbox, also from inside the domain.
  public init(_ mailbox: any Mailbox) { kind = .mailbox(mailbox) }

  /// Runs jobs at once, on the caller's thread.
  public static let immediate = ExecutionContext(kind: .immediate)

  var isImmediate: Bool {
    if case .immediate = kind { return true }
    return false
  }

  /// The mailbox of the domain, where it is that of one.
  var mailbox: (any Mailbox)? {
    if case .mailbox(let mailbox) = kind { return mailbox }
    return nil
  }

  /// Runs `job` in the context, once. When the domain has closed the job is released without running.
  public func execute(_ job: sending @escaping () -> Void) {
    switch kind {
    case .immediate: job()
    case .mailbox(let mailbox): mailbox.post(job)
    case .custom(let custom): custom.execute(job)
    }
  }

  /// Whether the caller runs in the context already. False where nothing can tell: in a context that is made of a closure, and for
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
  /// Contexts of the same domain are equal; of contexts that are made of closures, only copies are.
  public static func == (first: ExecutionContext, second: ExecutionContext) -> Bool {
    switch (first.kind, second.kind) {
    case (.immediate, .immediate): true
    case (.mailbox(let first), .mailbox(let second)): first === second
    case (.custom(let first), .custom(let second)): first === second
    default: false
    }
  }
}
