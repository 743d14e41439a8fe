import CSystemdBus
import EventLoops
import Glibc
import Streams
import SystemdBus

/// An object that other programs can call.
///
/// It answers introspection and the interface for properties itself, so everything that an object does follows from its
/// interfaces.
///
/// Ownership: Client ===> Installation ===> ExportedObject. The object refers to the client weakly.
final class ExportedObject {
  private let interfaces: [DBusInterface]
  private let path: DBusObjectPath
  private weak let client: Client?
  private var bus: Bus?
  /// The streams of the properties and signals.
  private let streams = CompositeDisposable()
  /// The calls that have no answer yet, in the order in which they have arrived.
  private var running: [Int: RunningCall] = [:]
  private var lastID = 0
  private let maximumCalls: Int
  /// True if a call that wants no answer has been dropped, which only standard error tells.
  private var hasDropped = false

  /// A message, and the connection of sd-bus over which it has arrived and is answered.
  private struct Call {
    let message: BusMessage
    let bus: Bus
  }

  private struct RunningCall {
    let call: Call
    /// The subscription of the method; nil until `observe` has returned.
    var subscription: (any Disposable)?
  }

  init(
    _ interfaces: [DBusInterface], at path: DBusObjectPath, maximumCalls: Int, _ client: Client
  ) throws(DBusError) {
    precondition(maximumCalls > 0, "maximumCalls is \(maximumCalls). Pass at least 1.")
    if !path.rawValue.isValid({ sd_bus_object_path_is_valid($0) }) {
      throw .invalid("\(path.rawValue.debugDescription) is not the path of an object")
    }
    if client.exported.contains(path) { throw .invalid("an object is exported at \(path) already") }
    self.interfaces = interfaces
    self.path = path
    self.maximumCalls = maximumCalls
    self.client = client
  }

  /// Begins to answer, until the returned disposable is disposed.
  func export() -> any Disposable {
    guard let client, !client.driver.isClosed else { return .none }
    client.exported.insert(path)
    for interface in interfaces {
      for property in interface.properties {
        var last = property.get()
        streams += property.changes.observeNext { [unowned self] value in
          if value == last { return }
          last = value
          let changed = DBusValue.dictionary([.string(property.name): .variant(value)], keys: "s", values: "v")
          send(propertiesInterface, "PropertiesChanged", [.string(interface.name), changed, [String]().dBusValue])
        }
      }
      for signal in interface.signals {
        streams += signal.stream.observeNext { [unowned self] in send(interface.name, signal.name, $0) }
      }
    }
    let installation = client.add(
      Client.Installation(
        make: { bus throws(SystemdBusFailure) in
          self.bus = bus
          return try bus.onObject(self.path.rawValue) { [weak self, weak client] message, _ in
            guard let self, let message else { return 0 }
            // The object may be disposed before the call is handled, and must exist to answer it.
            client?.driver.afterCall {
              if client?.driver.isClosed == false { self.handle(Call(message: message, bus: bus)) }
            }
            return 1
          }
        },
        lost: {
          self.bus = nil
          for running in self.takeRunning() { running.subscription?.dispose() }
        },
        end: { error in
          if let error { Diagnostics.report("The object \(self.path) cannot be exported: \(error)") }
          self.streams.dispose()
        }))
    return BlockDisposable { [self, weak client] in
      client?.exported.remove(path)
      let running = takeRunning()
      streams.dispose()
      installation.dispose()
      for running in running {
        running.subscription?.dispose()
        refuse(running.call, unknownObject)
      }
    }
  }

