import Glibc

/// The measurements, each in its own directory.
struct Measures {
  let root: String
  private var number = 0

  init() {
    var template = Array("/tmp/bench-watch-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("no temporary directory") }
    root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // The measurements keep many files open.
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

  /// Creates a tree of `count` directories. Each directory at the top contains 10, and each of these contains 20.
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

  /// Starts a watcher, and waits until it reports a file at the top. Returns the watcher and the seconds, or nil if it
  /// does not report the file within `patience`.
  func start(_ tool: Tool, _ directory: String, patience: Double = 30) -> (running: Running, seconds: Double)? {
    let file = "\(directory)/probe"
    touch(file)
    let begin = now()
    let running = Running(tool, directory)
    var isFirst = true
    // Waits for this text, because a watcher may print something else before it watches. entr gets a longer interval,
    // because it waits until the writes pause.
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

  /// Returns the milliseconds from each write to the printed line, for one block of samples.
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
      // Waits until the watcher is idle before the next write.
      running.settle(quiet: tool.rest)
      return latency
    }
  }

  /// Creates and opens files.
  func openFiles(in directory: String, _ count: Int) -> [Int32] {
    (0..<count).map { open("\(directory)/file\($0)", O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0o644) }
  }

  /// Makes 50,000 writes to 1,000 files. Returns the processor time in seconds and the number of printed lines.
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

  /// Creates 800 files in new directories, and returns the number of files that are not reported.
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

  /// Returns the milliseconds from renaming a directory to the printed line, the best of ten.
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
