/// Variadic functions: those that format a text, and those that take a value whose type an option tells.
extension SwiftWriter {
  /// A function that is written for a variadic one.
  struct Variant {
    var function: Library.Function
    /// The options whose values it takes.
    var options: Options?
  }

  /// The options of a function with values of one type.
  struct Options {
    /// The number of the parameter.
    var index: Int
    /// The generic type of the options, and the type of their values.
    var type: String
    var value: String
    /// The type of the parameter in C.
    var imported: String
  }

  /// The types of values that an option can have.
  enum OptionValue: String, CaseIterable {
    case text, long, int, int64, double

    var type: CType {
      switch self {
      case .text: .pointer(.named("char", isConst: true), isConst: false)
      case .long: .named("long", isConst: false)
      case .int: .named("int", isConst: false)
      case .int64: .named("long long", isConst: false)
      case .double: .named("double", isConst: false)
      }
    }

    var swift: String {
      switch self {
      case .text: "String"
      case .long: "Int"
      case .int: "Int32"
      case .int64: "Int64"
      case .double: "Double"
      }
    }

    /// The type that the header writes beside a constant: `CURLOPT(CURLOPT_URL, CURLOPTTYPE_STRINGPOINT, 2)`.
    init?(_ constant: Enumeration.Constant) {
      let others = Words.identifiers(constant.code).filter { $0 != constant.name }.flatMap { Words.split($0) }
      if others.contains(where: { ["string", "stringpoint"].contains($0) }) {
        self = .text
      } else if others.contains(where: { ["long", "values"].contains($0) }) {
        self = .long
      } else if others.contains("double") {
        self = .double
      } else if zip(others, others.dropFirst()).contains(where: { $0 == "off" && $1 == "t" }) {
        self = .int64
      } else {
        return nil
      }
    }
  }

  /// The functions that are written for one of C.
  mutating func variants(of function: Library.Function) -> [Variant] {
    if SwiftTypes.keywords.contains(function.name) {
      // Swift has another meaning for the name.
      var renamed = function
      renamed.wrapper = "wrap_\(function.name)"
      if !function.isVariadic { write(renamed, of: function) }
      return [Variant(function: renamed)]
    }
    guard function.isVariadic, choices[function.name]?.adapter != .skip else { return [Variant(function: function)] }
    if let formatting = formatting(function) { return [Variant(function: formatting)] }
    let options = setters(function)
    return options.isEmpty ? [Variant(function: function)] : options
  }

  /// A function of the shim that passes a text as it is, for a function with a format as its last parameter.
  private mutating func formatting(_ function: Library.Function) -> Library.Function? {
    guard let last = function.parameters.last, isText(last.type) else { return nil }
    let words = Words.split(last.name)
    guard
      words.contains(where: { ["fmt", "format", "formatstring"].contains($0) })
        || Words.split(function.name).contains(where: { $0.hasSuffix("printf") })
    else { return nil }
    var plain = function
    plain.isVariadic = false
    plain.wrapper = "wrap_\(function.name)"
    plain.parameters[plain.parameters.count - 1].name = "text"
    write(plain, of: function, passing: "\"%s\", value ? value : \"\"")
    return plain
  }

  /// Adds the function of the shim that calls another one. The last parameter of one that calls a variadic function is `value`.
  private mutating func write(
    _ plain: Library.Function, of function: Library.Function, passing value: String? = nil
  ) {
    let names = plain.parameters.indices.map { index in
      value != nil && index == plain.parameters.count - 1 ? "value" : "a\(index)"
    }
    let parameters = zip(plain.parameters, names).map { $0.type.spelled($1) }
    let list = parameters.isEmpty ? "void" : parameters.joined(separator: ", ")
    let head = plain.result.spelled("\(plain.called)(\(list))")
    let arguments = ((value == nil ? names : names.dropLast()) + [value].compactMap(\.self)).joined(separator: ", ")
    // In parentheses: the name may be a macro's, too.
    let isVoid = library.resolved(plain.result).isVoid
    shims.append("static inline \(head) { \(isVoid ? "" : "return ")(\(function.name))(\(arguments)); }")
  }

