/// An actor as a mailbox: a task isolated to the actor runs what has been posted, in order.
///
/// It does not keep the actor: what the actor owns, such as a `DisposeBag`, remembers its home with a mailbox. The domain
/// closes when the actor dies.
final class ActorMailbox: Mailbox {
  private let reference: WeakActor
  private let jobs = SerialJobs()

  init(_ actor: any Actor) { reference = WeakActor(actor) }

  /// Actors share the threads of the pool: the thread says nothing.
  var isCurrent: Bool? { nil }

  /// The actor has died: nobody is isolated to it any more, nor will be.
  var isClosed: Bool { actor == nil }

  /// The actor, or nil when it has died.
  var actor: (any Actor)? { reference.actor }

  func post(_ job: sending @escaping () -> Void) -> Bool {
    guard let actor = reference.actor else { return false }
    if jobs.append(job) { Task { await self.run(actor) } }
    return true
  }

  private func run(_ actor: isolated any Actor) { jobs.run() }
}
