#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The one lock of the package: a mutex around a value.
///
/// ```swift
/// let count = Lock(0)
/// DispatchQueue.concurrentPerform(iterations: 4) { _ in count.withLock { $0 += 1 } }
/// print(count.withLock { $0 })  // 4
/// ```
///
/// Only what crosses threads holds one: `Inlet`, `Confined`, mailboxes, the AsyncSequence bridge. Decide inside, act
/// outside: no user code, no disposal and no release of user values under the lock.
///
/// It is a pthread mutex and not `Synchronization.Mutex` because ThreadSanitizer understands only the former and would
/// report races that are none in every program that uses this package; the two cost the same when uncontended.
public final class Lock<Value>: @unchecked Sendable {
  // In memory of its own: as a stored property the value could share its address with another (Void has no size), which
  // ThreadSanitizer takes for a race.
  private struct Storage {
    var mutex = pthread_mutex_t()
    var value: Value
  }

  // Sendable: the value is reached under the mutex alone.
  private let storage: UnsafeMutablePointer<Storage>

  private var mutex: UnsafeMutablePointer<pthread_mutex_t> {
    UnsafeMutableRawPointer(storage).assumingMemoryBound(to: pthread_mutex_t.self)
  }

  /// Makes a lock around `value`.
  public init(_ value: sending Value) {
    storage = .allocate(capacity: 1)
    storage.initialize(to: Storage(value: value))
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    storage.deinitialize(count: 1)
    storage.deallocate()
  }

  /// Runs `body` with the value while no other thread does. Not recursive.
  public func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&storage.pointee.value)
  }
}
