#if Macros
import SwiftParser
import SwiftSyntax

/// The names of slots.
///
/// A slot has the name of its method without the sender: `didReceive` for `downloader(_:didReceive:)`, `didScroll` for
/// `scrollViewDidScroll(_ scrollView: ScrollView)`. If several requirements would share a name, their slots have all labels, and
/// if that is not enough the types of the parameters. A name that a property, a method without parameters, or the language has
/// gets the suffix `Slot`. A slot can have the name of a method with parameters.
struct SlotNames {
  private let names: [String]
  /// The names as labels of closures, which conflict with nothing.
  let labels: [String]
  /// The indices of requirements whose slots would have one name.
  let clashes: [Int]
  /// The indices of requirements with a name in `@Slot` that no property can have.
  let invalid: [Int]

  /// Members of `ProtocolProxy` that a slot would hide.
  static let taken: Set<String> = [
    "addForwardee", "allForwardees", "asDelegate", "await", "call", "callConcurrently", "dispose", "forwardTo",
    "implementationChanges", "init",
    "install", "installForwardee", "isDisposed", "replaceForwardee", "self", "setForwardee", "slots",
  ]

  /// Members that a requirement of the same name without parameters would override.
  static let members: Set<String> = [
    "allForwardees", "asDelegate", "dispose", "forwardTo", "implementationChanges", "isDisposed", "self", "slots",
  ]

  /// The members of a `SendableProxy`, which has fewer, that a requirement without parameters would declare again.
  static let membersIfSendable: Set<String> = ["forwardTo", "forwarding"]

  init(_ requirements: [Requirement], isSendable: Bool = false) {
    let members = Set(requirements.filter(\.parameters.isEmpty).map(\.name.plainIdentifier)).union(Self.taken)
      .union(isSendable ? Self.membersIfSendable : [])
    func free(_ name: String, _ requirement: Requirement) -> String {
      // Its slots are named subscriptGetter and subscriptSetter.
      if case .subscripting = requirement.kind { return name }
      var slot = name.isValidSwiftIdentifier(for: .variableName) ? name : name + "Slot"
      while members.contains(slot) { slot += "Slot" }
      return slot
    }
    var bare = requirements.map { $0.options.name ?? $0.shortName }
    var names = zip(bare, requirements).map(free)
    func properties(_ index: Int) -> [String] {
      guard case .subscripting = requirements[index].kind else { return [names[index]] }
      return [names[index] + "Getter", names[index] + "Setter"]
    }
    func clashing() -> [Int] {
      var equal: [String: [Int]] = [:]
      for index in names.indices { for property in properties(index) { equal[property, default: []].append(index) } }
      return names.indices.filter { index in
        properties(index).contains { property in
          equal[property, default: []].contains { $0 != index && !requirements[$0].excludes(requirements[index]) }
        }
      }
    }
    for longer in [\Requirement.labelledName, \Requirement.typedName] {
      for index in clashing() where requirements[index].options.name == nil {
        let requirement = requirements[index]
        bare[index] = requirement[keyPath: longer]
        names[index] = free(bare[index], requirement)
      }
    }
    clashes = clashing()
    invalid = requirements.indices.filter { index in
      // `class` is the property `classSlot`, and a label in backticks. Nothing can be called `self`.
      guard let name = requirements[index].options.name else { return false }
      return ["", "self"].contains(name.unquoted)
        || !(name + "Slot").isValidSwiftIdentifier(for: .variableName) && !name.hasPrefix("`")
    }
    self.names = names
    labels = names.indices.map { index in
      let label = bare[index]
      // In the initializer, a parameter named `self` would hide the proxy.
      if label == "self" { return names[index] }
      return label.isValidSwiftIdentifier(for: .variableName) && label != "await" ? label : "`\(label)`"
    }
  }

  subscript(index: Int) -> String { names[index] }
}

extension Requirement {
  /// The name without the sender, or with the first label if nothing else is left.
  var shortName: String {
    let rest = nameWithoutSender
    if !rest.isEmpty { return rest.lowercasedFirst }
    return (labels.first ?? name.plainIdentifier).lowercasedFirst
  }

  /// The name with all labels.
  var labelledName: String {
    let words = ([nameWithoutSender].filter { !$0.isEmpty } + labels).map(\.capitalizedFirst)
    return words.isEmpty ? name.plainIdentifier : words.joined().lowercasedFirst
  }

  /// The name with the types of the parameters, except for the sender.
  var typedName: String {
    let hasSender = nameWithoutSender != name.plainIdentifier
    let types = parameters.dropFirst(hasSender ? 1 : 0).map { parameter in
      (parameter.passing == .mutable ? "InOut" + parameter.stored : parameter.type)
        .filter { $0.isLetter || $0.isNumber }
    }
    return labelledName + types.map(\.capitalizedFirst).joined()
  }

  /// The labels, except for `_`.
  private var labels: [String] { parameters.map(\.label.plainIdentifier).filter { $0 != "_" } }

  /// Whether the first parameter is the sender: it has no label, and the method's name begins with the parameter's name or type:
  /// `table(_ table:…)`, `tableDidLoad(_: Table)`, `connection(_: URLConnection, …)`. At least one word must remain.
  private var nameWithoutSender: String {
    let name = name.plainIdentifier
    guard case .method = kind, let sender = parameters.first, sender.label == "_" else { return name }
    let type =
      sender.type.filter { $0.isLetter || $0.isNumber || $0 == "." }.split(separator: ".").last.map(String.init) ?? ""
    let candidates = [sender.name.plainIdentifier, type.droppingPrefix("any")] + type.trailingWords
    let prefixes = candidates.filter { candidate in
      guard !candidate.isEmpty, name.lowercased().hasPrefix(candidate.lowercased()) else { return false }
      let rest = name.dropFirst(candidate.count)
      // A word must end there: `tableau` does not begin with `table`.
      return rest.first.map { $0.isUppercase || $0 == "_" } ?? !labels.isEmpty
    }
    guard let longest = prefixes.max(by: { $0.count < $1.count }) else { return name }
    return String(name.dropFirst(longest.count).drop { $0 == "_" })
  }
}

extension String {
  fileprivate func droppingPrefix(_ prefix: String) -> String {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
  }

  /// `Connection` of `URLConnection`, `LayoutTable` and `Table` of `CellLayoutTable`.
  fileprivate var trailingWords: [String] {
    let characters = Array(self)
    return characters.indices.dropFirst().filter { index in
      let isLowercaseNext = index + 1 < characters.count && characters[index + 1].isLowercase
      return characters[index].isUppercase && (characters[index - 1].isLowercase || isLowercaseNext)
    }.map { String(characters[$0...]) }
  }
}
#endif
