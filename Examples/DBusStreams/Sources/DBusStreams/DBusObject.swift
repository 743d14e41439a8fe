public import Properties
public import Streams

/// An interface of an object of another program.
///
/// The arguments and results have the types that the program names, and the compiler derives their D-Bus signatures. If
/// the other program has other types, the stream fails with `DBusError.mismatch`.
///
/// ```swift
/// let manager = connection.object("org.freedesktop.login1", at: "/org/freedesktop/login1",
///   interface: "org.freedesktop.login1.Manager")
/// let path = try await manager.call("GetUser", UInt32(1000), as: DBusObjectPath.self).value
/// ```
public struct DBusObject {
  private let connection: DBusConnection
  private let target: DBusTarget
  /// How long a call may take to be answered. Set it before you make the operation.
  public var timeLimit = Duration.seconds(25)

  init(_ connection: DBusConnection, _ target: DBusTarget) {
    self.connection = connection
    self.target = target
  }

  /// The name of the program.
  public var destination: String { target.destination }
  /// The path of the object.
  public var path: DBusObjectPath { target.path }
  /// The interface.
  public var interface: String { target.interface }

  // MARK: Methods

  /// Calls a method for each observer, and emits a tuple of its results.
  ///
  /// Nothing is sent before it is observed. Disposing drops the answer. A program that is not running is started if the
  /// bus knows how.
  ///
  /// - Parameters:
  ///   - member: The name of the method.
  ///   - arguments: Its arguments.
  ///   - results: The types of its results.
  public func call<each Argument: DBusConvertible, each Result: DBusConvertible>(
    _ member: String, _ arguments: repeat each Argument, as results: (repeat each Result).Type
  ) -> Operation<(repeat each Result), DBusError> {
    call(target.interface, member, encode(repeat each arguments)) { values throws(DBusError) in
      try decode(values, as: results)
    }
  }

  /// Calls a method that has no results.
  public func call<each Argument: DBusConvertible>(
    _ member: String, _ arguments: repeat each Argument
  ) -> Operation<Void, DBusError> {
    call(target.interface, member, encode(repeat each arguments)) { values throws(DBusError) in
      try decode(values, as: Void.self)
    }
  }

  func call<Result>(
    _ interface: String, _ member: String, _ arguments: [DBusValue],
    _ decode: @escaping ([DBusValue]) throws(DBusError) -> Result
  ) -> Operation<Result, DBusError> {
    let target = DBusTarget(destination: target.destination, path: target.path, interface: interface)
    let answers = connection.client.call(target, member, arguments, within: timeLimit)
    return connection.keeping(answers).tryMap { values throws(DBusError) in try decode(values) }
  }

  // MARK: Signals

  /// The arguments of a signal as a tuple, each time that the object sends it.
  ///
  /// If another program owns the name later, its signals follow. Signals of other programs are dropped.
  public func signal<each Argument: DBusConvertible>(
    _ member: String, as arguments: (repeat each Argument).Type
  ) -> Operation<(repeat each Argument), DBusError> {
    signal(member) { message throws(DBusError) in try message.arguments(as: arguments) }
  }

  func signal<Arguments>(
    _ member: String, _ read: @escaping (DBusMessage) throws(DBusError) -> Arguments
  ) -> Operation<Arguments, DBusError> {
    let rule = DBusRule(sender: target.destination, path: target.path, interface: target.interface, member: member)
    return connection.signals(matching: rule).tryMap { message throws(DBusError) in try read(message) }
  }

  // MARK: Properties

  /// The value of a property now, for each observer.
  public func get<Value: DBusConvertible>(_ name: String, as type: Value.Type = Value.self) -> Operation<
    Value, DBusError
  > {
    call(propertiesInterface, "Get", [.string(target.interface), .string(name)]) { values throws(DBusError) in
      try content(of: values.first, as: Value.self)
    }
  }

