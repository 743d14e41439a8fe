import EventLoops
import FileWatching
import Streams
import StreamsTesting
import TestSupport
import Testing

/// Random operations in any order: an observer that receives only the events knows the tree.
///
/// The tests are serialized, because each one has an inotify instance, of which a user has 128.
@Suite(.noLiveResources, .serialized)
struct RandomTests {
  @Test(arguments: 1...(Effort.isSanitized ? 3 : 12))
  func `the events tell the tree`(seed: UInt64) async throws {
    try await withWatcher { watcher in
      let contradictions = watcher.compareEventsWithTree(seed: seed, bursts: 40)
      // An entry that a listing finds before its events may contradict the model meanwhile, but not at the end.
      if !contradictions.isEmpty { print("seed \(seed):", contradictions.count, contradictions.prefix(3)) }
    }
  }

  @Test(arguments: 101...(Effort.isSanitized ? 102 : 108))
  func `the events tell the tree while it changes`(seed: UInt64) async throws {
    try await withWatcher { watcher in
      var operations = RandomOperations(watcher.tree, seed)
      for _ in 0..<30 { operations.perform() }
      var model = Model(of: watcher.tree)
      watcher.onEvent = { model.apply($0, watcher) }
      watcher.start()
      let queue = Queue(label: "operations")
      defer { queue.shutdown() }
      let path = watcher.tree.path
      for round in 0..<10 {
        let done = Inlet<Void>(capacity: 1, whenFull: .dropOldest)
        var isDone = false
        let subscription = done.stream.observeNext { _ in
          isDone = true
          watcher.loop.stop()
        }
        let seed = seed &* 1000 &+ UInt64(round)
        queue.async {
          var operations = RandomOperations(TestTree(at: path), seed)
          for _ in 0..<200 { operations.perform() }
          done.send(())
        }
        watcher.run("the operations") { isDone }
        subscription.dispose()
        watcher.settle()
        if !model.matches(watcher.tree, "reported \(watcher.texts().suffix(40))") { return }
        watcher.clear()
      }
      if !model.contradictions.isEmpty {
        print("seed \(seed):", model.contradictions.count, model.contradictions.prefix(3))
      }
    }
  }
}

extension TestWatcher {
  /// Changes the tree in bursts of random operations. The watcher sees each burst only when it is over, so most events are out
  /// of date. After each burst, the model must equal the tree. Returns the contradictions.
  func compareEventsWithTree(
    seed: UInt64, bursts: Int, _ options: FileWatchOptions = FileWatchOptions()
  ) -> [String] {
    var operations = RandomOperations(tree, seed)
    for _ in 0..<30 { operations.perform() }
    var model = Model(of: tree)
    onEvent = { model.apply($0, self) }
    start([""], options)
    for _ in 0..<bursts {
      for _ in 0..<operations.random(30) { operations.perform() }
      settle()
      if !model.matches(tree, "after \(operations.log.suffix(40)), reported \(texts())") { break }
      operations.log = []
      clear()
    }
    onEvent = { _ in }
    return model.contradictions
  }
}

/// Random file operations on a few names, so that they meet each other often.
struct RandomOperations {
  private let tree: TestTree
  private let outside = TestTree()
  private var state: UInt64
  private var outsiders = 0
  var log: [String] = []

  init(_ tree: TestTree, _ seed: UInt64) {
    self.tree = tree
    state = seed
  }

  /// Returns a number less than `bound`.
  mutating func random(_ bound: Int) -> Int {
    // SplitMix64.
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((z ^ (z >> 31)) % UInt64(bound))
  }

  private mutating func pick(_ paths: [String]) -> String? { paths.isEmpty ? nil : paths[random(paths.count)] }

  mutating func perform() {
    let listing = tree.listing()
    let directories = listing.filter(\.value).keys.sorted()
    let files = listing.filter { !$0.value }.keys.sorted()
    let parent = pick([""] + directories.filter { $0.split(separator: "/").count < 5 })!
    let name = ["a", "b", "c", "d", "e"][random(5)]
    let fresh = parent.isEmpty ? name : "\(parent)/\(name)"
    let known = listing[fresh]
    switch random(12) {
    case 0, 1, 2:
      if known == nil {
        log.append("mkdir \(fresh)")
        tree.makeDirectory(fresh)
      }
    case 3, 4:
      if known != true {
        log.append("write \(fresh)")
        tree.write(fresh)
      }
    case 5:
      if let file = pick(files) {
        log.append("rm \(file)")
        tree.remove(file)
      }
    case 6:
      if let directory = pick(directories) {
        log.append("rm -r \(directory)")
        removeAll(directory, listing)
      }
    case 7:
      if let file = pick(files), known != true {
        log.append("mv \(file) \(fresh)")
        tree.rename(file, fresh)
      }
    case 8, 9:
      if let directory = pick(directories), known == nil || (known == true && isEmpty(fresh, listing)),
        !"\(fresh)/".hasPrefix("\(directory)/"), !"\(directory)/".hasPrefix("\(fresh)/")
      {
        log.append("mv \(directory)/ \(fresh)")
        tree.rename(directory, fresh)
      }
    case 10:
      if let path = pick(directories + files), random(2) == 0 {
        log.append("mv \(path) out")
        outsiders += 1
        move(tree.absolute(path), outside.absolute("\(outsiders)"))
      } else if known == nil, let outsider = pick(outside.listing().keys.filter { !$0.contains("/") }.sorted()) {
        log.append("mv in \(fresh)")
        move(outside.absolute(outsider), tree.absolute(fresh))
      }
    default:
      if let one = pick(directories + files), let other = pick(directories + files), one != other,
        !"\(one)/".hasPrefix("\(other)/"), !"\(other)/".hasPrefix("\(one)/")
      {
        log.append("exchange \(one) \(other)")
        tree.exchange(one, other)
      }
    }
  }

  private func isEmpty(_ directory: String, _ listing: [String: Bool]) -> Bool {
    !listing.keys.contains { $0.hasPrefix("\(directory)/") }
  }

  private func removeAll(_ directory: String, _ listing: [String: Bool]) {
    for (path, isDirectory) in listing.sorted(by: { $0.key > $1.key }) where path.hasPrefix("\(directory)/") {
      if isDirectory { tree.removeDirectory(path) } else { tree.remove(path) }
    }
    tree.removeDirectory(directory)
  }

  private func move(_ path: String, _ newPath: String) { TestTree.move(path, newPath) }
}
