import DelegateMacros
import Streams

// Tuples as parameters, as results, and as properties.

typealias TuplePoint = (x: Int, y: Int)

@Proxied protocol TupleDelegate: AnyObject {
  func put(_ point: (Int, Int))
  func put(_ point: (Int, Int), named name: String) -> (Int, String)
  func move(_ point: TuplePoint) -> TuplePoint
  func load(_ point: (Int, Int)) async -> (Int, Int)
  var origin: (Int, Int) { get set }
  var size: (width: Int, height: Int) { get }
  subscript(point: (Int, Int)) -> (Int, Int) { get set }
}

func useTupleDelegate() throws -> [String] {
  var lines: [String] = []
  let bag = DisposeBag()
  let proxy = TupleDelegateProxy(
    putNamed: { point, name in (point.0 + point.1, name) }, move: { ($0.y, $0.x) }, origin: { (1, 2) },
    setOrigin: { lines.append("origin \($0)") }, size: { (3, 4) })
  proxy.put.stream.observeNext { point in lines.append("put \(point)") }.dispose(in: bag)
  proxy.put((5, 6))
  lines.append("\(proxy.put((1, 2), named: "a")) \(proxy.move((7, 8))) \(proxy.origin) \(proxy.size.height)")
  proxy.origin = (9, 9)
  return lines
}
