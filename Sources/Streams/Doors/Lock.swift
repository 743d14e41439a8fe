#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The one lock of the package: a mutex around a value.
///
/// Only what crosses threads holds one: `Inlet`, `Confined`, mailboxes, the AsyncSequence bridge. Decide inside, act
/// outside: no user code, no disposal and no release of user values under the lock.
///
/// It is a pthread mutex and not `Synchronization.Mutex` because ThreadSanitizer understands only the former and would
/// report races that are none in every program that uses this package; the two cost the same when uncontended.
public final class Lock<Value>: @unchecked Sendable {
  // Sendable: the value is reached under the mutex alone.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @exclusivity(unchecked) private var value: Value

  /// Makes a lock around `value`.
  public init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` with the value while no other thread does. Not recursive.
  public func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
