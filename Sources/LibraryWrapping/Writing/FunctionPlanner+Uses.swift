/// What the pointers of a function are for: what a line of the choices says, what the header tells, or what names suggest.
extension FunctionPlanner {
  /// Where it is known from.
  enum Basis { case line, header, names }

  /// What one pointer is for.
  struct Use {
    var use: PointerUse
    var frees: String?
    var basis = Basis.line
    /// True if the meaning of C's result decides how much C has written.
    var isOpen = false
  }

  /// What is known of a function's pointers.
  struct Uses {
    /// By the numbers of the parameters.
    var pointers: [Int: Use] = [:]
    /// Why others are not known.
    var unknown: [Int: Unwrapped] = [:]
    /// The parameters that are counts of elements, by their numbers: the pointers that determine them.
    var counts: [Int: (pointer: Int, factor: Int)] = [:]
    /// The parameters through which C gives such a count.
    var hidden: Set<Int> = []
    /// The names of the Swift parameters.
    var names: [String] = []
  }

  /// Finds what is known of the pointers of a function, except of those in `others`. `names` are those of the Swift parameters.
  func uses(_ function: Library.Function, _ names: [String], others: Set<Int>) -> Uses {
    var uses = Uses(names: names)
    let pointers = function.parameters.indices.filter { index in
      library.resolved(function.parameters[index].type).pointee != nil && !others.contains(index)
    }
    for index in pointers {
      let choice = choices.pointer(function, index, in: library)
      if let use = choice?.memory ?? choice?.frees.map({ _ in PointerUse(.text) }) {
        uses.pointers[index] = Use(use: use, frees: choice?.frees)
      }
    }
    count(pointers.filter { uses.pointers[$0] != nil }, function, &uses)
    var given = uses.pointers.values.flatMap { PointerUse.names(in: $0.use.count) + PointerUse.names(in: $0.use.used) }
    if let own = choices.pointer(function, nil, in: library)?.memory { given += PointerUse.names(in: own.count) }
    for index in given.compactMap({ function.index(of: $0) })
    where uses.counts[index] == nil && uses.pointers[index] == nil
      && library.resolved(function.parameters[index].type).pointee != nil
    {
      uses.hidden.insert(index)
    }
    let lengths = lengths(function).filter { memory, length in
      let isKnown = [memory, length].contains { uses.pointers[$0] != nil || uses.counts[$0] != nil }
      return !isKnown && swift.imported(function.parameters[length]) != nil
    }
    for index in pointers where uses.pointers[index] == nil && uses.counts[index] == nil && !uses.hidden.contains(index)
    {
      do throws(Unwrapped) {
        guard let use = try inferred(function, index, length: lengths[index]) else { continue }
        uses.pointers[index] = use
        count([index], function, &uses)
      } catch {
        uses.unknown[index] = error
      }
    }
    return uses
  }

  /// Finds the counts that pointers determine. What C reads has a length already, so it comes first.
  private func count(_ pointers: [Int], _ function: Library.Function, _ uses: inout Uses) {
    func reads(_ index: Int) -> Bool { [.input, .both].contains(uses.pointers[index]?.use.kind) }
    for index in pointers.filter(reads) + pointers.filter({ !reads($0) && !isGiven(function, $0) }) {
      guard let (name, factor) = uses.pointers[index]?.use.counted, let count = function.index(of: name),
        uses.counts[count] == nil
      else { continue }
      uses.counts[count] = (index, factor)
    }
  }

  /// True if C gives a pointer through the parameter: to memory of its own.
  func isGiven(_ function: Library.Function, _ index: Int) -> Bool {
    library.resolved(function.parameters[index].type).pointee.map { library.resolved($0).pointee != nil } ?? false
  }

  // MARK: What no line says

