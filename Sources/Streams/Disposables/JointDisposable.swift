/// A fixed number of disposables as one, which has ended when all of them have.
///
/// A `CompositeDisposable` may get more members, so it has not ended while it can be used, and a bag that retains it does not drop it.
package final class JointDisposable: Disposable {
  private let members: [any Disposable]

  /// Makes one of `members`, which are disposed in this order.
  package init(_ members: any Disposable...) { self.members = members }

  /// True when all members have ended.
  package var isDisposed: Bool { members.allSatisfy { $0.isDisposed } }

  /// Disposes of all members.
  package func dispose() { for member in members { member.dispose() } }

  /// Pauses all members.
  package func pause() { for member in members { member.pause() } }

  /// Resumes all members.
  package func resume() { for member in members { member.resume() } }
}

extension JointDisposable: EndNotifying {
  @usableFromInline package var hasEnded: Bool { members.allSatisfy(EndWatch.hasEnded) }

  @usableFromInline
  package func watch() { members.forEach(EndWatch.watch) }
}

@available(*, unavailable)
extension JointDisposable: Sendable {}
