/// The results of a C function that mean a failure.
enum FailureRule: String, CaseIterable {
  case negative
  case nonzero
  case zero
  case null
  case never

  /// The rule that a choice names. A pointer needs no choice.
  init?(chosen value: String) {
    self.init(rawValue: value)
    if self == .null { return nil }
  }

  static func message(_ value: String) -> String {
    "There is no rule \(value). Choose one of negative, nonzero, zero, or never."
  }
}

/// Decides which results of a library's functions mean a failure.
///
/// The comment of a function decides first, then the type of the result. For an `int` without a comment, the conventions of the
/// library decide: the comments of its other functions, and the signs of its error codes.
struct Failures {
  let library: Library
  /// The rule for an `int` whose comment does not decide.
  private let usual: Decision<FailureRule>
  /// The rule that the error codes suggest.
  private let signs: Decision<FailureRule>?
  /// The rules that comments state, by the names of the functions.
  private let stated: [String: FailureRule]

  init(_ library: Library) {
    self.library = library
    var stated: [String: FailureRule] = [:]
    for function in library.functions { stated[function.name] = Self.rule(of: function) }
    self.stated = stated
    let signs = Self.signs(of: library)
    self.signs = signs
    usual =
      Self.majority(of: library, stated).map { Self.narrowed($0, signs) } ?? signs
      // Hardly any library returns a negative number for a success.
      ?? Decision(.negative, .asked, "The header does not say which results are failures.")
  }

  /// True if a negative number is a failure by the conventions of the library.
  var isNegative: Bool { usual.value == .negative }
  /// True if the library has error codes of its own.
  var hasCodes: Bool { signs != nil }

  /// The rule for the result of a function.
  func rule(for function: Library.Function) -> Decision<FailureRule> {
    let result = library.resolved(function.result)
    if result.isVoid { return Decision(.never, .told, "It returns nothing.") }
    let comment = statedRule(of: function)
    guard case .named(let name, _) = result else {
      if comment == .never { return Decision(.never, .told, "The comment says so.") }
      return Decision(.null, .inferred, "It returns a pointer.")
    }
    if name.hasPrefix("enum ") { return enumeration(name, function, comment) }
    if Self.isTruth(function.result, name) {
      if let comment { return Decision(comment, .told, "The comment says which results are failures.") }
      return Decision(name == "int" ? .zero : .never, .inferred, "It returns a truth value.")
    }
    if !Self.signed.contains(name), comment != .never, case .named(let own, _) = function.result,
      Words.split(own).contains(where: { ["err", "error"].contains($0) })
    {
      return Decision(comment ?? .nonzero, .inferred, "It returns the code of an error.")
    }
    guard Self.signed.contains(name) else { return Decision(.never, .inferred, "It returns an unsigned number.") }
    if let comment {
      let rule = Decision(comment, .told, "The comment says which results are failures.")
      return Self.saysNonzero(function.comment) ? rule : Self.narrowed(rule, signs)
    }
    if let (name, value) = failure(namedBy: function.comment) {
      return Decision(value < 0 ? .negative : .nonzero, .told, "The comment says that it returns \(name).")
    }
    if usual.value != .negative, usual.value != .never, Self.tellsValue(function) {
      return Decision(.negative, .inferred, "The comment says that it returns a value.")
    }
    return usual
  }

  /// The constant of a failure that a comment says is returned: "the ID, or BOX_FAILED on an error".
  private func failure(namedBy comment: String) -> (name: String, value: Int)? {
    let text = comment.replacingNewlines
    guard let start = ["@return", "\\return", "Returns", "returns"].first(where: { text.has($0) }) else { return nil }
    let words = Words.identifiers(text.rest(after: start))
    return library.numberedConstants.first { constant in
      constant.value != 0 && words.contains(constant.name[...])
        && Words.split(constant.name).contains { Self.failing.contains($0) }
    }
  }

