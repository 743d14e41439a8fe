/// A container that ties subscriptions and handles to their owner. It disposes its members when it is deallocated.
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
/// Members are disposed in reverse order, the newest first. Members that have ended by themselves are dropped. After `dispose()`
/// the bag is empty and can be used again. So a bag that is a member of another bag counts as ended only if nothing else
/// retains it.
///
/// A bag is confined to the domain that adds the first member, its *home*. The last reference to the bag can be released on any
/// thread. In the home domain, the members are disposed immediately; from another thread, they are sent to the home domain and
/// disposed there. After the home has closed, they are disposed on the thread that releases the bag, one bag at a time. The
/// members of a bag in an actor without a loop are always sent to the actor. A bag without a home, on a thread that neither a
/// loop nor the main actor owns, disposes immediately.
public final class DisposeBag: Disposable {
  private var members: [any Disposable] = []
  private var pruneAt = 16
  private var home = Home.unset
  private var isWatched = false

  /// Creates an empty bag. The first `add` determines its home.
  public init() {}

  /// Adds a member.
  ///
  /// - Complexity: Amortized O(1).
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
    // Released last, because a deinit can run any code.
    withExtendedLifetime(dropped) {}
  }

  /// Returns whether a member has ended. An empty bag can be used again through another reference, so it has not.
  private static func hasEnded(_ member: inout any Disposable) -> Bool {
    if !member.isDisposed { return false }
    guard var bag = member as? DisposeBag else { return true }
    member = .none
    defer { member = bag }
    return isKnownUniquelyReferenced(&bag)
  }

  /// True if all members have ended.
  public var isDisposed: Bool { members.allSatisfy { $0.isDisposed } }

  /// Disposes all members, the newest first. The bag can be used again.
  public func dispose() {
    if home.isOtherThread { home.verify("a DisposeBag") }
    // Disposing a member can add others.
    while let member = members.popLast() { member.dispose() }
  }

  /// Disposes the members that have not ended. The pending elements of a binding that has ended are still delivered.
  func disposeOfTheRest() {
    while let member = members.popLast() { if !member.isDisposed { member.dispose() } }
  }

  /// Pauses all members.
  public func pause() { for member in members { member.pause() } }

  /// Resumes all members.
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
  /// Adds this disposable to `bag`, which disposes it when the bag is disposed or deallocated.
  public func dispose(in bag: DisposeBag, isolation: (any Actor)? = #isolation) { bag.add(self, isolation: isolation) }

  /// Adds this disposable to `composite`, which disposes it with its other members, or immediately if the composite is
  /// already disposed.
  public func dispose(in composite: CompositeDisposable) { composite.add(self) }
}
