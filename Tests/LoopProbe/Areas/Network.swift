import EventLoops
import Glibc
import Streams

@MainActor func tcp(_ area: Area) {
  let large = Bytes(repeating: 7, count: 3_000_000)
  let server = Operation.listen(
    on: .loopback(port: 0),
    bound: { address in
      area.expect("address", Operation.connect(to: address).flatMap(.merge) { talk($0, "hello") }) { $0 }
      area.expect(
        "large",
        (Operation.connect(to: address).flatMap(.merge) { connection in
          Operation.merge([
            connection.writing(large).then(connection.finishing()).map { 0 },
            connection.bytes.map(\.count),
          ]).reduce(0) { $0 + $1 }
            .flatMap(.merge) { $0 == large.count ? .just("all") : .failed(UVError(errno: EPIPE, call: "read")) }
        } as Operation<String, UVError>))
      area.expect(
        "host", Operation.connect(host: "localhost", port: address.port).flatMap(.merge) { talk($0, "again") }
      ) { $0 }
      area.expect(
        "options",
        Operation<TCPHandle, UVError>.connect(to: address).tryMap { connection throws(UVError) in
          try connection.setNoDelay(true)
          try connection.setKeepAlive(.seconds(10))
          let places = (try connection.localAddress(), try connection.remoteAddress())
          connection.reset()
          return places.1.port == address.port
        })
    }
  ).take(until: area.end(of: "address", "large", "host", "options")).flatMap(.merge) { connection in
    // The peer of the last connection resets it.
    connection.bytes.pipe(to: connection).flatMapError { error in
      error.code == UVError.Code.connectionReset ? .completed() : .failed(error)
    }
  }.reduce(0) { $0 + $1 }
  area.expect("server", server) { _ in "ended" }
  area.expect("refused", Operation.connect(to: .loopback(port: 1)).map { _ in "connected" }.expecting("ECONNREFUSED"))
}

/// Sends a text, and emits the answer. No answer is an error.
@MainActor func talk(_ connection: some ByteStreamHandle, _ text: String) -> Operation<String, UVError> {
  connection.writing(Bytes(text)).then(connection.finishing()).then(connection.answer)
}

extension ByteStreamHandle {
  /// Everything that the peer sends. Fails if that is nothing, for example because the peer could not write.
  var answer: Operation<String, UVError> {
    bytes.reduce("") { $0 + String($1) }.flatMap(.merge) { text in
      text.isEmpty ? .failed(UVError(errno: EPIPE, call: "read")) : .just(text)
    }
  }
}

extension Operation where Element == String, Failure == UVError {
  /// Makes a failure that is meant an element.
  func expecting(_ name: String) -> Operation {
    flatMapError { $0.name == name ? .just("failed with \(name)") : .failed($0) }
  }
}

@MainActor func serving(_ area: Area) {
  let stop = PushStream<Void>()
  var served = 0
  let server = Operation<Never, UVError>.serve(
    on: .loopback(port: 0), loops: 2, until: stop.toStream(),
    bound: { address in
      for number in 1...3 {
        // A client that fails is served too, so that the server ends.
        let client = Operation.connect(to: address).flatMap(.merge) { talk($0, "client") }
        area.expect(
          "client \(number)",
          client.doOn(disposed: {
            served += 1
            if served == 3 { stop.next() }
          }))
      }
    }
  ) { connection, _ in
    connection.bytes.pipe(to: connection).toStream(logError: true)
  }
  area.expect("server", server)
}

@MainActor func udp(_ area: Area) {
  area.expect(
    "socket",
    { () throws(UVError) in
      let socket = try UDPHandle()
      socket.dispose(in: area.bag)
      try socket.bind(to: .loopback(port: 0))
      try socket.setBroadcast(true)
      try socket.setTimeToLive(9)
      let address = try socket.localAddress()
      for number in 1...3 {
        area.expect("sent \(number)", socket.send(Bytes("number \(number)"), to: address)) { "sent" }
      }
      return socket.datagrams.take(3).timeout(after: .seconds(3), failingWith: late)
    }
  ) { "\(String($0.bytes))" }
  area.expect(
    "batches",
    { () throws(UVError) in
      let socket = try UDPHandle(batches: true)
      socket.dispose(in: area.bag)
      try socket.bind(to: .loopback(port: 0))
      let sender = try UDPHandle()
      sender.dispose(in: area.bag)
      try sender.connect(to: try socket.localAddress())
      for number in 1...3 where try !sender.trySend(Bytes("number \(number)")) { complain("batches: no room") }
      return socket.datagrams.take(3).timeout(after: .seconds(3), failingWith: late)
    }
  ) { "\(String($0.bytes))" }
}