  /// What the header tells, or names suggest. Nil for objects and functions, which are no memory.
  private func inferred(_ function: Library.Function, _ index: Int, length: Int?) throws(Unwrapped) -> Use? {
    let parameter = function.parameters[index]
    guard library.function(parameter.type) == nil, object(parameter.type) == nil,
      let target = library.resolved(parameter.type).pointee
    else { return nil }
    let handle = Classifier.handle(parameter.type, library)
    if handle == "struct _IO_FILE" { throw Unwrapped("It takes a FILE of C.") }
    if case .named(let name, _) = library.resolved(target), ["struct pollfd", "struct iovec"].contains(name),
      length == nil
    {
      throw unknown("It takes an array.", function, index)
    }
    // The address of a socket is longer than the struct that stands for all of them.
    if case .named("struct sockaddr", _) = library.resolved(target) {
      throw Unwrapped("It takes the address of a socket. Call it with the C module.")
    }
    guard swift.imported(parameter) != nil else {
      throw Unwrapped("Swift does not import the type of a parameter.", "\(parameter.type) \(parameter.name)")
    }
    let remark = remark(on: index, of: function)
    if unit(parameter.type) != nil { return try memory(function, index, length, remark) }
    if let count = list(function, index, target) { return Use(use: .init(.input, count: count), basis: .names) }
    if library.isConstant(target) { return try constant(function, index, target) }
    let isArray =
      parameter.isArray || library.isCounted(index, of: function) || Self.namesArray(parameter.name)
    if library.resolved(target).pointee != nil { return try given(function, index, target, isArray: isArray) }
    return try single(function, index, target, isArray: isArray, remark)
  }

  private func unknown(_ reason: String, _ function: Library.Function, _ index: Int, _ choices: String = "memory=?")
    -> Unwrapped
  {
    Unwrapped(reason, pointer(function, index), choices)
  }

  /// Characters and bytes: a text, or memory with a length.
  private func memory(_ function: Library.Function, _ index: Int, _ length: Int?, _ remark: Remark?) throws(Unwrapped)
    -> Use
  {
    let parameter = function.parameters[index]
    guard let unit = unit(parameter.type) else { throw unknown("It is no memory.", function, index) }
    guard let length else {
      switch unit.unit {
      case .characters where unit.isConst && isRange(function, index):
        throw unknown("It takes a part of a text.", function, index, "memory=text")
      // As many characters as the array has, and perhaps no zero.
      case .characters where unit.isConst && parameter.isSized && !Self.namesText(parameter.name):
        throw unknown("It takes an array.", function, index)
      case .characters where unit.isConst: return Use(use: .init(.text), basis: .header)
      case .raw: throw unknown("The header does not say what a pointer points to.", function, index, "memory=? type=?")
      default: throw unknown("The header does not say how long a memory is.", function, index)
      }
    }
    if function.parameters.contains(where: { ["nmemb", "nitems"].contains($0.name) }) {
      throw unknown("The header does not say how long a memory is.", function, index)
    }
    // Characters, or frames, are longer than bytes.
    let counted = unit.unit == .raw ? self.remark(on: length, of: function)?.text.lowercased() : nil
    if let counted, ["characters", "elements", "samples", "frames", "items"].contains(where: { counted.has($0) }) {
      throw unknown("The header does not say how long a memory is.", function, index)
    }
    let count = function.name(of: length)
    if unit.isConst {
      let isSize = if case .named("size_t", _) = function.parameters[length].type { length == index + 1 } else { false }
      return Use(use: .init(.input, count: count), basis: isSize ? .header : .names)
    }
    if remark?.direction != .output { try checkOutput(function, index, length) }
    return Use(use: .init(.output, count: count), basis: .names, isOpen: true)
  }

  /// What C only reads: one value, or as many as a number beside it counts.
  private func constant(_ function: Library.Function, _ index: Int, _ target: CType) throws(Unwrapped) -> Use {
    let parameter = function.parameters[index]
    if let element = element(target), element.isPlain || !isRecord(target), let count = counting(function, index) {
      return Use(use: .init(.input, count: count), basis: .names)
    }
    let next = function.parameters.indices.contains(index + 1) ? function.parameters[index + 1] : nil
    if isRange(function, index) || parameter.isArray || Self.namesArray(parameter.name)
      || isRecord(target) && next?.name.isEmpty == true && library.isNumber(next?.type ?? target)
      || isRecord(target) && (library.isCounted(index, of: function) || isPlural(parameter.name, of: target))
    {
      throw unknown("It takes an array.", function, index)
    }
    guard isRecord(target), swift.imported(target.withoutConst) != nil else {
      throw unknown("The header does not say what a pointer points to.", function, index)
    }
    // `encoder_init(const mode *)`, of a mode that the library has.
    if hasFunctions(target), isOfLibrary(target), makesObject(function) || library.isVoid(function.result) {
      throw Unwrapped("C may keep the struct of functions, which is the library's.")
    }
    return Use(use: .init(.input), basis: .header)
  }

