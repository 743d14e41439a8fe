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
}
