/// The classes of a library's objects, which own them.
extension SwiftWriter {
  /// Adds a class for each object, in the order of the headers.
  mutating func prepareObjects() {
    guard let objects else { return }
    for handle in objects.handles {
      guard var object = objects.byHandle[handle], let text = swift.imported(object.type)?.text else { continue }
      addScope(handle, object.type, text)
      if let contextual = object.contextual, !canFree(contextual.context) {
        if object.release?.name == contextual.function.name { object.release = nil }
        object.contextual = nil
        self.objects?.byHandle[handle] = object
      }
      scopes[handle]?.object = object
      if let release = object.release, let scope = scopes[handle] {
        usedMembers[handle] = ["\(closing(scope, object))()": release.name]
      }
    }
    types = valueTypes()
    planner = FunctionPlanner(
      library: library, objects: self.objects ?? objects, swift: swift,
      classes: scopes.compactMapValues { $0.object == nil ? nil : $0.name }, types: types, copying: copying,
      choices: choices)
    for (name, _, _) in choices.driven {
      if let handle = objects.handle(named: name) { scopes[handle]?.isDriven = true }
    }
  }

  /// Lets a callback receive objects instead of their pointers. An object with callbacks of its own belongs to whoever made it.
  mutating func lendObjects(_ classified: ClassifiedSite, _ plan: inout CallbackPlan) {
    for index in plan.values.indices {
      guard let number = plan.values[index].parameter,
        case let type = classified.site.function.parameters[number].type, library.function(type) == nil,
        let handle = Classifier.handle(type, library), let scope = scopes[handle], scope.object != nil,
        !takesContext(handle)
      else { continue }
      let value = plan.values[index]
      let isConst = value.type.hasPrefix("UnsafePointer<")
      guard value.type.hasPrefix(scope.pointerType) || isConst else { continue }
      scopes[handle]?.isLent = true
      plan.values[index].expression =
        "\(scope.name)(lent: \(isConst ? "UnsafeMutablePointer(mutating: \(value.expression))" : value.expression))"
      plan.values[index].type = scope.name + "?"
    }
  }

  /// True if the callbacks of an object find their context in it.
  func takesContext(_ handle: String) -> Bool {
    sites.contains { classified in
      guard case .function(let name, _)? = classified.context.value?.registration,
        let index = library.functionIndex[name]
      else { return false }
      let function = library.functions[index]
      return objects?.classifier.made(by: function) == handle
        || function.parameters.first.flatMap { Classifier.handle($0.type, library) } == handle
    }
  }

