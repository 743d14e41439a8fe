import Foundation
import Testing

/// Scripts/leak-suppressions.txt, tested with a program under AddressSanitizer.
@Suite("Leak suppressions", .serialized) struct LeakSuppressionTests {
  private static let program = """
    final class Node { var values = [1, 2, 3] }
    final class Referrer { weak var node: Node? }
    let root = Node()
    let mode = CommandLine.arguments.last ?? ""

    @inline(never) func referWeakly() { Referrer().node = root }
    @inline(never) func leakCycle() {
      final class Cycle { var other: Cycle? }
      let cycle = Cycle()
      cycle.other = cycle
    }
    @inline(never) func leakWeakCycle() {
      final class WeakCycle {
        var other: WeakCycle?
        weak var weakly: WeakCycle?
      }
      let cycle = WeakCycle()
      cycle.other = cycle
      cycle.weakly = cycle
    }
    @inline(never) func leakMemory() {
      UnsafeMutableRawPointer.allocate(byteCount: 1000, alignment: 8).storeBytes(of: 1, as: Int.self)
    }
    // Overwrites the stack, in which pointers may be left.
    @inline(never) func overwrite(_ depth: Int) -> Int {
      withUnsafeTemporaryAllocation(of: Int.self, capacity: 64) { memory in
        memory.initialize(repeating: depth)
        return depth == 0 ? memory[1] : overwrite(depth - 1) + memory[2]
      }
    }

    referWeakly()
    switch mode {
    case "cycle": leakCycle()
    case "weak cycle": leakWeakCycle()
    case "memory": leakMemory()
    default: break
    }
    print(overwrite(200) > 0, root.values.count)
    """

  @Test func `side tables are not reported, and true leaks are`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("leaks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appendingPathComponent("main.swift")
    try Self.program.write(to: source, atomically: true, encoding: .utf8)
    let program = folder.appendingPathComponent("program").path
    let compiled = try run(["swiftc", "-g", "-sanitize=address", source.path, "-o", program])
    try #require(compiled.code == 0, "\(compiled.output)")

    let file = Repository.root.appendingPathComponent("Scripts/leak-suppressions.txt").path
    let suppressing = ["LSAN_OPTIONS": "suppressions=\(file):print_suppressions=0"]
    let without = try run([program])
    #expect(without.code != 0 && without.output.contains("formWeakReference"), "the suppressions are needed no more")
    let clean = try run([program], suppressing)
    #expect(clean.code == 0 && !clean.output.contains("LeakSanitizer"), "\(clean.output)")
    for (mode, name) in [("cycle", "leakCycle"), ("memory", "leakMemory")] {
      let leak = try run([program, mode], suppressing)
      #expect(leak.code != 0 && leak.output.contains(name), "\(mode): \(leak.output)")
      #expect(!leak.output.contains("formWeakReference"))
    }
    // As Docs/Guides/Testing.md says, LeakSanitizer considers everything that a suppressed block points to as reachable.
    #expect(try run([program, "weak cycle"], suppressing).code == 0)
  }

  /// Does not use Foundation's `Process`, which refers weakly to the run loop of its thread. LeakSanitizer would report the
  /// side table of that run loop in the tests themselves.
  private func run(_ arguments: [String], _ variables: [String: String] = [:]) throws -> (code: Int32, output: String) {
    // The program does not inherit the sanitizer options of this test.
    let environment = ["env", "-u", "ASAN_OPTIONS", "-u", "LSAN_OPTIONS"] + variables.map { "\($0)=\($1)" }
    let words = (environment + arguments).map { "'" + $0.replacingOccurrences(of: "'", with: "'\\''") + "'" }
    let pipe = try #require(popen(words.joined(separator: " ") + " 2>&1", "r"))
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 { output += buffer[..<count] }
    return (pclose(pipe), String(decoding: output, as: UTF8.self))
  }
}
