import CUV
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension Loop {
  /// Describes what keeps the loop alive now: handles with their kind and descriptor, requests, deadlines, streams that
  /// wait for another thread, and posted jobs. One line for each.
  ///
  /// ```swift
  /// print(Loop.main.describeWhatKeepsItAlive())
  /// ```
  ///
  /// For debugging; the text is not stable. If the environment variable `HEADWATER_DESCRIBE_ON_SIGUSR1` is set, the
  /// main loop prints the description to standard error each time the process receives SIGUSR1, and that of the open subscriptions
  /// if the program is recorded.
  public func describeWhatKeepsItAlive() -> String {
    check()
    var lines = work { $0.holdsLoop }
    if service.hosts > 0 {
      lines.append(service.isAsyncMain ? "the program's async main" : "a call that runs the loop until it says so")
    }
    if lines.isEmpty { return "Nothing keeps the loop alive." }
    return "The loop is kept alive by:\n" + lines.map { "- \($0)" }.joined(separator: "\n")
  }

  /// The work of the loop, one line each: the handles for which `isWanted` returns true, and everything else.
  private func work(_ isWanted: (Handle) -> Bool) -> [String] {
    var lines: [String] = []
    for handle in handles where isWanted(handle) { lines.append(handle.summary) }
    let foreign = foreignHandles()
    if foreign > 0 { lines.append("\(foreign) handles of C libraries") }
    var requests: [String: Int] = [:]
    for resource in LoopResource.all(of: self) {
      if let request = resource as? Request { requests[request.summary, default: 0] += 1 }
    }
    lines += requests.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    if let deadlines = loopScheduler.summary { lines.append(deadlines) }
    lines += service.waits.sorted { $0.key < $1.key }.map { "\($0.value) waiting for: \($0.key)" }
    if !mailbox.isEmpty { lines.append("posted jobs") }
    return lines
  }

  /// Registers, once, the report at exit that the main loop never ran.
  static let reportsAtExit: Void = {
    atexit { if HomeThread.isMain { Loop.mainLoop?.reportThatItNeverRan() } }
  }()

  /// Reports at exit that handles or deadlines wait on the main loop, but that the loop never ran.
  private func reportThatItNeverRan() {
    if isClosed || service.hasRun { return }
    let lines = work { !$0.isInternal && (uv_is_active($0.raw) != 0 || $0.holdsLoop) }
    if lines.isEmpty { return }
    Diagnostics.report(
      """
      The program ends, and its main loop has not run once. End main with Loop.main.run(), or await Loop.main.run() where \
      main is async. The loop would have served:
      \(lines.map { "- \($0)" }.joined(separator: "\n"))
      """)
  }

  /// All handles that Headwater made on this loop, newest first.
  private var handles: [Handle] {
    var all: [Handle] = []
    var next = firstHandle
    while let handle = next {
      all.append(handle)
      next = handle.nextHandle
    }
    return all
  }

  private func foreignHandles() -> Int {
    var known = Set(handles.map { UnsafeMutableRawPointer($0.raw) })
    known.insert(UnsafeMutableRawPointer(async))
    known.formUnion(loopScheduler.handles)
    var search = (known: known, count: 0)
    withUnsafeMutablePointer(to: &search) { search in
      uv_walk(
        uv,
        { handle, search in
          let search = search!.assumingMemoryBound(to: (known: Set<UnsafeMutableRawPointer>, count: Int).self)
          if uv_is_active(handle) != 0, uv_has_ref(handle) != 0, !search.pointee.known.contains(handle!) {
            search.pointee.count += 1
          }
        }, search)
    }
    return search.count
  }

  /// Reports that `run()` returned without any work although a signal is observed: the program would end silently.
  func reportIdleHandles() {
    // Of all sources, only signals keep no loop alive by default.
    let idle = handles.filter { $0 is SignalHandle && uv_is_active($0.raw) != 0 && !$0.isInternal }
    // If the program made another handle, which may have failed, it reports the reason itself.
    if idle.isEmpty || handlesWanted != idle.count { return }
    Diagnostics.report(
      """
      run() has returned at once, because nothing keeps the loop alive: \(idle.map(\.summary).joined(separator: ", ")) \
      does not. Pass keepsLoopAlive: true where it is observed, or use run(until:).
      """)
  }

  /// Prints what keeps the main loop alive at each SIGUSR1, if the environment variable is set.
  func describeOnSignalIfAsked() {
    guard getenv("HEADWATER_DESCRIBE_ON_SIGUSR1") != nil, let handle = try? SignalHandle(on: self) else { return }
    handle.keepsLoopAlive = false
    handle.markInternal()
    try? handle.start(.user1) { [unowned self] _ in
      var text = describeWhatKeepsItAlive() + "\n"
      if Tracing.isOn { text += Tracing.describeOpenSubscriptions() + "\n" }
      text.withCString { _ = write(2, $0, strlen($0)) }
    }
  }
}