  /// Writes the class of an object that owns it.
  mutating func write(_ scope: Scope, _ object: LibraryObjects.Object, _ code: inout Code) {
    let slots = scope.name + "Slots"
    let hasSlots = !scope.slots.isEmpty
    let release = object.release
    code.add("/// A `\(scope.handle ?? "")`\(release == nil ? "." : ", which it frees.")\n///")
    if let release {
      code.add("/// If the program owns it, `\(release.name)` frees it when nothing refers to this object any more.")
    }
    if object.isFixed, let end = object.consuming.sorted().first {
      code.add("/// The program frees what it holds with `\(end)`.")
    } else if object.isFixed, let enders = objects?.enders(ofState: object.handle), !enders.isEmpty {
      let names = enders.map { "`\($0.name)`" }.joined(separator: " or ")
      code.add("/// The program frees what C keeps in it with \(names).")
    }
    code.add("/// It belongs to one isolation domain, and keeps what it is a part of.")
    if scope.isDependent { code.add("/// Whoever closes an object that it was made with closes it first.") }
    let isUsable = tellsEnds
    let protocols = [isUsable ? "Usable" : nil, scope.isHeld ? "Holdable" : nil].compactMap(\.self)
    code.add(
      "public final class \(scope.name)\(protocols.isEmpty ? "" : ": \(protocols.joined(separator: ", "))") {")
    code.add(
      "private \(scope.isReplaced ? "var" : "let") storedPointer: \(scope.pointerType)\nprivate let retained: Any?")
    if scope.isPart { code.add("private var container: (any Usable)?") }
    if release != nil { code.add("private var isOwned: Bool") }
    if object.ends { code.add("private var isClosed = false") }
    if scope.keeps { code.add("private var kept: [AnyObject] = []") }
    if scope.isHeld { code.add("private(set) weak var currentHold: Hold?") }
    if scope.hasDependents { code.add("private var dependents = Dependents()") }
    let freer = freer(of: object)
    if let freer { code.add("private let freer: \(freer)?") }
    if isFreer(scope) {
      code.add(
        "/// False after it has been freed, so that it can't free anything.\nvar isOpen: Bool { \(release == nil ? "true" : "!isClosed") }"
      )
    }
    if scope.isDriven { code.add("private let calls = Deferral()") }
    if hasSlots {
      code.add("private let slots: \(slots)\nprivate let callback: ForeignCallback<\(slots)?>")
    }
    code.gap()
    code.add("/// The object of the library, for functions that have no Swift function.")
    writePointer(scope, object, isUsable: isUsable, &code)
    if hasSlots {
      code.gap()
      code.add("/// The context that all callbacks of the object share.")
      code.add("public var context: UnsafeMutableRawPointer { callback.context }")
    }
    code.gap()
    code.add("/// Wraps an object of the library.\n///\n/// - Parameters:")
    code.add("///   - pointer: The object.")
    code.add("///   - owner: What has to exist as long as the object does.")
    if release != nil { code.add("///   - isOwned: True if this object frees it.") }
    if freer != nil { code.add("///   - freer: The object that C frees it with.") }
    let owned = (release == nil ? "" : ", isOwned: Bool") + (freer.map { ", freer: \($0)? = nil" } ?? "")
    let passed = (release == nil ? "" : ", isOwned: isOwned") + (freer == nil ? "" : ", freer: freer")
    if hasSlots {
      code.add("public convenience init(_ pointer: \(scope.pointerType), owner: Any? = nil\(owned)) {")
      code.add("let slots = \(slots)()")
      code.add(
        "self.init(pointer, owner: owner\(passed), slots, ForeignCallback<\(slots)?> { slots })\n}"
      )
      code.gap()
      code.add("private init(")
      code.add(
        "_ pointer: \(scope.pointerType), owner: Any?\(owned), _ slots: \(slots), _ callback: ForeignCallback<\(slots)?>\n) {"
      )
    } else {
      code.add("public init(_ pointer: \(scope.pointerType), owner: Any? = nil\(owned)) {")
    }
    code.add("storedPointer = pointer\nretained = owner")
    if release != nil { code.add("self.isOwned = isOwned") }
    if freer != nil { code.add("self.freer = freer") }
    if hasSlots { code.add("self.slots = slots\nself.callback = callback") }
    code.add("}")
    if object.isFixed {
      usesFixed = true
      code.gap()
      code.add("/// Makes the struct, all of zeros, in memory of its own.\npublic convenience init() {")
      code.add("let memory = FixedMemory(\(scope.pointerType).allocate(capacity: 1))")
      code.add("memory.pointer.initialize(to: .init())\nself.init(memory.pointer, owner: memory)\n}")
    }
    writeContext(scope, &code)
    if scope.isLent {
      code.gap()
      code.add(
        object.retain == nil
          ? "/// The object that C lends to a callback: valid until the callback returns."
          : "/// The object that C passes to a callback.")
      code.add("convenience init?(lent pointer: \(scope.pointerType)?) {\nguard let pointer else { return nil }")
      if let retain = object.retain {
        code.add("\(library.resolved(retain.result).isVoid ? "" : "_ = ")\(retain.called)(pointer)")
      }
      code.add("self.init(pointer\(release == nil ? "" : ", isOwned: \(object.retain != nil)"))\n}")
    }
    if scope.isGivenUp {
      code.gap()
      code.add("/// Leaves it to C to free the object, which exists as long as `owner` does.")
      code.add(
        "func giveUp(to owner: \(isUsable ? "(any Usable)?" : "AnyObject?")) {\nif !isOwned { return }\nisOwned = false"
      )
      if scope.keeps, usesKeptMemory {
        code.add("for object in kept { (object as? any KeptForC)?.keepForever() }")
      }
      code.add("\(scope.isPart ? "container = owner?.whole\n" : "")}")
    }
    if scope.isReplaced { writeReplacing(scope, &code) }
    writeKeeping(scope, object, &code)
    if let release { writeEnd(scope, object, release, &code) }
    writeDependence(scope, object, &code)
    let members = ends(of: scope, isFreed: object.ends, &code)
    code.gap()
    code.add(members)
    if !scope.members.isEmpty, !scope.functions.isEmpty { code.gap() }
    code.add(functions(of: scope))
    code.add("}")
    if hasSlots { writeSlots(of: scope, &code) }
  }

