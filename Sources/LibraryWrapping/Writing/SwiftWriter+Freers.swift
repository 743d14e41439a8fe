/// Objects that C frees with another object.
extension SwiftWriter {
  /// True if the other object of a function that frees has a class.
  func canFree(_ context: String) -> Bool {
    objects?.byHandle[context].flatMap { swift.imported($0.type) } != nil
  }

  /// The class of the object that C frees an object with.
  func freer(of object: LibraryObjects.Object) -> String? {
    object.contextual.flatMap { scopes[$0.context]?.object == nil ? nil : scopes[$0.context]?.name }
  }

  /// The call that frees memory.
  func freeing(_ name: String, _ memory: String, _ plan: FunctionPlan) -> String {
    let arguments = plan.freeingArguments[name]?.map { $0 ?? memory } ?? [memory]
    return "\(name == "free" ? "Glibc" : cModule).\(name)(\(arguments.joined(separator: ", ")))"
  }

  /// True if C frees objects with those of a class.
  func isFreer(_ scope: Scope) -> Bool {
    scope.handle != nil && scopes.values.contains { $0.object?.contextual?.context == scope.handle }
  }

  /// The argument for the object that C frees a result with, if the function has one.
  func freerArgument(_ handle: String, _ plan: FunctionPlan) -> String {
    guard let object = scopes[handle]?.object, let context = object.contextual?.context, let name = freer(of: object)
    else { return "" }
    let isMethod = plan.objectIndex.map {
      Classifier.handle(plan.function.parameters[$0].type, library) == context
    }
    if isMethod == true { return ", freer: self" }
    let own = plan.parameters.first { $0.type == name || $0.type == name + "?" }
    return own.map { ", freer: \($0.name)" } ?? ""
  }

  /// Throws if a function makes an object that can't be freed without another one, which it does not take.
  func checkFreer(_ plan: FunctionPlan) throws(Unwrapped) {
    for result in plan.results {
      guard let made = result.object, made.isOwned, let object = scopes[made.handle]?.object,
        let contextual = object.contextual, contextual.function.name == object.release?.name,
        freerArgument(made.handle, plan).isEmpty
      else { continue }
      throw Unwrapped("\(contextual.function.name) frees its result with an object that it does not take.")
    }
  }

  /// Writes the method that frees an object with another one. False if the object needs none.
  func writeContextualEnd(_ scope: Scope, _ object: LibraryObjects.Object, _ code: inout Code) -> Bool {
    guard let contextual = object.contextual, let release = object.release else { return false }
    let name = closing(scope, object)
    func call(_ function: Library.Function, _ arguments: String) -> String {
      "\(library.resolved(function.result).isVoid ? "" : "_ = ")\(function.called)(\(arguments))"
    }
    code.add(
      "/// Frees the object now. Later uses are a programming error.\n///\n/// C: `\(contextual.function.name)`.")
    code.add(
      "public func \(name)() {\nif !isOwned || isClosed { return }\(postponing(scope))\n\(scope.hasDependents ? "endDependents()\n" : "")isOwned = false\nisClosed = true\nfreeNow()\(scope.keeps ? "\nkept = []" : "")\n}"
    )
    code.gap()
    code.add("private func freeNow() {")
    let own = call(contextual.function, "freer.pointer, storedPointer")
    code.add("if let freer {")
    code.add("// After the end of that object, C can't free this one.\nif freer.isOpen { \(own) }")
    if release.name == contextual.function.name {
      code.add("}\n}")
    } else {
      code.add("} else {\n\(call(release, "storedPointer"))\n}\n}")
    }
    return true
  }
}
