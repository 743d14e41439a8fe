#if Macros
import SwiftSyntax

/// A requirement of a protocol, as far as a proxy needs to know it.
struct Requirement {
  /// The kind of a requirement.
  enum Kind {
    case method
    case property(isSettable: Bool)
    case subscripting(isSettable: Bool)
  }

  /// The effects of a call: `async` and `throws`.
  struct Effects {
    enum Throwing {
      case no
      case any
      case only(String)
    }

    var isAsync = false
    var throwing = Throwing.no

    var canThrow: Bool {
      if case .no = throwing { false } else { true }
    }

    /// The text after the parameters: ` async throws(E)`.
    var suffix: String {
      let asynchronous = isAsync ? " async" : ""
      return switch throwing {
      case .no: asynchronous
      case .any: asynchronous + " throws"
      case .only(let error): asynchronous + " throws(\(error))"
      }
    }

    /// The text before a call: `try await `.
    var marks: String { (canThrow ? "try " : "") + (isAsync ? "await " : "") }

    /// The type of the error.
    var failure: String {
      switch throwing {
      case .no: "Never"
      case .any: "any Error"
      case .only(let error): error
      }
    }
  }

  let kind: Kind
  /// The name of the method or property, `subscript` for subscripts.
  let name: String
  let parameters: [Parameter]
  let effects: Effects
  /// The type of the result or value, or nil for a method without a result.
  let output: String?
  /// Attributes that the proxy's member has as well: `@MainActor`.
  let attributes: [String]
  /// Whether one of them is a global actor.
  let hasActor: Bool
  /// The same for modifiers: `nonisolated`.
  let modifiers: [String]
  /// The arguments of `@Slot` and `@Defaulted`.
  let options: SlotOptions
  /// The `#if` clauses around the requirement, outermost first.
  let conditions: [Condition]
  /// The syntax node, for diagnostics.
  let syntax: Syntax

  /// The type of the result, or `Void`, as a declaration spells it.
  var declaredResult: String { output ?? "Void" }
  /// The type of the result, or `Void`, as the type of a value, which cannot be `T!`.
  var result: String { declaredResult.last == "!" ? declaredResult.dropLast() + "?" : declaredResult }

  /// The full name: `table(_:didSelect:)`.
  var fullName: String {
    switch kind {
    case .property: name
    case .method where parameters.isEmpty: "\(name)()"
    case .method, .subscripting: "\(name)(\(parameters.map { "\($0.label):" }.joined()))"
    }
  }

  var isSettable: Bool {
    switch kind {
    case .property(let isSettable), .subscripting(let isSettable): isSettable && !hasNonmutatingSetter
    case .method: false
    }
  }

  /// True for a `nonmutating` setter.
  private var hasNonmutatingSetter: Bool {
    syntax.tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .keyword(.nonmutating) }
  }

  /// True for `nonisolated` and `@concurrent`.
  var isNonisolated: Bool {
    modifiers.contains { $0.hasPrefix("nonisolated") } || attributes.contains("@concurrent")
  }

  /// True for `nonisolated(nonsending)`.
  var isNonsending: Bool { modifiers.contains { $0.contains("nonsending") } }

  /// Whether the requirements are in different clauses of one `#if`, so that a proxy has at most one of them.
  func excludes(_ other: Self) -> Bool {
    let common = zip(conditions, other.conditions).prefix { $0.block == $1.block }
    return common.contains { $0.clauses.count != $1.clauses.count }
  }

  var isMethod: Bool { if case .method = kind { true } else { false } }

  /// The name that `#method` uses: without parentheses for a method without parameters.
  var reference: String { parameters.isEmpty ? name : fullName }
}

/// A clause of an `#if`.
struct Condition {
  let block: SyntaxIdentifier
  /// The lines that lead to the clause: `#if os(Linux)`, `#else`.
  var clauses: [String] = []
}

/// The options of a slot from `@Slot` and `@Defaulted`.
struct SlotOptions {
  var name: String?
  var defaultValue: String?
  /// `@Defaulted`: an extension of the protocol answers if nothing else does.
  var isDefaulted = false
}

extension Requirement.Effects {
  init(_ specifiers: FunctionEffectSpecifiersSyntax?) {
    self.init(isAsync: specifiers?.asyncSpecifier != nil, throwing: Throwing(specifiers?.throwsClause))
  }
}

extension Requirement.Effects.Throwing {
  init(_ clause: ThrowsClauseSyntax?) {
    guard let clause else {
      self = .no
      return
    }
    self =
      switch clause.type?.line {
      case nil, "any Error", "Error": .any
      case "Never", "Swift.Never", "Swift::Never": .no
      case let error?: .only(error)
      }
  }
}
#endif
