/// Objects that another object may use: one that the program closes is freed after the last object that keeps it.
extension SwiftWriter {
  /// What an object keeps, so that C can use it after the call.
  mutating func held(_ kept: (name: String, handle: String), _ plan: FunctionPlan) -> String {
    guard scopes[kept.handle]?.object?.release != nil else { return kept.name }
    scopes[kept.handle]?.isHeld = true
    return kept.name + plan.mark(kept.name) + ".beingHeld()"
  }

  /// The captures of the closure that ends a registration: what keeps the objects that C may use until then, also if the
  /// program closes them.
  mutating func holds(_ member: Member) -> [String] {
    member.registration.kept.compactMap { kept in holding(kept).map { "\(Self.hold(kept.name)) = \($0)" } }
  }

  /// The statements that use these captures, or objects that C itself keeps.
  func usingKept(_ member: Member) -> [String] {
    // C has a reference of its own to a counted one, and another would make that outlive what C does with it.
    let kept = member.registration.kept.filter { kept in
      !scopes.values.contains { $0.name == kept.type.filter { $0 != "?" } && $0.object?.retain != nil }
    }
    return kept.map { "_ = \(holder($0.type) == nil ? $0.name : Self.hold($0.name))" }
  }

  /// Statements for a registration that no call of C ends: C may use the objects as long as the object of the method. A
  /// callback that is called once has ended with that call.
  mutating func keeping(_ member: Member, _ scope: String) -> [String] {
    guard scopes[scope]?.object != nil, member.adapter != "OnceCallback",
      member.unregister.allSatisfy({ $0 == "callback.disarm()" })
    else { return member.claims }
    return member.claims
      + member.registration.kept.compactMap { kept in
        guard let held = holding(kept) else { return nil }
        scopes[scope]?.keeps = true
        return "keep(\(held))"
      }
  }

  /// The variable for what keeps a parameter.
  private static func hold(_ name: String) -> String { name.filter { $0 != "`" } + "Hold" }

  private mutating func holding(_ kept: (name: String, type: String)) -> String? {
    guard let handle = holder(kept.type) else { return nil }
    scopes[handle]?.isHeld = true
    return "\(kept.name)\(kept.type.hasSuffix("?") ? "?" : "").beingHeld()"
  }

  /// The class of a parameter whose objects can be held. C has a reference of its own to a counted one.
  private func holder(_ type: String) -> String? {
    let name = type.filter { $0 != "?" }
    return scopes.first { _, scope in
      scope.name == name && scope.object?.release != nil && scope.object?.retain == nil
    }?.key
  }

  /// The call that ends a registration: it gets objects that the program has closed, too, because they are held.
  func usingHolds(_ call: String, _ member: Member) -> String {
    member.registration.kept.reduce(call) { call, kept in
      guard holder(kept.type) != nil else { return call }
      let object = kept.name + (kept.type.hasSuffix("?") ? "?" : "")
      return ["(", " "].reduce(call) { $0.replacing($1 + object + ".pointer", with: $1 + object + ".heldPointer") }
    }
  }

  /// What an object stops keeping.
  mutating func released(_ forgotten: (name: String, handle: String), by own: String, _ plan: FunctionPlan) -> String {
    guard scopes[forgotten.handle]?.object?.release != nil else { return forgotten.name }
    scopes[own]?.forgets.insert(forgotten.handle)
    return forgotten.name + plan.mark(forgotten.name) + ".currentHold"
  }

  /// Lets parts keep what they get in what they are a part of, because they themselves are made for each use.
  mutating func prepareKeeping() {
    passToContainers(\.keeps)
    for scope in scopes.values where scope.keeps {
      for handle in scope.forgets { scopes[handle]?.isHeld = true }
    }
  }

