/// Objects and memory that C gives.
extension FunctionPlanner {
  /// Plans a pointer through which C gives an object, a text, or other memory of its own.
  func planGiven(
    _ function: Library.Function, _ index: Int, _ known: Use, _ uses: Uses, _ plan: inout FunctionPlan
  ) throws(Unwrapped) {
    guard let target = library.resolved(function.parameters[index].type).pointee else { return }
    let own = SwiftTypes.escaped(uses.names[index])
    plan.arguments.append("&" + own)
    if known.use.count == nil, let handle = object(target) {
      plan.variables.append("var \(own): \(pointerType(target))?")
      let isOwned = owns(function, &plan)
      // There may be none yet.
      let isOptional =
        !isOwned || objects.classifier.split(function.name).contains { Self.polling.contains($0) }
      plan.results.append(
        .init(
          name: uses.names[index], type: classes[handle]! + (isOptional ? "?" : ""), code: own,
          object: (handle, isOwned)))
      return
    }
    let pointer = swift.imported(target)?.text ?? "UnsafeMutableRawPointer?"
    plan.variables.append("var \(own): \(pointer.hasSuffix("?") ? pointer : pointer + "?")")
    plan.results.append(try given(target, known.use, own, uses.names[index], function, uses))
    let length = PointerUse.names(in: known.use.used ?? known.use.count)
    if length.contains(Choices.name(function, nil)) { plan.countsResult = true }
    if let frees = known.frees, frees != "no" {
      plan.freed.append((frees, own, pointer.hasPrefix("UnsafePointer")))
    }
  }

  /// Plans a pointer to an object that C may free or replace.
  func planReplaced(
    _ function: Library.Function, _ index: Int, _ own: String, _ plan: inout FunctionPlan
  ) throws(Unwrapped) {
    guard let target = library.resolved(function.parameters[index].type).pointee, let handle = object(target),
      let name = classes[handle], objects.byHandle[handle]?.release != nil
    else { throw contradiction(function, index, "The program does not free such an object.") }
    let place = own.filter { $0 != "`" } + "Pointer"
    plan.parameters.append(.init(name: own, type: name))
    plan.variables.append("var \(place): \(pointerType(target))? = \(own).replaceablePointer")
    plan.arguments.append("&" + place)
    plan.owners.append((own, handle))
    plan.replaced.append((own, handle, place))
  }

  /// The copy of memory that C gives: `code` is the pointer, of a type.
  func given(
    _ type: CType, _ use: PointerUse, _ code: String, _ name: String, _ function: Library.Function, _ uses: Uses
  ) throws(Unwrapped) -> FunctionPlan.Result {
    if use.kind == .text, unit(type) == nil { throw contradiction(function, name, "It has no characters.") }
    let isEnded = use.count == PointerUse.end
    let zero = library.resolved(type).pointee.flatMap { library.resolved($0).pointee == nil ? "0" : "nil" } ?? "nil"
    let length = (use.used ?? use.count).map { count in
      isEnded
        ? "\(code).map { list in (0...).first { list[$0] == \(zero) } ?? 0 } ?? 0"
        : "\(code) == nil ? 0 : max(0, \(self.code(count, function, uses)))"
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
