import CUV
import DequeModule
public import Streams

/// An open file.
///
/// ```swift
/// let file = try await Files.open("/etc/hostname", for: .reading).value
/// file.dispose(in: bag)
/// let name = try await file.read(256).value
/// ```
///
/// Its methods return operations. Each operation runs on libuv's thread pool when it is observed, and delivers its
/// result on the loop. Reads and writes without an offset begin at the file's position and run one after the other, in
/// the order in which they were observed. Those with an offset run concurrently.
///
/// To close a file, call `dispose()`, put it in a bag, shut down the loop, or observe `close()`, which reports the
/// result. A file closes when every call that was observed before has ended, including pending reads and writes, so no
/// descriptor is closed while a call uses it. Later calls fail with `EBADF`. The loop's shutdown cancels the calls: they
/// fail with `ECANCELED`.
///
/// A file that nothing retains closes by itself: when its delivery has returned, or else after about as long as it was
/// retained, and within 30 seconds.
///
/// Ownership: File ===> itself (until it has closed), a call under way ===> File, File ===> Loop.
public final class File: LoopResource, Disposable, SelfRetaining {
  /// The descriptor, which the file owns.
  public let descriptor: Int32
  /// The path with which the file was opened, for errors.
  public let path: String?
  /// True once closing has been requested.
  public private(set) var isDisposed = false
  private var requests = 0
  private var isClosing = false
  private var hasClosed = false
  private var whenClosed: [(number: Int, body: (UVError?) -> Void)] = []
  private var lastNumber = 0
  private var turns = Deque<() -> Void>()
  private var hasTurn = false
  private var isTakingTurns = false
  /// Looks whether something retains the file, until it is disposed.
  private var referenceCheck: ReferenceCheck?
  #if DEBUG
  private let token = LiveResources.register("file")
  #endif

  /// Makes a file from a descriptor, which the file owns and closes from now on. `path` is used in errors.
  public init(takingOver descriptor: Int32, path: String? = nil, on loop: Loop = .current) {
    self.descriptor = descriptor
    self.path = path
    super.init(loop)
    link()
    referenceCheck = ReferenceCheck(self, on: loop)
    referenceCheck?.wait()
  }

  /// Closes the file when the calls that were observed before have ended. Idempotent.
  public func dispose() {
    if isDisposed { return }
    loop.check()
    isDisposed = true
    referenceCheck.take()?.stop()
    closeIfIdle()
  }

  /// Closes the file when observed, after the calls that were observed before, and reports the result.
  ///
  /// Emits an element and completes, or fails with the error of the system, such as `EIO` for writes that could not be
  /// stored. If the file has already been closed, it emits the element at once. Disposing the subscription does not
  /// keep the file open.
  public func close() -> Operation<Void, UVError> {
    Operation { observer in
      if self.hasClosed {
        observer.next()
        observer.completed()
      } else {
        _ = self.onClosed { error in
          if let error { return observer.failed(error) }
          observer.next()
          observer.completed()
        }
        self.dispose()
      }
      return .none
    }
  }

  /// Calls `body` when the file has been closed, by any code. Disposing the returned object cancels that.
  func onClosed(_ body: @escaping (UVError?) -> Void) -> any Disposable {
    lastNumber += 1
    let number = lastNumber
    whenClosed.append((number, body))
    return BlockDisposable { self.whenClosed.removeAll { $0.number == number } }
  }

  /// The number of observers that wait for the close, for tests.
  var waitingForClose: Int { whenClosed.count }

  override func loopWillClose() { dispose() }

  package static func disposeIfUnused(_ object: Unmanaged<AnyObject>) -> Bool {
    if object._withUnsafeGuaranteedRef({ !unsafeDowncast($0, to: File.self).loop.mailbox.isOnThread }) { return true }
    // The file's reference to itself. It is the only one if nothing else retains the file.
    var file = Unmanaged<File>.fromOpaque(object.toOpaque()).takeRetainedValue()
    let isAlone = isKnownUniquelyReferenced(&file)
    _ = Unmanaged.passRetained(file)
    if isAlone, file.requests == 0, !file.hasTurn {
      file.dispose()
    } else if !file.isDisposed {
      file.referenceCheck?.wait()
    }
    return isAlone
  }

  // MARK: Calls under way

  func requestWillStart() { requests += 1 }

  func requestDidEnd() {
    requests -= 1
    closeIfIdle()
  }

  private func closeIfIdle() {
    guard isDisposed, !isClosing, requests == 0, !hasTurn, turns.isEmpty else { return }
    isClosing = true
    var call = FileCall("uv_fs_close") { [descriptor] in uv_fs_close($0, $1, descriptor, $2) }
    call.path = path
    call.isClosing = true
    let request = FileRequest(call, on: loop, reading: { _ in }) { result in
      // Linux has closed the descriptor, whatever the result.
      self.hasClosed = true
      self.unlink()
      let callbacks = self.whenClosed
      self.whenClosed = []
      var error: UVError?
      if case .failure(let failure) = result { error = failure }
      for callback in callbacks { callback.body(error) }
    }
    request.start()
  }

  // MARK: Turns

  /// Runs `body` when all earlier turns have ended. `turnDidEnd()` ends its turn.
  func inTurn(_ body: @escaping () -> Void) {
    turns.append(body)
    if !hasTurn { nextTurn() }
  }

  func turnDidEnd() {
    hasTurn = false
    nextTurn()
  }

  /// Starts the next turns. Never recursive: turns that end at once, as in a shutdown, must not grow the stack.
  private func nextTurn() {
    if isTakingTurns { return }
    isTakingTurns = true
    while !hasTurn, let body = turns.popFirst() {
      hasTurn = true
      body()
    }
    isTakingTurns = false
    closeIfIdle()
  }
}
