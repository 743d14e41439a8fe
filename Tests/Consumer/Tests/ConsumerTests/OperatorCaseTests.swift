import Foundation
import Testing

/// The spellings of operators, collections, and errors that a program may use compile without a warning, also in release builds,
/// where the compiler has crashed.
@Suite("Operator cases")
struct OperatorCaseTests {
  @Test(arguments: Settings.allCases.map { ($0, []) } + [(.defaults, ["-O", "-wmo"]), (.both, ["-O", "-wmo"])])
  func `every spelling compiles`(_ settings: Settings, _ options: [String]) async throws {
    let cases = Compiler.root.appendingPathComponent("Tests/Consumer/OperatorCases")
    let names = try FileManager.default.contentsOfDirectory(atPath: cases.path).sorted()
    #expect(names.count >= 7)
    try await Compiler.withFolder { folder in
      let result = try await Compiler.build(
        "", and: names.map { cases.appendingPathComponent($0) }, settings, options: options, in: folder)
      if !result.accepts || result.output.contains("warning:") { Issue.record("the compiler says:\n\(result.output)") }
    }
  }
}
