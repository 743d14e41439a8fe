/// Writes the Swift file and the C shim for the sites of a library.
struct SwiftWriter {
  /// A type that members are added to: a class for an object, or the namespace of functions without one.
  struct Scope {
    var name: String
    var handle: String?
    var pointerType: String
    var members = Code()
    var slots: [String] = []
    /// The functions of C that set the context of the object.
    var contextSetters: [String] = []
    /// The fields of the object that callbacks find the context in.
    var contextFields: [String] = []
    var isConstructed = false
    /// True if it is a configuration that C takes over when it makes another object.
    var isConsumed = false
    var note = ""
    /// True if a callback receives it.
    var isLent = false
    /// The object, if the whole library is written.
    var object: LibraryObjects.Object?
    /// True if C keeps objects that its methods get.
    var keeps = false
    /// The objects that its functions remove from what it keeps.
    var forgets: Set<String> = []
    /// True if an object of another class may use it after a call.
    var isHeld = false
    /// True if a function that makes one lets it keep something.
    var isMadeKeeping = false
    /// True if a function of C takes it over.
    var isGivenUp = false
    /// True if a function of C may free it, or make another object of it.
    var isReplaced = false
    /// True if it can be a part of another object, which frees it.
    var isPart: Bool { !containers.isEmpty }
    /// The classes that it can be a part of.
    var containers: Set<String> = []
    /// True if objects are made with it that need it.
    var hasDependents = false
    /// The functions that make it with other objects, which free it before their own end.
    var dependentMakers: Set<String> = []
    var isDependent: Bool { !dependentMakers.isEmpty }
    /// The members that functions become.
    var functions = Code()
    /// True if it has a method that runs it on a loop.
    var isDriven = false
  }

  let library: Library
  /// The objects of the library, if all of it is written, and not its callbacks alone.
  var objects: LibraryObjects?
  /// The values of the library, likewise.
  var types = ValueTypes()
  var planner: FunctionPlanner?
  let sites: [ClassifiedSite]
  let module: String
  let cModule: String
  let link: [String]
  /// The directory that the modules are written to.
  var folder = "Sources"
  let swift: SwiftTypes
  let names: Names
  let choices: Choices
  /// True if functions are skipped of whose pointers only names say what they are for.
  var isStrict = false
  /// The only function, or owner of callbacks, to write, to see what becomes of it.
  var only: String?
  var output = Output()
  var scopes: [String: Scope] = [:]
  var order: [String] = []
  var globalSlots: [String] = []
  var shims: [String] = []
  var topLevel = Code()
  /// The types of the options of variadic functions.
  var optionTypes = Code()
  var usesBytes = false
  var usesStoring = false
  var usesGivenText = false
  var usesLending = false
  var usesLentText = false
  var usesLentTexts = false
  var usesFixed = false
  var usesKeptMemory = false
  /// The adapters for structs of functions whose context another function takes, by the names of those.
  var delegateContexts: [String: String] = [:]
  /// The structs of memory and its length that functions take or give.
  var byteStructs: Set<String> = []
  var usesSystem = false
  /// The functions that run objects on a loop, by the names of the objects.
  var drives: [String: String] = [:]
  /// The names that C's types have in Swift.
  let typeNames: Set<String>
  /// The names that Swift imports types with: not those of structs that are only declared.
  let importedNames: Set<String>
  /// The functions that describe a code, and those that describe the last error of an object, by the object.
  private(set) var errorTexts = (codes: [Library.Function](), objects: [String: Library.Function]())
  var usesFailure = false
  var usesStatus = false
  var usedMembers: [String: [String: String]] = [:]

  init(_ library: Library, _ sites: [ClassifiedSite], module: String, link: [String], choices: Choices) {
    self.library = library
    self.sites = sites
    self.module = module
    self.link = link
    self.choices = choices
    cModule = "C" + module
    typeNames = Set(library.typedefs.map(\.name)).subtracting(library.chosen).union(
      library.complete.compactMap { $0.split(separator: " ").last.map(String.init) })
    swift = SwiftTypes(library: library, module: cModule)
    names = Names(library)
    let swift = swift
    importedNames = Set(
      library.typedefs.map(\.name).filter {
        !library.chosen.contains($0) && swift.imported(.named($0, isConst: false)) != nil
      }
        + library.complete.compactMap { $0.split(separator: " ").last.map(String.init) })
    errorTexts = (library.functions.filter(describes), lastErrors)
  }