  /// True if a comment says what a function returns, and names neither a success nor a failure: "Returns its number, from 1".
  static func tellsValue(_ function: Library.Function) -> Bool {
    let results = function.sentences.filter { sentence in
      sentence.subject == .result || sentence.text.lowercased().hasPrefix("return")
    }
    let statuses = [
      "err", "fail", "succ", "zero", "ok", "true", "false", "status", "code", "whether", "problem", "invalid", "null",
    ]
    return !results.isEmpty
      && !results.contains { sentence in
        let words = Words.identifiers(sentence.text.lowercased())
        return words.contains { word in ["0", "1"].contains(word) || statuses.contains { word.hasPrefix($0) } }
      }
  }

  /// True if a comment says that each number other than zero is a failure, whatever the signs of the error codes are.
  private static func saysNonzero(_ comment: String) -> Bool {
    let text = plain(comment)
    return ["nonzero on err", "nonzero on fail", "nonzero err", "nonzero value on", "nonzero if an err"].contains {
      text.has($0)
    }
  }

  /// "Zero or an error code" leaves positive numbers open. If the error codes are negative, a positive number is a success.
  private static func narrowed(_ rule: Decision<FailureRule>, _ signs: Decision<FailureRule>?) -> Decision<FailureRule>
  {
    guard rule.value == .nonzero, let signs, signs.value == .negative else { return rule }
    return Decision(.negative, rule.certainty, signs.why)
  }

  /// True for a type that is used as a truth value.
  static func isTruth(_ type: CType, _ resolved: String) -> Bool {
    if ["_Bool", "bool"].contains(resolved) { return true }
    guard case .named(let own, _) = type else { return false }
    return Words.split(own).contains { ["bool", "boolean", "gboolean"].contains($0) }
  }

  private static let signed: Set<String> = ["int", "long", "long long", "short", "signed char"]

  private func enumeration(
    _ name: String, _ function: Library.Function, _ comment: FailureRule?
  ) -> Decision<FailureRule> {
    let first = library.zeroConstants[name] ?? library.zeroConstants[function.result.description] ?? ""
    let words = Words.split(first)
    if words.contains(where: { Self.failing.contains($0) || $0 == "no" || $0 == "false" }), !words.contains("ok"),
      !words.contains("error") || !words.contains("no")
    {
      return Decision(.zero, .inferred, "The constant of zero is \(first).")
    }
    if comment == .negative { return Decision(.negative, .told, "The comment says which results are failures.") }
    if comment == nil, !isStatus(name, function.result, words) {
      return Decision(.never, .inferred, "Its constants are no errors.")
    }
    return Decision(.nonzero, .inferred, "The constant of zero is \(first).")
  }

  /// True if an enum has errors: by its own name, by the constant of zero, or by its constants.
  private func isStatus(_ name: String, _ type: CType, _ zero: [String]) -> Bool {
    let own = Words.split(name) + Words.split(type.description)
    if own.contains(where: { ["err", "error", "errno", "status", "result", "rc", "ret", "code", "codes"].contains($0) })
    {
      return true
    }
    if zero.contains(where: { Self.succeeding.contains($0) && $0 != "none" || $0 == "noerror" }) { return true }
    let short = name.split(separator: " ").last.map(String.init) ?? name
    let enumeration = library.enumerations.first { $0.name == short || $0.name == type.description }
    return (enumeration?.constants ?? []).contains { constant in
      Words.split(constant.name).contains { ["err", "error", "fail", "failed", "failure"].contains($0) }
    }
  }

  // MARK: Conventions of a library

  /// The rule of most functions with a result of type `int` whose comments decide.
  private static func majority(of library: Library, _ stated: [String: FailureRule]) -> Decision<FailureRule>? {
    var votes: [FailureRule: Int] = [:]
    for function in library.functions {
      guard case .named(let name, _) = library.resolved(function.result), name == "int",
        !isTruth(function.result, name), let rule = stated[function.name]
      else { continue }
      votes[rule, default: 0] += 1
    }
    let all = votes.values.reduce(0, +)
    guard let best = votes.max(by: { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }), best.value >= 2,
      best.value * 10 >= all * 6
    else { return nil }
    return Decision(best.key, .inferred, "The comments of \(best.value) of \(all) functions say so.")
  }

