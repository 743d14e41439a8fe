import Headwater
import StreamsTesting
import Testing

/// Situations in which properties, bindings, actions, and live collections of other libraries have deadlocked, looped, or delivered wrong
/// changes.
@Suite(.noLiveResources) struct StateFaultTests {
  @Test func `an observer may read, set, and observe the property that is delivering to it`() {
    let value = Property(0)
    let bag = DisposeBag()
    var seen: [String] = []
    value.observeNext { seen.append("\($0):\(value.value)") }.dispose(in: bag)
    value.observeNext { number in
      if number == 1 { value.value = 2 }
      value.first().observeNext { seen.append("inner \($0)") }.dispose(in: bag)
    }.dispose(in: bag)
    value.value = 1
    #expect(seen == ["0:0", "inner 0", "1:1", "inner 1", "2:2", "inner 2"])
    bag.dispose()
  }

  @Test func `a feedback from a property to the property that it is computed from ends`() {
    let (start, end) = (Property(10), Property<Int?>(nil))
    let bag = DisposeBag()
    start.combineLatest(with: end).map { start, end -> Int? in
      guard let end else { return nil }
      return end <= start ? start + 1 : end
    }.distinct().bind(to: end).dispose(in: bag)
    end.value = 5
    #expect(end.value == 11, "the end is never before the start")
    start.value = 20
    #expect(end.value == 21)
    bag.dispose()
  }

  @Test func `a property of properties can be observed again inside a delivery of the first`() {
    let outer = Property(Property(42))
    let values = outer.flatMap(.latest) { $0 }
    let bag = DisposeBag()
    var seen: [Int] = []
    values.observeNext { one in
      seen.append(one)
      if seen.count < 8 { values.observeNext { seen.append($0 + 100) }.dispose(in: bag) }
    }.dispose(in: bag)
    #expect(seen == [42, 142])
    outer.value = Property(7)
    #expect(seen.filter { $0 == 7 }.count == 1 && seen.contains(107))
    bag.dispose()
  }

  @Test func `a binding that follows an object to its own property does not hang when the object changes it`() {
    final class Controller {
      let undoable = Property(false)
    }
    let current = Property<Controller?>(nil)
    let isEnabled = Property(false)
    let bag = DisposeBag()
    current.flatMap(.concat) { controller -> Stream<Bool> in
      controller?.undoable.toStream() ?? .just(false)
    }.distinct().bind(to: isEnabled).dispose(in: bag)
    let controller = Controller()
    current.value = controller
    controller.undoable.value = true
    #expect(isEnabled.value)
    controller.undoable.value = false
    current.value = nil
    #expect(!isEnabled.value)
    bag.dispose()
  }

  @Test func `a target that is released by the element that it receives does not hang its source`() {
    final class Target: LifetimeProviding {
      private let token = Lifetime.Token()
      var lifetime: Lifetime { Lifetime(token) }
    }
    final class Holder {
      var target: Target? = Target()
    }
    let holder = Holder()
    let source = PushStream<Int>()
    var received: [Int] = []
    if let target = holder.target {
      source.bind(
        to: Binder(target) { [unowned holder] _, number in
          received.append(number)
          holder.target = nil
        })
    }
    source.next(1)
    #expect(received == [1] && source.observerCount == 0, "the binding ends while its source sends")
    source.next(2)
    #expect(received == [1])
  }

  @Test func `two properties that are bound both ways settle, and so does a ring of three`() {
    let properties = [Property(1), Property(2), Property(3)]
    for index in 0..<3 { properties[index].bidirectionalBind(to: properties[(index + 1) % 3]) }
    #expect(properties.map(\.value) == [1, 1, 1])
    let recorders = properties.map { $0.changes.record() }
    properties[1].value = 5
    #expect(properties.map(\.value) == [5, 5, 5])
    #expect(recorders.allSatisfy { $0.elements.last == 5 })
    for recorder in recorders { recorder.dispose() }
  }

