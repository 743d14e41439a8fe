import CHiredis
import Callbacks
public import Streams

/// A connection to a Redis server whose answers and messages are streams.
///
/// ```swift
/// Operation.redis(host: "127.0.0.1").flatMapLatest { $0.command("INCR", "visits") }
///   .observe(next: { print($0) }, termination: { print($0) })
///   .dispose(in: bag)
/// ```
///
/// Nothing is delivered from inside of hiredis: observers may send commands, and may close the connection. The last reference
/// closes it. Confined: it belongs to the loop on which it is made.
public final class RedisConnection {
  private let client: Client
  private let listening: Multiplexer<String, RedisMessage, RedisError>
  // Closes at home where the last reference goes elsewhere.
  private let bag = DisposeBag()

  init(_ client: Client) {
    self.client = client
    listening = Multiplexer { channel in
      Operation { observer in client.listen(channel, observer) }
    }
    BlockDisposable { client.close() }.dispose(in: bag)
  }

  /// Sends a command when it is observed: one element, the answer, then completed.
  ///
  /// Answers come in the order of the commands, and any number may be under way. Fails with `RedisError.server` if the server
  /// refuses the command, and with `.connection` or `.closed` if the connection ends before the answer. Disposing drops the answer.
  public func command(_ words: String...) -> Operation<RedisValue, RedisError> { command(words.map { Array($0.utf8) }) }

  /// The same for words that are not text.
  public func command(_ words: [[UInt8]]) -> Operation<RedisValue, RedisError> {
    Operation { [client] observer in
      client.send(words, observer)
      return .none
    }
  }

  /// What is published on `channel`, in the order in which the server sends it.
  ///
  /// The first observer of a channel subscribes, the last one to be disposed unsubscribes; a connection with subscriptions takes no
  /// other commands. Fails once if the connection is lost, and completes if it is closed. It cannot wait: pausing has no effect.
  public func messages(on channel: String) -> Operation<RedisMessage, RedisError> { listening.stream(for: channel) }

  /// Closes the connection, completes its messages, and fails its commands with `.closed`: now, or when the call that is under way
  /// has returned. A second call does nothing.
  public func close() { client.close() }

  /// True once it is closed, or lost.
  public var isClosed: Bool { client.pointer == nil }
}

@available(*, unavailable)
extension RedisConnection: Sendable {}

extension Operation where Element == RedisConnection, Failure == RedisError {
  /// Connects to a server on the loop that observes: one element, a new connection, then completed. Disposing gives the attempt up.
  ///
  /// A name of a host is looked up before this returns.
  public static func redis(host: String, port: UInt16 = 6379) -> Operation {
    redis { redisAsyncConnect(host, Int32(port)) }
  }

  /// The same for a server's socket in the file system.
  public static func redis(path: String) -> Operation { redis { redisAsyncConnectUnix(path) } }

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
