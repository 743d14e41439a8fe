#if Macros
import DelegateMacros
import Properties
import Streams
import StreamsTesting
import Testing

struct ParseError: Error, Equatable { let line: Int }

@Proxied protocol Everything: AnyObject {
  var title: String { get set }
  var count: Int { get }
  subscript(row: Int, in section: Int) -> String { get set }
  func adjust(_ size: inout Int, by factor: Int) -> Bool
  func sum(_ values: Int..., scaledBy scale: Int) -> Int
  func each(_ body: (Int) -> Void) -> Int
  func search(_ isMatch: (Int) throws -> Bool) throws -> Int
  func ask(_ question: String, answer: @escaping (Int) -> Void)
  func log(_ text: @autoclosure () -> String)
  func load(_ path: String) throws -> Int
  func parse(_ text: String) throws(ParseError) -> Int
  func put(_ value: Int)
  func put(_ value: String)
  func place(_: Int, in: String, where place: borrowing String) -> String
}

/// A delegate that implements every requirement.
final class Real: Everything {
  var title = "real"
  var count: Int { 12 }
  var cells: [String: String] = [:]
  var said: [String] = []
  subscript(row: Int, in section: Int) -> String {
    get { cells["\(row) \(section)"] ?? "" }
    set { cells["\(row) \(section)"] = newValue }
  }
  func adjust(_ size: inout Int, by factor: Int) -> Bool {
    size *= factor
    return size > 10
  }
  func sum(_ values: Int..., scaledBy scale: Int) -> Int { values.reduce(0, +) * scale }
  func each(_ body: (Int) -> Void) -> Int {
    body(1)
    body(2)
    return 2
  }
  func search(_ isMatch: (Int) throws -> Bool) throws -> Int { try (1...9).first(where: isMatch) ?? 0 }
  func ask(_ question: String, answer: @escaping (Int) -> Void) { answer(question.count) }
  func log(_ text: @autoclosure () -> String) { said.append(text()) }
  func load(_ path: String) throws -> Int {
    if path.isEmpty { throw ParseError(line: 0) }
    return path.count
  }
  func parse(_ text: String) throws(ParseError) -> Int {
    guard let number = Int(text) else { throw ParseError(line: 1) }
    return number
  }
  func put(_ value: Int) { said.append("\(value)") }
  func put(_ value: String) { said.append(value) }
  func place(_: Int, in place: String, where other: borrowing String) -> String { place + copy other }
}

/// Every kind of requirement, called through a proxy.
@Suite(.noLiveResources) struct KindTests {
  let real = Real()
  let proxy = EverythingProxy()
  let bag = DisposeBag()
  var delegate: any Everything { proxy }

  init() { proxy.forwardTo = real }

  @Test func `properties and subscripts`() throws {
    var set: [String] = []
    proxy.titleSlot.stream.observeNext { set.append($0) }.dispose(in: bag)
    proxy.subscriptSetter.stream.observeNext { row, section, text in set.append("\(row) \(section) \(text)") }.dispose(
      in: bag)
    #expect(delegate.title == "real")
    delegate.title = "new"
    #expect(real.title == "new")
    #expect(delegate.count == 12)
    delegate[1, in: 2] = "cell"
    #expect(delegate[1, in: 2] == "cell")
    #expect(set == ["new", "1 2 cell"])
    let title = Property("property")
    try proxy.titleSlot.feed(title)
    #expect(delegate.title == "property")
  }

  @Test func `an inout argument is written back, whoever has changed it`() throws {
    var size = 4
    #expect(delegate.adjust(&size, by: 3))
    #expect(size == 12)
    try proxy.adjust.answer { size, factor in
      size.value += factor
      return false
    }
    #expect(!delegate.adjust(&size, by: 3))
    #expect(size == 15)
  }

  @Test func `a variadic argument of any length`() {
    var seen: [[Int]] = []
    proxy.sum.stream.observeNext { values, _ in seen.append(values) }.dispose(in: bag)
    #expect(delegate.sum(1, 2, 3, scaledBy: 10) == 60)
    #expect(delegate.sum(scaledBy: 10) == 0)
    #expect(seen == [[1, 2, 3], []])
  }

  @Test func `closures that last as long as the call, and longer`() throws {
    var got: [Int] = []
    #expect(delegate.each { got.append($0) } == 2)
    #expect(try delegate.search { $0 > 6 } == 7)
    #expect(throws: ParseError(line: 3)) { try delegate.search { _ in throw ParseError(line: 3) } }
    delegate.ask("four") { got.append($0) }
    delegate.log("said \(got.count)")
    #expect(got == [1, 2, 4])
    #expect(real.said == ["said 3"])
    let made = EverythingProxy(
      each: { body in
        body(8)
        return 1
      }, ask: { _, answer in answer(9) }, log: { text in got.append(text().count) })
    #expect(made.each { got.append($0) } == 1)
    made.ask("") { got.append($0) }
    made.log("12")
    #expect(got == [1, 2, 4, 8, 9, 2])
  }

  @Test func `errors, any and one`() throws {
    #expect(try delegate.load("abc") == 3)
    #expect(throws: ParseError(line: 0)) { try delegate.load("") }
    do throws(ParseError) {
      _ = try delegate.parse("x")
      Issue.record("It does not throw")
    } catch {
      #expect(error.line == 1)
    }
    let made = EverythingProxy(parse: { (text) throws(ParseError) in
      if text != "1" { throw ParseError(line: 2) }
      return 1
    })
    #expect(try made.parse("1") == 1)
    #expect(throws: ParseError(line: 2)) { try made.parse("2") }
  }

  @Test func `overloads, and parameters without names`() throws {
    var seen: [String] = []
    proxy.putInt.stream.observeNext { seen.append("int \($0)") }.dispose(in: bag)
    proxy.stream(#method(EverythingProxy.put(_:) as (EverythingProxy) -> (String) -> Void))
      .observeNext { seen.append($0) }.dispose(in: bag)
    delegate.put(1)
    delegate.put("two")
    #expect(seen == ["int 1", "two"])
    #expect(real.said == ["1", "two"])
    #expect(delegate.place(1, in: "a", where: "b") == "ab")
  }
}
#endif
