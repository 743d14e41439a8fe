import CHiredis
import Callbacks
public import Streams

/// A connection to a Redis server whose replies and messages are streams.
///
/// ```swift
/// Operation.redis(host: "127.0.0.1").flatMapLatest { $0.command("INCR", "visits") }
///   .observe(next: { print($0) }, termination: { print($0) })
///   .dispose(in: bag)
/// ```
///
/// Elements are delivered after hiredis has returned, so an observer can send commands and close the connection. Its streams
/// retain the connection. Releasing the last reference closes it.
///
/// Confined to the loop on which it is created.
public final class RedisConnection {
  let client: Client
  private let listening: Multiplexer<[UInt8], RedisMessage, RedisError>
  // Closes at home if the last reference is released in another domain.
  private let bag = DisposeBag()

  init(_ client: Client) {
    self.client = client
    listening = Multiplexer { channel in
      Operation { observer in client.listen(channel, observer) }
    }
    BlockDisposable { client.close() }.dispose(in: bag)
  }

  /// Returns a cold stream that sends a command, emits the reply, and completes.
  ///
  /// Any number of commands can be in progress. Their replies are delivered in the order of the commands. Fails with
  /// `RedisError.server` if the server replies with an error, and with `.connection` or `.closed` if the connection ends before
  /// the reply. Disposing drops the reply. The server still executes the command.
  ///
  /// Fails with `RedisError.invalid`, and sends nothing, if there is no word, if the command has no single reply, or while the
  /// connection has subscriptions. After the last unsubscription, a command waits until the server has confirmed it.
  public func command(_ words: String...) -> Operation<RedisValue, RedisError> { command(words.map { Array($0.utf8) }) }

  /// Returns a cold stream that sends a command of bytes, for example with binary values, emits the reply, and completes.
  ///
  /// Fails with `RedisError.server` if the server replies with an error, and with `.connection` or `.closed` if the connection
  /// ends before the reply. Disposing drops the reply. The server still executes the command.
  public func command(_ words: [[UInt8]]) -> Operation<RedisValue, RedisError> {
    Operation { [self] observer in
      client.send(words, observer)
      return BlockDisposable { [self] in withExtendedLifetime(self) {} }
    }
  }

  /// Returns the messages that are published on `channel`, in the order of the server.
  ///
  /// The first observer of a channel subscribes, and the last disposal unsubscribes. While a connection has subscriptions,
  /// commands on it fail with `RedisError.invalid`. Fails if the connection is lost, and completes if it is closed. The stream has no
  /// backpressure: pausing an observer does not pause the server.
  public func messages(on channel: String) -> Operation<RedisMessage, RedisError> {
    listening.stream(for: Array(channel.utf8)).doOn(disposed: { [self] in withExtendedLifetime(self) {} })
  }

  /// Closes the connection, completes the streams of messages, and fails the pending commands with `.closed`: immediately, or
  /// after the running call of hiredis. A second call does nothing.
  public func close() { client.close() }

  /// Whether the connection has been closed or lost.
  public var isClosed: Bool { client.isClosed }
}

@available(*, unavailable)
extension RedisConnection: Sendable {}

extension Operation where Element == RedisConnection, Failure == RedisError {
  /// Returns a cold stream that connects to a server on the current loop, emits the connection, and completes.
  ///
  /// Fails if the connection cannot be made. Disposing abandons the attempt. Connecting does not block the loop, but a host name
  /// is resolved while `observe` runs.
  public static func redis(host: String, port: UInt16 = 6379) -> Operation {
    // hiredis would use only what is before the zero byte.
    if host.utf8.contains(0) { return .failed(.invalid("the host has a zero byte")) }
    return redis { redisAsyncConnect(host, Int32(port)) }
  }

  /// Returns a cold stream that connects to a server's socket in the file system, emits the connection, and completes.
  ///
  /// Fails if the connection cannot be made. Disposing abandons the attempt.
  public static func redis(path: String) -> Operation {
    // hiredis would cut the path off.
    if path.utf8.contains(0) || path.utf8.count > 107 {
      return .failed(.invalid("the path of a socket has at most 107 bytes and no zero byte"))
    }
    return redis { redisAsyncConnectUnix(path) }
  }

  private static func redis(_ connect: @escaping () -> UnsafeMutablePointer<redisAsyncContext>?) -> Operation {
    Operation { observer in
      do throws(RedisError) {
        let client = try Client(connect(), observer)
        return BlockDisposable { client.giveUp() }
      } catch {
        observer.failed(error)
        return .none
      }
    }
  }
}
