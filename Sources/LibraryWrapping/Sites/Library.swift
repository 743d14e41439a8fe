/// The declarations of a library's headers: functions, structs, and types, with their comments.
final class Library {
  /// A function that the headers declare.
  struct Function {
    var name: String
    var parameters: [CParameter]
    var result: CType
    var isVariadic: Bool
    var comment: String
    /// True if that is the comment of the declaration before it.
    var isCommentShared = false
    var declaration: Declaration
    /// True if Swift imports the result without a question mark.
    var isResultNonnull = false
    /// A function of the shim that is called instead.
    var wrapper: String?
    /// The code of a function that only the shim has.
    var shim: String?
    /// True if it is in a field of a struct that it does not take: it ends no struct.
    var isOfTable = false
    /// The name of the function that is called.
    var called: String { wrapper ?? name }
  }

  /// A struct or union with its fields; those of unnamed members are its own.
  struct Record {
    var name: String
    /// How C spells the type: `struct stat`, or the name of a typedef.
    var spelling: String
    var isUnion: Bool
    var fields: [Field]
    var comment: String
  }

  /// A field of a struct.
  struct Field {
    var path: String
    var type: CType
    var comment: String
    var declaration: Declaration
    /// True if it shares its memory with other fields: it is in a union.
    var isShared = false
  }

  /// A name for a type.
  struct Typedef {
    var name: String
    var type: CType
    var comment: String
    var isInScope: Bool
    var declaration: Declaration
  }

  let headers: Headers
  var functions: [Function] = [] { didSet { takenRecords = [:] } }
  /// The structs with functions that the program calls, by their names and how C spells them.
  var methodOwners: Set<String> = []
  /// Earlier answers of `isTaken`, because each question of `--ask` needs them all again.
  var takenRecords: [String: Bool] = [:]
  var records: [Record] = []
  private(set) var typedefs: [Typedef] = []
  private(set) var globals: [Field] = []
  private(set) var enumerations: [Enumeration] = []
  /// The enums that Swift imports as enums or option sets, by their names.
  private(set) lazy var styledEnums: [String: Enumeration.Style] = Dictionary(
    enumerations.filter { $0.style != .constants }.map { ($0.name, $0.style) }
  ) { first, _ in first }
  private(set) var functionIndex: [String: Int] = [:]
  private(set) var typedefIndex: [String: Int] = [:]
  /// The structs that are completely defined, in any header, by their spelling.
  private(set) var complete: Set<String> = []
  /// Those with more than 16 bytes of alignment.
  private(set) var overaligned: Set<String> = []
  /// The first constant of each enum, usually that of zero.
  private(set) var deprecated: Set<String> = []
  private(set) var zeroConstants: [String: String] = [:]
  /// The enums with a declaration that has no constants, before or after another one or alone.
  private(set) var announcedEnums: Set<String> = []
  /// The constants of enums and the macros of the headers whose values are written as numbers.
  private(set) lazy var numberedConstants: [(name: String, value: Int)] =
    enumConstants.compactMap { constant in
      Self.number(code(of: constant).split(separator: "=").dropFirst().first ?? "").map { (constant.name, $0) }
    } + headers.countedFiles.flatMap { Self.macros(in: headers.source($0)) }
  private var enumConstants: [Declaration] = []
  /// The typedefs of `void *` that stand for objects: `server_new` returns a `server`.
  private(set) lazy var opaque: Set<String> = {
    let makers = Dictionary(grouping: functions) { $0.result.withoutConst }
    let making: Set<String> = [
      "new", "create", "open", "init", "add", "make", "alloc", "connect", "start", "clone", "register", "dup",
    ]
    let names = typedefs.filter { typedef in
      guard typedef.isInScope, case .pointer(let pointee, _) = typedef.type, pointee.isVoid, !pointee.isConst else {
        return false
      }
      let shared = Words.prefix(of: functions.map(\.name)).lowercased()
      // `cmsHPROFILE` is a handle of a profile.
      let words = Words.split(typedef.name).filter { $0 != "t" && $0 != shared }.map { word in
        word.hasPrefix("h") && typedef.name.contains("H" + word.dropFirst().uppercased())
          ? String(word.dropFirst()) : word
      }
      return makers[.named(typedef.name, isConst: false)]?.contains { maker in
        let names = Words.split(maker.name)
        return Set(words).isSubset(of: names) && names.contains { making.contains($0) }
      } == true
    }
    return chosen.union(names.map(\.name))
  }()
  /// The names of the objects that the choices make of `void *`.
  private(set) var chosen: Set<String> = []
  /// The structs that functions get and give through a typedef of a pointer: `typedef struct face_rec *face`.
  private lazy var pointerTypes: Set<String> = {
    var given: Set<String> = []
    for function in functions {
      for type in function.parameters.compactMap({ resolved($0.type).pointee }) + [function.result] {
        if case .named(let name, _) = type { given.insert(name) }
      }
    }
    for field in records.flatMap(\.fields) {
      if case .named(let name, _) = field.type { given.insert(name) }
    }
    return Set(
      typedefs.compactMap { typedef in
        guard typedef.isInScope, given.contains(typedef.name), case .pointer(let target, _) = typedef.type,
          case .named(let name, _) = resolved(target), name.hasPrefix("struct ")
        else { return nil }
        return name
      })
  }()

