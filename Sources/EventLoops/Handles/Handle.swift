import CUV
import Callbacks
public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The base class of all libuv handles: it manages their memory, their closing, and the loop that they belong to.
///
/// From a successful init until the close callback, libuv owns the memory and retains this object, so releasing a
/// handle does not close it. To close it, call `dispose()`, put it into a bag, or shut down the loop. Connections are
/// the exception: one that nothing retains closes by itself.
///
/// Ownership: libuv ===> Handle (until the close callback), Handle ===> Loop, Loop ~~~> Handle (a list).
public class Handle: Disposable {
  /// The loop of the handle.
  public let loop: Loop
  let raw: UnsafeMutablePointer<uv_handle_t>
  private var whenClosed: [() -> Void] = []
  @exclusivity(unchecked) private var hasClosed = false
  // Not read from libuv, because only the loop's thread may read the handle's memory.
  @exclusivity(unchecked) private var isClosing = false
  // Valid as long as the handles are in the list, because libuv retains them.
  unowned(unsafe) var nextHandle: Handle?
  private unowned(unsafe) var previousHandle: Handle?
  #if DEBUG
  private let token = LiveResources.register("handle")
  #endif

  /// Runs a callback. A test that looks for leaks counts what it makes with the handle.
  final func observing(_ body: () -> Void) {
    #if DEBUG
    if let token { token.counting(body) } else { body() }
    #else
    body()
    #endif
  }

  /// Allocates memory for a `Raw` and calls `initialize` to make it a handle of `loop`.
  init<Raw>(
    _ loop: Loop, _ type: Raw.Type, _ call: String,
    _ initialize: (UnsafeMutablePointer<uv_loop_t>, UnsafeMutablePointer<Raw>) -> Int32
  ) throws(UVError) {
    loop.check()
    self.loop = loop
    // Swift's allocation aligns at run time, which costs some 50 bytes more for each handle.
    guard let memory = calloc(1, MemoryLayout<Raw>.size) else { throw UVError(code: UV_ENOMEM.rawValue, call: call) }
    raw = memory.assumingMemoryBound(to: uv_handle_t.self)
    let status = initialize(loop.uv, memory.assumingMemoryBound(to: Raw.self))
    guard status >= 0 else {
      free(memory)
      throw UVError(code: status, call: call)
    }
    raw.pointee.data = UntilClosed<Handle>.lend(self)
    nextHandle = loop.firstHandle
    nextHandle?.previousHandle = self
    loop.firstHandle = self
    loop.handlesWanted += 1
  }

  /// The memory as a pointer to its actual type.
  func pointer<Raw>(_ type: Raw.Type) -> UnsafeMutablePointer<Raw> {
    UnsafeMutableRawPointer(raw).assumingMemoryBound(to: type)
  }

  /// True once closing has begun.
  public final var isDisposed: Bool { isClosing }

  /// Stops and closes the handle. Its callbacks are not called again. libuv releases the memory in a later loop
  /// iteration. Idempotent.
  public func dispose() {
    if isClosing { return }
    loop.check()
    isClosing = true
    close { UntilClosed<Handle>.take($0!.pointee.data).didClose() }
  }

  /// Closes the handle. Subclasses that close in another way override it.
  func close(_ callback: uv_close_cb) { uv_close(raw, callback) }

  /// Calls `body` when the handle's memory has been freed; at once if it has been freed already.
  public final func onClosed(_ body: @escaping () -> Void) {
    if hasClosed { return body() }
    loop.check()
    whenClosed.append(body)
  }

  /// Whether the handle keeps `Loop.run()` from returning. True by default.
  public final var keepsLoopAlive: Bool {
    get {
      if hasClosed { return false }
      loop.check()
      return uv_has_ref(raw) != 0
    }
    set {
      if isDisposed { return }
      loop.check()
      if newValue { uv_ref(raw) } else { uv_unref(raw) }
    }
  }

  /// Called before the memory is freed. Subclasses override it to release what they retain until the handle has closed.
  func willFree() {}

  /// True if the package watches with this handle for its own purposes.
  private(set) final var isInternal = false

  final func markInternal() {
    isInternal = true
    loop.handlesWanted -= 1
  }

  /// The kind of the handle and its descriptor, for `describeWhatKeepsItAlive()`.
  var summary: String {
    var descriptor: uv_os_fd_t = -1
    let kind = "\(type(of: self))"
    if uv_fileno(raw, &descriptor) != 0 { return kind }
    // The target of the descriptor, such as `socket:[…]`, `anon_inode:inotify`, or a path. Only Linux reports it.
    let target = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
      let count = readlink("/proc/self/fd/\(descriptor)", buffer.baseAddress!, buffer.count)
      let path = buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }
      return path.isEmpty ? "" : " (\(String(decoding: path, as: UTF8.self)))"
    }
    return "\(kind), descriptor \(descriptor)\(target)"
  }

  /// True if the handle keeps the loop alive at the moment.
  var holdsLoop: Bool { uv_is_active(raw) != 0 && uv_has_ref(raw) != 0 }

  /// False while the handle is in use without a reference to it. Subclasses override it.
  var isUnused: Bool { true }

  /// Ends a handle that is unused and that nothing retains.
  func endUnused() { dispose() }

  /// Called when nothing retains a handle that is in use.
  func wasAbandoned() {}

  /// Called when something retains a handle that is unused.
  func wasKept() {}

  private func didClose() {
    hasClosed = true
    if let previousHandle { previousHandle.nextHandle = nextHandle } else { loop.firstHandle = nextHandle }
    nextHandle?.previousHandle = previousHandle
    willFree()
    free(raw)
    let callbacks = whenClosed
    whenClosed = []
    for callback in callbacks { callback() }
  }
}

extension Handle: SelfRetaining {
  package static func disposeIfUnused(_ object: Unmanaged<AnyObject>) -> Bool {
    let (raw, isHere) = object._withUnsafeGuaranteedRef { object in
      let handle = unsafeDowncast(object, to: Handle.self)
      return (handle.raw, handle.loop.mailbox.isOnThread)
    }
    // Off its thread, the only remaining loop is one that has been shut down, and it has closed its handles.
    return !isHere || disposeIfUnused(raw)
  }

  /// Disposes the handle in the next loop iteration if it is unused then, after the callers have released it.
  final func disposeLaterIfUnused() {
    // Sendable: the reference is used on the loop's thread only, in the job or, if the job is refused, here.
    nonisolated(unsafe) let handle = Unmanaged.passRetained(self)
    let isPosted = loop.mailbox.post {
      let raw = handle._withUnsafeGuaranteedRef { $0.isDisposed ? nil : $0.raw }
      handle.release()
      if let raw { Handle.disposeIfUnused(raw) }
    }
    if !isPosted { handle.release() }
  }

  /// Disposes a handle whose memory has not been freed if it is unused. The caller has no reference to the handle.
  @inline(never) @discardableResult
  static func disposeIfUnused(_ raw: UnsafeMutablePointer<uv_handle_t>) -> Bool {
    // libuv's own reference. It is the only one if nothing else retains the handle.
    var handle = UntilClosed<Handle>.take(raw.pointee.data)
    let isAlone = isKnownUniquelyReferenced(&handle)
    raw.pointee.data = UntilClosed<Handle>.lend(handle)
    switch (isAlone, handle.isUnused) {
    case (true, true): handle.endUnused()
    case (true, false): handle.wasAbandoned()
    case (false, true): handle.wasKept()
    case (false, false): break
    }
    return isAlone
  }
}

@available(*, unavailable)
extension Handle: Sendable {}