  private static let failing: Set<String> = [
    "err", "error", "errors", "fail", "failed", "failure", "invalid", "bad",
  ]
  private static let succeeding: Set<String> = ["ok", "success", "none"]

  /// The rule that the signs of the error codes suggest.
  private static func signs(of library: Library) -> Decision<FailureRule>? {
    // The number of an error is elsewhere, so results are only -1.
    if let number = library.errorNumber { return Decision(.negative, .inferred, "\(number.name) has the error.") }
    // `CONFIG_TRUE` and `CONFIG_FALSE` beside the codes of an enum that another function tells.
    let numbers = Dictionary(library.numberedConstants.map { ($0.name, $0.value) }) { first, _ in first }
    for (name, value) in library.numberedConstants
    where value == 1 && name.hasSuffix("_TRUE") && !name.dropLast(5).contains("_") {
      let other = name.dropLast(4) + "FALSE"
      if numbers[String(other)] == 0, tellsCodes(library) {
        return Decision(.zero, .inferred, "\(other) is 0, and no function returns the codes of errors.")
      }
    }
    let codes = library.numberedConstants.filter { Words.split($0.name).contains { failing.contains($0) } }
    let isZeroSuccess = library.numberedConstants.contains { constant in
      constant.value == 0 && Words.split(constant.name).contains { succeeding.contains($0) }
    }
    let negative = codes.count { $0.value < 0 }
    let positive = codes.count { $0.value > 0 && !succeeding.isSuperset(of: Words.split($0.name).suffix(1)) }
    if negative >= 2, negative > positive {
      return Decision(.negative, .inferred, "\(negative) error codes are negative.")
    }
    if positive >= 2, positive > negative, isZeroSuccess {
      return Decision(.nonzero, .inferred, "\(positive) error codes are positive.")
    }
    return nil
  }

  /// True if the library has an enum of errors that no function returns: its functions return something else.
  private static func tellsCodes(_ library: Library) -> Bool {
    library.enumerations.contains { enumeration in
      enumeration.constants.count { Words.split($0.name).contains { failing.contains($0) } } >= 2
        && !library.functions.contains { function in
          [enumeration.name, "enum " + enumeration.name].contains(function.result.description)
            || library.resolved(function.result).description == "enum " + enumeration.name
        }
    }
  }

  // MARK: Comments

  private static let negative = [
    "negative err", "negative value", "negative number", "negative int", "negative code", "negative return",
    "negative on", "negative if", "negative posix", "negative in case", "negated errno", "-errno", "less than 0",
    "less than zero", "< 0", "<0", "-1 on", "-1 if", "-1 for", "-1 in case", "-1 when", "-1 is returned",
    "-1 otherwise", "or -1", "returns -1", "return -1", "-einval", "-enomem", "-eagain", "-ebadf", "-enoent",
  ]
  private static let nonzero = [
    "0 on succ", "0 for succ", "0 if succ", "0 upon succ", "0 when succ", "0 in case of succ", "0 if ok",
    "0 if no error", "0 if the operation succ", "0 if everything", "0 means succ", "0 = succ", "0 - succ", "0: succ",
    "0 for ok", "0 is returned on succ", "zero on succ", "zero if succ", "zero for succ", "zero upon succ",
    "zero if no error", "nonzero on err", "nonzero on fail", "nonzero if an err", "nonzero value on",
    "nonzero err", "nonzero in case of", "nonzero number on fail", "nonzero number on err", "nonzero value if",
    "_ok on succ", "_ok if", "_success on", "_success - on", "_success if",
    "_success upon", "an error code", "errno on fail", "errno on err", "an errno", "or errno", "positive errno",
    "an error number",
  ]
  private static let nonzeroSuccess = [
    " 1 on succ", " 1 for succ", " 1 if succ", " 1 upon succ", " returns 1 if", " one on succ", " nonzero on succ",
    " nonzero if succ", " nonzero upon succ", " nonzero for succ",
  ]
  private static let zeroFailure = [
    " true on succ", " true if succ", " 0 on err", " 0 on fail", " 0 if an err", " 0 if it fail", " 0 for fail",
    " 0 in case of err", " 0 in case of fail", " zero on err", " zero on fail", " zero if an err", " false on err",
    " false in case of err", " false in case of fail", " false in case of mem", " false if an err", " false if it fail",
    " false if there were",
    " false on fail",
  ]

