import Foundation
import Testing

@testable import LibraryWrapping

/// Programs that use a whole library through the generated module alone: they import neither the C module nor an unsafe pointer.
@Suite("Whole libraries", .enabled(if: Built.canRun && Expected.isWanted))
struct WholeLibraryTests {
  private static let programs: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.filter { $0.hasSuffix(".swift") }.map { String($0.dropLast(6)) }.sorted()
  }()
  private static let folder = Built.root.appendingPathComponent("Tests/LibraryWrappingTests/Programs").path

  @Test(arguments: programs)
  func `a program does with the real library what it is for`(_ name: String) throws {
    let source = try String(contentsOfFile: "\(Self.folder)/\(name).swift", encoding: .utf8)
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("// ") }
    let arguments = try #require(lines.first).dropFirst(3).split(separator: " ").map(String.init)
    let choices = lines.dropFirst().map { $0.dropFirst(3) + "\n" }.joined()
    let folder = try HeaderTests.Folder(["main.swift": source, "choices": choices])
    let options = try CommandOptions(
      arguments + ["--module", name, "--output", folder.path, "--choices", folder.path + "/choices"])
    _ = try WrapLibrary.run(options)
    try checkAgain(name, options, in: folder.path)
    let flags = try Packages.flags(options.headers.packages)
    try Built.compile(name, in: folder.path, flags: flags)
    try Built.check(
      name, in: folder.path, flags: flags,
      options: ["-default-isolation", "MainActor", "-enable-upcoming-feature", "NonisolatedNonsendingByDefault"])
    #expect(!source.contains("import C\(name)") && !source.contains("Unsafe"))
    let launcher = ["SystemdBus": "with-bus", "Mosquitto": "with-broker"][name].map {
      [Self.folder + "/" + $0, folder.path]
    }
    let printed = try Built.run(
      "main.swift", with: name, in: folder.path, [], launcher: launcher ?? [], arguments: [folder.path], flags: flags)
    #expect(printed == (try String(contentsOfFile: "\(Self.folder)/\(name).txt", encoding: .utf8)))
  }

  /// Runs the command again with the choices that it has written, and a line for each pointer of which only names say what it is
  /// for, or only a comment that the program frees it. Nothing changes.
  private func checkAgain(_ name: String, _ options: CommandOptions, in folder: String) throws {
    var options = options
    options.isForced = true
    let code = try Built.code(name, in: folder)
    let path = folder + "/choices"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let parts = text.components(separatedBy: "only names say.")
    let told = parts.dropFirst().joined().replacingOccurrences(
      of: "(?m)^# (\\S+/\\S+ memory=)", with: "$1", options: .regularExpression)
    let freed = (parts[0] + told).replacingOccurrences(
      of: "(?m)^# (\\S+ (owns=yes|frees=\\w+))   # \"", with: "$1   # \"", options: .regularExpression)
    try freed.write(toFile: path, atomically: true, encoding: .utf8)
    let printed = try WrapLibrary.run(options)
    #expect(!printed.contains("check what"))
    #expect(try Built.code(name, in: folder) == code)
  }
}
