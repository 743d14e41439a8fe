import CUV
public import Streams

extension Operation where Element == Bytes, Failure == UVError {
  /// The content of a file, in chunks: opens it when observed, reads it to its end, and closes it.
  ///
  /// ```swift
  /// Operation.reading("/var/log/syslog").observeNext { chunk in print(chunk.count) }.dispose(in: bag)
  /// ```
  ///
  /// Reading runs on libuv's thread pool, one chunk at a time: the next one is read when the observer is done with this
  /// one, and none while it is paused. Completes at the end of the file, after `count` bytes, or where the file has been
  /// cut off meanwhile. Fails with the error of opening or reading, which has the path, and with `EINVAL` if `offset` or
  /// `count` is below 0. Disposing closes it.
  ///
  /// - Parameters:
  ///   - path: A file; pipes and devices, too, where no `offset` is given.
  ///   - chunkSize: The most bytes of one element; at least 1. Short chunks come from pipes, and at the end.
  ///   - offset: Where reading begins; nil is the start, or wherever a pipe is.
  ///   - count: The most bytes in all; nil is no limit.
  public static func reading(
    _ path: String, chunkSize: Int = 65_536, from offset: Int64? = nil, count: Int64? = nil
  ) -> Operation {
    FileReader.check(chunkSize)
    return Operation { observer in
      let reader = FileReader(nil, chunkSize, offset, count, observer)
      if !reader.refuses(offset, count, path) { reader.open(path) }
      return reader
    }
  }
}

extension File {
  /// The content of the open file, in chunks, from `offset` or from its position on. Does not close the file.
  ///
  /// Reads on libuv's thread pool, one chunk at a time, and none while the observer is paused. Completes at the end of the file,
  /// or after `count` bytes. Fails with the error of reading, and with `EINVAL` if `offset` or `count` is below 0.
  public func reading(
    chunkSize: Int = 65_536, from offset: Int64? = nil, count: Int64? = nil
  ) -> Operation<Bytes, UVError> {
    FileReader.check(chunkSize)
    return Operation { observer in
      let reader = FileReader(self, chunkSize, offset, count, observer)
      if !reader.refuses(offset, count, self.path) {
        reader.watch()
        reader.proceed()
      }
      return reader
    }
  }
}

/// Reads a file for one observer.
///
/// Ownership: Subscription ===> FileReader ===> File, the step under way ===> FileReader.
private final class FileReader: Disposable {
  private var file: File?
  private var ownsFile = false
  private let chunkSize: Int
  private var offset: Int64?
  private var rest: Int64
  private var observer: Observer<Bytes, UVError>?
  private var step: (any Disposable)?
  private var watching: (any Disposable)?
  /// What was read while the observer had asked to wait.
  private var waiting: Bytes?
  private var isDelivering = false
  /// One step at a time: a resumed observer waits for the one that is under way.
  private var isReading = false

  init(_ file: File?, _ chunkSize: Int, _ offset: Int64?, _ count: Int64?, _ observer: Observer<Bytes, UVError>) {
    self.file = file
    self.chunkSize = chunkSize
    self.offset = offset
    rest = count ?? .max
    self.observer = observer
  }

  static func check(_ chunkSize: Int) {
    if chunkSize < 1 { fatalError("A file cannot be read in chunks of \(chunkSize) bytes: the size is at least 1.") }
  }

  var isDisposed: Bool { observer == nil }

  /// Whether nothing can be read because a number is below 0, which fails the observer.
  func refuses(_ offset: Int64?, _ count: Int64?, _ path: String?) -> Bool {
    guard min(offset ?? 0, count ?? 0) < 0 else { return false }
    end(.failed(UVError(code: UV_EINVAL.rawValue, call: "uv_fs_read", path: path)))
    return true
  }

  func open(_ path: String) {
    ownsFile = true
    step = Files.open(path).observe(
      next: { file in
        self.file = file
        self.watch()
        self.proceed()
      }, termination: { end in if case .failed = end { self.end(end) } })
  }

  /// Closed by somebody else, such as the loop's shutdown: also told where nothing is being read.
  func watch() {
    watching = file?.onClosed { [weak self] _ in
      if let self, let file, observer != nil {
        end(.failed(UVError(code: UV_ECANCELED.rawValue, call: "uv_fs_read", path: file.path)))
      }
    }
  }

  /// Delivers what waits, then reads on. Not inside of itself: a read that ends at once must not grow the stack.
  func proceed() {
    if isDelivering || isReading { return }
    guard let observer, !observer.isPaused else { return }
    if let chunk = waiting.take() {
      isDelivering = true
      observer.next(chunk)
      isDelivering = false
      if self.observer == nil || observer.isPaused { return }
    }
    guard let file else { return }
    if rest == 0 { return end(.completed) }
    let size = Int(min(Int64(chunkSize), rest))
    isReading = true
    let step = file.read(size, at: offset).observe(
      next: { self.didRead($0) }, termination: { end in if case .failed = end { self.end(end) } })
    // Disposed of, or read on, if it has ended at once.
    if self.observer == nil { step.dispose() } else if isReading { self.step = step }
  }

  private func didRead(_ chunk: Bytes) {
    isReading = false
    if chunk.isEmpty { return end(.completed) }
    rest -= Int64(chunk.count)
    offset = offset.map { $0 + Int64(chunk.count) }
    waiting = chunk
    proceed()
  }

  private func end(_ termination: Termination<UVError>) {
    let target = observer.take()
    close()
    target?.terminate(termination)
  }

  private func close() {
    step.take()?.dispose()
    watching.take()?.dispose()
    waiting = nil
    let file = file.take()
    if ownsFile { file?.dispose() }
  }

  func dispose() {
    observer = nil
    close()
  }

  func resume() { proceed() }
}
