/// What the result of a function of C means, and what the Swift function returns.
extension FunctionPlanner {
  func decideResult(_ function: Library.Function, _ uses: Uses, _ plan: inout FunctionPlan) throws(Unwrapped) {
    let type = library.resolved(function.result)
    if type.isVoid {
      try finishMemory(nil, &plan)
      return
    }
    guard let imported = swift.imported(function.result) else {
      throw Unwrapped("Swift does not import the type of its result.", "\(function.result)")
    }
    plan.resultType = imported.text
    let chosen = choices.pointer(function, nil, in: library)
    if let use = chosen?.memory {
      // What it returns is what it got.
      if use.kind == .null {
        try finishMemory(nil, &plan)
        return
      }
      plan.outcome = .value(isNullFailure: false)
      plan.freeing = chosen?.frees == "no" ? nil : chosen?.frees
      plan.results.append(try given(function.result, use, "result", "result", function, uses))
      try finishMemory(nil, &plan)
      return
    }
    // It returns what it has written to, or NULL.
    let isOwn = function.parameters.indices.contains { index in
      guard let target = type.pointee, let use = uses.pointers[index]?.use, use.kind == .output || use.kind == .both,
        let own = library.resolved(function.parameters[index].type).pointee
      else { return false }
      return use.count == nil && own.withoutConst == target.withoutConst
    }
    if isOwn { return try returnsOwn(&plan) }
    if let handle = object(function.result) {
      let isOwned = owns(function, &plan)
      let isNonnull = plan.resultType.hasSuffix("?") == false
      plan.resultType = imported.text
      // With `fails=never`, NULL says that there is none.
      let fails = isOwned && !isNonnull && choices.bySite[function.name]?.fails != .never
      plan.outcome = .value(isNullFailure: fails)
      let name = classes[handle]!
      plan.results.append(
        .init(name: "result", type: fails || isNonnull ? name : name + "?", code: "result", object: (handle, isOwned)))
      try finishMemory(nil, &plan)
      return
    }
    if let memory = unit(function.result) {
      // A length beside it says that no zero ends it.
      let length = plan.results.firstIndex { result in
        ["Int", "Int32", "UInt32", "UInt", "UInt64"].contains(result.type) && Library.namesLength(result.name)
      }
      let changed = plan.parameters.first { $0.type.hasPrefix("inout ") && Library.namesLength($0.name) }
      if length != nil || changed != nil, memory.isConst, !plan.results.contains(where: { $0.type == "[UInt8]" }) {
        let count = length.map { plan.results.remove(at: $0).code } ?? changed?.name ?? ""
        let start = swift.imported(function.result)?.text.hasSuffix("?") == true ? "result == nil ? 0 : " : ""
        plan.outcome = .value(isNullFailure: false)
        plan.results.append(
          .init(
            name: "result", type: "[UInt8]",
            code: "[UInt8](UnsafeRawBufferPointer(start: result, count: \(start)Int(\(count))))"))
        return
      }
      if length != nil {
        throw Unwrapped(
          "The header does not say who frees the memory that it returns.", Choices.name(function, nil),
          "memory=? frees=?")
      }
      // Unsigned characters may be anything, and so may a hash.
      let isText = isText(function)
      let words = Words.split(function.name)
      if chosen?.frees == nil, !isText, words.contains(where: { Self.binary.contains($0) }) {
        throw Unwrapped(
          "Its result may be bytes that no zero ends, according to its name.", Choices.name(function, nil), "memory=?")
      }
      guard memory.unit == .characters || memory.unit == .bytes && memory.isConst && isText else {
        throw Unwrapped(
          "The header does not say how long the memory is that it returns.", Choices.name(function, nil),
          "memory=? frees=?")
      }
      // It returns what it has written to, or NULL.
      if chosen?.frees == nil, plan.isText || plan.results.contains(where: { $0.type == swift.string && $0.isWhole }) {
        return try returnsOwn(&plan)
      }
      if let chosen = chosen?.frees {
        plan.freeing = chosen == "no" ? nil : chosen
      } else if !memory.isConst, !LibraryObjects.lends(function.comment) {
        guard let freeing = freeing(function) else {
          throw Unwrapped(
            "The header does not say who frees the text that it returns.", Choices.name(function, nil), "frees=?")
        }
        plan.freeing = freeing.name
        plan.assumptions.append(
          .init(pointer: Choices.name(function, nil), line: "frees=\(freeing.name)", sentence: freeing.sentence))
      }
      plan.outcome = .value(isNullFailure: false)
      plan.results.append(
        .init(name: "result", type: "\(swift.string)?", code: "result.map { \(swift.string)(cString: $0) }"))
      try finishMemory(nil, &plan)
      return
    }
    if let target = type.pointee {
      if Classifier.handle(function.result, library) == "struct _IO_FILE" { throw Unwrapped("It returns a FILE of C.") }
      guard isRecord(target), let value = swift.imported(target.withoutConst) else {
        throw Unwrapped("The header does not say what its result points to.", Choices.name(function, nil), "memory=?")
      }
      // It returns what it has written to, or NULL.
      let isOwn = function.parameters.contains {
        library.resolved($0.type).pointee?.withoutConst == target.withoutConst
      }
      if isOwn, !plan.results.isEmpty || plan.parameters.contains(where: { $0.type.hasPrefix("inout ") }) {
        return try returnsOwn(&plan)
      }
      plan.outcome = .value(isNullFailure: false)
      let copy = types.returned(value.text)
      plan.results.append(
        .init(
          name: "result", type: (copy ?? types.records[value.text] ?? value.text) + "?",
          code: copy.map { "result.map { \($0)(copying: $0.pointee) }" } ?? "result?.pointee"))
      try finishMemory(nil, &plan)
      return
    }
    // The words of the object say nothing about what is done with it.
    let handle = plan.objectIndex.flatMap { Classifier.handle(function.parameters[$0].type, library) } ?? ""
    let own = Set(Words.split(handle))
    // `yr_scanner_scan` of a scan context scans.
    let prefix = objects.classifier.prefix.filter { $0 != "_" }.lowercased()
    let words = Array(objects.classifier.split(function.name).drop { own.contains($0) || $0 == prefix })
    let fails = choices.bySite[function.name]?.fails
    let answersYes = answersYes(function.result)
    if fails == nil, plan.results.isEmpty, isQuestion(words) || Failures.asks(function.comment),
      answersYes || ["Int32", "UInt32"].contains(imported.text) && !Failures.isCode(function.result)
    {
      // A failure is no.
      plan.outcome = .value(isNullFailure: false)
      plan.results.append(
        .init(
          name: "result", type: "Bool", code: answersYes ? "result.rawValue != 0" : "result > 0", isAnswer: true))
      return
    }
    let decided = objects.classifier.failures.callRule(
      for: function, words: words,
      gives: !plan.results.isEmpty || plan.parameters.contains { $0.type.hasPrefix("inout ") })
    var rule = fails ?? decided.value
    // The rule for all functions does not make a status of a value.
    if fails == nil, let all = choices.ruleForAll(function.name), case .named(let name, _) = type,
      !name.hasPrefix("enum ") || decided.certainty < .inferred
    {
      // Of a name that does not say that it can fail, only negative numbers are no values, unless its line has its beginning.
      let isOpen = decided.value == .never && decided.certainty == .asked && (!all.isWhole || all.rule == .negative)
      if rule != .never && rule != .null || isOpen { rule = all.rule }
    }
    if plan.countsResult, rule == .nonzero { rule = .negative }
    // A number of characters is none, either.
    if fails == nil, rule == .nonzero, words.contains(where: { $0.hasSuffix("printf") }) { rule = .negative }
    // A position is no code of an error.
    if fails == nil, rule == .nonzero, case .named("long", _) = type { rule = .negative }
    // No unsigned number is negative.
    if rule == .negative, imported.text.hasPrefix("UInt") { rule = .never }
    guard case .named(let name, _) = type else { return }
    if isRecord(type) { try checkResult(function, imported.text) }
    if rule == .never || rule == .null || isRecord(type) {
      let (own, code) = converted(function.result, imported.text, "result")
      if try finishMemory(plan.countsResult || counts(function, words) ? imported.text : nil, &plan) { return }
      plan.outcome = .value(isNullFailure: false)
      plan.results.append(.init(name: "result", type: own, code: code))
      return
    }
    let status = Registration.Status(name)
    if rule == .negative, status == .number, plan.countsResult || counts(function, words),
      try finishMemory(imported.text, &plan)
    {
      plan.outcome = .status(rule, status, isReturned: false)
      return
    }
    try finishMemory(nil, &plan)
    // A `long` beside other results is one of them.
    let isLong = if case .named("long", _) = type { true } else { false }
    if rule == .negative, status == .number, !plan.results.isEmpty,
      isLong || words.contains(where: { Self.polling.contains($0) })
    {
      plan.results.insert(.init(name: "result", type: imported.text, code: "result"), at: 0)
    }
    // "Returns the mode, or a negative error code."
    if rule == .negative, status == .constant, plan.results.isEmpty, !Failures.isCode(function.result),
      !library.namesSuccess(name)
    {
      let (own, code) = converted(function.result, imported.text, "result")
      plan.results.append(.init(name: "result", type: own, code: code))
      plan.outcome = .status(rule, status, isReturned: false)
      return
    }
    plan.outcome = .status(
      rule, status, isReturned: rule == .negative && status == .number && plan.results.isEmpty)
  }

