/// Callbacks with variadic arguments, or with a list of them: a C function formats them, and Swift gets the text.
extension SwiftWriter {
  /// The declarations that replace a formatting callback in Swift.
  struct Formatted {
    var classified: ClassifiedSite
    /// The parameter with the format, and the one with the list; nil for variadic arguments.
    var format: Int
    var list: Int?
    /// The names of the C functions for it.
    var name: String
  }

  /// Nil if no parameter is a format.
  func formatted(_ classified: ClassifiedSite) -> Formatted? {
    let function = classified.site.function
    let list = function.parameters.firstIndex { isList($0.type) }
    let before = list ?? function.parameters.count
    guard list == nil || !function.isVariadic,
      let format = function.parameters[..<before].lastIndex(where: { isText($0.type) }),
      list != nil || format == function.parameters.count - 1, let result = swift.imported(function.result),
      result.isValue
    else { return nil }
    var changed = classified
    changed.site.function.isVariadic = false
    changed.site.function.parameters[format].name = "text"
    // The C functions say nothing about NULL.
    for index in changed.site.function.parameters.indices { changed.site.function.parameters[index].nullability = nil }
    if let list {
      changed.site.function.parameters.remove(at: list)
      changed.arguments.remove(at: list)
      if let index = changed.context.value?.index, index > list { changed.context.value?.index = index - 1 }
      if let index = changed.lastCall, index > list { changed.lastCall = index - 1 }
    }
    let key = classified.site.key.map { $0.isLetter || $0.isNumber ? $0 : "_" }
    return Formatted(classified: changed, format: format, list: list, name: "wrap_" + String(key))
  }

  private func isList(_ type: CType) -> Bool {
    type.description.contains("va_list") || library.resolved(type).description.contains("__va_list_tag")
  }

  /// True for a pointer to constant characters.
  func isText(_ type: CType) -> Bool {
    guard let pointee = library.resolved(type).pointee, pointee.isConst || library.resolved(pointee).isConst else {
      return false
    }
    return library.resolved(pointee).withoutConst == .named("char", isConst: false)
  }

  /// The C function that formats, and the variable with the function of Swift. Swift emits no variable of a header unless it
  /// is inside of a function.
  func formatter(_ formatted: Formatted, _ original: CFunction) -> String {
    let name = formatted.name
    var inner = original
    for index in inner.parameters.indices { inner.parameters[index].name = "a\(index)" }
    var outer = formatted.classified.site.function
    for index in outer.parameters.indices { outer.parameters[index].name = "" }
    let isVoid = library.resolved(original.result).isVoid
    let arguments = inner.parameters.indices.filter { $0 != formatted.list }
      .map { $0 == formatted.format ? "text" : "a\($0)" }.joined(separator: ", ")
    let type = CType.function(outer).spelled("\(name)_text")
    let head = CType.function(inner).spelled("\(name)_formats")
    let list = formatted.list.map { "a\($0)" } ?? "list"
    let last = "a\(formatted.format)"
    let isOwn = formatted.list == nil
    return """
      typedef \(type);
      static inline \(name)_text **\(name)_swift(void) {
        static \(name)_text *place;
        return &place;
      }
      static \(head) {
        char small[512];
        char *text = small;
        va_list \(isOwn ? "list, " : "")again;
        \(isOwn ? "va_start(list, \(last));\n  " : "")va_copy(again, \(list));
        int length = vsnprintf(small, sizeof small, \(last) ? \(last) : "", \(list));
        if (length >= (int)sizeof small && (text = malloc((size_t)length + 1))) vsnprintf(text, (size_t)length + 1, \(last), again);
        if (!text || length < 0) { text = small; small[sizeof small - 1] = 0; }
        va_end(again);
        \(isOwn ? "va_end(list);\n  " : "")\(name)_text *swift = __atomic_load_n(\(name)_swift(), __ATOMIC_ACQUIRE);
        \(isVoid ? "" : "\(original.result.spelled("result")) = ")swift(\(arguments));
        if (text != small) free(text);\(isVoid ? "" : "\n  return result;")
      }
      """
  }

  /// A C function that calls `function` with functions that format, for the callbacks of it that are called with a list.
  mutating func formatting(_ function: inout Library.Function, _ all: [ClassifiedSite]) -> [ClassifiedSite] {
    let formats = all.map { isVariadic($0.site) && !$0.site.isIndirect ? formatted($0) : nil }
    if formats.allSatisfy({ $0 == nil }) || function.isVariadic { return all }
    var parameters = function.parameters
    var arguments: [String] = []
    for index in parameters.indices {
      parameters[index].name = "a\(index)"
      arguments.append("a\(index)")
    }
    var body = ""
    for case let format? in formats {
      let site = format.classified.site
      guard let original = all.first(where: { $0.site.key == site.key })?.site.function else { continue }
      shims.append(formatter(format, original))
      parameters[site.index].type = .pointer(.named("\(format.name)_text", isConst: false), isConst: false)
      let (store, value) = storing(format, arguments[site.index])
      body += "  \(store)\n"
      arguments[site.index] = value
    }
    let wrapper = "wrap_" + function.name
    let head = CType.function(CFunction(result: function.result, parameters: parameters, isVariadic: false))
      .spelled(wrapper)
    let isVoid = library.resolved(function.result).isVoid
    // In parentheses: the name may be a macro's, too.
    shims.append(
      "static inline \(head) {\n\(body)  \(isVoid ? "" : "return ")(\(function.name))(\(arguments.joined(separator: ", ")));\n}"
    )
    function.wrapper = wrapper
    return zip(all, formats).map { $1?.classified ?? $0 }
  }

  /// A C function that sets a variable, or a field of a record, to a formatting function: its name, and the declaration in Swift.
  mutating func formattingSetter(_ classified: ClassifiedSite, of record: Library.Record? = nil) -> (
    setter: String, classified: ClassifiedSite
  )? {
    guard let format = formatted(classified), !classified.site.isArray, !classified.site.isIndirect else { return nil }
    shims.append(formatter(format, classified.site.function))
    let name = classified.site.name
    let table = record.map {
      CType.pointer(.named($0.spelling, isConst: false), isConst: false).spelled("table") + ", "
    }
    let setter = record == nil ? "wrap_set_\(name)" : format.name + "_set"
    let (store, value) = storing(format, "function")
    shims.append(
      """
      static inline void \(setter)(\(table ?? "")\(format.name)_text *function) {
        \(store)
        \(record == nil ? name : "table->\(name)") = \(value);
      }
      """)
    return (setter, format.classified)
  }

  /// The statement that keeps the function of Swift in `argument`, and what C receives instead. Without a function, the one before
  /// is kept, because another thread may be calling it.
  private func storing(_ format: Formatted, _ argument: String) -> (statement: String, value: String) {
    (
      "if (\(argument)) __atomic_store_n(\(format.name)_swift(), \(argument), __ATOMIC_RELEASE);",
      "\(argument) ? \(format.name)_formats : 0"
    )
  }
}
