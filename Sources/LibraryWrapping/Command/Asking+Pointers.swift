/// The questions about pointers.
extension Asking {
  /// Asks what a function does with a pointer, because of which it is skipped.
  func pointer(_ name: String, _ why: Unwrapped, _ choices: Choices) -> Question? {
    guard let index = library.functionIndex[name] else { return nil }
    let function = library.functions[index]
    let key = why.key(name)
    let isOfFreeing = why.choices.hasPrefix("frees=") || why.detail.isEmpty
    var answers = [Answer(text: "I don't know: leave \(name) out", line: nil, writes: "nothing")]
    let source = isOfFreeing ? "What the comment says" : "What its name suggests"
    let assumed = why.choices.has("?") ? [] : [(text: source, choice: why.choices)]
    let others =
      why.detail.isEmpty ? [("The library", "owns=no")] : isOfFreeing ? owners() : uses(of: why.detail, function)
    for (text, choice) in assumed + others
    where choice != assumed.first?.choice || text == assumed.first?.text {
      let line = "\(key) \(choice)"
      answers.append(Answer(text: text, line: line, writes: member(name, choices, line, only: name)))
    }
    let question =
      isOfFreeing
      ? "Who frees what \(name) returns?" : "What does \(name) do with \(why.detail)?"
    return Question(
      text: question, key: key,
      header: function.comment.split(separator: "\n").map(String.init) + [code(of: function)], answers: answers)
  }

  /// Asks what a pointer is for that a callback gets.
  func argument(_ key: String, _ choices: Choices) -> Question? {
    guard let classified = sites.first(where: { key.hasPrefix($0.site.key + "(") }) else { return nil }
    let (site, parameters) = (classified.site, classified.site.function.parameters)
    let index = parameters.indices.first { "\(site.key)(\(Choices.name(site.function, $0)))" == key }
    guard let index, let target = library.resolved(parameters[index].type).pointee else { return nil }
    let isConst = library.isConstant(target)
    let text = library.resolved(target).withoutConst.description
    let isBytes = ["void", "char", "unsigned char"].contains(text)
    let counts = parameters.indices.filter { place in
      place != index && library.isNumber(library.resolved(parameters[place].type).pointee ?? parameters[place].type)
    }.map { Choices.name(site.function, $0) }
    let used = library.isInteger(site.function.result) ? ":result" : ""
    var uses: [(text: String, choice: String)] = []
    if text == "char" { uses.append(("It reads a text", "memory=text")) }
    if !isBytes { uses.append(("It reads one value", "memory=in")) }
    if !isBytes, !isConst {
      uses += [("It writes one value", "memory=out"), ("It reads one value and changes it", "memory=inout")]
    }
    for count in counts.prefix(2) {
      uses.append(("It reads \(count) elements", "memory=in[\(count)]"))
      if !isConst { uses.append(("It writes up to \(count) elements", "memory=out[\(count)\(used)]")) }
    }
    if uses.isEmpty { return nil }
    func writes(_ line: String?) -> String { member(site.key, choices, line, only: site.owner) }
    return Question(
      text: "What does the callback do with \(Choices.name(site.function, index))?", key: key,
      header: site.comment.split(separator: "\n").map(String.init) + [site.signature],
      answers: [Answer(text: "I don't know: it stays a pointer", line: nil, writes: writes(nil))]
        + uses.map { Answer(text: $0.text, line: "\(key) \($0.choice)", writes: writes("\(key) \($0.choice)")) })
  }

