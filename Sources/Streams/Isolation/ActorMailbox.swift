/// The mailbox of an actor. A task isolated to the actor runs the posted jobs in order.
///
/// It does not retain the actor, because objects that the actor owns, such as a `DisposeBag`, retain the mailbox. The domain closes
/// when the actor is deallocated.
final class ActorMailbox: Mailbox {
  private let reference: WeakActor
  private let jobs = SerialJobs()

  init(_ actor: any Actor) { reference = WeakActor(actor) }

  /// Nil, because actors share the threads of the pool.
  var isCurrent: Bool? { nil }

  /// True if the actor was deallocated.
  var isClosed: Bool { actor == nil }

  /// The actor, or nil if it was deallocated.
  var actor: (any Actor)? { reference.actor }

  func post(_ job: sending @escaping () -> Void) -> Bool {
    guard let actor = reference.actor else { return false }
    if jobs.append(recorded("posted to an actor", job)) { Task { await self.run(actor) } }
    return true
  }

  private func run(_ actor: isolated any Actor) { jobs.run() }
}
