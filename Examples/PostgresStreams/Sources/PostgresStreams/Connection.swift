import CPostgres
import Callbacks
import EventLoops
import Glibc
import Streams

/// libpq's connection object, the observers of its channels, and the driver that watches its socket for them.
///
/// Ownership: PostgresConnection ===> Connection ===> the driver, whose closures do not retain the connection; libpq ===> the
/// callback of the event procedure, until libpq destroys its object.
final class Connection {
  /// libpq's object; nil after `close()`.
  private(set) var pointer: OpaquePointer?
  /// Runs the calls into libpq, which must not be called inside its callbacks (N1).
  let driver: LibraryDriver
  let notices = PushStream<PostgresNotice>()
  private var listeners: [String: Observer<PostgresNotification, PostgresError>] = [:]
  private var attempt: Observer<PostgresConnection, PostgresError>?
  private var noticeReceiver: RepeatingCallback<PostgresNotice, Void>?
  /// Whether the streams fail, or have failed, because the connection is lost. libpq tells of one loss several times.
  private var isLost = false

  /// Takes ownership of the result of `PQconnectStart` or `PQconnectdb`.
  init(_ pointer: OpaquePointer?) throws(PostgresError) {
    do throws(UVError) {
      driver = try LibraryDriver()
    } catch {
      PQfinish(pointer)
      throw PostgresError(error)
    }
    guard let pointer else { throw PostgresError("out of memory") }
    self.pointer = pointer
    let receiver = RepeatingCallback<PostgresNotice, Void> { [driver, notices] notice in
      driver.afterCall { notices.next(notice) }
    }
    // Returns the previous function without its context (E4). It is libpq's default, which prints and has nothing to release.
    _ = PQsetNoticeReceiver(
      pointer, { RepeatingCallback<PostgresNotice, Void>.call($0, PostgresNotice(copying: $1)) }, receiver.context)
    noticeReceiver = receiver
    driver.start(
      ready: { [unowned self] _, _ in if attempt == nil { read() } else { step() } },
      afterCalls: { [unowned self] in collect() })
  }

  /// Calls libpq. The notices and events of its callbacks, and the notifications that it reads, are delivered after the call.
  func during<Result>(
    _ body: (OpaquePointer) throws(PostgresError) -> Result
  ) throws(PostgresError) -> Result {
    guard let pointer else { throw .closed }
    return try driver.during { () throws(PostgresError) -> Result in try body(pointer) }
  }

  /// Runs a statement and returns its rows. Blocks until the server responds.
  func run(_ statement: String, _ values: [String?]) throws(PostgresError) -> [[String?]] {
    if ([statement] + values.compactMap { $0 }).contains(where: { $0.utf8.contains(0) }) {
      throw PostgresError("a statement or a value has a zero byte, which PostgreSQL does not accept")
    }
    return try during { pointer throws(PostgresError) in
      let copies = values.map { $0?.mallocedCopy() }
      defer { for copy in copies { copy.map { free($0) } } }
      let result = PQexecParams(
        pointer, statement, Int32(values.count), nil, copies.map { UnsafePointer($0) }, nil, nil, 0)
      defer { PQclear(result) }
      switch PQresultStatus(result) {
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: return rows(result)
      case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
        throw PostgresError("COPY between the server and the client is not supported")
      default: throw PostgresError(result: result, pointer)
      }
    }
  }

  private func rows(_ result: OpaquePointer?) -> [[String?]] {
    (0..<PQntuples(result)).map { row in
      (0..<PQnfields(result)).map { column in
        PQgetisnull(result, row, column) == 1 ? nil : String(cString: PQgetvalue(result, row, column))
      }
    }
  }

  // MARK: Connecting

  func connect(_ observer: Observer<PostgresConnection, PostgresError>) {
    attempt = observer
    go(on: PQstatus(pointer) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING)
  }

  private func step() {
    // Each step can replace the socket.
    driver.watchNothing()
    go(on: PQconnectPoll(pointer))
  }

  private func go(on status: PostgresPollingStatusType) {
    guard let pointer, let attempt else { return }
    do throws(PostgresError) {
      switch status {
      case PGRES_POLLING_READING: try watch(for: .readable)
      case PGRES_POLLING_WRITING: try watch(for: .writable)
      case PGRES_POLLING_OK:
        self.attempt = nil
        driver.afterCall { [self] in
          attempt.next(PostgresConnection(self))
          attempt.completed()
        }
      default: throw PostgresError(pointer)
      }
    } catch {
      attempt.failed(error)
    }
  }

  func giveUp() { if attempt != nil { close() } }

  // MARK: Listening

  func listen(_ channel: String, _ observer: Observer<PostgresNotification, PostgresError>) -> any Disposable {
    listeners[channel] = observer
    do throws(PostgresError) {
      if channel.utf8.count > 63 {
        throw PostgresError("the name of the channel has more than 63 bytes, which PostgreSQL would cut off")
      }
      _ = try run("LISTEN \(quoted(channel))", [])
      try watch()
    } catch {
      listeners[channel] = nil
      stopWatching()
      observer.failed(error)
      return .none
    }
    return BlockDisposable { [self] in
      guard listeners.removeValue(forKey: channel) != nil else { return }
      if let pointer, PQstatus(pointer) == CONNECTION_OK { _ = try? run("UNLISTEN \(quoted(channel))", []) }
      stopWatching()
    }
  }

  private func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  private func watch(for events: PollEvents = .readable) throws(PostgresError) {
    do throws(UVError) { try driver.watch(PQsocket(pointer), for: events) } catch { throw PostgresError(error) }
  }

  private func stopWatching() { if listeners.isEmpty { driver.watchNothing() } }

  private func read() {
    guard let pointer, PQconsumeInput(pointer) == 0 else { return }
    // Delivers the notifications that were received before the connection was lost.
    collect()
    fail(PostgresError(pointer))
  }

  /// Delivers the notifications that libpq has read, and fails the streams if the connection is lost. Both happen after the call
  /// into libpq, so an observer can use and close the connection.
  private func collect() {
    guard let pointer, attempt == nil else { return }
    while let notification = PQnotifies(pointer) {
      let notification = PostgresNotification(taking: notification)
      driver.afterCall { [self] in if !driver.isClosed { listeners[notification.channel]?.next(notification) } }
    }
    if PQstatus(pointer) == CONNECTION_BAD { fail(PostgresError(pointer)) }
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
    // libpq closes the old socket.
    driver.watchNothing()
    do throws(PostgresError) {
      try during { pointer throws(PostgresError) in
        PQreset(pointer)
        if PQstatus(pointer) != CONNECTION_OK { throw PostgresError(pointer) }
      }
      isLost = false
      if listeners.isEmpty { return }
      for channel in listeners.keys { _ = try run("LISTEN \(quoted(channel))", []) }
      try watch()
    } catch {
      driver.during { fail(error) }
      throw error
    }
  }

  /// Completes the streams and destroys libpq's object: immediately, or after the running call.
  func close() {
    driver.close { [self] in
      guard let pointer else { return }
      self.pointer = nil
      // Calls the event procedure for the last time, which gives its context back.
      PQfinish(pointer)
      noticeReceiver = nil
      driver.afterCall { [self] in
        let observers = listeners.values
        listeners = [:]
        for observer in observers { observer.completed() }
        notices.completed()
      }
    }
  }
}
