#if Macros
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax

/// A parameter of a requirement.
struct Parameter {
  /// The conversion of an argument for the slot, whose arguments are plain values.
  enum Passing {
    /// As it is.
    case plain
    /// A box whose content is written back.
    case mutable
    /// As an array.
    case variadic
    /// A closure that is valid during the call.
    case scoped
  }

  /// The label, or `_`.
  let label: String
  /// The name in the proxy's method, with backticks if it needs them.
  let name: String
  /// As the requirement declares it.
  let declared: String
  /// The type of the argument in the slot.
  let type: String
  /// The type of the value: for `inout`, the type of the box's content.
  let stored: String
  /// The type of the argument in a closure's parameter list.
  let closureType: String
  let passing: Passing
  /// True for an autoclosure.
  let isAutoclosure: Bool
  /// True for a `consuming` parameter.
  let isConsumed: Bool
  /// The text before a call of an autoclosure: `try await `.
  let marks: String
  /// The box of an `inout` argument.
  let box: String

  /// Identifiers that begin an expression of another kind if they have no backticks.
  private static let operators: Set<String> = ["await", "unsafe", "consume", "copy", "each", "any", "some", "discard"]

  /// `taken` has the names of all parameters of the declaration, and gets those that are made up here.
  init(_ parameter: FunctionParameterSyntax, at index: Int, isOfSubscript: Bool, taken: inout Set<String>) {
    // A parameter of a subscript has no label by default.
    label = isOfSubscript && parameter.secondName == nil ? "_" : parameter.firstName.text
    let given = (parameter.secondName ?? parameter.firstName).text
    if given == "_" {
      name = taken.unused("argument\(index)")
    } else if given.hasPrefix("`")
      || given.isValidSwiftIdentifier(for: .variableName) && !Self.operators.contains(given)
    {
      name = given
    } else {
      name = "`\(given)`"
    }
    box = taken.unused("box" + name.plainIdentifier.capitalizedFirst)
    let parts = TypeParts(parameter.type)
    isAutoclosure = parts.isAutoclosure
    isConsumed = parts.isConsumed
    marks = parts.marks
    // A witness need not repeat the ownership of a parameter.
    declared = parts.isInout ? "inout \(parts.written)" : parts.written + (parameter.ellipsis == nil ? "" : "...")
    stored = parts.stored
    if parts.isInout {
      passing = .mutable
      type = "\(ModuleSelector.library)InOut<\(parts.stored)>"
    } else if parameter.ellipsis != nil {
      passing = .variadic
      type = "[\(parts.stored)]"
    } else {
      passing = parts.isScoped ? .scoped : .plain
      type = parts.stored
    }
    closureType = passing != .mutable && passing != .variadic && parts.isFunction ? parts.escaping : type
  }

  /// In the proxy's method: `didSelect row: Int`.
  var declaration: String {
    label.unquoted == name.unquoted ? "\(label): \(declared)" : "\(label) \(name): \(declared)"
  }

  /// The same in a subscript.
  var subscriptDeclaration: String { (label == "_" ? "" : "\(label) ") + "\(name): \(declared)" }

  /// The label in a call. The compiler warns if a keyword is escaped there without need.
  private var labelInCall: String {
    let plain = label.unquoted
    let isPlain = plain.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    return !isPlain || plain == "inout" ? label : plain
  }

  /// The argument for the method of another object, with its label.
  var passedOn: String {
    let value = passing == .mutable ? "&\(name)" : isAutoclosure ? "\(marks)\(name)()" : name
    return label == "_" ? value : "\(labelInCall): \(value)"
  }

  /// The type in the type of a function that takes a variadic argument as an array, and an autoclosure as a closure.
  var functionType: String {
    switch passing {
    case .mutable: "inout " + stored
    case .scoped: type
    case .plain, .variadic: closureType
    }
  }

  /// The argument for such a function, from `value`.
  func spread(_ value: String) -> String { passing == .mutable ? "&\(value).value" : value }

  /// The argument for a function without labels, from `value`, the argument in the slot.
  func unlabelled(_ value: String) -> String {
    passing == .mutable ? "&\(value).value" : isAutoclosure ? "\(marks)\(value)()" : value
  }

  /// The argument for the slot.
  var argument: String { passing == .mutable ? box : name }

  /// The same of the forwardee's method, with the label.
  func labelled(_ value: String) -> String { (label == "_" ? "" : "\(labelInCall): ") + unlabelled(value) }
}

extension Set<String> {
  /// `name` or, if it is taken, the name with underscores before it; it is taken from then on.
  mutating func unused(_ name: String) -> String {
    insert(name).inserted ? name : unused("_" + name)
  }
}

extension FunctionParameterClauseSyntax {
  /// The names of the parameters in the body, without backticks.
  var names: Set<String> { Set(parameters.map { ($0.secondName ?? $0.firstName).text.unquoted }) }
}