  /// Takes the calls out whose methods run. A method that has not returned yet answers itself.
  private func takeRunning() -> [RunningCall] {
    let taken = running.filter { $0.value.subscription != nil }
    for id in taken.keys { running[id] = nil }
    return taken.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The error with which sd-bus answers calls of an object that does not exist.
  private var unknownObject: DBusError {
    .remote(name: "org.freedesktop.DBus.Error.UnknownObject", message: "Unknown object '\(path)'.")
  }

  private func send(_ interface: String, _ member: String, _ arguments: [DBusValue]) {
    guard let client, bus != nil else { return }
    do throws(SystemdBusFailure) {
      try client.send(over: bus) { bus throws(SystemdBusFailure) in
        let signal = try bus.messageNewSignal(path.rawValue, interface: interface, member: member)
        try signal.append(arguments)
        return signal
      }
    } catch {
      Diagnostics.report("The signal \(interface).\(member) of \(path) cannot be sent: \(error)")
    }
  }

  // MARK: Calls

  private func handle(_ call: Call) {
    if bus !== call.bus { return refuse(call, unknownObject) }
    guard let member = call.message.member else { return }
    do {
      let arguments = try call.message.values()
      switch (call.message.interface, member) {
      case ("org.freedesktop.DBus.Introspectable", "Introspect"):
        let children = client?.exported.children(of: path) ?? []
        answer(call, [.string(introspection(of: interfaces, children))])
      case (propertiesInterface, _): answer(call, try property(member, arguments))
      case (let name, _): try perform(try method(name, member), arguments, for: call)
      }
    } catch {
      refuse(call, error)
    }
  }

  private func method(_ interface: String?, _ member: String) throws(DBusError) -> DBusInterface.Method {
    // A call may leave the interface out.
    let candidates = interface == nil ? interfaces : interfaces.filter { $0.name == interface }
    if candidates.isEmpty { throw .unknown("Interface", interface ?? "", path) }
    for candidate in candidates {
      if let method = candidate.methods.first(where: { $0.name == member }) { return method }
    }
    throw .unknown("Method", member, path)
  }

  private func perform(_ method: DBusInterface.Method, _ arguments: [DBusValue], for call: Call) throws {
    if running.count == maximumCalls {
      let error = DBusError.remote(
        name: "org.freedesktop.DBus.Error.LimitsExceeded",
        message: "\(maximumCalls) calls of \(path) run already. Call it again when one of them has ended.")
      if call.message.expectReply <= 0, !hasDropped {
        hasDropped = true
        Diagnostics.report("Calls without an answer are dropped: \(error)")
      }
      throw error
    }
    let operation = try method.call(arguments)
    lastID += 1
    let id = lastID
    running[id] = RunningCall(call: call)
    var results: [DBusValue]?
    let subscription = operation.first().observe(
      next: { results = $0 },
      termination: { [unowned self] end in
        running[id] = nil
        if case .failed(let error) = end { return refuse(call, error) }
        if let results = results ?? (method.results.isEmpty ? [] : nil) { return answer(call, results) }
        refuse(call, DBusError.remote(name: failed, message: "The method has ended without a result."))
      })
    if bus === call.bus {
      running[id]?.subscription = subscription
    } else if running.removeValue(forKey: id) != nil {
      // The method has disposed its object, and goes on.
      subscription.dispose()
      refuse(call, unknownObject)
    }
  }

  private func property(_ member: String, _ arguments: [DBusValue]) throws -> [DBusValue] {
    switch member {
    case "Get":
      let (interface, name) = try decode(arguments, as: (String, String).self)
      return [.variant(try find(interface, name).get())]
    case "GetAll":
      let interface = try decode(arguments, as: String.self)
      // A program may ask for the properties of all interfaces.
      let found = interfaces.filter { interface.isEmpty || $0.name == interface }
      if found.isEmpty, !interface.isEmpty { throw DBusError.unknown("Interface", interface, path) }
      var values: [DBusValue: DBusValue] = [:]
      for property in found.flatMap(\.properties) { values[.string(property.name)] = .variant(property.get()) }
      return [.dictionary(values, keys: "s", values: "v")]
    case "Set":
      let (interface, name, value) = try decode(arguments, as: (String, String, DBusValue).self)
      guard let set = try find(interface, name).set else {
        throw DBusError.remote(
          name: "org.freedesktop.DBus.Error.PropertyReadOnly", message: "The property \(name) of \(path) is read-only.")
      }
      try set(value)
      return []
    default: throw DBusError.unknown("Method", member, path)
    }
  }

  private func find(_ interface: String, _ name: String) throws(DBusError) -> DBusInterface.Member {
    let found = interfaces.filter { interface.isEmpty || $0.name == interface }
    if found.isEmpty { throw .unknown("Interface", interface, path) }
    guard let property = found.flatMap(\.properties).first(where: { $0.name == name }) else {
      throw .unknown("Property", name, path)
    }
    return property
  }

  // MARK: Answers

  private func answer(_ call: Call, _ results: [DBusValue]) {
    if call.message.expectReply <= 0 { return }
    do throws(SystemdBusFailure) {
      try client?.send(over: call.bus) { _ throws(SystemdBusFailure) in
        let reply = try call.message.newMethodReturn()
        try reply.append(results)
        return reply
      }
    } catch {
      refuse(call, DBusError(error))
    }
  }

  private func refuse(_ call: Call, _ error: any Error) {
    if call.message.expectReply <= 0 { return }
    let known = error as? DBusError
    let (name, message) = (known?.wireName ?? failed, known?.wireMessage ?? "\(error)")
    do throws(SystemdBusFailure) {
      // The bus would end the connection of a program that sends another name.
      if !name.isValid({ sd_bus_interface_name_is_valid($0) }) {
        throw SystemdBusFailure(function: "sd_bus_message_new_method_error", code: Int(-EINVAL), message: "not a name")
      }
      try client?.send(over: call.bus) { _ throws(SystemdBusFailure) in try call.message.errorReply(name, message) }
    } catch {
      Diagnostics.report("The error \(name.debugDescription) of a method of \(path) cannot be sent: \(error)")
      _ = try? client?.send(over: call.bus) { _ throws(SystemdBusFailure) in
        try call.message.errorReply(failed, message)
      }
    }
  }
}

private let failed = "org.freedesktop.DBus.Error.Failed"

extension DBusError {
  fileprivate static func unknown(_ kind: String, _ name: String, _ path: DBusObjectPath) -> DBusError {
    .remote(
      name: "org.freedesktop.DBus.Error.Unknown\(kind)",
      message: "The object \(path) has no \(kind.lowercased()) \"\(name)\".")
  }
}

extension BusMessage {
  fileprivate func errorReply(_ name: String, _ text: String) throws(SystemdBusFailure) -> BusMessage {
    var result = Result<BusMessage, SystemdBusFailure>.failure(SystemdBusFailure(function: "", code: 0))
    name.withCString { name in
      text.withCString { text in
        result = Result { () throws(SystemdBusFailure) in
          try newMethodError(sd_bus_error(name: name, message: text, _need_free: 0))
        }
      }
    }
    return try result.get()
  }
}

extension Set<DBusObjectPath> {
  /// The next elements of the paths that begin with a path.
  fileprivate func children(of path: DBusObjectPath) -> [String] {
    let prefix = path.rawValue == "/" ? "/" : path.rawValue + "/"
    let names = compactMap { other -> String? in
      guard other != path, other.rawValue.hasPrefix(prefix) else { return nil }
      return other.rawValue.dropFirst(prefix.count).split(separator: "/").first.map(String.init)
    }
    return Set<String>(names).sorted()
  }
}
