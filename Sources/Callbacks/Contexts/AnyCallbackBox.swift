import Streams
public import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The threads that can call a box, and whether their calls exclude each other.
@usableFromInline
enum CallingThreads: Sendable {
  /// Only the thread that created the box: a loop's thread, the main thread, or the thread that is inside a C function.
  case one
  /// Any thread, one call at a time.
  case oneAtATime
  /// Any threads simultaneously. The handler is `@Sendable`.
  case any
}

/// The closure or object of a context, with the state that keeps it alive during a call.
@usableFromInline
class AnyCallbackBox {
  @usableFromInline final let threads: CallingThreads
  /// The number of running calls on the one thread.
  @exclusivity(unchecked) @usableFromInline final var depth = 0
  /// True if the box was closed inside a call. It is released when the outermost call returns.
  @exclusivity(unchecked) @usableFromInline final var isClosing = false
  /// The thread of the running call, or 0. For `oneAtATime`.
  @usableFromInline final let owner = Atomic<UInt>(0)
  /// The mailbox of the one thread, if it has one.
  final let home: (any Mailbox)?
  final let isOnMainThread: Bool
  /// The end of the one thread, if it has a home.
  final let thread: HomeThread.End?
  /// Runs once after C has given the box back and the last call has returned.
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

  /// The rule for a box that belongs to the caller's domain: only its thread if a loop or the main actor owns that, otherwise
  /// one call at a time, because an actor runs on any thread.
  @usableFromInline static var confined: CallingThreads {
    HomeThread.mailbox != nil || HomeThread.isMain ? .one : .oneAtATime
  }
}

/// An ID of the calling thread.
@usableFromInline
func currentThread() -> UInt {
  #if canImport(Darwin)
  UInt(bitPattern: pthread_self())
  #else
  pthread_self()
  #endif
}
