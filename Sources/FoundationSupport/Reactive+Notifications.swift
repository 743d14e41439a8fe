public import Foundation
public import Properties
public import Streams

extension NotificationCenter: ReactiveCompatible {}

extension Reactive where Base: NotificationCenter {
  /// A stream of the notifications that any thread posts to this center while the stream has an observer.
  ///
  /// `center.reactive.notifications(named: .changed).observeNext { … }`
  ///
  /// A notification that is posted in the observing domain is delivered inside `post`. One that is posted elsewhere is delivered
  /// later, in the order of its thread's posts. An actor without a queue receives all notifications later. A notification takes
  /// the objects that it refers to across threads: post only objects that are safe to use there.
  ///
  /// The stream never ends. Dispose the subscription, or put it in a bag. Traps if it is observed anywhere but on a loop's thread,
  /// on the main actor, or in an actor.
  ///
  /// - Parameters:
  ///   - name: The name of the notifications, or nil for all names.
  ///   - object: The object that posts the notifications, or nil for all objects.
  public func notifications(
    named name: Notification.Name?, object: AnyObject? = nil
  ) -> Streams.Stream<Notification> {
    let center = base
    return Streams.Stream<Notification>({ [weak object, isForObject = object != nil] observer in
      let home = HomeThread.requireMailbox(
        """
        Notifications were observed on a thread that cannot receive them. Observe them on a loop's thread, on the main actor, \
        or in an actor.
        """)
      // A deallocated object cannot post.
      if isForObject, object == nil { return .none }
      let reception = Reception(home) { observer.next($0) }
      let token = center.addObserver(forName: name, object: object, queue: nil) { reception.receive($0) }
      return BlockDisposable { center.removeObserver(token) }
    })
  }
}

/// The observer that the center calls on any thread.
private final class Reception: @unchecked Sendable {
  // Sendable: `deliver` is called only at home.
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
      // Sent to another domain: the caller of `post` must post only objects that are safe to use there.
      nonisolated(unsafe) let job = { [self] in deliver(notification) }
      home.post(job)
    }
  }
}
