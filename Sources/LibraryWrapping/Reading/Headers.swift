/// The declarations of headers, with the texts that they come from.
final class Headers {
  let options: HeaderOptions
  /// All declarations at the top level, also those of the system's headers.
  let declarations: [Declaration]
  /// The flags of pkg-config and the options.
  let flags: [String]
  private var files: [String: SourceFile] = [:]
  private var scopes: [String: Bool] = [:]
  private let roots: [String]
  /// The source that includes the headers.
  private let text: String
  /// The files that the headers' names stand for.
  let paths: [String]

  /// Reads headers with clang.
  init(_ options: HeaderOptions) throws {
    self.options = options
    if options.headers.isEmpty { throw WrappingError("No header is named. Name at least one, such as sqlite3.h.") }
    flags =
      try Packages.flags(options.packages) + options.includePaths.map { "-I" + $0 } + options.defines.map { "-D" + $0 }
    text =
      Self.systemTypes
      + options.headers.map { header in
        Files.exists(header) ? "#include \"\(Files.resolved(header))\"\n" : "#include <\(header)>\n"
      }.joined()
    let output = try Self.run(options, flags, text)
    var seen: Set<String>
    do {
      (declarations, seen) = try TreeReader.read(output)
    } catch {
      throw WrappingError(
        "The output of \(options.clang) can't be read. Use the clang of the Swift toolchain: --clang PATH.")
    }
    for declaration in declarations { seen.insert(declaration.location.file) }
    let directories = flags.filter { $0.hasPrefix("-I") }.map { $0.dropFirst(2) + "/" }
    paths = Self.counted(options.headers).flatMap { header in
      if Files.exists(header) { return [Files.resolved(header)] }
      if let found = directories.map({ $0 + header }).first(where: { seen.contains($0) }) { return [found] }
      // The kernel has a linux/seccomp.h beside the library's seccomp.h.
      let found = seen.filter { $0.hasSuffix("/" + header) }.sorted()
      return found.min { $0.utf8.count < $1.utf8.count }.map { [$0] } ?? []
    }
    roots = options.only.map { Files.resolved($0) }
  }

  /// Headers of the system that define types that libraries only declare, such as `struct hostent`. Swift may know those types
  /// from its own modules, so the tool and the shim have to know them, too. They come first, so that a header that asks for other
  /// features of the C library gets the types that Swift knows.
  static let systemTypes = [
    "grp.h", "netdb.h", "netinet/in.h", "poll.h", "pwd.h", "regex.h", "sys/socket.h", "sys/stat.h", "sys/time.h",
    "sys/uio.h", "sys/utsname.h", "termios.h", "time.h", "utime.h",
  ]
  .map { "#include <\($0)>\n" }.joined()

  /// The headers whose declarations count. A header of the C library that precedes others only serves those.
  private static func counted(_ headers: [String]) -> [String] {
    let counted = headers.filter { header in
      !standard.contains(header) && !["sys/", "netinet/", "arpa/", "linux/", "net/"].contains { header.hasPrefix($0) }
    }
    return counted.isEmpty ? headers : counted
  }

  private static let standard: Set<String> = [
    "assert.h", "ctype.h", "errno.h", "fcntl.h", "inttypes.h", "limits.h", "locale.h", "math.h", "netdb.h", "poll.h",
    "pthread.h", "pwd.h", "signal.h", "stdarg.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h",
    "string.h",
    "strings.h", "time.h", "unistd.h", "wchar.h",
  ]

  /// All macros without parameters that are defined after the headers, and what they stand for.
  private(set) lazy var macros: [String: String] = {
    let command = [options.clang] + flags + ["-x", "c", "-dM", "-E", "-w", "-"]
    guard let process = FinishedProcess.run(command, input: text), process.status == 0 else { return [:] }
    let lines = process.text.split(separator: "\n").compactMap { line -> (String, String)? in
      let parts = line.split(separator: " ", maxSplits: 2)
      guard parts.count > 1, !parts[1].contains("(") else { return nil }
      return (String(parts[1]), parts.count > 2 ? String(parts[2]) : "")
    }
    return Dictionary(lines) { _, last in last }
  }()

