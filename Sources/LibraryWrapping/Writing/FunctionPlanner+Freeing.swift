/// Functions that free memory with an object: `GEOSFree_r(context, memory)`.
extension FunctionPlanner {
  /// Finds the objects that the functions which free memory take besides it.
  func decideFreeing(_ plan: inout FunctionPlan) throws(Unwrapped) {
    for name in plan.freed.map(\.function) + [plan.freeing].compactMap(\.self) {
      guard let index = library.functionIndex[name], case let freeing = library.functions[index],
        freeing.parameters.count != 1
      else { continue }
      func fail(_ reason: String) -> Unwrapped {
        let places = plan.function.parameters.indices.map(Optional.some) + [nil]
        let place = places.first { choices.pointer(plan.function, $0, in: library)?.frees == name } ?? nil
        return contradiction(plan.function, Choices.name(plan.function, place), reason)
      }
      let memories = freeing.parameters.indices.filter { index in
        object(freeing.parameters[index].type) == nil && library.resolved(freeing.parameters[index].type).pointee != nil
      }
      guard memories.count == 1 else { throw fail("\(name) takes no memory.") }
      var arguments: [String?] = []
      for (index, parameter) in freeing.parameters.enumerated() {
        if index == memories[0] {
          arguments.append(nil)
        } else if let handle = object(parameter.type) {
          guard let own = argument(handle, plan) else {
            throw fail("\(name) also needs a \(classes[handle]!), which \(plan.function.name) does not get.")
          }
          arguments.append(own)
        } else {
          throw fail(
            "\(name) needs more than memory and an object: \(parameter.name.isEmpty ? "\(parameter.type)" : parameter.name)."
          )
        }
      }
      plan.freeingArguments[name] = arguments
    }
  }

  /// The code for the pointer of an object that a function has: that of its method, or a parameter.
  private func argument(_ handle: String, _ plan: FunctionPlan) -> String? {
    if let index = plan.objectIndex, object(plan.function.parameters[index].type) == handle { return "pointer" }
    guard let name = classes[handle] else { return nil }
    return plan.parameters.first { $0.type == name }.map { $0.name + ".pointer" }
  }

  /// The function that frees the text that a function returns, and the sentence of the comment that says so: the function that
  /// it names, or `free` if it is the caller's task and the library has no function of its own for memory.
  func freeing(_ function: Library.Function) -> (name: String, sentence: String)? {
    if !LibraryObjects.mayTellFreeing(function) { return nil }
    let sentences = function.sentences
    for sentence in sentences {
      for name in Words.identifiers(sentence.text) where frees(String(name)) {
        if says(sentence, name, function) { return (String(name), sentence.text) }
      }
    }
    for sentence in sentences {
      for phrase in ["free(", "with free", "using free"] {
        guard phrase != "free(" || sentence.text.calls("free") else { continue }
        if says(sentence, phrase[...], function) { return ("free", sentence.text) }
      }
    }
    let callers = ["responsibility to free", "caller must free", "caller should free", "must be freed by the caller"]
    let sentence = sentences.first { sentence in
      let text = sentence.text.lowercased()
      return callers.contains { phrase in
        text.firstRange(of: phrase).map {
          objects.isAboutResult(sentence, after: String(text[..<$0.lowerBound]), function)
        } ?? false
      }
    }
    return library.freesMemory ? nil : sentence.map { ("free", $0.text) }
  }

  /// True for a function of the library that frees memory.
  private func frees(_ name: String) -> Bool {
    guard name.lowercased().contains("free"), let index = library.functionIndex[name] else { return false }
    let parameters = library.functions[index].parameters
    guard parameters.count == 1, let memory = unit(parameters[0].type) else { return false }
    return !memory.isConst || memory.unit == .raw
  }

  /// True if a sentence says that what a function gives is freed with what `name` begins.
  private func says(_ sentence: Sentence, _ name: Substring, _ function: Library.Function) -> Bool {
    sentence.text.ranges(of: String(name)).contains { range in
      let before = String(sentence.text[..<range.lowerBound])
      let after = String(sentence.text[range.upperBound...])
      return objects.isAboutResult(sentence, after: before, function)
        && !LibraryObjects.isForbidden(before: before, after: after)
    }
  }
}
