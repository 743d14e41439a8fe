extension SwiftWriter {
  // MARK: Callbacks that share the context of an object

  /// Writes the callbacks of a function that sets them for an object, each with a slot of its own.
  mutating func writeShared(_ callbacks: [ClassifiedSite], _ registration: Registration, _ scope: String) throws {
    guard let shared = scopes[scope] else { return }
    let slotsType = shared.name + "Slots"
    var planned:
      [(classified: ClassifiedSite, plan: CallbackPlan, name: String, type: String, isSendable: Bool, adapter: String)] =
        []
    for classified in callbacks {
      guard let plan = try plan(classified, shared.handle), !isVariadic(classified.site) else {
        try writeHook(classified, because: "")
        continue
      }
      note(plan)
      let name = try unique(classified, callbacks.count, scope)
      var adapter = adapter(classified)
      if adapter.name != "RepeatingCallback" { adapter = ("ForeignCallback", true) }
      planned.append((classified, plan, name, Names.adapter(name), adapter.isSendable, adapter.name))
    }
    // A plan may have changed it.
    guard !planned.isEmpty, var own = scopes[scope] else { return }
    for entry in planned { own.slots.append(entry.name) }
    if case .function(let setter, let index)? = planned[0].classified.context.value?.registration {
      if let function = library.functionIndex[setter].map({ library.functions[$0] }), index == 1,
        function.parameters.count == 2,
        function.parameters.first.flatMap({ Classifier.handle($0.type, library) }) == own.handle
      {
        // This setter is more specific than the one for all handlers, so both are called.
        if !own.contextSetters.contains(setter) { own.contextSetters.append(setter) }
      } else {
        own.isConstructed = true
        own.note = setter
      }
    } else if case .field(let field)? = planned[0].classified.context.value?.registration {
      if !own.contextFields.contains(field) { own.contextFields.append(field) }
    }
    scopes[scope] = own
    let install = "install" + Names.upper(names.words(registration.function.name))
    var closures: [Int: String] = [:]
    for entry in planned {
      let place = entry.classified.context.value == nil ? nil : entry.plan.context
      let lookup = place.map {
        "ForeignCallback<\(slotsType)?>.call(\($0), otherwise: nil)?.\(SwiftTypes.escaped(entry.name)).context"
      }
      let slot = "\(Names.lower(Words.split(registration.function.name)))Slot\(entry.classified.site.index)"
      if lookup == nil { globalSlots.append(slot) }
      closures[entry.classified.site.index] = closure(entry.plan, entry.type, true, lookup ?? "\(slot).context")
    }
    let isConsumed = planned.contains { $0.classified.endings.value.contains(where: \.isOfMadeObject) }
    if isConsumed { scopes[scope]?.isConsumed = true }
    let isVoid = registration.outcome == .nothing
    // Its status is that of the callback that has just been set.
    var status: String?
    if case .status = registration.outcome, !isConsumed {
      status = swift.imported(registration.function.result)?.text
    }
    let hasOwnContext = !registration.contexts.isEmpty
    var code = Code()
    code.add("/// Sets the C functions while a handler is there.")
    deprecate(planned[0].classified, &code)
    if status != nil { code.add("@discardableResult") }
    code.add("private func \(install)()\(status.map { " -> " + $0 } ?? "") {")
    if scopes[scope]?.contextSetters.isEmpty == false || !own.contextFields.isEmpty { code.add("_ = setsContext") }
    let checks = planned.map { "slots.\(SwiftTypes.escaped($0.name)).context == nil" }.joined(separator: ", ")
    let prefix = isVoid ? "" : status == nil ? "_ = " : "return "
    let setting = prefix + registration.call(closures, context: hasOwnContext ? "context" : nil, adapter: nil, swift)
    if isConsumed {
      code.add("\(setting)\n}")
    } else {
      code.add("if \(checks) {\n\(prefix)\(registration.call([:], context: nil, adapter: nil, swift))")
      code.add("} else {\n\(setting)\n}\n}")
    }
    scopes[scope]?.members.gap()
    scopes[scope]?.members.add(code)
    for entry in planned {
      var inner = registration
      if status == nil { inner.outcome = .nothing }
      inner.parameters = []
      let slot =
        entry.classified.context.value == nil
        ? "\(Names.lower(Words.split(registration.function.name)))Slot\(entry.classified.site.index)" : nil
      let place = "slots.\(SwiftTypes.escaped(entry.name))"
      var before = ["\(place).claim(callback.context)"]
      var after = ["\(place).release(callback.context)"]
      if let slot {
        before.append("\(slot).claim(callback.context)")
        after.append("\(slot).release(callback.context)")
      }
      let member = Member(
        name: entry.name, type: entry.type, adapter: entry.adapter, isSendable: entry.isSendable,
        classified: entry.classified, plan: entry.plan, registration: inner, register: before, call: "\(install)()",
        // C may have taken the configuration over, and may have freed it.
        failed: after, unregister: isConsumed ? after : after + ["\(install)()"], usesProduct: false)
      write(member, scope)
    }
  }

  // MARK: Structs of functions

  /// Writes a protocol with a method for each function of a struct, if they share a context.
  mutating func writeRecord(_ owner: String, _ all: [ClassifiedSite]) throws {
    var callbacks = all.filter { $0.role.value == .callback }
    guard let record = library.records.first(where: { $0.name == owner }), !callbacks.isEmpty else { return }
    // Several contexts are one: that of the delegate.
    var registrations: [Context.Registration] = []
    for case let registration? in callbacks.map({ $0.context.value?.registration })
    where !registrations.contains(registration) {
      registrations.append(registration)
    }
    let areFields = registrations.allSatisfy { if case .field = $0 { true } else { false } }
    if registrations.count > 1, areFields {
      for classified in callbacks where classified.context.value == nil { try writeHook(classified, because: "") }
      callbacks.removeAll { $0.context.value == nil }
    }
    var planned: [(classified: ClassifiedSite, plan: CallbackPlan)] = []
    var setters: [String: String] = [:]
    let isShared = callbacks.allSatisfy { classified in
      classified.context.value?.isArgument == true && (registrations.count == 1 || areFields)
        && !classified.site.isArray && !classified.site.isIndirect
    }
    let isMember = record.spelling.hasPrefix("union")
    if isShared, !registrations.contains(.unknown), !isMember,
      let imported = swift.imported(.named(record.spelling, isConst: false))
    {
      for classified in callbacks {
        if isVariadic(classified.site), let (setter, formatted) = formattingSetter(classified, of: record),
          let plan = try plan(formatted, nil)
        {
          setters[classified.site.key] = setter
          planned.append((formatted, plan))
        } else if let plan = try plan(classified, nil), !isVariadic(classified.site) {
          planned.append((classified, plan))
        } else {
          try writeHook(classified, because: "")
        }
      }
      if planned.isEmpty { return }
      return writeDelegate(
        owner, imported.text, planned, all.filter { $0.role.value == .release }, registrations, setters)
    }
    for classified in callbacks { try writeHook(classified, because: "") }
  }

  private mutating func writeDelegate(
    _ owner: String, _ imported: String, _ planned: [(classified: ClassifiedSite, plan: CallbackPlan)],
    _ releases: [ClassifiedSite],
    _ registrations: [Context.Registration], _ setters: [String: String]
  ) {
    let name = Names.upper(names.words(owner.hasPrefix("_") ? String(owner.dropFirst()) : owner)) + "Delegate"
    let adapter = adapter(planned[0].classified)
    // C would release several contexts one by one, so none of them is lent.
    let registration = registrations.count == 1 ? registrations[0] : nil
    let isReleased = releases.contains {
      registration != nil && $0.context.value?.registration == registration && $0.site.function.parameters.count == 1
    }
    // C owns the context until it releases it.
    let isField = if case .field? = registration { true } else { false }
    let isLent = isReleased && isField
    let isConfined = isLent ? adapter.name == "LentCallback" : adapter.name == "RepeatingCallback"
    let type = (isConfined ? adapter.name : "ForeignCallback") + "<(any \(name))?>"
    func method(_ classified: ClassifiedSite) -> String {
      SwiftTypes.escaped(choices[classified.site.key]?.name ?? Names.lower(Words.split(classified.site.name)))
    }
    var code = Code()
    code.add("/// The methods that C calls through a `\(owner)`.")
    code.add("public protocol \(name)\(isConfined ? "" : ": Sendable") {")
    for (classified, plan) in planned {
      let method = method(classified)
      output.names[classified.site.key] = method
      usedMembers[name, default: [:]][method] = classified.site.key
      documentation(classified, &code, "")
      let list = plan.values.map { "_ \(SwiftTypes.escaped($0.name)): \($0.type)" }.joined(separator: ", ")
      note(plan)
      code.add("func \(method)(\(list))\(plan.result.text == "Void" ? "" : " -> \(plan.result.text)")")
    }
    code.add("}")
    code.gap()
    code.add("extension \(imported) {")
    code.add("/// Sets the functions of this struct to functions that call the methods of `delegate`.\n///")
    if case .function(let setter, _)? = registration {
      // One that takes the struct, too, takes the context of these functions.
      let taken = library.functionIndex[setter].map { library.functions[$0].parameters } ?? []
      let record = library.records.first { $0.name == owner }
      if !isLent, let record, taken.contains(where: { library.isPointer($0.type, to: record) }) {
        delegateContexts[setter] = type
      }
      let isSure = planned[0].classified.context.certainty > .asked
      let facts =
        isSure
        ? "Pass the `context` of the result to `\(setter)`."
        : "The header does not say which function takes the context of these functions. Check that it is `\(setter)`, and that no other callback needs a context there. Then pass the `context` of the result to it."
      for line in Self.wrapped(facts) { code.add("/// " + line) }
      code.add("///")
    }
    if isLent {
      code.add("/// C owns the delegate until it calls the function that releases it.")
      code.add("public mutating func setDelegate(_ delegate: any \(name)) {")
    } else {
      code.add("/// Retain the result for as long as C may call. Late calls are dropped and counted.")
      code.add("public mutating func setDelegate(_ delegate: any \(name)) -> \(type) {")
    }
    code.add("typealias Callback = \(type)")
    code.add("let callback = Callback { delegate }")
    for case .field(let path) in registrations {
      code.add("self.\(SwiftTypes.escapedPath(path)) = callback.\(isLent && !isConfined ? "lend()" : "context")")
    }
    for (classified, plan) in planned {
      let path = SwiftTypes.escapedPath(classified.site.name)
      let method = method(classified)
      let list = plan.parameters.joined(separator: ", ")
      let call =
        "Callback.call(\(plan.context), otherwise: nil)?.\(method)(\(plan.values.map(\.expression).joined(separator: ", ")))"
      // Nil can be an answer, too.
      let isAnswered = plan.result.text.hasSuffix("?") && plan.answers != nil
      let answered = isAnswered ? call.replacingFirst("?.\(method)", ".map { $0.\(method)") + " }" : call
      let isNil = plan.result.text.hasSuffix("?") && !isAnswered
      let tail = plan.result.text == "Void" || isNil ? "" : " ?? \(plan.result.zero)"
      let closure = "{ @Sendable \(list)\(list.isEmpty ? "" : " ")in \(plan.answered(answered + tail)) }"
      code.add(setters[classified.site.key].map { "\($0)(&self, \(closure))" } ?? "self.\(path) = \(closure)")
    }
    for release in releases {
      let path = SwiftTypes.escapedPath(release.site.name)
      if registration != nil, release.context.value?.registration == registration,
        release.site.function.parameters.count == 1
      {
        code.add("self.\(path) = { @Sendable context in Callback.giveBack(context) }")
      }
    }
    code.add(isLent ? "}\n}" : "return callback\n}\n}")
    topLevel.gap()
    topLevel.add(code)
  }

  // MARK: Global variables

  mutating func writeGlobal(_ classified: ClassifiedSite) throws {
    var classified = classified
    let formatting = isVariadic(classified.site) ? formattingSetter(classified) : nil
    if isVariadic(classified.site), formatting == nil {
      return skip(classified, "No argument of the callback is a format, so no C function can make text of the others.")
    }
    classified = formatting?.classified ?? classified
    let site = classified.site
    guard let plan = try plan(classified, nil), !site.isArray else {
      return skip(classified, "Swift does not import its type.")
    }
    note(plan)
    let setter = formatting?.setter ?? "wrap_set_\(site.name)"
    if formatting == nil {
      shims.append("static inline void \(setter)(__typeof__(\(site.name)) function) { \(site.name) = function; }")
    }
    let declaration = Declaration()
    declaration.name = setter
    let function = Library.Function(
      name: setter, parameters: [CParameter(name: "function", type: site.declared)], result: .void, isVariadic: false,
      comment: site.comment, declaration: declaration)
    var registration = Registration(function: function, outcome: .nothing)
    registration.callbacks = [0]
    var own = classified
    own.site.index = 0
    own.endings = Decision([Ending(function: setter, withNull: true)], .told, "")
    try writeMember(own, plan, registration, namespace(), .slot)
  }

  // MARK: Options

  /// C functions that hand a callback of the type `typedef` to the variadic functions `f(object, option, …)`, as
  /// `curl_easy_setopt` is, which Swift does not import; and one for contexts. An option may take the callback alone, or the
  /// callback and its context in the same call.
  private mutating func optionSetters(_ typedef: String, _ context: Context?) -> (alone: [String], together: [String]) {
    var setters: (alone: [String], together: [String]) = ([], [])
    for function in library.functions where function.isVariadic && function.parameters.count == 2 {
      guard
        Classifier.handle(function.parameters[0].type, library) != nil || isVoidPointer(function.parameters[0].type),
        case .named(let option, _) = library.resolved(function.parameters[1].type), option.hasPrefix("enum ")
      else { continue }
      let fixed = "\(function.parameters[0].type.spelled("object")), \(function.parameters[1].type.spelled("option"))"
      let alone = "wrap_\(function.name)_\(typedef)"
      var wrappers = [(alone, typedef + " value", "value"), ("wrap_\(function.name)", "void *value", "value")]
      if context?.isArgument == true {
        wrappers.append((alone + "_with_context", typedef + " value, void *context", "value, context"))
        setters.together.append("`\(alone)_with_context`")
      }
      for (name, parameters, arguments) in wrappers {
        let head = function.result.spelled("\(name)(\(fixed), \(parameters))")
        // In parentheses: the name may be a macro's, too.
        let shim = "static inline \(head) { return (\(function.name))(object, option, \(arguments)); }"
        if !shims.contains(shim) { shims.append(shim) }
      }
      setters.alone.append("`\(alone)`")
    }
    return setters
  }

  private func isVoidPointer(_ type: CType) -> Bool {
    library.resolved(type).pointee.map { library.resolved($0).isVoid } ?? false
  }

  // MARK: Hooks

  /// The sentence that says where the program puts the context of a hook.
  private func handing(_ classified: ClassifiedSite) -> String {
    guard case .member(let field)? = classified.context.value?.arrival else {
      return "Hand `function` to C, and the `context` of a `Callback` beside it."
    }
    let unknown = classified.context.certainty == .asked ? " The header does not say that the field is yours." : ""
    return
      "Hand `function` to C, and store the `context` of a `Callback` in the field `\(field)` of the object.\(unknown)"
  }

  /// Writes the adapter and the C function alone: the program registers them itself.
  mutating func writeHook(_ classified: ClassifiedSite, because reason: String = "") throws {
    let site = classified.site
    if isVariadic(site) {
      return skip(classified, "A va_list or variadic arguments need a C function that formats them.")
    }
    guard let plan = try plan(classified, nil), let function = swift.function(site.function) else {
      return skip(classified, "Swift does not import its type.")
    }
    note(plan)
    var words = names.words(site.owner)
    switch site.kind {
    case .parameter:
      if !site.name.isEmpty { words += Words.split(site.name) } else { words += ["argument\(site.index)"] }
    case .field: words += Words.split(site.name)
    default: break
    }
    var name = choices[site.key]?.name ?? Names.upper(words)
    if Names.reserved.contains(name) || typeNames.contains(name) { name += "Function" }
    if scopes.values.contains(where: { $0.name == name }) || types.names.contains(name) { name += "Function" }
    // `write_LP` and `write_lp`.
    var number = 2
    while choices[site.key]?.name == nil, let other = usedMembers["hooks"]?[name],
      other.lowercased() == site.key.lowercased()
    {
      name = name.prefix { !$0.isNumber } + "\(number)"
      number += 1
    }
    if let other = usedMembers["hooks"]?[name] {
      throw WrappingError(
        "\(site.key) and \(other) both become \(name). Name one of them in the choices file: \(site.key) name=…")
    }
    usedMembers["hooks", default: [:]][name] = site.key
    output.names[site.key] = name
    output.hooks.insert(site.key)
    var slot: String?
    if classified.context.value == nil {
      slot = Names.lower(Words.split(name)) + "Slot"
      globalSlots.append(slot ?? "")
    }
    var code = Code()
    let place = slot == nil ? handing(classified) : "Hand `function` to C, after `claim`."
    var register: [String] = []
    if site.kind == .typedef, library.typedefIndex[site.owner] != nil {
      let (alone, together) = optionSetters(site.owner, classified.context.value)
      if !alone.isEmpty { register.append("In C, \(alone.joined(separator: ", ")) take it.") }
      if !together.isEmpty {
        let names = together.joined(separator: ", ")
        register.append("For an option that takes the context in the same call, use \(names).")
      }
    }
    documentation(
      classified, &code, ([place] + register + (reason.isEmpty ? [] : [reason])).joined(separator: " "))
    deprecate(classified, &code)
    code.add("public enum \(SwiftTypes.escaped(name)) {")
    code.add("/// The Swift side. It lives until it is canceled or deallocated, and any thread may call.")
    code.add("public typealias Callback = ForeignCallback<\(plan.arguments)>")
    code.gap()
    code.add("/// The function for C.")
    let closure = self.closure(plan, "Callback", true, slot.map { "\($0).context" })
    code.add("public static var function: \(function.text) {\n\(closure)\n}")
    if let slot {
      code.gap()
      code.add("/// Makes `function` call `callback`, until another one claims it.")
      code.add("public static func claim(_ callback: Callback) { \(slot).claim(callback.context) }")
    }
    code.add("}")
    topLevel.gap()
    topLevel.add(code)
  }
}

extension String {
  func replacingFirst(_ text: String, _ replacement: String) -> String {
    guard let range = firstRange(of: text) else { return self }
    return self[..<range.lowerBound] + replacement + self[range.upperBound...]
  }
}