  /// Writes what an object keeps, and what keeps it.
  func writeKeeping(_ scope: Scope, _ object: LibraryObjects.Object, _ code: inout Code) {
    if scope.keeps {
      code.gap()
      code.add("/// Keeps what C may use as long as this object exists, or what it is a part of.")
      code.add("func keep(_ object: AnyObject?) {")
      if scope.isPart { code.add("if whole !== self { return whole.keep(object) }") }
      code.add("guard let object, !kept.contains(where: { $0 === object }) else { return }")
      if usesKeptMemory {
        // C frees another one at a time that nobody knows.
        let isOther = object.release == nil || object.retain != nil ? "" : "if !isOwned { "
        code.add("\(isOther)(object as? any KeptForC)?.keepForever()\(isOther.isEmpty ? "" : " }")")
      }
      code.add("kept.append(object)\n}")
      if scope.isMadeKeeping {
        code.gap()
        code.add("/// The object, which keeps another one.")
        code.add("func keeping(_ object: AnyObject?) -> Self {\nkeep(object)\nreturn self\n}")
      }
      code.gap()
      code.add("/// Stops keeping what C no longer uses.")
      code.add("func stopKeeping(_ object: AnyObject?) {")
      if scope.isPart { code.add("if whole !== self { return whole.stopKeeping(object) }") }
      code.add("kept.removeAll { $0 === object }\n}")
    }
    guard scope.isHeld, let release = object.release else { return }
    code.gap()
    code.add("/// What keeps it as long as another object may use it.")
    code.add("func beingHeld() -> Hold {\nif let currentHold { return currentHold }")
    code.add("let new = Hold(self)\ncurrentHold = new\nreturn new\n}")
    code.gap()
    let closed = "The \(scope.name) is closed. Use it before \(closing(scope, object))()."
    code.add("/// The pointer for C that still uses it, also if the program has closed it.")
    code.add("var heldPointer: \(scope.pointerType) {")
    code.add("precondition(!isClosed || isOwned, \"\(closed)\")\nreturn storedPointer\n}")
    code.gap()
    code.add("/// Frees it if that was postponed.")
    code.add("func endIfPostponed() {\nif !isOwned || !isClosed { return }")
    if scope.hasDependents { code.add("endDependents()") }
    code.add("isOwned = false")
    code.add(
      object.contextual == nil
        ? freeing(object, release) + "\n}" : "freeNow()\n}")
  }

  /// The statements with which a method that frees an object at once returns, if it is too early for that.
  func postponing(_ scope: Scope) -> String {
    // Its parts and what was made with it stay usable for C alone.
    scope.isHeld ? "\nif currentHold != nil {\nisClosed = true\nreturn\n}" : ""
  }

  /// The functions, without the statements that stop keeping if the object keeps nothing.
  func functions(of scope: Scope) -> Code {
    if scope.keeps { return scope.functions }
    return Code(scope.functions.lines.filter { !$0.trimmed.hasPrefix("stopKeeping(") })
  }

  /// Writes the copies of memory that objects keep.
  func writeKeptMemory(_ hidden: String, _ code: inout Code) {
    if !usesKeptMemory { return }
    code.gap()
    code.add("/// What C uses after a call.")
    code.add("\(hidden)protocol KeptForC: AnyObject {\nfunc keepForever()\n}")
    code.gap()
    code.add("/// A copy of memory that C uses after a call, for as long as an object keeps it.")
    code.add("\(hidden)final class KeptMemory<Element>: KeptForC {")
    code.add("private let elements: UnsafeMutableBufferPointer<Element>\nprivate var isKeptForever = false")
    code.gap()
    code.add("init(_ source: Span<Element>) {\nelements = .allocate(capacity: source.count)")
    code.add("source.withUnsafeBufferPointer { _ = elements.initialize(from: $0) }\n}")
    code.gap()
    code.add("/// A text with a zero at its end.")
    code.add("convenience init(text: \(swift.string)) where Element == UInt8 {")
    code.add("let bytes = Array(text.utf8) + [0]\nself.init(bytes.span)\n}")
    code.gap()
    code.add("deinit {\nif isKeptForever { return }\nelements.deinitialize()\nelements.deallocate()\n}")
    code.gap()
    code.add("/// Never frees it, because the header does not say when C stops using it.")
    code.add("func keepForever() { isKeptForever = true }")
    code.gap()
    code.add("var count: Int { elements.count }")
    code.add("var start: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(elements.baseAddress) }\n}")
  }

  /// Writes what keeps an object.
  func writeHold(_ hidden: String, _ code: inout Code) {
    if !scopes.values.contains(where: \.isHeld) { return }
    code.gap()
    code.add("/// An object that others may use.")
    code.add("\(hidden)protocol Holdable: AnyObject {\nfunc endIfPostponed()\n}")
    code.gap()
    code.add("/// Keeps an object for those that may use it, and lets it end after the last of them.")
    code.add("\(hidden)final class Hold {\nprivate let object: any Holdable")
    code.gap()
    code.add("init(_ object: any Holdable) { self.object = object }")
    code.gap()
    code.add("deinit { object.endIfPostponed() }\n}")
  }
}
