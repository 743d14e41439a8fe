/// The method that runs an object on a loop.
extension SwiftWriter {
  mutating func writeDriving() throws {
    guard let objects else { return }
    for (name, chosen, line) in choices.driven {
      let handle = objects.handles.first { $0 == name || $0.split(separator: " ").last == name[...] }
      guard let handle, scopes[handle] != nil else {
        let known = objects.handles.compactMap { $0.split(separator: " ").last }.joined(separator: ", ")
        throw WrappingError(
          "\(line == .max ? "--drive" : "Line \(line) of the choices"): the headers have no object \(name). They have \(known.isEmpty ? "none" : known)."
        )
      }
      let driving = try Driving(handle, library, chosen: chosen)
      drives[name] = driving.text
      write(driving, handle)
    }
  }

  private mutating func write(_ driving: Driving, _ handle: String) {
    usesFailure = true
    var code = Code()
    let used = Driving.Role.allCases.compactMap { driving.functions[$0]?.name }.map { "`\($0)`" }
    code.add(
      "/// Runs the object on the loop while it is observed, and emits an element after each call of the library.")
    code.add("///\n/// The streams of its callbacks deliver after that call, so their observers may call the library.")
    code.add("/// Dispose the observation before you close the object.\n///")
    for line in Self.wrapped("C: " + used.joined(separator: ", ") + ".") { code.add("/// " + line) }
    code.add("public func driving(keepsLoopAlive: Bool = true) -> Operation<Void, \(failure)> {")
    code.add("Operation.driving(")
    code.add("descriptor: { Int32(\(call(driving, .descriptor))) },")
    if driving.functions[.events] != nil {
      code.add("events: { PollEvents(pollFlags: Int32(\(call(driving, .events)))) },")
    } else if let function = driving.functions[.writes] {
      let value = call(driving, .writes)
      let isTruth = ["_Bool", "bool"].contains(library.resolved(function.result).description)
      code.add("events: { \(value)\(isTruth ? "" : " != 0") ? [.readable, .writable] : .readable },")
    }
    addTimeout(driving, &code)
    code.add("keepsLoopAlive: keepsLoopAlive,")
    code.add("failure: { \(failure)(function: $0.call, code: Int($0.code.rawValue), message: $0.description) }")
    let calls: [Driving.Role] = [.process, .read, .write, .tick].filter { driving.functions[$0] != nil }
    code.add(") { \(calls.contains { [.read, .write].contains($0) } ? "ready" : "_") throws(\(failure)) in")
    code.add("try self.calls.during { () throws(\(failure)) -> Bool in")
    var more = "false"
    for role in calls {
      guard let function = driving.functions[role] else { continue }
      let condition: [Driving.Role: String] = [
        .read: "ready.contains(.readable)", .write: "ready.contains(.writable)",
      ]
      if let condition = condition[role] { code.add("if \(condition) {") }
      let rule = choices[function.name]?.fails ?? objects?.classifier.failures.rule(for: function).value ?? .never
      var status = Registration.Status.number
      let result = library.resolved(function.result)
      if case .named(let type, _) = result {
        status = Registration.Status(type)
      }
      if result.isVoid || [.never, .null].contains(rule) {
        code.add("\(result.isVoid ? "" : "_ = ")\(call(driving, role))")
      } else {
        let (check, value) = Self.check(rule, status, "result")
        code.add("let result = \(call(driving, role))")
        code.add("if \(check) { throw \(failure)(function: \"\(function.name)\", code: \(value)) }")
        // "1 if there is more to do".
        if role == .process, rule == .negative, status == .number { more = "result > 0" }
      }
      if condition[role] != nil { code.add("}") }
    }
    code.add("return \(more)\n}\n}\n}")
    scopes[handle]?.functions.gap()
    scopes[handle]?.functions.add(code)
  }

  private func addTimeout(_ driving: Driving, _ code: inout Code) {
    if driving.functions[.deadline] != nil {
      code.add("timeout: {\nvar time: UInt64 = .max\n_ = \(call(driving, .deadline))\nif time == .max { return nil }")
      code.add("var now = timespec()\nclock_gettime(CLOCK_MONOTONIC, &now)")
      code.add(
        "return .microseconds(Int64(clamping: time) - Int64(now.tv_sec) * 1_000_000 - Int64(now.tv_nsec) / 1000)\n},")
    } else if let function = driving.functions[.timeout] {
      if function.parameters.count == 1 {
        code.add("timeout: {\nlet milliseconds = \(call(driving, .timeout))")
        code.add("return milliseconds < 0 ? nil : .milliseconds(milliseconds)\n},")
      } else {
        code.add("timeout: {\nvar time = timeval(tv_sec: -1, tv_usec: 0)\n_ = \(call(driving, .timeout))")
        code.add("return time.tv_sec < 0 ? nil : .seconds(time.tv_sec) + .microseconds(time.tv_usec)\n},")
      }
    }
    if driving.functions[.tick] != nil { code.add("interval: .seconds(1),") }
  }

  private func call(_ driving: Driving, _ role: Driving.Role) -> String {
    guard let function = driving.functions[role] else { return "" }
    let arguments = ["self.pointer"] + (driving.arguments(of: function, role) ?? [])
    return "\(function.called)(\(arguments.joined(separator: ", ")))"
  }
}
