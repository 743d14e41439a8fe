import CPostgres
import Callbacks
import EventLoops
import Glibc
import Streams

/// libpq's object, what listens to it, and the descriptor that is watched meanwhile.
///
/// Ownership: PostgresConnection ===> Connection ===> the poll, whose closures hold it weakly; libpq ===> the box of the
/// event procedure, until the connection is destroyed.
final class Connection {
  /// nil after `close()`.
  private(set) var pointer: OpaquePointer?
  /// libpq must not be called from inside of its callbacks (N1).
  let calls = Deferral()
  let notices = PushStream<PostgresNotice>()
  private var listeners: [String: Observer<PostgresNotification, PostgresError>] = [:]
  private var poll: Subscription?
  private var noticeReceiver: RepeatingCallback<PostgresNotice, Void>?
  private var isDraining = false

  /// Takes over a connection that has been made.
  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
    let receiver = RepeatingCallback<PostgresNotice, Void> { [calls, notices] notice in
      calls.afterCall { notices.next(notice) }
    }
    // Returns the function that was there before, without its context (E4): that one was libpq's own, which prints.
    _ = PQsetNoticeReceiver(
      pointer, { RepeatingCallback<PostgresNotice, Void>.call($0, PostgresNotice(copying: $1)) }, receiver.context)
    noticeReceiver = receiver
  }

  /// Calls libpq; what its callbacks send meanwhile is delivered when it has returned, and then the notifications that it has
  /// read beside.
  func during<Result>(
    _ body: (OpaquePointer) throws(PostgresError) -> Result
  ) throws(PostgresError) -> Result {
    guard let pointer else { throw .closed }
    defer { calls.afterCall { [self] in drain() } }
    return try calls.during { () throws(PostgresError) -> Result in try body(pointer) }
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

  // MARK: Listening

  func listen(_ channel: String, _ observer: Observer<PostgresNotification, PostgresError>) -> any Disposable {
    listeners[channel] = observer
    do throws(PostgresError) {
      _ = try run("LISTEN \(quoted(channel))", [])
      if poll == nil { watch() }
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

  private func watch() {
    guard let pointer else { return }
    poll = Operation<PollEvents, UVError>.poll(PQsocket(pointer), for: .readable).observe(
      next: { [weak self] _ in self?.read() },
      termination: { [weak self] end in
        if case .failed(let error) = end { self?.fail(PostgresError(error.description)) }
      })
  }

  private func stopWatching() {
    if !listeners.isEmpty { return }
    poll?.dispose()
    poll = nil
  }

  private func read() {
    guard let pointer else { return }
    if calls.during({ PQconsumeInput(pointer) }) == 1, PQstatus(pointer) == CONNECTION_OK {
      drain()
    } else {
      // What came with the end comes before it.
      drain()
      fail(PostgresError(pointer))
    }
  }

  /// Delivers the notifications that libpq has read. An observer may call libpq, and close.
  private func drain() {
    if isDraining { return }
    isDraining = true
    defer { isDraining = false }
    while let pointer, let notification = PQnotifies(pointer) {
      let notification = PostgresNotification(taking: notification)
      listeners[notification.channel]?.next(notification)
    }
  }

  private func fail(_ error: PostgresError) {
    let observers = listeners.values
    listeners = [:]
    stopWatching()
    for observer in observers { observer.failed(error) }
  }

  // MARK: The connection

  /// Connects again. Who listens goes on listening; what is sent meanwhile is lost.
  func reset() throws(PostgresError) {
    guard let pointer else { throw .closed }
    // libpq closes the descriptor: nobody may watch it then.
    poll?.dispose()
    poll = nil
    calls.during { PQreset(pointer) }
    guard PQstatus(pointer) == CONNECTION_OK else {
      let error = PostgresError(pointer)
      fail(error)
      throw error
    }
    if listeners.isEmpty { return }
    for channel in listeners.keys { _ = try run("LISTEN \(quoted(channel))", []) }
    watch()
  }

  /// Completes the streams and lets go of libpq's object: now, or when the call that is under way has returned.
  func close() { calls.afterCall { [self] in closeNow() } }

  private func closeNow() {
    guard let pointer else { return }
    self.pointer = nil
    poll?.dispose()
    poll = nil
    // Gives the box of the event procedure back.
    calls.during { PQfinish(pointer) }
    noticeReceiver = nil
    let observers = listeners.values
    listeners = [:]
    for observer in observers { observer.completed() }
    notices.completed()
  }
}
