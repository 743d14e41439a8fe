import CHiredis
import Callbacks
import EventLoops
import Streams

/// hiredis' object, the driver that watches its socket, and the observers of its channels.
///
/// If the connection is lost, hiredis destroys its object itself. It calls the `cleanup` hook before it closes the socket.
///
/// Ownership: RedisConnection ===> Client ===> the driver, whose closures do not retain the client; hiredis has a number (C6),
/// whose table ===> Client, until hiredis' object is destroyed.
final class Client {
  typealias Context = UnsafeMutablePointer<redisAsyncContext>
  typealias Table = CallbackTable<Client>
  typealias Reply = OnceCallback<Result<RedisValue, RedisError>, Void>

  /// hiredis' object; nil after hiredis has destroyed it.
  private(set) var pointer: Context?
  /// Runs the calls into hiredis, and the observers after them: an observer can close the connection, and hiredis' object must
  /// not be destroyed inside its callbacks (N1, N2).
  let driver: LibraryDriver
  private let descriptor: Int32
  private var table: Table?
  private var attempt: Observer<RedisConnection, RedisError>?
  /// The observers by the bytes of their channels. `String` compares characters, which can have several spellings.
  private var listeners: [[UInt8]: Observer<RedisMessage, RedisError>] = [:]
  private var subscribed: Set<[UInt8]> = []
  /// The number of unsubscriptions that the server has not confirmed. If anything but an unsubscription is sent before, hiredis may
  /// take its reply for another one and abort, so the rest waits.
  private var unsubscribing = 0
  private var waiting: [() -> Void] = []

  /// Takes ownership of the result of `redisAsyncConnect`.
  init(_ pointer: Context?, _ attempt: Observer<RedisConnection, RedisError>) throws(RedisError) {
    guard let pointer else { throw .connection("out of memory") }
    descriptor = pointer.pointee.c.fd
    do throws(RedisError) {
      if pointer.pointee.err != 0 { throw RedisError(pointer) }
      do throws(UVError) { driver = try LibraryDriver() } catch { throw .connection(error.description) }
    } catch {
      redisAsyncFree(pointer)
      throw error
    }
    self.pointer = pointer
    self.attempt = attempt
    driver.start(ready: { [unowned self] _, events in act(events) })
    // The hooks get `ev.data`, and the other callbacks read `data`. Both are the same context (C2).
    let table = Table(self)
    self.table = table
    pointer.pointee.data = table.context
    pointer.pointee.ev.data = table.context
    pointer.pointee.ev.addRead = { Table.with($0) { $0.watch { $0.insert(.readable) } } }
    pointer.pointee.ev.delRead = { Table.with($0) { $0.watch { $0.remove(.readable) } } }
    pointer.pointee.ev.addWrite = { Table.with($0) { $0.watch { $0.insert(.writable) } } }
    pointer.pointee.ev.delWrite = { Table.with($0) { $0.watch { $0.remove(.writable) } } }
    pointer.pointee.ev.cleanup = { Table.with($0) { $0.wasDestroyed() } }
    // Setting the connect callback also starts watching the socket.
    driver.during {
      redisAsyncSetConnectCallback(pointer) { pointer, status in
        Table.with(pointer?.pointee.data) { $0.didConnect(status == REDIS_OK ? nil : RedisError(pointer)) }
      }
      redisAsyncSetDisconnectCallback(pointer) { pointer, status in
        Table.with(pointer?.pointee.data) { $0.end(status == REDIS_OK ? .completed : .failed(RedisError(pointer))) }
      }
    }
  }

  // MARK: Calls by hiredis

  private func watch(_ change: (inout PollEvents) -> Void) {
    var events = driver.interest(in: descriptor)
    change(&events)
    do throws(UVError) {
      try driver.watch(descriptor, for: events)
    } catch {
      didConnect(.connection(error.description))
      end(.failed(.connection(error.description)))
      close()
    }
  }

  private func wasDestroyed() {
    // hiredis closes the socket after this call.
    driver.watchNothing()
    pointer = nil
    driver.afterCall { [self] in table = nil }
  }

  // MARK: Calls into hiredis

  private func act(_ events: PollEvents) {
    if events.contains(.readable), let pointer { redisAsyncHandleRead(pointer) }
    // Reading can destroy the object.
    if events.contains(.writable), let pointer { redisAsyncHandleWrite(pointer) }
  }

  private func didConnect(_ error: RedisError?) {
    guard let attempt else { return }
    self.attempt = nil
    driver.afterCall { [self] in
      if let error { return attempt.failed(error) }
      attempt.next(RedisConnection(self))
      attempt.completed()
    }
  }

  /// Whether the connection is lost, or closed: then hiredis' object may exist until the running call has returned.
  var isClosed: Bool { pointer == nil || driver.isClosed }

  func giveUp() { if attempt != nil { close() } }

  func close() {
    driver.close { [self] in
      if let pointer {
        // After the loop has been shut down, any thread may close, but the table drops the calls of other threads.
        pointer.pointee.ev.cleanup = nil
        pointer.pointee.onDisconnect = nil
        // Calls the callbacks of the pending commands without a reply.
        redisAsyncFree(pointer)
        wasDestroyed()
      }
      end(.completed)
    }
  }

  private func end(_ termination: Termination<RedisError>) {
    driver.afterCall { [self] in
      let observers = listeners.values
      listeners = [:]
      for observer in observers { observer.terminate(termination) }
      proceed()
    }
  }

