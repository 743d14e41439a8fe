/// Decides the purpose of each site's callback and the end of its life.
struct Classifier {
  let library: Library
  let sites: [Site]
  /// The sites of each function, struct, or typedef.
  let byOwner: [String: [Site]]
  let records: [String: Library.Record]
  /// The functions that take a type first, by its spelling.
  let byHandle: [String: [Library.Function]]
  /// The words of each function's name.
  let words: [String: [String]]
  /// The functions that take a type anywhere.
  let byAnyHandle: [String: [Library.Function]]
  /// The functions whose names say that they end something.
  let enders: [Ender]
  /// The functions that close an object and take a callback.
  let closers: [Library.Function]
  /// The sites of each typedef of a callback.
  let byTypedef: [String: [Site]]
  let cache = Cache()
  let hasThreads: Bool
  /// The common prefix of most function names.
  let prefix: String
  let failures: Failures
  /// For each object, the function that comments most often name as the one that takes the context.
  var namedRegistrations: [String: (name: String, index: Int)] = [:]

  /// True if comments say of most callbacks that a thread of the library calls them.
  var callsOnThreads = false

  /// A function that ends something, with the facts that finding it needs.
  struct Ender {
    var function: Library.Function
    var words: [String]
    var verb: String
    /// The types of objects that it takes.
    var handles: Set<String>
    var takesCallback: Bool
  }

  /// Earlier decisions, because a decision about one site depends on others.
  final class Cache {
    var roles: [String: Decision<Role>] = [:]
    var pairs: [String: [String]] = [:]
    /// Of structs, by their names: the functions that take them, and the fields that can be contexts. Of fields: the contexts
    /// after them.
    var takers: [String: [Library.Function]] = [:]
    var contexts: [String: [Library.Field]] = [:]
    var following: [String: Library.Field?] = [:]
  }

  static func classify(_ library: Library) -> [ClassifiedSite] { classified(library).sites }

  /// The sites of a library, and the facts that they were decided from.
  static func classified(_ library: Library) -> (classifier: Classifier, sites: [ClassifiedSite]) {
    var classifier = Classifier(library, SiteFinder.sites(of: library))
    classifier.countNamedRegistrations()
    classifier.countThreads()
    return (classifier, classifier.sites.map { classifier.classify($0) })
  }

  init(_ library: Library, _ sites: [Site]) {
    self.library = library
    self.sites = sites
    byOwner = Dictionary(grouping: sites) { $0.owner }
    byTypedef = Dictionary(grouping: sites) { $0.typedef ?? "" }
    records = Dictionary(library.records.flatMap { [($0.spelling, $0), ("struct " + $0.name, $0)] }) { first, _ in first
    }
    var byHandle: [String: [Library.Function]] = [:]
    var words: [String: [String]] = [:]
    let prefix = Words.prefix(of: library.functions.map(\.name))
    self.prefix = prefix
    failures = Failures(library)
    for function in library.functions {
      words[function.name] = Self.words(function.name, prefix)
      if function.isOfTable { continue }
      for parameter in function.parameters.prefix(2) {
        if let handle = Self.handle(parameter.type, library) { byHandle[handle, default: []].append(function) }
      }
    }
    self.byHandle = byHandle
    self.words = words
    var byAnyHandle: [String: [Library.Function]] = [:]
    var enders: [Ender] = []
    for function in library.functions where !function.isOfTable {
      let handles = Set(function.parameters.compactMap { Self.handle($0.type, library) })
      for handle in handles { byAnyHandle[handle, default: []].append(function) }
      guard let names = words[function.name],
        let verb = names.first(where: { Self.ending.contains($0) }) ?? names.first(where: { $0 == "clear" })
      else { continue }
      let takesCallback = function.parameters.contains { library.function($0.type) != nil }
      enders.append(Ender(function: function, words: names, verb: verb, handles: handles, takesCallback: takesCallback))
    }
    self.byAnyHandle = byAnyHandle
    self.enders = enders
    closers = enders.filter { $0.words.contains("close") && $0.takesCallback }.map(\.function)
    hasThreads = library.functions.contains { function in
      guard let words = words[function.name], words.contains("start") else { return false }
      return (words.contains("loop") || words.contains("thread") || words.contains("threads"))
        && !function.parameters.contains { library.function($0.type) != nil }
    }
  }

  /// The words of a name, the library's prefix as one.
  private static func words(_ name: String, _ prefix: String) -> [String] {
    guard !prefix.isEmpty, name.hasPrefix(prefix), name != prefix else { return Words.split(name) }
    return [prefix.filter { $0 != "_" }.lowercased()] + Words.split(name.dropFirst(prefix.count))
  }

  func split(_ name: String) -> [String] { words[name] ?? Self.words(name, prefix) }

