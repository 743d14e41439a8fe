import Foundation
import Testing

/// The script that installs the program.
@Suite struct InstallTests {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../Scripts/install").standardizedFileURL.path

  private static let files = [
    "bin/headwatch", "share/bash-completion/completions/headwatch", "share/fish/vendor_completions.d/headwatch.fish",
    "share/man/man1/headwatch.1", "share/zsh/site-functions/_headwatch",
  ]

  private func install(_ arguments: String, in scratch: Scratch, environment: String = "") -> (ok: Bool, text: String) {
    scratch.run("\(environment) '\(Self.script)' \(arguments) >../outside/log 2>&1 && echo good >>../outside/log")
    let text = scratch.readOutside("log")
    return (text.hasSuffix("good\n"), text)
  }

  private func installed(_ directory: String) -> [String] {
    let paths = (try? FileManager.default.subpathsOfDirectory(atPath: directory)) ?? []
    return paths.filter { path in
      var isDirectory: ObjCBool = false
      return FileManager.default.fileExists(atPath: "\(directory)/\(path)", isDirectory: &isDirectory)
        && !isDirectory.boolValue
    }.sorted()
  }

  @Test func `a prefix gets all files and loses them again`() {
    let scratch = Scratch()
    let first = install("--binary '\(Program.path)' --prefix \"$PWD/p\"", in: scratch)
    #expect(first.ok, "\(first.text)")
    #expect(first.text.contains("installed headwatch "))
    #expect(first.text.contains("/p/bin is not in PATH"))
    #expect(installed("\(scratch.path)/p") == Self.files)
    scratch.run("p/bin/headwatch --version >../outside/version; man -l p/share/man/man1/headwatch.1 >/dev/null 2>&1")
    #expect(scratch.readOutside("version").hasPrefix("headwatch "))
    // Installs again, over the existing files.
    #expect(install("--binary '\(Program.path)' --prefix=p", in: scratch).ok)
    #expect(installed("\(scratch.path)/p") == Self.files)
    scratch.run("touch p/bin/other")
    let removal = install("--uninstall --prefix p", in: scratch)
    #expect(removal.ok, "\(removal.text)")
    #expect(installed("\(scratch.path)/p") == ["bin/other"])
  }

  @Test func `a staging directory precedes the prefix`() {
    let scratch = Scratch()
    let result = install(
      "--binary '\(Program.path)' --prefix /usr", in: scratch, environment: "DESTDIR=\"$PWD/stage\"")
    #expect(result.ok, "\(result.text)")
    #expect(installed("\(scratch.path)/stage/usr") == Self.files)
    #expect(install("--prefix /usr --uninstall", in: scratch, environment: "DESTDIR=\"$PWD/stage\"").ok)
    #expect(installed("\(scratch.path)/stage/usr") == [])
  }

  @Test(arguments: [
    ("--nosuch", "there is no option '--nosuch'"), ("--prefix", "--prefix needs a directory"),
    ("--binary nosuch --prefix p", "nosuch is not a program"),
    ("--binary '\(Program.path)' --prefix /proc/nosuch", "cannot be written to: try --prefix"),
  ])
  func `what is wrong is said`(_ arguments: String, _ text: String) {
    let result = install(arguments, in: Scratch())
    #expect(!result.ok)
    #expect(result.text.contains(text), "\(result.text)")
  }
}