  /// True for a struct that the library uses as an object, although it has its fields.
  func isHandle(_ handle: String) -> Bool { pointerTypes.contains(handle) }

  /// True if a function of the library frees memory of no particular type.
  var freesMemory: Bool { !freeingMemory.isEmpty }
  /// The functions that free memory of no particular type.
  private(set) lazy var freeingMemory = functions.filter { function in
    guard function.parameters.count == 1, Words.split(function.name).contains("free"),
      case .named(let name, false)? = resolved(function.parameters[0].type).pointee.map({ resolved($0) })
    else { return false }
    return ["void", "char", "unsigned char"].contains(name)
  }
  private var types: [String: CType] = [:]
  /// For each file, the end of the previous declaration, and its comment.
  private var last: [String: (end: Int, comment: String)] = [:]
  /// True if the latest comment is that of the declaration before.
  private var isCommentShared = false

  init(_ headers: Headers) {
    self.headers = headers
    var unnamedEnum: String?
    var unnamedEnumeration: Enumeration?
    var unnamed: (declaration: Declaration, comment: String)?
    for declaration in headers.declarations where !declaration.isImplicit {
      let isInScope = headers.counts(declaration.location.file)
      if declaration.isDeprecated { deprecated.insert(declaration.name) }
      let comment = isInScope ? self.comment(of: declaration) : ""
      // Its typedef follows directly.
      defer {
        if declaration.kind != "EnumDecl", let constants = unnamedEnumeration {
          enumerations.append(constants)
          unnamedEnumeration = nil
        }
      }
      switch declaration.kind {
      case "TypedefDecl":
        if let record = unnamed, let tag = record.declaration.tag.isEmpty ? nil : record.declaration.tag,
          declaration.type == tag + " " + declaration.name || declaration.type == declaration.name
        {
          add(record.declaration, declaration.name, declaration.name, record.comment)
        }
        if let first = unnamedEnum { zeroConstants["enum " + declaration.name] = first }
        if var enumeration = unnamedEnumeration,
          declaration.type == "enum " + declaration.name || declaration.type == declaration.name
        {
          enumeration.name = declaration.name
          if enumeration.comment.isEmpty { enumeration.comment = comment }
          enumerations.append(enumeration)
          unnamedEnumeration = nil
        }
        unnamedEnum = nil
        add(declaration, comment, isInScope)
      case "RecordDecl":
        if !declaration.isCompleteDefinition { break }
        if declaration.name.isEmpty {
          unnamed = (declaration, comment)
          continue
        }
        add(declaration, declaration.name, declaration.tag + " " + declaration.name, comment)
      case "EnumDecl":
        if isInScope {
          enumConstants += declaration.inner.filter { $0.kind == "EnumConstantDecl" }
          let enumeration = enumeration(declaration, comment)
          if let constants = unnamedEnumeration { enumerations.append(constants) }
          unnamedEnumeration = nil
          if declaration.name.isEmpty {
            unnamedEnumeration = enumeration
          } else if !declaration.inner.isEmpty {
            enumerations.append(enumeration)
          }
        }
        let first = declaration.inner.first { $0.kind == "EnumConstantDecl" }?.name
        if declaration.name.isEmpty {
          unnamedEnum = first
        } else if let first {
          zeroConstants["enum " + declaration.name] = first
        } else {
          announcedEnums.insert("enum " + declaration.name)
        }
      case "FunctionDecl": if isInScope { add(declaration, comment) }
      case "VarDecl":
        if isInScope {
          globals.append(
            Field(path: declaration.name, type: type(declaration.type), comment: comment, declaration: declaration))
        }
      default: break
      }
      unnamed = nil
    }
  }

