/// Objects that need the ones that they were made with: whoever closes one of those frees them first.
extension SwiftWriter {
  /// The members that each class has.
  static let own: Set<String> = [
    "pointer", "storedPointer", "retained", "context", "slots", "callback", "isOwned", "isClosed", "container", "whole",
    "isUsable", "asPart", "kept", "keep", "stopKeeping", "currentHold", "beingHeld", "heldPointer", "endIfPostponed",
    "isNotClosed",
    "consume", "replacePointer", "replaceablePointer", "dependents", "depending", "note", "end", "endDependents",
    "lendingMemory", "isLending",
  ]

  /// True if the classes tell others of their end.
  var tellsEnds: Bool { scopes.values.contains { $0.isPart || $0.isDependent } }

  /// The call with which a new object depends on those that it was made with, or nothing.
  mutating func dependence(_ plan: FunctionPlan, _ made: String) -> String {
    guard let object = scopes[made]?.object, object.release != nil, object.retain == nil else { return "" }
    let words = objects?.classifier.split(plan.function.name) ?? []
    if words.contains(where: { ["clone", "copy", "dup", "duplicate"].contains($0) }) { return "" }
    let owners = plan.owners.filter { owner in
      // A counted reference keeps itself, and what C has taken over can't be closed.
      guard let other = scopes[owner.handle]?.object, other.retain == nil, other.ends || !other.isFixed,
        !other.consuming.contains(plan.function.name), !plan.givenUp.contains(where: { $0.name == owner.name })
      else { return false }
      // A sum needs neither of its parts. `ParserCreate(parser)` makes one that needs the first, `txn_begin(env, parent)` its parent.
      return owner.handle != made || words.contains { ["new", "create"].contains($0) }
        || Words.split(owner.name).contains("parent")
    }
    if owners.isEmpty { return "" }
    output.dependent.insert(plan.function.name)
    if choices.bySite[plan.function.name]?.outlives == true { return "" }
    scopes[made]?.dependentMakers.insert(plan.function.name)
    for owner in owners { scopes[owner.handle]?.hasDependents = true }
    return ".depending(on: \(owners.map(\.name).joined(separator: ", ")))"
  }

  /// Lets the parts of objects pass on to those what is made with them.
  mutating func prepareDependents() {
    passToContainers(\.hasDependents)
    for handle in scopes.keys where scopes[handle]?.object?.ends != true { scopes[handle]?.hasDependents = false }
  }

  /// Sets a property of each class that another one with that property can be a part of.
  mutating func passToContainers(_ property: WritableKeyPath<Scope, Bool>) {
    var waiting = scopes.filter { $0.value[keyPath: property] }.map(\.key)
    while let handle = waiting.popLast() {
      for container in scopes[handle]?.containers ?? [] where scopes[container]?[keyPath: property] == false {
        scopes[container]?[keyPath: property] = true
        waiting.append(container)
      }
    }
  }

  /// What the trap of a closed object says of those that it was made with, and the lines for a library that allows it.
  func dependence(of scope: Scope) -> (end: String, advice: String) {
    if !scope.isDependent { return ("", "") }
    let lines = scope.dependentMakers.sorted().prefix(2).map { $0 + " outlives=yes" }
    return (", or what it was made with", " If C allows this, choose \(lines.joined(separator: ", or ")).")
  }

  /// Writes what ends an object together with one that it was made with, or in a call that frees it.
  func writeDependence(_ scope: Scope, _ object: LibraryObjects.Object, _ code: inout Code) {
    let release = object.release
    if scope.isDependent, let release {
      let canFail = throwsAtEnd(object, release)
      code.gap()
      code.add("func end() {\nif !isOwned { return }")
      code.add("\(canFail ? "try? " : "")\(SwiftTypes.escaped(closing(scope, object)))()")
      // What stays open could not be freed later.
      if canFail && Self.leavesOpen(release.comment) || scope.isHeld { code.add("isOwned = false\nisClosed = true") }
      code.add("}")
    }
    if scope.hasDependents {
      code.gap()
      code.add("func note(_ dependent: any Usable) { dependents.add(dependent) }")
      code.gap()
      code.add("private func endDependents() {\nwhile let dependent = dependents.removeLast() { dependent.end() }\n}")
    }
    if scope.functions.lines.contains(where: { $0.trimmed == "consume()" }) {
      code.gap()
      // Also if the call fails: freeing it again would be worse than a leak.
      code.add("/// Notes that C frees the object in the call that follows, also if that fails.")
      code.add("private func consume() {")
      if scope.isPart, release != nil {
        let advice = "If the program frees it, choose owns=yes for the function that returned it."
        code.add(
          "precondition(isOwned || container == nil, \"The \(scope.name) belongs to what it is a part of. \(advice)\")")
      }
      if scope.hasDependents { code.add("endDependents()") }
      code.add("\(release == nil ? "" : "isOwned = false\n")isClosed = true\n}")
    }
  }

