import Properties
import Streams
import StreamsTesting
import TestSupport
import Testing

/// Properties that are composed of others: views that do not retain their sources.
@Suite("Composed properties", .noLiveResources) struct ComposedPropertyTests {
  @Test func `map follows its source and computes once a change`() {
    let number = Property(1)
    var calls = 0
    let doubled = number.map { element in
      calls += 1
      return element * 2
    }
    #expect(doubled.value == 2)
    let (one, two) = (doubled.record(), doubled.record())
    number.value = 5
    #expect(doubled.value == 10)
    #expect(doubled.value == 10)
    #expect(one.elements == [2, 10])
    #expect(two.elements == [2, 10])
    #expect(calls == 2)
  }

  @Test func `a composed property computes its value at each change, also if nobody observes it`() {
    let number = Property(1)
    var calls = 0
    let doubled = number.map { element in
      calls += 1
      return element * 2
    }
    number.value = 2
    number.value = 3
    #expect(calls == 3)
    #expect(doubled.value == 6 && calls == 3)
  }

  @Test func `an observer that subscribed before the composition sees the composed value of before`() {
    let (width, height) = (Property(2), Property(3))
    let bag = DisposeBag()
    var area: AnyProperty<Int>?
    var areas: [Int?] = []
    width.changes.observeNext { _ in areas.append(area?.value) }.dispose(in: bag)
    area = width.combineLatest(with: height).map { $0 * $1 }
    width.changes.observeNext { _ in areas.append(area?.value) }.dispose(in: bag)
    width.value = 5
    #expect(areas == [6, 15])
    bag.dispose()
  }

  @Test func `a silent update reaches a composed property with the next value that is delivered`() {
    let number = Property(1)
    let doubled = number.map { $0 * 2 }
    let record = doubled.record()
    number.silentUpdate(5)
    #expect(doubled.value == 2)
    number.value = 6
    #expect(doubled.value == 12)
    #expect(record.elements == [2, 12])
  }

  @Test func `letting go of a view does not end what its observers see`() {
    let number = Property(1)
    var mapped: AnyProperty<Int>? = number.map { $0 + 10 }
    var seen: [Int] = []
    let subscription = mapped?.observeNext { seen.append($0) }
    mapped = nil
    number.value = 2
    #expect(seen == [11, 12])
    subscription?.dispose()
    #expect(number.observerCount == 0)
  }

  @Test func `an observer that keeps no subscription goes on`() {
    let number = Property(1)
    var seen: [Int] = []
    do { _ = number.map { $0 + 1 }.map { $0 * 10 }.take(3).observeNext { seen.append($0) } }
    number.value = 2
    number.value = 3
    number.value = 4
    #expect(seen == [20, 30, 40])
    #expect(number.observerCount == 0)
  }

  @Test func `a view that nobody observes or keeps lets go of its source`() {
    let number = Property(1)
    do {
      let view = number.map { $0 }.filter(initial: 0) { $0 > 0 }
      #expect(number.observerCount == 1)
      #expect(view.value == 1)
    }
    #expect(number.observerCount == 0)
  }

  @Test func `a composed property keeps no property and completes when its sources have gone`() {
    var one: Property<Int>? = Property(1)
    var two: Property<Int>? = Property(2)
    let sum = one!.combineLatest(with: two!).map { $0 + $1 }
    let record = sum.record()
    weak let reference = one
    one = nil
    #expect(reference == nil)
    two?.value = 5
    #expect(sum.value == 6)
    #expect(record.events == [.next(3), .next(6)])
    two = nil
    #expect(record.events == [.next(3), .next(6), .completed])
    #expect(sum.value == 6)
    #expect(sum.record().events == [.next(6), .completed])
  }

  @Test func `filter has its initial value until one passes`() {
    let number = Property(1)
    let even = number.filter(initial: 0) { $0 % 2 == 0 }
    let record = even.record()
    #expect(even.value == 0)
    for next in 2...5 { number.value = next }
    #expect(even.value == 4)
    #expect(record.elements == [0, 2, 4])
    #expect(number.filter(initial: 0) { $0 % 2 == 1 }.value == 5)
  }

  @Test func `distinct changes only where the value does`() {
    let number = Property(1)
    let record = number.distinct().record()
    number.value = 1
    number.value = 2
    number.value = 2
    #expect(record.elements == [1, 2])
  }

