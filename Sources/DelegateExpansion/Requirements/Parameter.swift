#if Macros
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax

/// A parameter of a requirement.
struct Parameter {
  /// How an argument gets into the slot, whose arguments are plain values.
  enum Passing {
    /// As it is.
    case plain
    /// In a box, whose content is written back.
    case mutable
    /// As an array.
    case variadic
    /// A closure that may be kept as long as the call lasts.
    case scoped
  }

  /// As it is called, `_` where it has none.
  let label: String
  /// The name it has in the proxy's method, with backticks where it needs them.
  let name: String
  /// As the requirement declares it.
  let declared: String
  /// The type of the argument in the slot.
  let type: String
  /// The type of the argument in a closure's parameter list.
  let closureType: String
  let passing: Passing
  /// The argument is an expression that is evaluated later.
  let isAutoclosure: Bool

  init(_ parameter: FunctionParameterSyntax, at index: Int, isOfSubscript: Bool) {
    // A subscript's parameter has no label unless it is given one.
    label = isOfSubscript && parameter.secondName == nil ? "_" : parameter.firstName.text
    let given = (parameter.secondName ?? parameter.firstName).text
    if given == "_" {
      name = "argument\(index)"
    } else if given.hasPrefix("`") || given.isValidSwiftIdentifier(for: .variableName) {
      name = given
    } else {
      name = "`\(given)`"
    }
    let parts = TypeParts(parameter.type)
    isAutoclosure = parts.isAutoclosure
    // Ownership is a promise to the caller that a witness need not repeat.
    declared = parts.isInout ? "inout \(parts.written)" : parts.written + (parameter.ellipsis == nil ? "" : "...")
    if parts.isInout {
      passing = .mutable
      type = "InOut<\(parts.stored)>"
    } else if parameter.ellipsis != nil {
      passing = .variadic
      type = "[\(parts.stored)]"
    } else {
      passing = parts.isScoped ? .scoped : .plain
      type = parts.stored
    }
    closureType = passing != .mutable && passing != .variadic && parts.isFunction ? "@escaping \(type)" : type
  }

  /// In the proxy's method: `didSelect row: Int`.
  var declaration: String {
    label.unquoted == name.unquoted ? "\(label): \(declared)" : "\(label) \(name): \(declared)"
  }

  /// The same in a subscript.
  var subscriptDeclaration: String { (label == "_" ? "" : "\(label) ") + "\(name): \(declared)" }

  /// What another object's method of the same name gets, with its label.
  var passedOn: String {
    let value = passing == .mutable ? "&\(name)" : isAutoclosure ? "\(name)()" : name
    return label == "_" ? value : "\(label): \(value)"
  }

  /// What a function without labels gets of `value`, the argument in the slot.
  func unlabelled(_ value: String) -> String {
    passing == .mutable ? "&\(value).value" : isAutoclosure ? "\(value)()" : value
  }

  /// The box of an `inout` argument.
  var box: String { "box" + name.unquoted.capitalizedFirst }

  /// What the slot gets.
  var argument: String { passing == .mutable ? box : name }

  /// The same of the forwardee's method, with the label.
  func labelled(_ value: String) -> String { (label == "_" ? "" : "\(label): ") + unlabelled(value) }
}

extension FunctionParameterSyntax {
  /// The same with an array in the place of its variadic arguments.
  var takingArray: Self {
    with(\.ellipsis, nil).with(\.type, TypeSyntax(ArrayTypeSyntax(element: type.trimmed)))
  }

  /// What gives a parameter called `self` another name; nil for others.
  var renamedSelf: FixIt? {
    guard (secondName ?? firstName).text.unquoted == "self" else { return nil }
    let renamed = with(\.firstName.trailingTrivia, .space).with(\.secondName, .identifier("value"))
    return .replacing(self, with: renamed, "Call it 'value'")
  }
}

extension Message {
  /// What is said of a parameter called `self`.
  static var parameterSelf: Message {
    Message("parameter", "A parameter called 'self' hides the object whose method this is. Give it another name.")
  }
}

/// The parts of a parameter's type that matter.
struct TypeParts {
  var isInout = false
  var isAutoclosure = false
  /// A function type, not one that is optional.
  var isFunction = false
  /// A function type that does not escape.
  var isScoped = false
  /// Of `sending`, `isolated` and the like: what a slot cannot keep.
  var specifiers: [String] = []
  /// What the first of them or `inout` is called.
  var promise: String { isInout ? "inout" : specifiers.first ?? "" }
  /// As a parameter's type, without ownership.
  var written: String
  /// As the type of a stored value.
  var stored: String

  init(_ type: TypeSyntax) {
    var bare = type
    var writtenAttributes: [String] = []
    var storedAttributes: [String] = []
    var isEscaping = false
    if let attributed = type.as(AttributedTypeSyntax.self) {
      bare = attributed.baseType
      for specifier in attributed.specifiers {
        switch specifier.trimmedDescription {
        case "inout": isInout = true
        case "borrowing", "consuming", "__owned", "__shared": break
        case let other: specifiers.append(other)
        }
      }
      for attribute in attributed.attributes {
        let text = attribute.trimmedDescription
        writtenAttributes.append(text)
        switch text {
        case "@escaping": isEscaping = true
        case "@autoclosure": isAutoclosure = true
        default: storedAttributes.append(text)
        }
      }
    }
    isFunction = bare.inParentheses.is(FunctionTypeSyntax.self)
    isScoped = isFunction && !isEscaping && !isInout
    written = (writtenAttributes + [bare.trimmedDescription]).joined(separator: " ")
    var plain = bare.trimmedDescription
    if let implicit = bare.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      plain = "\(implicit.wrappedType.trimmedDescription)?"
    }
    stored = (storedAttributes + [plain]).joined(separator: " ")
  }
}

extension TypeSyntax {
  /// What is in the parentheses around it, if there are any.
  var inParentheses: TypeSyntax {
    guard let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first,
      only.firstName == nil
    else { return self }
    return only.type.inParentheses
  }

  /// Whether it mentions the type `name` anywhere.
  func mentions(_ name: String) -> Bool {
    tokens(viewMode: .sourceAccurate).contains { $0.text == name }
  }
}

extension String {
  /// Without backticks.
  var unquoted: String { filter { $0 != "`" } }

  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }

  var lowercasedFirst: String {
    // `URLSession` becomes `urlSession`.
    let capitals = prefix { $0.isUppercase }
    if capitals.count <= 1 || capitals.count == count { return capitals.lowercased() + dropFirst(capitals.count) }
    return capitals.dropLast().lowercased() + dropFirst(capitals.count - 1)
  }
}
#endif
