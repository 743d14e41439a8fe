/// The arguments of the command.
struct CommandOptions {
  var headers = HeaderOptions()
  var isList = false
  var isJSON = false
  var isHelp = false
  var isForced = false
  /// True if the command asks for what the headers do not tell.
  var asks = false
  /// True if functions are skipped of whose pointers only names say what they are for.
  var isStrict = false
  /// True if the whole library is wrapped, and not its callbacks alone.
  var isWhole = true
  var module: String?
  var output = "Sources"
  var choices: String?
  /// The thread that calls all callbacks.
  var thread: Choices.Thread?
  /// The results of all functions that mean a failure.
  var fails: FailureRule?
  var link: [String] = []
  /// The objects that run on a loop, with their functions.
  var drive: [String] = []
  /// The arguments that wrote the files, as a shell reads them.
  private(set) var command = ""

  static let usage = """
    Usage: wrap-library HEADER… [options]

    Reads C headers and writes a Swift library: objects, methods, errors, values, and each callback as a stream, an
    operation, a handler, or a method of a delegate.

      HEADER               a header as #include names it, or a path; several are included in this order
      -I DIR, -D NAME      directories to search, and macros to define
      --pkg-config NAME    takes the flags and the libraries of a package
      --only PATH          the file or directory whose declarations count; by default the directory of the header
      --callbacks          writes the callbacks alone, as extensions of objects that the program makes
      --ask                asks on the terminal for what the headers do not tell; the answers become choices
      --strict             skips the functions of whose pointers only names say what they are for
      --list               prints what was found and decided, and writes nothing
      --json               the same as JSON
      --module NAME        the name of the Swift module; by default that of the package or of the header
      --output DIR         where the modules are written; by default Sources
      --choices FILE       the file of choices; by default NAME.choices beside the Swift file
      --thread THREAD      the thread that calls all callbacks: caller, loop, library, or user
      --fails RULE         the results of all functions that mean a failure: negative, nonzero, zero, or never
      --drive TYPE         runs the objects of a type on the loop; TYPE=ROLE:FUNCTION,… names the functions
      --link NAME          a library to link
      --force              overwrites files that are there
      --clang PATH         the clang to use; by default the one of the Swift toolchain

    """

  init(_ arguments: [String]) throws {
    command = arguments.filter { $0 != "--force" && $0 != "--ask" }.map(Self.quoted).joined(separator: " ")
    var iterator = arguments.makeIterator()
    func value(_ option: String) throws -> String {
      guard let value = iterator.next(), !value.isEmpty else {
        throw WrappingError("\(option) needs a value. See wrap-library --help.")
      }
      if value.contains(where: \.isNewline) {
        throw WrappingError("The value of \(option) has a line break. Remove it.")
      }
      return value
    }
    while let argument = iterator.next() {
      switch argument {
      case "--help", "-h": isHelp = true
      case "--list": isList = true
      case "--json":
        isList = true
        isJSON = true
      case "--force": isForced = true
      case "--ask": asks = true
      case "--callbacks": isWhole = false
      case "--strict": isStrict = true
      case "--pkg-config": headers.packages.append(try value(argument))
      case "--only": headers.only.append(try value(argument))
      case "--module": module = try value(argument)
      case "--output": output = try value(argument)
      case "--choices": choices = try value(argument)
      case "--thread":
        let name = try value(argument)
        guard let chosen = Choices.Thread(rawValue: name) else { throw WrappingError(Choices.Thread.message(name)) }
        thread = chosen
      case "--fails":
        let name = try value(argument)
        guard let chosen = FailureRule(chosen: name) else { throw WrappingError(FailureRule.message(name)) }
        fails = chosen
      case "--link": link.append(try value(argument))
      case "--drive": drive.append(try value(argument))
      case "--clang": headers.clang = try value(argument)
      case "-I": headers.includePaths.append(try value(argument))
      case "-D": headers.defines.append(try value(argument))
      default:
        if argument.hasPrefix("-I") {
          headers.includePaths.append(String(argument.dropFirst(2)))
        } else if argument.hasPrefix("-D") {
          headers.defines.append(String(argument.dropFirst(2)))
        } else if argument.hasPrefix("-") {
          throw WrappingError("There is no option \(argument). See wrap-library --help.")
        } else {
          headers.headers.append(argument)
        }
      }
    }
    if let module,
      module.first?.isLetter != true || Names.upper([module]) != module
        || module.contains(where: { !$0.isLetter && !$0.isNumber && $0 != "_" })
    {
      throw WrappingError("\(module) is no name for a module. Begin with a capital, and use letters and digits.")
    }
    if let module, Self.taken.contains(module) {
      throw WrappingError(
        "\(module) is the name of another module that the code uses. Choose another name: --module NAME.")
    }
  }

  /// `usb` of `libusb-1.0`, `gtk+` of `gtk+-3.0`. Nil if no name is left.
  private static func plain(_ package: String) -> String? {
    let parts = package.split(separator: "-")
    let names = parts.prefix { part in !part.allSatisfy { $0.isNumber || $0 == "." } }.joined(separator: "-")
    let plain = names.hasPrefix("lib") ? String(names.dropFirst(3)) : names
    return plain.first?.isLetter == true ? plain : nil
  }

  /// The argument as a POSIX shell reads it.
  private static func quoted(_ argument: String) -> String {
    let isPlain = argument.allSatisfy { $0.isLetter || $0.isNumber || "_-./=,:+@%".contains($0) }
    if isPlain, !argument.isEmpty { return argument }
    return "'" + argument.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
  }

  /// The modules that the written code, or a program that uses it, imports.
  private static let taken: Set<String> = [
    "Callbacks", "Delegates", "EventLoops", "FileWatching", "Foundation", "Glibc", "Headwater", "Properties", "Stores",
    "Streams",
    "StreamsTesting", "Swift", "Synchronization", "Testing",
  ]

  /// The module's name: the given one, or one derived from the name of the package or of the last header.
  var moduleName: String {
    if let module { return module }
    let header = headers.headers.last ?? "Library"
    let file = header.split(separator: "/").last ?? "Library"
    let base = headers.packages.first.flatMap(Self.plain) ?? String(file.prefix { $0 != "." })
    let words = Words.split(base.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined())
    let name = Names.upper(words)
    return name.first?.isLetter != true || Self.taken.contains(name) ? "Lib" + name : name
  }
}