  @Test(arguments: [false, true]) func `a closure that changes its source while it is composed loses no change`(
    _ isNested: Bool
  ) {
    /// Composes a property whose closure raises `number` to 3 while it is composed, also inside of a delivery.
    func compose<Value>(
      _ make: @escaping (Property<Int>, @escaping (Int) -> Void) -> AnyProperty<Value>
    ) -> (Property<Int>, AnyProperty<Value>) {
      let number = Property(isNested ? 0 : 1)
      let raise = { [unowned number] (value: Int) in if value < 3 { number.value = value + 1 } }
      guard isNested else { return (number, make(number, raise)) }
      var made: AnyProperty<Value>?
      number.changes.take(1).observeNext { _ in made = make(number, raise) }.dispose(in: bag)
      number.value = 1
      return (number, made!)
    }
    let bag = DisposeBag()
    func check(
      _ composed: (source: Property<Int>, view: AnyProperty<Int>), is value: Int, then last: Int,
      _ location: SourceLocation = #_sourceLocation
    ) {
      #expect(composed.view.value == value, sourceLocation: location)
      composed.source.value = 20
      #expect(composed.view.value == last, sourceLocation: location)
    }
    let doubled = compose { number, raise in
      number.map { value in
        raise(value)
        return value * 2
      }
    }
    check(doubled, is: 6, then: 40)
    let small = compose { number, raise in
      number.filter(initial: -1) { value in
        raise(value)
        return value < 3
      }
    }
    check(small, is: 2, then: 2)
    let other = Property(10)
    let sum = compose { number, raise in
      number.combineLatest(with: other).map { one, two in
        raise(one)
        return one + two
      }
    }
    check(sum, is: 13, then: 30)
    let distinct = compose { number, raise in
      number.distinct().map { value in
        raise(value)
        return value
      }
    }
    check(distinct, is: 3, then: 20)
    let latest = compose { number, raise in
      number.flatMap(.latest) { value in
        raise(value)
        return .constant(value * 3)
      }
    }
    check(latest, is: 9, then: 60)
    bag.dispose()
  }

  @Test func `flatMap with merge keeps the property of a value that its closure has replaced`() {
    let number = Property(0)
    let inner = [Property("a"), Property("b")]
    let merged = number.flatMap(.merge) { [unowned number] value in
      if value == 0 { number.value = 1 }
      return inner[value]
    }
    #expect(merged.value == "b")
    let record = merged.record()
    inner[0].value = "c"
    inner[1].value = "d"
    #expect(record.elements == ["b", "c", "d"])
  }

  @Test func `zip pairs by position`() {
    let (letters, numbers) = (Property("a"), Property(1))
    let pairs = letters.zip(with: numbers)
    let record = pairs.record()
    letters.value = "b"
    letters.value = "c"
    #expect(pairs.value == ("a", 1))
    numbers.value = 2
    #expect(pairs.value == ("b", 2))
    #expect(record.elements.map { "\($0.0)\($0.1)" } == ["a1", "b2"])
  }

  @Test func `zip retains the values of the property that is ahead, without a limit`() {
    let (fast, slow) = (Property(0), Property(0))
    let pairs = fast.zip(with: slow)
    let record = pairs.record()
    _ = captureDiagnostics { for number in 1...5_000 { fast.value = number } }
    for number in 1...5_000 { slow.value = number }
    #expect(record.elements.map(\.0) == Array(0...5_000))
    #expect(record.elements.map(\.1) == Array(0...5_000))
  }

