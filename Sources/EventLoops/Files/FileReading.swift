import CUV
public import Streams

extension Operation where Element == Bytes, Failure == UVError {
  /// Opens a file when observed, emits its contents in chunks, and closes it.
  ///
  /// ```swift
  /// Operation.reading("/var/log/syslog").observeNext { chunk in print(chunk.count) }.dispose(in: bag)
  /// ```
  ///
  /// Reads on libuv's thread pool, one chunk at a time: the next chunk is read when the observer has handled the last
  /// one, and none while it is paused. Completes at the end of the file, after `count` bytes, or if the file has been
  /// cut off meanwhile. Fails with the error of opening or reading, which has the path, and with `EINVAL` if `offset`
  /// or `count` is negative. Disposing closes the file.
  ///
  /// - Parameters:
  ///   - path: The path of a file. Without an `offset`, also of a pipe or a device.
  ///   - chunkSize: The most bytes of one element, at least 1. Pipes deliver shorter chunks, and so does the end of a
  ///     file.
  ///   - offset: The position of the first byte. Nil begins at the start of a file, or at the next byte of a pipe.
  ///   - count: The most bytes in total. Nil sets no limit.
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
  /// Emits the contents of the open file in chunks, from `offset` or from its position on. Does not close the file.
  ///
  /// Reads on libuv's thread pool, one chunk at a time, and none while the observer is paused. Completes at the end of
  /// the file, or after `count` bytes. Fails with the error of reading, and with `EINVAL` if `offset` or `count` is
  /// negative.
  ///
  /// - Parameters:
  ///   - chunkSize: The most bytes of one element, at least 1.
  ///   - offset: The position of the first byte. Nil begins at the file's position.
  ///   - count: The most bytes in total. Nil sets no limit.
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
  /// The chunk that was read while the observer was paused.
  private var waiting: Bytes?
  private var isDelivering = false
  /// One step at a time: a resumed observer waits for the step under way.
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

  /// Fails the observer and returns true if a number is negative.
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

  /// Ends the stream if other code closes the file, or the loop shuts down, even if nothing is being read.
  func watch() {
    watching = file?.onClosed { [weak self] _ in
      if let self, let file, observer != nil {
        end(.failed(UVError(code: UV_ECANCELED.rawValue, call: "uv_fs_read", path: file.path)))
      }
    }
  }

  /// Delivers the pending chunk, then continues reading. Never recursive: a read that ends at once must not grow the
  /// stack.
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
    // If the step has ended at once, the reader has been disposed or has started another step.
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
