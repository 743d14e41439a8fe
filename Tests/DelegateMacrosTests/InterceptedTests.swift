#if Macros
import DelegateMacros
import Properties
import Streams
import StreamsTesting
import Testing

struct Full: Error {}

final class Document: ReactiveCompatible {
  var saved: [String] = []
  var onSave: () -> Void = {}

  @Intercepted func save(to path: String, force: Bool = false) throws -> Int {
    guard force || saved.count < 2 else { throw Full() }
    saved.append(path)
    onSave()
    return saved.count
  }

  @Intercepted func close() { saved = [] }

  @Intercepted func wait(await: Int) -> Int { `await` }

  @Intercepted func typed(_ text: String) throws(Full) -> Int {
    if text.isEmpty { throw Full() }
    return text.count
  }

  @Intercepted("visits") func each(_ body: (Int) -> Void) -> Int {
    for index in saved.indices { body(index) }
    return saved.count
  }

  @Intercepted func sum(_ values: Int...) -> Int { values.reduce(0, +) }
}

private final class Speaker {
  @Intercepted func name(of row: Int) async -> String { said() }
  private func said(_ function: String = #function) -> String { function }
}

struct Counter {
  private(set) var count = 0

  @Intercepted mutating func add(_ number: Int) -> Int {
    count += number
    return count
  }
}

/// The behavior of methods that are marked `@Intercepted`.
@Suite(.noLiveResources) struct InterceptedTests {
  let document = Document()
  let bag = DisposeBag()

  @Test func `the body of an asynchronous method is in the function that it names`() async {
    #expect(await Speaker().name(of: 1) == "name(of:)")
  }

  @Test func `arguments before and after, the result, and what is thrown`() throws {
    var log: [String] = []
    document.reactive.signal(for: \.saveToForceSlot, .before).observeNext { path, force in
      log.append("before \(path) \(force)")
    }
    .dispose(in: bag)
    document.reactive.signal(for: \.saveToForceSlot).observeNext { path, _ in log.append("after \(path)") }.dispose(
      in: bag)
    document.saveToForceSlot.results.observeNext { _, _, count in log.append("saved \(count)") }.dispose(in: bag)
    document.onSave = { log.append("save") }
    #expect(try document.save(to: "a") == 1)
    #expect(log == ["before a false", "save", "saved 1", "after a"])
    #expect(try document.save(to: "b") == 2)
    log = []
    #expect(throws: Full.self) { try document.save(to: "c") }
    #expect(log == ["before c false", "after c"])
    #expect(try document.save(to: "c", force: true) == 3)
  }

  @Test func `a trigger, and a method without parameters`() {
    var count = 0
    document.reactive.trigger(for: \.closeSlot).observeNext { count += 1 }.dispose(in: bag)
    document.close()
    document.close()
    #expect(count == 2)
  }

  @Test func `typed errors, closures and any number of arguments`() throws {
    var log: [String] = []
    document.typedSlot.outcomes.observeNext { text, outcome in log.append("\(text) \(outcome)") }.dispose(in: bag)
    document.visits.results.observeNext { _, count in log.append("\(count) visited") }.dispose(in: bag)
    document.sumSlot.results.observeNext { values, sum in log.append("\(values) \(sum)") }.dispose(in: bag)
    #expect(try document.typed("abc") == 3)
    #expect(throws: Full.self) { try document.typed("") }
    _ = try document.save(to: "a")
    #expect(document.each { _ in log.append("visit") } == 1)
    #expect(document.sum(1, 2) == 3)
    #expect(log == ["abc success(3)", " failure(DelegateMacrosTests.Full())", "visit", "1 visited", "[1, 2] 3"])
  }

  @Test func `a mutating method of a structure, whose copies share the slot`() {
    var counter = Counter()
    var log: [String] = []
    counter.addSlot.results.observeNext { number, count in log.append("\(number) \(count)") }.dispose(in: bag)
    #expect(counter.add(2) == 2)
    var copy = counter
    #expect(copy.add(3) == 5)
    #expect(counter.count == 2)
    #expect(log == ["2 2", "3 5"])
  }

  @Test func `an observer that calls the method again is told in order`() throws {
    var log: [String] = []
    document.reactive.signal(for: \.saveToForceSlot).observeNext { [unowned document] path, _ in
      log.append(path)
      if path == "a" { _ = try? document.save(to: "b") }
    }.dispose(in: bag)
    _ = try document.save(to: "a")
    #expect(log == ["a", "b"])
  }

  @Test func `streams complete when the object goes, also from inside of a call`() throws {
    var object: Document? = Document()
    var isCompleted = false
    object?.reactive.signal(for: \.closeSlot).observeCompleted { isCompleted = true }.dispose(in: bag)
    object?.reactive.trigger(for: \.closeSlot).observeNext { object = nil }.dispose(in: bag)
    object?.close()
    #expect(object == nil)
    #expect(isCompleted)
  }

  @Test func `a handler takes the place of the body`() throws {
    try document.saveToForceSlot.answer { path, _ in path.count }
    #expect(try document.save(to: "abc") == 3)
    #expect(document.saved.isEmpty)
  }
}
#endif