  /// Sets a property, for each observer.
  public func set<Value: DBusConvertible>(_ name: String, to value: Value) -> Operation<Void, DBusError> {
    let arguments: [DBusValue] = [.string(target.interface), .string(name), .variant(value.dBusValue)]
    return call(propertiesInterface, "Set", arguments) { values throws(DBusError) in try decode(values, as: Void.self) }
  }

  /// The value of a property, now and after each change that the object reports with `PropertiesChanged`.
  ///
  /// It is read again when the program is another one than before, or the connection is. While there is no program, the
  /// stream waits. It fails if the program does not answer with the value.
  public func values<Value: DBusConvertible>(
    of name: String, as type: Value.Type = Value.self
  ) -> Operation<Value, DBusError> {
    let (target, connection) = (target, connection)
    let rule = DBusRule(
      sender: target.destination, path: target.path, interface: propertiesInterface, member: "PropertiesChanged",
      firstArgument: target.interface)
    let reading = get(name, as: type)
    // The program that has a unique name is never another one. The connection may be.
    let isUnique = target.destination.hasPrefix(":")
    let restarts: Operation<Bool, DBusError> =
      isUnique
      ? connection.client.links : connection.owner(of: target.destination).map { $0 != nil }
    return Operation { observer in
      let parts = CompositeDisposable()
      let question = SerialDisposable()
      parts += question
      var hasBegun = false
      func read() {
        question.inner = nil
        question.inner = reading.observe(
          next: { observer.next($0) },
          termination: { end in
            guard case .failed(let error) = end, error != .closed else { return }
            // There may be another program or connection later.
            if !error.isAbsence || isUnique && !error.isDisconnection { observer.failed(error) }
          })
      }
      parts += connection.signals(matching: rule).observe(
        next: { message in
          do throws(DBusError) {
            let (_, changed, invalidated) = try message.arguments(
              as: (String, [String: DBusValue], [String]).self)
            if let value = changed[name] {
              // It is newer than what is being read.
              question.inner = nil
              observer.next(try content(of: .variant(value), as: Value.self))
            } else if invalidated.contains(name) {
              read()
            }
          } catch {
            observer.failed(error)
          }
        }, termination: { observer.terminate($0) })
      parts += restarts.observe(
        next: { exists in
          // Reading starts a program that is not running. This is done once.
          if exists || !hasBegun { read() }
          hasBegun = true
        }, termination: { _ in })
      return parts
    }
  }

  /// A property that begins with `initial` and follows the property of the object.
  ///
  /// If the property cannot be read, the reason is reported through `Diagnostics`, and the value stays. Use
  /// `values(of:as:)` to handle errors, and `set(_:to:)` to change the property.
  public func property<Value: DBusConvertible>(_ name: String, initial: Value) -> AnyProperty<Value> {
    AnyProperty(initial: initial, then: values(of: name, as: Value.self).toStream(logError: true))
  }
}

let propertiesInterface = "org.freedesktop.DBus.Properties"

/// The content of the variant in which a property is passed.
private func content<Value: DBusConvertible>(of value: DBusValue?, as type: Value.Type) throws(DBusError) -> Value {
  guard let value else { throw .mismatch(expected: "v", actual: "") }
  if let converted = value.converted(to: type) { return converted }
  guard case .variant(let content) = value else { throw .mismatch(expected: "v", actual: value.signature) }
  throw .mismatch(expected: Value.dBusSignature, actual: content.signature)
}

extension DBusError {
  fileprivate var isDisconnection: Bool { if case .disconnected = self { true } else { false } }

  /// True if there was no program, or no connection, to answer.
  fileprivate var isAbsence: Bool {
    switch self {
    case .disconnected: true
    case .remote(let name, _):
      ["ServiceUnknown", "NameHasNoOwner", "NoReply"].contains { name == "org.freedesktop.DBus.Error.\($0)" }
    default: false
    }
  }
}
