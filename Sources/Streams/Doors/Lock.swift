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
/// A `Value` that is a closure belongs into a struct: without optimization, Swift wraps a bare one once more at each access.
///
/// It is a pthread mutex and not `Synchronization.Mutex` because ThreadSanitizer understands only the former and would
/// report races that are none in every program that uses this package; the two cost the same when uncontended.
public final class Lock<Value>: @unchecked Sendable {
  // Sendable: the value is reached under the mutex alone.
  @usableFromInline let value: UnsafeMutablePointer<Value>
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  /// Makes a lock around `value`.
  public init(_ value: sending Value) {
    // One block, and not stored properties: the value could share its address with another (Void has no size), which
    // ThreadSanitizer takes for a race.
    let offset = max(MemoryLayout<pthread_mutex_t>.stride, MemoryLayout<Value>.alignment)
    let alignment = max(MemoryLayout<pthread_mutex_t>.alignment, MemoryLayout<Value>.alignment)
    let block = UnsafeMutableRawPointer.allocate(
      byteCount: (offset + alignment - 1) / alignment * alignment + MemoryLayout<Value>.stride, alignment: alignment)
    mutex = block.bindMemory(to: pthread_mutex_t.self, capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    self.value = (block + (offset + alignment - 1) / alignment * alignment).bindMemory(to: Value.self, capacity: 1)
    self.value.initialize(to: value)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    value.deinitialize(count: 1)
    UnsafeMutableRawPointer(mutex).deallocate()
  }

  /// Runs `body` with the value while no other thread does. Not recursive.
  @inlinable
  public func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body(&value.pointee)
  }

  @usableFromInline func lock() { pthread_mutex_lock(mutex) }

  @usableFromInline func unlock() { pthread_mutex_unlock(mutex) }
}
