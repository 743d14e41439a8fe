/// Names that say what a function is about, and names of parameters that its code needs itself.
extension FunctionPlanner {
  /// True for an enum whose only constants are no and yes.
  func answersYes(_ type: CType) -> Bool {
    guard case .named(let tag, _) = library.resolved(type), tag.hasPrefix("enum "),
      let enumeration = library.enumerations.first(where: { "enum " + $0.name == tag }),
      enumeration.constants.count == 2
    else { return false }
    let words = enumeration.constants.map { Words.split($0.name).last ?? "" }
    let zero = Words.split(library.zeroConstants[tag] ?? "").last ?? ""
    return (words.contains("yes") && zero == "no") || (words.contains("true") && zero == "false")
  }

  /// Plans a function. Its parameters don't get the names in `reserved`.
  func plan(_ function: Library.Function, _ passed: Passed, reserved: Set<String> = []) throws(Unwrapped)
    -> FunctionPlan
  {
    var raw: Set<Int> = []
    var open: [Unwrapped] = []
    while true {
      do throws(Unwrapped) {
        var plan = try plan(function, passed, reserved, raw)
        plan.open = open + plan.open
        return plan
      } catch {
        guard passed.calling != nil, !error.isContradiction, let index = error.index, raw.insert(index).inserted else {
          throw error
        }
        open.append(error)
      }
    }
  }

  private func plan(_ function: Library.Function, _ passed: Passed, _ reserved: Set<String>, _ raw: Set<Int>)
    throws(Unwrapped) -> FunctionPlan
  {
    let plan = try draft(function, passed, reserved: reserved, raw: raw)
    // The length of memory that C writes to has a name of its own, which a parameter of C can have, too.
    let limit = "count"
    let isLimited = plan.parameters.contains { $0.name == "upTo \(limit)" }
    let isTaken =
      plan.parameters.contains { $0.name == limit } || plan.variables.contains { $0.hasPrefix("var \(limit):") }
    guard isLimited, isTaken else { return plan }
    var other = try draft(function, passed, reserved: reserved.union([limit]), raw: raw)
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

  /// Throws if code of Swift can't call a function by its name.
  func checkName(_ function: Library.Function) throws(Unwrapped) {
    if function.declaration.isDeprecated { throw Unwrapped("The header deprecates it.") }
    let never = function.declaration.type.hasSuffix("__attribute__((noreturn))")
    if let obstacle = function.declaration.obstacle ?? (never ? .neverReturns : nil) {
      throw Unwrapped(obstacle.rawValue)
    }
    if function.name.hasPrefix("$") || function.name.allSatisfy({ $0 == "_" }) {
      throw Unwrapped("Swift has no such names.")
    }
  }
}