/// The error of a message that has not come.
let late = UVError(errno: ETIMEDOUT, call: "receive")

@MainActor func pipes(_ area: Area) {
  let path = "\(area.directory)/socket"
  // A socket file without a listener, which a program that was killed leaves.
  let abandoned = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  do throws(UVError) {
    // The family, and the path.
    let address = [UInt8(AF_UNIX), 0] + Array(path.utf8) + [0]
    let status = address.withUnsafeBytes {
      bind(abandoned, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    if status != 0 { throw systemError("bind") }
  } catch {
    complain("abandoned: \(error)")
  }
  close(abandoned)
  for (name, make) in [
    ("path", { () throws(UVError) in try SocketAddress(path: path) }),
    ("abstract", { () throws(UVError) in try SocketAddress(abstract: "headwater-\(getpid())") }),
  ] as [(String, () throws(UVError) -> SocketAddress)] {
    area.expect(
      "\(name) server",
      { () throws(UVError) in
        Operation.listen(
          onPipe: try make(),
          bound: { address in
            area.expect("\(name) client", Operation.connect(toPipe: address).flatMap(.merge) { talk($0, "hello") }) {
              $0
            }
          }
        ).take(until: area.end(of: "\(name) client")).flatMap(.merge) { $0.bytes.pipe(to: $0) }
      }
    ) { _ in "ended" }
  }
  area.expect(
    "ends",
    { () throws(UVError) in
      let ends = try makePipe()
      let writing = try PipeHandle(taking: ends.writing)
      let reading = try PipeHandle(taking: ends.reading)
      area.expect("written", writing.writing("through a pipe").then(writing.finishing())) { "all" }
      return reading.answer
    })
  passing(area)
}

/// A pipe passes one of its ends through another one.
@MainActor private func passing(_ area: Area) {
  area.expect(
    "passing",
    { () throws(UVError) in
      let (near, far) = try makePair(passesHandles: true)
      let (kept, passed) = try makePair(passesHandles: false)
      area.expect(
        "sending",
        near.sending(passed).map {
          passed.dispose()
          near.close()
        }
      ) { "sent" }
      area.expect("kept", kept.writing("through a passed pipe").then(kept.finishing())) { "all" }
      return far.bytes.take(1).flatMap(.merge) { _ in
        do throws(UVError) {
          let received = try far.receive()
          far.close()
          guard let received else { return .just("nothing received") }
          return received.answer
        } catch {
          return .failed(error)
        }
      }
    })
}

@MainActor private func makePair(passesHandles: Bool) throws(UVError) -> (PipeHandle, PipeHandle) {
  var ends: [Int32] = [0, 0]
  if socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) != 0 {
    throw systemError("socketpair")
  }
  let first: PipeHandle
  do throws(UVError) {
    first = try PipeHandle(taking: ends[0], passesHandles: passesHandles)
  } catch {
    close(ends[1])
    throw error
  }
  return (first, try PipeHandle(taking: ends[1], passesHandles: passesHandles))
}

extension PipeHandle {
  /// Closes the descriptor if no handle can be made of it.
  @MainActor convenience init(taking descriptor: Int32, passesHandles: Bool = false) throws(UVError) {
    do throws(UVError) {
      try self.init(descriptor: descriptor, passesHandles: passesHandles)
    } catch {
      Glibc.close(descriptor)
      throw error
    }
  }
}

@MainActor func names(_ area: Area) {
  area.expect("addresses", Operation.addresses(of: "localhost", port: 80)) {
    $0.isEmpty ? "none" : "some"
  }
  area.expect("numeric", Operation.addresses(of: "127.0.0.1", port: 80)) { "\($0)" }
  area.expect("names", Operation.names(of: .loopback(port: 80), options: [.numericService])) { $0.service }
}
