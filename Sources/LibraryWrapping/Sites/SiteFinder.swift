/// Finds the callbacks in a library's declarations.
struct SiteFinder {
  private let library: Library
  private var sites: [Site] = []
  private var named: Set<String> = []

  static func sites(of library: Library) -> [Site] {
    var finder = SiteFinder(library: library)
    finder.find()
    // Once for each header, because it looks at the file system.
    var ranks: [String: Int] = [:]
    for header in Set(finder.sites.map(\.header)) { ranks[header] = library.headers.isNamedByPath(header) ? 0 : 1 }
    return finder.sites.sorted { (ranks[$0.header]!, $0.header, $0.line) < (ranks[$1.header]!, $1.header, $1.line) }
  }

  private init(library: Library) { self.library = library }

  private mutating func find() {
    for function in library.functions {
      let declarations = function.declaration.parameters
      for (index, parameter) in function.parameters.enumerated() {
        let declaration = index < declarations.count ? declarations[index] : function.declaration
        add(
          .parameter, declaration, function.name, parameter.name, index, "\(function.name)/\(index)", parameter.type,
          [function.comment, library.innerComments(of: declaration)], isDeprecated: function.declaration.isDeprecated)
      }
      add(
        .result, function.declaration, function.name, "", -1, function.name, function.result, [function.comment])
    }
    for record in library.records {
      for field in record.fields {
        add(
          .field, field.declaration, record.name, field.path, -1, "\(record.name).\(field.path)", field.type,
          [field.comment], isDeprecated: field.declaration.isDeprecated)
      }
    }
    for global in library.globals {
      add(.global, global.declaration, global.path, global.path, -1, global.path, global.type, [global.comment])
    }
    for typedef in library.typedefs where typedef.isInScope && !named.contains(typedef.name) {
      // A typedef of a typedef that is a site names nothing new.
      if case .named = typedef.type { continue }
      let type = CType.named(typedef.name, isConst: false)
      add(.typedef, typedef.declaration, typedef.name, typedef.name, -1, typedef.name, type, [typedef.comment])
    }
  }

  private mutating func add(
    _ kind: Site.Kind, _ declaration: Declaration, _ owner: String, _ name: String, _ index: Int, _ key: String,
    _ type: CType, _ comments: [String], isDeprecated: Bool = false
  ) {
    var (inner, isArray, isIndirect) = (type, false, false)
    var found = library.function(type)
    if found == nil {
      // An array of callbacks, or a pointer to one.
      switch library.resolved(type) {
      case .array(let element, _):
        (inner, isArray) = (element, true)
        found = library.function(element)
      case .pointer(let pointee, _):
        (inner, isIndirect) = (pointee, true)
        found = library.function(pointee)
      default: break
      }
    }
    guard let (signature, typedef) = found else { return }
    var function = signature
    var comments = comments
    markTypedefs(type)
    if let typedef {
      comments.append(typedef.comment)
      comments.append(library.innerComments(of: typedef.declaration))
      function = Self.naming(function, library.code(of: typedef.declaration), library)
    } else if kind == .result {
      function = Self.naming(function, "")
    } else {
      function = Self.naming(function, library.code(of: declaration), library)
    }
    let comment = Self.joined(comments)
    if function.parameters.contains(where: { $0.name.isEmpty }) { function = Self.naming(function, inComment: comment) }
    let location = declaration.location
    sites.append(
      Site(
        kind: kind, header: location.file, line: location.line, owner: owner, name: name, index: index, key: key,
        declared: inner, function: function, typedef: typedef?.name, isArray: isArray, isIndirect: isIndirect,
        isDeprecated: isDeprecated || library.isDeprecated(function),
        comment: comment))
    if kind == .argument { return }
    for (number, parameter) in function.parameters.enumerated() {
      add(
        .argument, declaration, owner, parameter.name, number, "\(key)/\(number)", parameter.type, [],
        isDeprecated: isDeprecated)
    }
  }

  private static func joined(_ comments: [String]) -> String {
    var seen: Set<String> = [""]
    return comments.filter { seen.insert($0).inserted }.joined(separator: "\n")
  }

  /// Records the typedefs that a site is declared with.
  private mutating func markTypedefs(_ type: CType) {
    var type = type
    while true {
      switch type {
      case .named(let name, _):
        guard let index = library.typedefIndex[name], named.insert(name).inserted else { return }
        type = library.typedefs[index].type
      case .pointer(let inner, _), .array(let inner, _): type = inner
      case .function: return
      }
    }
  }

  /// The signature with the names that the text of its declaration has.
  static func naming(_ function: CFunction, _ text: String, _ library: Library? = nil) -> CFunction {
    guard let type = DeclaratorParser.parse(text)?.type, let named = signature(type),
      named.parameters.count == function.parameters.count
    else { return function }
    var function = function
    for (index, parameter) in named.parameters.enumerated() {
      function.parameters[index].name = parameter.name
      if case .array = parameter.type { function.parameters[index].isArray = true }
      if case .named(let name, _) = parameter.type, let library, let typedef = library.typedefIndex[name],
        case .array = library.resolved(library.typedefs[typedef].type)
      {
        function.parameters[index].isArray = true
      }
      // A function that it takes has names of its own.
      if case .pointer(.function(let inner), let isConst) = function.parameters[index].type,
        let namedInner = signature(parameter.type), namedInner.parameters.count == inner.parameters.count
      {
        var inner = inner
        for (place, name) in namedInner.parameters.map(\.name).enumerated() { inner.parameters[place].name = name }
        function.parameters[index].type = .pointer(.function(inner), isConst: isConst)
      }
    }
    return function
  }

  /// The signature with the names that an example in its comment has: `void callback(struct mosquitto *mosq, void *obj, int rc)`.
  private static func naming(_ function: CFunction, inComment comment: String) -> CFunction {
    for line in comment.split(separator: "\n") where line.contains("(") && line.contains(")") && line.count < 200 {
      guard let end = line.lastIndex(of: ")"), let type = DeclaratorParser.parse(line[...end])?.type,
        let named = signature(type), named.parameters.count == function.parameters.count, named.parameters.count > 0,
        zip(named.parameters, function.parameters).allSatisfy({ $0.type.withoutConst == $1.type.withoutConst })
      else { continue }
      var function = function
      for (index, parameter) in named.parameters.enumerated() where function.parameters[index].name.isEmpty {
        function.parameters[index].name = parameter.name
      }
      return function
    }
    return function
  }

  private static func signature(_ type: CType) -> CFunction? {
    switch type {
    case .function(let function): function
    case .pointer(let inner, _), .array(let inner, _): signature(inner)
    case .named: nil
    }
  }
}
