/// Ties subscriptions and handles to their owner: what is in the bag ends when the bag does.
///
/// ```swift
/// final class Clock {
///   let bag = DisposeBag()
///   var ticks = 0
///   func start(_ timer: Stream<Int>) {
///     timer.observeNext { [weak self] _ in self?.ticks += 1 }.dispose(in: bag)
///   }
/// }
/// ```
///
/// Members are disposed in reverse order, the newest first. Members that have ended by themselves are dropped. After
/// `dispose()` the bag is empty and can be used again.
///
/// A bag is confined to the domain in which the first member was added: its *home*. The last reference to the bag's owner
/// may be dropped on any thread: at home its members are disposed in place; elsewhere they are sent home and disposed
/// there; when the home has closed they are released. Whether the caller is in an actor without a loop nobody can tell:
/// what is in its bag is sent there in any case, and is disposed in a job of its own. A bag without a home (a thread that
/// no loop or main actor owns) disposes in place.
public final class DisposeBag: Disposable {
  private var members: [any Disposable] = []
  private var pruneAt = 16
  private var home = Home.unset

  /// Makes an empty bag. Its home is settled by the first `add`.
  public init() {}

  /// Adds a member. Amortised O(1).
  public func add(_ disposable: any Disposable, isolation: (any Actor)? = #isolation) {
    home.settle(isolation, for: "a DisposeBag")
    if members.count >= pruneAt { prune() }
    if !disposable.isDisposed { members.append(disposable) }
  }

  /// The number of members that have not ended.
  public var count: Int {
    prune()
    return members.count
  }

  private func prune() {
    // Released when the bag is whole again: releasing a member may run anything.
    let old = members
    withExtendedLifetime(old) {
      members = old.filter { !$0.isDisposed }
      pruneAt = max(16, members.count * 2)
    }
  }

  /// True when no member is left that has not ended.
  public var isDisposed: Bool { members.allSatisfy { $0.isDisposed } }

  /// Disposes of all members, the newest first. The bag can be used again.
  public func dispose() {
    if home.isOtherThread { home.verify("a DisposeBag") }
    // A member that is disposed may add others.
    while let member = members.popLast() { member.dispose() }
  }

  /// Asks all members to wait.
  public func pause() { for member in members { member.pause() } }

  /// Takes `pause()` back.
  public func resume() { for member in members { member.resume() } }

  deinit {
    if members.isEmpty { return }
    let members = members
    home.perform { for member in members.reversed() { member.dispose() } }
  }
}

@available(*, unavailable)
extension DisposeBag: Sendable {}

extension Disposable {
  /// Puts it in `bag`, which disposes of it at the latest when the bag itself goes.
  public func dispose(in bag: DisposeBag, isolation: (any Actor)? = #isolation) { bag.add(self, isolation: isolation) }
}
