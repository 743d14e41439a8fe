import CStreams
import Streams
import Synchronization

/// A fixed number of C functions for a library whose callbacks get no context. Each function has a fixed index. (C7.)
///
/// ```swift
/// enum Lines {
///   typealias Handler = @convention(c) (UnsafeMutablePointer<CChar>?) -> Void
///   static let pool: CallbackPool<Handler> = CallbackPool([
///     { LentCallback<String?, Void>.call(pool[0], String(taking: $0)) },
///     { LentCallback<String?, Void>.call(pool[1], String(taking: $0)) },
///   ])
/// }
///
/// let claim = try Lines.pool.claim(callback.context)
/// install_handler(claim.function)
/// …
/// claim.release()
/// ```
///
/// Write the functions as literals: a C function pointer cannot capture, so each names its own index. A pool works with every
/// adapter; the adapter decides which thread can call and when the callback ends. For a library that accepts only one
/// callback, use a pool of one function: a second `claim` then throws.
public final class CallbackPool<Function>: Sendable {
  private let functions: @Sendable (Int) -> Function
  private let contexts: Contexts
  private let free: Lock<[Int]>

  /// The number of functions.
  public let capacity: Int

  /// Creates a pool of `functions`. The function at index *n* reads its context from `self[n]`.
  public init(_ functions: [Function]) {
    capacity = functions.count
    // C function pointers are plain addresses.
    nonisolated(unsafe) let functions = functions
    self.functions = { functions[$0] }
    contexts = Contexts(functions.count)
    free = Lock(functions.indices.reversed())
  }

  /// The number of functions that can be claimed.
  public var available: Int { free.withLock { $0.count } }

  /// The context with which the function at `index` was claimed. If it is not claimed, the context is one that has ended, so
  /// the call is dropped and counted.
  public subscript(_ index: Int) -> UnsafeMutableRawPointer? {
    UnsafeMutableRawPointer(bitPattern: contexts[index].load(ordering: .acquiring))
  }

  /// Reserves a function that calls with `context`. Throws if all functions are in use.
  public func claim(_ context: UnsafeMutableRawPointer) throws(CallbackPoolExhausted) -> Claim {
    guard let index = free.withLock({ $0.popLast() }) else { throw CallbackPoolExhausted(capacity: capacity) }
    contexts[index].store(UInt(bitPattern: context), ordering: .releasing)
    return Claim(self, index)
  }

  private func release(_ index: Int) {
    contexts[index].store(Contexts.none, ordering: .releasing)
    free.withLock { $0.append(index) }
  }

  /// A reserved function of a pool. It is released by `release()`, or when this object is deallocated.
  public final class Claim: Sendable {
    private let pool: CallbackPool
    private let index: Int
    private let isReleased = Atomic<Bool>(false)

    fileprivate init(_ pool: CallbackPool, _ index: Int) {
      self.pool = pool
      self.index = index
    }

    deinit { release() }

    /// The function to pass to C.
    public var function: Function { pool.functions(index) }

    /// Returns the function to the pool. Call it after C has released the function. A second call does nothing.
    public func release() {
      #if DEBUG
      headwater_pass(Unmanaged.passUnretained(self).toOpaque(), HEADWATER_ACCESSES)
      #endif
      if !isReleased.exchange(true, ordering: .acquiringAndReleasing) { pool.release(index) }
    }
  }
}

/// The error of `claim` if all functions of a `CallbackPool` are in use.
public struct CallbackPoolExhausted: Error, Hashable, CustomStringConvertible {
  /// The number of functions in the pool.
  public let capacity: Int

  /// Creates the error of a pool with `capacity` functions.
  public init(capacity: Int) { self.capacity = capacity }

  /// A description of the error and of its fix.
  public var description: String {
    """
    All \(capacity) functions of the callback pool are in use. Release a claim, or add literals to the pool if the \
    library can have more callbacks.
    """
  }
}

/// One atomic context for each function of a pool.
private final class Contexts: @unchecked Sendable {
  // Sendable: the pointer never changes, and the memory holds atomics.
  private let memory: UnsafeMutablePointer<Atomic<UInt>>
  private let count: Int

  /// A context with an index that no slot has.
  static var none: UInt { CallbackSlot.lastGeneration << 32 | 0xffff_ffff }

  init(_ count: Int) {
    self.count = count
    memory = .allocate(capacity: count)
    for index in 0..<count { (memory + index).initialize(to: Atomic(Self.none)) }
  }

  deinit {
    memory.deinitialize(count: count)
    memory.deallocate()
  }

  subscript(_ index: Int) -> Atomic<UInt> {
    _read {
      precondition(index >= 0 && index < count, "This callback pool has \(count) functions, and none at \(index).")
      #if DEBUG
      headwater_pass(memory + index, HEADWATER_ACCESSES)
      #endif
      yield memory[index]
    }
  }
}