  mutating func write() throws -> Output {
    for classified in sites where !classified.role.value.isWrapped {
      output.skipped.append((classified.site.key, classified.role.value.reason))
    }
    for classified in sites where classified.role.value == .callback && choices.skips(classified) {
      output.skipped.append((classified.site.key, Choices.skipping))
    }
    let wrapped = sites.filter { site in
      (only == nil || site.site.owner == only) && site.role.value.isWrapped && !choices.skips(site)
    }
    prepareObjects()
    // In the order of the headers.
    var done: Set<String> = []
    for classified in wrapped {
      let site = classified.site
      switch site.kind {
      case .parameter:
        if done.insert("f " + site.owner).inserted {
          try writeFunction(site.owner, wrapped.filter { $0.site.kind == .parameter && $0.site.owner == site.owner })
        }
      case .field:
        if done.insert("r " + site.owner).inserted {
          try writeRecord(site.owner, wrapped.filter { $0.site.kind == .field && $0.site.owner == site.owner })
        }
      case .global: try writeGlobal(classified)
      case .typedef: try writeHook(classified)
      case .result, .argument: break
      }
    }
    try writeFunctions()
    try writeDriving()
    writeFields()
    prepareDependents()
    prepareKeeping()
    assemble()
    return output
  }

  // MARK: Scopes

  /// The class for the object that a function takes first, or the namespace.
  mutating func scope(_ function: Library.Function?) -> String {
    guard let function, let first = function.parameters.first, let handle = Classifier.handle(first.type, library),
      library.function(first.type) == nil, let type = swift.imported(first.type),
      type.text != "UnsafeMutablePointer<FILE>?"
    else { return namespace() }
    if scopes[handle] == nil { addScope(handle, first.type, type.text) }
    return handle
  }

  /// Adds the class for an object. `type` is the type of a pointer to it, and `text` the same in Swift.
  mutating func addScope(_ handle: String, _ type: CType, _ text: String) {
    var pointer = text.hasSuffix("?") ? String(text.dropLast()) : text
    if pointer.hasPrefix("UnsafePointer<") {
      pointer = "UnsafeMutablePointer<" + pointer.dropFirst("UnsafePointer<".count)
    }
    var spelled = handle
    if case .named(let own, _) = type { spelled = own }
    if case .pointer(.named(let own, _), _) = type { spelled = own }
    var name = names.object(spelled)
    let taken = objects == nil ? typeNames : importedNames
    let suffix = objects == nil ? "Callbacks" : "Object"
    while taken.contains(name) || types.names.contains(name) || scopes.values.contains(where: { $0.name == name }) {
      name += suffix
    }
    scopes[handle] = Scope(name: name, handle: handle, pointerType: pointer)
    order.append(handle)
  }

  mutating func namespace() -> String {
    if scopes[""] == nil {
      scopes[""] = Scope(name: module + "Library", handle: nil, pointerType: "")
      order.append("")
    }
    return ""
  }

  /// A name for a member that no other one of the type has.
  mutating func unique(_ classified: ClassifiedSite, _ siblings: Int, _ scope: String) throws -> String {
    let site = classified.site
    let chosen = choices[site.key]?.name
    let object = scopes[scope]?.handle.flatMap { $0.split(separator: " ").last.map(String.init) }
    var name = chosen ?? names.member(classified, siblings: siblings, object: object, isHandler: isHandler(classified))
    if usedMembers[scope]?[name] != nil, chosen == nil {
      var words = names.words(site.owner)
      if siblings > 1 { words += Words.split(site.name) }
      name = Names.lower(words)
      if usedMembers[scope]?[name] != nil, site.kind == .parameter { name += "\(site.index)" }
    }
    if let other = usedMembers[scope]?[name] {
      throw WrappingError(
        "\(site.key) and \(other) both become \(name). Name one of them in the choices file: \(site.key) name=…")
    }
    usedMembers[scope, default: [:]][name] = site.key
    output.names[site.key] = name
    return name
  }

