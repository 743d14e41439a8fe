import CPostgres
import Callbacks
import EventLoops
import Streams

/// The callback of an event procedure. libpq owns it until it destroys the connection.
typealias EventCallback = LentCallback<ConnectionEvent, Void>

extension Operation where Element == ConnectionEvent, Failure == PostgresError {
  /// The only event procedure of this module. libpq identifies it by its address (K2), so a connection accepts it once.
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
      // Zero would report a failure of the connection or the result.
      return 1
    }
  }

  /// Returns the events of a connection as a cold stream.
  ///
  /// The registration is permanent: libpq releases an event procedure only when it destroys the connection. The stream completes
  /// then. A second registration fails.
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
