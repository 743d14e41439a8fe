import CUV
public import Streams

extension Operation where Element == TCPHandle, Failure == UVError {
  /// Connects, when observed, to the first of `addresses` that answers. Emits the connection and completes.
  ///
  /// The addresses are tried in turn, alternating between IPv6 and IPv4, beginning with the family of the first. The
  /// next one is tried 250 milliseconds after the previous one, or as soon as that one has failed (RFC 8305). The first
  /// that answers wins, and the other attempts are abandoned. If all fail, the operation fails with the error of the
  /// last one. Without addresses, it fails with `EADDRNOTAVAIL`.
  ///
  /// - Parameters:
  ///   - addresses: The addresses, in the order of preference.
  ///   - name: A name to state in errors next to the address, such as the host.
  public static func connect(toFirstOf addresses: [SocketAddress], name: String? = nil) -> Operation {
    Operation { observer in
      let race = ConnectRace(alternating(addresses), name, observer)
      race.startNext()
      return race
    }
  }

  /// Returns the addresses of the first family and the others in turn, each in their order.
  private static func alternating(_ addresses: [SocketAddress]) -> [SocketAddress] {
    guard let family = addresses.first?.family else { return [] }
    let firsts = addresses.filter { $0.family == family }
    let others = addresses.filter { $0.family != family }
    var result: [SocketAddress] = []
    for index in 0..<max(firsts.count, others.count) {
      if index < firsts.count { result.append(firsts[index]) }
      if index < others.count { result.append(others[index]) }
    }
    return result
  }
}

/// Several attempts to connect, of which one wins.
private final class ConnectRace: Disposable {
  /// The "connection attempt delay" of RFC 8305.
  private static let patience = Duration.milliseconds(250)

  private var left: ArraySlice<SocketAddress>
  private let name: String?
  private let observer: Observer<TCPHandle, UVError>
  private let attempts = DisposeBag()
  private var timer: (any Disposable)?
  private var running = 0
  private var lastError = UVError(code: UV_EADDRNOTAVAIL.rawValue, call: "uv_tcp_connect")
  private(set) var isDisposed = false

  init(_ addresses: [SocketAddress], _ name: String?, _ observer: Observer<TCPHandle, UVError>) {
    left = addresses[...]
    self.name = name
    self.observer = observer
  }

  func startNext() {
    timer?.dispose()
    timer = nil
    if isDisposed { return }
    guard let address = left.popFirst() else {
      if running == 0 { fail() }
      return
    }
    running += 1
    if !left.isEmpty {
      timer = Loop.current.scheduler.schedule(after: ConnectRace.patience) { [weak self] in self?.startNext() }
    }
    Operation.connect(to: address).observe(
      next: { [self] connection in
        // The attempt of this connection has ended.
        dispose()
        observer.next(connection)
        observer.completed()
      },
      termination: { [self] end in
        guard let error = end.failure, !isDisposed else { return }
        lastError = error
        running -= 1
        startNext()
      }
    ).dispose(in: attempts)
  }

  private func fail() {
    dispose()
    let path = [name, lastError.path].compactMap { $0 }
    observer.failed(
      UVError(code: lastError.code, call: lastError.call, path: path.isEmpty ? nil : path.joined(separator: " at ")))
  }

  func dispose() {
    if isDisposed { return }
    isDisposed = true
    timer?.dispose()
    timer = nil
    attempts.dispose()
  }
}

extension Operation where Element == TCPHandle, Failure == UVError {
  /// Resolves `host` when observed and connects to the first of its addresses that answers. Emits the connection and
  /// completes.
  ///
  /// ```swift
  /// let connection = try await Operation.connect(host: "localhost", port: 8080).value
  /// ```
  ///
  /// IPv6 and IPv4 addresses are tried alternately, 250 milliseconds apart (RFC 8305). Fails with the error of
  /// resolving, such as `ENOTFOUND`, or with the error of the last attempt; errors name the host. Disposing abandons
  /// everything under way.
  ///
  /// - Parameters:
  ///   - host: The name of the host, or an address.
  ///   - port: The port.
  ///   - family: The only address family to try. Nil tries both.
  public static func connect(host: String, port: UInt16, family: SocketAddress.Family? = nil) -> Operation {
    Operation<[SocketAddress], UVError>.addresses(of: host, port: port, family: family)
      .flatMap(.latest) { connect(toFirstOf: $0, name: host) }
  }
}
