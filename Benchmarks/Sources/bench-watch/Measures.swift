import Glibc

/// What is measured, each in a directory of its own.
struct Measures {
  let root: String
  private var number = 0

  init() {
    var template = Array("/tmp/bench-watch-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("no temporary directory") }
    root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // Files are kept open while they are written to.
    var limit = rlimit(rlim_cur: 8_192, rlim_max: 8_192)
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  func finish() { shell("rm -rf '\(root)'") }

  mutating func newDirectory() -> String {
    number += 1
    let directory = "\(root)/\(number)"
    mkdir(directory, 0o755)
    return directory
  }

  /// A tree with this many directories: 20 in each of 10 in each at the top.
  mutating func newTree(_ count: Int) -> String {
    let root = newDirectory()
    var made = 0
    func make(_ path: String) -> Bool {
      if made == count { return false }
      made += 1
      return mkdir(path, 0o755) == 0
    }
    var top = 0
    while made < count {
      let path = "\(root)/top\(top)"
      _ = make(path)
      for module in 0..<10 where make("\(path)/module\(module)") {
        for directory in 0..<20 { _ = make("\(path)/module\(module)/directory\(directory)") }
      }
      top += 1
    }
    return root
  }

  /// Starts a watcher and waits until it reports a file that is made at the top. Returns the seconds; nil if it never does.
  func start(_ tool: Tool, _ directory: String, patience: Double = 30) -> (running: Running, seconds: Double)? {
    let file = "\(directory)/probe"
    touch(file)
    let begin = now()
    let running = Running(tool, directory)
    var isFirst = true
    // What a watcher prints before it watches does not count. entr waits until the writes cease.
    let isReady = running.wait(
      for: tool.isRecursive ? "probe" : "changed", seconds: patience, every: tool.isRecursive ? 0.005 : 0.25
    ) {
      if !isFirst { append(file) }
      isFirst = false
    }
    let seconds = now() - begin
    if !isReady {
      running.stop()
      return nil
    }
    running.settle()
    return (running, seconds)
  }

  /// The milliseconds from a write to the printed line, in one block of samples.
  func latencies(
    _ running: Running, _ tool: Tool, _ directory: String, _ files: [Int32], _ samples: Range<Int>
  ) -> [Double] {
    samples.compactMap { index in
      let sent = now()
      if tool.seesOpenFiles {
        _ = write(files[index % files.count], "x", 1)
      } else {
        append("\(directory)/file\(index % files.count)")
      }
      guard running.wait(seconds: 2) else { return nil }
      let latency = (now() - sent) * 1_000
      // The next write finds an idle watcher.
      running.settle(quiet: tool.rest)
      return latency
    }
  }

  /// Makes files and opens them.
  func openFiles(in directory: String, _ count: Int) -> [Int32] {
    (0..<count).map { open("\(directory)/file\($0)", O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0o644) }
  }

  /// 50,000 writes to 1,000 files: processor time in seconds, and the lines that are printed.
  func flood(_ running: Running, _ directory: String) -> (seconds: Double, lines: Int) {
    running.settle()
    let before = running.processorTime
    let lines = running.lines
    for round in 0..<50 {
      for index in 0..<1_000 {
        append("\(directory)/file\(index)")
        if (round * 1_000 + index) % 100 == 0 { running.read() }
      }
    }
    running.settle(quiet: 1)
    return (running.processorTime - before, running.lines - lines)
  }

  /// Of 800 files in directories that have just been made, how many are not reported.
  func lost(_ running: Running, _ directory: String) -> Int {
    var names: Set<String> = []
    let before = running.collected
    for index in 0..<200 {
      var path = directory
      for name in ["new\(index)", "b", "c", "d"] {
        path += "/\(name)"
        mkdir(path, 0o755)
        let name = "lost-\(index)-\(name.first!)"
        names.insert(name)
        touch("\(path)/\(name)")
      }
      running.read()
    }
    running.settle(quiet: 1)
    let text = running.collected[before.endIndex...]
    var word: [UInt8] = []
    for byte in text {
      if byte == 45 || byte >= 48 && byte <= 57 || byte >= 97 && byte <= 122 {
        word.append(byte)
      } else {
        names.remove(String(decoding: word, as: UTF8.self))
        word = []
      }
    }
    return names.count
  }

  /// The milliseconds from the renaming of a directory to the printed line, the best of some.
  func rename(_ running: Running, _ directory: String) -> Double? {
    var best: Double?
    for _ in 0..<5 {
      for (old, new) in [("tree", "renamed"), ("renamed", "tree")] {
        let sent = now()
        if Glibc.rename("\(directory)/\(old)", "\(directory)/\(new)") != 0 || !running.wait(seconds: 5) { return nil }
        best = min(best ?? .infinity, (now() - sent) * 1_000)
        running.settle(quiet: 0.05)
      }
    }
    return best
  }
}

func touch(_ path: String) { close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o644)) }

func append(_ path: String) {
  let file = open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0o644)
  _ = write(file, "x", 1)
  close(file)
}

nonisolated func shell(_ script: String) {
  let words = ["sh", "-c", script]
  let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
  var child: pid_t = 0
  var status: Int32 = 0
  if posix_spawn(&child, "/bin/sh", nil, nil, arguments, environ) == 0 { waitpid(child, &status, 0) }
  for argument in arguments { free(argument) }
}