  /// Asks to how much a field leads.
  func field(_ key: String, _ choices: Choices) -> Question? {
    guard let (record, found) = choices.place(ofField: key, library), let field = found,
      let target = library.resolved(field.type).pointee
    else { return nil }
    // A program makes what functions take, unless it is an object.
    let isObject = objects?.handle(of: record) != nil
    let isMade = !isObject && library.isTaken(record)
    let numbers = record.fields.filter { library.isInteger($0.type) && !$0.isShared }.map(\.path)
    var uses: [(text: String, choice: String)] = []
    if case .named("char", _) = library.resolved(target) {
      uses.append((isMade ? "A text that C reads" : "A text", "memory=text"))
    }
    for number in numbers.prefix(3) {
      if isMade { uses.append(("\(number) elements that C reads", "memory=in[\(number)]")) }
      if !isMade || !library.isConstant(target) {
        let text = isMade ? "room for \(number) elements, which C writes" : "\(number) elements"
        uses.append((text, "memory=out[\(number)]"))
      }
    }
    if uses.isEmpty { return nil }
    let names = Names.lower(Words.split(field.path).filter { isObject || $0 != record.name.lowercased() })
    // One function suffices to have the struct.
    let user = library.functions.first { $0.parameters.contains { library.isPointer($0.type, to: record) } }?.name
    func declaration(_ line: String) -> String {
      var trial = choices
      guard (try? trial.add(line)) != nil, let output = write(trial, user) else { return Self.error }
      let lines = output.files.flatMap { $0.text.split(separator: "\n") }.map { String($0).trimmed }
      let found = lines.first { $0.hasPrefix("public ") && $0.contains("var \(SwiftTypes.escaped(names)):") }
      return found.map { String($0.prefix { $0 != "{" && $0 != "=" }).trimmed } ?? "nothing"
    }
    // The number of elements changes nothing in the declaration, and writing all of a large library takes a second.
    var declarations: [Substring: String] = [:]
    let answers = uses.map { use in
      let line = "\(key) \(use.choice)"
      let kind = use.choice.prefix { $0 != "[" }
      let writes = declarations[kind] ?? declaration(line)
      declarations[kind] = writes
      return Answer(text: use.text, line: line, writes: writes)
    }
    return Question(
      text: "What does \(key) lead to?", key: key,
      header: field.comment.split(separator: "\n").map(String.init) + ["\(field.type) \(field.path)"],
      answers: [Answer(text: "I don't know: leave it out", line: nil, writes: "nothing")] + answers)
  }

  /// The functions that may free what C returns.
  private func owners() -> [(text: String, choice: String)] {
    return [("Nobody: it is the library's", "frees=no"), ("The program, with free()", "frees=free")]
      + library.freeingMemory.prefix(3).map { ("The program, with \($0.name)", "frees=\($0.name)") }
  }

  /// What C may do with a pointer, as far as its type allows.
  private func uses(of name: String, _ function: Library.Function) -> [(text: String, choice: String)] {
    let index = function.parameters.indices.first { Choices.name(function, $0) == name }
    let type = index.map { function.parameters[$0].type } ?? function.result
    guard let target = library.resolved(type).pointee else { return [] }
    let others = function.parameters.indices.filter { $0 != index && !function.parameters[$0].name.isEmpty }
    func isNumber(_ place: Int) -> Bool { library.isNumber(function.parameters[place].type) }
    func isPointer(_ place: Int) -> Bool {
      library.resolved(function.parameters[place].type).pointee.map { library.isNumber($0) } ?? false
    }
    let numbers = (others.filter(isNumber) + others.filter(isPointer)).map { function.parameters[$0].name }
    let isConst = library.isConstant(target)
    var uses: [(text: String, choice: String)] = []
    if index != nil, library.resolved(target).isVoid {
      uses.append(("It is an object", "type=\(Names.upper(Words.split(name)))"))
    }
    if index != nil, case .named("char", _) = library.resolved(target) {
      uses.append(("It reads a text", "memory=text"))
    }
    for number in numbers.prefix(2) {
      if index != nil, library.resolved(target).pointee == nil || isConst {
        uses.append(("It reads \(number) elements", "memory=in[\(number)]"))
      }
      if !isConst { uses.append(("It writes up to \(number) elements", "memory=out[\(number)]")) }
    }
    if !isConst, index != nil {
      uses.append(("It writes one value", "memory=out"))
      uses.append(("It reads one value and changes it", "memory=inout"))
    }
    return uses
  }
}
