import Foundation
import Streams
import StreamsTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct TracingTests {
  @Test func `A lane passes everything`() {
    let events = Operation<Int, Never>.sequence(1...3).lane("numbers").record()
    #expect(events.elements == [1, 2, 3])
    #expect(events.termination == .completed)
  }

  #if Tracing
  @Test func `A subscription is recorded with its place, its chain, its elements, and its end`() async throws {
    let recording = try await Recording(of: "chain")
    let isNested = recording.isNested
    #expect(isNested)
    let place = "traced_probe/TracedProbe.swift:31"
    let begin = try #require(recording.named(place, "b").first)
    let id = begin["id"] as! String
    let chain = recording.category("chain", "n").filter { $0["id"] as! String == id }.map { $0["name"] as! String }
    #expect(chain == ["take(_:)"])
    let links = Set(
      recording.named("link", "b").filter { ($0["args"] as! [String: Any])["parent"] as! Int == Int(id)! }
        .map { $0["id"] as! String })
    let above = recording.category("chain", "n").filter { links.contains($0["id"] as! String) }
      .map { $0["name"] as! String }
    #expect(above.prefix(3) == ["lane(_:)", "filter(_:)", "map(_:)"])
    #expect(above.last?.hasPrefix("hot Int #") == true)
    #expect(recording.values("v", recording.named(place, "B")) == ["4", "6"])
    #expect(recording.values("how", recording.named(place, "e")) == ["completed"])
    let states = recording.category("state", "n").filter { $0["id"] as! String == id }.map { $0["name"] as! String }
    #expect(states == ["paused", "resumed"])
    #expect(recording.values("v", recording.named("big", "i")) == ["4", "6"])
    #expect(recording.values("end", recording.named("broken", "i")) == ["failed: Broken()"])
    #expect(recording.values("how", recording.named("traced_probe/TracedProbe.swift:39", "e")) == ["failed: Broken()"])
    // Nothing that an element contains breaks the file, and a large one is short in it.
    let texts = recording.values("v", recording.category("element", "B"))
    #expect(texts.contains("\"<a>\u{1}\\\n"))
    #expect(texts.contains("Array<Int> × 1000"))
    // A stream that is deallocated without an end.
    #expect(recording.values("how", recording.named("traced_probe/TracedProbe.swift:43", "e")) == ["source released"])
    #expect(recording.output.contains("1 subscription is open:\n- traced_probe/TracedProbe.swift:44: 0 elements"))
  }

  @Test func `What is open is described by place, and what waits`() async throws {
    let leak = try await Recording(of: "leak").output
    #expect(
      leak.contains(try Regex(#"8 × traced_probe/TracedProbe.swift:\d+: \d+ elements, open for \d+ to \d+ ms\n"#)),
      "\(leak)")
    let backlog = try await Recording(of: "backlog")
    #expect(backlog.output.contains("- 3 elements wait: zip"), "\(backlog.output)")
    #expect(backlog.output.hasSuffix("No subscription is open.\n"), "\(backlog.output)")
    let numbers = backlog.category("waiting", "C").map { ($0["args"] as! [String: Any])["waiting"] as! Int }
    #expect(numbers == [1, 2, 3, 2, 0])
    // A lane that nothing passes has a row.
    #expect(backlog.values("name", backlog.named("lane", "i")) == ["never"])
    let stuck = try await Recording(of: "stuck").output
    #expect(stuck.contains(try Regex(#"ms, paused\n(.*\n)*- \d+ elements wait: Inlet<"#)), "\(stuck)")
  }

  @Test func `A wait that a signal ends is recorded as a wait`() async throws {
    let recording = try await Recording(of: "child")
    let waits = recording.category("loop", "X").map { $0["dur"] as! Double }
    #expect(waits.reduce(0, +) > 500_000, "\(waits)")
  }

  @Test func `A loop's iterations, its timers, crossings, and waits of tasks are recorded`() async throws {
    let recording = try await Recording(of: "loop")
    let isNested = recording.isNested
    #expect(isNested)
    let threads = Dictionary(
      recording.named("thread_name", "M").map {
        ($0["tid"] as! Int, ($0["args"] as! [String: Any])["name"] as! String)
      },
      uniquingKeysWith: { $1 })
    let main = try #require(threads.first { $0.value == "main thread" }?.key)
    let worker = try #require(threads.first { $0.value == "worker" }?.key)
    for thread in [main, worker] {
      #expect(!recording.category("iteration", "X").filter { $0["tid"] as! Int == thread }.isEmpty)
    }
    // On a busy machine, a loop of a short program need not wait, but one of these two does.
    #expect(!recording.category("loop", "X").isEmpty)
    // A delivery that takes 3 ms is inside an iteration that takes at least as long.
    let delivery = try #require(recording.category("element", "B").first { $0["tid"] as! Int == worker })
    let time = delivery["ts"] as! Double
    let iteration = recording.category("iteration", "X").first { event in
      let begin = event["ts"] as! Double
      return event["tid"] as! Int == worker && begin <= time && time <= begin + (event["dur"] as! Double)
    }
    #expect((iteration?["dur"] as? Double ?? 0) >= 3000)
    #expect(recording.category("timer", "B").contains { $0["tid"] as! Int == main })
    // Each arrow ends after it begins, in another thread.
    let arrivals = Dictionary(
      recording.category("crossing", "f").map { ($0["id"] as! String, $0) }, uniquingKeysWith: { $1 })
    let crossings = recording.category("crossing", "s").compactMap { begin in
      arrivals[begin["id"] as! String].map { (begin, $0) }
    }
    #expect(crossings.allSatisfy { ($0.0["ts"] as! Double) <= ($0.1["ts"] as! Double) })
    #expect(crossings.contains { $0.0["tid"] as! Int == main && $0.1["tid"] as! Int == worker })
    #expect(crossings.contains { $0.0["tid"] as! Int == worker && $0.1["tid"] as! Int == main })
    let waits = recording.category("wait", "b")
    #expect(!waits.isEmpty && waits.count == recording.category("wait", "e").count)
    let counts = recording.category("waiting", "C").filter { ($0["name"] as! String).hasPrefix("Inlet<Int>") }
    #expect(recording.values("waiting", counts).contains("1"))
  }

  @Test func `C callbacks are recorded, and those that come too late`() async throws {
    let recording = try await Recording(of: "callbacks")
    #expect(recording.names("callback", "B") == ["C callback (Int32) -> ()"])
    #expect(recording.values("reason", recording.category("dropped", "i")) == ["late"])
    let isNested = recording.isNested
    #expect(isNested)
  }

  @Test func `The calls of a proxy are recorded with who answered them`() async throws {
    let recording = try await Recording(of: "proxy")
    #expect(recording.names("proxy", "B") == Array(repeating: "QuizProxy.ask", count: 3))
    #expect(
      recording.values("answered by", recording.events.filter { $0["ph"] as! String == "E" })
        == ["default", "Expert", "handler"])
  }

  @Test func `A binding, and what the loop runs until, have the place of their call`() async throws {
    let recording = try await Recording(of: "bindings")
    let begins = recording.category("subscription", "b").map { $0["name"] as! String }
    for call in [
      "first.bind(to: second)", ".bind(to: Property<Int?>(nil))", "first.bidirectionalBind(to: Property(2))",
      "Loop.main.run(until: Stream.timer(4",
    ] {
      let line = try #require(Recording.line(of: call))
      #expect(begins.contains("traced_probe/TracedProbe.swift:\(line)"), "\(call)")
    }
    #expect(begins.contains("a binding by <~"))
  }

  @Test func `A program that crashes has its recording, which shows what was running`() async throws {
    let recording = try await Recording(of: "crash", status: SIGABRT)
    #expect(recording.values("v", recording.category("element", "B")) == ["1"])
    #expect(recording.events.allSatisfy { $0["ph"] as? String != "E" })
  }

  @Test func `The file keeps its bound: the oldest events go, what is open stays`() async throws {
    let recording = try await Recording(of: "flood 20000", limit: 1)
    #expect(recording.bytes <= 1 << 20)
    let values = recording.values("v", recording.category("element", "B"))
    // The newest are complete, in order, and the last is there.
    #expect(values.last == "0")
    let numbers = values.dropLast().compactMap { Int($0) }.sorted()
    #expect(numbers.last == 19_999)
    #expect(numbers.first! > 0 && numbers == Array(numbers.first!...19_999))
    // The subscription that began first is still known, with its chain.
    let open = try #require(recording.named("traced_probe/TracedProbe.swift:85", "b").first)
    let chain = recording.category("chain", "n").filter { $0["id"] as! String == open["id"] as! String }
    #expect(chain.count == 2)
    #expect(recording.named("thread_name", "M").count == 1)
  }

  @Test func `More that is open than the file has room for leaves a file that can be read`() async throws {
    let recording = try await Recording(of: "many-open", limit: 1)
    #expect(recording.output == "done\n")
    #expect(recording.bytes <= 1 << 20)
    #expect(recording.events.count > 1000)
  }

  @Test func `Where files may not be larger, the newest events stay, and what waits`() async throws {
    let recording = try await Recording(of: "small-disk")
    #expect(recording.bytes <= 1 << 20)
    #expect(recording.output.contains("holds only the newest 1024 KB"), "\(recording.output)")
    #expect(recording.values("v", recording.category("element", "B")).last == "9999")
    #expect(recording.values("waiting", recording.category("waiting", "C")) == ["3", "0"])
    let events = recording.named("recording_wrapped", "M") + recording.named("recording_closed", "M")
    #expect(events.count == 2)
  }

  @Test func `A subscription that pauses again and again stays, with its last pause`() async throws {
    let recording = try await Recording(of: "pauses", limit: 1)
    let line = try #require(Recording.line(of: "let subscription = numbers.observeNext"))
    let open = try #require(recording.named("traced_probe/TracedProbe.swift:\(line)", "b").first)
    let states = recording.category("state", "n").filter { $0["id"] as? String == open["id"] as? String }
    #expect(states.map { $0["name"] as? String } == ["paused"])
  }

  @Test func `Many threads that end leave a file with the newest events`() async throws {
    let recording = try await Recording(of: "short-threads", limit: 1)
    let values = recording.values("v", recording.category("element", "B")).compactMap { Int($0) }
    #expect(values.max() == 11_999)
  }

  @Test func `A process that a recorded one forks is not recorded, and leaves the file as it is`() async throws {
    let recording = try await Recording(of: "forks")
    #expect(recording.output == "3\n3\n3\n")
    let values = recording.values("v", recording.category("element", "B")).compactMap { Int($0) }
    #expect(values == Array(0...1000))
  }

  @Test func `Two threads start recordings at the same time`() async throws {
    let path = Recording.newPath()
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(try await Recording.run("starts \(path)", [:]) == "true\n")
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    _ = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
  }

  @Test func `Elements of any size have a short text`() async throws {
    let recording = try await Recording(of: "elements")
    let values = recording.values("v", recording.category("element", "B"))
    #expect(values.count == 7)
    #expect(values.allSatisfy { $0.utf8.count < 200 })
    #expect(values.first == "0...9223372036854775807")
    #expect(values[2].hasPrefix("node(99999, node(99998, node("))
    #expect(values[3].hasPrefix("[") && values[3].hasSuffix("…"))
    #expect(values.suffix(3) == ["[[\"a\": [1, 2]]]", "(name: \"b\", size: Optional(3))", "next(4)"])
  }

  @Test func `Several threads write one file`() async throws {
    let recording = try await Recording(of: "threads")
    let isNested = recording.isNested
    #expect(isNested)
    #expect(recording.category("element", "B").count == 8_000)
    #expect(recording.category("subscription", "b").count == recording.category("subscription", "e").count)
  }

  @Test func `A program can start and stop a recording`() async throws {
    let path = Recording.newPath()
    defer { for end in ["", ".second"] { try? FileManager.default.removeItem(atPath: path + end) } }
    let output = try await Recording.run("start \(path)", [:])
    #expect(output == "false\n'/' cannot be written: Is a directory.\ntrue\nfalse\n")
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    let events = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
    let elements = events.filter { $0["cat"] as? String == "element" && $0["ph"] as? String == "B" }
    // Observed before the recording.
    #expect(elements.map { $0["name"] as! String } == ["traced_probe/TracedProbe.swift:105"])
    let second = try Data(contentsOf: URL(fileURLWithPath: path + ".second"))
    let more = try #require(try JSONSerialization.jsonObject(with: second) as? [[String: Any]])
    let begins = more.filter { $0["cat"] as? String == "subscription" && $0["ph"] as? String == "b" }
    #expect(begins.map { $0["name"] as! String } == ["traced_probe/TracedProbe.swift:105"])
    #expect(more.contains { $0["name"] as? String == "thread_name" })
  }

  @Test func `A target that cannot be opened is reported, and the program runs`() async throws {
    let output = try await Recording.run("callbacks", ["HEADWATER_TRACE": "/nowhere/trace.json"])
    #expect(output == "1\n")
    let unread = try await Recording.run("callbacks", ["HEADWATER_TRACE": "unix:/nowhere/socket"])
    #expect(unread == "1\n")
    // A reader that accepts nobody does not make the program wait.
    let path = Recording.newPath()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let listener = try LocalListener(path, isFull: true)
    #expect(try await Recording.run("callbacks", ["HEADWATER_TRACE": "unix:\(path)"]) == "1\n")
    withExtendedLifetime(listener) {}
  }

  @Test func `A reader receives the events as they happen`() async throws {
    let path = "\(NSTemporaryDirectory())/reader-\(getpid())"
    defer { unlink(path) }
    let listener = try LocalListener(path)
    async let lines = onOwnThread { try listener.linesOfOneClient() }
    #expect(try await Recording.run("callbacks", ["HEADWATER_TRACE": "unix:\(path)"]) == "1\n")
    let events = try await lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    let names = events.map { $0["name"] as? String ?? "" }
    #expect(names.contains("C callback (Int32) -> ()"))
    #expect(events.contains { $0["cat"] as? String == "dropped" })
  }

  @Test func `A page is made that holds the recording`() async throws {
    let path = Recording.newPath()
    defer { for end in ["json", "html"] { try? FileManager.default.removeItem(atPath: path.dropLast(4) + end) } }
    _ = try await Recording.run("chain", ["HEADWATER_TRACE": path])
    let page = String(path.dropLast(4)) + "html"
    #expect(try await Recording.run(path, [:], of: "view-trace") == page + "\n")
    let html = try String(contentsOfFile: page, encoding: .utf8)
    #expect(html.contains("\\\"\\u003ca>\\u0001\\\\\\n"))
    #expect(html.hasSuffix("</html>\n"))
    _ = try await Recording.run("/nowhere.json", [:], status: 1, of: "view-trace")
    _ = try await Recording.run("", [:], status: 64, of: "view-trace")
  }
  #else
  @Test func `Without the trait, a recording cannot start, and the message says what to do`() {
    #expect(!Tracing.isOn)
    #expect(throws: TracingError.self) { try Tracing.start(writingTo: "/tmp/trace.json") }
    do {
      try Tracing.start(writingTo: "/tmp/trace.json")
    } catch {
      #expect(error.description.contains("traits: [\"Tracing\"]"))
    }
    #expect(Tracing.describeOpenSubscriptions().contains("trait Tracing"))
  }
  #endif
}