  /// The number beside a pointer that counts what it leads to.
  private func counting(_ function: Library.Function, _ index: Int) -> String? {
    let counts: Set<String> = ["count", "n", "num", "cnt", "nmemb", "len", "length"]
    let beside = [index + 1, index - 1].first { beside in
      guard function.parameters.indices.contains(beside), library.isNumber(function.parameters[beside].type) else {
        return false
      }
      let words = Words.split(function.parameters[beside].name)
      if Library.isCount(function.parameters[beside].name, of: function.parameters[index].name) { return true }
      // A number after another pointer counts what that one leads to.
      if beside < index, beside > 0, library.resolved(function.parameters[beside - 1].type).pointee != nil {
        return false
      }
      // `veclen` after `vec`.
      let isJoined = beside > index && words.last.map { $0.count > 3 && $0.hasSuffix("len") } == true
      return (isJoined || words.contains { counts.contains($0) }) && !words.contains { ["size", "bytes"].contains($0) }
    }
    return beside.map { function.name(of: $0) }
  }

  /// The number of objects in a list, on either side of it. C only reads a list: what it writes through a pointer is one object.
  private func list(_ function: Library.Function, _ index: Int, _ target: CType) -> String? {
    guard object(target) != nil, let item = library.resolved(target).pointee, library.isConstant(item),
      swift.imported(target)?.text == "OpaquePointer?"
    else { return nil }
    let count = [index + 1, index - 1].first { beside in
      guard function.parameters.indices.contains(beside), case let other = function.parameters[beside] else {
        return false
      }
      return library.isNumber(other.type) && Self.counts(other.name) && !other.name.isEmpty
    }
    return count.map { function.name(of: $0) }
  }

  /// A pointer through which C gives an object or a text.
  private func given(_ function: Library.Function, _ index: Int, _ target: CType, isArray: Bool) throws(Unwrapped)
    -> Use
  {
    let words = Words.split(function.parameters[index].name)
    let last = words.last ?? ""
    let isPlural = last.count > 3 && last.hasSuffix("s") && !last.hasSuffix("ss") && !last.hasSuffix("us")
    let lists: Set<String> = ["array", "arrays", "list", "lists", "vec", "vector"]
    let isOfLists = object(target).map { !lists.isDisjoint(with: Words.split($0)) } ?? false
    // `int, const char **` are the number and the texts of arguments.
    let isUnnamed =
      index > 0 && function.parameters[index].name.isEmpty && function.parameters[index - 1].name.isEmpty
      && library.isNumber(function.parameters[index - 1].type) && object(target) == nil
    let isList = ["argv", "envp"].contains(last) || lists.contains(last) && !isOfLists || isUnnamed
    if isArray || isList || isPlural && object(target) == nil {
      throw unknown("It takes an array.", function, index)
    }
    // The end of memory that no zero ends is no text.
    if unit(target) != nil, words.contains(where: { ["end", "endptr", "endp", "tail", "rest", "stop"].contains($0) }),
      !lengths(function).isEmpty
    {
      throw unknown("It leads into other memory.", function, index)
    }
    if object(target) != nil {
      let words = objects.classifier.split(function.name)
      if words.contains(where: { Self.freeing.contains($0) }), !words.contains(where: { Self.making.contains($0) }) {
        throw Unwrapped("It frees an object that its class frees.")
      }
      return Use(use: .init(.output), basis: .header)
    }
    guard let memory = unit(target) else {
      throw unknown("The header does not say what a pointer to a pointer is for.", function, index)
    }
    // A length that C gives, too, says that no zero ends the text.
    let hasLength = function.parameters.indices.contains { other in
      guard other != index, let number = library.resolved(function.parameters[other].type).pointee else { return false }
      let name = function.parameters[other].name
      return library.isNumber(number) && !library.isConstant(number)
        && (name.isEmpty ? abs(other - index) == 1 : Library.namesLength(name))
    }
    guard memory.unit == .characters, memory.isConst, !hasLength else {
      throw unknown(
        "The header does not say how long the memory is that it returns.", function, index, "memory=? frees=?")
    }
    return Use(use: .init(.text), basis: .header)
  }

