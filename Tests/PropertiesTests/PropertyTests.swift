import Properties
import Streams
import StreamsTesting
import Testing

/// `Property`: its value, its observers, and its end.
@Suite("Property", .noLiveResources) struct PropertyTests {
  @Test func `observing gives the current value at once, then each new one`() {
    let name = Property("Steve")
    let record = name.record()
    #expect(record.elements == ["Steve"])
    name.value = "Jim"
    name.value = "Jim"
    #expect(name.value == "Jim")
    #expect(record.elements == ["Steve", "Jim", "Jim"])
    #expect(record.termination == nil)
  }

  @Test func `the current value arrives although the observer pauses`() {
    let (outer, name) = (PushStream<Void>(), Property("Steve"))
    let record = outer.flatMap(.merge) { name.toStream() }.record()
    record.pause()
    outer.next()
    #expect(record.elements == ["Steve"])
    record.dispose()
  }

  @Test func `nil is a value like any other`() {
    let name = Property<String?>("a")
    let record = name.record()
    name.value = nil
    name.value = "b"
    #expect(record.elements == ["a", nil, "b"])
  }

  @Test func `the new value is visible before the observers run`() {
    let number = Property(1)
    var seen: [Int] = []
    let subscription = number.observeNext { [unowned number] _ in seen.append(number.value) }
    number.value = 2
    #expect(seen == [1, 2])
    subscription.dispose()
  }

  @Test func `a set from inside an observer is visible at once and delivered to all, in order`() {
    let number = Property(0)
    var log: [String] = []
    let bag = DisposeBag()
    number.changes.observeNext { [unowned number] element in
      log.append("a\(element)")
      if element == 1 {
        number.value = 2
        #expect(number.value == 2)
        number.value = 3
      }
    }.dispose(in: bag)
    number.changes.observeNext { log.append("b\($0)") }.dispose(in: bag)
    number.value = 1
    #expect(log == ["a1", "b1", "a2", "b2", "a3", "b3"])
    #expect(number.value == 3)
  }

  @Test func `one who observes while newer values wait begins with the value that is being delivered, and misses none`()
  {
    let number = Property(0)
    let bag = DisposeBag()
    var late: [Int] = []
    number.changes.observeNext { [unowned number] element in
      guard element == 1 else { return }
      number.value = 2
      number.value = 3
      number.observeNext { late.append($0) }.dispose(in: bag)
    }.dispose(in: bag)
    number.value = 1
    #expect(late == [1, 2, 3])
    bag.dispose()
  }

  @Test func `what an observer sets while it gets its first value reaches all, in order`() {
    let number = Property(0)
    let early = number.record()
    var seen: [Int] = []
    let subscription = number.observeNext { [unowned number] element in
      seen.append(element)
      if element < 3 { number.value = element + 1 }
    }
    #expect(seen == [0, 1, 2, 3])
    #expect(early.elements == [0, 1, 2, 3])
    subscription.dispose()
  }

  @Test func `releasing an old value may set the property`() {
    final class Old {
      let onDeinit: () -> Void
      init(_ onDeinit: @escaping () -> Void) { self.onDeinit = onDeinit }
      deinit { onDeinit() }
    }
    let count = Property(0)
    let holder = Property<Old?>(Old { count.value += 1 })
    var seen: [Bool] = []
    let subscription = holder.observeNext { seen.append($0 == nil) }
    holder.value = Old { [unowned holder] in holder.value = nil }
    holder.value = Old {}
    #expect(holder.value == nil)
    #expect(seen == [false, false, false, true])
    #expect(count.value == 1)
    subscription.dispose()
  }

  @Test func `a silent update tells nobody, and late observers begin with it`() {
    let number = Property(1)
    let record = number.record()
    number.silentUpdate(2)
    #expect(number.value == 2)
    #expect(record.elements == [1])
    #expect(number.record().elements == [2])
    number.value = 3
    #expect(record.elements == [1, 3])
  }

  @Test func `modify changes in place, tells once and returns the result of its closure`() {
    let list = Property([1])
    let record = list.record()
    let count = list.modify { list in
      list.append(2)
      list.append(3)
      return list.count
    }
    #expect(count == 3)
    #expect(record.elements == [[1], [1, 2, 3]])
  }

  @Test func `while the closure of modify runs, the property has its earlier value`() {
    let list = Property([1])
    list.modify { value in
      value.append(2)
      #expect(list.value == [1])
    }
    #expect(list.value == [1, 2])
  }

