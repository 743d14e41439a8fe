/// How the C function that registers a callback is called.
struct Registration {
  /// A parameter that the Swift function has, too.
  struct Parameter {
    var index: Int
    var name: String
    var type: String
    /// What C gets for it.
    var code: String
    /// True if the header has no name for it.
    var isUnnamed = false
    /// True if it is memory that C has only during the call.
    var isLent = false
  }

  /// The meaning of the C function's result.
  enum Outcome: Equatable {
    case nothing
    case ignored
    /// A number, a truth value, or the constant of an enum, some of which mean a failure.
    case status(FailureRule, Status)
    case previousContext
    /// An object, or an identifier, that ends the registration.
    case product(isOptional: Bool)
    /// A number that ends the registration. A negative one is a failure.
    case identifier
  }

  /// The type of a status.
  enum Status {
    case number, truth, constant

    /// The status of a type without its typedefs.
    init(_ type: String) {
      self = type.hasPrefix("enum ") ? .constant : ["_Bool", "bool"].contains(type) ? .truth : .number
    }
  }

  /// A destroy notify.
  struct Release {
    /// The parameter that has the context, or the object that has it.
    var context: Int
    var arrival: Context.Arrival
    var count: Int
    var result: SwiftTypes.Imported
  }

  /// The call that ends a registration.
  struct EndingCall {
    var text: String
    /// True if it takes the result of registering.
    var usesProduct = false
    /// True if it takes the C function again, which `sameFunction` stands for.
    var usesFunction = false
    var ending: Ending?
  }
  static let sameFunction = "<function>"

  let function: Library.Function
  /// The number of the parameter that is the object, if the Swift function is a method.
  var objectIndex: Int?
  var parameters: [Parameter] = []
  /// What C gets for all parameters, if more is known of them than their types.
  var arguments: [String]?
  /// Values whose memory C reads during the call: the closures around it, and checks before it.
  var lending: [String] = []
  var checks: [String] = []
  /// The parameters that are objects, which exist as long as the registration.
  var kept: [(name: String, type: String)] = []
  var outcome: Outcome
  var callbacks: Set<Int> = []
  var contexts: Set<Int> = []
  /// The parameters that are destroy notifies, with the number of their context.
  var releases: [Int: Release] = [:]
  var isOfLibrary = false
  /// The parameter through which C gives the object that ends the registration, the type of that, and the function that frees it.
  var slot: (index: Int, type: String, release: Library.Function)?

  var canFail: Bool {
    switch outcome {
    case .status, .identifier: true
    case .product(let isOptional): isOptional
    case .nothing, .ignored, .previousContext: false
    }
  }

  /// The parameters as the Swift function declares them.
  var declared: [String] {
    parameters.enumerated().map { index, parameter in
      let isLabelled = arguments != nil && index > 0 && !parameter.isUnnamed
      return "\(isLabelled ? "" : "_ ")\(SwiftTypes.escaped(parameter.name)): \(parameter.type)"
    }
  }

  /// Uses what is known of the parameters: objects, enumerations, and memory that C reads during the call. Each registration
  /// calls again, so memory is that of arrays.
  mutating func use(_ plan: FunctionPlan, classes: Set<String>) {
    arguments = plan.arguments
    lending = plan.lending
    checks = plan.checks
    parameters = plan.parameters.map { parameter in
      let isMemory = parameter.type.hasPrefix("Span<")
      let type = isMemory ? "[" + parameter.type.dropFirst("Span<".count).dropLast() + "]" : parameter.type
      return Parameter(
        index: parameter.index, name: parameter.name.filter { $0 != "`" }, type: type,
        code: plan.arguments[parameter.index], isUnnamed: parameter.isUnnamed,
        isLent: plan.lending.contains { $0.hasSuffix("{ \(parameter.name) in") })
    }
    kept = plan.parameters.filter { classes.contains($0.type.filter { $0 != "?" }) }.map { ($0.name, $0.type) }
  }

  /// Names that the code of a registration uses itself.
  static let reserved: Set<String> = [
    "capacity", "policy", "copy", "callback", "pointer", "registered", "slots", "answer", "body", "observer", "inlet",
    "context", "registration",
  ]

