import Foundation

/// Counts the parameters and fields that are function pointers with a second, independent reader: by the text of clang's types.
enum IndependentCount {
  struct Failure: Error {}

  /// The sites, as `function/index` and as `ID.field`, with the ID of the record, for the fields of the files that count.
  static func sites(_ arguments: [String], counts: (String) -> Bool) throws -> (
    parameters: Set<String>, fields: Set<String>
  ) {
    var flags: [String] = []
    var text = ""
    var iterator = arguments.makeIterator()
    while let argument = iterator.next() {
      if argument == "--pkg-config" {
        let output = try run(["pkg-config", "--cflags", iterator.next() ?? ""], "")
        flags += String(decoding: output, as: UTF8.self).split { $0.isWhitespace }.map(String.init)
      } else if argument.hasPrefix("-") {
        flags.append(argument)
      } else {
        text += "#include <\(argument)>\n"
      }
    }
    let json = try run(["clang"] + flags + ["-x", "c", "-Xclang", "-ast-dump=json", "-fsyntax-only", "-w", "-"], text)
    guard let tree = try JSONSerialization.jsonObject(with: json) as? [String: Any],
      let inner = tree["inner"] as? [[String: Any]]
    else {
      throw Failure()
    }
    var counter = Counter()
    counter.typedefs(inner)
    return counter.count(inner, files: try files(json), counts)
  }

  /// The file of each top-level declaration. Clang names a file only if it differs from the previous one, so the text is read
  /// in order, which a dictionary does not preserve.
  private static func files(_ json: Data) throws -> [String: String] {
    var file = ""
    var result: [String: String] = [:]
    var identifier = ""
    var isIncluder = false
    for line in String(decoding: json, as: UTF8.self).split(separator: "\n") {
      let trimmed = line.drop { $0 == " " }
      if trimmed.hasPrefix("\"includedFrom\"") { isIncluder = true }
      if trimmed.hasPrefix("\"file\": \"") {
        if !isIncluder { file = String(trimmed.dropFirst(9).prefix { $0 != "\"" }) }
        isIncluder = false
      }
      let depth = line.count - trimmed.count
      if depth == 6, trimmed.hasPrefix("\"id\": ") { identifier = String(trimmed.dropFirst(7).prefix { $0 != "\"" }) }
      // The range follows the location, so `file` is known here.
      if depth == 6, trimmed.hasPrefix("\"range\""), !identifier.isEmpty { result[identifier] = file }
    }
    return result
  }

  private static func run(_ command: [String], _ input: String) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    let (into, out) = (Pipe(), Pipe())
    process.standardInput = into
    process.standardOutput = out
    try process.run()
    into.fileHandleForWriting.write(Data(input.utf8))
    try into.fileHandleForWriting.close()
    let data = out.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw Failure() }
    return data
  }

  private struct Counter {
    var functionTypes: Set<String> = []

    /// Finds the names of types that are functions or pointers to functions.
    mutating func typedefs(_ declarations: [[String: Any]]) {
      for declaration in declarations where declaration["kind"] as? String == "TypedefDecl" {
        guard let name = declaration["name"] as? String, let type = type(of: declaration) else { continue }
        if isFunction(type)
          || type.hasSuffix(")") && type.contains("(") && !type.contains("(unnamed") && !type.hasPrefix("__attribute__")
        {
          functionTypes.insert(name)
        }
      }
    }

    private func type(of declaration: [String: Any]) -> String? {
      (declaration["type"] as? [String: Any]).flatMap {
        $0["desugaredQualType"] as? String ?? $0["qualType"] as? String
      }
    }

    func isFunction(_ type: String) -> Bool {
      if type.contains(/\(\*+\s*(?:const|restrict|volatile|\[\d*\]|\s)*\)\s*\(/) { return true }
      var name = type
      for word in ["const ", "*", "restrict", "volatile "] { name = name.replacingOccurrences(of: word, with: "") }
      name = name.replacingOccurrences(of: #"\[\d*\]"#, with: "", options: .regularExpression)
      return functionTypes.contains(name.trimmingCharacters(in: .whitespaces))
    }

    func isSite(_ declaration: [String: Any]) -> Bool {
      guard let types = declaration["type"] as? [String: Any] else { return false }
      return [types["desugaredQualType"], types["qualType"]].contains { ($0 as? String).map(isFunction) ?? false }
    }

    func count(
      _ declarations: [[String: Any]], files: [String: String], _ counts: (String) -> Bool
    ) -> (parameters: Set<String>, fields: Set<String>) {
      var (parameters, fields): (Set<String>, Set<String>) = ([], [])
      for declaration in declarations {
        guard let id = declaration["id"] as? String, counts(files[id] ?? "") else { continue }
        let inner = declaration["inner"] as? [[String: Any]] ?? []
        switch declaration["kind"] as? String {
        case "FunctionDecl":
          let all = inner.filter { $0["kind"] as? String == "ParmVarDecl" }
          for (index, parameter) in all.enumerated() where isSite(parameter) {
            parameters.insert("\(declaration["name"] as? String ?? "")/\(index)")
          }
        case "RecordDecl": collect(inner, id, &fields)
        default: break
        }
      }
      return (parameters, fields)
    }

    private func collect(_ members: [[String: Any]], _ owner: String, _ fields: inout Set<String>) {
      for member in members {
        if member["kind"] as? String == "FieldDecl", isSite(member) {
          fields.insert("\(owner).\(member["name"] as? String ?? "")")
        }
        if member["kind"] as? String == "RecordDecl" {
          collect(member["inner"] as? [[String: Any]] ?? [], member["id"] as? String ?? "", &fields)
        }
      }
    }
  }
}