  /// The spelling of the type of an object: a pointer to a struct, or a typedef of one or of `void *`.
  static func handle(_ type: CType, _ library: Library) -> String? {
    if case .named(let name, _) = type, library.opaque.contains(name) { return name }
    guard case .pointer(let pointee, _) = library.resolved(type), case .named(let name, _) = library.resolved(pointee)
    else { return nil }
    // `typedef void CURL` names an object.
    if name == "void", case .named(let own, _) = pointee, let index = library.typedefIndex[own],
      library.typedefs[index].isInScope
    {
      return own
    }
    guard
      ![
        "void", "char", "unsigned char", "signed char", "int", "unsigned int", "short", "unsigned short", "long",
        "unsigned long", "long long", "unsigned long long", "float", "double", "_Bool", "struct sockaddr",
        "struct timeval",
      ]
      .contains(name), !name.hasPrefix("enum ")
    else { return nil }
    return name
  }

  func handle(_ type: CType) -> String? { Self.handle(type, library) }

  func function(of site: Site) -> Library.Function? {
    site.kind == .parameter ? library.functionIndex[site.owner].map { library.functions[$0] } : nil
  }

  func isVoidPointer(_ type: CType, const: Bool = false) -> Bool {
    if Self.handle(type, library) != nil { return false }
    guard case .pointer(let pointee, _) = library.resolved(type) else { return false }
    let target = library.resolved(pointee)
    return target.isVoid && (const || !pointee.isConst && !target.isConst)
  }

  private func classify(_ site: Site) -> ClassifiedSite {
    let role = role(of: site)
    let context = role.value.isWrapped ? context(of: site, role.value) : Decision(nil, .told, "")
    let result = result(of: site)
    var classified = ClassifiedSite(
      site: site, role: role, context: context, life: Decision(nil, .told, role.value.reason), releasedBy: nil,
      thread: Decision(nil, .asked, ""), result: result, arguments: arguments(of: site, context.value),
      endings: Decision([], .asked, ""))
    guard role.value == .callback else { return classified }
    decideLife(of: &classified)
    classified.thread = thread(of: classified)
    classified.fails = function(of: site).map(failures.rule)
    return classified
  }

  // MARK: Results and arguments

  private func result(of site: Site) -> Decision<ResultUse> {
    let function = site.function
    let type = library.resolved(function.result)
    if type.isVoid { return Decision(.none, .told, "It returns nothing.") }
    if case .pointer = type { return Decision(.memory, .inferred, "It returns a pointer that C takes over.") }
    let names = split(site.owner) + Words.split(site.name) + Words.split(site.typedef ?? "")
    if names.contains(where: { ["compare", "cmp", "sort", "sorted", "collation", "comparator"].contains($0) }) {
      return Decision(.comparison, .inferred, "Its name says that it compares.")
    }
    let fills = zip(function.parameters, function.parameters.dropFirst()).contains { first, second in
      guard let pointee = library.resolved(first.type).pointee, case .named(let name, false) = library.resolved(pointee)
      else { return false }
      return ["char", "unsigned char"].contains(name) && isInteger(second.type)
        || name == "void" && isInteger(second.type)
          && Words.split(first.name).contains { ["buf", "buffer"].contains($0) }
    }
    let counts: Set<String> = ["size_t", "ssize_t", "curl_off_t", "la_ssize_t", "la_int64_t", "long"]
    if case .named(let name, _) = function.result, counts.contains(name) {
      return Decision(fills ? .filled : .count, .inferred, "It returns a size.")
    }
    return Decision(fills ? .filled : .verdict, .inferred, fills ? "It fills a buffer." : "It returns a number.")
  }

  func isInteger(_ type: CType) -> Bool {
    guard case .named(let name, _) = library.resolved(type) else { return false }
    return [
      "int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "short", "unsigned short",
    ]
    .contains(name)
  }

  func isVariadicList(_ type: CType) -> Bool {
    let text = type.description
    return text.has("va_list") || library.resolved(type).description.contains("__va_list_tag")
  }

  private func arguments(of site: Site, _ context: Context?) -> [Validity] {
    let parameters = site.function.parameters
    let lowered = site.comment.lowercased()
    return parameters.indices.map { index in
      let type = parameters[index].type
      if isVariadicList(type) { return .variadic }
      if context?.index == index, context?.isArgument == true { return .value }
      guard let pointee = library.resolved(type).pointee else { return .value }
      if case .named(let name, let isConst) = library.resolved(pointee) {
        let isLast = index + 1 == parameters.count
        if !isConst, name == "char", lowered.has("must free") || lowered.has("be freed") { return .owned }
        if !isLast, isInteger(parameters[index + 1].type), ["char", "unsigned char", "void"].contains(name),
          Words.split(parameters[index + 1].name).contains(where: {
            ["len", "length", "size", "count", "n"].contains($0)
          })
        {
          return .chunk
        }
      }
      return .borrowed
    }
  }
}