  /// Plans the call; nil, with the reason, if Swift can't make it.
  static func plan(
    _ function: Library.Function, sites: [ClassifiedSite], contexts: Set<Int>, handle: String?, fails: FailureRule,
    _ swift: SwiftTypes
  ) -> (registration: Registration?, reason: String) {
    if function.isVariadic { return (nil, "Swift does not import the variadic function \(function.name).") }
    let library = swift.library
    var plan = Registration(function: function, outcome: .nothing)
    plan.contexts = contexts
    var used = Self.reserved
    for (index, parameter) in function.parameters.enumerated() {
      if let site = sites.first(where: { $0.site.index == index && $0.site.kind == .parameter }) {
        if site.role.value == .release, let context = site.context.value {
          guard let result = swift.imported(site.site.function.result) else {
            return (nil, "Its destroy notify returns a type that Swift does not import.")
          }
          if case .parameter(let own) = context.registration, contexts.contains(own) {
            plan.releases[index] = Release(
              context: context.index, arrival: context.arrival, count: site.site.function.parameters.count,
              result: result)
          }
        }
        plan.callbacks.insert(index)
        continue
      }
      if contexts.contains(index) { continue }
      if index == 0, let handle, Classifier.handle(parameter.type, library) == handle {
        plan.objectIndex = 0
        continue
      }
      if plan.slot == nil, Classifier.handle(function.result, library) == nil,
        let release = library.slotRelease(parameter.type), let inner = library.resolved(parameter.type).pointee,
        let type = swift.imported(inner)
      {
        plan.slot = (index, type.text, release)
        continue
      }
      if library.function(parameter.type) != nil {
        if parameter.isNonnull {
          return (nil, "\(function.name) does not accept NULL for the function `\(parameter.name)`.")
        }
        plan.callbacks.insert(index)
        continue
      }
      guard var type = swift.imported(parameter) else {
        return (nil, "Swift does not import the type of parameter \(index) of \(function.name).")
      }
      if type.text == "UnsafePointer<CChar>?" { type.text = swift.string + "?" }
      if type.text == "UnsafePointer<CChar>" { type.text = swift.string }
      if type.isOfLibrary { plan.isOfLibrary = true }
      var name = Names.parameter(parameter.name, "argument\(index + 1)")
      while !used.insert(name).inserted { name += "\(index + 1)" }
      plan.parameters.append(
        Parameter(index: index, name: name, type: type.text, code: SwiftTypes.escaped(name)))
    }
    plan.outcome = outcome(function, sites, fails, swift)
    return (plan, "")
  }

  private static func outcome(
    _ function: Library.Function, _ sites: [ClassifiedSite], _ fails: FailureRule, _ swift: SwiftTypes
  ) -> Outcome {
    let library = swift.library
    if library.resolved(function.result).isVoid { return .nothing }
    if sites.contains(where: { $0.life.value == .returned }) { return .previousContext }
    if Classifier.handle(function.result, library) != nil {
      return .product(isOptional: !function.isResultNonnull || function.wrapper != nil)
    }
    let isTaken = sites.contains { site in
      site.endings.value.contains { ending in
        library.functionIndex[ending.function].map { library.takesResult(of: function, library.functions[$0]) } ?? false
      }
    }
    guard case .named(let name, _) = library.resolved(function.result) else {
      return isTaken ? .product(isOptional: true) : .ignored
    }
    if name == "unsigned int" || name == "unsigned long" { return .product(isOptional: false) }
    if name == "int", isTaken { return .identifier }
    if fails == .never || fails == .null { return .ignored }
    return .status(fails, Status(name))
  }

  // MARK: Calls

  /// The call with the closures for the callbacks, or with NULL for all of them.
  func call(_ closures: [Int: String], context: String?, adapter: String?, _ swift: SwiftTypes) -> String {
    let arguments = arguments(closures, context: context, adapter: adapter, swift).joined(separator: ", ")
    return lending.reversed().reduce("\(function.called)(\(arguments))") { call, lent in "\(lent) \(call) }" }
  }

  /// The arguments of that call.
  func arguments(_ closures: [Int: String], context: String?, adapter: String?, _ swift: SwiftTypes) -> [String] {
    let codes = codes(closures, context: context, adapter: adapter, swift)
    return function.parameters.indices.map { index in
      if index == objectIndex { return "pointer" }
      return codes[index] ?? arguments?[index] ?? parameters.first { $0.index == index }?.code ?? "nil"
    }
  }

  /// The arguments that are functions, contexts, and the place for what ends the registration.
  func codes(_ closures: [Int: String], context: String?, adapter: String?, _ swift: SwiftTypes) -> [Int: String] {
    var codes: [Int: String] = [:]
    for (index, parameter) in function.parameters.enumerated() where index != objectIndex {
      if index == slot?.index {
        codes[index] = closures.isEmpty ? "nil" : "&made"
      } else if let closure = closures[index] {
        codes[index] = closure
      } else if let release = releases[index], let adapter, context != nil {
        codes[index] = Self.release(release, adapter)
      } else if callbacks.contains(index) {
        codes[index] = "nil"
      } else if contexts.contains(index) {
        codes[index] = context.map { Self.converted($0, parameter.type, swift) } ?? "nil"
      }
    }
    return codes
  }

