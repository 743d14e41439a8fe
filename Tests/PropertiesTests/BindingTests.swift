import Dispatch
import EventLoops
import Properties
import Streams
import StreamsTesting
import TestSupport
import Testing

/// Bindings: they are weak, end with either side, and run in the context of the target.
@Suite("Bindings", .noLiveResources, .timeLimit(.minutes(15))) struct BindingTests {
  fileprivate final class Lamp: LifetimeProviding, ReactiveCompatible, DisposeBagProviding {
    var brightness = 0
    var name: String? = nil
    let disposeBag = DisposeBag()
    private let token = Lifetime.Token()
    var lifetime: Lifetime { Lifetime(token) }
  }

  private final class Plain: ReactiveCompatible {
    var number = 0
  }

  @Test func `a bound property takes each element, until either side ends`() {
    let push = PushStream<Int>()
    var target: Property<Int>? = Property(0)
    let record = target?.record()
    push.bind(to: target!)
    push.next(1)
    #expect(target?.value == 1)
    weak let reference = target
    target = nil
    #expect(reference == nil)
    #expect(push.observerCount == 0)
    push.next(2)
    #expect(record?.events == [.next(0), .next(1), .completed])

    let other = Property(0)
    push.bind(to: other)
    push.completed()
    let again = other.record()
    other.value = 5
    #expect(again.events == [.next(0), .next(5)])
  }

  @Test func `a push stream sends what several streams are bound to it for, and is not retained`() {
    let (first, second) = (PushStream<Int>(), PushStream<Int>())
    var target: PushStream<Int>? = PushStream()
    let record = target?.record()
    first.bind(to: target!)
    second.bind(to: target!)
    first.next(1)
    first.completed()
    second.next(2)
    #expect(record?.events == [.next(1), .next(2)])
    weak let reference = target
    target = nil
    #expect(reference == nil)
    second.next(3)
    #expect(second.observerCount == 0)
    #expect(record?.events == [.next(1), .next(2)])
  }

  @Test func `what bind returns ends the binding early`() {
    let push = PushStream<Int>()
    let target = Property(0)
    let binding = push.bind(to: target)
    push.next(1)
    binding.dispose()
    push.next(2)
    #expect(target.value == 1)
    #expect(push.observerCount == 0)
    #expect(binding.isDisposed)
  }

  @Test func `a binding needs not be kept, and keeps neither side`() {
    let target = Property(0)
    var source: Property<Int>? = Property(1)
    do { source!.bind(to: target) }
    source?.value = 2
    #expect(target.value == 2)
    weak let reference = source
    source = nil
    #expect(reference == nil)
  }

  @Test func `elements go into a target that takes optional ones`() {
    let push = PushStream<Int>()
    let target = Property<Int?>(nil)
    push.bind(to: target)
    push.next(3)
    #expect(target.value == 3)
    let other = Property<Int?>(nil)
    other <~ push
    push.next(4)
    #expect(other.value == 4)
  }

  @Test func `the operator binds`() {
    let (source, target) = (Property(1), Property(0))
    let binding = target <~ source.map { $0 * 10 }
    source.value = 2
    #expect(target.value == 20)
    binding.dispose()
    source.value = 3
    #expect(target.value == 20)
  }

  @Test func `a key path of an object is a target; the binding ends with the object`() {
    let push = PushStream<Int>()
    var lamp: Lamp? = Lamp()
    lamp!.reactive[\.brightness] <~ push
    push.map { "\($0)" }.bind(to: lamp!.reactive[\.name])
    push.next(7)
    #expect(lamp?.brightness == 7)
    #expect(lamp?.name == "7")
    weak let reference = lamp
    lamp = nil
    #expect(reference == nil)
    #expect(push.observerCount == 0)
  }

  @Test func `a property of an object is a target by its name; a member of an extension comes before it`() {
    let push = PushStream<Int>()
    let lamp = Lamp()
    lamp.reactive.brightness <~ push
    push.map { "\($0)" }.bind(to: lamp.reactive.name)
    push.next(7)
    #expect(lamp.brightness == 7)
    #expect(lamp.name == "reactive 7")
  }

  @Test func `an object without a lifetime ends the binding with the next element`() {
    let push = PushStream<Int>()
    var plain: Plain? = Plain()
    push.bind(to: plain!.reactive[\.number])
    push.next(7)
    #expect(plain?.number == 7)
    plain = nil
    #expect(push.observerCount == 1)
    push.next(8)
    #expect(push.observerCount == 0)
  }

  @Test func `makeBindingTarget and Binder give the object to their closure`() {
    let push = PushStream<Int>()
    let lamp = Lamp()
    push.bind(to: lamp.reactive.makeBindingTarget { $0.brightness += $1 })
    push.bind(to: Binder(lamp) { $0.brightness += 10 * $1 })
    push.next(1)
    #expect(lamp.brightness == 11)
    #expect(!lamp.reactive.lifetime.hasEnded)
    push.completed()
  }

  @Test func `a target of one's own ends with its lifetime`() {
    let push = PushStream<Int>()
    var (lifetime, token): (Lifetime, Lifetime.Token?) = Lifetime.make()
    var seen: [Int] = []
    push.bind(to: BindingTarget(lifetime: lifetime) { seen.append($0) })
    push.next(1)
    token = nil
    push.next(2)
    #expect(seen == [1])
    #expect(push.observerCount == 0)
    #expect(token == nil && lifetime.hasEnded)
  }

  @Test func `what is added to a lifetime is disposed of when it ends`() {
    let push = PushStream<Int>()
    let target = Property(0)
    var lamp: Lamp? = Lamp()
    lamp!.lifetime += push.bind(to: target)
    push.next(1)
    lamp = nil
    push.next(2)
    #expect(target.value == 1)
    let late = push.bind(to: target)
    Lifetime.empty += late
    #expect(late.isDisposed)
  }

  @Test func `a binding in a bag ends with its owner`() {
    let push = PushStream<Int>()
    let target = Property(0)
    var lamp: Lamp? = Lamp()
    lamp?.bind(push, to: target)
    push.next(1)
    lamp = nil
    push.next(2)
    #expect(target.value == 1)
    #expect(push.observerCount == 0)
  }

  @Test func `take(duringLifetimeOf:) completes with the object and does not keep it`() {
    let push = PushStream<Int>()
    var lamp: Lamp? = Lamp()
    let record = push.take(duringLifetimeOf: lamp!).record()
    push.next(1)
    weak let reference = lamp
    lamp = nil
    #expect(reference == nil)
    #expect(record.events == [.next(1), .completed])
  }

  // MARK: Both ways

  @Test func `two properties that are bound both ways stay equal`() {
    let (one, two) = (Property(1), Property(2))
    let (first, second) = (one.record(), two.record())
    one.bidirectionalBind(to: two)
    #expect(two.value == 1)
    one.value = 3
    two.value = 4
    #expect((one.value, two.value) == (4, 4))
    #expect(first.elements == [1, 3, 4])
    #expect(second.elements == [2, 1, 3, 4])
  }

  @Test func `observers that change both in one delivery end with equal values`() {
    let (one, two) = (Property(0), Property(0))
    let bag = DisposeBag()
    two.changes.observeNext { [unowned one] element in if element == 5 { one.value = 7 } }.dispose(in: bag)
    one.changes.observeNext { [unowned two] element in if element == 1 { two.value = 9 } }.dispose(in: bag)
    one.bidirectionalBind(to: two).dispose(in: bag)
    one.changes.observeNext { [unowned two] element in if element == 2 { two.value = 11 } }.dispose(in: bag)
    two.value = 5
    #expect(one.value == two.value)
    one.value = 1
    #expect(one.value == two.value)
    one.value = 2
    #expect(one.value == two.value)
  }

  @Test func `binding both ways keeps neither and ends with either`() {
    let one = Property(1)
    var two: Property<Int>? = Property(2)
    one.bidirectionalBind(to: two!)
    weak let reference = two
    two = nil
    #expect(reference == nil)
    #expect(one.observerCount == 0)
    let three = Property(3)
    let binding = one.bidirectionalBind(to: three)
    binding.dispose()
    three.value = 4
    #expect(one.value == 1)
  }

  // MARK: Elsewhere

  private final class Remote: Sendable {
    let log = Log()
  }

  @Test func `a target in another context is called there, in order, and not after disposal`() throws {
    let queue = Queue(label: "target")
    let remote = Remote()
    let push = PushStream<Int>()
    let binding = push.bind(
      to: Binder(remote, on: queue.context) { remote, value in
        remote.log.add(Queue.current === queue ? "\(value)" : "elsewhere")
      })
    for number in 0..<100 { push.next(number) }
    try queue.sync {}
    #expect(remote.log.entries == (0..<100).map { "\($0)" })
    // An element that is pending when the binding is disposed is not delivered.
    try queue.sync { [remote] in _ = remote }
    let gate = Lock(false)
    queue.async { while !gate.withLock({ $0 }) {} }
    push.next(100)
    binding.dispose()
    gate.withLock { $0 = true }
    try queue.sync {}
    #expect(remote.log.entries.count == 100)
    queue.shutdown()
  }

  @Test func `behind a crossing, what is on its way to a target arrives although the bag goes`() async throws {
    let (near, far, home) = (Queue(label: "near"), Queue(label: "far"), Queue(label: "target"))
    let remote = Remote()
    let (gate, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    // The target's queue is busy until the bag has been disposed.
    home.async { gate.wait() }
    near.async {
      _ = Stream.sequence(1...5).observe(on: far) { stream, bag in
        BlockDisposable { end.signal() }.dispose(in: bag)
        stream.bind(to: Binder(remote, on: home.context) { $0.log.add("\($1)") }).dispose(in: bag)
      }
    }
    try await onOwnThread { end.wait() }
    gate.signal()
    try home.sync {}
    #expect(remote.log.entries == ["1", "2", "3", "4", "5"])
    for queue in [near, far, home] { queue.shutdown() }
  }

  @Test(arguments: [false, true])
  func `a target on a queue that has shut down ends the binding`(isImmediate: Bool) {
    let queue = Queue(label: "target")
    let remote = Remote()
    let push = PushStream<Int>()
    let binding = push.bind(to: Binder(remote, on: isImmediate ? .immediate(on: queue) : queue.context) { _, _ in })
    push.next(1)
    #expect(!binding.isDisposed)
    queue.shutdown()
    push.next(2)
    #expect(binding.isDisposed)
    #expect(push.observerCount == 0)
  }

  @Test func `a target in another context that has gone ends the binding`() throws {
    let queue = Queue(label: "target")
    var remote: Remote? = Remote()
    let push = PushStream<Int>()
    push.bind(to: Binder(remote!, on: .immediate(on: queue)) { remote, value in remote.log.add("\(value)") })
    push.next(1)
    try queue.sync {}
    remote = nil
    push.next(2)
    #expect(push.observerCount == 0)
    queue.shutdown()
  }

  @Test func `what has been sent to a target in another context arrives, also where the source has completed since`()
    throws
  {
    let queue = Queue(label: "target")
    let remote = Remote()
    let binding = Stream.sequence(1...3).bind(to: Binder(remote, on: queue.context) { $0.log.add("\($1)") })
    #expect(binding.isDisposed)
    try queue.sync {}
    #expect(remote.log.entries == ["1", "2", "3"])
    queue.shutdown()
  }

  @Test func `pausing a binding reaches the source`() {
    let target = Property(0)
    let ended = Lifetime.empty
    var seen: [Int] = []
    #expect(Stream.sequence(1...3).bind(to: BindingTarget(lifetime: ended) { seen.append($0) }).isDisposed)
    #expect(seen.isEmpty)
    let binding = SerialDisposable()
    binding.inner = Stream.sequence(1...3).doOn(next: { if $0 == 1 { binding.pause() } }).bind(to: target)
    binding.resume()
    #expect(target.value == 3)
  }

  @MainActor private final class Label {
    var text = ""
    var onChange: () -> Void = {}
  }

  @Test func `a target of the main actor is called there`() async {
    let (changes, continuation) = AsyncStream.makeStream(of: String.self)
    let label = await Label()
    await MainActor.run { label.onChange = { MainActor.assumeIsolated { _ = continuation.yield(label.text) } } }
    let push = PushStream<Int>()
    push.bind(
      to: Binder(main: label) { label, value in
        label.text = "\(value)"
        label.onChange()
      })
    push.next(1)
    push.next(2)
    var seen: [String] = []
    for await text in changes {
      seen.append(text)
      if seen.count == 2 { break }
    }
    #expect(seen == ["1", "2"])
    await MainActor.run { label.onChange = {} }
    push.completed()
  }
}

extension Reactive where Base: BindingTests.Lamp {
  /// A member that is named like a property of the object, but offers another target.
  fileprivate var name: BindingTarget<String> { makeBindingTarget { lamp, name in lamp.name = "reactive \(name)" } }
}
