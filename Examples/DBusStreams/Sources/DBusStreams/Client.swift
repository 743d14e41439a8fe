import CSystemdBus
import Callbacks
import EventLoops
import Glibc
import Properties
import Streams
import SystemdBus

/// The driver, the connection of sd-bus that exists now, and what has to be made again when there is another one.
///
/// Confined to the loop of its driver. sd-bus must not be entered from inside its callbacks, so everything is delivered
/// after the call during which it has arrived (N1).
///
/// Ownership: DBusConnection ===> Client ===> Bus, the driver, the installations, and the pending calls; the closures
/// of the driver, and sd-bus' callbacks, refer to the client weakly.
final class Client {
  let address: DBusAddress
  let driver: LibraryDriver
  private let loop: Loop
  let state = Property<DBusConnection.State>(.connecting)
  private let retryDelay: Duration
  /// The connection of sd-bus; nil between two connections, and after `close()`.
  private(set) var bus: Bus?
  private var descriptor: Int32 = -1
  /// Why there is no connection.
  private var absence = DBusError.closed
  private var hasReported = false
  private var installations: [Int: Installation] = [:]
  private var installationsInOrder: [Installation] { installations.sorted { $0.key < $1.key }.map(\.value) }
  private var pending: [Int: PendingCall] = [:]
  private var lastID = 0
  /// Messages are waiting in sd-bus, which the descriptor does not show.
  private var hasMore = false
  /// The paths of the objects that this program exports.
  var exported: Set<DBusObjectPath> = []

  init(_ address: DBusAddress, retryingAfter delay: Duration, on loop: Loop) throws(UVError) {
    self.address = address
    retryDelay = delay
    self.loop = loop
    driver = try LibraryDriver(on: loop, keepsLoopAlive: false)
    driver.start(
      ready: { [weak self] _, _ in self?.process() }, timeout: { [weak self] in self?.wake() },
      afterCalls: { [weak self] in self?.rearm() })
    driver.during { connect() }
  }

  // MARK: The connection

  private func wake() { if bus == nil { connect() } else { process() } }

  private func connect() {
    do throws(SystemdBusFailure) {
      let bus = try address.open()
      self.bus = bus
      state.value = .connecting
      for installation in installationsInOrder { installation.install(bus) }
    } catch {
      lose(error.description)
    }
  }

  /// Handles messages, but at most 64 in one iteration of the loop.
  private func process() {
    guard let bus else { return }
    // While it connects, sd-bus may close the descriptor and try another address.
    if case .connected = state.value {} else { driver.watchNothing() }
    hasMore = false
    do throws(SystemdBusFailure) {
      for round in 1...64 {
        // Without a place for a message that nobody handles, sd-bus answers calls of unknown objects itself.
        let status = sd_bus_process(bus.pointer, nil)
        if status < 0 { throw SystemdBusFailure(function: "sd_bus_process", code: Int(status)) }
        // The next call would close the descriptor, which is watched.
        if !bus.isOpen { return lose("the bus has closed the connection") }
        if bus.isReady, state.value == .connecting, let name = try bus.uniqueName() {
          hasReported = false
          state.value = .connected(as: name)
        }
        if status == 0 { return }
        hasMore = round == 64
      }
    } catch {
      lose(error.description)
    }
  }

  /// Tells the driver what sd-bus waits for.
  private func rearm() {
    driver.keepsLoopAlive = !(installations.isEmpty && pending.isEmpty)
    guard let bus else { return }
    do throws(SystemdBusFailure) {
      let descriptor = bus.fd
      if descriptor != self.descriptor { driver.watchNothing() }
      self.descriptor = descriptor
      do throws(UVError) { try driver.watch(descriptor, for: PollEvents(pollFlags: bus.events)) } catch {
        return lose(error.description)
      }
      let deadline = try bus.timeout()
      driver.setTimeout(
        hasMore ? .zero : deadline == .max ? nil : .microseconds(Int64(clamping: deadline) - monotonicNow))
    } catch {
      lose(error.description)
    }
  }

