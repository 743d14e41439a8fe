import CPostgres
import Callbacks
import EventLoops
import Glibc
import Streams

/// libpq's object, what listens to it, and the driver that watches its socket meanwhile.
///
/// Ownership: PostgresConnection ===> Connection ===> the driver, whose closures do not own it; libpq ===> the box of the
/// event procedure, until the connection is destroyed.
final class Connection {
  /// nil after `close()`.
  private(set) var pointer: OpaquePointer?
  /// libpq must not be called from inside of its callbacks (N1).
  let driver: LibraryDriver
  let notices = PushStream<PostgresNotice>()
  private var listeners: [String: Observer<PostgresNotification, PostgresError>] = [:]
  private var attempt: Observer<PostgresConnection, PostgresError>?
  private var noticeReceiver: RepeatingCallback<PostgresNotice, Void>?

  /// Takes over what `PQconnectStart` or `PQconnectdb` has returned.
  init(_ pointer: OpaquePointer?) throws(PostgresError) {
    do throws(UVError) { driver = try LibraryDriver() } catch { throw PostgresError(error) }
    guard let pointer else { throw PostgresError("out of memory") }
    self.pointer = pointer
    let receiver = RepeatingCallback<PostgresNotice, Void> { [driver, notices] notice in
      driver.afterCall { notices.next(notice) }
    }
    // Returns the function that was there before, without its context (E4): that one was libpq's own, which prints.
    _ = PQsetNoticeReceiver(
      pointer, { RepeatingCallback<PostgresNotice, Void>.call($0, PostgresNotice(copying: $1)) }, receiver.context)
    noticeReceiver = receiver
    driver.start(
      ready: { [unowned self] _, _ in if attempt == nil { read() } else { step() } },
      afterCalls: { [unowned self] in collect() })
  }

  /// Calls libpq; what its callbacks send meanwhile, and the notifications that it has read beside, are delivered when it has
  /// returned.
  func during<Result>(
    _ body: (OpaquePointer) throws(PostgresError) -> Result
  ) throws(PostgresError) -> Result {
    guard let pointer else { throw .closed }
    return try driver.during { () throws(PostgresError) -> Result in try body(pointer) }
  }

  /// Runs a statement and gives its rows.
  func run(_ statement: String, _ values: [String?]) throws(PostgresError) -> [[String?]] {
    try during { pointer throws(PostgresError) in
      let copies = values.map { $0?.mallocedCopy() }
      defer { for copy in copies { copy.map { free($0) } } }
      let result = PQexecParams(
        pointer, statement, Int32(values.count), nil, copies.map { UnsafePointer($0) }, nil, nil, 0)
      defer { PQclear(result) }
      switch PQresultStatus(result) {
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: return rows(result)
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
    // The socket may be another after each step.
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
    // What came with the end comes before it.
    collect()
    fail(PostgresError(pointer))
  }

  /// Takes the notifications that libpq has read, and finds out whether the connection is lost. An observer may call libpq, and close.
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
    driver.afterCall { [self] in
      let observers = listeners.values
      listeners = [:]
      for observer in observers { observer.failed(error) }
    }
  }

  // MARK: The connection

  /// Connects again. Who listens goes on listening; what is sent meanwhile is lost.
  func reset() throws(PostgresError) {
    // libpq closes the descriptor.
    driver.watchNothing()
    try during { pointer throws(PostgresError) in
      PQreset(pointer)
      if PQstatus(pointer) != CONNECTION_OK { throw PostgresError(pointer) }
    }
    if listeners.isEmpty { return }
    for channel in listeners.keys { _ = try run("LISTEN \(quoted(channel))", []) }
    try watch()
  }

  /// Completes the streams and lets go of libpq's object: now, or when the call that is under way has returned.
  func close() {
    driver.close { [self] in
      guard let pointer else { return }
      self.pointer = nil
      // Gives the box of the event procedure back.
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
