extension SwiftWriter {
  /// Writes a function that takes several callbacks: a closure for each, in a box that they share. Each context that the
  /// function takes is that of the box. Returns false if only hooks are possible.
  mutating func writeSeveral(_ callbacks: [ClassifiedSite], _ registration: Registration, _ scope: String) throws
    -> Bool
  {
    let first = callbacks[0]
    let isSlotted = isSlotted(callbacks, registration)
    // What C stores without a context lives until another registration replaces it.
    let adapter = isSlotted ? (name: "ForeignCallback", isSendable: true) : sharedAdapter(callbacks)
    // C would release several contexts one by one, and the box once.
    guard registration.releases.isEmpty || registration.contexts.count == 1,
      callbacks.allSatisfy({ classified in
        if isSlotted { return !isVariadic(classified.site) }
        guard case .parameter? = classified.context.value?.registration else { return false }
        return classified.context.value?.arrival != .array && !isVariadic(classified.site)
      })
    else { return false }
    var planned: [(classified: ClassifiedSite, plan: CallbackPlan, name: String)] = []
    for classified in callbacks {
      guard let plan = try plan(classified, nil) else { return false }
      let site = classified.site
      let unnamed = site.typedef.map { Names.lower(names.words($0)) } ?? "argument\(site.index + 1)"
      var name = choices[site.key]?.name ?? Names.parameter(site.name, unnamed)
      // Two parameters without names can have the same type.
      if site.name.isEmpty, choices[site.key]?.name == nil, planned.contains(where: { $0.name == name }) {
        name += "\(site.index + 1)"
      }
      if planned.contains(where: { $0.name == name })
        || registration.parameters.contains(where: { $0.name == name })
      {
        return false
      }
      planned.append((classified, plan, name))
    }
    let name = try uniqueForAll(callbacks, scope)
    for entry in planned {
      note(entry.plan)
      output.names[entry.classified.site.key] = entry.name
    }
    let functions = Names.upper(Words.split(name)) + "Functions"
    let slot = Names.lower(Words.split(registration.function.name)) + "Slot"
    if isSlotted { globalSlots.append(slot) }
    let type = Names.adapter(name)
    // C does not accept NULL for every function.
    func isRequired(_ site: Site) -> Bool { registration.function.parameters[site.index].isNonnull }
    func closure(_ plan: CallbackPlan, _ site: Site) -> String {
      let list = plan.values.map { "_ \(SwiftTypes.escaped($0.name)): \($0.type)" }.joined(separator: ", ")
      let type = "\(adapter.isSendable ? "@Sendable " : "")(\(list)) -> \(plan.result.text)"
      return isRequired(site) ? type : "(\(type))?"
    }
    var code = Code()
    code.add("/// The closures for `\(registration.function.name)`.")
    code.add("private struct \(functions)\(adapter.isSendable ? ": Sendable" : "") {")
    for entry in planned {
      code.add("let \(SwiftTypes.escaped(entry.name)): \(closure(entry.plan, entry.classified.site))")
    }
    code.add("}\n")
    deprecate(first, &code)
    code.add("private typealias \(type) = \(adapter.name)<\(functions)?>\n")
    // The label is C's name. Inside the function, the name may already be taken.
    let taken: Set<String> = ["callback", "functions", "status", "registration", "pointer", "context", "registered"]
    func inner(_ name: String) -> String { taken.contains(name) ? name + "Body" : SwiftTypes.escaped(name) }
    var closures: [Int: String] = [:]
    for entry in planned {
      let member = SwiftTypes.escaped(entry.name)
      let arguments = entry.plan.values.map(\.expression).joined(separator: ", ")
      let isOptional = entry.plan.result.text == "Void" || entry.plan.result.text.hasSuffix("?")
      let list = entry.plan.parameters.joined(separator: ", ")
      let mayBeNil = !isRequired(entry.classified.site)
      let none = entry.plan.leaving
      let head =
        isSlotted
        ? "\nguard let context = \(slot).context else { \(none) }\n\(none == "return" ? "" : "return ")" : " "
      let call = entry.plan.answered(
        "\(type).call(\(isSlotted ? "context" : entry.plan.context), otherwise: nil)?.\(member)\(mayBeNil ? "?" : "")(\(arguments))\(isOptional ? "" : " ?? \(entry.plan.result.zero)")"
      )
      closures[entry.classified.site.index] =
        "\(mayBeNil ? "\(inner(entry.name)) == nil ? nil : " : ""){ @Sendable \(list) in\(head)\(call) }"
    }
    let list = planned.map { entry in
      let label = taken.contains(entry.name) ? entry.name + " " : ""
      let site = entry.classified.site
      let type = closure(entry.plan, site)
      return "\(label)\(inner(entry.name)): \(isRequired(site) ? "@escaping \(type)" : "\(type) = nil")"
    }
    let values = planned.map { "\($0.name): \(inner($0.name))" }.joined(separator: ", ")
    let functionsValue = "let functions = \(functions)(\(values))"
    if adapter.name == "ScopedCallback" {
      try writeScoped(
        name, first, registration, scope, parameters: list, make: [functionsValue],
        with: "\(type).with({ functions })", closures, answers: planned.contains { $0.plan.returned.text != "Void" },
        &code)
      return true
    }
    let context = Self.context(first, adapter.name, registration)
    let call = lending(scope, registration.call(closures, context: context, adapter: type, swift))
    // An ending that takes the function again would need each of several functions.
    let ending = ending(first, registration, scope).flatMap { $0.usesFunction ? nil : $0 }
    for callback in callbacks { output.endings[callback.site.key] = ending?.ending ?? closing(callback) }
    let text = ending.map { discarding($0.text, registration) }
    let last = text.flatMap { endingIfLast($0, ending, registration, name, isSlotted ? slot : nil, scope) }
    let release = isSlotted && last == nil ? ["\(slot).release(callback.context)"] : []
    let member = Member(
      name: name, type: type, adapter: adapter.name, isSendable: adapter.isSendable, classified: first,
      plan: planned[0].plan, registration: registration, register: isSlotted ? ["\(slot).claim(callback.context)"] : [],
      call: call, claims: last?.claims ?? [], failed: isSlotted ? ["\(slot).release(callback.context)"] : [],
      unregister: (last?.text ?? text).map { [$0] + release } ?? release,
      usesProduct: ending?.usesProduct ?? false)
    writeHandler(
      member, scope, parameters: list,
      make: [functionsValue, "let callback = \(type) { functions }"], &code)
    scopes[scope]?.members.gap()
    scopes[scope]?.members.add(code)
    return true
  }

