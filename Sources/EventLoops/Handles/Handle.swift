import CUV
import Callbacks
public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What all handles of libuv have in common: memory, closing, and the loop they belong to.
///
/// The memory belongs to libuv from a successful init until the close callback, and so does a reference to this object:
/// releasing a handle does not close it. `dispose()` does, or the bag it is in, or the loop's shutdown. (A connection that
/// nothing retains closes by itself, see `ByteStreamHandle`.)
///
/// Ownership: libuv ===> Handle (until the close callback), Handle ===> Loop, Loop ~~~> Handle (a list).
public class Handle: Disposable {
  /// The loop it lives on.
  public let loop: Loop
  let raw: UnsafeMutablePointer<uv_handle_t>
  private var whenClosed: [() -> Void] = []
  @exclusivity(unchecked) private var hasClosed = false
  // Not asked of libuv: only the loop's thread may look into the handle's memory.
  @exclusivity(unchecked) private var isClosing = false
  // Alive for as long as they are in the list: libuv holds them.
  unowned(unsafe) var nextHandle: Handle?
  private unowned(unsafe) var previousHandle: Handle?
  #if DEBUG
  private let token = LiveResources.register("handle")
  #endif

  /// Allocates memory for a `Raw` and has `initialize` make it a handle of `loop`.
  init<Raw>(
    _ loop: Loop, _ type: Raw.Type, _ call: String,
    _ initialize: (UnsafeMutablePointer<uv_loop_t>, UnsafeMutablePointer<Raw>) -> Int32
  ) throws(UVError) {
    loop.check()
    self.loop = loop
    // Swift's own allocation aligns at run time, which takes some 50 bytes more for each handle.
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

  /// The memory as what it really is.
  func pointer<Raw>(_ type: Raw.Type) -> UnsafeMutablePointer<Raw> {
    UnsafeMutableRawPointer(raw).assumingMemoryBound(to: type)
  }

  /// True once closing has begun.
  public final var isDisposed: Bool { isClosing }

  /// Stops and closes the handle. Its callbacks are not called again; its memory is freed when libuv has let go of it,
  /// on a later turn of the loop. A second call does nothing.
  public func dispose() {
    if isClosing { return }
    loop.check()
    isClosing = true
    close { UntilClosed<Handle>.take($0!.pointee.data).didClose() }
  }

  /// For subclasses that close in another way.
  func close(_ callback: uv_close_cb) { uv_close(raw, callback) }

  /// Calls back when the handle's memory has been freed; at once if it has been.
  public final func onClosed(_ body: @escaping () -> Void) {
    if hasClosed { return body() }
    loop.check()
    whenClosed.append(body)
  }

  /// Whether the handle keeps `Loop.run()` from returning. True at first.
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

  /// For subclasses that keep something until the handle has closed.
  func willFree() {}

  /// Whether the package watches it for itself.
  private(set) final var isInternal = false

  final func markInternal() {
    isInternal = true
    loop.handlesWanted -= 1
  }

  /// The kind of handle and its descriptor, for a person who asks what the loop waits for.
  var summary: String {
    var descriptor: uv_os_fd_t = -1
    let kind = "\(type(of: self))"
    if uv_fileno(raw, &descriptor) != 0 { return kind }
    // What it is: `socket:[…]`, `anon_inode:inotify`, a path. Other systems than Linux do not tell.
    let target = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
      let count = readlink("/proc/self/fd/\(descriptor)", buffer.baseAddress!, buffer.count)
      let path = buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }
      return path.isEmpty ? "" : " (\(String(decoding: path, as: UTF8.self)))"
    }
    return "\(kind), descriptor \(descriptor)\(target)"
  }

  /// Whether it keeps the loop alive at the moment.
  var holdsLoop: Bool { uv_is_active(raw) != 0 && uv_has_ref(raw) != 0 }

  /// For subclasses that do something without being referred to.
  var isUnused: Bool { true }

  /// Ends a handle that is unused and that nothing retains.
  func endUnused() { dispose() }

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
    // Elsewhere only a loop that has been shut down is left behind, which has closed its handles.
    return !isHere || disposeIfUnused(raw)
  }

  /// The same on the next turn of the loop, when the callers of this call have released the handle.
  final func disposeLaterIfUnused() {
    // Sendable: the reference is used on the loop's thread alone, in the job or, if that is refused, here.
    nonisolated(unsafe) let handle = Unmanaged.passRetained(self)
    let isPosted = loop.mailbox.post {
      let raw = handle._withUnsafeGuaranteedRef { $0.isDisposed ? nil : $0.raw }
      handle.release()
      if let raw { Handle.disposeIfUnused(raw) }
    }
    if !isPosted { handle.release() }
  }

  /// The same for the memory of a handle that has not been freed. The caller has no reference to the handle.
  @inline(never) @discardableResult
  static func disposeIfUnused(_ raw: UnsafeMutablePointer<uv_handle_t>) -> Bool {
    // libuv's own reference, the only one if there is no other.
    var handle = UntilClosed<Handle>.take(raw.pointee.data)
    let isAlone = isKnownUniquelyReferenced(&handle)
    raw.pointee.data = UntilClosed<Handle>.lend(handle)
    if isAlone, handle.isUnused { handle.endUnused() }
    return isAlone
  }
}

@available(*, unavailable)
extension Handle: Sendable {}