  /// Removes functions that the library does not have.
  func remove(_ names: Set<String>) {
    functions.removeAll { names.contains($0.name) }
    indexFunctions()
  }

  func indexFunctions() {
    functionIndex = Dictionary(functions.enumerated().map { ($1.name, $0) }) { first, _ in first }
  }

  /// Gives pointers to `void` the types of the objects that they stand for, which `name` tells for a parameter, or for the
  /// result.
  func retype(_ name: (Function, Int?) -> String?) {
    func retyped(_ type: CType, _ name: String) -> CType {
      if typedefIndex[name] == nil {
        typedefIndex[name] = typedefs.count
        let target = CType.pointer(.void, isConst: false)
        typedefs.append(Typedef(name: name, type: target, comment: "", isInScope: false, declaration: Declaration()))
        chosen.insert(name)
      }
      if case .pointer(let target, let isConst) = resolved(type), resolved(target).pointee != nil {
        return .pointer(.named(name, isConst: false), isConst: isConst)
      }
      return .named(name, isConst: false)
    }
    for place in functions.indices {
      for index in functions[place].parameters.indices {
        guard let name = name(functions[place], index) else { continue }
        functions[place].parameters[index].type = retyped(functions[place].parameters[index].type, name)
      }
      if let name = name(functions[place], nil) {
        functions[place].result = retyped(functions[place].result, name)
      }
    }
  }

  // MARK: Types

  func type(_ text: String) -> CType {
    if let known = types[text] { return known }
    let type = DeclaratorParser.parse(text)?.type ?? .named(text, isConst: false)
    types[text] = type
    return type
  }

  /// The type without typedefs at its outermost level.
  func resolved(_ type: CType) -> CType {
    var type = type
    for _ in 0..<32 {
      guard case .named(let name, let isConst) = type, let index = typedefIndex[name] else { return type }
      let next = typedefs[index].type
      if case .named(let inner, let isInnerConst) = next {
        if inner == name { return type }
        type = .named(inner, isConst: isConst || isInnerConst)
      } else {
        type = next
      }
    }
    return type
  }

  // MARK: Declarations

  /// The comment directly above a declaration, or the previous declaration's comment if no empty line separates them.
  private func comment(of declaration: Declaration) -> String {
    let path = declaration.begin.file
    let source = headers.source(path)
    let before = last[path] ?? (0, "")
    let own = source.comment(above: declaration.begin.offset, since: before.end)
    var text = own.text
    if text.isEmpty, own.isAdjacent { text = before.comment }
    isCommentShared = own.text.isEmpty && !text.isEmpty
    // Some headers, such as zlib's, place the comment below the function and begin it with its name.
    if let index = functions.indices.last, functions[index].declaration.location.file == path,
      functions[index].name != declaration.name,
      functions[index].name[...] == Words.identifiers(String(text.prefix(200))).first
    {
      functions[index].comment = text
      text = ""
    }
    let end = declaration.end.offset + declaration.endLength
    let shared = own.text.isEmpty || own.isAdjacent ? text : ""
    if declaration.end.file == path, end > before.end { last[path] = (end, shared) }
    return text
  }

