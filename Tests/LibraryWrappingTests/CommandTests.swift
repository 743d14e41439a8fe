import Foundation
import Testing

@testable import LibraryWrapping

/// The program itself: its exit codes, its output, and the files that it writes.
@Suite("Command", .enabled(if: FileManager.default.fileExists(atPath: Built.command)))
struct CommandTests {
  private static let two = "void f(void (*g)(void *), void *context); void h(void (*g)(void *), void *context);"

  /// A run that fails.
  struct Failure: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var header: String
    var arguments: [String] = []
    var choices = ""
    var messages: [String]
  }

  private static let failures = [
    Failure(
      testDescription: "a header that does not compile", header: "int broken(", arguments: ["-D", "COLOR=red"],
      messages: ["library.h:1:", "error: ", "Flags: -DCOLOR=red"]),
    Failure(
      testDescription: "a header that names the one before it", header: "#error include <stdio.h> before this",
      messages: ["name <stdio.h> before"]),
    Failure(
      testDescription: "a header that uses a type of another one", header: "void f(DIR *);",
      messages: ["name dirent.h before"]),
    Failure(
      testDescription: "a header that needs the fields of a type of another one",
      header: "struct sockaddr_un; struct place { struct sockaddr_un address; };", messages: ["name sys/un.h before"]),
    Failure(
      testDescription: "a header of C++", header: "namespace a { class B; }",
      messages: ["written in C++", "write a header of C functions"]),
    Failure(
      testDescription: "a package that is not there", header: two, arguments: ["--pkg-config", "of-nowhere"],
      messages: ["of-nowhere.pc", "Install the development package"]),
    Failure(
      testDescription: "a header that is not there", header: "#include \"of-nowhere.h\"",
      messages: ["'of-nowhere.h' file not found", "-I"]),
    Failure(
      testDescription: "two callbacks with one name", header: two, choices: "f/0 name=same\nh/0 name=same",
      messages: ["h/0 and f/0 both become same", "name="]),
    Failure(
      testDescription: "choices of a newer version", header: two, choices: "# wrap-library choices 2",
      messages: ["version 2", "Update Headwater"]),
    Failure(
      testDescription: "a choice that does not fit", header: two, choices: "\ngone/1 skip",
      messages: ["choices:2: The headers have no gone/1."]),
    Failure(
      testDescription: "an option without a value", header: two, arguments: ["--drive", ""],
      messages: ["--drive needs a value"]),
    Failure(
      testDescription: "a value with a line break", header: two, arguments: ["-D", "A=1\nB=2"],
      messages: ["-D has a line break"]),
    Failure(
      testDescription: "choices that are a directory", header: two, arguments: ["--choices", "/tmp"],
      messages: ["/tmp can't be read: Is a directory. Nothing was changed."]),
    Failure(
      testDescription: "an option that does not exist", header: two, arguments: ["--nothing"],
      messages: ["There is no option --nothing", "--help"]),
  ]

  private func run(_ folder: borrowing HeaderTests.Folder, _ arguments: [String]) throws -> FinishedProcess {
    let own = [Built.command, folder.path + "/library.h", "--output", folder.path + "/Sources"]
    return try #require(FinishedProcess.run(own + arguments))
  }

  private func files(_ folder: borrowing HeaderTests.Folder) -> [String] {
    (FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []).sorted()
  }

  @Test(arguments: failures)
  func `a failure ends with 1, says what to do, and leaves no file`(_ failure: Failure) throws {
    let folder = try HeaderTests.Folder(["library.h": failure.header, "choices": failure.choices])
    let before = files(folder)
    let choices = failure.choices.isEmpty ? [] : ["--choices", folder.path + "/choices"]
    let process = try run(folder, failure.arguments + choices)
    #expect(process.status == 1)
    #expect(process.text.isEmpty)
    for message in failure.messages { #expect(process.errors.contains(message), "\(process.errors)") }
    #expect(files(folder) == before)
  }

  @Test func `a package of the built-in table that is not there has the name of Debian's package`() throws {
    let folder = try HeaderTests.Folder(["library.h": Self.two])
    let before = files(folder)
    // pkg-config finds nothing, whichever packages are installed.
    let process = try #require(
      FinishedProcess.run([
        "env", "PKG_CONFIG_LIBDIR=\(folder.path)", "PKG_CONFIG_PATH=", Built.command, folder.path + "/library.h",
        "--output", folder.path + "/Sources", "--pkg-config", "expat",
      ]))
    #expect(process.status == 1)
    #expect(process.text.isEmpty)
    #expect(process.errors.contains("pkg-config finds no expat.pc. Install it: sudo apt-get install libexpat1-dev"))
    #expect(files(folder) == before)
  }

  @Test func `without arguments it prints how to use it and fails, and with --help it does not fail`() throws {
    for (arguments, code) in [([], 64), (["--help"], 0), (["-h"], 0)] as [([String], Int32)] {
      let process = try #require(FinishedProcess.run([Built.command] + arguments))
      #expect(process.status == code)
      #expect(process.text.hasPrefix("Usage: wrap-library HEADER… [options]"))
      #expect(process.errors.isEmpty)
    }
  }

  @Test func `a machine without pkg-config, or without clang, is named`() throws {
    let folder = try HeaderTests.Folder(["library.h": Self.two])
    for (arguments, message) in [(["--pkg-config", "expat"], "There is no pkg-config."), ([], "There is no clang.")] {
      let process = try #require(
        FinishedProcess.run(
          [
            "env", "PATH=\(folder.path)", Built.command, folder.path + "/library.h", "--output", folder.path,
          ] + arguments))
      #expect(process.status == 1)
      #expect(process.errors.contains(message), "\(process.errors)")
    }
  }

  @Test(arguments: [
    ("int nothing(int);", ["--callbacks"], "has no callbacks"), ("struct nothing { int a; };", [], "has no functions"),
  ])
  func `a header without anything to write ends with 0 and leaves no file`(
    _ header: String, _ options: [String], _ message: String
  ) throws {
    let folder = try HeaderTests.Folder(["library.h": header])
    let process = try run(folder, options)
    #expect(process.status == 0)
    #expect(process.text.contains(message))
    #expect(files(folder) == ["library.h"])
  }

  @Test func `what a header leaves open is asked, and the answers become choices`() throws {
    let header = """
      struct shop; struct sale;
      struct shop *shop_new(void);
      void shop_free(struct shop *);
      void sale_free(struct sale *);
      /* Makes a sale. */
      struct sale *shop_sale(struct shop *, int number);
      int shop_watch(struct shop *, void (*seen)(void *context, int), void *context);
      """
    let folder = try HeaderTests.Folder(["library.h": header])
    func run(_ input: String, _ others: [String] = []) throws -> FinishedProcess {
      let command = [Built.command, folder.path + "/library.h", "--output", folder.path + "/Sources", "--ask"] + others
      return try #require(FinishedProcess.run(command, input: input))
    }
    let asked = try run("2\nnothing\n9\n3\n2\n")
    #expect(asked.status == 0)
    for text in [
      "1. Which thread calls, where the header says nothing (callbacks: 1)?", "2. Which results are failures",
      "3. Who frees what shop_sale returns?", "Makes a sale.",
      "public func sale(_ number: Int32) throws(LibraryFailure) -> Sale", "public func sale(_ number: Int32) -> Sale?",
      "There are no more questions.",
    ] {
      #expect(asked.text.contains(text), "\(text): \(asked.text)")
    }
    let choices = try String(contentsOfFile: folder.path + "/Sources/Library/Library.choices", encoding: .utf8)
    #expect(choices.contains("\n* thread=caller fails=nonzero\n") && choices.contains("\nshop_sale owns=yes\n"))
    #expect(choices.contains("# Command: wrap-library ") && !choices.contains("--ask"))
    // What is answered is not asked again, and `q` leaves the rest open.
    #expect(try run("q\n", ["--force"]).text.hasPrefix("The headers and the choices decide everything."))
    let other = try HeaderTests.Folder(["library.h": header])
    let left = try #require(
      FinishedProcess.run(
        [Built.command, other.path + "/library.h", "--output", other.path + "/Sources", "--ask"], input: "2\nq\n"))
    #expect(left.status == 0 && left.text.contains("2. Which") && !left.text.contains("3. Who"))
  }

  @Test func `each object has a file of its own, and a later run leaves none that nothing needs`() throws {
    let header = """
      struct door; struct wall; struct sale;
      struct door *door_new(void);
      void door_free(struct door *);
      int door_width(const struct door *);
      struct wall *wall_new(void);
      void wall_free(struct wall *);
      int wall_height(const struct wall *);
      void door_place(struct door *, struct sale *sale);
      """
    let folder = try HeaderTests.Folder(["library.h": header])
    #expect(try run(folder, []).status == 0)
    let all = ["Door.swift", "Library.swift", "LibraryValues.swift", "Sale.swift", "Wall.swift"]
    func written() -> [String] {
      let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/Sources/Library")
      return (names ?? []).filter { $0.hasSuffix(".swift") }.sorted()
    }
    #expect(written() == all.filter { $0 != "LibraryValues.swift" })
    let mine = folder.path + "/Sources/Library/Mine.swift"
    try "// Written by hand.".write(toFile: mine, atomically: true, encoding: .utf8)
    let choices = folder.path + "/Sources/Library/Library.choices"
    try "* skip\ndoor_width".write(toFile: choices, atomically: true, encoding: .utf8)
    #expect(try run(folder, ["--force"]).status == 0)
    #expect(written() == ["Door.swift", "Library.swift", "Mine.swift"])
  }

  @Test func `a file that is there is overwritten by force alone, and the choices stay`() throws {
    let folder = try HeaderTests.Folder(["library.h": Self.two])
    #expect(try run(folder, []).status == 0)
    let swift = folder.path + "/Sources/Library/Library.swift"
    let choices = folder.path + "/Sources/Library/Library.choices"
    try "mine".write(toFile: swift, atomically: true, encoding: .utf8)
    let edited = try String(contentsOfFile: choices, encoding: .utf8)
      .replacingOccurrences(of: "name=hs", with: "name=hears")
    try edited.write(toFile: choices, atomically: true, encoding: .utf8)
    #expect(edited.contains("name=hears"))
    let again = try run(folder, [])
    #expect(again.status == 1)
    #expect(again.errors.contains("--force"))
    #expect(try String(contentsOfFile: swift, encoding: .utf8) == "mine")
    #expect(try run(folder, ["--force"]).status == 0)
    #expect(try String(contentsOfFile: swift, encoding: .utf8).contains("func hears("))
    #expect(try String(contentsOfFile: choices, encoding: .utf8) == edited)
  }

  @Test func `a folder that can't be written leaves nothing half-written`() throws {
    // The Swift file could be written, but the folder of the shim is a file.
    let folder = try HeaderTests.Folder(["library.h": Self.two])
    try FileManager.default.createDirectory(atPath: folder.path + "/Sources", withIntermediateDirectories: true)
    try "in the way".write(toFile: folder.path + "/Sources/CLibrary", atomically: true, encoding: .utf8)
    let process = try run(folder, [])
    #expect(process.status == 1)
    #expect(process.errors.contains("can't be written"))
    #expect(process.errors.contains("Nothing was changed."))
    #expect(files(folder).filter { $0.contains(".") } == ["library.h"])
  }
}
