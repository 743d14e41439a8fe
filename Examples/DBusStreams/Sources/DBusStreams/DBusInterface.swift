import CSystemdBus
public import Properties
public import Streams

/// An interface that an object of this program implements.
///
/// Its description for other programs follows from the types of the closures, properties, and streams.
///
/// ```swift
/// let greeter = DBusInterface("org.example.Greeter")
///   .method("Greet", in: ["name"], out: ["greeting"]) { (name: String) in "Hello, \(name)!" }
///   .method("Wait", in: ["seconds"]) { (seconds: UInt32) in try await Task.sleep(for: .seconds(seconds)) }
///   .property("Volume", volume, set: { volume.value = $0 })
///   .signal("Greeted", arguments: ["name"], from: greeted)
/// try connection.export(greeter, at: "/org/example/Greeter").dispose(in: bag)
/// ```
///
/// A method answers with the error that it throws: `DBusError.remote` with its name and message, other errors as
/// `org.freedesktop.DBus.Error.Failed` with their description. A call with arguments of other types is answered with
/// `InvalidArgs` and does not reach the method.
///
/// An invalid name, two members of one name, and names for more arguments than there are trap.
public struct DBusInterface {
  /// The name, for example `org.example.Greeter`.
  public let name: String
  private(set) var methods: [Method] = []
  private(set) var properties: [Member] = []
  private(set) var signals: [Signal] = []

  /// Makes an interface without members.
  public init(_ name: String) {
    if !name.isValid({ sd_bus_interface_name_is_valid($0) }) {
      fatalError(
        "\"\(name)\" is not the name of an interface. Write at least two elements, for example org.example.Greeter.")
    }
    self.name = name
  }

  // MARK: Methods

  /// Adds a method with one result that answers at once.
  ///
  /// - Parameters:
  ///   - name: The name of the method.
  ///   - inputs: The names of the arguments in the description.
  ///   - outputs: The name of the result.
  ///   - body: Called on the loop's thread for each call.
  public func method<each Argument: DBusConvertible, Result: DBusConvertible>(
    _ name: String, in inputs: [String] = [], out outputs: [String] = [],
    _ body: @escaping (repeat each Argument) throws -> Result
  ) -> DBusInterface {
    adding(name, signaturesOf((repeat each Argument).self), inputs, [Result.dBusSignature], outputs) { values in
      let arguments = try decode(values, as: (repeat each Argument).self)
      return .just([try body(repeat each arguments).dBusValue])
    }
  }

  /// Adds a method with no result, or with several, that answers at once.
  ///
  /// - Parameters:
  ///   - name: The name of the method.
  ///   - inputs: The names of the arguments in the description.
  ///   - outputs: The names of the results.
  ///   - body: Called on the loop's thread for each call. Returns a tuple of the results.
  public func method<each Argument: DBusConvertible, each Result: DBusConvertible>(
    _ name: String, in inputs: [String] = [], out outputs: [String] = [],
    _ body: @escaping (repeat each Argument) throws -> (repeat each Result)
  ) -> DBusInterface {
    let results = signaturesOf((repeat each Result).self)
    return adding(name, signaturesOf((repeat each Argument).self), inputs, results, outputs) { values in
      let arguments = try decode(values, as: (repeat each Argument).self)
      let result = try body(repeat each arguments)
      return .just(encode(repeat each result))
    }
  }

  /// Adds a method that answers with the first element of an operation.
  ///
  /// Calls of a method overlap. The operation is disposed when the connection is lost, and when the object is not
  /// exported any more. An operation that ends without an element answers nothing if the method has no results, and an
  /// error otherwise.
  ///
  /// - Parameters:
  ///   - name: The name of the method.
  ///   - inputs: The names of the arguments in the description.
  ///   - outputs: The names of the results.
  ///   - body: Called on the loop's thread for each call.
  public func method<each Argument: DBusConvertible, each Result: DBusConvertible, Failure: Error>(
    _ name: String, in inputs: [String] = [], out outputs: [String] = [],
    _ body: @escaping (repeat each Argument) throws -> Operation<(repeat each Result), Failure>
  ) -> DBusInterface {
    let results = signaturesOf((repeat each Result).self)
    return adding(name, signaturesOf((repeat each Argument).self), inputs, results, outputs) { values in
      let arguments = try decode(values, as: (repeat each Argument).self)
      return try body(repeat each arguments).map { encode(repeat each $0) }.mapError { $0 as any Error }
    }
  }

