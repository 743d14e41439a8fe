import Streams
import Synchronization

/// The contexts of a library whose callbacks get none: a fixed number of C functions, each of which knows its own place.
/// (C7.)
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
/// The functions are literals: a C function pointer captures nothing, so each names its own index. A pool combines with
/// every kind of callback; that says who may call and when it ends. Where a library has room for one callback only, a pool
/// of one says so to the second who wants it.
public final class CallbackPool<Function>: Sendable {
  private let functions: @Sendable (Int) -> Function
  private let contexts: Contexts
  private let free: Lock<[Int]>

  /// The number of functions.
  public let capacity: Int

  /// Makes a pool of `functions`; the one at index *n* asks for `self[n]`.
  public init(_ functions: [Function]) {
    capacity = functions.count
    // C function pointers are plain addresses.
    nonisolated(unsafe) let functions = functions
    self.functions = { functions[$0] }
    contexts = Contexts(functions.count)
    free = Lock(functions.indices.reversed())
  }

  /// The number of functions that nobody uses.
  public var available: Int { free.withLock { $0.count } }

  /// The context for the function at `index`: that of whoever claimed it last. Where nobody has, or has let go of it, it is
  /// one that has ended: the call is dropped and counted.
  public subscript(_ index: Int) -> UnsafeMutableRawPointer? {
    UnsafeMutableRawPointer(bitPattern: contexts[index].load(ordering: .acquiring))
  }

  /// Takes a function that nobody uses and has it call with `context`.
  public func claim(_ context: UnsafeMutableRawPointer) throws(CallbackPoolExhausted) -> Claim {
    guard let index = free.withLock({ $0.popLast() }) else { throw CallbackPoolExhausted(capacity: capacity) }
    contexts[index].store(UInt(bitPattern: context), ordering: .releasing)
    return Claim(self, index)
  }

  private func release(_ index: Int) {
    contexts[index].store(Contexts.none, ordering: .releasing)
    free.withLock { $0.append(index) }
  }

  /// A function of the pool that is somebody's until `release()`, or until the last reference to this object goes.
  public final class Claim: Sendable {
    private let pool: CallbackPool
    private let index: Int
    private let isReleased = Atomic<Bool>(false)

    fileprivate init(_ pool: CallbackPool, _ index: Int) {
      self.pool = pool
      self.index = index
    }

    deinit { release() }

    /// The function to hand to C.
    public var function: Function { pool.functions(index) }

    /// Gives the function back to the pool: after C has let go of it. A second time it does nothing.
    public func release() {
      if !isReleased.exchange(true, ordering: .acquiringAndReleasing) { pool.release(index) }
    }
  }
}

/// All functions of a `CallbackPool` are in use.
public struct CallbackPoolExhausted: Error, Hashable, CustomStringConvertible {
  /// The number of functions in the pool.
  public let capacity: Int

  /// Makes the error of a pool with `capacity` functions.
  public init(capacity: Int) { self.capacity = capacity }

  /// Says what to do.
  public var description: String {
    """
    All \(capacity) functions of the callback pool are in use. Release a claim, or add literals to the pool if the \
    library can have more callbacks.
    """
  }
}

/// One atomic context for each function of a pool.
private final class Contexts: @unchecked Sendable {
  // Sendable: the memory is constant, what is in it atomic.
  private let memory: UnsafeMutablePointer<Atomic<UInt>>
  private let count: Int

  /// An index that no slot has.
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
      yield memory[index]
    }
  }
}
