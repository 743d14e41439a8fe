/// Finds the lines of the choices that decide nothing, so that a line with a mistake is no silent one.
struct Effects {
  enum Finding {
    /// The line has no effect.
    case error(String)
    /// The line is right, but the function needs another line, too.
    case note(String)
  }

  let choices: Choices
  let library: Library
  /// Nil if the callbacks alone are written.
  let objects: LibraryObjects?
  let sites: [ClassifiedSite]
  let output: SwiftWriter.Output
  /// True if the lines are answers to `--ask`, which need not be complete.
  var asks = false
  /// The keys of the lines that are answers of this run.
  var answered: Set<String> = []

  /// Throws an error that names each line without effect, and returns what to tell about the others, and the answers without
  /// effect: another answer may have decided what they are about.
  @discardableResult
  func check(path: String) throws -> (notes: [String], useless: [String]) {
    var errors: [String] = []
    var notes: [String] = []
    var useless: [String] = []
    for (key, choice) in choices.bySite.sorted(by: { $0.value.line < $1.value.line }) {
      switch finding(key, choice) {
      // The answers of --ask have lost the numbers of their lines.
      case .error(let message) where answered.contains(key):
        notes.append("the answer about \(key), which is left out: \(message)")
        useless.append(key)
      case .error(let message): errors.append("\(path):\(asks ? "" : "\(choice.line):") \(message)")
      case .note(let message): notes.append("\(key): \(message)")
      case nil: break
      }
    }
    if !errors.isEmpty { throw WrappingError(errors.joined(separator: "\n")) }
    return (notes, useless)
  }

  private func finding(_ key: String, _ choice: Choices.Choice) -> Finding? {
    if let other = choice.options.first(where: { $0 != "drive" }), choice.drive != nil {
      return .error("\(other)= is no choice for an object that runs on the loop. Remove it from the line of \(key).")
    }
    if key.hasSuffix("*"), !key.contains("/") { return nil }
    if choice.drive != nil || choice.hasMethods { return nil }
    if Choices.isOfCallback(key) { return argument(key) }
    if objects != nil {
      if choice.isOfPointer { return pointer(key, choice) }
      if let index = library.functionIndex[key] { return function(library.functions[index], choice) }
    }
    return sites.first { $0.site.key == key }.flatMap { callback($0, choice) }
  }

  // MARK: Functions

  private func function(_ function: Library.Function, _ choice: Choices.Choice) -> Finding? {
    let name = function.name
    let callbacks = callbacks(of: function)
    if !callbacks.isEmpty {
      return .error(
        "\(name) takes a callback, whose line decides. Write the choices for \(callbacks.joined(separator: " or ")).")
    }
    let options = choice.options
    if let other = options.first(where: { !["skip", "name", "fails", "owns", "takes", "outlives"].contains($0) }) {
      return .error("\(other)= is no choice for a function without callbacks. Remove it from the line of \(name).")
    }
    if output.called.contains(name) {
      // The class has a method for the function that frees it.
      let isRelease = objects?.byHandle.values.contains { $0.release?.name == name } == true
      guard let other = options.first(where: { !isRelease || !["name", "fails"].contains($0) }) else { return nil }
      return .error(
        "The code calls \(name) itself, so \(other == "skip" ? other : other + "=") has no effect. Remove the line.")
    }
    if options.contains("skip") { return nil }
    if let why = output.unwrapped.first(where: { $0.function == name })?.why {
      return skipped(name, why, isAnswer: options == ["owns"])
    }
    for option in options {
      if let problem = problem(function, option, choice) {
        return .error("\(option)= has no effect for \(name): \(problem) Remove it.")
      }
    }
    return nil
  }

  /// Why an option does not decide anything about a function that is written.
  private func problem(_ function: Library.Function, _ option: String, _ choice: Choices.Choice) -> String? {
    let result = library.resolved(function.result)
    switch option {
    case "fails":
      if result.isVoid { return "it returns nothing." }
      if case .named(let type, _) = result { return Self.isRecord(type) ? "it returns a struct." : nil }
      if isObject(function.result) {
        return choice.fails == .never ? nil : "it returns an object, and NULL is the failure."
      }
      return "it returns a pointer."
    case "owns":
      if case .named(let type, _) = result, Self.isRecord(type) { return nil }
      let given = function.parameters.compactMap { library.resolved($0.type).pointee }
      return ([function.result] + given).contains { isObject($0) } ? nil : "it returns no object."
    case "outlives":
      return output.dependent.contains(function.name) ? nil : "it makes no object with one that can be closed."
    case "takes":
      if let taken = choice.taken {
        let isObject = function.index(of: taken).map { index in
          handle(function.parameters[index].type).flatMap { objects?.byHandle[$0]?.release } != nil
        }
        return isObject == true
          ? nil : "takes is yes, no, or the name of a parameter with an object that a class frees."
      }
      if objects?.receiver(of: function) != nil { return nil }
      if objects?.takesOver(function) == true || objects?.freesArgument(function) == true { return nil }
      let isGiven = function.parameters.dropFirst().contains { parameter in
        handle(parameter.type).flatMap { objects?.byHandle[$0]?.release } != nil
      }
      return isGiven ? nil : "it is given no object that a class frees."
    default: return nil
    }
  }

