import Delegates
import Properties
import Streams
import StreamsTesting
import TestSupport
import Testing

/// A class with intercepted methods.
private final class Jukebox: ReactiveCompatible {
  let playing = InterceptedMethod<Bool, String, Int>()
  func play(_ track: String, volume: Int) -> Bool {
    playing.intercept((track, volume)) {
      played.append(track)
      return volume > 0
    }
  }

  let stopping = InterceptedMethod<Void>()
  func stop() { stopping.intercept { played.append("stop") } }

  let loading = InterceptedThrowingMethod<Int, String>()
  func load(_ track: String) throws -> Int {
    try loading.intercept(track) {
      if track.isEmpty { throw Refused(code: 3) }
      return track.count
    }
  }

  let tuning = AsyncThrowingProxyMethod<Int, Int>()
  func tune(_ pitch: Int) async throws -> Int { try await tuning.intercept(pitch) { pitch * 2 } }

  var played: [String] = []
}

private struct Counter {
  let adding = InterceptedMethod<Void, Int>()
  private(set) var sum = 0
  mutating func add(_ number: Int) { adding.intercept(number) { sum += number } }
}

@Suite(.noLiveResources) struct InterceptionTests {
  let bag = DisposeBag()

  @Test func `before and after each call, with its arguments`() {
    let box = Jukebox()
    var seen: [String] = []
    box.reactive.signal(for: \.playing, .before).observeNext { track, _ in
      seen.append("before \(track) \(box.played.count)")
    }.dispose(in: bag)
    box.reactive.signal(for: \.playing).observeNext { track, volume in
      seen.append("after \(track) \(volume) \(box.played.count)")
    }.dispose(in: bag)
    box.reactive.trigger(for: \.playing).observeNext { seen.append("trigger") }.dispose(in: bag)
    box.playing.results.observeNext { track, _, result in seen.append("\(track) \(result)") }.dispose(in: bag)
    #expect(box.play("a", volume: 1))
    #expect(!box.play("b", volume: 0))
    #expect(
      seen == [
        "before a 0", "a true", "after a 1 1", "trigger", "before b 1", "b false", "after b 0 2", "trigger",
      ])
    bag.dispose()
    #expect(!box.playing.isImplemented)
    #expect(box.play("c", volume: 1))
    #expect(seen.count == 8)
  }

  @Test func `a method that throws, and one without arguments`() {
    let box = Jukebox()
    var outcomes: [String] = []
    var calls = 0
    box.loading.outcomes.observeNext { track, outcome in outcomes.append("\(track) \((try? outcome.get()) ?? -1)") }
      .dispose(in: bag)
    box.reactive.trigger(for: \.loading).observeNext { calls += 1 }.dispose(in: bag)
    box.reactive.trigger(for: \.stopping).observeNext { calls += 10 }.dispose(in: bag)
    #expect((try? box.load("abc")) == 3)
    #expect(throws: Refused(code: 3)) { try box.load("") }
    box.stop()
    #expect(outcomes == ["abc 3", " -1"])
    #expect(calls == 12)
  }

  @Test func `an asynchronous method`() async throws {
    let box = Jukebox()
    var seen: [Int] = []
    box.tuning.results.observeNext { seen += [$0, $1] }.dispose(in: bag)
    #expect(try await box.tune(3) == 6)
    box.tuning.replaceAnswer { _ in throw Refused(code: 1) }
    await #expect(throws: Refused(code: 1)) { try await box.tune(4) }
    #expect(seen == [3, 6])
  }

  @Test func `a method of a structure`() {
    var counter = Counter()
    var seen: [Int] = []
    counter.adding.signal.observeNext { seen.append($0) }.dispose(in: bag)
    counter.add(2)
    var copy = counter
    copy.add(3)
    #expect(counter.sum == 2)
    #expect(copy.sum == 5)
    #expect(seen == [2, 3])
  }

  @Test func `two observers hear each call, and one of them may leave`() {
    let box = Jukebox()
    var (first, second) = (0, 0)
    let one = box.reactive.trigger(for: \.stopping).observeNext { first += 1 }
    box.reactive.trigger(for: \.stopping).observeNext { second += 1 }.dispose(in: bag)
    box.stop()
    one.dispose()
    box.stop()
    #expect(first == 1)
    #expect(second == 2)
  }

  @Test func `an observer may call the method again`() {
    let box = Jukebox()
    var seen: [Int] = []
    box.reactive.signal(for: \.playing).observeNext { [unowned box] _, volume in
      seen.append(volume)
      if volume < 3 { _ = box.play("again", volume: volume + 1) }
    }.dispose(in: bag)
    _ = box.play("first", volume: 1)
    // Calls during a delivery are delivered after it.
    #expect(seen == [1, 2, 3])
    #expect(box.played == ["first", "again", "again"])
  }

  @Test func `the body may call the method again`() {
    final class Recursive {
      let counting = InterceptedMethod<Int, Int>()
      func count(_ number: Int) -> Int { counting.intercept(number) { number == 0 ? 0 : count(number - 1) + 1 } }
    }
    let object = Recursive()
    var (before, after): ([Int], [Int]) = ([], [])
    object.counting.willInvoke.observeNext { before.append($0) }.dispose(in: bag)
    object.counting.didInvoke.observeNext { after.append($0) }.dispose(in: bag)
    #expect(object.count(3) == 3)
    #expect(before == [3, 2, 1, 0])
    #expect(after == [0, 1, 2, 3])
  }

  @Test func `an object may go in its own call`() {
    var box: Jukebox? = Jukebox()
    weak let weakly = box
    var (calls, ended) = (0, false)
    box?.reactive.signal(for: \.stopping, .before).observeNext {
      calls += 1
      box = nil
    }.dispose(in: bag)
    box?.reactive.trigger(for: \.stopping).observe(next: { calls += 1 }, termination: { _ in ended = true })
      .dispose(in: bag)
    box?.stop()
    #expect(weakly == nil)
    #expect(calls == 2)
    #expect(ended)
  }

  @Test func `a handler takes the place of the body`() throws {
    let box = Jukebox()
    let stub = try box.playing.answer { track, _ in track == "stub" }
    #expect(box.play("stub", volume: 0))
    #expect(box.played.isEmpty)
    stub.dispose()
    #expect(!box.play("real", volume: 0))
    #expect(box.played == ["real"])
  }

  @Test func `a lifetime that ends in the call ends what is taken during it`() {
    let box = Jukebox()
    var token: Lifetime.Token? = Lifetime.Token()
    var (calls, ended) = (0, false)
    if let token {
      box.reactive.trigger(for: \.stopping).take(during: Lifetime(token)).observe(
        next: { calls += 1 }, termination: { _ in ended = true }
      ).dispose(in: bag)
    }
    box.reactive.trigger(for: \.stopping).observeNext { token = nil }.dispose(in: bag)
    box.stop()
    #expect(ended)
    box.stop()
    #expect(calls == 1)
    #expect(token == nil)
  }
}

