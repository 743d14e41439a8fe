/// Structs of memory and its length, which are bytes in Swift.
extension SwiftWriter {
  /// Writes how bytes get into these structs, and out of them.
  func writeByteStructs(_ code: inout Code) {
    for record in library.records {
      let own = swift.importedName(record)
      // A function can have it by the name of a typedef.
      let aliases = library.typedefs.filter { library.resolved($0.type).withoutConst.description == record.spelling }
      guard !byteStructs.isDisjoint(with: [own] + aliases.map { swift.own($0.name) }),
        let bytes = library.bytes(in: .named(record.spelling, isConst: false)),
        let length = swift.imported(bytes.length.type)?.text
      else { continue }
      let (memory, count) = (SwiftTypes.escaped(bytes.memory.path), SwiftTypes.escaped(bytes.length.path))
      code.gap()
      code.add("extension \(own) {\n/// Lends bytes to C for a call.")
      code.add("static func lending<Result>(")
      code.add("_ bytes: Span<UInt8>, _ body: (UnsafeMutablePointer<Self>) -> Result\n) -> Result {")
      code.add("bytes.withUnsafeBytes { lent in\nvar value = Self()")
      code.add("value.\(memory) = \(pointer(to: "lent.baseAddress", bytes.memory.type))")
      code.add(
        "value.\(count) = \(length == "Int" ? "lent.count" : "\(length)(lent.count)")\nreturn body(&value)\n}\n}")
      code.gap()
      code.add("/// Lends bytes to C for a call, and takes those that C gives.")
      code.add("static func exchanging<Result>(")
      code.add("_ bytes: inout [UInt8], _ body: (UnsafeMutablePointer<Self>) -> Result\n) -> Result {")
      code.add("let (result, given) = lending(bytes.span) { value in\nlet result = body(value)")
      code.add("return (result, value.pointee.copiedBytes)\n}\nbytes = given\nreturn result\n}")
      code.gap()
      code.add("/// A copy of what C has given.\nvar copiedBytes: [UInt8] {")
      code.add("[UInt8](UnsafeRawBufferPointer(start: \(memory), count: \(memory) == nil ? 0 : Int(\(count))))\n}\n}")
    }
  }

  /// The address of lent bytes with the type of a field. `isMutable` is for bytes that C may change.
  func pointer(to start: String, _ type: CType, isMutable: Bool = false) -> String {
    guard let target = library.resolved(type).pointee, case .named(let name, _) = library.resolved(target) else {
      return start
    }
    let isConst = library.isConstant(target)
    if name == "void" { return isConst || isMutable ? start : "UnsafeMutableRawPointer(mutating: \(start))" }
    let unit = swift.imported(target.withoutConst)?.text ?? "CChar"
    let typed = "\(start)?.assumingMemoryBound(to: \(unit).self)"
    return isConst || isMutable ? typed : "UnsafeMutablePointer(mutating: \(typed))"
  }
}