  /// The rule that the comment of a function states, or nil.
  func statedRule(of function: Library.Function) -> FailureRule? { stated[function.name] }

  /// The rule that the comment of a function states, or nil. "EINVAL if port < 0" says nothing of the result.
  static func rule(of function: Library.Function) -> FailureRule? {
    // What a block such as `@param` says is about something else.
    var comment = function.sentences.filter { sentence in
      if case .parameter = sentence.subject { false } else { true }
    }.map(\.text).joined(separator: "\n")
    for parameter in function.parameters where !parameter.name.isEmpty {
      for condition in [" < 0", " <0", "<0", " <= 0"] {
        comment = comment.replacing(" " + parameter.name + condition, with: " ")
      }
    }
    return rule(from: comment)
  }

  /// The rule that a comment states, or nil.
  static func rule(from comment: String) -> FailureRule? {
    if comment.isEmpty || asks(comment) { return nil }
    var text = plain(comment)
    if text.count > 600 {
      // A long comment says many things with the same words.
      let sentences = text.replacing(". ", with: "\n").split(separator: "\n").filter { String($0).has("return") }
      if !sentences.isEmpty { text = sentences.joined(separator: ". ") + " " }
    }
    if ["never fails", "cannot fail", "always succeeds", "always returns 0"].contains(where: { text.has($0) }) {
      return .never
    }
    let isNegative = negative.contains { text.has($0) }
    if zeroFailure.contains(where: { text.has($0) }) { return .zero }
    // "1 on success, negative on failure" leaves zero a success.
    if isNegative { return .negative }
    if nonzeroSuccess.contains(where: { text.has($0) }) { return .zero }
    return nonzero.contains { text.has($0) } ? .nonzero : nil
  }

  /// True if a comment says that zero is the success: then the result counts nothing.
  static func saysZeroSuccess(_ comment: String) -> Bool {
    let text = plain(comment)
    return nonzero.contains { ($0.hasPrefix("0 ") || $0.hasPrefix("zero ")) && text.has($0) }
  }

  /// The comment in lower case as one line, without markup, and with one spelling of "nonzero".
  private static func plain(_ comment: String) -> String {
    var text = " "
    for character in comment.lowercased() {
      let isPlain =
        character.isLetter || character.isNumber || "-<>=!:_.,".contains(character)
      if isPlain { text.append(character) } else if text.last != " " { text.append(" ") }
    }
    for (old, new) in [
      ("!= 0", "nonzero"), ("!=0", "nonzero"), ("non-zero", "nonzero"), ("non zero", "nonzero"), ("> 0", "positive"),
      (">0", "positive"), (">= 0", "nonnegative"), (">=0", "nonnegative"), ("0, on", "0 on"), ("0, if", "0 if"),
      ("1, on", "1 on"), ("returned on", "on"), ("< 0 on", "negative on"), ("< 0 if", "negative if"),
      ("<0 on", "negative on"), ("<0 if", "negative if"),
      ("value of ", ""), ("return value: ", ""), (" is on", " on"), ("value on", "on"), ("value if", "if"),
    ] where text.has(old) {
      text = text.replacing(old, with: new)
    }
    return text
  }
}
