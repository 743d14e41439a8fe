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
/// The closure of a member must not capture the bag or its owner: they would retain each other, and the subscription would never
/// end. Use `flatMap` for streams that are observed for each element, and `[weak self]` or `observeNext(with:)` for the owner.
///
/// Members are disposed in reverse order, the newest first. Members that have ended by themselves are dropped. After
/// `dispose()` the bag is empty and can be used again. So a bag retains an empty bag that was added to it, as long as there is
/// another reference to that one.
///
/// A bag is confined to the domain in which the first member was added: its *home*. The last reference to the bag's owner
/// may be dropped on any thread: at home its members are disposed in place; elsewhere they are sent home and disposed
/// there; after the home has closed they are disposed on the thread that drops the reference, one bag at a time. Whether the
/// caller is in an actor without a loop nobody can tell:
/// what is in its bag is sent there in any case, and is disposed in a job of its own. A bag without a home (a thread that
/// no loop or main actor owns) disposes in place.
public final class DisposeBag: Disposable {
  private var members: [any Disposable] = []
  private var pruneAt = 16
  private var home = Home.unset
  private var isWatched = false

  /// Makes an empty bag. Its home is settled by the first `add`.
  public init() {}

  /// Adds a member. Amortised O(1).
  public func add(_ disposable: any Disposable, isolation: (any Actor)? = #isolation) {
    home.settle(isolation, for: "a DisposeBag")
    if members.count >= pruneAt { prune() }
    if disposable.isDisposed, !(disposable is DisposeBag) { return }
    members.append(disposable)
    if isWatched { EndWatch.watch(disposable) }
  }

  /// The number of members that have not ended.
  public var count: Int { members.count { !$0.isDisposed } }

  private func prune() {
    var (old, kept, dropped) = (members, [any Disposable](), [any Disposable]())
    members = []
    while var member = old.popLast() {
      if Self.hasEnded(&member) { dropped.append(member) } else { kept.append(member) }
    }
    members = kept.reversed()
    pruneAt = max(16, members.count * 2)
    // Released when the bag is whole again: releasing a member may run anything.
    withExtendedLifetime(dropped) {}
  }

  /// A bag can be used again by those that refer to it.
  private static func hasEnded(_ member: inout any Disposable) -> Bool {
    if !member.isDisposed { return false }
    guard var bag = member as? DisposeBag else { return true }
    member = .none
    defer { member = bag }
    return isKnownUniquelyReferenced(&bag)
  }

  /// True when no member is left that has not ended.
  public var isDisposed: Bool { members.allSatisfy { $0.isDisposed } }

  /// Disposes of all members, the newest first. The bag can be used again.
  public func dispose() {
    if home.isOtherThread { home.verify("a DisposeBag") }
    // A member that is disposed may add others.
    while let member = members.popLast() { member.dispose() }
  }

  /// Disposes of the members that have not ended: what an ended binding has on its way elsewhere still arrives.
  func disposeOfTheRest() {
    while let member = members.popLast() { if !member.isDisposed { member.dispose() } }
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

extension DisposeBag: EndNotifying {
  @usableFromInline package var hasEnded: Bool { members.allSatisfy(EndWatch.hasEnded) }

  @usableFromInline
  package func watch() {
    isWatched = true
    members.forEach(EndWatch.watch)
  }
}

@available(*, unavailable)
extension DisposeBag: Sendable {}

extension Disposable {
  /// Puts it in `bag`, which disposes of it at the latest when the bag itself goes.
  public func dispose(in bag: DisposeBag, isolation: (any Actor)? = #isolation) { bag.add(self, isolation: isolation) }

  /// Adds it to `composite`, which disposes it with its other members; at once if the composite is disposed.
  public func dispose(in composite: CompositeDisposable) { composite.add(self) }
}
