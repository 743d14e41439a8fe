#if Macros
import SwiftSyntax

/// The implementation of a protocol extension can be called only on a type that has no implementation of its own. So a proxy has
/// a small class for each such requirement, which sends all other requirements to the proxy.
extension ProxyClass {
  /// The lines of these classes.
  var defaults: [[String]] { requirements.indices.compactMap(defaultClass) }

  private func defaultClass(_ index: Int) -> [String]? {
    guard let name = member(index).defaultClass else { return nil }
    let conditions = requirements[index].conditions
    var lines = conditions.flatMap(\.clauses)
    lines += [
      "/// Calls the implementation of `\(requirements[index].fullName)` in an extension of `\(delegate)`.",
      "nonisolated private final class \(name): \(delegate) {",
    ]
    lines += aliases("").map { "  " + $0 }
    lines += [
      "  private let _proxy: \(existential)",
      "  init(_ proxy: \(existential)) { self._proxy = proxy }",
    ]
    for other in requirements.indices {
      lines += opening(other)
      if other != index { lines += member(other).passedOn.map { "  " + $0 } }
      lines += closing(other)
    }
    return lines + ["}"] + conditions.map { _ in "#endif" }
  }
}

extension ProxyMember {
  /// A member that calls the proxy.
  fileprivate var passedOn: [String] {
    let parameters = requirement.parameters
    let effects = requirement.effects
    let arguments = parameters.map(\.passedOn).joined(separator: ", ")
    let prefix = (isolation + requirement.attributes + requirement.modifiers).map { $0 + " " }.joined()
    switch requirement.kind {
    case .method:
      let isSpread = parameters.contains { $0.passing == .variadic }
      let call =
        isSpread
        ? spread(parameters.map { $0.passing == .mutable ? "&\($0.name)" : $0.name })
        : "$0.\(requirement.name)(\(arguments))"
      let result = requirement.output.map { " -> \($0)" } ?? ""
      let declaration = parameters.map(\.declaration).joined(separator: ", ")
      return [
        "\(prefix)func \(requirement.name)(\(declaration))\(effects.suffix)\(result) {",
        "  \(effects.marks)\(call.replacing("$0", with: "self._proxy"))", "}",
      ]
    case .property(let isSettable):
      return accessors(
        "\(prefix)var \(requirement.name): \(requirement.declaredResult) {", "self._proxy.\(requirement.name)",
        isSettable)
    case .subscripting(let isSettable):
      let declaration = parameters.map(\.subscriptDeclaration).joined(separator: ", ")
      return accessors(
        "\(prefix)subscript(\(declaration)) -> \(requirement.declaredResult) {", "self._proxy[\(arguments)]", isSettable
      )
    }
  }

  private func accessors(_ head: String, _ place: String, _ isSettable: Bool) -> [String] {
    // The compiler warns of a value of type Void that is read and not returned.
    let start = ["Void", "()"].contains(requirement.result) ? "return " : ""
    let getter = "  get\(requirement.effects.suffix) { \(start)\(requirement.effects.marks)\(place) }"
    return [head, getter] + (isSettable ? ["  \(setHead) { \(place) = \(newValue) }"] : []) + ["}"]
  }
}
#endif
