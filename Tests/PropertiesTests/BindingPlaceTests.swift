import Properties
import Streams
import Testing

#if DEBUG
/// Recordings and reports of leaks name a binding by the line that makes it.
struct BindingPlaceTests {
  private final class Lamp: LifetimeProviding, DisposeBagProviding {
    private let token = Lifetime.Token()
    var lifetime: Lifetime { Lifetime(token) }
    let disposeBag = DisposeBag()
    var brightness = 0
    let turned = PushStream<Void>()

    var control: ControlProperty<Int> {
      ControlProperty(of: self, get: { $0.brightness }, set: { $0.brightness = $1 }, changes: turned)
    }
  }

  /// Returns the places of what `bind` makes and leaves open.
  private func places(of bind: () -> any Disposable) -> Set<String?> {
    let tracker = LiveResources()
    let binding = LiveResources.$current.withValue(tracker) { bind() }
    defer { binding.dispose() }
    return Set(tracker.resources.map(\.place))
  }

  private func here(_ line: Int) -> Set<String?> { ["PropertiesTests/BindingPlaceTests.swift:\(line)"] }

  @Test func `a binding to a property, and one to a lamp that ends it`() {
    let (numbers, property, lamp) = (PushStream<Int>(), Property(0), Lamp())
    #expect(places { numbers.bind(to: property) } == here(#line))
    #expect(places { numbers.bind(to: Binder(lamp) { $0.brightness = $1 }) } == here(#line))
  }

  @Test func `a binding in both directions, of properties and of a control`() {
    let (one, other, lamp) = (Property(0), Property(0), Lamp())
    #expect(places { one.bidirectionalBind(to: other) } == here(#line))
    #expect(places { one.bidirectionalBind(to: lamp.control) } == here(#line))
    #expect(places { lamp.control.bidirectionalBind(to: one) } == here(#line))
  }

  @Test func `a binding in the bag of an object`() {
    let (numbers, property, lamp) = (PushStream<Int>(), Property(0), Lamp())
    let binding = places {
      lamp.bind(numbers, to: property)
      return lamp.disposeBag
    }
    #expect(binding == here(#line - 3))
  }
}
#endif
