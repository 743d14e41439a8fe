/// A disposable that disposes its members.
///
/// ```swift
/// let both = CompositeDisposable()
/// both += Stream.interval(.seconds(1)).observeNext { print($0) }
/// both += Stream.interval(.seconds(2)).observeNext { print($0) }
/// both.dispose()
/// ```
///
/// Members that have ended by themselves are dropped when others are added, so a long-lived composite does not grow. Disposing
/// disposes the members in the order in which they were added. A member that is added later is disposed immediately.
public final class CompositeDisposable: Disposable {
  private var members: [(key: Int, disposable: any Disposable)] = []
  private var nextKey = 0
  private var pruneAt = 16
  private var isPaused = false
  private var isWatched = false
  /// True after `dispose()`.
  public private(set) var isDisposed = false

  /// Creates a composite with `disposables`.
  public init(_ disposables: [any Disposable] = []) {
    for disposable in disposables { add(disposable) }
  }

  /// The number of members. Some of them may have ended.
  public var count: Int { members.count }

  /// Adds a member, and returns a disposable that removes it without disposing it.
  ///
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func add(_ disposable: any Disposable) -> any Disposable {
    if isDisposed {
      disposable.dispose()
      return .none
    }
    if isPaused { disposable.pause() }
    if members.count >= pruneAt { prune() }
    let key = nextKey
    nextKey += 1
    members.append((key, disposable))
    if isWatched { EndWatch.watch(disposable) }
    return BlockDisposable { [weak self] in self?.remove(key) }
  }

  /// Adds a member.
  public static func += (composite: CompositeDisposable, disposable: any Disposable) { composite.add(disposable) }

  private func prune() {
    // Released last, because a deinit can run any code.
    let old = members
    withExtendedLifetime(old) {
      members = old.filter { !$0.disposable.isDisposed }
      pruneAt = max(16, members.count * 2)
    }
  }

  private func remove(_ key: Int) {
    // Binary search, because the keys ascend.
    var low = 0
    var high = members.count
    while low < high {
      let middle = (low + high) / 2
      if members[middle].key < key { low = middle + 1 } else { high = middle }
    }
    if low < members.count, members[low].key == key { members.remove(at: low) }
    // The removed member continues, but is no longer waited for.
    if isWatched { EndWatch.somethingEnded() }
  }

  /// Disposes all members.
  public func dispose() {
    isDisposed = true
    let old = members
    members = []
    for member in old { member.disposable.dispose() }
  }

  /// Pauses all members, including those that are added later.
  public func pause() {
    isPaused = true
    for member in members { member.disposable.pause() }
  }

  /// Resumes all members.
  public func resume() {
    isPaused = false
    for member in members { member.disposable.resume() }
  }
}

extension CompositeDisposable: EndNotifying {
  @usableFromInline package var hasEnded: Bool { members.allSatisfy { EndWatch.hasEnded($0.disposable) } }

  @usableFromInline
  package func watch() {
    isWatched = true
    for member in members { EndWatch.watch(member.disposable) }
  }
}

@available(*, unavailable)
extension CompositeDisposable: Sendable {}
