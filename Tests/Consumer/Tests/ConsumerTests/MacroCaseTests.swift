import Foundation
import StreamsTesting
import Testing

/// The code that the macros generate compiles with the settings that a consumer may have, and works.
@Suite("Macro cases")
struct MacroCaseTests {
  @Test(arguments: Settings.allCases.map { ($0, []) } + [(.defaults, ["-O", "-wmo"]), (.both, ["-O", "-wmo"])])
  func `every kind of expansion compiles, and does what is said of it`(_ settings: Settings, _ options: [String])
    async throws
  {
    let cases = Compiler.root.appendingPathComponent("Tests/Consumer/MacroCases")
    let names = try FileManager.default.contentsOfDirectory(atPath: cases.path)
    let files = names.filter { $0.hasSuffix(".swift") && $0 != "main.swift" }.sorted()
    let main = try String(contentsOf: cases.appendingPathComponent("main.swift"), encoding: .utf8)
    let expected = try String(contentsOf: cases.appendingPathComponent("output.txt"), encoding: .utf8)
    try await Compiler.withFolder { folder in
      let result = try await Compiler.build(
        main, and: files.map { cases.appendingPathComponent($0) }, settings, options: options, in: folder)
      guard result.accepts, !result.output.contains("warning:") else {
        Issue.record("the compiler says:\n\(result.output)")
        return
      }
      try await onOwnThread {
        let child = try Child(path: folder.appendingPathComponent("program").path, [])
        child.closeInput()
        #expect(try child.end() == 0)
        if child.output != expected { Issue.record("it prints:\n\(child.output)") }
        #expect(child.errors.isEmpty)
      }
    }
  }

  @Test func `without the package trait, using a macro is an error that says how to enable it`() async throws {
    try await Compiler.withFolder { folder in
      // The macros of the module, as they are without the trait.
      let source = Compiler.root.appendingPathComponent("Sources/DelegateMacros/Unavailable.swift")
      let module = folder.appendingPathComponent("DelegateMacros.swiftmodule").path
      let built = try await Compiler.run(
        [
          "swiftc", "-swift-version", "6", "-module-name", "DelegateMacros", "-emit-module", "-emit-module-path",
          module,
          source.path,
        ], in: folder)
      try #require(built.accepts && !built.output.contains("warning:"), "\(built.output)")
      for use in [
        "@Proxied protocol Watcher: AnyObject { func didRead(_ bytes: Int) }",
        "protocol Watcher: AnyObject { @Slot(default: false) func mayGoOn() -> Bool }",
        "final class Document { @Intercepted func save() {} }",
        "func save() {}\nlet name = #method(save)",
      ] {
        let result = try await Compiler.check("import DelegateMacros\n" + use, options: ["-I", folder.path])
        #expect(!result.accepts)
        let message = #"Enable the package trait: .package(path: "../headwater", traits: ["Macros"])"#
        #expect(result.output.contains(message), "\(result.output)")
      }
    }
  }
}
