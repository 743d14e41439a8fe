import CUV
import Streams

/// A file-system call on libuv's thread pool.
///
/// One type serves all calls. They differ in the function that starts them and in how the result is read.
final class FileRequest<Element>: Request {
  private let call: FileCall
  private let read: (UnsafeMutablePointer<uv_fs_t>) -> Element
  private var done: ((Result<Element, UVError>) -> Void)?
  private var result: Result<Element, UVError>?

  init(
    _ call: FileCall, on loop: Loop, reading read: @escaping (UnsafeMutablePointer<uv_fs_t>) -> Element,
    _ done: @escaping (Result<Element, UVError>) -> Void
  ) {
    self.call = call
    self.read = read
    self.done = done
    super.init(loop, uv_fs_t.self)
  }

  func start() {
    if let path = call.invalidPath {
      done.take()?(.failure(UVError(code: UV_EINVAL.rawValue, call: call.name, path: path)))
      return
    }
    call.file?.requestWillStart()
    call.other?.requestWillStart()
    start {
      call.start(loop.uv, pointer(uv_fs_t.self)) { request in
        Request.didFinish(request!.pointee.data, request!.pointee.result < 0 ? Int32(request!.pointee.result) : 0)
      }
    }
  }

  override var isCancellable: Bool { !call.isClosing }
  override var withoutThreads: WithoutThreads { call.isClosing ? .waits : .fails }

  override func take(_ status: Int32) {
    result =
      status < 0
      ? .failure(UVError(code: status, call: call.name, path: call.path)) : .success(read(pointer(uv_fs_t.self)))
  }

  override func discard() { call.discard?(pointer(uv_fs_t.self)) }

  override func cleanUp() { uv_fs_req_cleanup(pointer(uv_fs_t.self)) }

  override func didEnd() {
    call.ended?()
    call.file?.requestDidEnd()
    call.other?.requestDidEnd()
  }

  override func deliver() { if let result = result.take() { done.take()?(result) } }
}

/// The description of one file-system call.
struct FileCall {
  typealias Start = (
    UnsafeMutablePointer<uv_loop_t>, UnsafeMutablePointer<uv_fs_t>, uv_fs_cb
  ) -> Int32

  /// The name of libuv's function.
  let name: String
  /// The path of the call, for errors.
  var path: String?
  /// The paths that are passed to C.
  var paths: [String] = []
  /// The open file whose descriptor the call uses. It is not closed before the call has ended.
  var file: File?
  /// A second open file, if the call uses two.
  var other: File?
  /// Called when libuv has finished the call, before the result is delivered.
  var ended: (() -> Void)?
  /// True if the call closes a file or a directory. Such a call is never canceled.
  var isClosing = false
  /// Undoes a result that will not be delivered.
  var discard: ((UnsafeMutablePointer<uv_fs_t>) -> Void)?
  /// Calls libuv's function.
  let start: Start

  init(_ name: String, _ paths: String..., start: @escaping Start) {
    self.name = name
    path = paths.isEmpty ? nil : paths.joined(separator: " -> ")
    self.paths = paths
    self.start = start
  }

  init(_ name: String, _ file: File, start: @escaping Start) {
    self.name = name
    path = file.path
    self.file = file
    self.start = start
  }

  /// The first path with a zero byte, which C would take for the end.
  var invalidPath: String? { paths.first { $0.utf8.contains(0) } }
}

extension Operation where Failure == UVError {
  /// Runs one file-system call for each observer. Emits its result and completes.
  static func confinedFileCall(
    _ call: FileCall, reading read: @escaping (UnsafeMutablePointer<uv_fs_t>) -> Element
  ) -> Operation {
    Operation { observer in
      let loop = call.file?.loop ?? .current
      if call.file?.isDisposed == true || call.other?.isDisposed == true {
        observer.failed(UVError(code: UV_EBADF.rawValue, call: call.name, path: call.path))
        return .none
      }
      let request = FileRequest(call, on: loop, reading: read) { observer.finish($0) }
      request.start()
      return request
    }
  }
}

extension Operation where Element: Sendable, Failure == UVError {
  /// Runs one file-system call whose result is `Sendable`, so an actor without a loop may observe it.
  static func fileCall(
    _ call: FileCall, reading read: @escaping (UnsafeMutablePointer<uv_fs_t>) -> Element
  ) -> Operation {
    let local = confinedFileCall(call, reading: read)
    // An open file belongs to its loop.
    return call.file == nil && call.other == nil ? request(local) : local
  }
}

extension Operation where Element == Void, Failure == UVError {
  static func fileCall(_ call: FileCall) -> Operation { fileCall(call) { _ in } }
}

extension Observer {
  /// Delivers one element and completes, or fails.
  func finish(_ result: Result<Element, Failure>) {
    switch result {
    case .success(let element):
      next(element)
      completed()
    case .failure(let error): failed(error)
    }
  }
}