  /// Writes the pointer, which traps after the end of the object, and what other objects need to know of it.
  private func writePointer(
    _ scope: Scope, _ object: LibraryObjects.Object, isUsable: Bool, _ code: inout Code
  ) {
    let isFreed = object.ends
    let use = object.release != nil ? " Use it before \(closing(scope, object))()." : ""
    if !isFreed, !scope.isPart {
      code.add("public var pointer: \(scope.pointerType) { storedPointer }")
    } else {
      let condition = scope.isPart ? "isUsable" : "!isClosed"
      let made = dependence(of: scope)
      let end =
        !isFreed
        ? "What the \(scope.name) is a part of is closed."
        : "The \(scope.name) is closed\(scope.isPart ? ", or what it is a part of" : "")\(made.end).\(use)\(made.advice)"
      code.add("public var pointer: \(scope.pointerType) {")
      code.add("precondition(\(condition), \"\(end)\")\nreturn storedPointer\n}")
    }
    if !isUsable { return }
    code.gap()
    let parts = [isFreed ? "!isClosed" : nil, scope.isPart ? "container?.isUsable != false" : nil].compactMap(\.self)
    code.add("var isUsable: Bool { \(parts.isEmpty ? "true" : parts.joined(separator: " && ")) }")
    code.gap()
    let whole =
      scope.isPart ? object.release != nil ? "isOwned ? self : container ?? self" : "container ?? self" : "self"
    code.add("var whole: any Usable { \(whole) }")
    if scope.isPart {
      code.gap()
      code.add("/// Keeps what it is a part of, and is not used after that has been closed.")
      code.add("func asPart(of object: any Usable) -> Self {\ncontainer = object.whole\nreturn self\n}")
    }
  }

  /// The name of the function that frees an object at once.
  func closing(_ scope: Scope, _ object: LibraryObjects.Object) -> String {
    guard let release = object.release else { return "" }
    if let chosen = choices.bySite[release.name]?.name { return chosen }
    let words = names.without(
      names.words(release.name), names.words(scope.handle?.split(separator: " ").last.map(String.init) ?? ""))
    let verb = words.first { ["close", "free", "destroy", "finish", "delete", "end", "done"].contains($0) }
    let name = verb ?? (["unref", "decref"].contains(words.last) ? "release" : Names.lower([words.last ?? "close"]))
    // `blkid_dev_iterate_end` of an iterator.
    return Self.own.contains(name) ? Names.lower(names.words(release.name)) : name
  }

  private func writeEnd(
    _ scope: Scope, _ object: LibraryObjects.Object, _ release: Library.Function, _ code: inout Code
  ) {
    code.gap()
    if object.contextual == nil {
      code.add("deinit {\nif isOwned { \(freeing(object, release)) }\n}")
    } else {
      code.add("deinit {\nif isOwned { freeNow() }\n}")
    }
    code.gap()
    if writeContextualEnd(scope, object, &code) { return }
    let name = closing(scope, object)
    let check = endCheck(release)
    let reports = check == nil ? "" : ", and reports an error of that"
    code.add("/// Frees the object now\(reports). Later uses are a programming error.\n///")
    code.add("/// C: `\(release.name)`.")
    code.add("public func \(name)()\(check == nil ? "" : " throws(\(failure))") {")
    code.add("if !isOwned || isClosed { return }\(postponing(scope))")
    if scope.hasDependents { code.add("endDependents()") }
    let end = "isOwned = false\nisClosed = true"
    if let check {
      let isOpenAfterFailure = Self.leavesOpen(release.comment)
      if !isOpenAfterFailure { code.add(end) }
      code.add(freeing(object, release, result: "let result = "))
      code.add(
        "if \(check.condition) { throw \(failure)(function: \"\(release.name)\", code: \(check.code)) }")
      if isOpenAfterFailure { code.add(end) }
    } else {
      code.add(end)
      code.add(freeing(object, release))
    }
    if scope.keeps { code.add("kept = []") }
    code.add("}")
  }

  /// The call that frees an object, or its pointer, which C then sets to NULL.
  func freeing(_ object: LibraryObjects.Object, _ release: Library.Function, result: String = "_ = ") -> String {
    let start = library.resolved(release.result).isVoid ? "" : result
    if !library.takesPlace(release, of: object.handle) { return "\(start)\(release.called)(storedPointer)" }
    return "var place = Optional(storedPointer)\n\(start)\(release.called)(&place)"
  }

  /// The check of what a function returns that frees an object.
  private func endCheck(_ release: Library.Function) -> (condition: String, code: String)? {
    let decided = objects?.classifier.failures.rule(for: release)
    let all = decided?.certainty == .told ? nil : choices.ruleForAll(release.name)?.rule
    let rule = choices.bySite[release.name]?.fails ?? all ?? decided?.value
    guard case .named(let type, _) = library.resolved(release.result), let rule, ![.never, .null].contains(rule)
    else { return nil }
    return Self.check(rule, Registration.Status(type), "result")
  }

  /// True if the method that frees an object throws.
  func throwsAtEnd(_ object: LibraryObjects.Object, _ release: Library.Function) -> Bool {
    object.contextual == nil && endCheck(release) != nil
  }

  /// True if the comment of a function says that it leaves the object open when it fails.
  static func leavesOpen(_ comment: String) -> Bool {
    comment.lowercased().replacingNewlines.split(separator: ". ").contains { sentence in
      let words = Set(sentence.split { !$0.isLetter })
      return words.contains("open")
        && ["leave", "leaves", "left", "remain", "remains", "stay", "stays", "still"].contains { words.contains($0) }
    }
  }
}
