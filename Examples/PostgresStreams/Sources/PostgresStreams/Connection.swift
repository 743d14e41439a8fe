import CPostgres
import Callbacks
import EventLoops
import Glibc
import Postgres
import Streams

/// libpq's connection object, the observers of its channels, and the driver that watches its socket for them.
///
/// Ownership: PostgresConnection ===> Connection ===> the driver, whose closures do not retain the connection; libpq ===> the
/// callback of the event procedure, until libpq destroys its object.
final class Connection {
  /// libpq's object; nil after `close()`.
  private(set) var postgres: PGconn?
  var pointer: OpaquePointer? { postgres?.pointer }
  /// Runs the calls into libpq, which must not be called inside its callbacks (N1).
  let driver: LibraryDriver
  let notices = PushStream<PostgresNotice>()
  private var listeners: [Channel: Observer<PostgresNotification, PostgresError>] = [:]
  /// The channels whose LISTEN a rollback undoes, because it was executed in a transaction that has not ended.
  private var uncommitted: Set<Channel> = []
  private var attempt: Observer<PostgresConnection, PostgresError>?
  private let callbacks = DisposeBag()
  /// Whether the streams fail, or have failed, because the connection is lost. libpq tells of one loss several times.
  private var isLost = false
  /// Whether `close()` has been called. libpq's object is destroyed after the running call.
  private(set) var isClosed = false

