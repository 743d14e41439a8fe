#if Tracing
public import CStreams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The recording of what streams do, in programs that are built with the trait `Tracing`.
///
/// Each event is a line of Chrome's trace format, written under one lock. Threads, loops, and deliveries are slices of a thread;
/// subscriptions and waits are asynchronous slices with an ID; crossings are flows.
@usableFromInline
package enum Trace {
  /// True while the program is recorded.
  @inlinable @inline(__always)
  package static var isOn: Bool { headwater_is_tracing() }

  private struct State {
    var target: (any TraceTarget)?
    var lastID: UInt32 = 0
    var open = OpenRecords()
    /// The names of the threads that have recorded something.
    var threads: [Int: String] = [:]
  }

  private static let state = Lock(State())
  /// Held while a recording starts or ends.
  private static let changes = Lock(())

  // MARK: Starting

  /// Starts recording to `target`: a path, or `unix:` and the path of a socket on which a reader listens.
  static func start(_ target: String) throws(TracingError) {
    let (limit, warning) = limit
    changes.lock()
    defer {
      changes.unlock()
      if let warning { Diagnostics.report(warning) }
    }
    // The recording that runs may write to the same file. Without one, threads that record something wait for this one.
    if state.withLock({ $0.target != nil }) { closeTarget() }
    let new = try makeTarget(target, limit)
    let threads = state.withLock { state in
      state.target = new
      state.open = OpenRecords()
      return state.threads
    }
    _ = closesAtExit
    _ = endsInForks
    headwater_set_tracing(true)
    for (thread, name) in threads { record(Line(metadata: "thread_name", ["name": .text(name)]), thread) }
    write(Line(metadata: "process_name", ["name": .text(programName)]))
    write(
      Line(
        metadata: "process_labels",
        ["labels": .text("Headwater"), "started": .number(Int(time(nil))), "clock": .number(Int(now))]))
  }

  static func stop() { changes.withLock { _ in closeTarget() } }

  private static func closeTarget() {
    headwater_set_tracing(false)
    let old = state.withLock { state in
      let old = state.target.take()
      // Without this line, the program crashed, was killed, or still runs.
      _ = old?.write(Line(metadata: "recording_closed", [:]).line(thread: 0, at: now), keeping: state.open)
      return old
    }
    old?.close()
  }

  private static func makeTarget(_ target: String, _ limit: Int) throws(TracingError) -> any TraceTarget {
    if target.hasPrefix("unix:") { return try TraceSocket(String(target.dropFirst("unix:".count))) }
    return try TraceFile(target, limit: limit, program: programName)
  }

  /// The bound on the file, in bytes.
  private static var limit: (bytes: Int, warning: String?) {
    guard let text = getenv("HEADWATER_TRACE_LIMIT") else { return (64 << 20, nil) }
    guard let megabytes = Int(String(cString: text)), (1...65_536).contains(megabytes) else {
      return (64 << 20, "HEADWATER_TRACE_LIMIT is a number of megabytes from 1 to 65536; 64 is used.")
    }
    return (megabytes << 20, nil)
  }

  private static let programName: String = {
    CommandLine.arguments.first.map { String($0[($0.lastIndex(of: "/").map($0.index(after:)) ?? $0.startIndex)...]) }
      ?? "program"
  }()

  static let process = Int(getpid())

  private static let closesAtExit: Void = { atexit { Trace.stop() } }()

  /// A process that this one forks is not recorded: it would write to the same memory.
  private static let endsInForks: Void = {
    pthread_atfork(
      {
        // Held during the fork, so that the child does not inherit a lock that nobody unlocks.
        changes.lock()
        state.lock()
      },
      {
        state.unlock()
        changes.unlock()
      },
      {
        headwater_set_tracing(false)
        // Not closed, because that would cut off the file of the parent.
        state.value.pointee.target = nil
        state.unlock()
        changes.unlock()
      })
  }()

  /// Starts the recording that the environment asks for, once.
  private static let startedByEnvironment: Void = {
    guard let target = getenv("HEADWATER_TRACE") else { return }
    do {
      try start(String(cString: target))
    } catch {
      headwater_set_tracing(false)
      Diagnostics.report("HEADWATER_TRACE: \(error)")
    }
  }()

  // MARK: Writing

  /// Nanoseconds of the monotonic clock.
  @usableFromInline
  package static var now: UInt64 { headwater_clock() }

  /// A number that no other subscription, wait, or flow has.
  @usableFromInline
  package static func newID() -> UInt32 {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  /// True if the recording that runs knows the subscription or wait.
  static func isOpen(_ id: UInt32) -> Bool { state.withLock { $0.open.contains(id) } }

  static func write(_ event: consuming Line) {
    let isStarted = state.withLock { $0.target != nil }
    if !isStarted { _ = startedByEnvironment }
    var isNew = false
    let thread = headwater_traced_thread(&isNew)
    if isNew {
      let name = threadName
      // The names are for recordings that start later.
      state.withLock { state in
        if state.threads.count < 1000 { state.threads[Int(thread)] = name }
      }
      record(Line(metadata: "thread_name", ["name": .text(name)]), Int(thread))
    }
    record(event, Int(thread))
  }

  private static func record(_ event: Line, _ thread: Int) {
    let line = event.line(thread: thread, at: now)
    let report: String? = state.withLock { state in
      state.open.note(event, at: now, as: line)
      return state.target?.write(line, keeping: state.open)
    }
    if let report { Diagnostics.report(report) }
  }

  private static var threadName: String {
    if HomeThread.isMain { return "main thread" }
    var name = [CChar](repeating: 0, count: 16)
    headwater_get_thread_name(&name)
    let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return text.isEmpty ? "thread" : text
  }

  /// Describes the subscriptions that are open, one line each.
  static func describeOpenSubscriptions() -> String { state.withLock { $0.open.description(at: now) } }

  // MARK: Slices and instants

  /// Begins a slice of the calling thread. Call `end` on the same thread.
  @usableFromInline
  package static func begin(
    _ category: StaticString, _ name: String, _ arguments: KeyValuePairs<StaticString, Argument> = [:]
  ) { write(Line("B", category, name, arguments)) }

  @usableFromInline
  package static func end(_ arguments: KeyValuePairs<StaticString, Argument> = [:]) {
    write(Line("E", nil, "", arguments))
  }

  /// A slice of the calling thread that has ended, with its beginning and length in nanoseconds.
  @usableFromInline
  package static func slice(
    _ category: StaticString, _ name: String, from begin: UInt64, nanoseconds: UInt64,
    _ arguments: KeyValuePairs<StaticString, Argument> = [:]
  ) {
    var event = Line("X", category, name, arguments)
    event.time = begin
    event.length = nanoseconds
    write(event)
  }

  @usableFromInline
  package static func instant(
    _ category: StaticString, _ name: String, _ arguments: KeyValuePairs<StaticString, Argument> = [:]
  ) { write(Line("i", category, name, arguments)) }

  /// Records how many elements wait somewhere.
  @usableFromInline
  package static func count(_ name: String, _ waiting: Int) {
    write(Line("C", "waiting", name, ["waiting": .number(waiting)], subject: .waiting(name: name, count: waiting)))
  }

  /// Begins an asynchronous slice and returns its ID.
  @usableFromInline
  package static func beginWait(
    _ category: StaticString, _ name: String, _ arguments: KeyValuePairs<StaticString, Argument> = [:]
  ) -> UInt32 {
    let id = newID()
    write(Line("b", category, name, arguments, id: id, subject: .waits(name: name)))
    return id
  }

  @usableFromInline
  package static func endWait(
    _ category: StaticString, _ id: UInt32, _ arguments: KeyValuePairs<StaticString, Argument> = [:]
  ) { write(Line("e", category, "", arguments, id: id)) }

  // MARK: Crossings

  /// Wraps a job that is posted to another domain, so that the recording shows where it came from and how long it waited.
  @usableFromInline
  package static func crossing(_ name: String, _ job: @escaping () -> Void) -> () -> Void {
    let (id, posted) = (newID(), now)
    write(Line("s", "crossing", name, id: id))
    return {
      begin("job", name, ["waited": .number(Int((now - posted) / 1000))])
      write(Line("f", "crossing", name, id: id))
      job()
      end()
    }
  }
}
#endif