  // MARK: Commands

  private var mustWait: Bool { unsubscribing > 0 && pointer != nil }

  private func whenUnsubscribed(_ body: @escaping () -> Void) {
    if mustWait { waiting.append(body) } else { body() }
  }

  private func proceed() {
    unsubscribing = 0
    let all = waiting
    waiting = []
    for body in all { whenUnsubscribed(body) }
  }

  func send(_ words: [[UInt8]], _ observer: Observer<RedisValue, RedisError>) {
    if let reason = refusal(of: words) { return observer.failed(.invalid(reason)) }
    if mustWait { return waiting.append { [self] in send(words, observer) } }
    let reply = Reply { [driver] result in
      driver.afterCall {
        switch result {
        case .success(let value):
          observer.next(value)
          observer.completed()
        case .failure(let error): observer.failed(error)
        }
      }
    }
    let status = format(words) { pointer, bytes, count in
      redisAsyncFormattedCommand(
        pointer, { Reply.call($2, .init(copying: $1, $0)) }, reply.context, bytes, count)
    }
    if status == REDIS_OK { return }
    reply.disarm()
    observer.failed(.closed)
  }

  /// Why a command cannot be sent. hiredis would abort, close the connection, or not deliver the reply.
  private func refusal(of words: [[UInt8]]) -> String? {
    if words.isEmpty { return "a command has at least one word" }
    // A subscription that waits comes after a command that has waited longer.
    if pointer != nil, !subscribed.isEmpty { return "the connection has subscriptions: make another one for commands" }
    // No such word is longer, and a value can have 500 MB.
    let names = words.prefix(3).map { String(decoding: $0.prefix(64), as: UTF8.self).uppercased() }
    if names[0].hasSuffix("SUBSCRIBE") || names[0].hasSuffix("MONITOR") {
      return "\(names[0]) has no single reply: use messages(on:)"
    }
    // Later commands would receive no reply, or that of another command.
    if ["SYNC", "PSYNC"].contains(names[0]) || names == ["CLIENT", "REPLY", "OFF"]
      || names == ["CLIENT", "REPLY", "SKIP"]
    {
      return "\(names.joined(separator: " ")) has no single reply: leave it out"
    }
    return nil
  }

  func listen(_ channel: [UInt8], _ observer: Observer<RedisMessage, RedisError>) -> any Disposable {
    listeners[channel] = observer
    whenUnsubscribed { [self] in
      guard let observer = listeners[channel], !subscribed.contains(channel) else { return }
      if subscribe("SUBSCRIBE", channel) {
        subscribed.insert(channel)
      } else {
        listeners[channel] = nil
        observer.failed(.closed)
      }
    }
    return BlockDisposable { [self] in
      guard listeners.removeValue(forKey: channel) != nil, subscribed.remove(channel) != nil else { return }
      if subscribe("UNSUBSCRIBE", channel) { unsubscribing += 1 }
    }
  }

  private func subscribe(_ command: String, _ channel: [UInt8]) -> Bool {
    guard let context = table?.context else { return false }
    return format([Array(command.utf8), channel]) { pointer, bytes, count in
      redisAsyncFormattedCommand(
        pointer,
        { _, reply, context in
          // No reply means the end of the connection.
          if let reply { Table.with(context) { $0.received(reply) } }
        }, context, bytes, count)
    } == REDIS_OK
  }

  /// Handles a reply to a subscription: a message, or a confirmation.
  private func received(_ reply: UnsafeMutableRawPointer) {
    guard case .array(let parts) = RedisValue(copying: reply.assumingMemoryBound(to: redisReply.self)), parts.count == 3
    else { return }
    if parts[0].text == "unsubscribe" {
      unsubscribing -= 1
      if unsubscribing == 0 { driver.afterCall { [self] in proceed() } }
    }
    guard parts[0].text == "message",
      case .bytes(let channel) = parts[1], case .bytes(let payload) = parts[2]
    else { return }
    driver.afterCall { [self] in
      if driver.isClosed { return }
      listeners[channel]?.next(RedisMessage(channel: String(decoding: channel, as: UTF8.self), payload: payload))
    }
  }

  /// Calls hiredis with a command in the format of the server. Returns `REDIS_ERR` if there is no connection.
  private func format(_ words: [[UInt8]], _ call: (Context, UnsafePointer<CChar>, Int) -> Int32) -> Int32 {
    guard let pointer, !driver.isClosed else { return REDIS_ERR }
    var bytes = Array("*\(words.count)\r\n".utf8)
    for word in words { bytes += Array("$\(word.count)\r\n".utf8) + word + Array("\r\n".utf8) }
    let count = bytes.count
    // hiredis searches the words of a subscription as a C string.
    bytes.append(0)
    return driver.during {
      bytes.withUnsafeBytes { call(pointer, $0.baseAddress!.assumingMemoryBound(to: CChar.self), count) }
    }
  }
}

extension Result<RedisValue, RedisError> {
  /// Copies a reply. No reply means the end of the connection.
  init(copying reply: UnsafeMutableRawPointer?, _ pointer: UnsafePointer<redisAsyncContext>?) {
    guard let reply else {
      self = .failure(RedisError(pointer))
      return
    }
    let value = RedisValue(copying: reply.assumingMemoryBound(to: redisReply.self))
    if case .error(let message) = value { self = .failure(.server(message)) } else { self = .success(value) }
  }
}