  private func add(_ declaration: Declaration, _ comment: String, _ isInScope: Bool) {
    let typedef = Typedef(
      name: declaration.name, type: type(declaration.type), comment: comment, isInScope: isInScope,
      declaration: declaration)
    if let index = typedefIndex[declaration.name] {
      if typedefs[index].comment.isEmpty { typedefs[index] = typedef }
      return
    }
    typedefIndex[declaration.name] = typedefs.count
    typedefs.append(typedef)
  }

  private func add(_ declaration: Declaration, _ comment: String) {
    guard case .function(let signature) = type(declaration.type) else { return }
    var parameters = signature.parameters
    for (index, parameter) in declaration.parameters.enumerated() where index < parameters.count {
      parameters[index].name = parameter.name
      markArray(&parameters[index], code(of: parameter))
      if parameter.isNonnull { parameters[index].nullability = .nonnull }
    }
    for attribute in declaration.nonnullAttributes {
      let positions = headers.source(attribute.begin.file).arguments(at: attribute.begin.offset)
      for index in parameters.indices where positions.isEmpty || positions.contains(index + 1) {
        if resolved(parameters[index].type).pointee != nil { parameters[index].nullability = .nonnull }
      }
    }
    let function = Function(
      name: declaration.name, parameters: parameters, result: signature.result, isVariadic: signature.isVariadic,
      comment: comment, isCommentShared: isCommentShared, declaration: declaration,
      isResultNonnull: signature.isResultNonnull || declaration.isNonnull)
    if let index = functionIndex[declaration.name] {
      if functions[index].comment.isEmpty, !comment.isEmpty { functions[index] = function }
      return
    }
    functionIndex[declaration.name] = functions.count
    functions.append(function)
  }

  private func add(_ declaration: Declaration, _ name: String, _ spelling: String, _ comment: String) {
    // Swift does not import such a struct, and knows only pointers to it.
    if isOveraligned(declaration) {
      overaligned.formUnion([spelling, "struct " + name])
      return
    }
    // An unnamed union has the name of its typedef, also if it is reached by another one.
    complete.formUnion([spelling, "struct " + name, declaration.tag + " " + name])
    guard headers.counts(declaration.location.file) else { return }
    let record = Record(
      name: name, spelling: spelling, isUnion: declaration.tag == "union", fields: fields(of: declaration, ""),
      comment: comment)
    records.append(record)
  }

  private func fields(of declaration: Declaration, _ prefix: String) -> [Field] {
    var (result, nested): ([Field], Declaration?) = ([], nil)
    // Its comment is above it, and those of its fields are inside.
    let path = declaration.begin.file
    let before = last[path]
    last[path] = (declaration.begin.offset, "")
    defer { last[path] = before }
    for member in declaration.inner {
      switch member.kind {
      case "RecordDecl":
        if !member.name.isEmpty, member.isCompleteDefinition {
          add(member, member.name, member.tag + " " + member.name, comment(of: member))
        }
        nested = member
      case "FieldDecl":
        // An unnamed struct is defined directly before the field that has it.
        if let record = nested, member.isImplicit || member.name.isEmpty {
          result += shared(record, fields(of: record, prefix))
        } else if let record = nested, record.name.isEmpty,
          member.type.contains("(unnamed") || member.type.contains("(anonymous"), member.type.hasSuffix(")")
        {
          result += shared(record, fields(of: record, prefix + member.name + "."))
        } else {
          let text = [comment(of: member), innerComments(of: member)].filter { !$0.isEmpty }.joined(separator: "\n")
          result.append(
            Field(path: prefix + member.name, type: type(member.type), comment: text, declaration: member))
        }
        nested = nil
      default: break
      }
    }
    return result
  }
}
