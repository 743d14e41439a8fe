import DelegateMacros

// Protocols to which only one type in the source conforms. The optimizer knows that type, and must not take a proxy for it.

@Proxied protocol SoleDelegate: AnyObject {
  func ask(_ number: Int) -> Int
}

private final class SoleController: SoleDelegate {
  let offset = 7
  func ask(_ number: Int) -> Int { number + offset }
}

@Proxied private protocol HiddenDelegate: AnyObject {
  func ask(_ number: Int) -> Int
}

private final class HiddenController: HiddenDelegate {
  let offset = 7
  func ask(_ number: Int) -> Int { number + offset }
}

@Proxied protocol SoleSendableDelegate: Sendable {
  func ask(_ number: Int) -> Int
}

private final class SendableController: SoleSendableDelegate {
  let offset = 7
  func ask(_ number: Int) -> Int { number + offset }
}

@Proxied protocol SoleSink<Item>: AnyObject {
  associatedtype Item
  func put(_ item: Item) -> Int
}

private final class SinkController: SoleSink {
  let offset = 7
  func put(_ item: Int) -> Int { item + offset }
}

enum SoleSpace {
  @Proxied protocol Inner: AnyObject {
    func ask(_ number: Int) -> Int
  }
}

private final class InnerController: SoleSpace.Inner {
  let offset = 7
  func ask(_ number: Int) -> Int { number + offset }
}

@Proxied(inheriting: (any SoleDelegate).self) protocol SoleHeir: SoleDelegate {
  func ask(_ number: Int) -> Int
  func tell() -> Int
}

@inline(never) private func ask(_ delegate: (any SoleDelegate)?) -> Int { delegate?.ask(2) ?? 0 }
@inline(never) private func ask(_ delegate: (any HiddenDelegate)?) -> Int { delegate?.ask(2) ?? 0 }
@inline(never) private func ask(_ delegate: (any SoleSendableDelegate)?) -> Int { delegate?.ask(2) ?? 0 }
@inline(never) private func ask(_ delegate: (any SoleSink<Int>)?) -> Int { delegate?.put(2) ?? 0 }
@inline(never) private func ask(_ delegate: (any SoleSpace.Inner)?) -> Int { delegate?.ask(2) ?? 0 }

func useSoleConformers() -> [String] {
  [
    "\(ask(SoleController())) \(ask(SoleDelegateProxy(ask: { $0 * 100 })))",
    "\(ask(HiddenController())) \(ask(HiddenDelegateProxy(ask: { $0 * 100 })))",
    "\(ask(SendableController())) \(ask(SoleSendableDelegateProxy(ask: { $0 * 100 })))",
    "\(ask(SinkController())) \(ask(SoleSinkProxy<Int>(put: { $0 * 100 })))",
    "\(ask(InnerController())) \(ask(SoleSpace.InnerProxy(ask: { $0 * 100 })))",
    "\(ask(SoleHeirProxy(ask: { $0 * 100 }, tell: { 1 })))",
  ]
}
