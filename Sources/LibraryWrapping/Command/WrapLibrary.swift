#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The command `wrap-library`.
package enum WrapLibrary {
  /// Runs the command with its arguments and returns its exit code: 0, or 1 after a message on the standard error.
  package static func run(_ arguments: [String]) -> Int32 {
    do {
      let options = try CommandOptions(arguments)
      if options.isHelp || arguments.isEmpty {
        print(CommandOptions.usage, to: 1)
        return arguments.isEmpty ? 64 : 0
      }
      print(try run(options), to: 1)
      return 0
    } catch {
      print("wrap-library: \(error)\n", to: 2)
      return 1
    }
  }

  private static func print(_ text: String, to file: Int32) { _ = Files.write(Array(text.utf8), to: file) }

  /// Runs the command and returns its output.
  static func run(_ options: CommandOptions) throws -> String {
    let headers = try Headers(options.headers)
    let library = Library(headers)
    var missing: Set<String> = []
    if options.isWhole {
      let functions = library.functions.filter { !$0.declaration.isDeprecated }
      missing = headers.missing(
        functions.map(\.name), defined: Set(functions.filter(\.declaration.hasBody).map(\.name)), options.link)
      library.remove(missing)
    }
    let module = options.moduleName
    let choicesPath = options.choices ?? "\(options.output)/\(module)/\(module).choices"
    var choices = Choices()
    if !options.isList, let bytes = try Files.optionalContents(of: choicesPath) {
      choices = try Choices(String(decoding: bytes, as: UTF8.self), path: choicesPath)
      if options.isWhole {
        try choices.addMethods(to: library, path: choicesPath)
        try choices.checkPointers(library, path: choicesPath)
        library.retype { choices.pointer($0, $1, in: library)?.type }
      }
    }
    let (classifier, sites) = Classifier.classified(library)
    if options.isList { return options.isJSON ? Report.json(sites) : Report.table(sites) }
    if sites.isEmpty, !options.isWhole || library.functions.isEmpty {
      let missing = options.isWhole ? "functions" : "callbacks"
      return "\(options.headers.headers.joined(separator: ", ")) has no \(missing). Nothing was written.\n"
    }
    try choices.check(sites, library, isWhole: options.isWhole, path: choicesPath)
    choices.decideForAll(options.thread, options.fails)
    choices.drive(options.drive)
    var objects = options.isWhole ? LibraryObjects(classifier) : nil
    objects?.apply(choices)
    let chosen = choices
    if options.asks {
      let asking = Asking(sites, library, objects) { choices, only in
        var writer = SwiftWriter(library, sites, module: module, link: [], choices: choices)
        writer.only = only
        writer.objects = objects
        writer.isStrict = options.isStrict
        return try? writer.write()
      }
      choices = try asking.ask(choices)
    }
    let link = options.link.isEmpty ? try Packages.libraries(options.headers.packages) : options.link
    var writer = SwiftWriter(library, sites, module: module, link: link, choices: choices)
    writer.folder = options.output
    writer.isStrict = options.isStrict
    writer.objects = objects
    var output = try writer.write()
    let effects = Effects(
      choices: choices, library: library, objects: objects, sites: sites, output: output, asks: options.asks,
      answered: choices.keys(changedFrom: chosen))
    let (notes, useless) = try effects.check(path: choicesPath)
    for key in useless { choices.restore(key, from: chosen) }
    output.unwrapped += missing.sorted().map { ($0, Unwrapped("The library does not have it.")) }
    // A class may have the name of the module.
    let main = output.files.contains { $0.name == module } ? module + "Library" : module
    let written = [(name: main, text: output.swift)] + output.files
    let formatted = Formatter.format(written.map(\.text), clang: options.headers.clang)
    let files =
      zip(written, formatted).map { ("\(options.output)/\(module)/\($0.name).swift", $1) } + [
        ("\(options.output)/C\(module)/shim.h", output.shim),
        ("\(options.output)/C\(module)/module.modulemap", output.moduleMap),
      ]
    if !options.isForced, let existing = files.first(where: { Files.exists($0.0) }) {
      throw WrappingError(
        "\(existing.0) is there already. Run it again with --force to overwrite it; your choices are kept.")
    }
    try FileSet.write(files + [(choicesPath, choices.text(sites, writer, command: options.command))])
    // The classes of an earlier run would be declared twice, or call functions that are gone.
    FileSet.removeOthers(files.map(\.0), in: "\(options.output)/\(module)", mark: SwiftWriter.mark)
    return try summary(library, sites, choices, output, options, files.map(\.0) + [choicesPath], notes)
  }

  private static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

  private static func summary(
    _ library: Library, _ sites: [ClassifiedSite], _ choices: Choices, _ output: SwiftWriter.Output,
    _ options: CommandOptions,
    _ files: [String], _ notes: [String]
  ) throws -> String {
    let skipped = Set(output.skipped.map(\.key))
    let asked = sites.count {
      $0.role.value == .callback && $0.certainty == .asked && !skipped.contains($0.site.key)
        && choices.bySite[$0.site.key] == nil
    }
    var text =
      "\(counted(sites.count, "callback")) found: \(sites.count - output.skipped.count) written, \(output.skipped.count) skipped"
    if options.isWhole {
      text =
        "\(counted(library.functions.count, "function")) found: \(output.functions.count) written, \(output.unwrapped.count) skipped.\n"
        + text
    }
    text += asked == 0 ? ".\n" : ", \(asked) with a safe default because the headers don't decide.\n"
    for file in files { text += "  \(file)\n" }
    var reasons: [(reason: String, count: Int)] = []
    for skipped in output.skipped.map({ ($0.key, reason: $0.reason) })
      + output.unwrapped.map({ ($0.function, reason: $0.why.reason) })
    {
      if let index = reasons.firstIndex(where: { $0.reason == skipped.reason }) {
        reasons[index].count += 1
      } else {
        reasons.append((skipped.reason, 1))
      }
    }
    for entry in reasons { text += "  skipped \(entry.count): \(entry.reason)\n" }
    if !output.assumed.isEmpty {
      text +=
        "  check what \(counted(output.assumed.count, "pointer")) of functions \(output.assumed.count == 1 ? "is" : "are") for: only names say it. The end of the choices lists them.\n"
    }
    if !output.freed.isEmpty {
      text +=
        "  check who frees what \(counted(output.freed.count, "function")) \(output.freed.count == 1 ? "gives" : "give"): only comments say it. The choices list the sentences.\n"
    }
    let isLinked = !options.link.isEmpty || !options.headers.packages.isEmpty
    if !isLinked, library.functions.contains(where: { !$0.declaration.hasBody }) {
      text += "  check which library has the functions: the module links none. Add --link NAME, or --pkg-config NAME.\n"
    }
    for doubt in notes + choices.doubts(sites, output.hooks) { text += "  check \(doubt)\n" }
    let module = options.moduleName
    let products = (["Callbacks"] + (choices.driven.isEmpty ? [] : ["EventLoops"]))
      .map { ".product(name: \"\($0)\", package: \"headwater\")" }.joined(separator: ", ")
    let package =
      options.headers.packages.first.flatMap { name in
        Packages.isNeeded(name) ? ", pkgConfig: \"\(name)\"" : nil
      } ?? ""
    text += """
      In Package.swift, where "headwater" is the last part of the path or URL in your dependency:
        .systemLibrary(name: "C\(module)"\(package)),
        .target(name: "\(module)", dependencies: ["C\(module)", \(products)],
          exclude: ["\(module).choices"]
      """
    let directories = try searched(options.headers)
    if directories.isEmpty { return text + "),\n" }
    let flags = directories.map { "\"-Xcc\", \"-I\($0)\"" }.joined(separator: ", ")
    return text + """
      ,
          swiftSettings: [.unsafeFlags([\(flags)])]),
      Give the same swiftSettings to each target that imports C\(module), because SwiftPM does not pass them on.

      """
  }

  /// The directories that neither the compiler nor `pkgConfig:` searches, which names one package.
  private static func searched(_ options: HeaderOptions) throws -> [String] {
    let flags = try Packages.flags(Array(options.packages.dropFirst())).filter { $0.hasPrefix("-I") }
    var directories: [String] = []
    for path in options.includePaths + flags.map({ String($0.dropFirst(2)) }) {
      let directory = Files.resolved(path)
      if !Headers.shared.contains(directory), !directories.contains(directory) { directories.append(directory) }
    }
    return directories
  }
}
