/// Enums that C reads and changes.
extension FunctionPlanner {
  /// Adds an `inout` parameter of Swift's enum, and returns the variable with C's, from which the parameter is set at the end.
  func exchange(_ own: String, _ element: Element, isList: Bool, _ plan: inout FunctionPlan) -> String {
    let variable = Names.lower(["raw"] + Words.split(own.filter { $0 != "`" }))
    let (raw, value) = (swift.value(of: element.imported, isList ? "$0.rawValue" : "\(own).rawValue"), element.type)
    plan.parameters.append(.init(name: own, type: "inout " + (isList ? "[\(value)]" : value)))
    plan.variables.append("var \(variable) = " + (isList ? "\(own).map { \(raw) }" : raw))
    plan.variables.append(
      "defer { \(own) = "
        + (isList ? "\(variable).map { \(value)(rawValue: $0.rawValue) }" : "\(value)(rawValue: \(variable).rawValue)")
        + " }")
    return variable
  }
}