/// An object whose closures are its seams.
private final class Connection {
  var onData: (Int, String) -> Bool = { $0 > $1.count }
  var onClose: (() -> Void)?
  var onMove: (Int, Int, Int, Int) -> Int = { $0 + $1 + $2 + $3 }
}

@Suite(.noLiveResources) struct ClosureSeamTests {
  @Test func `a closure is observed, and goes on being called`() throws {
    let connection = Connection()
    let seam = Reactive(connection).seam(at: \.onData)
    var seen: [String] = []
    let subscription = seam.slot.results.observeNext { number, text, answer in
      seen.append("\(number) \(text) \(answer)")
    }
    #expect(connection.onData(5, "abc"))
    #expect(!connection.onData(1, "abc"))
    try seam.slot.answer { _, text in text == "abc" }
    #expect(connection.onData(1, "abc"))
    #expect(seen == ["5 abc true", "1 abc false", "1 abc true"])
    seam.dispose()
    #expect(seam.isDisposed)
    #expect(subscription.isDisposed)
    #expect(!connection.onData(1, "abc"))
    #expect(seen.count == 3)
  }

  @Test func `an optional closure is put back, whether or not there is one`() {
    let connection = Connection()
    var (closed, seen) = (0, 0)
    var seam: ClosureSeam? = Reactive(connection).seam(at: \.onClose)
    _ = seam?.stream.observeNext { seen += 1 }
    connection.onClose?()
    #expect(seen == 1)
    seam = nil
    #expect(connection.onClose == nil)
    connection.onClose = { closed += 1 }
    let bag = DisposeBag()
    let another = Reactive(connection).seam(at: \.onClose)
    another.dispose(in: bag)
    _ = another.stream.observeNext { seen += 1 }
    connection.onClose?()
    #expect((closed, seen) == (1, 2))
    bag.dispose()
    connection.onClose?()
    #expect((closed, seen) == (2, 2))
  }