  private var monotonicNow: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }

  private func lose(_ reason: String) {
    absence = .disconnected("\(reason) (\(address))")
    release()
    state.value = .waiting(reason: reason)
    driver.setTimeout(retryDelay)
    if !hasReported, !installations.isEmpty {
      hasReported = true
      Diagnostics.report("\(absence). It is tried again every \(retryDelay).")
    }
  }

  /// Ends the connection of sd-bus and fails the pending calls.
  private func release() {
    driver.watchNothing()
    for installation in installationsInOrder { installation.remove() }
    let calls = pending.sorted { $0.key < $1.key }
    pending = [:]
    // The slots of the calls belong to the connection.
    for (_, call) in calls { call.end() }
    bus?.close()
    bus?.release()
    bus = nil
    descriptor = -1
    for (_, call) in calls { driver.afterCall { [absence] in call.observer.failed(absence) } }
  }

  func close() {
    if driver.isClosed { return }
    absence = .closed
    driver.close { [self] in
      release()
      state.value = .closed
      let ended = installationsInOrder
      installations = [:]
      exported = []
      driver.afterCall { for installation in ended { installation.end(nil) } }
    }
  }

  // MARK: Installations

  /// Something that exists at each connection: `install` makes it, and its disposable removes it.
  final class Installation {
    fileprivate let install: (Bus) -> Void
    fileprivate let remove: () -> Void
    fileprivate let end: (DBusError?) -> Void

    init(
      make: @escaping (Bus) throws(SystemdBusFailure) -> any Disposable, lost: @escaping () -> Void = {},
      end: @escaping (DBusError?) -> Void = { _ in }
    ) {
      var made: (any Disposable)?
      install = { bus in
        do throws(SystemdBusFailure) {
          made = try make(bus)
        } catch {
          // A connection that is found lost here is made again.
          if bus.isOpen { end(DBusError(error)) }
        }
      }
      remove = {
        let wasMade = made
        made = nil
        wasMade?.dispose()
        if wasMade != nil { lost() }
      }
      self.end = end
    }
  }

  /// Adds an installation until the returned disposable is disposed. Ends it at once if the connection is closed.
  func add(_ installation: Installation) -> any Disposable {
    if driver.isClosed {
      installation.end(nil)
      return .none
    }
    lastID += 1
    let id = lastID
    driver.during {
      installations[id] = installation
      if let bus { installation.install(bus) }
    }
    return BlockDisposable { [weak self] in
      guard let self else { return }
      driver.during {
        self.installations[id] = nil
        installation.remove()
      }
    }
  }

  /// Emits true for each connection, once it exists and messages can be sent, and false when it is lost.
  var links: Operation<Bool, DBusError> {
    Operation { [self] observer in
      add(
        Installation(
          make: { _ in
            observer.next(true)
            return BlockDisposable {}
          }, lost: { [driver] in driver.afterCall { observer.next(false) } },
          end: { $0.map { observer.failed($0) } ?? observer.completed() }))
    }
  }

  /// The signals that match a rule, from all senders.
  func signals(_ rule: DBusRule) -> Operation<DBusMessage, DBusError> {
    if let name = rule.invalidName { return .failed(.invalid("the rule contains \"\(name)\", which is not a name")) }
    return Operation { [self] observer in
      let driver = driver
      return add(
        Installation(
          make: { bus throws(SystemdBusFailure) in
            try bus.addMatchAsync(
              rule.text,
              message: { message, _ in
                guard let message else { return 0 }
                // 0: other rules may match, too.
                driver.afterCall {
                  do throws(SystemdBusFailure) {
                    if driver.isClosed { return }
                    let message = try DBusMessage(message)
                    if rule.matches(message) { observer.next(message) }
                  } catch {
                    observer.failed(DBusError(error))
                  }
                }
                return 0
              },
              installed: { reply, _ in
                if let error = reply?.remoteError, bus.isOpen { driver.afterCall { observer.failed(error) } }
                return 1
              })
          }, end: { $0.map { observer.failed($0) } ?? observer.completed() }))
    }
  }

  // MARK: Calls

  fileprivate final class PendingCall {
    let observer: Observer<[DBusValue], DBusError>
    var slot: (any Disposable)?
    var timer: (any Disposable)?

    init(_ observer: Observer<[DBusValue], DBusError>) { self.observer = observer }

    func end() {
      slot?.dispose()
      timer?.dispose()
    }
  }

  /// Calls a method for each observer. Disposing drops the answer.
  func call(
    _ target: DBusTarget, _ member: String, _ arguments: [DBusValue], within limit: Duration
  ) -> Operation<[DBusValue], DBusError> {
    Operation { [self] observer in
      guard let bus else {
        observer.failed(absence)
        return .none
      }
      if let name = target.cutName(member) {
        observer.failed(.invalid("the name \(name.debugDescription) contains a null character"))
        return .none
      }
      lastID += 1
      let id = lastID
      let call = PendingCall(observer)
      do throws(SystemdBusFailure) {
        try driver.during { () throws(SystemdBusFailure) in
          let message = try bus.messageNewMethodCall(
            target.destination, path: target.path.rawValue, interface: target.interface, member: member)
          try message.append(arguments)
          let sent = ContinuousClock.now
          call.slot = try bus.reply(message, usec: limit.microseconds) { [weak self] reply, _ in
            self?.finish(id, reply, isLate: ContinuousClock.now - sent >= limit, limit)
            return 1
          }
          pending[id] = call
          // sd-bus counts the time only when the bus has completed the connection.
          if case .connected = state.value { return }
          call.timer = loop.backgroundScheduler.schedule(after: limit) { [weak self] in self?.timeOut(id, limit) }
        }
      } catch {
        observer.failed(bus.isOpen ? DBusError(error) : .disconnected("\(error) (\(address))"))
        return .none
      }
      return BlockDisposable { [weak self] in
        guard let self, pending[id] != nil else { return }
        driver.during {
          self.pending[id] = nil
          call.end()
        }
      }
    }
  }

  private func timeOut(_ id: Int, _ limit: Duration) {
    guard let call = pending.removeValue(forKey: id) else { return }
    driver.during { call.end() }
    call.observer.failed(.timedOut(limit))
  }

  private func finish(_ id: Int, _ reply: BusMessage?, isLate: Bool, _ limit: Duration) {
    guard let call = pending.removeValue(forKey: id) else { return }
    driver.afterCall {
      call.end()
      guard let reply else { return call.observer.completed() }
      if let error = reply.remoteError {
        // sd-bus answers itself when the time is over.
        if isLate, case .remote(noReply, _) = error { return call.observer.failed(.timedOut(limit)) }
        return call.observer.failed(error)
      }
      do throws(SystemdBusFailure) {
        call.observer.next(try reply.values())
        call.observer.completed()
      } catch {
        call.observer.failed(DBusError(error))
      }
    }
  }

  /// Sends a message that has no answer. Returns false if there is no connection any more, or it is not the one of the
  /// message.
  @discardableResult
  func send(
    over link: Bus? = nil, _ make: (Bus) throws(SystemdBusFailure) -> BusMessage
  ) throws(SystemdBusFailure) -> Bool {
    guard let bus, link == nil || link === bus else { return false }
    do throws(SystemdBusFailure) {
      try driver.during { () throws(SystemdBusFailure) in _ = try bus.send(try make(bus)) }
      return true
    } catch {
      if bus.isOpen { throw error }
      return false
    }
  }
}

private let noReply = "org.freedesktop.DBus.Error.NoReply"

/// The object and interface that a call is for.
struct DBusTarget: Hashable {
  let destination: String
  let path: DBusObjectPath
  let interface: String

  /// The bus itself.
  static let bus = DBusTarget(
    destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus")
}

extension BusMessage {
  /// The error with which the other side has answered.
  var remoteError: DBusError? {
    guard isMethodError(nil), let error else { return nil }
    return .remote(
      name: error.name.map { String(cString: $0) } ?? "", message: error.message.map { String(cString: $0) } ?? "")
  }
}

extension Duration {
  /// For sd-bus, where 0 means its default, and the maximum means no limit.
  fileprivate var microseconds: UInt64 {
    let (seconds, attoseconds) = components
    let (product, isTooLarge) = UInt64(max(seconds, 0)).multipliedReportingOverflow(by: 1_000_000)
    return isTooLarge ? .max : max(1, product &+ UInt64(max(attoseconds, 0)) / 1_000_000_000_000)
  }
}
