#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The recording of what a program's streams do, in a program that is built with the trait `Tracing`.
///
/// ```swift
/// try Tracing.start(writingTo: "trace.json")
/// Stream.just("recorded").observeNext { print($0) }.dispose(in: bag)
/// Tracing.stop()
/// ```
///
/// A dependency gets the trait with `.package(…, traits: ["Tracing"])`. Such a program records if it runs with `HEADWATER_TRACE=trace.json`, and between `start` and `stop`. The file holds the newest 64 MB,
/// or as many megabytes as `HEADWATER_TRACE_LIMIT` says, in Chrome's trace format. It is complete at any time, also after a crash.
/// `swift package view-trace trace.json` makes a picture of it.
///
/// Recorded are subscriptions with their chain and place; elements and ends at observers, at hot streams, and at `lane(_:)`; pauses;
/// jobs that cross between domains; iterations of loops; timers; C callbacks, also those that came too late; calls of delegate proxies;
/// and tasks that wait in `values()`. Elements are recorded with their `description`.
///
/// - Complexity: Without the trait, nothing. With it, a load and a branch for each element while nothing is recorded. A recorded event
///   takes about 5 µs and a lock that all threads share.
public enum Tracing {
  /// True while the program is recorded.
  public static var isOn: Bool {
    #if Tracing
    Trace.isOn
    #else
    false
    #endif
  }

  /// Starts a recording to a file, or to a reader: `unix:` and the path of a socket on which a program such as `stream-top` listens.
  ///
  /// A recording that runs ends. Subscriptions that are open already appear when their next element comes. Throws if the program is built
  /// without the trait `Tracing`, and if the target cannot be opened.
  public static func start(writingTo target: String) throws(TracingError) {
    #if Tracing
    try Trace.start(target)
    #else
    throw missingTrait
    #endif
  }

  #if !Tracing
  private static let missingTrait = TracingError(
    """
    This program cannot be recorded, because it is built without the trait Tracing of the package headwater. Add it to the \
    dependency: .package(…, traits: ["Tracing"]).
    """)
  #endif

  /// Reports that `HEADWATER_TRACE` asks for a recording and there cannot be one. Called once, by the main loop.
  package static func reportIfImpossible() {
    #if !Tracing
    if getenv("HEADWATER_TRACE") != nil { Diagnostics.report("HEADWATER_TRACE: \(missingTrait)") }
    #endif
  }

  /// Ends the recording and closes its file.
  public static func stop() {
    #if Tracing
    Trace.stop()
    #endif
  }

  /// Describes the subscriptions that are open: where each was observed, for how long it has been open, how many elements its observer has
  /// received, whether it is paused, and its chain from the observer to the source. One paragraph for each place and chain. Then it says where
  /// elements wait, and what tasks wait for.
  ///
  /// For debugging; the text is not stable. Only recorded subscriptions are known.
  public static func describeOpenSubscriptions() -> String {
    #if Tracing
    if Trace.isOn { return Trace.describeOpenSubscriptions() }
    return "Nothing is recorded: run the program with HEADWATER_TRACE, or call Tracing.start(writingTo:)."
    #else
    return """
      Open subscriptions are unknown, because the program is built without the trait Tracing of the package headwater.
      """
    #endif
  }
}

/// The reason for which a recording cannot start.
///
/// ```swift
/// do {
///   try Tracing.start(writingTo: "trace.json")
/// } catch {
///   print(error.description)
/// }
/// ```
public struct TracingError: Error, CustomStringConvertible, Sendable {
  /// What is wrong, and what to do.
  public let description: String

  init(_ description: String) { self.description = description }
}