  @Test func `each number of properties is combined and zipped, as a tuple or an array`() {
    let n = (0..<8).map { Property($0) }
    let tuples: [AnyProperty<[Int]>] = [
      combineLatest(n[0], n[1]).map { [$0.0, $0.1] },
      combineLatest(n[0], n[1], n[2]).map { [$0.0, $0.1, $0.2] },
      combineLatest(n[0], n[1], n[2], n[3]).map { [$0.0, $0.1, $0.2, $0.3] },
      combineLatest(n[0], n[1], n[2], n[3], n[4]).map { [$0.0, $0.1, $0.2, $0.3, $0.4] },
      combineLatest(n[0], n[1], n[2], n[3], n[4], n[5]).map { [$0.0, $0.1, $0.2, $0.3, $0.4, $0.5] },
      combineLatest(n[0], n[1], n[2], n[3], n[4], n[5], n[6]).map { [$0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6] },
      combineLatest(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7])
        .map { [$0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6, $0.7] },
      combineLatest(n),
    ]
    let zips: [AnyProperty<[Int]>] = [
      zip(n[0], n[1]).map { [$0.0, $0.1] },
      zip(n[0], n[1], n[2]).map { [$0.0, $0.1, $0.2] },
      zip(n[0], n[1], n[2], n[3]).map { [$0.0, $0.1, $0.2, $0.3] },
      zip(n[0], n[1], n[2], n[3], n[4]).map { [$0.0, $0.1, $0.2, $0.3, $0.4] },
      zip(n[0], n[1], n[2], n[3], n[4], n[5]).map { [$0.0, $0.1, $0.2, $0.3, $0.4, $0.5] },
      zip(n[0], n[1], n[2], n[3], n[4], n[5], n[6]).map { [$0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6] },
      zip(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]).map { [$0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6, $0.7] },
      zip(n),
    ]
    let counts = [2, 3, 4, 5, 6, 7, 8, 8]
    let first = counts.map { Array(0..<$0) }
    #expect(tuples.map(\.value) == first)
    #expect(zips.map(\.value) == first)
    n[1].value = 100
    #expect(tuples.map(\.value) == first.map { $0.map { $0 == 1 ? 100 : $0 } })
    #expect(zips.map(\.value) == first)
    for (index, property) in n.enumerated() where index != 1 { property.value = index + 100 }
    #expect(tuples.map(\.value).last?.reduce(0, +) == 100 + 28 - 1 + 700)
    // The second value of each property. The second property received its second value before the others did.
    #expect(zips.map(\.value) == counts.map { count in (0..<count).map { $0 == 1 ? 100 : $0 + 100 } })
  }

  @Test func `several are combined, or zipped, as one tuple`() {
    let (one, two, three) = (Property(1), Property("b"), Property(true))
    let all = combineLatest(one, two, three.readOnlyView)
    let pairs = zip(one, two)
    #expect(all.value == (1, "b", true))
    let record = all.record()
    one.value = 2
    three.value = false
    #expect(all.value == (2, "b", false))
    #expect(record.elements.count == 3)
    #expect(pairs.value == (1, "b"))
    two.value = "c"
    #expect(pairs.value == (2, "c"))
  }

  @Test func `flatten(.latest) follows the property that a property holds`() {
    let (one, two) = (Property(1), Property(10))
    let outer = Property(one)
    let inner = outer.flatten(.latest)
    let record = inner.record()
    one.value = 2
    outer.value = two
    one.value = 3
    two.value = 11
    #expect(inner.value == 11)
    #expect(record.elements == [1, 2, 10, 11])
  }

  @Test func `flatMap(.merge) follows all of them and makes each once`() {
    let outer = Property(1)
    var made: [Property<Int>] = []
    let inner = outer.flatMap(.merge) { number in
      let property = Property(number * 10)
      made.append(property)
      return property
    }
    #expect(inner.value == 10)
    outer.value = 2
    #expect(inner.value == 20)
    made[0].value = 11
    #expect(inner.value == 11)
    #expect(made.count == 2)
  }

  @Test func `and, or and negate`() {
    let (one, two) = (Property(true), Property(false))
    let (both, either, not) = (one.and(two), one.or(two), one.negate())
    #expect((both.value, either.value, not.value) == (false, true, false))
    two.value = true
    #expect(both.value)
    one.value = false
    #expect((both.value, either.value, not.value) == (false, true, true))
  }

  @Test func `AnyProperty(initial:then:) follows a stream, and completes with it`() {
    let push = PushStream<Int>()
    do {
      let property = AnyProperty(initial: 0, then: push)
      let record = property.record()
      push.next(1)
      #expect(property.value == 1)
      #expect(push.observerCount == 1)
      record.dispose()
    }
    #expect(push.observerCount == 0)
    let property = AnyProperty(initial: 0, then: Stream.sequence([1, 2]))
    #expect(property.record().events == [.next(2), .completed])
  }

  @Test func `composing inside a delivery begins with the value that is being delivered`() {
    let number = Property(0)
    let bag = DisposeBag()
    var record: Recorder<Int, Never>?
    number.changes.observeNext { [unowned number] element in
      guard element == 1 else { return }
      number.value = 2
      record = number.map { $0 * 10 }.record()
    }.dispose(in: bag)
    number.value = 1
    #expect(record?.elements == [10, 20])
  }

  @Test func `composing is not using: where it is observed is the home of all that it is made of`() async throws {
    let home = ThreadMailbox()
    let log = Log()
    let box = Lock<(property: Property<Int>, view: AnyProperty<Int>)?>(nil)
    do {
      let number = Property(1)
      let view = combineLatest(number.map { $0 * 2 }, number.distinct()).map { $0 + $1 }
      // Given away, and no longer used here.
      nonisolated(unsafe) let pair = (number, view)
      box.withLock { $0 = pair }
    }
    try await onOwnThread {
      HomeThread.set(mailbox: home, scheduler: nil)
      box.withLock { pair in
        guard let pair else { return }
        _ = pair.view.observe { log.add("\($0) \(HomeThread.mailbox === home)") }
        pair.property.value = 2
      }
    }
    // The property and the view are released here, and end at home.
    box.withLock { $0 = nil }
    #expect(log.entries == ["next(3) true", "next(5) true", "next(6) true"])
    try await onOwnThread {
      HomeThread.set(mailbox: home, scheduler: nil)
      home.run()
    }
    #expect(log.entries.last == "completed true")
  }
}
