/// Names of parameters that the code of a function needs itself.
extension FunctionPlanner {
  /// Plans a function.
  func plan(_ function: Library.Function, context: PassedContext?) throws(Unwrapped) -> FunctionPlan {
    let plan = try draft(function, context: context, reserved: [])
    // The length of memory that C writes to has a name of its own, which a parameter of C can have, too.
    let limit = "count"
    let isLimited = plan.parameters.contains { $0.name == "upTo \(limit)" }
    let isTaken =
      plan.parameters.contains { $0.name == limit } || plan.variables.contains { $0.hasPrefix("var \(limit):") }
    guard isLimited, isTaken else { return plan }
    var other = try draft(function, context: context, reserved: [limit])
    for index in other.parameters.indices {
      let name = other.parameters[index].name
      // The caller writes the label of before.
      let isRenamed =
        name.hasPrefix(limit) && name.count > limit.count && name.dropFirst(limit.count).allSatisfy(\.isNumber)
      if isRenamed { other.parameters[index].name = "\(limit) \(name)" }
    }
    for index in other.results.indices where plan.results.indices.contains(index) {
      other.results[index].name = plan.results[index].name
    }
    return other
  }
}
