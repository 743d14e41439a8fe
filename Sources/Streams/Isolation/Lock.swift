import CStreams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A mutex around a value.
///
/// ```swift
/// let count = Lock(0)
/// DispatchQueue.concurrentPerform(iterations: 4) { _ in count.withLock { $0 += 1 } }
/// print(count.withLock { $0 })  // 4
/// ```
///
/// Decide under the lock, and act outside: run no code of the user, dispose nothing, and release no value of the user under it.
///
/// If `Value` is a closure, put it into a struct: without optimization, Swift wraps a bare closure again at each access.
///
/// It is a pthread mutex and not a `Synchronization.Mutex`, because ThreadSanitizer does not support the latter and would report
/// false races in every program that uses this package. Without contention both take the same time.
public final class Lock<Value>: @unchecked Sendable {
  // Sendable: the value is used only under the mutex.
  @usableFromInline let value: UnsafeMutablePointer<Value>
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  /// Creates a lock around `value`.
  public init(_ value: sending Value) {
    // One block instead of stored properties: a value without a size, such as Void, could share its address with another, which
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

  /// Runs `body` with exclusive access to the value. Not recursive.
  @inlinable
  public func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body(&value.pointee)
  }

  @usableFromInline func lock() {
    #if DEBUG
    headwater_pass(mutex, HEADWATER_LOCKS)
    #endif
    pthread_mutex_lock(mutex)
  }

  @usableFromInline func unlock() {
    pthread_mutex_unlock(mutex)
    #if DEBUG
    headwater_pass(mutex, HEADWATER_UNLOCKED)
    #endif
  }
}
