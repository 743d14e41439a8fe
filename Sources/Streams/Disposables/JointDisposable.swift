/// A fixed number of disposables as one. It has ended when all of them have.
///
/// A `CompositeDisposable` can get more members, so it does not end with its members, and a bag does not drop it.
package final class JointDisposable: Disposable {
  private let members: [any Disposable]

  /// Creates a disposable of `members`, which are disposed in this order.
  package init(_ members: any Disposable...) { self.members = members }

  /// True if all members have ended.
  package var isDisposed: Bool { members.allSatisfy { $0.isDisposed } }

  /// Disposes all members.
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
