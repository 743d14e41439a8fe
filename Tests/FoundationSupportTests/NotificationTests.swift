import EventLoops
import Foundation
import FoundationSupport
import Properties
import Streams
import StreamsTesting
import Testing

@Suite("Notifications", .noLiveResources, .timeLimit(.minutes(15))) struct NotificationTests {
  static let changed = Notification.Name("changed")

  /// An object that posts notifications.
  private final class Sender {}

  @Test func `what is posted at home arrives inside post, to its own centre alone`() throws {
    let queue = Queue(label: "home")
    let names = try queue.sync {
      let center = NotificationCenter()
      let bag = DisposeBag()
      var names: [String] = []
      center.reactive.notifications(named: nil).observeNext { names.append($0.name.rawValue) }.dispose(in: bag)
      center.post(name: Self.changed, object: nil)
      #expect(names == ["changed"])
      NotificationCenter.default.post(name: Self.changed, object: nil)
      center.post(name: Notification.Name("other"), object: nil)
      bag.dispose()
      center.post(name: Self.changed, object: nil)
      return names
    }
    #expect(names == ["changed", "other"])
    queue.shutdown()
  }

  @Test func `a name and an object choose`() throws {
    let queue = Queue(label: "home")
    let count = try queue.sync {
      let center = NotificationCenter()
      let (one, two) = (Sender(), Sender())
      let bag = DisposeBag()
      var count = 0
      center.reactive.notifications(named: Self.changed, object: one).observeNext { _ in count += 1 }.dispose(in: bag)
      center.post(name: Self.changed, object: one)
      center.post(name: Self.changed, object: two)
      center.post(name: Notification.Name("other"), object: one)
      bag.dispose()
      return count
    }
    #expect(count == 1)
    queue.shutdown()
  }

  @Test func `what other threads post arrives at home, in order`() async throws {
    let queue = Queue(label: "home")
    let center = NotificationCenter()
    let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
    let bag = Confined(at: queue) { DisposeBag() }
    bag.async { bag in
      center.reactive.notifications(named: Self.changed).observeNext { notification in
        continuation.yield(Queue.current === queue ? notification.userInfo?["number"] as? Int ?? -1 : -2)
      }.dispose(in: bag)
    }
    try queue.sync {}
    try await onOwnThread {
      for number in 0..<1000 { center.post(name: Self.changed, object: nil, userInfo: ["number": number]) }
    }
    var received: [Int] = []
    for await number in numbers {
      received.append(number)
      if received.count == 1000 { break }
    }
    #expect(received == Array(0..<1000))
    bag.async { $0.dispose() }
    try queue.sync {}
    queue.shutdown()
  }

  @Test func `an observer may post, dispose of itself and observe, inside of post`() throws {
    let queue = Queue(label: "home")
    let log = try queue.sync {
      let center = NotificationCenter()
      let bag = DisposeBag()
      let own = SerialDisposable()
      var log: [String] = []
      center.reactive.notifications(named: nil).observeNext { notification in
        log.append("first \(notification.name.rawValue)")
        if notification.name == Self.changed {
          center.post(name: Notification.Name("inner"), object: nil)
          own.dispose()
          center.reactive.notifications(named: nil).observeNext { log.append("late \($0.name.rawValue)") }.dispose(
            in: bag)
        }
      }.dispose(in: bag)
      own.inner = center.reactive.notifications(named: nil).observeNext { log.append("own \($0.name.rawValue)") }
      center.post(name: Self.changed, object: nil)
      center.post(name: Notification.Name("end"), object: nil)
      bag.dispose()
      center.post(name: Notification.Name("after"), object: nil)
      return log
    }
    // A notification that is posted inside a delivery is delivered after it. The center does not define the order of its
    // observers.
    #expect(log.filter { $0.hasPrefix("first") } == ["first changed", "first inner", "first end"])
    #expect(log.filter { $0.hasPrefix("late") } == ["late end"])
    #expect(!log.contains("own end"))
    queue.shutdown()
  }

  private actor Listener {
    private let bag = DisposeBag()
    private(set) var names: [String] = []

    func listen(_ center: NotificationCenter, _ continuation: AsyncStream<Void>.Continuation) {
      center.reactive.notifications(named: nil).observeNext(with: self) { listener, notification in
        listener.names.append(notification.name.rawValue)
        continuation.yield()
      }.dispose(in: bag)
    }

    func stop() { bag.dispose() }
  }

  @Test func `an actor gets what is posted anywhere, and dies with what it observes`() async {
    let center = NotificationCenter()
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
    var listener: Listener? = Listener()
    await listener?.listen(center, continuation)
    center.post(name: Self.changed, object: nil)
    for await _ in signals { break }
    #expect(await listener?.names == ["changed"])
    weak let reference = listener
    listener = nil
    center.post(name: Self.changed, object: nil)
    #expect(reference == nil)
  }

  @Test func `observed on a thread that cannot receive changes it traps with the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await onOwnThread {
        _ = NotificationCenter().reactive.notifications(named: nil).observe(isolation: nil) { _ in }
      }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("Observe them on a loop's thread, on the main actor, or in an actor"))
  }
}