  /// True if a closure gets the calls, and not a stream.
  func isHandler(_ classified: ClassifiedSite) -> Bool {
    classified.result.value != .none || choices.gives(classified.site, library)
      || choices[classified.site.key]?.isHandler ?? false
  }

  /// The plan of a callback with what has been chosen for it. A handler gets the object, too: it runs before there is
  /// anything else to know it by.
  mutating func plan(_ classified: ClassifiedSite, _ handle: String?) throws -> CallbackPlan? {
    let choice = choices[classified.site.key]
    guard
      var plan = CallbackPlan(
        classified, swift, handle: handle, keepsPointers: handle == nil || isHandler(classified),
        borrows: choice?.borrows ?? false, raw: Set(choices.pointers(of: classified.site).keys))
    else { return nil }
    output.omitted += plan.omitted.map { (classified.site.key, $0) }
    useOwnResult(&plan)
    try usePointers(classified, &plan)
    lendObjects(classified, &plan)
    if choice?.borrows != true {
      copyRecords(classified, &plan)
      noteOpen(classified, plan)
    }
    useOwnTypes(&plan)
    if let names = choice?.arguments {
      guard names.count == plan.values.count else {
        throw WrappingError(
          "\(classified.site.key) has \(plan.values.count) arguments, and arguments= names \(names.count). Name each: \(plan.values.map(\.name).joined(separator: ","))."
        )
      }
      plan.rename(names)
    }
    return plan
  }

  mutating func skip(_ classified: ClassifiedSite, _ reason: String) {
    output.skipped.append((classified.site.key, reason))
  }

  mutating func note(_ plan: CallbackPlan) {
    if plan.values.contains(where: { $0.expression.contains("lentBytes(") }) { usesBytes = true }
  }

  // MARK: Functions

  private mutating func writeFunction(_ owner: String, _ all: [ClassifiedSite]) throws {
    guard let index = library.functionIndex[owner] else { return }
    var function = library.functions[index]
    let all = formatting(&function, all)
    let callbacks = all.filter { $0.role.value == .callback }
    if callbacks.isEmpty {
      // The destroy notification of data delivers nothing: C calls it with the data.
      for classified in all {
        skip(classified, "It releases data that the function takes over. Pass a C function such as free.")
      }
      return
    }
    var handle = scope(function)
    let own = Set(
      all.compactMap { classified -> Int? in
        if case .parameter(let index)? = classified.context.value?.registration { index } else { nil }
      })
    let fails = callbacks.compactMap { choices[$0.site.key]?.fails ?? $0.fails?.value }.first ?? .negative
    let (registration, reason) = Registration.plan(
      function, sites: all, contexts: own, handle: scopes[handle]?.handle, fails: fails, swift)
    guard var registration else {
      for classified in callbacks { try writeHook(classified, because: reason) }
      return
    }
    if registration.objectIndex == nil { handle = namespace() }
    try describe(&registration, callbacks, handle)
    if callbacks.count == 1, let classified = callbacks.first {
      if try writeSingle(classified, registration, handle) { return }
      return try writeHook(classified, because: function.wrapper.map { "`\($0)` takes it." } ?? "")
    }
    // Several callbacks of one object share its context.
    // The function that opens the object takes all of them at once.
    let opens = Words.split(owner).contains { ["open", "open2", "start", "init", "create", "new"].contains($0) }
    let isSetter =
      registration.parameters.isEmpty && registration.slot == nil
      && (registration.outcome == .nothing || registration.canFail) && !opens
    // A registration that another function ends is one of several, and does not replace the one before.
    let ending = ending(callbacks[0], registration, handle)
    let replaces = ending.map { !$0.usesProduct && $0.text.contains(registration.function.called + "(") } ?? true
    let isScoped = callbacks.contains { adapter($0).name == "ScopedCallback" }
    // A function with several contexts, of which nothing says that it keeps them, may use them while it runs.
    let isKept = own.count <= 1 || callbacks.allSatisfy { $0.life.value != nil }
    if registration.objectIndex != nil, isSetter, replaces, !isScoped, isKept,
      callbacks.allSatisfy({ isShared($0) || $0.context.value == nil && scopes[handle] != nil }),
      registration.releases.isEmpty, registration.takesNull
    {
      registration.contexts = own
      return try writeShared(callbacks, registration, handle)
    }
    if try writeSeveral(callbacks, registration, handle) { return }
    let taker = function.wrapper.map { "`\($0)` takes it." } ?? "\(owner) takes several callbacks."
    for classified in callbacks { try writeHook(classified, because: taker) }
  }

