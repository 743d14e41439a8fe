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

/// A public protocol that an internal type hides from other modules.
enum HidingSpace {
  /// Only this module sees it.
  @Proxied public protocol Hidden: AnyObject {
    func ask(_ number: Int) -> Int
  }
  /// The same, on any thread.
  @Proxied public protocol SendableHidden: AnyObject, Sendable {
    func ask(_ number: Int) -> Int
  }
}

private final class HidingController: HidingSpace.Hidden {
  let offset = 7
  func ask(_ number: Int) -> Int { number + offset }
}

private final class SendableHidingController: HidingSpace.SendableHidden {
  let offset = 7
  func ask(_ number: Int) -> Int { number + offset }
}

enum OpenSpace {}

extension OpenSpace {
  /// Hidden, too, by a type that its extension does not show.
  @Proxied public protocol Inside: AnyObject {
    func ask(_ number: Int) -> Int
  }
  @Proxied fileprivate protocol InFile: AnyObject {
    func ask(_ number: Int) -> Int
  }
}

private final class InsideController: OpenSpace.Inside {
  let offset = 7
  func ask(_ number: Int) -> Int { number + offset }
}

private final class InFileController: OpenSpace.InFile {
  let offset = 7
  func ask(_ number: Int) -> Int { number + offset }
}

protocol ForeignMeter: AnyObject {
  func ask(_ number: Int) -> Int
}

@Proxied(mirroring: (any ForeignMeter & Sendable).self)
protocol MeterCalls: AnyObject, Sendable {
  func ask(_ number: Int) -> Int
}

/// Nothing in the source conforms to these.
@Proxied protocol SoleDefaulted: AnyObject {
  @Defaulted func mayRetry(after attempt: Int) -> Bool
  func maximum(for kind: Int) -> Int
}

extension SoleDefaulted {
  func mayRetry(after attempt: Int) -> Bool { isBelow(self, attempt) }
}

@inline(never) private func isBelow(_ delegate: any SoleDefaulted, _ attempt: Int) -> Bool {
  attempt < delegate.maximum(for: attempt)
}

@Proxied protocol SoleSendableDefaulted: AnyObject, Sendable {
  @Defaulted func mayRetry(after attempt: Int) -> Bool
  func maximum(for kind: Int) -> Int
}

extension SoleSendableDefaulted {
  func mayRetry(after attempt: Int) -> Bool { isBelow(self, attempt) }
}

@inline(never) private func isBelow(_ delegate: any SoleSendableDefaulted, _ attempt: Int) -> Bool {
  attempt < delegate.maximum(for: attempt)
}

@inline(never) private func ask(_ delegate: (any HidingSpace.Hidden)?) -> Int { delegate?.ask(2) ?? 0 }
@inline(never) private func ask(_ delegate: (any HidingSpace.SendableHidden)?) -> Int { delegate?.ask(2) ?? 0 }
@inline(never) private func ask(_ delegate: (any OpenSpace.Inside)?) -> Int { delegate?.ask(2) ?? 0 }
@inline(never) private func ask(_ delegate: (any ForeignMeter)?) -> Int { delegate?.ask(2) ?? 0 }
@inline(never) private func ask(_ delegate: (any OpenSpace.InFile)?) -> Int { delegate?.ask(2) ?? 0 }
@inline(never) private func mayRetry(_ delegate: (any SoleDefaulted)?) -> [Bool] {
  [2, 5].compactMap { delegate?.mayRetry(after: $0) }
}
@inline(never) private func mayRetry(_ delegate: (any SoleSendableDefaulted)?) -> [Bool] {
  [2, 5].compactMap { delegate?.mayRetry(after: $0) }
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
    "\(ask(HidingController())) \(ask(HidingSpace.HiddenProxy(ask: { $0 * 100 })))",
    "\(ask(SendableHidingController())) \(ask(HidingSpace.SendableHiddenProxy(ask: { $0 * 100 })))",
    "\(ask(InsideController())) \(ask(OpenSpace.InsideProxy(ask: { $0 * 100 })))",
    "\(ask(InFileController())) \(ask(OpenSpace.InFileProxy(ask: { $0 * 100 })))",
    "\(mayRetry(SoleDefaultedProxy(maximum: { _ in 3 }))) \(mayRetry(SoleSendableDefaultedProxy(maximum: { _ in 3 })))",
    "\(ask(MeterCallsProxy(ask: { $0 * 100 })))",
    "\(ask(SoleHeirProxy(ask: { $0 * 100 }, tell: { 1 })))",
  ]
}
