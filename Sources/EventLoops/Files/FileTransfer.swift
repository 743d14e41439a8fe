import CUV
public import Streams

/// A read or a write of an open file for one observer: one call of the system or, where a write is cut short, several.
///
/// Without an offset it has a turn: the next one waits until this has ended, also if it has been disposed.
final class FileTransfer<Element>: Disposable {
  /// What a call answered: the end of the transfer, or that more is to be done.
  enum Step {
    case more
    case done(Element)
    /// The system has taken nothing.
    case stuck
  }

  private let file: File
  private let offset: Int64?
  private var observer: Observer<Element, UVError>?
  private var request: FileRequest<Int>?
  private let call: () -> FileCall
  private let proceed: (Int) -> Step

  init(
    _ file: File, at offset: Int64?, _ observer: Observer<Element, UVError>, call: @escaping () -> FileCall,
    proceed: @escaping (Int) -> Step
  ) {
    self.file = file
    self.offset = offset
    self.observer = observer
    self.call = call
    self.proceed = proceed
  }

  var isDisposed: Bool { observer == nil }

  func start() {
    if file.isDisposed { return fail(UV_EBADF.rawValue) }
    file.loop.check()
    guard let offset else { return file.inTurn { self.begin() } }
    // libuv takes a negative one for the position.
    if offset < 0 { fail(UV_EINVAL.rawValue) } else { begin() }
  }

  private func begin() {
    // Disposed while it waited for its turn.
    if isDisposed { endTurn() } else { step() }
  }

  private func step() {
    var call = call()
    call.ended = { if self.isDisposed { self.endTurn() } }
    let request = FileRequest(call, on: file.loop, reading: { $0.pointee.result }) { result in
      self.request = nil
      switch result {
      case .success(let count):
        switch self.proceed(count) {
        case .more: self.step()
        case .stuck:
          self.endTurn()
          self.fail(UV_EIO.rawValue)
        case .done(let element):
          self.endTurn()
          self.observer.take()?.finish(.success(element))
        }
      case .failure(let error):
        self.endTurn()
        self.observer.take()?.failed(error)
      }
    }
    self.request = request
    request.start()
  }

  private func endTurn() { if offset == nil { file.turnDidEnd() } }

  private func fail(_ code: Int32) {
    observer.take()?.failed(UVError(code: code, call: call().name, path: file.path))
  }

  func dispose() {
    observer = nil
    request.take()?.dispose()
  }
}

extension File {
  /// Reads up to `count` bytes, from `offset` or from the file's position on: one element, which is shorter near the end of
  /// the file and empty at it.
  ///
  /// Fails with the error of the system, and with `EINVAL` if `offset` is below 0. Disposing drops what has been read; the
  /// position may have moved. Traps if `count` is below 0.
  public func read(_ count: Int, at offset: Int64? = nil) -> Operation<Bytes, UVError> {
    if count < 0 { fatalError("\(count) bytes cannot be read: the count is at least 0.") }
    return Operation { observer in
      // Room for one read; the kernel gives no more at once.
      let room = ByteStorage.make(min(count, 0x7fff_f000))
      let transfer = FileTransfer(
        self, at: offset, observer,
        call: {
          FileCall("uv_fs_read", self) { loop, request, done in
            var buffer = uv_buf_init(room.memory.assumingMemoryBound(to: CChar.self), UInt32(room.room))
            return uv_fs_read(loop, request, self.descriptor, &buffer, 1, offset ?? -1, done)
          }
        },
        proceed: { count in .done(count == 0 ? Bytes() : Bytes(room, offset: 0, count: count)) })
      transfer.start()
      return transfer
    }
  }

  /// Writes all of `bytes`, from `offset` or from the file's position on: an element when they have been handed to the
  /// system, then completed. Copies nothing.
  ///
  /// Fails with the error of the system, such as `ENOSPC`; a part may have been written then, and when it is disposed. Fails
  /// with `EINVAL` if `offset` is below 0.
  public func write(_ bytes: Bytes, at offset: Int64? = nil) -> Operation<Void, UVError> {
    write([bytes], at: offset)
  }

  /// The same for several, one behind the other, with as few calls of the system as it takes.
  public func write(_ parts: [Bytes], at offset: Int64? = nil) -> Operation<Void, UVError> {
    Operation { observer in
      var rest = parts.filter { !$0.isEmpty }[...]
      var written: Int64 = 0
      let transfer = FileTransfer(
        self, at: offset, observer,
        call: {
          // These buffers are kept until the call has ended, and with them the memory that C reads.
          let batch = rest.prefix(1024)
          return FileCall("uv_fs_write", self) { loop, request, done in
            withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: max(1, batch.count)) { buffers in
              buffers[0] = uv_buf_init(nil, 0)
              for (index, bytes) in batch.enumerated() {
                // libuv does not write to it.
                let start = bytes.withUnsafeBytes { UnsafeMutableRawPointer(mutating: $0.baseAddress) }
                buffers[index] = uv_buf_init(start?.assumingMemoryBound(to: CChar.self), UInt32(clamping: bytes.count))
              }
              return uv_fs_write(
                loop, request, self.descriptor, buffers.baseAddress, UInt32(buffers.count),
                offset.map { $0 + written } ?? -1, done)
            }
          }
        },
        proceed: { count in
          written += Int64(count)
          var count = count
          if count == 0, !rest.isEmpty { return .stuck }
          while let first = rest.first, first.count <= count {
            count -= first.count
            rest.removeFirst()
          }
          if rest.isEmpty { return .done(()) }
          rest[rest.startIndex] = rest[rest.startIndex].dropFirst(count)
          return .more
        })
      transfer.start()
      return transfer
    }
  }
}
