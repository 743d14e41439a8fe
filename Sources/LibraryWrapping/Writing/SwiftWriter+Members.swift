extension SwiftWriter {
  /// How C gets the context of one registration.
  enum Passing {
    /// As an argument of the registering function.
    case own
    /// In a field of an object.
    case member(String)
    /// Not at all: the function looks it up in a variable.
    case slot
    /// Through the object's own context.
    case shared
  }

  /// The adapter for a callback, and whether other threads may call it.
  func adapter(_ classified: ClassifiedSite) -> (name: String, isSendable: Bool) {
    let thread = choices[classified.site.key]?.thread ?? classified.thread.value
    let isConfined = thread == .caller || thread == .loop || thread == .user
    switch choices[classified.site.key]?.adapter {
    case .foreign?: return ("ForeignCallback", true)
    case .repeating?: return ("RepeatingCallback", false)
    case .lent?: return ("LentCallback", false)
    case .once?: return ("OnceCallback", !isConfined)
    case .scoped?: return ("ScopedCallback", false)
    case .skip?, nil: break
    }
    switch classified.life.value {
    case .scoped where thread != .library: return ("ScopedCallback", false)
    // A request that has been answered no longer exists, so it must not be canceled.
    case .once
    where classified.context.certainty > .asked && (classified.life.certainty == .told || cancels(classified)):
      return ("OnceCallback", !isConfined)
    case .destroyNotify, .returned: return isConfined ? ("LentCallback", false) : ("ForeignCallback", true)
    default:
      return isConfined && classified.life.certainty > .asked ? ("RepeatingCallback", false) : ("ForeignCallback", true)
    }
  }

  private func cancels(_ classified: ClassifiedSite) -> Bool {
    classified.endings.value.first.map { Words.split($0.function).contains("cancel") } ?? false
  }

  /// The expression that passes the context. C owns a context that it gives back.
  static func context(_ classified: ClassifiedSite, _ adapter: String, _ registration: Registration) -> String {
    let isGivenBack = !registration.releases.isEmpty || registration.outcome == .previousContext
    return adapter == "ForeignCallback" && isGivenBack ? "callback.lend()" : "callback.context"
  }

  /// The endings to use: the chosen one, or the ones that were found.
  func endings(_ classified: ClassifiedSite) -> [Ending] {
    choices[classified.site.key]?.ending.map { [$0] } ?? classified.endings.value
  }

  mutating func writeMember(
    _ classified: ClassifiedSite, _ plan: CallbackPlan, _ registration: Registration, _ scope: String,
    _ passing: Passing
  ) throws {
    var adapter = adapter(classified)
    if case .slot = passing, adapter.name == "ScopedCallback" || adapter.name == "LentCallback" {
      adapter = ("ForeignCallback", true)
    }
    if adapter.name == "ScopedCallback" {
      return try writeScoped(classified, plan, registration, scope)
    }
    let name = try unique(classified, 1, scope)
    let type = Names.adapter(name)
    var slot: String?
    if case .slot = passing {
      slot = Names.lower(Words.split(registration.function.name)) + "Slot"
      globalSlots.append(slot ?? "")
    }
    let closure = self.closure(plan, type, adapter.isSendable, slot.map { "\($0).context" })
    let context: String? = if case .own = passing { Self.context(classified, adapter.name, registration) } else { nil }
    let ending = ending(classified, registration, scope)
    output.endings[classified.site.key] = ending?.ending ?? closing(classified)
    var passed = closure
    if ending?.usesFunction == true, let constant = constant(classified, name, closure) {
      passed = "Self.\(constant.name)"
      scopes[scope]?.members.gap()
      scopes[scope]?.members.add(constant.code)
    }
    let call = lending(
      scope, registration.call([classified.site.index: passed], context: context ?? "nil", adapter: type, swift))
    var before: [String] = []
    if case .member(let place) = passing { before.append("\(place) = callback.context") }
    var after: [String] = []
    var claims: [String] = []
    var failed: [String] = []
    if let slot {
      before.append("\(slot).claim(callback.context)")
      failed.append("\(slot).release(callback.context)")
    }
    let givesBack = adapter.name == "LentCallback" || adapter.name == "ForeignCallback"
    if givesBack, classified.life.value == .returned, let text = ending?.text,
      text.hasPrefix(registration.function.called + "(")
    {
      after.append("\(type).giveBack(\(text))")
    } else if let ending, !ending.usesFunction || passed != closure {
      let text = discarding(ending.text.replacingFirst(Registration.sameFunction, passed), registration)
      let last =
        adapter.name == "OnceCallback" ? nil : endingIfLast(text, ending, registration, name, slot, scope)
      claims = last?.claims ?? []
      after.append(last?.text ?? text)
      if last != nil { slot = nil }
    }
    // C either forgets the callback without a call, or calls it for the cancellation, after which it has ended.
    if adapter.name == "OnceCallback" { after.append("callback.disarm()") }
    if let slot { after.append("slot.release(callback.context)".replacingFirst("slot", slot)) }
    let member = Member(
      name: name, type: type, adapter: adapter.name, isSendable: adapter.isSendable, classified: classified, plan: plan,
      registration: registration, register: before, call: call, claims: claims, failed: failed,
      unregister: after, usesProduct: ending?.usesProduct ?? false)
    write(member, scope)
  }

  func ending(_ classified: ClassifiedSite, _ registration: Registration, _ scope: String) -> Registration.EndingCall? {
    registration.ending(endings(classified), handle: scopes[scope]?.handle, swift)
  }

  /// A constant for the C function, because the call that ends the registration takes it again, and two closures may be two
  /// functions.
  private func constant(_ classified: ClassifiedSite, _ name: String, _ closure: String) -> (name: String, code: Code)?
  {
    guard let type = swift.function(classified.site.function) else { return nil }
    let constant = name + "Function"
    var code = Code()
    deprecate(classified, &code)
    code.add(
      "private static let \(constant): \(type.text.replacingFirst("@convention(c)", "@convention(c) @Sendable")) = \(closure)"
    )
    return (constant, code)
  }

  /// A call whose result does not matter.
  func discarding(_ call: String, _ registration: Registration) -> String {
    let isOwn = (registration.lending.first ?? "") + " "
    let registers =
      call.hasPrefix(registration.function.called + "(") || !registration.lending.isEmpty && call.hasPrefix(isOwn)
    return call.hasPrefix("_ = ") || !registers || registration.outcome == .nothing ? call : "_ = " + call
  }

  /// The C closure; with a context that has to be found, it leaves if there is none.
  func closure(_ plan: CallbackPlan, _ adapter: String, _ isSendable: Bool, _ context: String?) -> String {
    guard let context else { return plan.closure(adapter, isSendable: isSendable) }
    var inner = plan.closure(adapter, isSendable: isSendable, context: "context")
    inner = String(inner.dropFirst(2).dropLast(2))
    var head = "@Sendable in"
    if !plan.parameters.isEmpty, let range = inner.firstRange(of: " in ") {
      head = String(inner[..<range.lowerBound]) + " in"
      inner = String(inner[range.upperBound...])
    } else if let range = inner.firstRange(of: "in ") {
      head = String(inner[..<range.lowerBound]) + "in"
      inner = String(inner[range.upperBound...])
      if !isSendable { head = "" }
    } else {
      head = ""
    }
    let call = plan.returned.text == "Void" ? inner : "return " + inner
    return "{ \(head)\nguard let context = \(context) else { \(plan.leaving) }\n\(call)\n}"
  }

  // MARK: Kinds of members

  struct Member {
    var name: String
    var type: String
    var adapter: String
    var isSendable: Bool
    var classified: ClassifiedSite
    var plan: CallbackPlan
    var registration: Registration
    var register: [String]
    var call: String
    /// What is done when registering has succeeded.
    var claims: [String] = []
    /// What is done if registering fails.
    var failed: [String] = []
    var unregister: [String]
    var usesProduct: Bool

    /// True if another registration replaces it, and ends it.
    var isReplaced: Bool {
      ["RepeatingCallback", "ForeignCallback"].contains(adapter)
        && (claims + register).contains { $0.contains(".claim(callback.context)") }
    }
  }

  mutating func write(_ member: Member, _ scope: String) {
    var code = Code()
    deprecate(member.classified, &code)
    code.add("private typealias \(member.type) = \(member.adapter)<\(member.plan.arguments)>")
    code.gap()
    if !isHandler(member.classified), member.plan.result.text == "Void" {
      writeStream(member, scope, &code)
    } else {
      writeHandler(member, scope, &code)
    }
    scopes[scope]?.members.gap()
    scopes[scope]?.members.add(code)
  }

  /// The statements that register the callback. They throw if registering fails.
  private mutating func register(_ member: Member) -> [String] {
    var lines = member.register
    let function = member.registration.function.name
    func failing(_ code: String) -> String {
      let thrown = "throw \(failure)(function: \"\(function)\", code: \(code))"
      return member.failed.isEmpty ? "{ \(thrown) }" : "{\n\((member.failed + [thrown]).joined(separator: "\n"))\n}"
    }
    switch member.registration.outcome {
    case .nothing: lines.append(member.call)
    case .ignored: lines.append("_ = " + member.call)
    case .previousContext:
      let givesBack = member.adapter == "LentCallback" || member.adapter == "ForeignCallback"
      lines.append(givesBack ? "\(member.type).giveBack(\(member.call))" : "_ = " + member.call)
    case .status(let fails, let status):
      usesFailure = true
      lines.append("let status = \(member.call)")
      let (condition, code) = Self.check(fails, status, "status")
      lines.append("if \(condition) \(failing(code))")
    case .identifier:
      usesFailure = true
      lines.append("let registration = \(member.call)")
      lines.append("if registration < 0 \(failing("Int(registration)"))")
      if member.usesProduct { lines.append("return registration") }
    case .product(let isOptional):
      if isOptional {
        usesFailure = true
        lines.append(
          "guard let registration = \(member.call.hasPrefix(member.registration.function.called + "(") ? member.call : "(\(member.call))") else \(failing("0"))"
        )
      } else {
        lines.append(member.usesProduct ? "let registration = \(member.call)" : "_ = \(member.call)")
      }
      if isOptional, let handle = product(of: member), let scope = scopes[handle] {
        scopes[handle]?.isLent = true
        lines.append("if let made = \(scope.name)(lent: registration) { registered(made) }")
      } else if isOptional {
        lines.append("registered(registration)")
      }
      if member.usesProduct { lines.append("return registration") }
    }
    lines.insert(contentsOf: member.registration.checks, at: 0)
    if let slot = member.registration.slot {
      lines.insert("var made: \(slot.type)", at: 0)
      lines.append("let registration = made")
      if member.usesProduct { lines.append("return registration") }
    }
    return lines
  }

  private mutating func writeStream(_ member: Member, _ scope: String, _ code: inout Code) {
    let plan = member.plan
    let canFail = member.registration.canFail
    let isForeign = member.isSendable
    var element = "Void"
    var make = "()"
    let arguments = plan.values.map { SwiftTypes.escaped($0.name) }
    // A parameter of C hides a name outside of the closure.
    func outer(_ name: String) -> String { arguments.contains(name) ? name + "Outside" : name }
    var isGeneric = false
    if !plan.isCopied {
      isGeneric = true
      element = "Element"
      make = "\(outer("copy"))(\(arguments.joined(separator: ", ")))"
    } else if plan.values.count == 1 {
      element = plan.values[0].type
      make = arguments[0]
    } else if plan.values.count == 2 {
      element = "(" + plan.values.map { "\(SwiftTypes.escaped($0.name)): \($0.type)" }.joined(separator: ", ") + ")"
      make =
        "(" + zip(plan.values, arguments).map { "\(SwiftTypes.label($0.name)): \($1)" }.joined(separator: ", ") + ")"
    } else if plan.values.count > 2 {
      element = Names.upper(singular(member.name))
      let object = scopes[scope]?.name ?? ""
      if Names.reserved.contains(element) || typeNames.contains(element) || element == object { element += "Values" }
      make =
        "\(element)("
        + zip(plan.values, arguments).map { "\(SwiftTypes.label($0.name)): \($1)" }.joined(separator: ", ") + ")"
      writeStruct(element, member, &code)
    }
    var parameters = member.registration.declared
    if isForeign {
      parameters.append("capacity: Int = 1024")
      parameters.append("whenFull policy: OverflowPolicy = .dropOldest")
    }
    if isGeneric {
      let list = zip(plan.values, arguments).map { "_ \($1): \($0.type)" }.joined(separator: ", ")
      parameters.append("copying \(outer("copy")): @escaping \(isForeign ? "@Sendable " : "")(\(list)) -> Element")
    }
    appendProduct(member, &parameters)
    let stream = canFail ? "Operation<\(element), \(failure)>" : "Stream<\(element)>"
    let generic = isGeneric ? (isForeign ? "<Element: Sendable>" : "<Element>") : ""
    let isStatic = scopes[scope]?.handle == nil
    comment(member, &code)
    if isGeneric {
      code.add("/// - Parameter \(outer("copy")): Makes an element of what C lends for the time of the call.")
    }
    deprecate(member.classified, &code)
    code.add(
      "public \(isStatic ? "static " : "")func \(SwiftTypes.escaped(member.name))\(generic)(\(parameters.joined(separator: ", "))) -> \(stream) {"
    )
    let list = arguments.isEmpty ? "" : arguments.joined(separator: ", ") + " in "
    let isOnce = member.adapter == "OnceCallback"
    let lends = member.classified.life.value == .destroyNotify || member.classified.life.value == .returned
    let sent = make == "()" && !isForeign ? "" : make
    let sends = isForeign ? "\(outer("inlet")).send(\(make))" : "\(outer("observer")).next(\(sent))"
    let ends = isForeign ? "\(outer("inlet")).finish()" : "\(outer("observer")).completed()"
    code.add(
      isForeign
        ? ".registering(capacity: capacity, whenFull: policy) { \(outer("inlet")) in"
        : ".registering { \(outer("observer")) in")
    let isGivenBack = lends && member.adapter != "RepeatingCallback"
    var body = "{ \(list)\(sends) }"
    if isOnce {
      body = "{ \(list)\n\(sends)\n\(ends)\n}"
    } else if !isGivenBack, let last = plan.last, let value = plan.values.first(where: { $0.name == last.name }) {
      // The call with this value is the last one.
      let isLast = SwiftTypes.escaped(last.name) + (value.type == "Bool" ? "" : " != 0")
      let both = last.hasElement ? "\(sends)\nif \(isLast) { \(ends) }" : "if \(isLast) { \(ends) } else { \(sends) }"
      body = "{ \(list)\n\(both)\n}"
    }
    let hasEnd = member.isReplaced || isGivenBack
    code.add(hasEnd ? "\(member.type)(\(body), onEnd: { \(ends) })" : "\(member.type) \(body)")
    var lines = register(member)
    lines.insert(
      contentsOf: keeping(member, scope), at: lines.last == "return registration" ? lines.count - 1 : lines.count)
    let captures = isStatic ? "" : "[self] "
    code.add("} register: { \(captures)callback\(canFail ? " throws(\(failure))" : "") in")
    for line in lines { code.add(line) }
    let needsSelf = !isStatic && usesObject(member)
    let ending = ending(member, scope, isGivenBack: lends)
    let isUsed = ending.contains { $0.contains("callback.") }
    let callback = isUsed ? "callback" : "_"
    let held = (needsSelf ? ["self"] : []) + holds(member)
    let head =
      (held.isEmpty ? "" : "[\(held.joined(separator: ", "))] ") + callback
      + (member.usesProduct ? ", registration" : "")
    code.add("} unregister: { \(head) in")
    for line in ending { code.add(line) }
    code.add("}")
    // An observer may call the library: its own call has returned by then.
    if scopes[scope]?.isDriven == true, !isForeign { code.add(".deliver(after: calls)") }
    code.add("}")
  }

  private mutating func writeHandler(_ member: Member, _ scope: String, _ code: inout Code) {
    let plan = member.plan
    let arguments = plan.values.map { "_ \(SwiftTypes.escaped($0.name)): \($0.type)" }.joined(separator: ", ")
    let body = plan.result.text == "Void" ? "body" : "answer"
    let closure = "_ \(body): @escaping \(member.isSendable ? "@Sendable " : "")(\(arguments)) -> \(plan.result.text)"
    writeHandler(member, scope, parameters: [closure], make: ["let callback = \(member.type)(\(body))"], &code)
  }

  /// Writes a method that registers closures, its `parameters`, and returns a disposable that ends this. `make` makes the
  /// callback.
  mutating func writeHandler(
    _ member: Member, _ scope: String, parameters closures: [String], make: [String], _ code: inout Code
  ) {
    var parameters = member.registration.declared + closures
    appendProduct(member, &parameters)
    let canFail = member.registration.canFail
    let isStatic = scopes[scope]?.handle == nil
    comment(member, &code)
    deprecate(member.classified, &code)
    code.add(
      "public \(isStatic ? "static " : "")func \(SwiftTypes.escaped(member.name))(\(parameters.joined(separator: ", ")))\(canFail ? " throws(\(failure))" : "") -> any Disposable {"
    )
    for line in make { code.add(line) }
    var lines = register(member)
    if member.usesProduct, lines.last == "return registration" { lines.removeLast() }
    // If registering fails, the context is taken back.
    lines = lines.map { line in
      guard let range = line.firstRange(of: "{ throw ") else {
        return line.replacingFirst("\nthrow ", "\ncallback.disarm()\nthrow ")
      }
      return line[..<range.lowerBound] + "{\ncallback.disarm()\nthrow " + line[range.upperBound...].dropLast(2) + "\n}"
    }
    for line in lines { code.add(line) }
    let needsSelf = !isStatic && usesObject(member)
    for line in keeping(member, scope) { code.add(line) }
    let held = (needsSelf ? ["self"] : []) + holds(member)
    code.add("return BlockDisposable {\(held.isEmpty ? "" : " [\(held.joined(separator: ", "))] in")")
    // C no longer has the callback if another registration has replaced it, or if the object has been destroyed. A counted
    // reference belongs to the program even after the call.
    let isCounted = member.usesProduct && member.unregister.contains { $0.contains("_unref(registration)") }
    if !member.unregister.isEmpty, !isCounted { code.add("if callback.isEnded { return }") }
    var ended = member
    ended.unregister.removeAll { $0 == "callback.disarm()" }
    for line in ending(ended, scope, isGivenBack: true) { code.add(line) }
    // If there is a destroy notification, C gives the context back, now or when it drops its last reference.
    let isGivenBack = !member.unregister.isEmpty && !member.registration.releases.isEmpty
    code.add(isGivenBack ? "}\n}" : "callback.disarm()\n}\n}")
  }
}