  /// A pointer to one value that C writes, or reads and writes.
  private func single(
    _ function: Library.Function, _ index: Int, _ target: CType, isArray: Bool, _ remark: Remark?
  ) throws(Unwrapped) -> Use {
    let parameter = function.parameters[index]
    guard let element = element(target), swift.imported(parameter.type)?.text.hasPrefix("UnsafeMutablePointer<") == true
    else { throw unknown("The header does not say what a pointer points to.", function, index) }
    if isArray { throw unknown("It takes an array.", function, index) }
    if isRecord(target) {
      if isPlural(parameter.name, of: target) || isRange(function, index) {
        throw unknown("It takes an array.", function, index)
      }
      if isTable(target), makesObject(function) {
        throw unknown("C may keep the struct of functions.", function, index, "memory=inout")
      }
      if objects.freesList(function, index) { throw Unwrapped("It frees the struct itself.") }
      try checkFreeing(function, target)
      // A copy of what C writes would leave no struct whose memory could be freed.
      let isCopied = types.returned(element.imported) != nil
      if let direction = remark?.direction, direction != .input {
        return Use(use: .init(isCopied ? .both : direction), basis: .header)
      }
      // What a function makes of an object comes first by custom. What is set up by a function of its own is no such result.
      let isFirst =
        index == 0 && function.parameters.count > 1 && object(function.parameters[1].type) != nil
        && !objects.isSetUp(target)
      let isNamed = Words.split(parameter.name).contains { ["out", "ret", "result"].contains($0) }
      return Use(use: .init(isFirst || isNamed ? .output : .both), basis: isClear(function, index) ? .header : .names)
    }
    // Nothing says that a function without an object gives a number, and does not change one, or several.
    if parameter.name.isEmpty, function.comment.isEmpty,
      !function.parameters.contains(where: { object($0.type) != nil })
    {
      throw unknown("The header does not say what a pointer points to.", function, index)
    }
    let words = objects.classifier.split(function.name)
    let names = Words.split(parameter.name)
    let isGuess = remark?.direction == nil && !names.contains { ["out", "ret", "result"].contains($0) }
    // One number of `set_next(set, point)`, or an index, is where C begins.
    let cursors: Set<String> = ["idx", "index", "iter", "iterator", "cursor", "pos", "position"]
    let isCursor =
      words.contains { ["next", "prev", "previous"].contains($0) }
      && (names.contains { cursors.contains($0) }
        || function.parameters.count { library.resolved($0.type).pointee.map { library.isNumber($0) } ?? false } == 1)
    if isGuess, isCursor || words.contains(where: { Self.comparing.contains($0) }) {
      throw unknown("The header does not say whether C reads or writes the memory.", function, index)
    }
    if library.isArray(index, of: function) || Self.namesVector(names, element.imported)
      || library.givesLength(of: parameter, in: function.parameters)
      || !isSingle(parameter.name, function) || element.imported == "Void"
    {
      throw unknown("It takes an array.", function, index)
    }
    // `set_row(problem, double *row)` reads, and `get_variables(problem, double *var)` writes several.
    let isSetter =
      words.contains { ["set", "add", "put"].contains($0) || $0.hasPrefix("insert") || $0.hasPrefix("append") }
      && !words.contains("get")
    let others = function.parameters.count { library.resolved($0.type).pointee != nil && object($0.type) == nil }
    let givesSeveral =
      words.contains("get") && others == 1
      && words.last.map { $0.count > 4 && $0.hasSuffix("s") && !["ss", "us", "is"].contains($0.suffix(2)) } == true
      && !names.contains { Self.single.contains($0) || $0.hasSuffix("s") }
    // What a function makes of an object comes first by custom.
    let isFirst = index == 0 && function.parameters.count > 1 && object(function.parameters[1].type) != nil
    if remark?.direction == nil, isSetter && !isFirst && function.parameters.count > 1 || givesSeveral,
      !names.contains(where: { Self.given.contains($0) })
    {
      throw unknown("The header does not say whether C reads or writes the memory.", function, index)
    }
    try checkFreeing(function, target)
    if remark?.direction == .both { return Use(use: .init(.both), basis: .header) }
    return Use(use: .init(.output), basis: remark?.direction == .output ? .header : .names)
  }

