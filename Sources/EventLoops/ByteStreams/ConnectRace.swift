import CUV
public import Streams

extension Operation where Element == TCPHandle, Failure == UVError {
  /// Connects to the first of `addresses` that answers, when observed: one element, the connection, then completed.
  ///
  /// They are tried in turn, IPv6 and IPv4 alternately; the next one a quarter of a second after the one before, or as soon as
  /// that has failed (RFC 8305). The first that answers wins, and the others are given up. Fails when all have failed, with
  /// the error of the last; with `EADDRNOTAVAIL` where there are none.
  ///
  /// - Parameters:
  ///   - addresses: The addresses, in the order of preference.
  ///   - name: The name that errors state beside the address, such as the host.
  public static func connect(toFirstOf addresses: [SocketAddress], name: String? = nil) -> Operation {
    Operation { observer in
      let race = ConnectRace(alternating(addresses), name, observer)
      race.startNext()
      return race
    }
  }

  /// The first family's addresses and the others' in turn, each in its order.
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
        // Its own attempt has ended.
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
  /// Resolves `host` and connects to the first of its addresses that answers, when observed: one element, the connection,
  /// then completed. See `connect(toFirstOf:)` and `addresses(of:)`.
  ///
  /// ```swift
  /// let connection = try await Operation.connect(host: "localhost", port: 8080).value
  /// ```
  ///
  /// Fails with what resolving fails with, such as `ENOTFOUND`, and with what the last attempt fails with; errors name the host.
  /// Disposing gives up, whatever is under way.
  ///
  /// - Parameters:
  ///   - host: The name of the host, or an address.
  ///   - port: The port.
  ///   - family: The only family of addresses to try; nil tries both.
  public static func connect(host: String, port: UInt16, family: SocketAddress.Family? = nil) -> Operation {
    Operation<[SocketAddress], UVError>.addresses(of: host, port: port, family: family)
      .flatMap(.latest) { connect(toFirstOf: $0, name: host) }
  }
}
