#if Macros
import SwiftSyntax

/// A requirement of a protocol, as far as a proxy needs to know it.
struct Requirement {
  /// What a requirement is, and what its members look like.
  enum Kind {
    case method
    case property(isSettable: Bool)
    case subscripting(isSettable: Bool)
  }

  /// What a call of it may do besides returning.
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

    /// What stands behind the parameters: ` async throws(E)`.
    var suffix: String {
      let asynchronous = isAsync ? " async" : ""
      return switch throwing {
      case .no: asynchronous
      case .any: asynchronous + " throws"
      case .only(let error): asynchronous + " throws(\(error))"
      }
    }

    /// What stands in front of a call: `try await `.
    var marks: String { (canThrow ? "try " : "") + (isAsync ? "await " : "") }

    /// The type of what it throws.
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
  /// The type of the result or of the value; nil where a method has none.
  let output: String?
  /// Attributes that the proxy's member has as well: `@MainActor`.
  let attributes: [String]
  /// Whether one of them is a global actor.
  let hasActor: Bool
  /// The same for modifiers: `nonisolated`.
  let modifiers: [String]
  /// What `@Slot` and `@Defaulted` say.
  let options: SlotOptions
  /// The clauses of `#if` that it stands in, from the outside in.
  let conditions: [Condition]
  /// Where it stands.
  let syntax: Syntax

  /// The type of the result, `Void` where there is none.
  var result: String { output ?? "Void" }

  /// As one refers to it: `table(_:didSelect:)`.
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

  /// Setting does not change a struct: it has the value elsewhere.
  private var hasNonmutatingSetter: Bool {
    syntax.tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .keyword(.nonmutating) }
  }

  /// Whether it says that it has no global actor.
  var isNonisolated: Bool {
    modifiers.contains { $0.hasPrefix("nonisolated") } || attributes.contains("@concurrent")
  }

  /// Whether it says that it is isolated to the caller, whatever the settings of the module.
  var isNonsending: Bool { modifiers.contains { $0.contains("nonsending") } }

  var isMethod: Bool { if case .method = kind { true } else { false } }

  /// As `#method` sees it: a method without parameters is referred to by its name alone.
  var reference: String { parameters.isEmpty ? name : fullName }
}

/// A clause of an `#if`.
struct Condition {
  let block: SyntaxIdentifier
  /// The lines that lead to the clause: `#if os(Linux)`, `#else`.
  var clauses: [String] = []
}

/// What a protocol says of a slot with `@Slot` and `@Defaulted`.
struct SlotOptions {
  var name: String?
  var defaultValue: String?
  /// `@Defaulted`: an extension of the protocol answers when nobody else does.
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
      switch clause.type?.trimmedDescription {
      case nil, "any Error", "Error": .any
      case "Never": .no
      case let error?: .only(error)
      }
  }
}
#endif