  /// Throws for `SearchFreeIds(int *ids)`, and for `info_free(info *)` of a struct that C gives by its address.
  private func checkFreeing(_ function: Library.Function, _ target: CType) throws(Unwrapped) {
    guard function.parameters.count == 1, objects.classifier.split(function.name).contains("free"),
      !isRecord(target) || isGivenByAddress(target, except: function)
    else { return }
    throw Unwrapped("It may free what the pointer leads to.")
  }

  /// True for one of two pointers to structs between which C reads: `tags_start` and `tags_end`.
  private func isRange(_ function: Library.Function, _ index: Int) -> Bool {
    let ends: Set<String> = ["start", "begin", "first", "end", "last", "stop", "limit"]
    let parameter = function.parameters[index]
    let words = Words.split(parameter.name)
    guard let last = words.last, ends.contains(last) else { return false }
    return function.parameters.indices.contains { other in
      let otherWords = Words.split(function.parameters[other].name)
      return other != index && function.parameters[other].type == parameter.type
        && otherWords.dropLast() == words.dropLast() && otherWords.last.map { ends.contains($0) } ?? false
    }
  }

  /// True if nothing suggests that C reads several structs, or keeps a pointer to one.
  private func isClear(_ function: Library.Function, _ index: Int) -> Bool {
    let lengths = lengths(function).values
    let hasNumber = [index - 1, index + 1].contains { beside in
      guard function.parameters.indices.contains(beside), !lengths.contains(beside) else { return false }
      let parameter = function.parameters[beside]
      return library.isNumber(parameter.type) && Self.counts(parameter.name)
    }
    if hasNumber { return false }
    guard stores(function), case .named(let name, _)? = library.resolved(function.parameters[index].type).pointee,
      let record = library.record(name)
    else { return true }
    return !record.fields.contains { library.resolved($0.type).pointee != nil && library.function($0.type) == nil }
  }

  /// True for a struct of functions.
  private func isTable(_ type: CType) -> Bool {
    guard case .named(let name, _) = library.resolved(type), let record = library.record(name) else { return false }
    return !record.fields.isEmpty && record.fields.allSatisfy { library.function($0.type) != nil }
  }

  func makesObject(_ function: Library.Function) -> Bool {
    objects.classifier.made(by: function) != nil
      || function.parameters.contains { library.resolved($0.type).pointee.map { object($0) != nil } ?? false }
  }

  /// True if a pointer to a number leads to one: no other parameter is a length, or its name is that of one value.
  private func isSingle(_ name: String, _ function: Library.Function) -> Bool {
    if function.comment.lowercased().has(" array") { return false }
    let words = Words.split(name)
    if words.contains(where: { Self.arrays.contains($0) }) { return false }
    if words.contains(where: { Self.single.contains($0) || $0.hasSuffix("len") || $0.hasSuffix("id") }) { return true }
    let lengths = Set(lengths(function).values)
    let numbers = function.parameters.indices.filter { library.isNumber(function.parameters[$0].type) }
    // Beside several numbers, it may lead to as many as they say.
    return !numbers.contains { Library.namesLength(function.parameters[$0].name) }
      && numbers.count { !lengths.contains($0) } < 2
  }
}