  /// Writes how the object changes if C frees it, or replaces it by another one.
  func writeReplacing(_ scope: Scope, _ code: inout Code) {
    let advice = "If the program frees it, choose owns=yes for the function that returned it."
    code.gap()
    code.add("/// The pointer, for a call that may free the object or replace it.")
    code.add("var replaceablePointer: \(scope.pointerType) {")
    code.add("precondition(isOwned, \"The \(scope.name) belongs to another object, so C can't replace it. \(advice)\")")
    code.add("return pointer\n}")
    code.gap()
    code.add("/// Takes over the object that C has left in its place. There is none after the end.")
    code.add("func replacePointer(with pointer: \(scope.pointerType)?) {\nif pointer == storedPointer { return }")
    if scope.hasDependents { code.add("endDependents()") }
    code.add("guard let pointer else {\nisOwned = false\nisClosed = true\nreturn\n}\nstoredPointer = pointer\n}")
  }

  /// Writes what objects know of each other's ends.
  func writeUsable(_ hidden: String, _ code: inout Code) {
    if !tellsEnds { return }
    code.gap()
    code.add("/// An object of the library, as its parts see it, and what was made with it.")
    code.add("\(hidden)protocol Usable: AnyObject {")
    code.add("/// False after it has been closed, or what it is a part of.\nvar isUsable: Bool { get }")
    code.gap()
    code.add("/// What frees its parts: the object itself, or what it is a part of.\nvar whole: any Usable { get }")
    let keeps = scopes.values.contains { $0.isPart && $0.keeps }
    if keeps {
      code.gap()
      code.add("/// Keeps what C may use as long as the object exists.\nfunc keep(_ object: AnyObject?)")
      code.gap()
      code.add("/// Stops keeping what C no longer uses.\nfunc stopKeeping(_ object: AnyObject?)")
    }
    let defaults = keeps ? "func keep(_ object: AnyObject?) {}\nfunc stopKeeping(_ object: AnyObject?) {}" : ""
    if !scopes.values.contains(where: \.isDependent) {
      code.add("}")
      if keeps {
        code.gap()
        code.add("extension Usable {\n\(defaults)\n}")
      }
      return
    }
    code.gap()
    code.add("/// Ends `dependent` before its own end.\nfunc note(_ dependent: any Usable)")
    code.gap()
    code.add("/// Frees it, if the program owns it.\nfunc end()\n}")
    code.gap()
    code.add("extension Usable {\nfunc note(_ dependent: any Usable) {}\nfunc end() {}\(keeps ? "\n" + defaults : "")")
    code.gap()
    code.add("/// Is freed before what it was made with.\n@discardableResult")
    code.add("func depending(on owners: (any Usable)?...) -> Self {")
    code.add("for owner in owners { owner?.whole.note(self) }\nreturn self\n}\n}")
    code.gap()
    code.add("/// The objects that need the one that they were made with.")
    code.add("\(hidden)struct Dependents {\nprivate struct Reference {\nweak var object: (any Usable)?\n}")
    code.add("private var references: [Reference] = []\nprivate var limit = 8")
    code.gap()
    code.add("mutating func add(_ object: any Usable) {\nif references.count == limit {")
    code.add("references.removeAll { $0.object == nil }\nlimit = max(8, 2 * references.count)\n}")
    code.add("references.append(Reference(object: object))\n}")
    code.gap()
    code.add("/// Removes the newest one, which may need the others.\nmutating func removeLast() -> (any Usable)? {")
    code.add(
      "while let last = references.popLast() {\nif let object = last.object { return object }\n}\nreturn nil\n}\n}")
  }
}
