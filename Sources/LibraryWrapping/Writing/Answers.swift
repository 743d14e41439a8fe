/// What a closure answers, if C gets more than a result: values and memory through pointers.
struct Answers {
  struct Value {
    var name: String
    /// The pointer of C, and its question mark.
    var pointer: String
    var type: String
    /// The code for the value if nobody answers.
    var zero: String
    /// The number of elements that C has room for; nil for one value.
    var room: String?
    /// The code for a place that gets the number of elements, and its type.
    var counter: (place: String, type: String)?
    /// True if C's result is the number of elements. Without an answer, it is -1.
    var isCounted = false
    var isText = false
  }

  /// C's own result.
  let result: SwiftTypes.Imported
  /// True if that is a number that has a sign in C. Swift imports `size_t` as `Int`.
  let isSigned: Bool
  var values: [Value] = []

  private var hasResult: Bool { result.text != "Void" && !values.contains(where: \.isCounted) }

  /// The type of the answer, and the code for the answer if there is no closure to ask.
  var answer: SwiftTypes.Imported {
    let members =
      (hasResult ? [(name: "result", type: result.text, zero: result.zero)] : [])
      + values.map { (name: label($0), type: type($0), zero: $0.zero) }
    var answer = result
    if members.count == 1 {
      answer.text = members[0].type
      answer.zero = members[0].zero
    } else {
      answer.text =
        "(" + members.map { "\(SwiftTypes.escaped($0.name)): \($0.type)" }.joined(separator: ", ") + ")"
      answer.zero =
        "(" + members.map { "\(SwiftTypes.label($0.name)): \($0.zero)" }.joined(separator: ", ") + ")"
    }
    return answer
  }

  private func label(_ value: Value) -> String { hasResult && value.name == "result" ? "resultValue" : value.name }

  /// A number of elements that is C's result can tell a failure, too, if it has a sign.
  private func isOptional(_ value: Value) -> Bool { value.isCounted && isSigned }

  private func type(_ value: Value) -> String { value.type + (isOptional(value) ? "?" : "") }

  /// The code for C's result, from the code for the answer. `names` are those of C's parameters, and `toC` is the code for C's
  /// result from the code for Swift's.
  func code(_ call: String, _ names: [String], _ toC: (String) -> String) -> String {
    var answer = "answer"
    while names.contains(answer) { answer += "Value" }
    let isOnly = values.count == 1 && !hasResult
    var lines: [String] = []
    var returned = hasResult ? toC("\(answer).result") : nil
    for value in values {
      // After a point, these three would be something else than the label.
      let label = label(value)
      var path = isOnly ? answer : "\(answer).\(["self", "init", "Type"].contains(label) ? "`\(label)`" : label)"
      guard let room = value.room else {
        lines.append("\(value.pointer).pointee = \(path)")
        continue
      }
      let pointer = value.pointer.filter { $0 != "?" }
      if isOptional(value) {
        lines.append("guard let given = \(path) else { return -1 }")
        path = "given"
      }
      let given = "give(\(value.isText ? "text: " : "")\(path), to: \(pointer), room: \(room))"
      if value.isCounted {
        returned = "\(result.text)(\(given))"
      } else if let counter = value.counter {
        lines.append("\(counter.place).pointee = \(counter.type)(\(given))")
      } else {
        lines.append("_ = \(given)")
      }
    }
    if let returned { lines.append("return \(returned)") }
    return "storing(\(call)) { \(answer) in\n\(lines.joined(separator: "\n"))\n}"
  }

  /// Gives an answer the name of the value that it changes.
  mutating func relabel(_ old: String, _ new: String) {
    for index in values.indices where values[index].name == old { values[index].name = new }
  }

  /// Gives a parameter of C another name.
  mutating func rename(_ old: String, _ new: String) {
    values = values.map { value in
      var value = value
      value.pointer = value.pointer.replacingWord(old, new)
      value.zero = value.zero.replacingWord(old, new)
      value.room = value.room?.replacingWord(old, new)
      value.counter = value.counter.map { ($0.place.replacingWord(old, new), $0.type) }
      return value
    }
  }
}
