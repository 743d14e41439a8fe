public import Foundation
public import Properties
public import Streams

extension NotificationCenter: ReactiveCompatible {}

extension Reactive where Base: NotificationCenter {
  /// The notifications that are posted to this centre, from any thread, while the stream is observed.
  ///
  /// `center.reactive.notifications(named: .changed).observeNext { … }`
  ///
  /// What is posted at home, the domain that observes, arrives inside `post`; what is posted elsewhere arrives at home
  /// later, in the order in which one thread posted it. In an actor that has no queue everything arrives later. A notification that crosses threads takes what it refers to with
  /// it: post only what is safe to use there. The stream never ends: dispose of it, or put it in a bag.
  ///
  /// Observe it on a loop's thread, on the main actor or in an actor; elsewhere it traps.
  ///
  /// - Parameters:
  ///   - name: Which notifications; nil for all.
  ///   - object: Only those that this object posts; nil for all.
  public func notifications(
    named name: Notification.Name?, object: AnyObject? = nil
  ) -> Streams.Stream<Notification> {
    let center = base
    return Streams.Stream<Notification>({ [weak object, isForObject = object != nil] observer in
      let home = HomeThread.requireMailbox(
        """
        Notifications are observed where nothing can be delivered to: observe them on a loop's thread, on the main actor \
        or in an actor.
        """)
      // Nobody can post for an object that has gone.
      if isForObject, object == nil { return .none }
      let reception = Reception(home) { observer.next($0) }
      let token = center.addObserver(forName: name, object: object, queue: nil) { reception.receive($0) }
      return BlockDisposable { center.removeObserver(token) }
    })
  }
}

/// What the centre calls, on any thread.
private final class Reception: @unchecked Sendable {
  // Sendable: `deliver` is called at home, and nowhere else.
  private let deliver: (Notification) -> Void
  private let home: any Mailbox

  init(_ home: any Mailbox, _ deliver: @escaping (Notification) -> Void) {
    self.home = home
    self.deliver = deliver
  }

  func receive(_ notification: Notification) {
    if home.isCurrent == true {
      deliver(notification)
    } else {
      // Handed over: the poster has been told to post what is safe to use here.
      nonisolated(unsafe) let job = { [self] in deliver(notification) }
      home.post(job)
    }
  }
}