extension FunctionParameterSyntax {
  /// The same with an array in the place of its variadic arguments.
  var takingArray: Self {
    with(\.ellipsis, nil).with(\.type, TypeSyntax(ArrayTypeSyntax(element: type.trimmed)))
  }

  /// A fix that gives a parameter without a name the one with its number, or nil for a parameter with a name.
  func named(at index: Int) -> FixIt? {
    guard (secondName ?? firstName).text == "_" else { return nil }
    let name = TokenSyntax.identifier("argument\(index)")
    let named =
      secondName == nil
      ? with(\.firstName.trailingTrivia, .space).with(\.secondName, name) : with(\.secondName, name)
    return .replacing(self, with: named, "Name it '\(name.text)'")
  }

  /// A statement that renames a parameter named `self`, or nil for other parameters.
  var renamedSelf: FixIt? {
    guard (secondName ?? firstName).text.unquoted == "self" else { return nil }
    let renamed = with(\.firstName.trailingTrivia, .space).with(\.secondName, .identifier("value"))
    return .replacing(self, with: renamed, "Name it 'value'")
  }
}

extension Message {
  /// The diagnostic for a parameter named `self`.
  static var parameterSelf: Message {
    Message("parameter", "A parameter named 'self' hides the object whose method this is. Rename the parameter.")
  }
}

/// The parts of a parameter's type that matter.
struct TypeParts {
  var isInout = false
  var isAutoclosure = false
  /// A value that the function does not own, so that a closure cannot have it.
  var isBorrowed = false
  /// A value that the function has to itself, which is copied only on request.
  var isConsumed = false
  /// A function type, or its alias, not one that is optional.
  var isFunction = false
  /// The text before a call of the function: `try await `.
  var marks = ""
  /// A function type that does not escape.
  var isScoped = false
  /// Specifiers such as `sending` and `isolated`, which a slot's argument cannot have.
  var specifiers: [String] = []
  /// The name of the first such specifier, or `inout`.
  var promise: String { isInout ? "inout" : isBorrowed ? "borrowing" : specifiers.first ?? "" }
  /// As a parameter's type, without ownership.
  var written: String
  /// As the type of a stored value.
  var stored: String
  /// The same as a function that a closure may keep.
  var escaping: String {
    guard stored.hasPrefix(Self.nonsending) else { return "@escaping \(stored)" }
    return "\(Self.nonsending) @escaping\(stored.dropFirst(Self.nonsending.count))"
  }

  /// A specifier that is a part of a function type. It precedes the attributes.
  private static let nonsending = "nonisolated(nonsending)"

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
        case "borrowing": isBorrowed = true
        case "consuming": isConsumed = true
        case "__owned", "__shared": break
        case TypeParts.nonsending:
          writtenAttributes.append(Self.nonsending)
          storedAttributes.append(Self.nonsending)
        case let other: specifiers.append(other)
        }
      }
      for attribute in attributed.attributes {
        let text = attribute.line
        writtenAttributes.append(text)
        switch text {
        case "@escaping": isEscaping = true
        case "@autoclosure": isAutoclosure = true
        default: storedAttributes.append(text)
        }
      }
    }
    let function = bare.inParentheses.as(FunctionTypeSyntax.self)
    // Only functions have these attributes, so a name with one of them is an alias of a function type.
    isFunction = function != nil || isEscaping || isAutoclosure
    marks =
      Requirement.Effects(
        isAsync: function?.effectSpecifiers?.asyncSpecifier != nil,
        throwing: .init(function?.effectSpecifiers?.throwsClause)
      ).marks
    isScoped = isFunction && !isEscaping && !isInout
    written = (writtenAttributes + [bare.line]).joined(separator: " ")
    var plain = bare.line
    if let implicit = bare.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      plain = "\(implicit.wrappedType.line)?"
    }
    stored = (storedAttributes + [plain]).joined(separator: " ")
  }
}

extension SyntaxProtocol {
  /// In one line and without comments, so that it can be in a comment and in a name.
  var line: String {
    let tokens = Array(tokens(viewMode: .sourceAccurate))
    return zip(tokens, tokens.dropFirst()).map { token, next in
      token.trailingTrivia.isEmpty && next.leadingTrivia.isEmpty ? token.text : token.text + " "
    }.joined() + (tokens.last?.text ?? "")
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

  /// A name without backticks that needs none: `rowWasSelected` for the raw identifier `row was selected`.
  var plainIdentifier: String {
    let name = unquoted
    if name.isValidSwiftIdentifier(for: .variableName) { return name }
    let words = name.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
    let text = words.first.map { $0 + words.dropFirst().map { String($0).capitalizedFirst }.joined() } ?? "raw"
    return text.first?.isNumber == true ? "_" + text : String(text)
  }

  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }

  var lowercasedFirst: String {
    // `URLSession` becomes `urlSession`.
    let capitals = prefix { $0.isUppercase }
    if capitals.count <= 1 || capitals.count == count { return capitals.lowercased() + dropFirst(capitals.count) }
    return capitals.dropLast().lowercased() + dropFirst(capitals.count - 1)
  }
}
#endif