  /// The functions that the headers declare and the libraries do not have. Empty if the libraries can't be linked here.
  ///
  /// `defined` are those that the headers define. They say nothing about the libraries.
  func missing(_ functions: [String], defined: Set<String>, _ link: [String]) -> Set<String> {
    let linking = (try? Packages.linking(options.packages)) ?? []
    let libraries = link.map { "-l" + $0 }
    let list = functions.map { "(void *)\($0)" }.joined(separator: ", ")
    let source = text + "void *const wrapped[] = {\(list)};\nint main(void) { return wrapped[0] == 0; }\n"
    let command =
      [options.clang] + flags + ["-x", "c", "-w", "-", "-o", "/dev/null"] + linking + libraries
    guard !functions.isEmpty, let process = FinishedProcess.run(command, input: source), process.status != 0 else {
      return []
    }
    let names = process.errors.split(separator: "\n").compactMap { line -> String? in
      guard let found = line.firstRange(of: "undefined reference to ") ?? line.firstRange(of: "undefined symbol: ")
      else {
        return nil
      }
      return Words.identifiers(String(line[found.upperBound...])).first.map(String.init)
    }
    // If nearly all are missing, the library itself is. Of a header for three widths of text, two thirds can be missing.
    let (lost, declared) = (Set(names).subtracting(defined), Set(functions).subtracting(defined))
    return lost.count * 10 > declared.count * 9 ? [] : Set(names)
  }

  private static func run(_ options: HeaderOptions, _ flags: [String], _ text: String) throws -> [UInt8] {
    let command =
      [options.clang] + flags + [
        "-x", "c", "-Xclang", "-ast-dump=json", "-fsyntax-only", "-fno-color-diagnostics", "-w", "-",
      ]
    guard let process = FinishedProcess.run(command, input: text) else {
      throw WrappingError(
        "There is no \(options.clang). Install the Swift toolchain, which contains clang, or name one: --clang PATH.")
    }
    if process.status != 0 {
      throw HeaderFailure.error(options, flags, process.errors)
    }
    return process.output
  }

  func source(_ path: String) -> SourceFile {
    if let file = files[path] { return file }
    let file = SourceFile(path)
    files[path] = file
    return file
  }

  /// The files whose declarations count, in a fixed order.
  private(set) lazy var countedFiles: [String] = {
    // A file of macros alone declares nothing.
    let command = [options.clang] + flags + ["-x", "c", "-M", "-w", "-"]
    let included = FinishedProcess.run(command, input: text)?.text.split { " \\\n".contains($0) }.dropFirst() ?? []
    return Set(declarations.map(\.location.file) + included.map(String.init)).filter(counts).sorted()
  }()

  /// True if the declarations in the file at `path` count.
  func counts(_ path: String) -> Bool {
    if let known = scopes[path] { return known }
    let result = isInScope(path)
    scopes[path] = result
    return result
  }

  /// True if a header was named by its path. These come first, wherever they are, so that the output does not depend on it.
  func isNamedByPath(_ path: String) -> Bool {
    options.headers.contains { Files.exists($0) && Files.resolved($0) == Files.resolved(path) }
  }

  /// Directories of many libraries, which compilers search.
  static let shared: Set<String> = ["/usr/include", "/usr/local/include", "/opt/homebrew/include"]

  private func isInScope(_ path: String) -> Bool {
    if path.isEmpty || path.hasPrefix("<") { return false }
    let file = Files.resolved(path)
    if !roots.isEmpty { return roots.contains { file == $0 || file.hasPrefix($0 + "/") } }
    return paths.contains { header in
      let header = Files.resolved(header)
      if file == header { return true }
      guard let slash = header.lastIndex(of: "/") else { return false }
      let directory = header[..<slash]
      guard file.hasPrefix(directory + "/") else { return false }
      // A directory of many libraries: the header's own files are those whose names begin as its name does.
      let isShared =
        Self.shared.contains(String(directory))
        || directory.hasPrefix("/usr/include/") && directory.hasSuffix("-linux-gnu")
      guard isShared else { return true }
      let name = header[header.index(after: slash)...]
      let stem = name.prefix { $0 != "." }
      return file.dropFirst(directory.count + 1).hasPrefix(stem)
    }
  }
}
