import DelegateMacros
import Streams

// A protocol without isolation: methods, properties, subscripts, tuples, and closures.

final class PlainOwner {}

struct PlainFailure: Error {}

@Proxied protocol PlainDelegate: AnyObject {
  func plainDidStart(_ plain: PlainOwner)
  func plain(_ plain: PlainOwner, didReach second: Int)
  func plain(_ plain: PlainOwner, mayPlay track: String) -> Bool
  @Slot(default: 44) func plain(_ plain: PlainOwner, heightOf row: Int) -> Double
  func parse(_ text: String) throws -> Int
  func check(_ text: String) throws(PlainFailure) -> PlainOwner
  func adjust(_ value: inout Int, by forwardee: Int) throws(PlainFailure) -> Bool
  func log(_ words: String..., to owner: PlainOwner)
  func visit(_ body: (Int) -> Void)
  func remember(_ body: @escaping () -> Void)
  func note(_ text: @autoclosure () -> String)
  func find(_ name: String!) -> PlainOwner!
  var parent: PlainOwner! { get set }
  var volume: Double { get set }
  var title: String { get }
  var name: String { get throws(PlainFailure) }
  subscript(row: Int, in section: Int) -> String { get set }
  @Defaulted func mayRetry(_ attempt: Int) -> Bool
  @Defaulted var limit: Int { get set }
}

extension PlainDelegate {
  func mayRetry(_ attempt: Int) -> Bool { attempt < limit }
  var limit: Int {
    get { 3 }
    set { volume = Double(newValue) }
  }
}

func usePlainDelegate() throws -> [String] {
  var lines: [String] = []
  let bag = DisposeBag()
  let owner = PlainOwner()
  let proxy = PlainDelegateProxy(mayPlay: { _, track in !track.isEmpty }, volume: { 0.5 })
  proxy.didReach.stream.observeNext { _, second in lines.append("at \(second)") }.dispose(in: bag)
  proxy.plain(owner, didReach: 7)
  lines.append("\(proxy.plain(owner, mayPlay: "a")) \(proxy.plain(owner, heightOf: 1)) \(proxy.volume)")
  lines.append("\(proxy.mayRetry(2)) \(proxy.mayRetry(3)) \(proxy.limit)")
  try proxy.find.answer { name in name == nil ? nil : owner }
  lines.append("\(proxy.find(nil) == nil) \(proxy.find("a") === owner)")
  try proxy.parse.answer { text in text.count }
  lines.append("\(try proxy.parse("abc"))")
  return lines
}