  /// Calls `PQconnectStartParams` or `PQconnectdbParams`.
  init(
    _ parameters: String,
    _ connect: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>, Int32) -> OpaquePointer?
  ) throws(PostgresError) {
    if parameters.utf8.contains(0) { throw PostgresError("the connection parameters have a zero byte") }
    do throws(UVError) { driver = try LibraryDriver() } catch { throw PostgresError(error) }
    // The text of Swift is UTF-8, whatever the encoding of the database and of the parameters.
    let names = ["dbname", "client_encoding", nil].map { $0?.mallocedCopy() }
    let values = [parameters, "UTF8", nil].map { $0?.mallocedCopy() }
    defer { for text in names + values { free(text) } }
    guard let pointer = connect(names.map { UnsafePointer($0) }, values.map { UnsafePointer($0) }, 1) else {
      throw PostgresError("out of memory")
    }
    let postgres = PGconn(pointer, isOwned: true)
    self.postgres = postgres
    postgres.notices { PostgresNotice(copying: $0) }
      .observeNext { [driver, notices] notice in driver.afterCall { notices.next(notice) } }
      .dispose(in: callbacks)
    driver.start(
      ready: { [unowned self] _, _ in if attempt == nil { read() } else { step() } },
      afterCalls: { [unowned self] in collect() })
  }

  /// Calls libpq. The notices and events of its callbacks, and the notifications that it reads, are delivered after the call.
  func during<Result>(
    _ body: (PGconn) throws(PostgresError) -> Result
  ) throws(PostgresError) -> Result {
    guard let postgres, !isClosed else { throw .closed }
    return try driver.during { () throws(PostgresError) -> Result in try body(postgres) }
  }

  /// Runs a statement and returns its rows. Blocks until the server responds.
  func run(_ statement: String, _ values: [String?]) throws(PostgresError) -> [[String?]] {
    if ([statement] + values.compactMap { $0 }).contains(where: { $0.utf8.contains(0) }) {
      throw PostgresError("a statement or a value has a zero byte, which PostgreSQL does not accept")
    }
    defer { listenAgain() }
    return try during { postgres throws(PostgresError) in
      let copies = values.map { $0?.mallocedCopy() }
      defer { for copy in copies { copy.map { free($0) } } }
      let pointer = PQexecParams(
        postgres.pointer, statement, Int32(values.count), nil, copies.map { UnsafePointer($0) }, nil, nil, 0)
      guard let result = pointer.map({ PGresult($0, isOwned: true) }) else { throw PostgresError(postgres) }
      defer { result.clear() }
      switch result.resultStatus {
      case .tuplesOk, .commandOk, .emptyQuery: return rows(result)
      case .copyIn, .copyOut, .copyBoth:
        // libpq ends the COPY, and with it the transaction, before the next statement.
        PQclear(PQexec(postgres.pointer, ""))
        throw PostgresError("COPY between the server and the client is not supported")
      default: throw PostgresError(result)
      }
    }
  }

  private func rows(_ result: PGresult) -> [[String?]] {
    (0..<result.ntuples).map { row in
      (0..<result.nfields).map { column in
        result.getisnull(row, fieldNum: column) == 1 ? nil : result.getvalue(row, fieldNum: column)
      }
    }
  }

  // MARK: Connecting

  func connect(_ observer: Observer<PostgresConnection, PostgresError>) {
    attempt = observer
    go(on: postgres?.status == .bad ? .failed : .writing)
  }

  private func step() {
    // Each step can replace the socket.
    driver.watchNothing()
    if let postgres { go(on: postgres.connectPoll()) }
  }

  private func go(on status: PostgresPollingStatusTypeKind) {
    guard let postgres, let attempt else { return }
    do throws(PostgresError) {
      switch status {
      case .reading: try watch(for: .readable)
      case .writing: try watch(for: .writable)
      case .ok:
        self.attempt = nil
        driver.afterCall { [self] in
          attempt.next(PostgresConnection(self))
          attempt.completed()
        }
      default: throw PostgresError(postgres)
      }
    } catch {
      attempt.failed(error)
    }
  }

  func giveUp() { if attempt != nil { close() } }

  // MARK: Listening

  func listen(_ channel: Channel, _ observer: Observer<PostgresNotification, PostgresError>) -> any Disposable {
    listeners[channel] = observer
    do throws(PostgresError) {
      if channel.name.count > 63 {
        throw PostgresError("the name of the channel has more than 63 bytes, which PostgreSQL would cut off")
      }
      _ = try run("LISTEN \(channel.quoted)", [])
      if let pointer, PQtransactionStatus(pointer) != PQTRANS_IDLE { uncommitted.insert(channel) }
      try watch()
    } catch {
      listeners[channel] = nil
      stopWatching()
      observer.failed(error)
      return .none
    }
    return BlockDisposable { [self] in
      guard listeners.removeValue(forKey: channel) != nil else { return }
      if postgres?.status == .ok { _ = try? run("UNLISTEN \(channel.quoted)", []) }
      stopWatching()
    }
  }

  /// Listens again after the end of a transaction, because it may have been rolled back.
  private func listenAgain() {
    if uncommitted.isEmpty { return }
    guard let pointer, !isClosed, PQtransactionStatus(pointer) == PQTRANS_IDLE else { return }
    let channels = uncommitted
    uncommitted = []
    // If the connection is lost, the streams fail.
    for channel in channels where listeners[channel] != nil { _ = try? run("LISTEN \(channel.quoted)", []) }
  }

  private func watch(for events: PollEvents = .readable) throws(PostgresError) {
    do throws(UVError) { try driver.watch(postgres?.socket ?? -1, for: events) } catch { throw PostgresError(error) }
  }

  private func stopWatching() { if listeners.isEmpty { driver.watchNothing() } }

  private func read() {
    guard let postgres, (try? postgres.consumeInput()) == nil else { return }
    // Delivers the notifications that were received before the connection was lost.
    collect()
    fail(PostgresError(postgres))
  }

  /// Delivers the notifications that libpq has read, and fails the streams if the connection is lost. Both happen after the call
  /// into libpq, so an observer can use and close the connection.
  private func collect() {
    guard let postgres, attempt == nil else { return }
    while let notification = PQnotifies(postgres.pointer) {
      let notification = PostgresNotification(taking: notification)
      driver.afterCall { [self] in if !isClosed { listeners[Channel(notification.channel)]?.next(notification) } }
    }
    if postgres.status == .bad { fail(PostgresError(postgres)) }
  }

  private func fail(_ error: PostgresError) {
    // libpq has closed the socket.
    driver.watchNothing()
    if isLost { return }
    isLost = true
    driver.afterCall { [self] in
      // An observer of a notification may have connected again.
      if !isLost { return }
      let observers = listeners.values
      listeners = [:]
      for observer in observers { observer.failed(error) }
    }
  }

  // MARK: The connection

  /// Connects again, and subscribes to the channels that have observers. Notifications that are sent meanwhile are lost. Blocks.
  func reset() throws(PostgresError) {
    if isClosed { throw .closed }
    // libpq closes the old socket.
    driver.watchNothing()
    do throws(PostgresError) {
      try during { postgres throws(PostgresError) in
        postgres.reset()
        if postgres.status != .ok { throw PostgresError(postgres) }
      }
      isLost = false
      if listeners.isEmpty { return }
      for channel in listeners.keys { _ = try run("LISTEN \(channel.quoted)", []) }
      try watch()
    } catch {
      driver.during { fail(error) }
      throw error
    }
  }

  /// Completes the streams and destroys libpq's object: immediately, or after the running call.
  func close() {
    isClosed = true
    driver.close { [self] in
      guard let postgres else { return }
      self.postgres = nil
      // Calls the event procedure for the last time, which gives its context back.
      postgres.finish()
      callbacks.dispose()
      driver.afterCall { [self] in
        let observers = listeners.values
        listeners = [:]
        for observer in observers { observer.completed() }
        notices.completed()
      }
    }
  }
}