  @Test func `a seam in front of a seam`() {
    let connection = Connection()
    var order: [String] = []
    let back = Reactive(connection).seam(at: \.onClose)
    let front = Reactive(connection).seam(at: \.onClose)
    _ = back.stream.observeNext { order.append("back") }
    _ = front.stream.observeNext { order.append("front") }
    connection.onClose?()
    #expect(order == ["back", "front"])
    front.dispose()
    connection.onClose?()
    #expect(order == ["back", "front", "back"])
    back.dispose()
    #expect(connection.onClose == nil)
  }

  @Test func `seams of one closure are made and disposed in any order`() {
    for seed in 0..<UInt64(500) {
      var random = SeededGenerator(seed)
      let connection = Connection()
      var (order, closed) = ([Int](), 0)
      if seed % 2 == 0 { connection.onClose = { closed += 1 } }
      var seams: [(number: Int, seam: ClosureSeam<Never, Void>)] = []
      for step in 0..<20 {
        if seams.isEmpty || Bool.random(using: &random) {
          let seam = Reactive(connection).seam(at: \.onClose)
          _ = seam.stream.observeNext { order.append(step) }
          seams.append((step, seam))
        } else {
          let old = seams.remove(at: Int.random(in: seams.indices, using: &random))
          // Releasing the last reference ends a seam as well.
          if Bool.random(using: &random) { old.seam.dispose() }
        }
        (order, closed) = ([], 0)
        connection.onClose?()
        #expect(order == seams.map(\.number), "seed \(seed)")
        #expect(closed == (seed % 2 == 0 ? 1 : 0), "seed \(seed)")
      }
      for (_, seam) in seams.shuffled(using: &random) { seam.dispose() }
      #expect((connection.onClose == nil) == (seed % 2 == 1), "seed \(seed)")
    }
  }

  @Test func `any number of arguments, with a closure that is wrapped by hand`() {
    let connection = Connection()
    let seam = ClosureSeam<Never, Int, Int, Int, Int, Int>(wrapping: \.onMove, of: connection) { slot, original in
      { a, b, c, d in slot.intercept((a, b, c, d)) { original(a, b, c, d) } }
    }
    var seen = 0
    _ = seam.stream.observeNext { a, b, c, d in seen = a * b * c * d }
    #expect(connection.onMove(1, 2, 3, 4) == 10)
    #expect(seen == 24)
    seam.dispose()
  }

  @Test func `closures with up to three arguments, optional or not`() {
    let object = Closures()
    let bag = DisposeBag()
    let reactive = Reactive(object)
    let (zero, one, three) = (reactive.seam(at: \.zero), reactive.seam(at: \.one), reactive.seam(at: \.three))
    let (first, second, third) = (reactive.seam(at: \.first), reactive.seam(at: \.second), reactive.seam(at: \.third))
    var seen: [String] = []
    zero.stream.observeNext { seen.append("zero") }.dispose(in: bag)
    one.stream.observeNext { seen.append("one \($0)") }.dispose(in: bag)
    three.stream.observeNext { seen.append("three \($0 + $1 + $2)") }.dispose(in: bag)
    first.stream.observeNext { seen.append("first \($0)") }.dispose(in: bag)
    second.stream.observeNext { seen.append("second \($0 + $1)") }.dispose(in: bag)
    third.stream.observeNext { seen.append("third \($0 + $1 + $2)") }.dispose(in: bag)
    #expect(object.zero() == 0 && object.one(1) == 1 && object.three(1, 2, 3) == 6)
    object.first?(1)
    object.second?(1, 2)
    object.third?(1, 2, 3)
    #expect(seen == ["zero", "one 1", "three 6", "first 1", "second 3", "third 6"])
    #expect(object.sum == 10)
    for seam in [zero, one, three, first, second, third] as [any Disposable] { seam.dispose() }
    object.first?(1)
    #expect(object.one(2) == 2 && seen.count == 6 && object.sum == 11)
  }
}

private final class Closures {
  var sum = 0
  var zero: () -> Int = { 0 }
  var one: (Int) -> Int = { $0 }
  var three: (Int, Int, Int) -> Int = { $0 + $1 + $2 }
  lazy var first: ((Int) -> Void)? = { [unowned self] in sum += $0 }
  lazy var second: ((Int, Int) -> Void)? = { [unowned self] in sum += $0 + $1 }
  lazy var third: ((Int, Int, Int) -> Void)? = { [unowned self] in sum += $0 + $1 + $2 }
}
