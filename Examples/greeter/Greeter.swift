import Headwater

/// A server that greets each line that a client sends.
///
/// Ownership: Greeter ===> bag ===> the streams of the listener and of the clients ~~~> Greeter.
final class Greeter {
  private let configuration: Property<Configuration>
  private let listener: Property<TCPListener>
  private let shutdown: GracefulShutdown
  private let bag = DisposeBag()
  /// The setting for which the listener was made: 0 if the system has chosen its port.
  private var port: UInt16
  private var clients = 0

  /// Starts to listen. Throws if the port cannot be used.
  init(_ configuration: Property<Configuration>, until shutdown: GracefulShutdown) throws(UVError) {
    self.configuration = configuration
    self.shutdown = shutdown
    port = configuration.value.port
    listener = Property(try TCPListener(on: .loopback(port: port)))
    say("listening on \(listener.value.address)")

    // `serving` comes after `flatMap(.latest)`, so connected clients stay when the listener is replaced.
    listener.flatMap(.latest) { $0.connections }
      .serving(until: shutdown) { [unowned self] in serve($0) }
      .observeFailed { complain("\($0)") }
      .dispose(in: bag)
    configuration.skip(1)
      .observeNext { [unowned self] in listen(on: $0.port) }
      .dispose(in: bag)
    // The property retains the listener: new clients are refused only after it has been disposed.
    shutdown.begins.observeNext { [unowned self] in listener.value.dispose() }.dispose(in: bag)
  }

  /// Replaces the listener, unless it listens on `port`. Keeps it if the new port cannot be used, which is tried again
  /// when the configuration is read again.
  private func listen(on port: UInt16) {
    if port == self.port || port == listener.value.address.port { return }
    do throws(UVError) {
      let next = try TCPListener(on: .loopback(port: port))
      self.port = port
      listener.swap(next).dispose()
      say("listening on \(next.address)")
    } catch {
      complain("still listening on \(listener.value.address): \(error)")
    }
  }

  private func serve(_ connection: TCPHandle) -> Stream<Int> {
    if clients >= configuration.value.clients {
      connection.write("busy\n")
      connection.close(within: .seconds(1))
      return .completed()
    }
    clients += 1
    // The timer has its own subscription, because the time of an operator does not run while the chain is paused.
    let activity = PushStream<Void>()
    let idle = activity.start(with: ()).debounce(for: configuration.value.idle).observeNext { connection.dispose() }
    return connection.bytes
      .doOn(next: { _ in activity.next() })
      .lines(cutAt: 4096)
      .take(until: shutdown.begins)
      .map { [configuration] name in Bytes("\(configuration.value.greeting), \(name)\n".utf8) }
      .pipe(to: connection)
      .doOn(disposed: { [weak self] in
        idle.dispose()
        self?.clients -= 1
      })
      .toStream(logError: false)
  }
}
