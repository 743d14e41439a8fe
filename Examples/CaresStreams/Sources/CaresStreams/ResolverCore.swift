import CCares
import Callbacks
import Cares
import EventLoops
import Glibc
import Streams

/// A channel of c-ares, on a driver that watches its sockets and runs its timeout.
///
/// Ownership: Resolver ===> ResolverCore <===> the callback for the sockets, until `close()`.
final class ResolverCore: OptionsDelegate {
  private static let initialization: Int32 = ares_library_init(ARES_LIB_INIT_NONE)

  private let driver: LibraryDriver
  private var channel: Channel?
  private var sockets: RepeatingCallback<(any OptionsDelegate)?>?
  private(set) var questionCount = 0
  /// True while queries are canceled because their socket cannot be watched.
  private var isUnwatchable = false

  init(_ options: Resolver.Options) throws(ResolverError) {
    if Self.initialization != ARES_SUCCESS { throw ResolverError(Self.initialization) }
    // c-ares ignores what is behind a zero byte, and numbers that no port has.
    let areAddresses = options.servers.allSatisfy { server in
      let address = (try? SocketAddress(server, port: 53)) ?? (try? SocketAddress(server))
      return address?.family == .ipv4 || address?.family == .ipv6
    }
    if !areAddresses { throw ResolverError(ARES_EBADSTR) }
    do throws(UVError) { driver = try LibraryDriver() } catch { throw ResolverError(ARES_ENOMEM) }
    var settings = ares_options()
    settings.timeout = Int32(max(1, min(options.timeout / .milliseconds(1), Double(Int32.max))))
    settings.tries = Int32(clamping: options.attempts)
    settings.lookups = strdup(options.usesHostsFile ? "fb" : "b")
    defer { free(settings.lookups) }
    let sockets = settings.setDelegate(self)
    let parts = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_LOOKUPS | ARES_OPT_SOCK_STATE_CB
    var pointer: ares_channel?
    var status = ares_init_options(&pointer, &settings, parts)
    if status == ARES_SUCCESS, !options.servers.isEmpty {
      status = ares_set_servers_ports_csv(pointer, options.servers.joined(separator: ","))
      if status != ARES_SUCCESS { ares_destroy(pointer) }
    }
    guard status == ARES_SUCCESS, let pointer else {
      driver.close()
      throw ResolverError(status)
    }
    self.sockets = sockets
    channel = Channel(pointer)
    driver.start(
      ready: { [unowned self] socket, events in
        process(events.contains(.readable) ? socket : -1, events.contains(.writable) ? socket : -1)
      },
      timeout: { [unowned self] in process(-1, -1) },
      afterCalls: { [unowned self] in schedule() })
  }

  // MARK: Calls by c-ares, and into it

  func socketStateChanged(_ socket: Int32, _ readable: Int32, _ writable: Int32) {
    var events: PollEvents = []
    if readable != 0 { events.insert(.readable) }
    if writable != 0 { events.insert(.writable) }
    do throws(UVError) {
      try driver.watch(socket, for: events)
    } catch {
      // c-ares would wait for the socket until its queries time out. It can only cancel all queries.
      driver.afterCall { [self] in
        guard let channel else { return }
        isUnwatchable = true
        driver.during { ares_cancel(channel.pointer) }
        isUnwatchable = false
      }
    }
  }

  private func process(_ readable: Int32, _ writable: Int32) {
    if let channel { ares_process_fd(channel.pointer, readable, writable) }
  }

  private func schedule() {
    guard let channel else { return }
    var time = timeval()
    let isPending = ares_timeout(channel.pointer, nil, &time) != nil
    driver.setTimeout(isPending ? .seconds(time.tv_sec) + .microseconds(time.tv_usec) : nil)
  }

  // MARK: Queries

  /// Returns a cold stream of one query, which `ask` starts. c-ares calls `answer` once, possibly inside `ask`. The result is
  /// delivered after the call into c-ares.
  func question<Answer>(
    _ ask: @escaping (Channel, _ answer: @escaping (_ status: Int32, _ value: () -> Answer) -> Void) -> Void
  ) -> Operation<Answer, ResolverError> {
    Operation { [self] observer in
      guard let channel else {
        observer.failed(.closed)
        return .none
      }
      var isOpen = true
      questionCount += 1
      driver.during {
        ask(channel) { [self] status, value in
          if !isOpen { return }
          let reason = isUnwatchable ? ARES_ECONNREFUSED : status
          let result = status == ARES_SUCCESS ? Result.success(value()) : .failure(ResolverError(reason))
          driver.afterCall { [self] in
            if !isOpen { return }
            isOpen = false
            questionCount -= 1
            switch result {
            case .success(let value):
              observer.next(value)
              observer.completed()
            case .failure(let error): observer.failed(error)
            }
          }
        }
      }
      return BlockDisposable { [self] in
        if !isOpen { return }
        isOpen = false
        questionCount -= 1
        cancelIfUnused()
      }
    }
  }

  /// Cancels the queries of c-ares if no observer is left, because c-ares can only cancel all of them.
  private func cancelIfUnused() {
    driver.afterCall { [self] in
      guard questionCount == 0, let channel else { return }
      driver.during { ares_cancel(channel.pointer) }
    }
  }

  func close() {
    driver.close { [self] in
      guard let channel else { return }
      self.channel = nil
      // Ends the queries in progress with ARES_EDESTRUCTION.
      ares_destroy(channel.pointer)
      sockets = nil
    }
  }
}
