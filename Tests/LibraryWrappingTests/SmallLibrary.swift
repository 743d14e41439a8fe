import Foundation
import Testing

@testable import LibraryWrapping

/// A library of a header and a source in C, which is wrapped and used by a program of Swift.
struct SmallLibrary {
  var header: String
  var source = ""

  private func folder(_ choices: String, _ program: String = "") throws -> HeaderTests.Folder {
    try HeaderTests.Folder([
      "library.h": header, "library.c": "#include \"library.h\"\n" + source, "main.swift": program, "choices": choices,
    ])
  }

  private func write(_ folder: borrowing HeaderTests.Folder, _ options: [String]) throws {
    let arguments = ["--output", folder.path, "--module", "Library", "--choices", folder.path + "/choices"]
    _ = try WrapLibrary.run(try CommandOptions([folder.path + "/library.h"] + arguments + options))
  }

  /// The generated code, and the file of choices.
  func written(choices: String = "", _ options: [String] = []) throws -> (code: String, choices: String) {
    let folder = try folder(choices)
    try write(folder, options)
    try Built.check("Library", in: folder.path)
    return (
      try Built.code("Library", in: folder.path), try String(contentsOfFile: folder.path + "/choices", encoding: .utf8)
    )
  }

  /// What a program prints that uses the library.
  func run(
    _ program: String, choices: String = "", _ options: [String] = [], isCrash: Bool = false, features: [String] = []
  ) throws -> String {
    let folder = try folder(choices, "import Library\n" + program)
    try write(folder, options)
    let object = folder.path + "/library-c.o"
    #expect(FinishedProcess.run(["clang", "-c", folder.path + "/library.c", "-o", object])?.status == 0)
    try Built.compile("Library", in: folder.path)
    return try Built.run("main.swift", with: "Library", in: folder.path, [object], isCrash: isCrash, features: features)
  }
}