  private static func release(_ release: Release, _ adapter: String) -> String {
    let names = (0..<release.count).map { $0 == release.context ? "context" : "_" }.joined(separator: ", ")
    let context =
      switch release.arrival {
      case .accessor(let function): "\(function)(context)"
      case .member(let field): "context?.pointee.\(field)"
      case .parameter, .array, .indirect: "context"
      }
    if release.result.text == "Void" { return "{ @Sendable \(names) in \(adapter).giveBack(\(context)) }" }
    return "{ @Sendable \(names) in\n\(adapter).giveBack(\(context))\nreturn \(release.result.zero)\n}"
  }

  /// The context as the type that C wants.
  static func converted(_ context: String, _ type: CType, _ swift: SwiftTypes) -> String {
    let text = swift.imported(type)?.text ?? ""
    guard text.hasPrefix("UnsafeMutablePointer<") else { return context }
    return "\(context).assumingMemoryBound(to: \(text.dropFirst("UnsafeMutablePointer<".count).dropLast(2)).self)"
  }

  /// Calls that end the registration. `registration` is the result of the registering function.
  func ending(_ endings: [Ending], handle: String?, _ swift: SwiftTypes) -> EndingCall? {
    let library = swift.library
    if let slot {
      let isVoid = library.resolved(slot.release.result).isVoid
      return EndingCall(text: "\(isVoid ? "" : "_ = ")\(slot.release.called)(registration)", usesProduct: true)
    }
    // A call that takes the function again may end another registration of it.
    var again: EndingCall?
    for ending in endings {
      if ending.withNull {
        if ending.function == function.name, takesNull {
          return EndingCall(text: call([:], context: nil, adapter: nil, swift), ending: ending)
        }
        continue
      }
      guard let index = library.functionIndex[ending.function] else { continue }
      let other = library.functions[index]
      guard var call = call(other, handle, swift) else { continue }
      call.ending = ending
      if !call.usesFunction { return call }
      again = again ?? call
    }
    return again
  }

  /// False if the header says that it does not accept NULL.
  var takesNull: Bool {
    callbacks.union(contexts).allSatisfy { !function.parameters[$0].isNonnull }
  }

  private func call(_ other: Library.Function, _ handle: String?, _ swift: SwiftTypes) -> EndingCall? {
    let library = swift.library
    if other.isVariadic { return nil }
    var isProduct = false
    if case .product = outcome { isProduct = true }
    var arguments: [String] = []
    var usesProduct = false
    var usesFunction = false
    for parameter in other.parameters {
      let object = Classifier.handle(parameter.type, library)
      if outcome == .identifier, !usesProduct, parameter.type == function.result,
        Library.isIdentifier(parameter.name)
      {
        arguments.append("registration")
        usesProduct = true
      } else if isProduct, !usesProduct,
        parameter.type == function.result || object != nil && object == Classifier.handle(function.result, library)
      {
        arguments.append("registration")
        usesProduct = true
      } else if objectIndex != nil, let object, object == handle {
        arguments.append("pointer")
      } else if !usesFunction, library.function(parameter.type) != nil,
        callbacks.contains(where: { releases[$0] == nil && function.parameters[$0].type == parameter.type })
      {
        arguments.append(Self.sameFunction)
        usesFunction = true
      } else if usesFunction, contexts.count == 1,
        contexts.allSatisfy({ function.parameters[$0].type == parameter.type })
      {
        arguments.append(Self.converted("callback.context", parameter.type, swift))
      } else if let own = parameters.first(where: {
        !$0.isLent && function.parameters[$0.index].type == parameter.type
          && ($0.name == Names.parameter(parameter.name, "") || object != nil)
      }) {
        arguments.append(own.code)
      } else {
        return nil
      }
    }
    // The user destroys the object.
    let words = Words.split(other.name)
    if !usesProduct, arguments == ["pointer"],
      words.contains(where: {
        ["free", "destroy", "close", "finish", "delete", "cleanup", "shutdown", "unref", "del"].contains(
          $0.lowercased())
      })
        || other.name.hasSuffix("Free") || other.name.lowercased().hasSuffix("finish")
    {
      return nil
    }
    // A function that ends all of an object's requests would end other requests, too.
    if !usesProduct, arguments == ["pointer"], words.last == "cancel" { return nil }
    let call = "\(other.called)(\(arguments.joined(separator: ", ")))"
    let isVoid = library.resolved(other.result).isVoid
    return EndingCall(text: (isVoid ? "" : "_ = ") + call, usesProduct: usesProduct, usesFunction: usesFunction)
  }
}
