import Delegates
import Streams
import StreamsTesting
import TestSupport
import Testing

/// Installations at one place, compared with a model of their order.
@Suite(.noLiveResources) struct InstallationFuzzTests {
  /// The delegate at the place, or the forwardee of a proxy.
  enum Node: Hashable {
    case plain(Int)
    case proxy(Int)
  }

  /// A model of the chain. An installed proxy restores the node in `below` and forwards to the node in `forwards`. The two are
  /// the same until the forwardee is changed by hand.
  struct Model {
    var place: Node?
    var below: [Int: Node?] = [:]
    var forwards: [Int: Node?] = [:]

    func path(from start: Node?) -> [Node] {
      var nodes: [Node] = []
      var next = start
      while let node = next {
        nodes.append(node)
        if case .proxy(let number) = node { next = forwards[number] ?? nil } else { next = nil }
      }
      return nodes
    }

    mutating func install(_ number: Int) {
      if path(from: place).contains(.proxy(number)) { return }
      if let old = below[number] { replace(number, with: old) }
      below[number] = .some(place)
      forwards[number] = .some(place)
      place = .proxy(number)
    }

    mutating func leave(_ number: Int) {
      guard let old = below.removeValue(forKey: number) else { return }
      replace(number, with: old)
      if place == .proxy(number) || place == nil { place = old }
    }

    /// Puts `node` behind the proxies that precede this one.
    private mutating func replace(_ number: Int, with node: Node?) {
      for other in below.keys where below[other] == .some(.proxy(number)) { below[other] = .some(node) }
      for other in forwards.keys where other != number && forwards[other] == .some(.proxy(number)) {
        forwards[other] = .some(path(from: node).contains(.proxy(other)) ? nil : node)
      }
    }
  }

  /// Random operations on one owner, from a seed.
  final class Run {
    let seed: UInt64
    var random: SeededGenerator
    let downloader = Downloader()
    let plain = (0..<3).map { _ in Recording() }
    var proxies: [Int: DownloaderDelegateProxy] = [:]
    var model = Model()
    var made = 0
    /// The operation to run inside the next delivery.
    var nested: (() -> Void)?
    var log: [(what: StaticString, number: Int)] = []
    private let bag = DisposeBag()

    init(seed: UInt64) {
      self.seed = seed
      random = SeededGenerator(seed)
    }

    func index(of delegate: (any DownloaderDelegate)?) -> Node? {
      if let number = plain.firstIndex(where: { $0 === delegate }) { return .plain(number) }
      return proxies.first { $0.value === delegate }.map { .proxy($0.key) }
    }

    func any() -> Int? { proxies.keys.sorted().randomElement(using: &random) }

    func step() {
      switch Int.random(in: 0..<12, using: &random) {
      case 0...2:
        let number = made
        made += 1
        let proxy = DownloaderDelegateProxy.install(on: downloader, at: \.delegate)
        proxy.didReceive.stream.observeNext { [weak self] _, _ in self?.delivered() }.dispose(in: bag)
        proxies[number] = proxy
        model.install(number)
        log.append(("install", number))
      case 3, 4:
        guard let number = any() else { return }
        proxies[number]?.install(on: downloader, at: \.delegate)
        model.install(number)
        log.append(("again", number))
      case 5:
        let number = Int.random(in: 0..<3, using: &random)
        downloader.delegate = plain[number]
        model.place = .plain(number)
        log.append(("set", number))
      case 6:
        downloader.delegate = nil
        model.place = nil
        log.append(("set nil", 0))
      case 7:
        guard let number = any(), let proxy = proxies[number] else { return }
        downloader.delegate = proxy
        model.place = .proxy(number)
        log.append(("set proxy", number))
      case 8:
        guard let number = any() else { return }
        let target = Int.random(in: -1..<3, using: &random)
        proxies[number]?.forwardTo = target < 0 ? nil : plain[target]
        model.forwards[number] = .some(target < 0 ? nil : .plain(target))
        log.append((target < 0 ? "forward to nil" : "forward", number))
      case 9, 10:
        guard let number = any() else { return }
        let proxy = proxies.removeValue(forKey: number)
        proxy?.dispose()
        model.leave(number)
        log.append(("dispose", number))
      default:
        guard let number = any() else { return }
        proxies[number] = nil
        model.leave(number)
        log.append(("release", number))
      }
    }

    private func delivered() {
      let job = nested
      nested = nil
      job?()
    }

    func check(_ location: SourceLocation = #_sourceLocation) -> Bool {
      let isPlaceRight = index(of: downloader.delegate) == model.place
      for recording in plain { recording.log = [] }
      downloader.receive(1)
      let path = model.path(from: model.place)
      let reached = plain.indices.map { plain[$0].log.count }
      let expected = plain.indices.map { path.contains(.plain($0)) ? 1 : 0 }
      if isPlaceRight, reached == expected { return true }
      let steps = log.map { "\($0.what) \($0.number)" }
      let found = String(describing: index(of: downloader.delegate))
      Issue.record(
        """
        Seed \(seed): \(steps): the place has \(found), not \(String(describing: model.place)); reached \(reached), \
        not \(expected)
        """, sourceLocation: location)
      return false
    }
  }

  @Test func `any order of installing, setting, forwarding, disposing, and releasing`() {
    for seed in Effort.seeds {
      let run = Run(seed: UInt64(seed))
      for _ in 0..<10 {
        if Int.random(in: 0..<5, using: &run.random) == 0 {
          run.nested = { run.step() }
          run.downloader.receive(0)
          run.nested = nil
        } else {
          run.step()
        }
        guard run.check() else { return }
      }
    }
  }
}