  func adding(
    _ name: String, _ arguments: [String], _ inputs: [String], _ results: [String], _ outputs: [String],
    _ call: @escaping ([DBusValue]) throws -> Operation<[DBusValue], any Error>
  ) -> DBusInterface {
    var copy = self
    copy.check(name)
    copy.methods.append(
      Method(
        name: name, arguments: described(name, arguments, inputs), results: described(name, results, outputs),
        call: call))
    return copy
  }

  // MARK: Properties and signals

  /// Adds a property, whose changes are sent with `PropertiesChanged`.
  ///
  /// - Parameters:
  ///   - name: The name of the property.
  ///   - property: The value.
  ///   - set: Called when another program sets the property. It refuses by throwing. If it is nil, the property is
  ///     read-only.
  public func property<Value: DBusConvertible>(
    _ name: String, _ property: some PropertyProtocol<Value>, set: ((Value) throws -> Void)? = nil
  ) -> DBusInterface {
    var copy = self
    copy.check(name)
    copy.properties.append(
      Member(
        name: name, signature: Value.dBusSignature, get: { property.value.dBusValue },
        set: set.map { set in { try set(try Value(dBusValue: $0)) } }, changes: property.changes.map(\.dBusValue)))
    return copy
  }

  /// Adds a signal, which is sent for each element of a stream.
  ///
  /// The stream is observed while the object is exported. What it emits while there is no connection is lost.
  ///
  /// - Parameters:
  ///   - name: The name of the signal.
  ///   - arguments: The names of the arguments in the description.
  ///   - stream: The arguments: one value, a tuple of several, or `()`.
  public func signal<each Argument: DBusConvertible>(
    _ name: String, arguments: [String] = [], from stream: Stream<(repeat each Argument)>
  ) -> DBusInterface {
    var copy = self
    copy.check(name)
    copy.signals.append(
      Signal(
        name: name, arguments: described(name, signaturesOf((repeat each Argument).self), arguments),
        stream: stream.map { encode(repeat each $0) }))
    return copy
  }

  // MARK: The members

  /// The signature and the name of an argument.
  typealias Parameter = (signature: String, name: String?)

  struct Method {
    let name: String
    let arguments: [Parameter]
    let results: [Parameter]
    let call: ([DBusValue]) throws -> Operation<[DBusValue], any Error>
  }

  struct Member {
    let name: String
    let signature: String
    let get: () -> DBusValue
    let set: ((DBusValue) throws -> Void)?
    let changes: Stream<DBusValue>
  }

  struct Signal {
    let name: String
    let arguments: [Parameter]
    let stream: Stream<[DBusValue]>
  }

  private func check(_ member: String) {
    if !member.isValid({ sd_bus_member_name_is_valid($0) }) {
      fatalError("\"\(member)\" is not the name of a member of \(name). Write letters, digits, and underscores.")
    }
    if (methods.map(\.name) + properties.map(\.name) + signals.map(\.name)).contains(member) {
      fatalError("\(name) has two members with the name \(member). Rename one of them.")
    }
  }

  private func described(_ member: String, _ signatures: [String], _ names: [String]) -> [Parameter] {
    if !names.isEmpty, names.count != signatures.count {
      fatalError(
        "\(name).\(member) has \(signatures.count) values and \(names.count) names for them. Name all or none.")
    }
    return signatures.enumerated().map { ($1, names.isEmpty ? nil : names[$0]) }
  }
}

@available(*, unavailable)
extension DBusInterface: Sendable {}
