/// The conditions for the signals of a stream. A condition that is nil accepts every signal.
///
/// ```swift
/// connection.signals(matching: DBusRule(sender: "org.freedesktop.login1", member: "SessionNew"))
/// ```
public struct DBusRule: Hashable, Sendable {
  /// The name of the program that sends the signal. For a well-known name, only signals of its owner are delivered.
  public var sender: String?
  /// The object that sends the signal.
  public var path: DBusObjectPath?
  /// A path. The object that sends the signal has it, or is below it.
  public var pathNamespace: DBusObjectPath?
  /// The interface of the signal.
  public var interface: String?
  /// The name of the signal.
  public var member: String?
  /// The first argument, which is a string.
  public var firstArgument: String?

  /// Makes a rule.
  public init(
    sender: String? = nil, path: DBusObjectPath? = nil, pathNamespace: DBusObjectPath? = nil, interface: String? = nil,
    member: String? = nil, firstArgument: String? = nil
  ) {
    self.sender = sender
    self.path = path
    self.pathNamespace = pathNamespace
    self.interface = interface
    self.member = member
    self.firstArgument = firstArgument
  }
}

extension DBusRule: CustomStringConvertible {
  /// The rule in the syntax of the bus.
  public var description: String { text(with: firstArgument) }

  /// What is sent to the bus. sd-bus and the bus read the marks of a quotation differently, so an argument that
  /// contains them is compared by `matches(_:)` alone.
  var text: String { text(with: firstArgument.flatMap { $0.hasQuotation ? nil : $0 }) }

  private func text(with firstArgument: String?) -> String {
    (names + [("arg0", firstArgument)]).reduce(into: "type='signal'") { rule, condition in
      if let value = condition.1 { rule += ",\(condition.0)='\(value)'" }
    }
  }

  /// The conditions that are names, which contain no marks of a quotation.
  private var names: [(key: String, value: String?)] {
    [
      ("sender", sender), ("path", path?.rawValue), ("path_namespace", pathNamespace?.rawValue),
      ("interface", interface),
      ("member", member),
    ]
  }

  /// A condition that would end its quotation.
  var invalidName: String? { names.compactMap(\.value).first(where: \.hasQuotation) }

  func matches(_ message: DBusMessage) -> Bool {
    guard let firstArgument else { return true }
    guard case .string(let value) = message.values.first else { return false }
    return value.utf8.elementsEqual(firstArgument.utf8)
  }
}

extension String {
  /// Whether it contains a scalar that ends a quotation, or the text in C. An accent after it makes it a part of another
  /// character.
  fileprivate var hasQuotation: Bool { unicodeScalars.contains { $0 == "'" || $0 == "\\" || $0 == "\0" } }
}

/// A rule and its bytes. `String` compares characters, which can have several spellings, and the bus compares bytes.
struct RuleKey: Hashable {
  let rule: DBusRule
  private let bytes: [UInt8]

  init(_ rule: DBusRule) {
    self.rule = rule
    bytes = Array(rule.description.utf8)
  }
}