  private static func isRecord(_ type: String) -> Bool { type.hasPrefix("struct ") || type.hasPrefix("union ") }

  private func handle(_ type: CType) -> String? {
    library.function(type) == nil ? Classifier.handle(type, library) : nil
  }

  private func isObject(_ type: CType) -> Bool { handle(type).map { objects?.byHandle[$0] != nil } ?? false }

  /// The callbacks that a function takes, which have lines of their own.
  private func callbacks(of function: Library.Function) -> [String] {
    sites.filter { $0.site.kind == .parameter && $0.site.owner == function.name && $0.role.value != .release }
      .map(\.site.key)
  }

  /// What to say of a line for a function that has no Swift function.
  private func skipped(_ name: String, _ why: Unwrapped, isAnswer: Bool) -> Finding {
    if why.reason == Choices.skipping {
      let isOwn = choices.bySite[name]?.adapter == .skip
      let advice = isOwn ? "Remove one of its lines." : "Add the line \(name), or remove this one."
      return .error("The choices skip \(name). \(advice)")
    }
    if why.choices.isEmpty { return .error("\(name) is skipped: \(why.reason) Remove the line.") }
    // A function may need several lines, which are written one after another.
    let message = "\(name) is skipped: \(why.reason) Write the line \(why.key(name)) \(why.choices)."
    return isAnswer || asks ? .note(message) : .error(message)
  }

  // MARK: Callbacks

  private func callback(_ classified: ClassifiedSite, _ choice: Choices.Choice) -> Finding? {
    let key = classified.site.key
    let known = ["skip", "adapter", "thread", "end", "buffers", "name", "as", "arguments", "fails"]
    if let other = choice.options.first(where: { !known.contains($0) }) {
      return .error("\(other)= is no choice for a callback. Remove it from the line of \(key).")
    }
    if choice.adapter == .skip { return nil }
    let role = classified.role.value
    if role == .release {
      return .error("\(key) belongs to another callback, whose line decides. Remove the line, or write \(key) skip.")
    }
    if !role.isWrapped { return .error("\(key) is skipped: \(role.reason) Remove the line.") }
    // The command writes a line without a name for a callback that it can't write.
    let isWritten = choice.text.split(separator: " ").contains("name=?")
    if let reason = output.skipped.first(where: { $0.key == key })?.reason, !isWritten {
      return .error("\(key) is skipped: \(reason) Remove the line.")
    }
    if choice.fails != nil {
      let function = library.functionIndex[classified.site.owner].map { library.functions[$0] }
      guard classified.site.kind == .parameter, let function else {
        return .error("fails= has no effect for \(key): no function registers it. Remove it.")
      }
      if library.resolved(function.result).isVoid {
        return .error("fails= has no effect for \(key): \(function.name) returns nothing. Remove it.")
      }
    }
    return nil
  }

  // MARK: Pointers

  private func pointer(_ key: String, _ choice: Choices.Choice) -> Finding? {
    if let other = choice.options.first(where: { !["memory", "frees", "type"].contains($0) }) {
      return .error(
        "\(other == "skip" ? other : other + "=") is no choice for a pointer. Remove it from the line of \(key).")
    }
    if Choices.isField(key) { return field(key, choice) }
    let places = choices.places(key, library)
    if places.isEmpty {
      // An option of a variadic function.
      let owner = key.split(separator: "/").first.map(String.init) ?? ""
      return output.unwrapped.first { $0.function == owner }.map { skipped(owner, $0.why, isAnswer: false) }
    }
    let decided = places.filter { choices.pointer($0.function, $0.index, in: library)?.text == choice.text }
    if decided.isEmpty {
      let reason =
        choice.memory?.kind == .input ? "in is for constant memory" : "the other kinds of memory are for the rest"
      return .error(
        key.contains("*")
          ? "\(key) decides nothing: with *, \(reason), and another line may decide. Remove the line."
          : "Another line decides about \(key). Remove one of them.")
    }
    let problems = decided.map { problem($0.function, $0.index, choice) }
    if let problem = problems.first, let problem, !problems.contains(where: { $0 == nil }) { return .error(problem) }
    if choice.type != nil || key.contains("*") { return nil }
    let function = decided[0].function
    let callbacks = callbacks(of: function)
    if !callbacks.isEmpty, !output.described.contains(function.name) {
      return .error(
        "\(function.name) takes a callback that you register yourself, so its pointers stay as they are. Remove the line."
      )
    }
    if output.called.contains(function.name) {
      return .error("The code calls \(function.name) itself, so the line has no effect. Remove it.")
    }
    guard let why = output.unwrapped.first(where: { $0.function == function.name })?.why else { return nil }
    return skipped(function.name, why, isAnswer: true)
  }

