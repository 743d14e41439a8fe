import DelegateMacros
import Streams

// Slots that are named after methods.

final class NamedTable {}

@Proxied protocol NamedTableDelegate: AnyObject {
  func table(_ table: NamedTable, didSelect row: Int)
  func table(_ table: NamedTable, heightOf row: Int) -> Double
  func reload() async
}

func useMethodNames() throws -> [String] {
  var lines: [String] = []
  let bag = DisposeBag()
  let proxy = NamedTableDelegateProxy()
  let rows = try proxy.stream(#method((any NamedTableDelegate).table(_:didSelect:))) { push, table, row in
    push.next(row)
  }
  rows.observeNext { row in lines.append("\(row)") }.dispose(in: bag)
  try proxy.slot(for: #method((any NamedTableDelegate).table(_:heightOf:))).answer { table, row in 44 }
  proxy.stream(#method(NamedTableDelegateProxy.table(_:heightOf:))).observeNext { table, row in lines.append("height") }
    .dispose(in: bag)
  proxy.table(NamedTable(), didSelect: 3)
  lines.append("\(proxy.table(NamedTable(), heightOf: 1))")
  return lines
}
