#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads the syntax tree that clang writes as JSON, in one pass over its bytes.
///
/// Only declarations become objects. Clang names a file or a line only if it differs from the previous one, so every location
/// is read, also inside skipped values.
///
/// Trees have megabytes, and SwiftPM builds the command without optimization. So the loops over bytes use pointers and no
/// collection, whose generic functions would run unspecialized.
struct TreeReader {
  private let bytes: UnsafePointer<UInt8>
  private let count: Int
  private var position = 0
  private var file = ""
  private var line = 0
  /// The files that include others, also those that declare nothing.
  private var includers: Set<String> = []
  private var lastIncluder: Text

  /// The text is not the JSON that clang writes, from the byte at `offset` on.
  struct Malformed: Error {
    var offset: Int
  }

  /// The bytes of a string between its quotation marks.
  private struct Text {
    var start: UnsafePointer<UInt8>
    var count: Int

    var string: String { String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self) }

    static func == (text: Text, other: Text) -> Bool {
      text.count == other.count && memcmp(text.start, other.start, text.count) == 0
    }

    static func == (text: Text, other: StaticString) -> Bool {
      text.count == other.utf8CodeUnitCount && memcmp(text.start, other.utf8Start, text.count) == 0
    }
  }

  private init(_ bytes: UnsafePointer<UInt8>, count: Int) {
    self.bytes = bytes
    self.count = count
    lastIncluder = Text(start: bytes, count: 0)
  }

  /// The declarations at the top level of the tree, and the files that include others.
  static func read(_ bytes: [UInt8]) throws -> (declarations: [Declaration], includers: Set<String>) {
    try bytes.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { throw Malformed(offset: 0) }
      var reader = TreeReader(start, count: buffer.count)
      return (try reader.declaration().inner, reader.includers)
    }
  }

  // MARK: Tokens

  private mutating func skipSpace() {
    while position < count, bytes[position] <= 0x20 { position += 1 }
  }

  private mutating func peek() throws -> UInt8 {
    skipSpace()
    guard position < count else { throw Malformed(offset: position) }
    return bytes[position]
  }

  private mutating func expect(_ byte: UInt8) throws {
    guard try peek() == byte else { throw Malformed(offset: position) }
    position += 1
  }

  /// The bytes of a string, with its escapes.
  private mutating func rawString() throws -> Text {
    try expect(UInt8(ascii: "\""))
    let start = position
    while position < count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        position += 1
        return Text(start: bytes + start, count: position - 1 - start)
      }
      position += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    throw Malformed(offset: start)
  }

  private mutating func string() throws -> String {
    let raw = try rawString()
    if memchr(raw.start, Int32(UInt8(ascii: "\\")), raw.count) == nil { return raw.string }
    var result: [UInt8] = []
    var index = 0
    while index < raw.count {
      var byte = raw.start[index]
      if byte == UInt8(ascii: "\\"), index + 1 < raw.count {
        index += 1
        switch raw.start[index] {
        case UInt8(ascii: "n"): byte = 0x0a
        case UInt8(ascii: "t"): byte = 0x09
        // A character outside of ASCII has no part in a declaration.
        case UInt8(ascii: "u"):
          byte = UInt8(ascii: "?")
          index += 4
        default: byte = raw.start[index]
        }
      }
      result.append(byte)
      index += 1
    }
    return String(decoding: result, as: UTF8.self)
  }

  private mutating func number() throws -> Int {
    var value = 0
    _ = try peek()
    while position < count, case let digit = bytes[position], digit >= 0x30, digit <= 0x39 {
      value = value &* 10 &+ Int(digit &- 0x30)
      position += 1
    }
    return value
  }

  private mutating func flag() throws -> Bool {
    let isTrue = try peek() == UInt8(ascii: "t")
    try skip()
    return isTrue
  }

  /// Calls `body` with each key of an object.
  private mutating func object(
    _ body: (inout TreeReader, Text) throws -> Void
  ) throws {
    try expect(UInt8(ascii: "{"))
    if try peek() == UInt8(ascii: "}") {
      position += 1
      return
    }
    while true {
      let key = try rawString()
      try expect(UInt8(ascii: ":"))
      try body(&self, key)
      if try peek() == UInt8(ascii: ",") {
        position += 1
        _ = try peek()
        continue
      }
      return try expect(UInt8(ascii: "}"))
    }
  }

  private mutating func array(_ body: (inout TreeReader) throws -> Void) throws {
    try expect(UInt8(ascii: "["))
    if try peek() == UInt8(ascii: "]") {
      position += 1
      return
    }
    while true {
      try body(&self)
      if try peek() == UInt8(ascii: ",") {
        position += 1
        continue
      }
      return try expect(UInt8(ascii: "]"))
    }
  }

  /// Skips a value, but records the locations in it.
  private mutating func skip() throws {
    switch try peek() {
    case UInt8(ascii: "{"):
      try object { reader, key in
        if key == "loc" || key == "begin" || key == "end" || key == "spellingLoc" || key == "expansionLoc" {
          _ = try reader.location()
        } else {
          try reader.skip()
        }
      }
    case UInt8(ascii: "["): try array { try $0.skip() }
    case UInt8(ascii: "\""): _ = try rawString()
    default:
      let start = position
      while position < count, case let byte = bytes[position], byte > 0x20, byte != UInt8(ascii: ","),
        byte != UInt8(ascii: "}"), byte != UInt8(ascii: "]")
      { position += 1 }
      if position == start { throw Malformed(offset: position) }
    }
  }

  // MARK: Declarations

  /// The file that includes another one, usually the same as the time before.
  private mutating func includer() throws {
    let raw = try rawString()
    if raw == lastIncluder { return }
    lastIncluder = raw
    includers.insert(raw.string)
  }

  /// A location; in a macro's expansion, the place where the macro is used.
  private mutating func location(_ length: UnsafeMutablePointer<Int>? = nil) throws -> Location {
    var result = Location()
    var expansion: Location?
    try object { reader, key in
      if key == "offset" {
        result.offset = try reader.number()
      } else if key == "file" {
        reader.file = try reader.string()
      } else if key == "line" {
        reader.line = try reader.number()
      } else if key == "tokLen" {
        let value = try reader.number()
        length?.pointee = value
      } else if key == "expansionLoc" {
        expansion = try reader.location(length)
      } else if key == "spellingLoc" {
        _ = try reader.location()
      } else if key == "includedFrom" {
        try reader.object { reader, _ in try reader.includer() }
      } else {
        try reader.skip()
      }
    }
    if let expansion { return expansion }
    if result.offset < 0 { return result }
    result.file = file
    result.line = line
    return result
  }

  /// The value of an attribute that aligns.
  private mutating func alignment() throws -> Int {
    var result = 0
    try object { reader, key in
      guard key == "inner" else { return try reader.skip() }
      try reader.array { reader in
        try reader.object { reader, key in
          if key == "value" { result = Int(try reader.string()) ?? 0 } else { try reader.skip() }
        }
      }
    }
    return result
  }

  private mutating func declaration() throws -> Declaration {
    let node = Declaration()
    try object { reader, key in try reader.member(key, of: node) }
    return node
  }

  private mutating func member(_ key: Text, of node: Declaration) throws {
    if key == "kind" {
      node.kind = try string()
    } else if key == "loc" {
      node.location = try location()
    } else if key == "range" {
      try object { reader, key in
        if key == "begin" {
          node.begin = try reader.location()
        } else {
          var length = 0
          node.end = try reader.location(&length)
          node.endLength = length
        }
      }
    } else if key == "name" {
      node.name = try string()
    } else if key == "type" {
      try object { reader, key in
        if key == "qualType" { node.type = try reader.string() } else { try reader.skip() }
      }
    } else if key == "tagUsed" {
      node.tag = try string()
    } else if key == "storageClass" {
      node.storage = try string()
    } else if key == "isImplicit" {
      node.isImplicit = try flag()
    } else if key == "completeDefinition" {
      node.isCompleteDefinition = try flag()
    } else if key == "inner" {
      try children(of: node)
    } else {
      try skip()
    }
  }

  private mutating func children(of node: Declaration) throws {
    guard
      [
        "TranslationUnitDecl", "RecordDecl", "FieldDecl", "FunctionDecl", "EnumDecl", "EnumConstantDecl", "TypedefDecl",
        "ParmVarDecl",
      ].contains(node.kind)
    else { return try skip() }
    try array { reader in
      let kind = try reader.kind()
      if kind == "DeprecatedAttr" { node.isDeprecated = true }
      if node.kind == "FunctionDecl", let obstacle = Obstacle(kind) { node.obstacle = obstacle }
      if kind == "EnumExtensibilityAttr" { node.isSwiftEnum = true }
      if kind == "FlagEnumAttr" { node.isOptionSet = true }
      if kind == "NonNullAttr", node.kind == "ParmVarDecl" { node.isNonnull = true }
      if kind == "ReturnsNonNullAttr" { node.isNonnull = true }
      if kind == "NonNullAttr", node.kind == "FunctionDecl" {
        node.nonnullAttributes.append(try reader.declaration())
      } else if kind == "AlignedAttr" {
        node.alignment = max(node.alignment, try reader.alignment())
      } else if kind.hasSuffix("Decl") {
        node.inner.append(try reader.declaration())
      } else if kind == "CompoundStmt", node.kind == "FunctionDecl" {
        node.hasBody = true
        try reader.uses(of: node, isUse: false)
      } else {
        try reader.skip()
      }
    }
  }

  /// Reads a statement of a body, and collects the parameters that it uses. `isUse` is true inside a call or an assignment.
  private mutating func uses(of node: Declaration, isUse: Bool) throws {
    var isUse = isUse
    try object { reader, key in
      if key == "kind" {
        let kind = try reader.rawString()
        isUse = isUse || Self.using.contains { kind == $0 }
      } else if key == "opcode" {
        let operation = try reader.rawString()
        isUse = isUse || operation == "="
      } else if key == "referencedDecl" {
        let referenced = try reader.declaration()
        if isUse, referenced.kind == "ParmVarDecl" { node.usedParameters.insert(referenced.name) }
      } else if key == "loc" {
        _ = try reader.location()
      } else if key == "inner" {
        try reader.array { reader in
          if try reader.peek() == UInt8(ascii: "{") {
            try reader.uses(of: node, isUse: isUse)
          } else {
            try reader.skip()
          }
        }
      } else {
        try reader.skip()
      }
    }
  }

  private static let using: [StaticString] = [
    "CallExpr", "VarDecl", "InitListExpr", "CompoundAssignOperator", "StmtExpr",
  ]

  /// The kind of the object that follows. Clang writes `id` and `kind` first.
  private mutating func kind() throws -> String {
    let start = position
    defer { position = start }
    var kind = ""
    guard try peek() == UInt8(ascii: "{") else { return kind }
    position += 1
    for _ in 0..<2 {
      if try peek() != UInt8(ascii: "\"") { return kind }
      let key = try rawString()
      try expect(UInt8(ascii: ":"))
      if try peek() != UInt8(ascii: "\"") { return kind }
      let value = try rawString()
      if key == "kind" { kind = value.string }
      if try peek() == UInt8(ascii: ",") { position += 1 }
    }
    return kind
  }
}
