#if Macros
import DelegateMacros
import Foundation
import FoundationXML
import Properties
import Streams
import StreamsTesting
import Testing

@Proxied @MainActor protocol ViewDelegate: AnyObject {
  var isEditable: Bool { get set }
  func viewDidLoad(_ view: String)
  func view(_ view: String, mayClose force: Bool) -> Bool
  @Defaulted func viewHeight(_ view: String) -> Int
}

extension ViewDelegate {
  func viewHeight(_ view: String) -> Int { isEditable ? 44 : 22 }
}

protocol TaskDelegate: AnyObject {
  func taskDidEnd(_ task: String)
}

@Proxied(inheriting: (any TaskDelegate).self)
protocol DataDelegate: TaskDelegate {
  func taskDidEnd(_ task: String)
  func task(_ task: String, didReceive bytes: Int)
}

@Proxied protocol Consumer<Item>: AnyObject {
  associatedtype Item: Equatable
  func consume(_ item: Item)
  func isWanted(_ item: Item) -> Bool
}

@Proxied protocol Keyed<Key>: AnyObject where Key: Hashable {
  associatedtype Key
  func count(_ key: Key) -> [Key: Int]
  func wait(await: Int, unsafe: Int) -> Int
}

@Proxied protocol Source<Item> where Self: AnyObject {
  associatedtype Item
  var latest: Self.Item { get set }
  func take(_ item: Self.Item) -> [Self.Item]
}

@Proxied protocol Lenient: AnyObject {
  func willStart(_ name: String)
  @Unproxied func version() -> Int
  @Unproxied static var kind: String { get }
}

extension Lenient {
  func version() -> Int { 3 }
  static var kind: String { "default" }
}

/// A protocol of another module, all of whose requirements have defaults there.
@Proxied(mirroring: (any XMLParserDelegate).self)
private protocol ParserDelegate: AnyObject {
  func parserDidStartDocument(_ parser: XMLParser)
  func parser(
    _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName qName: String?,
    attributes attributeDict: [String: String])
  func parser(_ parser: XMLParser, foundCharacters string: String)
}

enum Namespace {
  @Proxied protocol Inner: AnyObject {
    #if os(Windows)
    func show(_ window: Missing)
    #else
    func open(_ path: String)
    #endif
  }
}

/// Protocols of every kind.
@Suite(.noLiveResources) struct ProtocolTests {
  @Test func `a protocol with a where clause, and parameters whose names begin expressions`() {
    let proxy = KeyedProxy<String>(count: { [$0: 1] }, wait: { $0 + $1 })
    #expect(proxy.count("a") == ["a": 1])
    #expect(proxy.wait(await: 1, unsafe: 2) == 3)
  }

  @Test func `a protocol that writes Self, and is bound to classes by a where clause`() throws {
    let proxy = SourceProxy<Int>(take: { [$0, $0] })
    #expect(proxy.take(2) == [2, 2])
    let latest = Property(1)
    try proxy.latestSlot.feed(latest)
    proxy.latest = 3
    #expect(latest.value == 3)
  }

  @Test @MainActor func `a protocol of the main actor`() {
    @MainActor final class Delegate: ViewDelegate {
      var isEditable = true
      var loaded: [String] = []
      func viewDidLoad(_ view: String) { loaded.append(view) }
      func view(_ view: String, mayClose force: Bool) -> Bool { force }
    }
    let proxy = ViewDelegateProxy()
    let delegate = Delegate()
    proxy.forwardTo = delegate
    var loaded: [String] = []
    let subscription = proxy.stream(#method(ViewDelegateProxy.viewDidLoad(_:))).observeNext { loaded.append($0) }
    proxy.viewDidLoad("main")
    proxy.isEditable = false
    #expect(loaded == ["main"])
    #expect(delegate.loaded == loaded)
    #expect(!delegate.isEditable)
    #expect(proxy.view("main", mayClose: true))
    subscription.dispose()
    let made = ViewDelegateProxy(isEditable: { true }, mayClose: { view, _ in view == "main" })
    #expect(made.isEditable)
    #expect(made.view("main", mayClose: false))
    #expect(made.viewHeight("main") == 44)
  }

  @Test func `a protocol that inherits`() {
    let proxy = DataDelegateProxy()
    var log: [String] = []
    let bag = DisposeBag()
    proxy.didEnd.stream.observeNext { log.append("\($0) ended") }.dispose(in: bag)
    proxy.didReceive.stream.observeNext { log.append("\($0) \($1)") }.dispose(in: bag)
    let parent: any TaskDelegate = proxy
    proxy.task("a", didReceive: 2)
    parent.taskDidEnd("a")
    #expect(log == ["a 2", "a ended"])
  }

  @Test func `a protocol with an associated type`() {
    final class Ints: Consumer {
      var items: [Int] = []
      func consume(_ item: Int) { items.append(item) }
      func isWanted(_ item: Int) -> Bool { item > 3 }
    }
    let proxy = ConsumerProxy<Int>()
    let ints = Ints()
    proxy.forwardTo = ints
    var seen: [Int] = []
    let subscription = proxy.consume.stream.observeNext { seen.append($0) }
    let consumer: any Consumer<Int> = proxy
    consumer.consume(4)
    #expect(seen == [4])
    #expect(ints.items == [4])
    #expect(consumer.isWanted(4))
    subscription.dispose()
  }

  @Test func `what is Unproxied has the protocol's default`() {
    let proxy = LenientProxy()
    #expect(proxy.version() == 3)
    #expect(LenientProxy.kind == "default")
    #expect(proxy.slots.count == 1)
  }

  @Test func `a protocol of Foundation, which a parser calls`() {
    let proxy = ParserDelegateProxy()
    var log: [String] = []
    let bag = DisposeBag()
    proxy.didStartDocument.stream.observeNext { _ in log.append("start") }.dispose(in: bag)
    proxy.didStartElement.stream.observeNext { _, name, _, _, attributes in log.append("\(name) \(attributes)") }
      .dispose(in: bag)
    proxy.foundCharacters.stream.observeNext { log.append($1) }.dispose(in: bag)
    let parser = XMLParser(data: Data("<a b='1'>text</a>".utf8))
    parser.delegate = proxy
    #expect(parser.parse())
    #expect(log == ["start", "a [\"b\": \"1\"]", "text"])
  }

  @Test func `a protocol in a type, with a condition`() {
    let proxy = Namespace.InnerProxy()
    var opened: [String] = []
    let subscription = proxy.open.stream.observeNext { opened.append($0) }
    proxy.open("a")
    #expect(opened == ["a"])
    subscription.dispose()
  }
}
#endif
