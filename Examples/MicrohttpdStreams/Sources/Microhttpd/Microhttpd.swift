// Written by wrap-library from microhttpd.h, Sources/CMicrohttpd/daemon.h.
// Change the choices beside this file and run it again; what is edited here is lost.

public import CMicrohttpd
public import Callbacks

/// A function of C that has failed.
nonisolated public struct MicrohttpdFailure: Error, Hashable, CustomStringConvertible {
  /// The name of the function.
  public let function: String
  /// The code that it returned.
  public let code: Int

  /// Creates the failure of a function, for calls of your own.
  public init(function: String, code: Int) {
    self.function = function
    self.code = code
  }

  /// The function and its code.
  public var description: String { "\(function) failed with the code \(code)." }
}

/// Callbacks that belong to no object.
nonisolated public enum MicrohttpdLibrary {
  /// The closures for `MHD_start_server`.
  private struct StartServerFunctions: Sendable {
    let answer:
      (
        @Sendable (
          _ connection: OpaquePointer?, _ url: String?, _ method: String?, _ version: String?, _ uploadData: [UInt8]?,
          _ uploadDataSize: UnsafeMutablePointer<Int>?, _ conCls: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        ) -> MHD_Result
      )?
    let complete:
      (
        @Sendable (
          _ connection: OpaquePointer?, _ conCls: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
          _ toe: MHD_RequestTerminationCode
        ) -> Void
      )?
  }

  private typealias StartServerCallback = ForeignCallback<StartServerFunctions?>

  /// Starts a server with one thread.
  ///
  /// C: `MHD_start_server`.
  public static func startServer(
    _ flags: UInt32, _ port: UInt16, _ timeout: UInt32,
    answer: (
      @Sendable (
        _ connection: OpaquePointer?, _ url: String?, _ method: String?, _ version: String?, _ uploadData: [UInt8]?,
        _ uploadDataSize: UnsafeMutablePointer<Int>?, _ conCls: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
      ) -> MHD_Result
    )? = nil,
    complete: (
      @Sendable (
        _ connection: OpaquePointer?, _ conCls: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        _ toe: MHD_RequestTerminationCode
      ) -> Void
    )? = nil, registered: @escaping (OpaquePointer) -> Void = { _ in }
  ) throws(MicrohttpdFailure) -> any Disposable {
    let functions = StartServerFunctions(answer: answer, complete: complete)
    let callback = StartServerCallback { functions }
    guard
      let registration = MHD_start_server(
        flags, port, timeout,
        answer == nil
          ? nil
          : { @Sendable context, connection, url, method, version, uploadData, uploadDataSize, conCls in
            StartServerCallback.call(context, otherwise: nil)?.answer?(
              connection, url.map { String(cString: $0) }, method.map { String(cString: $0) },
              version.map { String(cString: $0) },
              uploadData.map { [UInt8](lentBytes($0, uploadDataSize?.pointee ?? 0)) }, uploadDataSize, conCls) ?? zero()
          },
        complete == nil
          ? nil
          : { @Sendable context, connection, conCls, toe in
            StartServerCallback.call(context, otherwise: nil)?.complete?(connection, conCls, toe)
          }, callback.context)
    else {
      callback.disarm()
      throw MicrohttpdFailure(function: "MHD_start_server", code: 0)
    }
    registered(registration)
    return BlockDisposable {
      if callback.isEnded { return }
      MHD_stop_daemon(registration)
      callback.disarm()
    }
  }

  private typealias RespondCallback = ForeignCallback<UInt64, UnsafeMutablePointer<CChar>?, Int, Int>

  /// Create a response object.
  ///
  /// It ends when the library releases its context.
  /// C: `MHD_create_response_from_callback`.
  public static func respond(
    _ size: UInt64, _ blockSize: Int,
    _ answer: @escaping @Sendable (_ pos: UInt64, _ buf: UnsafeMutablePointer<CChar>?, _ max: Int) -> Int,
    registered: @escaping (OpaquePointer) -> Void = { _ in }
  ) throws(MicrohttpdFailure) -> any Disposable {
    let callback = RespondCallback(answer)
    guard
      let registration = MHD_create_response_from_callback(
        size, blockSize,
        { @Sendable context, pos, buf, maxValue in RespondCallback.call(context, pos, buf, maxValue, otherwise: 0) },
        callback.lend(), { @Sendable context in RespondCallback.giveBack(context) })
    else {
      callback.disarm()
      throw MicrohttpdFailure(function: "MHD_create_response_from_callback", code: 0)
    }
    registered(registration)
    return BlockDisposable {
      if callback.isEnded { return }
      MHD_destroy_response(registration)
    }
  }
}

/// The callbacks of a `struct MHD_Connection`.
///
/// You make the object and destroy it, after disposing the subscriptions to its callbacks.
nonisolated public final class Connection {
  /// The object of the library.
  public let pointer: OpaquePointer

  /// Wraps an object of the library.
  public init(_ pointer: OpaquePointer) { self.pointer = pointer }

  private typealias ValuesCallback = ScopedCallback<MHD_ValueKind, String?, String?, MHD_Result>

  /// Get all of the headers from the request.
  ///
  /// Calls `body` while it runs.
  /// C: `MHD_get_connection_values`.
  @discardableResult
  public func values(
    _ kind: MHD_ValueKind, _ body: (_ kind: MHD_ValueKind, _ key: String?, _ value: String?) -> MHD_Result
  ) throws(MicrohttpdFailure) -> Int32 {
    let result = ValuesCallback.with(body) { context in
      MHD_get_connection_values(
        pointer, kind,
        { context, kind, key, value in
          ValuesCallback.call(
            context, kind, key.map { String(cString: $0) }, value.map { String(cString: $0) }, otherwise: zero())
        }, context)
    }
    if result < 0 { throw MicrohttpdFailure(function: "MHD_get_connection_values", code: Int(result)) }
    return result
  }
}

/// The value that answers a call that is dropped.
nonisolated private func zero<Value: RawRepresentable>() -> Value where Value.RawValue: BinaryInteger {
  guard let value = Value(rawValue: 0) else { preconditionFailure("\(Value.self) has no value of zero.") }
  return value
}

/// The memory that C lends; empty if there is none.
nonisolated private func lentBytes(_ start: UnsafeRawPointer?, _ count: some BinaryInteger) -> UnsafeRawBufferPointer {
  UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : max(0, Int(count)))
}
