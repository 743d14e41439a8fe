import CUV
public import Streams

/// A read or a write of an open file for one observer: one system call, or several if a write is cut short.
///
/// Without an offset it takes a turn: the next transfer waits until this one has ended, even if this one has been
/// disposed.
final class FileTransfer<Element>: Disposable {
  /// The result of one call: the transfer has ended, or more calls are needed.
  enum Step {
    case more
    case done(Element)
    /// The system has accepted no bytes.
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
    // libuv takes a negative offset for the file's position.
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
  /// Reads up to `count` bytes, from `offset` or from the file's position on. Emits one element, which is shorter near
  /// the end of the file and empty at the end.
  ///
  /// Fails with the error of the system, and with `EINVAL` if `offset` is negative. Disposing drops the bytes; the
  /// position may have moved. Traps if `count` is negative.
  public func read(_ count: Int, at offset: Int64? = nil) -> Operation<Bytes, UVError> {
    if count < 0 { fatalError("\(count) bytes cannot be read: the count is at least 0.") }
    return Operation { observer in
      // Room for one read; the kernel delivers no more at once.
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

  /// Writes all of `bytes`, from `offset` or from the file's position on. Emits an element when the system has accepted
  /// them, and completes. Copies nothing.
  ///
  /// Fails with the error of the system, such as `ENOSPC`, and with `EINVAL` if `offset` is negative. If it fails or is
  /// disposed, a part of the bytes may have been written.
  public func write(_ bytes: Bytes, at offset: Int64? = nil) -> Operation<Void, UVError> {
    write([bytes], at: offset)
  }

  /// Writes all of `parts`, one after the other, with as few system calls as possible. Emits an element when the system
  /// has accepted them, and completes. Copies nothing.
  ///
  /// Fails with the error of the system, such as `ENOSPC`, and with `EINVAL` if `offset` is negative. If it fails or is
  /// disposed, a part of the bytes may have been written.
  public func write(_ parts: [Bytes], at offset: Int64? = nil) -> Operation<Void, UVError> {
    Operation { observer in
      var rest = parts.filter { !$0.isEmpty }[...]
      var written: Int64 = 0
      let transfer = FileTransfer(
        self, at: offset, observer,
        call: {
          // The closure retains these buffers until the call has ended, and with them the memory that C reads.
          let batch = rest.prefix(1024)
          return FileCall("uv_fs_write", self) { loop, request, done in
            withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: max(1, batch.count)) { buffers in
              buffers[0] = uv_buf_init(nil, 0)
              for (index, bytes) in batch.enumerated() {
                // libuv does not write to the memory.
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
