/// How a stream of streams becomes one stream.
///
/// ```swift
/// let words = PushStream<String>()
/// words.flatMap(.latest) { word in Stream.timer(word, after: .milliseconds(300)) }
///   .observeNext { print("searching", $0) }
///   .dispose(in: bag)
/// ```
@frozen
public struct FlattenStrategy: Sendable, Hashable {
  /// How many inner streams run at the same time.
  @usableFromInline let limit: Int
  /// A new inner stream ends the one before.
  @usableFromInline let replaces: Bool
  /// What comes while the limit is reached is dropped.
  @usableFromInline let drops: Bool
  /// The first inner stream that sends anything is the only one from then on.
  @usableFromInline let races: Bool

  @inlinable
  init(limit: Int, replaces: Bool = false, drops: Bool = false, races: Bool = false) {
    self.limit = limit
    self.replaces = replaces
    self.drops = drops
    self.races = races
  }

  /// All inner streams at the same time; their elements as they come.
  @inlinable
  public static var merge: FlattenStrategy { FlattenStrategy(limit: .max) }

  /// One inner stream after the other, each when the one before has completed. Those whose turn has not come wait, up to
  /// `BacklogBound.concat`, where the outer stream is paused.
  @inlinable
  public static var concat: FlattenStrategy { FlattenStrategy(limit: 1) }

  /// The newest inner stream; the one before is disposed first.
  @inlinable
  public static var latest: FlattenStrategy { FlattenStrategy(limit: 1, replaces: true) }

  /// One inner stream at a time; what the outer stream emits while it runs is dropped.
  @inlinable
  public static var throttle: FlattenStrategy { FlattenStrategy(limit: 1, drops: true) }

  /// All inner streams until one of them sends anything, an element or its end; from then on that one alone. The others
  /// and the outer stream are disposed of at that moment.
  @inlinable
  public static var race: FlattenStrategy { FlattenStrategy(limit: .max, races: true) }

  /// At most `limit` inner streams at the same time; others wait as in `concat`. `limit` is at least 1.
  @inlinable
  public static func concurrent(limit: Int) -> FlattenStrategy {
    if limit < 1 { misuse("concurrent(limit: \(limit)): at least one inner stream has to run.") }
    return FlattenStrategy(limit: limit)
  }
}