  /// True if C passes a context to none of the callbacks: their box is in a variable.
  private func isSlotted(_ callbacks: [ClassifiedSite], _ registration: Registration) -> Bool {
    if case .product = registration.outcome { return false }
    return registration.contexts.isEmpty && registration.releases.isEmpty && registration.slot == nil
      && callbacks.allSatisfy { $0.context.value == nil && $0.site.kind == .parameter && !$0.site.isIndirect }
  }

  /// The adapter for the callbacks of one function.
  private func sharedAdapter(_ callbacks: [ClassifiedSite]) -> (name: String, isSendable: Bool) {
    let adapters = callbacks.map { adapter($0) }
    // A choice for one of them says when the function is done with all of them.
    let isScoped =
      adapters.allSatisfy { $0.name == "ScopedCallback" }
      || callbacks.contains { choices[$0.site.key]?.adapter == .scoped }
    if isScoped { return ("ScopedCallback", false) }
    let shared = adapters.first { $0.isSendable } ?? adapters[0]
    return ["OnceCallback", "ScopedCallback"].contains(shared.name) ? ("ForeignCallback", true) : shared
  }

  /// A name for a member that all callbacks of one function become.
  private mutating func uniqueForAll(_ callbacks: [ClassifiedSite], _ scope: String) throws -> String {
    let site = callbacks[0].site
    var words = names.words(site.owner)
    if let object = scopes[scope]?.handle.flatMap({ $0.split(separator: " ").last.map(String.init) }) {
      let own = names.words(object)
      if words.count > own.count, words.starts(with: own) { words.removeFirst(own.count) }
    }
    var name = Names.lower(words)
    if name == "init" { name = "initialize" }
    if usedMembers[scope]?[name] != nil { name = Names.lower(names.words(site.owner)) }
    if let other = usedMembers[scope]?[name] {
      throw WrappingError(
        "\(site.key) and \(other) both become \(name). Name the other one in the choices file: \(other) name=…")
    }
    usedMembers[scope, default: [:]][name] = site.key
    return name
  }
}
