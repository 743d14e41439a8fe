import CPostgres
import Callbacks
import EventLoops
import Streams

/// The box of an event procedure: libpq's until the connection is destroyed.
typealias EventCallback = LentCallback<ConnectionEvent, Void>

extension Operation where Element == ConnectionEvent, Failure == PostgresError {
  /// The one event procedure of this module. libpq knows it by its address (K2): a connection takes it once.
  private static var procedure: PGEventProc {
    { id, info, context in
      switch id {
      case PGEVT_CONNRESET: EventCallback.call(context, .reset)
      case PGEVT_RESULTCREATE:
        let event = info?.assumingMemoryBound(to: PGEventResultCreate.self).pointee
        EventCallback.call(context, .result(rows: Int(PQntuples(event?.result))))
      case PGEVT_CONNDESTROY: EventCallback.giveBack(context)
      default: break
      }
      // Zero would make the connection or the result a failure.
      return 1
    }
  }

  /// The events of a connection as a cold stream, which registers for good: libpq lets go of an event procedure when the
  /// connection is destroyed, and not before. Then the stream completes. Fails for a second registration.
  static func events(of connection: Connection) -> Operation {
    registering { observer in
      EventCallback({ observer.next($0) }, onEnd: { observer.completed() })
    } register: { callback throws(PostgresError) in
      guard let pointer = connection.pointer else { throw .closed }
      if PQregisterEventProc(pointer, procedure, "Headwater", callback.context) == 0 {
        throw PostgresError("the event procedure is registered with this connection already")
      }
    } unregister: { _ in
    }
    .deliver(after: connection.driver.calls)
  }
}