  /// True if the context belongs to the object and not to one registration.
  private func isShared(_ classified: ClassifiedSite) -> Bool {
    guard let context = classified.context.value, context.isArgument || isAccessed(context) else { return false }
    switch context.registration {
    case .parameter, .function: return true
    case .field, .unknown: return false
    }
  }

  /// True if a function of the object returns the context, and another one sets it.
  private func isAccessed(_ context: Context) -> Bool {
    guard case .accessor = context.arrival, case .function = context.registration else { return false }
    return true
  }

  /// True if several functions register callbacks that find their contexts in the same field of an object.
  private func isShared(_ field: String, of object: String?) -> Bool {
    sites.count { other in
      guard other.role.value == .callback, other.site.kind == .parameter, !choices.skips(other),
        let context = other.context.value, case .field(field) = context.registration
      else { return false }
      return Classifier.handle(other.site.function.parameters[context.index].type, library) == object
    } > 1
  }

  /// Writes a callback that is the only one of its function. False if a hook has to do.
  private mutating func writeSingle(_ classified: ClassifiedSite, _ registration: Registration, _ scope: String) throws
    -> Bool
  {
    guard !classified.site.isIndirect, let plan = try plan(classified, scopes[scope]?.handle) else { return false }
    if isVariadic(classified.site) { return false }
    guard let context = classified.context.value else {
      note(plan)
      try writeMember(classified, plan, registration, scope, .slot)
      return true
    }
    switch context.registration {
    case .parameter:
      note(plan)
      try writeMember(classified, plan, registration, scope, .own)
    case .function:
      guard registration.objectIndex != nil, context.isArgument || isAccessed(context), registration.parameters.isEmpty
      else { return false }
      try writeShared([classified], registration, scope)
    case .field(let field):
      // The object itself has the context.
      let object = Classifier.handle(classified.site.function.parameters[context.index].type, library)
      let index = registration.function.parameters.firstIndex { Classifier.handle($0.type, library) == object }
      guard let index, !field.contains("[") else { return false }
      let name =
        index == registration.objectIndex
        ? "pointer"
        : registration.parameters.first { $0.index == index }.map { $0.code + ($0.code.contains(".") ? "" : "?") }
      guard let name, field.split(separator: ".").allSatisfy({ !$0.isEmpty }) else { return false }
      if isShared(field, of: object) {
        // A second context would replace the first one.
        if index == registration.objectIndex, registration.parameters.isEmpty, registration.slot == nil {
          try writeShared([classified], registration, scope)
        } else {
          skip(classified, "It finds its context in a field that other callbacks use, too.")
        }
        return true
      }
      note(plan)
      try writeMember(
        classified, plan, registration, scope, .member("\(name).pointee.\(SwiftTypes.escapedPath(field))"))
    case .unknown: return false
    }
    return true
  }

  /// True for a callback with variadic arguments, or with a list of them.
  func isVariadic(_ site: Site) -> Bool {
    site.function.isVariadic
      || site.function.parameters.contains { parameter in
        parameter.type.description.contains("va_list")
          || library.resolved(parameter.type).description.contains("__va_list_tag")
      }
  }
}
