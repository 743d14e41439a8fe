#if Tracing
import Foundation
import StreamsTesting
import Testing

/// What the page of a recording says and draws. Node.js runs the page's own code.
@Suite(.timeLimit(.minutes(5)), .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/node")))
struct PageTests {
  /// The findings, and the rows as their kind, label, and number of items.
  struct Page: Decodable {
    struct Row: Decodable, Equatable {
      let kind: String
      let label: String
    }

    let findings: [String]
    let rows: [Row]
  }

  /// Runs a program of `traced-probe`, and reads its recording as the page does.
  static func page(of program: String, limit: Int? = nil, status: Int32 = 0) async throws -> Page {
    let path = Recording.newPath()
    defer { try? FileManager.default.removeItem(atPath: path) }
    var environment = ["HEADWATER_TRACE": path]
    environment["HEADWATER_TRACE_LIMIT"] = limit.map { "\($0)" }
    _ = try await Recording.run(program, environment, status: status)
    let script = """
      const [viewer, trace] = process.argv.slice(1);
      const { readFileSync } = require("fs");
      const text = readFileSync(trace, "utf8").replace(/^\\[/, "").replace(/\\]\\s*$/, "");
      const code = ["model.js", "layout.js"].map((name) => readFileSync(`${viewer}/${name}`, "utf8")).join("\\n");
      const { readTrace, findings, layOut } = new Function(`${code}; return { readTrace, findings, layOut };`)();
      const model = readTrace(text);
      const rows = layOut(model, new Set()).rows.map(({ kind, label }) => ({ kind, label }));
      console.log(JSON.stringify({ findings: findings(model).map((each) => each.text), rows }));
      """
    let viewer = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources/view-trace/Viewer").path
    let output = try await onOwnThread {
      let node = Foundation.Process()
      node.executableURL = URL(fileURLWithPath: "/usr/bin/node")
      node.arguments = ["-e", script, viewer, path]
      let output = Pipe()
      node.standardOutput = output
      try node.run()
      let data = output.fileHandleForReading.readDataToEndOfFile()
      node.waitUntilExit()
      return data
    }
    return try JSONDecoder().decode(Page.self, from: output)
  }

  static func place(of call: String) throws -> String {
    "traced_probe/TracedProbe.swift:\(try #require(Recording.line(of: call)))"
  }

  @Test func `A leak is counted at its place`() async throws {
    let page = try await Self.page(of: "leak")
    let place = try Self.place(of: "self.text = $0")
    #expect(page.findings.first?.hasPrefix("8 × never ended: \(place)") == true, "\(page.findings)")
    #expect(page.rows.contains { $0.kind == "bars" && $0.label == place })
    #expect(page.rows.contains { $0.kind == "marbles" && $0.label == "changes" })
  }

  @Test func `A consumer that is stuck is one finding, and what waits for it another`() async throws {
    let page = try await Self.page(of: "stuck")
    let place = try Self.place(of: "subscription = readings.lane")
    let aboutIt = page.findings.filter { $0.contains(place) }
    #expect(aboutIt.count == 1 && aboutIt[0].hasPrefix("Paused since "), "\(page.findings)")
    #expect(page.findings.contains { $0.contains(" elements waited: Inlet<") }, "\(page.findings)")
    #expect(page.rows.contains { $0.kind == "counter" && $0.label.hasPrefix("Inlet<") })
  }

  @Test func `A long iteration names what took its time`() async throws {
    let page = try await Self.page(of: "blocked")
    let place = try Self.place(of: "busy(milliseconds: 45)")
    let long = page.findings.filter { $0.hasPrefix("The loop of main thread was busy for ") && $0.contains(place) }
    #expect(long.count == 2, "\(page.findings)")
    #expect(page.rows.contains { $0.kind == "slices" && $0.label == "main thread: loop" })
  }

  @Test func `After a crash, the first finding says in which observer it was`() async throws {
    let page = try await Self.page(of: "crash", status: SIGABRT)
    let first = try #require(page.findings.first)
    #expect(first.hasPrefix("The recording was not closed: the program crashed, was killed, or still runs. It was in "))
    #expect(first.contains("traced_probe/TracedProbe.swift:"), "\(first)")
  }

  @Test func `A program that ends in order has no finding about its recording`() async throws {
    let page = try await Self.page(of: "chain")
    let aboutIt = page.findings.filter { $0.contains("recording") || $0.contains("The file was full") }
    #expect(aboutIt == [])
  }

  @Test func `Dropped C calls have a row and a finding`() async throws {
    let page = try await Self.page(of: "callbacks")
    #expect(page.findings.contains { $0.contains("dropped") }, "\(page.findings)")
    #expect(page.rows.contains { $0.label == "dropped C calls" })
  }

  @Test func `A file that was full says so`() async throws {
    let page = try await Self.page(of: "flood 20000", limit: 1)
    let finding = try #require(page.findings.first { $0.hasPrefix("The file was full: of the first ") })
    #expect(finding.hasSuffix("only what was still open is known"))
    #expect(!finding.contains("NaN") && !finding.contains("Infinity"), "\(finding)")
  }
}
#endif
