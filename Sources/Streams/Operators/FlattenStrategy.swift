/// The strategy that flattens a stream of streams into one stream.
///
/// ```swift
/// let words = PushStream<String>()
/// words.flatMap(.latest) { word in Stream.timer(word, after: .milliseconds(300)) }
///   .observeNext { print("searching", $0) }
///   .dispose(in: bag)
/// ```
@frozen
public struct FlattenStrategy: Sendable, Hashable {
  /// The maximum number of inner streams that run at the same time.
  @usableFromInline let limit: Int
  /// True if a new inner stream disposes the previous one.
  @usableFromInline let replaces: Bool
  /// True if elements are dropped while the limit is reached.
  @usableFromInline let drops: Bool
  /// True if the first inner stream that sends an event disposes the others.
  @usableFromInline let races: Bool

  @inlinable
  init(limit: Int, replaces: Bool = false, drops: Bool = false, races: Bool = false) {
    self.limit = limit
    self.replaces = replaces
    self.drops = drops
    self.races = races
  }

  /// Runs all inner streams at the same time.
  @inlinable
  public static var merge: FlattenStrategy { FlattenStrategy(limit: .max) }

  /// Runs one inner stream at a time, each after the completion of the previous one. The outer stream is paused at
  /// `Watermarks.standard` pending elements.
  @inlinable
  public static var concat: FlattenStrategy { FlattenStrategy(limit: 1) }

  /// Runs the latest inner stream, and disposes the previous one first.
  @inlinable
  public static var latest: FlattenStrategy { FlattenStrategy(limit: 1, replaces: true) }

  /// Runs one inner stream at a time, and drops the elements that the outer stream emits while it runs.
  @inlinable
  public static var throttle: FlattenStrategy { FlattenStrategy(limit: 1, drops: true) }

  /// Runs all inner streams until one of them sends an event. The other inner streams and the outer stream are then disposed.
  @inlinable
  public static var race: FlattenStrategy { FlattenStrategy(limit: .max, races: true) }

  /// Runs up to `limit` inner streams at the same time. The outer stream is paused at `Watermarks.standard` pending elements. Traps
  /// unless `limit` is at least 1.
  @inlinable
  public static func concurrent(limit: Int) -> FlattenStrategy {
    if limit < 1 { misuse("concurrent(limit: \(limit)): at least one inner stream has to run.") }
    return FlattenStrategy(limit: limit)
  }
}
