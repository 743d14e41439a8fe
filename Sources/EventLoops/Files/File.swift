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
/// What is done with it are operations: each runs when it is observed, on libuv's thread pool, and tells its result on the
/// loop. Reads and writes without an offset begin at the file's position and take turns, in the order in which they were
/// observed; those with an offset run beside each other.
///
/// Letting go of a file does not close it: `dispose()` does, or the bag it is in, or `close()`, which says how closing went, or
/// the loop's shutdown. A file closes when every call that was observed before has ended, including reads and writes that wait
/// for their turn. So no descriptor is closed under a call that uses it. Calls that are observed afterwards fail with `EBADF`.
/// The loop's shutdown cancels the calls: they fail with `ECANCELED`.
///
/// Ownership: File ===> itself (until it has closed), a call under way ===> File, File ===> Loop.
public final class File: LoopResource, Disposable, SelfRetaining {
  /// The descriptor. It is the file's to close.
  public let descriptor: Int32
  /// The path with which it was opened, for errors.
  public let path: String?
  /// True once closing has been asked for.
  public private(set) var isDisposed = false
  private var requests = 0
  private var isClosing = false
  private var hasClosed = false
  private var whenClosed: [(number: Int, body: (UVError?) -> Void)] = []
  private var lastNumber = 0
  private var turns = Deque<() -> Void>()
  private var hasTurn = false
  private var isTakingTurns = false
  #if DEBUG
  private let token = LiveResources.register("file")
  #endif

  /// Makes a file of a descriptor, which is the file's to close from now on. `path` is for errors.
  public init(takingOver descriptor: Int32, path: String? = nil, on loop: Loop = .current) {
    self.descriptor = descriptor
    self.path = path
    super.init(loop)
    link()
  }

  /// Closes the file when the calls that were observed before have ended. A second call does nothing.
  public func dispose() {
    if isDisposed { return }
    loop.check()
    isDisposed = true
    closeIfIdle()
  }

  /// Closes the file when observed, after the calls that were observed before, and tells how that went: an element and
  /// completed, or the error of the system, such as `EIO` for writes that could not be stored. For a file that has been closed
  /// already: the element at once.
  ///
  /// Disposing of the subscription does not keep the file open.
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

  /// Calls back when it has been closed, whoever did it. What is returned takes that back.
  func onClosed(_ body: @escaping (UVError?) -> Void) -> any Disposable {
    lastNumber += 1
    let number = lastNumber
    whenClosed.append((number, body))
    return BlockDisposable { self.whenClosed.removeAll { $0.number == number } }
  }

  /// How many wait to be told, for tests.
  var waitingForClose: Int { whenClosed.count }

  override func loopWillClose() { dispose() }

  package static func disposeIfUnused(_ object: Unmanaged<AnyObject>) -> Bool {
    if object._withUnsafeGuaranteedRef({ !unsafeDowncast($0, to: File.self).loop.mailbox.isOnThread }) { return true }
    // Its own reference, the only one if there is no other.
    var file = Unmanaged<File>.fromOpaque(object.toOpaque()).takeRetainedValue()
    let isAlone = isKnownUniquelyReferenced(&file)
    _ = Unmanaged.passRetained(file)
    if isAlone, file.requests == 0, !file.hasTurn { file.dispose() }
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
      // Linux has closed it whatever it answers.
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

  /// Runs `body` when all that was asked for before has ended. It ends with `turnDidEnd()`.
  func inTurn(_ body: @escaping () -> Void) {
    turns.append(body)
    if !hasTurn { nextTurn() }
  }

  func turnDidEnd() {
    hasTurn = false
    nextTurn()
  }

  /// Not inside of itself: turns that end at once, as all do when the loop is shut down, must not grow the stack.
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