  /// True if unsigned characters that a function returns are a text, according to its name or its comment.
  private func isText(_ function: Library.Function) -> Bool {
    let text: Set<String> = ["text", "string", "str", "name", "utf8", "message", "msg", "version", "error", "strerror"]
    let comment = function.comment.lowercased()
    return Words.split(function.name).contains { text.contains($0) } || comment.has("string") || comment.has("text")
  }

  /// Plans a result that is the pointer to what C has written to, or NULL for a failure.
  private func returnsOwn(_ plan: inout FunctionPlan) throws(Unwrapped) {
    plan.outcome = .value(isNullFailure: true)
    try finishMemory(nil, &plan)
  }

  /// True if a number that a function returns counts what it has written to memory: an `int` may be a status.
  private func counts(_ function: Library.Function, _ words: [String]) -> Bool {
    guard case .named("int", _) = library.resolved(function.result) else { return true }
    if objects.classifier.failures.statedRule(of: function) == .nonzero { return false }
    if Failures.saysZeroSuccess(function.comment) { return false }
    let comment = function.comment.lowercased().replacingNewlines
    return words.contains { Self.counting.contains($0) }
      || ["number of", "length of", "size of", "bytes read", "bytes written", "bytes copied", "how many"].contains {
        comment.has($0)
      }
  }

  private static let counting: Set<String> = [
    "read", "recv", "receive", "recvfrom", "print", "snprintf", "sprintf", "format", "encode", "decode", "compress",
    "decompress", "convert", "peek", "copy", "dump", "pread", "drain", "gets",
  ]

  /// Words of functions whose result may contain zeros.
  private static let binary: Set<String> = [
    "hash", "digest", "md5", "sha1", "sha256", "sha512", "checksum", "raw", "bytes", "blob", "binary", "tuple",
    "record",
    "payload", "packet", "chunk", "block",
  ]

  /// Words of functions that tell by their result whether there was something.
  static let polling: Set<String> = ["process", "poll", "recv", "receive", "pop", "try", "wait", "dispatch"]

  /// True if a name asks a question: `is_open` of `shop_is_open`.
  private func isQuestion(_ words: [String]) -> Bool {
    let prefix = objects.classifier.prefix.filter { $0 != "_" }.lowercased()
    let first = words.first { $0 != prefix }
    return first.map { ["is", "has", "can", "are", "supports", "exists", "contains"].contains($0) } ?? false
  }
}
