/// Copies of memory that C gives.
extension FunctionPlanner {
  /// The copy of memory that C gives: `code` is the pointer, of a type.
  func given(
    _ type: CType, _ use: PointerUse, _ code: String, _ name: String, _ function: Library.Function, _ uses: Uses
  ) throws(Unwrapped) -> FunctionPlan.Result {
    if use.kind == .text, unit(type) == nil { throw contradiction(function, name, "It has no characters.") }
    let isEnded = use.count == PointerUse.end
    let zero = library.resolved(type).pointee.flatMap { library.resolved($0).pointee == nil ? "0" : "nil" } ?? "nil"
    let length = use.count.map { count in
      isEnded
        ? "\(code).map { list in (0...).first { list[$0] == \(zero) } ?? 0 } ?? 0"
        : "\(code) == nil ? 0 : \(self.code(count, function, uses))"
    }
    if use.kind == .text, let length {
      let bytes = "UnsafeRawBufferPointer(start: \(code), count: \(length))"
      return .init(name: name, type: swift.string, code: "\(swift.string)(decoding: \(bytes), as: UTF8.self)")
    }
    if use.kind == .text || use.count == nil && unit(type)?.unit == .characters {
      return .init(name: name, type: "\(swift.string)?", code: "\(code).map { \(swift.string)(cString: $0) }")
    }
    guard let target = library.resolved(type).pointee else { throw Unwrapped("It is no pointer.", name) }
    let element = element(target)
    guard let length else {
      guard let element else {
        throw Unwrapped("The header does not say how long the memory is that it returns.", name)
      }
      let (own, value) = converted(target, element.imported, "$0.pointee")
      return .init(name: name, type: own + "?", code: "\(code).map { \(value) }")
    }
    if unit(type) != nil {
      return .init(
        name: name, type: "[UInt8]", code: "[UInt8](UnsafeRawBufferPointer(start: \(code), count: \(length)))",
        isWhole: true)
    }
    if unit(target)?.unit == .characters {
      return .init(
        name: name, type: "[\(swift.string)]",
        code:
          "UnsafeBufferPointer(start: \(code), count: \(length)).compactMap { $0.map { \(swift.string)(cString: $0) } }",
        isWhole: true)
    }
    guard let element else { throw Unwrapped("Swift does not import the type of its elements.", name) }
    let buffer = "UnsafeBufferPointer(start: \(code), count: \(length))"
    let isMapped = element.type != element.imported && !isRecord(target)
    return .init(
      name: name, type: "[\(element.type)]",
      code: isMapped
        ? "\(buffer).map { \(element.type)(rawValue: $0.rawValue) }" : "[\(element.type)](\(buffer))",
      isWhole: true)
  }
}
