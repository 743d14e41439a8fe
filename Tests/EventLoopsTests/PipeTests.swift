import Foundation
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite("Pipes", .noLiveResources)
struct PipeTests {
  @Test func `a TCP connection takes over only a socket of its kind`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      func code(_ descriptor: Int32) -> String? {
        do throws(UVError) {
          _ = try TCPHandle(descriptor: descriptor)
          return nil
        } catch {
          close(descriptor)
          return error.name
        }
      }
      #expect(code(open("/proc/self/exe", O_RDONLY)) == "ENOTSOCK")
      #expect(code(socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)) == "EINVAL")
      var ends: [Int32] = [0, 0]
      #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      defer { close(ends[1]) }
      #expect(code(ends[0]) == "EINVAL")
      #expect(code(-1) == "EBADF")
    }
  }

  @Test func `a named socket carries bytes, has the permissions asked for, and leaves no file`() async throws {
    let scratch = Scratch()
    let path = scratch("pipe")
    let text = try await withLoop { loop, bag in
      let address = try SocketAddress(path: path)
      let listener = try PipeListener(on: address, permissions: 0o600)
      var info = stat()
      #expect(stat(path, &info) == 0 && info.st_mode & 0o777 == 0o600)
      #expect(throws: UVError(code: -EADDRINUSE, call: "bind", path: path)) { try PipeListener(on: address) }
      listener.connections.observeNext { connection in
        connection.bytes.pipe(to: connection).observe { _ in }.dispose(in: bag)
      }.dispose(in: bag)
      var text = ""
      Operation.connect(toPipe: address).observeNext { connection in
        #expect((try? connection.remoteAddress()) == address)
        #expect((try? connection.localAddress()) == .some(nil))
        connection.write("over a pipe")
        connection.finish()
        connection.bytes.observe(
          next: { text += String($0) }, termination: { _ in listener.dispose() }
        ).dispose(in: bag)
      }.dispose(in: bag)
      loop.run()
      return text
    }
    #expect(text == "over a pipe")
    #expect(access(scratch("pipe"), F_OK) == -1)
  }

  @Test func `a name that a dead process has left behind is taken over; a file that is no socket is not`() async throws
  {
    let scratch = Scratch()
    try await withLoop { loop, _ in
      let path = scratch("pipe")
      let address = try SocketAddress(path: path)
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      #expect(address.withSockAddr { bind(descriptor, $0, $1) } == 0)
      close(descriptor)
      #expect(access(path, F_OK) == 0)
      try PipeListener(on: address).dispose()
      #expect(access(path, F_OK) == -1)
      // A name that another listener has taken over meanwhile is not removed.
      let first = try PipeListener(on: address)
      unlink(path)
      let second = try PipeListener(on: address)
      first.dispose()
      #expect(access(path, F_OK) == 0)
      second.dispose()
      #expect(access(path, F_OK) == -1)
      close(open(path, O_CREAT | O_WRONLY, 0o600))
      #expect(throws: UVError(code: -EADDRINUSE, call: "bind", path: path)) { try PipeListener(on: address) }
      #expect(access(path, F_OK) == 0)
    }
  }

  @Test func `an abstract socket, which leaves no file; nobody behind a name is an error with the name`() async throws {
    let log = try await withLoop { loop, bag in
      var log: [String] = []
      let address = try SocketAddress(abstract: "headwater-\(UUID().uuidString)")
      Operation.connect(toPipe: address).observeFailed { log.append("\($0.name) \($0.path == address.description)") }
        .dispose(in: bag)
      Operation.connect(toPipe: try SocketAddress(path: "/tmp/no-such-socket")).observeFailed { log.append("\($0)") }
        .dispose(in: bag)
      Operation.connect(toPipe: .loopback(port: 1)).observeFailed { log.append("\($0.name)") }.dispose(in: bag)
      let listener = try PipeListener(on: address)
      listener.connections.observeNext { connection in
        #expect((try? connection.localAddress()) == address)
        connection.write("hello")
        connection.close()
        listener.dispose()
      }.dispose(in: bag)
      Operation.connect(toPipe: address).observeNext { connection in
        connection.bytes.observe(
          next: { log.append(String($0)) },
          termination: {
            log.append("\($0)")
            connection.close()
          }
        ).dispose(in: bag)
      }.dispose(in: bag)
      loop.run()
      return log
    }
    #expect(
      log.sorted() == [
        "ECONNREFUSED true", "EINVAL", "completed", "hello",
        "uv_pipe_connect /tmp/no-such-socket: no such file or directory (ENOENT)",
      ])
  }

  @Test func `both ends of a pipe of the system; finishing one that is no socket closes it`() async throws {
    let text = try await withLoop { loop, bag in
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      let reader = try PipeHandle(descriptor: ends[0])
      let writer = try PipeHandle(descriptor: ends[1])
      var text = ""
      reader.bytes.observe(next: { text += String($0) }, termination: { text += " \($0)" }).dispose(in: bag)
      writer.write("through the pipe")
      var isFinished = false
      writer.finishing().observeNext { isFinished = true }.dispose(in: bag)
      // Both handles close by themselves, and nothing else keeps the loop alive.
      loop.run()
      #expect(isFinished && reader.isDisposed && writer.isDisposed)
      #expect(throws: UVError.self) { try PipeHandle(descriptor: 9999) }
      return text
    }
    #expect(text == "through the pipe completed")
  }

  @Test func `a TCP connection and a pipe travel over a pipe, and work at the other end`() async throws {
    let log = try await withLoop { loop, bag in
      var ends: [Int32] = [0, 0]
      #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      let near = try PipeHandle(descriptor: ends[0], passesHandles: true)
      let far = try PipeHandle(descriptor: ends[1], passesHandles: true)
      let (client, server) = try connectedPair(loop)
      var innerEnds: [Int32] = [0, 0]
      #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &innerEnds) == 0)
      let inner = try PipeHandle(descriptor: innerEnds[0])
      let other = try PipeHandle(descriptor: innerEnds[1])
      var log: [String] = []
      far.bytes.observe(
        next: { bytes in
          log.append(String(bytes))
          do {
            while let handle = try far.receive() {
              handle.write(handle is TCPHandle ? "sent as TCP" : "sent as a pipe")
              handle.close()
            }
          } catch { Issue.record(error) }
        }, termination: { _ in far.close() }
      ).dispose(in: bag)
      for handle in [server, inner] as [ByteStreamHandle] {
        var isSent = false
        near.sending(handle, with: "here ").observeNext { isSent = true }.dispose(in: bag)
        // The handle may be disposed before it has been sent.
        handle.dispose()
        near.onClosed { #expect(isSent) }
      }
      near.sending(server).observeFailed { log.append($0.name) }.dispose(in: bag)
      near.finish()
      for handle in [client, other] as [ByteStreamHandle] {
        handle.bytes.observe(next: { log.append(String($0)) }, termination: { _ in handle.close() }).dispose(in: bag)
      }
      var refused: UVError?
      other.sending(near).observeFailed { refused = $0 }.dispose(in: bag)
      #expect(refused?.name == "EINVAL")
      loop.run()
      return log
    }
    #expect(log.filter { $0.hasPrefix("here") }.joined() == "here here ")
    #expect(log.contains("EBADF"))
    #expect(log.contains("sent as TCP") && log.contains("sent as a pipe"))
  }

  @Test func `connections that have been received over a pipe and are dropped are closed`() async throws {
    try await withLoop { loop, bag in
      var ends: [Int32] = [0, 0]
      #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      let near = try PipeHandle(descriptor: ends[0], passesHandles: true)
      let far = try PipeHandle(descriptor: ends[1], passesHandles: true)
      var innerEnds: [Int32] = [0, 0]
      #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &innerEnds) == 0)
      let (client, server) = try connectedPair(loop)
      let (inner, other) = (try PipeHandle(descriptor: innerEnds[0]), try PipeHandle(descriptor: innerEnds[1]))
      var received = 0
      far.bytes.observeNext { _ in
        do {
          while try far.receive() != nil { received += 1 }
        } catch { Issue.record(error) }
      }.dispose(in: bag)
      for handle in [server, inner] as [ByteStreamHandle] {
        near.sending(handle, with: "x").observeNext {}.dispose(in: bag)
        handle.dispose()
      }
      var closed = 0
      for handle in [client, other] as [ByteStreamHandle] {
        handle.bytes.observe(
          next: { _ in },
          termination: { _ in
            handle.close()
            closed += 1
            if closed == 2 {
              near.dispose()
              far.dispose()
            }
          }
        ).dispose(in: bag)
      }
      loop.run()
      #expect(received == 2 && closed == 2)
    }
  }

  @Test func `a pipe that is disposed of with a handle in its queue: the operation is told, and nothing is left`()
    async throws
  {
    let log = try await withLoop { loop, bag in
      var ends: [Int32] = [0, 0]
      #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      let near = try PipeHandle(descriptor: ends[0], passesHandles: true)
      let (client, server) = try connectedPair(loop)
      var log: [String] = []
      // The peer does not read.
      near.write(Bytes(repeating: 1, count: 4_000_000))
      near.sending(server).observeFailed { log.append($0.name) }.dispose(in: bag)
      server.dispose()
      near.dispose()
      client.dispose()
      loop.run()
      close(ends[1])
      return log
    }
    #expect(log == ["ECANCELED"])
  }
}
