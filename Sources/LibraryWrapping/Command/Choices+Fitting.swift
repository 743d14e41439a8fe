/// Whether what a line says about a pointer can be said of its function.
extension PointerUse {
  /// Why the use can't be that of a parameter, or of the result without `index`. Nil if it can.
  func problem(_ function: Library.Function, _ index: Int?, _ library: Library) -> String? {
    let result = Choices.name(function, nil)
    if index == nil, kind == .input || kind == .both || kind == .kept {
      return "C gives the result, so it is out or text."
    }
    let target = index.flatMap { library.resolved(function.parameters[$0].type).pointee }
    if count == Self.end, kind != .input, let target, library.resolved(target).pointee == nil {
      return "C writes as much as it has room for, so a number of elements is needed."
    }
    func isNumber(_ type: CType) -> Bool {
      library.isInteger(type) || library.resolved(type).pointee.map { library.isInteger($0) } ?? false
    }
    for name in Self.names(in: count) + Self.names(in: used) where name != Self.end {
      if let other = function.index(of: name) {
        if other == index || !isNumber(function.parameters[other].type) { return "\(name) is no number." }
      } else if name == result {
        // Memory of C's own needs no room.
        let isGiven = target.map { library.resolved($0).pointee != nil } ?? false
        if Self.names(in: count).contains(name), !isGiven {
          return "\(name) is known only after the call, so it can't be the room for it. It can stand after a colon."
        }
        if !library.isInteger(function.result) { return "\(name) is no number." }
      }
    }
    return nil
  }

  /// A number or a constant by which an expression multiplies or divides although it is not positive.
  func uselessFactor(_ library: Library) -> String? {
    for expression in [count, used].compactMap(\.self) {
      for term in expression.split(whereSeparator: { "+-".contains($0) }) {
        let factors = term.split { "*/".contains($0) }.map(String.init)
        let useless = factors.first { factor in
          (Int(factor) ?? MacroValue.number(factor, library.headers.macros)).map { $0 <= 0 } ?? false
        }
        if factors.count > 1, let useless { return useless }
      }
    }
    return nil
  }
}
