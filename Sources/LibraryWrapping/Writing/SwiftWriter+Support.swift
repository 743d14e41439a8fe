/// The functions that generated code shares: they lend C values and memory, and copy what C gives.
extension SwiftWriter {
  func writeSupport(_ hidden: String, _ code: inout Code) {
    if usesLending {
      code.gap()
      code.add("/// Lends a value to C for a call, or NULL.")
      code.add("\(hidden)func lending<Value, Result>(")
      code.add("_ value: Value?, _ body: (UnsafePointer<Value>?) -> Result\n) -> Result {")
      code.add("guard let value else { return body(nil) }")
      code.add("return withUnsafePointer(to: value) { body($0) }\n}")
    }
    if usesLentText {
      code.gap()
      code.add("/// Lends a text to C for a call, or NULL.")
      code.add("\(hidden)func lending<Result>(")
      code.add("text: \(swift.string)?, _ body: (UnsafePointer<CChar>?) -> Result\n) -> Result {")
      code.add("guard let text else { return body(nil) }")
      code.add("return text.withCString { body($0) }\n}")
    }
    if usesLentTexts {
      code.gap()
      code.add("/// Lends texts to C for a call, and NULL after the last one.")
      code.add("\(hidden)func lending<Result>(")
      code.add(
        "texts: [\(swift.string)], _ body: (UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>) -> Result\n) -> Result {"
      )
      code.add("var pointers = texts.map { text -> UnsafeMutablePointer<CChar>? in")
      code.add("let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: text.utf8.count + 1)")
      code.add("_ = copy.initialize(from: text.utf8CString)\nreturn copy.baseAddress\n}")
      code.add("defer { for pointer in pointers { pointer?.deallocate() } }")
      code.add("pointers.append(nil)\nreturn pointers.withUnsafeMutableBufferPointer { pointers in")
      code.add("body(UnsafeMutableBufferPointer(start: pointers.baseAddress, count: texts.count))\n}\n}")
    }
    if usesStoring {
      code.gap()
      code.add("/// Stores what a closure has answered where C gets it.")
      code.add(
        "\(hidden)func storing<Answer, Result>(_ answer: Answer, _ store: (Answer) -> Result) -> Result { store(answer) }"
      )
      code.gap()
      code.add("/// Copies what a closure gives to the memory that C has for it, and returns the number of elements.")
      code.add(
        "\(hidden)func give<Element>(_ elements: [Element], to start: UnsafeMutableRawPointer?, room: Int) -> Int {")
      code.add(
        "precondition(\nelements.count <= max(0, room) || start == nil,\n\"A closure gave \\(elements.count) elements, and C has room for \\(room). Give at most as many.\")"
      )
      code.add("guard let start else { return 0 }")
      code.add(
        "elements.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: start, count: $0.count).copyMemory(from: $0) }\nreturn elements.count\n}"
      )
    }
    if usesGivenText {
      code.gap()
      code.add(
        "/// Copies a text and a zero, and returns the number of characters. Where no room is, an empty text has no zero."
      )
      code.add("\(hidden)func give(text: \(swift.string), to start: UnsafeMutableRawPointer?, room: Int) -> Int {")
      code.add("if start == nil || text.isEmpty && room <= 0 { return 0 }")
      code.add("return give(Array(text.utf8CString), to: start, room: room) - 1\n}")
    }
    if usesBytes {
      code.gap()
      code.add("/// The memory that C lends; empty if there is none.")
      code.add(
        "\(hidden)func lentBytes(_ start: UnsafeRawPointer?, _ count: some BinaryInteger) -> UnsafeRawBufferPointer {")
      code.add("UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : max(0, Int(count)))\n}")
    }
  }
}