  /// A function for each type of value, and the options that have it.
  private mutating func setters(_ function: Library.Function) -> [Variant] {
    guard let last = function.parameters.last, case .named(let name, _) = library.resolved(last.type),
      name.hasPrefix("enum ") || ["int", "unsigned int"].contains(name), let imported = swift.imported(last.type)?.text
    else { return [] }
    let own = swift.own(String(name.dropFirst(5)))
    let constants =
      library.enumerations.first { swift.own($0.name) == own || $0.name == last.type.description }?.constants ?? []
    var found: [OptionValue: [String]] = [:]
    for constant in constants {
      let chosen = choices.bySite["\(function.name)/\(constant.name)"]
      if chosen?.adapter == .skip { continue }
      let told = chosen == nil && name.hasPrefix("enum ") ? OptionValue(constant) : nil
      if let value = chosen?.type.flatMap(OptionValue.init(rawValue:)) ?? told {
        found[value, default: []].append(constant.name)
      }
    }
    // Macros, of which only the choices tell the types.
    for (key, choice) in choices.bySite.sorted(by: { $0.value.line < $1.value.line })
    where key.hasPrefix(function.name + "/") {
      let macro = String(key.dropFirst(function.name.count + 1))
      if constants.contains(where: { $0.name == macro }) { continue }
      if let value = choice.type.flatMap(OptionValue.init(rawValue:)) { found[value, default: []].append(macro) }
    }
    if found.isEmpty { return [] }
    let words = names.words(function.name)
    var type = Names.upper(words) + "Option"
    while typeNames.contains(type) { type += "Value" }
    writeOptions(type, found, function, imported)
    let gives = words.contains { $0 == "get" || $0.hasPrefix("getinfo") || $0.hasPrefix("getopt") }
    return OptionValue.allCases.filter { found[$0] != nil }.map { value in
      var plain = function
      plain.isVariadic = false
      plain.wrapper = "wrap_\(function.name)_\(value.rawValue)"
      let taken = gives ? CType.pointer(value.type, isConst: false) : value.type
      plain.parameters.append(CParameter(name: "value", type: taken))
      write(plain, of: function, passing: "value")
      let options = Options(
        index: function.parameters.count - 1, type: type, value: value.swift, imported: imported)
      return Variant(function: plain, options: options)
    }
  }

  /// Writes the generic type of a function's options, with a constant for each.
  private mutating func writeOptions(
    _ type: String, _ found: [OptionValue: [String]], _ function: Library.Function, _ imported: String
  ) {
    let shared = Self.shared(found.values.flatMap(\.self))
    optionTypes.gap()
    optionTypes.add("/// An option of `\(function.name)`, and the type of its value.")
    optionTypes.add("public struct \(type)<Value>: Sendable {\nlet rawValue: \(imported)\n}")
    var used: Set<String> = []
    for value in OptionValue.allCases {
      guard let names = found[value] else { continue }
      optionTypes.gap()
      optionTypes.add("extension \(type) where Value == \(value == .text ? swift.string : value.swift) {")
      for constant in names {
        var words = Array(Words.split(constant).dropFirst(shared))
        if words.isEmpty || words[0].first?.isNumber == true { words = Words.split(constant) }
        var member = Names.lower(words)
        while !used.insert(member).inserted { member += "C" }
        // Macros are of the type `Int32`.
        let isNumber = ["Int32", "UInt32"].contains(imported)
        var number = isNumber ? "\(imported)(\(cModule).\(constant))" : "\(cModule).\(constant)"
        if library.style(ofEnum: imported) != .constants {
          let value = "\(imported).RawValue(truncatingIfNeeded: \(Library.shimName(of: constant)))"
          number = swift.value(of: imported, value)
        }
        optionTypes.gap()
        optionTypes.add("/// `\(constant)`.")
        optionTypes.add(
          "public static var \(SwiftTypes.escaped(member)): Self { Self(rawValue: \(number)) }")
      }
      optionTypes.add("}")
    }
  }

  /// Gives the parameter for the option its type.
  func use(_ options: Options, _ plan: inout FunctionPlan) {
    guard
      let place = plan.parameters.firstIndex(where: { parameter in
        plan.arguments[options.index].split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "`") }
          .contains(parameter.name[...])
      })
    else { return }
    let name = plan.parameters[place].name
    plan.parameters[place].type = "\(options.type)<\(options.value == "String" ? swift.string : options.value)>"
    plan.arguments[options.index] = "\(name).rawValue"
    if let last = plan.parameters.indices.last, plan.parameters[last].name == "value" {
      plan.parameters[last].name = "_ value"
    }
  }
}