  @Test func `modify that throws leaves the value and tells nobody`() {
    let list = Property([1])
    let record = list.record()
    #expect(throws: TestError("no")) {
      try list.modify { (list) throws(TestError) in
        list.append(2)
        throw TestError("no")
      }
    }
    #expect(list.value == [1])
    #expect(record.elements == [[1]])
  }

  @Test func `swap gives the old value, withValue the result of its closure`() {
    let number = Property(1)
    let record = number.record()
    #expect(number.swap(2) == 1)
    #expect(number.withValue { $0 * 10 } == 20)
    #expect(record.elements == [1, 2])
  }

  @Test func `it completes when it goes`() {
    var number: Property<Int>? = Property(1)
    let record = number?.record()
    let changes = number?.changes.record()
    number = nil
    #expect(record?.events == [.next(1), .completed])
    #expect(changes?.events == [.completed])
  }

  @Test func `one that goes inside its own delivery delivers what waits, then completes`() {
    var number: Property<Int>? = Property(0)
    let bag = DisposeBag()
    number?.changes.observeNext { element in
      if element == 1 {
        number?.value = 2
        number = nil
      }
    }.dispose(in: bag)
    let record = number?.record()
    number?.value = 1
    #expect(number == nil)
    #expect(record?.events == [.next(0), .next(1), .next(2), .completed])
  }

  @Test func `a view and its streams have the last value and the completion when the property has gone`() {
    var number: Property<Int>? = Property(1)
    let view = number!.readOnlyView
    let (stream, changes) = (number!.toStream(), number!.changes)
    number?.value = 2
    #expect(view.value == 2)
    weak let reference = number
    number = nil
    #expect(reference == nil)
    #expect(view.value == 2)
    #expect(view.record().events == [.next(2), .completed])
    #expect(stream.record().events == [.next(2), .completed])
    #expect(changes.record().events == [.completed])
  }

  @Test func `an operator that is stored retains its property`() {
    var number: Property<Int>? = Property(1)
    weak let reference = number
    do {
      let stored = number?.debounce(for: .seconds(1))
      number = nil
      #expect(reference != nil)
      withExtendedLifetime(stored) {}
    }
    #expect(reference == nil)
  }

  @Test func `as an observer it takes elements and ignores the end`() {
    let number = Property(1)
    let record = number.record()
    number.send(.next(2))
    number.send(.completed)
    number.value = 3
    #expect(record.events == [.next(1), .next(2), .next(3)])
  }

  @Test func `a constant gives its value and completes`() {
    let constant = AnyProperty.constant(7)
    #expect(constant.value == 7)
    #expect(constant.record().events == [.next(7), .completed])
    #expect(constant.changes.record().events == [.completed])
    #expect(constant.map { $0 + 1 }.record().events == [.next(8), .completed])
  }

  @Test func `all operators of streams work on it`() {
    let number = Property(1)
    let record = number.scan(0, +).filter { $0 != 3 }.record()
    number.value = 2
    number.value = 3
    #expect(record.elements == [0, 1, 6])
    #expect(number.take(1).record().events == [.next(3), .completed])
    #expect(number.observerCount == 1)
  }

  @Test func `an observer that feeds itself for ever is reported`() {
    let reports = captureDiagnostics {
      let number = Property(0)
      let subscription = number.observeNext { [unowned number] element in
        if element == 0 { for next in 1...70_000 { number.value = next } }
      }
      #expect(number.value == 70_000)
      subscription.dispose()
    }
    #expect(reports.filter { $0.contains("Remove the observer that sets the property it observes") }.count == 1)
  }

  @Test func `bindings that go round in a ring are reported`() {
    let reports = captureDiagnostics {
      let (one, two) = (Property(0), Property(0))
      let binding = one.bind(to: two)
      var rounds = 0
      let limit = one.observeNext { _ in
        rounds += 1
        if rounds == 100_000 { binding.dispose() }
      }
      two.changes.bind(to: one)
      one.value = 1
      #expect(rounds >= 100_000)
      limit.dispose()
    }
    #expect(reports.filter { $0.contains("break the ring of bindings") }.count == 1)
  }

  @Test func `one who comes while another gets its first value stands behind it`() {
    let number = Property(0)
    let bag = DisposeBag()
    var order: [String] = []
    var isFirst = true
    number.observeNext { [unowned number] in
      order.append("a\($0)")
      if !isFirst { return }
      isFirst = false
      number.observeNext { order.append("b\($0)") }.dispose(in: bag)
      number.take(1).observeNext { order.append("c\($0)") }.dispose(in: bag)
      number.value = 1
    }.dispose(in: bag)
    #expect(order == ["a0", "b0", "c0", "a1", "b1"])
    #expect(number.observerCount == 2)
    number.take(1).observe { _ in }.dispose(in: bag)
    #expect(number.observerCount == 2)
    bag.dispose()
    #expect(number.observerCount == 0)
  }

  @Test func `its observers run in the order in which they subscribed, and the disposed not at all`() {
    let number = Property(0)
    let bag = DisposeBag()
    var order: [Int] = []
    let later = SerialDisposable()
    number.changes.observeNext { _ in
      order.append(1)
      later.dispose()
    }.dispose(in: bag)
    later.inner = number.changes.observeNext { _ in order.append(2) }
    number.changes.observeNext { _ in order.append(3) }.dispose(in: bag)
    number.value = 1
    #expect(order == [1, 3])
  }
}