  /// What is wrong with a line for a pointer of a callback.
  private func argument(_ key: String) -> Finding? {
    if output.arguments.contains(key) { return nil }
    let owner = String(key.prefix { $0 != "(" })
    let reason = output.skipped.first { $0.key == owner }?.reason
    return .error(
      reason.map { "\(owner) is skipped: \($0) Remove the line." }
        ?? "memory= has no effect for \(key): the line of the callback itself decides. Remove the line.")
  }

  /// What is wrong with a line for a field.
  private func field(_ key: String, _ choice: Choices.Choice) -> Finding? {
    guard let (record, place) = choices.place(ofField: key, library), let use = choice.memory else { return nil }
    if let handle = objects?.handle(of: record) {
      if objects?.byHandle[handle]?.isFixed != true, use.kind == .input {
        return .error(
          "\(record.name) is an object that C makes, so C would keep the memory of \(key). Its fields can be out, inout, or text."
        )
      }
      if let given = PointerUse.given(in: (use.count ?? "") + "*" + (use.used ?? "")).first {
        return .error(
          "\(record.name) is an object, and no program gives it \(given)? for \(key). Write the name of a field.")
      }
    }
    if objects?.handle(of: record) == nil, let freer = library.freer(of: record) {
      return .error("\(freer.name) frees the memory of \(key), so it can't be that of the program. Remove the line.")
    }
    if objects?.handle(of: record) == nil, use.kind == .input || use.kind == .both,
      !library.isTaken(record), library.functions.contains(where: { library.isPointer($0.result, to: record) })
    {
      return .error("C alone makes a \(record.name), so \(key) can be out or text. Correct the line, or remove it.")
    }
    let isMade = objects?.handle(of: record).map { objects?.byHandle[$0]?.isFixed == true } ?? library.isTaken(record)
    if isMade, let problem = constant(record, place, use) { return .error(problem) }
    if output.fields.contains(key) { return nil }
    let reason =
      record.fields.contains { library.function($0.type) != nil }
      ? "\(record.name) has callbacks, so C keeps it as it is."
      : "no function that is written has a \(record.name), or Swift does not import what the field points to."
    return .error("memory= has no effect for \(key): \(reason) Remove the line.")
  }

  /// Why a program can't set a field, or the field that counts what it reads.
  private func constant(_ record: Library.Record, _ field: Library.Field?, _ use: PointerUse) -> String? {
    guard let field, let target = library.resolved(field.type).pointee else { return nil }
    let isLent = use.kind != .text || use.count == nil
    if !isLent || use.kind == .output && library.isConstant(target) { return nil }
    let numbers = PointerUse.names(in: use.count)
    let constant = record.fields.first { other in
      library.isConstant(other.type) && (other.path == field.path || numbers.contains(other.path))
    }
    return constant.map { "\(record.name).\($0.path) is constant, so no program can set it. Remove the line." }
  }

  /// Why a line does not decide anything about a pointer, whatever becomes of its function.
  func problem(_ function: Library.Function, _ index: Int?, _ choice: Choices.Choice) -> String? {
    let place = "\(function.name)/\(Choices.name(function, index))"
    guard let frees = choice.frees else { return nil }
    if let index {
      let isGiven = library.resolved(function.parameters[index].type).pointee.map {
        library.resolved($0).pointee != nil
      }
      return isGiven == true
        ? nil : "frees= has no effect for \(place): C gives no memory of its own through it. Remove it."
    }
    if choice.memory != nil { return nil }
    if isObject(function.result) {
      return "frees= has no effect for \(place): it is an object, which its class frees. Write \(function.name) owns=."
    }
    let target = library.resolved(function.result).pointee.map { library.resolved($0).withoutConst.description }
    return ["char", "unsigned char"].contains(target)
      ? nil : "frees=\(frees) has no effect for \(place) alone: it is no text. Write memory=, too."
  }
}

extension Choices.Choice {
  /// The names of the options with a value, in the order of the line.
  var options: [String] {
    text.split(separator: " ").dropFirst().prefix { !$0.hasPrefix("#") }.filter { !$0.hasSuffix("=?") }.map { word in
      String(word.prefix { $0 != "=" })
    }
  }
}
