import Streams
public import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Who may call a box, and how two calls at once are kept apart.
@usableFromInline
enum CallingThreads: Sendable {
  /// The thread that made it: a loop's, the main thread, or the one that is inside of a C function now. Costs nothing.
  case one
  /// Any, one after the other: whoever uses the library's object at the time.
  case oneAtATime
  /// Any, at once. The handler is `@Sendable`.
  case any
}

/// What stands behind a context: a closure or an object, and what keeps it alive while C is in it.
@usableFromInline
class AnyCallbackBox {
  @usableFromInline final let threads: CallingThreads
  /// How many calls of the one thread are on its stack.
  @exclusivity(unchecked) @usableFromInline final var depth = 0
  /// Closed from inside a call: it goes when the outermost one returns.
  @exclusivity(unchecked) @usableFromInline final var isClosing = false
  /// The thread that is in it; 0 for none. For `oneAtATime`.
  @usableFromInline final let owner = Atomic<UInt>(0)
  /// Where the one thread takes jobs, if it does.
  final let home: (any Mailbox)?
  final let isOnMainThread: Bool
  /// The one thread, if it has a home.
  final let thread: HomeThread.End?
  /// Runs once, after the last call, when C has given the box back.
  final let onEnd: (() -> Void)?
  #if DEBUG
  private let token: LiveResources.Token?
  #endif

  @usableFromInline
  init(_ threads: CallingThreads, isCounted: Bool = true, onEnd: (() -> Void)? = nil) {
    self.threads = threads
    home = threads == .one ? HomeThread.mailbox : nil
    isOnMainThread = HomeThread.isMain
    thread = home == nil ? nil : HomeThread.end
    self.onEnd = onEnd
    #if DEBUG
    token = isCounted ? LiveResources.register("callback") : nil
    #endif
  }

  /// For what belongs to the caller's domain: its thread where a loop or the main actor owns that, otherwise whoever uses
  /// the library's object at the time (an actor has no thread of its own).
  @usableFromInline static var confined: CallingThreads {
    HomeThread.mailbox != nil || HomeThread.isMain ? .one : .oneAtATime
  }
}

/// What tells threads apart.
@usableFromInline
func currentThread() -> UInt {
  #if canImport(Darwin)
  UInt(bitPattern: pthread_self())
  #else
  pthread_self()
  #endif
}
