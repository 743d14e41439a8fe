import Delegates
import Streams
import StreamsTesting
import Testing

private protocol Plain { func value() -> Int }
private protocol Labelled: AnyObject { var name: String { get } }
private class Base { var serial: Int { 1 } }
private final class Both: Base, Plain, Labelled {
  let number: Int
  init(_ number: Int) { self.number = number }
  func value() -> Int { number }
  var name: String { "both \(number)" }
  override var serial: Int { number * 2 }
}

/// A forwardee is referenced weakly, whatever kind of type its delegate protocol is, and its calls use the right witnesses.
@Suite(.noLiveResources) struct ExistentialTests {
  private func held<Delegate, Value: Equatable>(
    _ proxy: ProtocolProxy<Delegate>, _ value: Value, _ make: () -> Delegate, _ get: (Delegate) -> Value
  ) {
    var delegate: Delegate? = make()
    weak let object = delegate as AnyObject?
    for _ in 0..<3 {
      proxy.forwardTo = delegate
      #expect(proxy.forwardTo.map(get) == value)
      #expect(proxy.forwardTo.map(get) == value)
    }
    delegate = nil
    #expect(proxy.forwardTo == nil)
    #expect(object == nil)
    proxy.setForwardee(make(), retaining: true)
    #expect(proxy.forwardTo.map(get) == value)
    proxy.forwardTo = nil
  }

  @Test func `a protocol that structures may conform to, several protocols, a class with protocols, a class, anything`()
  {
    held(ProtocolProxy<any Plain>(), 5, { Both(5) }, { $0.value() })
    held(ProtocolProxy<any Plain & Labelled>(), "both 6 6", { Both(6) }, { "\($0.name) \($0.value())" })
    held(
      ProtocolProxy<any Base & Plain & Labelled>(), "both 7 7 14", { Both(7) },
      { "\($0.name) \($0.value()) \($0.serial)" })
    held(ProtocolProxy<Base>(), 16, { Both(8) }, { $0.serial })
    held(ProtocolProxy<AnyObject>(), 9, { Both(9) }, { ($0 as? Both)?.number ?? 0 })
    held(ProtocolProxy<Any>(), 10, { Both(10) }, { ($0 as? Both)?.number ?? 0 })
  }
}