  @Test func `a property that is bound to itself, or twice to another, is set once for each value`() {
    let property = Property(1)
    property.bidirectionalBind(to: property)
    let own = property.changes.record()
    property.value = 2
    #expect(own.elements == [2])
    // A value that does not equal itself never looks as if it had arrived already.
    let (one, other) = (Property(0.0), Property(0.0))
    for _ in 0..<2 { one.bidirectionalBind(to: other) }
    other.bidirectionalBind(to: one)
    one.value = .nan
    other.value = .nan
    #expect(one.value.isNaN && other.value.isNaN)
    own.dispose()
  }

  @Test func `an action whose condition follows its own execution can be applied again`() {
    let notResponding = Property(true)
    let work = PushStream<Int>()
    let actions = [0, 1].map { _ in Action<Void, Int, Never>(enabledIf: notResponding) { work.take(1) } }
    let bag = DisposeBag()
    actions[0].isExecuting.or(actions[1].isExecuting).negate().bind(to: notResponding).dispose(in: bag)
    let first = actions[0].apply().record()
    #expect(!notResponding.value && actions.allSatisfy { !$0.isEnabled.value })
    #expect(actions[1].apply().record().failure.map { if case .disabled = $0 { true } else { false } } == true)
    work.next(1)
    #expect(first.elements == [1] && first.isCompleted)
    #expect(notResponding.value && actions.allSatisfy { $0.isEnabled.value && !$0.isExecuting.value })
    let again = actions[1].apply().record()
    work.next(2)
    #expect(again.elements == [2])
    bag.dispose()
  }

  @Test func `an observer of the execution may change the condition of the action`() {
    let condition = Property(1)
    let action = Action<Void, Void, Never>(enabledIf: condition.map { $0 == 0 }) { .completed() }
    var states: [Bool] = []
    let subscription = action.isExecuting.observeNext { isExecuting in
      states.append(isExecuting)
      condition.value = 10
    }
    #expect(states == [false], "setting the condition does not repeat the state")
    condition.value = 0
    action.start(())
    #expect(states == [false, true, false])
    subscription.dispose()
  }

  @Test func `work that is disposed before its end leaves the action idle`() {
    let action = Action<Int, Int, TestError> { number in number == 0 ? .never() : .failed("end") }
    let subscription = action.apply(0).observe { _ in }
    #expect(action.isExecuting.value)
    subscription.dispose()
    #expect(!action.isExecuting.value && action.isEnabled.value)
    action.start(1)
    #expect(!action.isExecuting.value && action.isEnabled.value)
  }

  @Test func `an observer that another observer removes is not called, even in the same delivery`() {
    let source = PushStream<Int>()
    var received: [String] = []
    var subscriptions: [Subscription] = []
    subscriptions.append(
      source.observeNext { number in
        received.append("one \(number)")
        for subscription in subscriptions { subscription.dispose() }
      })
    subscriptions.append(source.observeNext { received.append("two \($0)") })
    source.next(1)
    source.next(2)
    #expect(received == ["one 1"] && source.observerCount == 0)
    subscriptions = []
  }

  @Test func `an observer may end itself with the value that it receives when it subscribes`() {
    let value = Property(1)
    var received: [Int] = []
    // A bag can be used again, so it would keep the subscription that is added after its disposal. A composite does not.
    let composite = CompositeDisposable()
    value.observeNext { number in
      received.append(number)
      composite.dispose()
    }.dispose(in: composite)
    value.value = 2
    #expect(received == [1] && value.observerCount == 0)
    // The object that is observed can be released by its observer, too.
    var owned: Property<Int>? = Property(1)
    let recorder = owned?.doOn(next: { if $0 == 2 { owned = nil } }).record()
    owned?.value = 2
    #expect(owned == nil && recorder.map { marks($0) } == "1 2 |")
  }

  @Test func `a hundred observers that subscribe and leave inside deliveries are not mixed up`() {
    let source = PushStream<Int>()
    let bag = DisposeBag()
    var count = 0
    func add(_ depth: Int) {
      source.take(1).observeNext { _ in
        count += 1
        if depth > 0 {
          add(depth - 1)
          add(depth - 1)
        }
      }.dispose(in: bag)
    }
    add(6)
    for number in 0...7 { source.next(number) }
    #expect(count == 127 && source.observerCount == 0, "each observer starts with the next element")
    bag.dispose()
  }
}
