import DBusStreams
import EventLoops
import Properties
import Streams
import StreamsTesting
import Testing

extension DBusTests {
  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  static func `calls and signals end once, in order, whatever happens in their deliveries`(seed: UInt64) async throws {
    try await withBus { bus, bag in
      let world = try World(bus, bag, seed)
      for _ in 0..<400 {
        world.act()
        if world.chance(4) {
          var turns = 0
          try bus.loop.run(until: "some iterations") {
            turns += 1
            return turns > 2
          }
        }
        if world.chance(40) {
          try bus.kill()
          for _ in 0..<3 { world.act() }
          try bus.start()
        }
      }
      // At the end, everything that is observed hears the same tick, and no call waits but those without an answer.
      world.isQuiet = true
      try bus.loop.run(until: "the connections") { world.isConnected }
      try bus.ready(world.server)
      try bus.ready(world.client)
      world.tick()
      try bus.loop.run(until: "the last tick") { world.observers.allSatisfy { $0.last == world.lastTick } }
      try bus.loop.run(until: "the answers") { world.calls.allSatisfy { $0.hasEnded || $0.isEndless } }
      world.client.close()
      #expect(world.calls.allSatisfy { $0.hasEnded })
      #expect(world.observers.allSatisfy { $0.hasCompleted })
      #expect(world.violations == [])
      #expect(world.answers > 20 && world.ticksSeen > 20, "\(world.answers) answers, \(world.ticksSeen) ticks")
    }
  }
}

/// What is known about each call and each observer, beside the real ones.
private final class World {
  final class Call {
    var hasEnded = false
    var isEndless = false
    var disposable: (any Disposable)?
  }

  final class TickObserver {
    var last: UInt64 = 0
    var hasCompleted = false
    var disposable: (any Disposable)?
  }

  let server: DBusConnection
  let client: DBusConnection
  private let ticks = PublishSubject<UInt64, Never>()
  private var random: SplitMix
  private(set) var lastTick: UInt64 = 0
  private(set) var calls: [Call] = []
  private(set) var observers: [TickObserver] = []
  private(set) var violations: [String] = []
  private(set) var answers = 0
  private(set) var ticksSeen = 0
  private var depth = 0
  var isQuiet = false

  init(_ bus: TestBus, _ bag: DisposeBag, _ seed: UInt64) throws {
    random = SplitMix(state: seed)
    server = try bus.connect(in: bag)
    client = try bus.connect(in: bag)
    let interface = DBusInterface("org.example.Fuzz")
      .method("Echo") { [unowned self] (number: UInt64) in
        nested()
        return number
      }
      .method("Later") { (number: UInt64) in
        await Task.yield()
        return number
      }
      .method("Never") { () in Operation<UInt64, Never>.never() }
      .signal("Tick", from: ticks.toStream())
    try server.export(interface, at: "/fuzz").dispose(in: bag)
    try bus.own("org.example.Fuzz", server, in: bag)
  }

  var isConnected: Bool {
    for connection in [server, client] {
      guard case .connected = connection.state.value else { return false }
    }
    return true
  }

  func chance(_ count: UInt64) -> Bool { UInt64.random(in: 0..<count, using: &random) == 0 }

  func act() {
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1: tick()
    case 2, 3, 4: call()
    case 5: observe()
    case 6: if let call = calls.randomElement(using: &random) { end(call) }
    default:
      guard observers.count > 2, let index = observers.indices.randomElement(using: &random) else { return }
      observers.remove(at: index).disposable?.dispose()
    }
  }

  func tick() {
    lastTick += 1
    ticks.next(lastTick)
  }

  /// What a delivery does.
  private func nested() {
    if isQuiet || depth > 3 { return }
    depth += 1
    if chance(3) { act() }
    depth -= 1
  }

  private func end(_ call: Call) {
    call.disposable?.dispose()
    call.hasEnded = true
  }

  private func call() {
    let call = Call()
    calls.append(call)
    let method = ["Echo", "Later", "Never"].randomElement(using: &random) ?? ""
    call.isEndless = method == "Never"
    let number = UInt64.random(in: .min ... .max, using: &random)
    let object = client.object("org.example.Fuzz", at: "/fuzz", interface: "org.example.Fuzz")
    let operation =
      call.isEndless
      ? object.call(method, as: UInt64.self) : object.call(method, number, as: UInt64.self)
    call.disposable = operation.observe(
      next: { [unowned self] result in
        if call.hasEnded { violations.append("an answer after the end") }
        if result != number { violations.append("another answer") }
        answers += 1
        nested()
      },
      termination: { [unowned self] _ in
        if call.hasEnded, call.disposable?.isDisposed != true { violations.append("two ends") }
        call.hasEnded = true
        nested()
      })
  }

  private func observe() {
    let observer = TickObserver()
    // Observed before the next tick, and after this one.
    observer.last = 0
    observers.append(observer)
    observer.disposable = client.object("org.example.Fuzz", at: "/fuzz", interface: "org.example.Fuzz")
      .signal("Tick", as: UInt64.self)
      .observe(
        next: { [unowned self] number in
          if number <= observer.last { violations.append("\(number) after \(observer.last)") }
          observer.last = number
          ticksSeen += 1
          nested()
        },
        termination: { [unowned self] end in
          if case .failed(let error) = end { violations.append("\(error)") }
          observer.hasCompleted = true
        })
  }
}
