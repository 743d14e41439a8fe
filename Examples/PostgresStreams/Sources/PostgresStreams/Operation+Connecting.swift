import CPostgres
import EventLoops
public import Streams

extension Operation where Element == PostgresConnection, Failure == PostgresError {
  /// Connects to a server on the loop that observes: one element, a new connection, then completed. Fails when that cannot be.
  ///
  /// `parameters` are libpq's: `host=/var/run/postgresql dbname=notes`, or an address `postgresql://…`. A name of a host is
  /// looked up before this returns. Disposing gives the attempt up.
  public static func postgres(_ parameters: String) -> Operation {
    Operation { observer in
      guard let pointer = PQconnectStart(parameters) else {
        observer.failed(PostgresError("out of memory"))
        return .none
      }
      let attempt = Attempt(pointer, observer)
      if PQstatus(pointer) == CONNECTION_BAD { attempt.fail() } else { attempt.wait(for: .writable) }
      return BlockDisposable { attempt.giveUp() }
    }
  }
}

/// A connection that is being made. The socket may be another at each step.
private final class Attempt {
  private var pointer: OpaquePointer?
  private let observer: Observer<PostgresConnection, PostgresError>
  private var poll: Subscription?

  init(_ pointer: OpaquePointer, _ observer: Observer<PostgresConnection, PostgresError>) {
    self.pointer = pointer
    self.observer = observer
  }

  func wait(for events: PollEvents) {
    poll = Operation<PollEvents, UVError>.poll(PQsocket(pointer), for: events).first().observe(
      next: { [self] _ in step() },
      termination: { [self] end in
        if case .failed(let error) = end { observer.failed(PostgresError(error.description)) }
      })
  }

  private func step() {
    guard let pointer else { return }
    poll?.dispose()
    poll = nil
    switch PQconnectPoll(pointer) {
    case PGRES_POLLING_READING: wait(for: .readable)
    case PGRES_POLLING_WRITING: wait(for: .writable)
    case PGRES_POLLING_OK:
      self.pointer = nil
      observer.next(PostgresConnection(Connection(pointer)))
      observer.completed()
    default: fail()
    }
  }

  func fail() { if let pointer { observer.failed(PostgresError(pointer)) } }

  func giveUp() {
    poll?.dispose()
    poll = nil
    if let pointer { PQfinish(pointer) }
    pointer = nil
  }
}
