import Callbacks
import Streams
import StreamsTesting
import Testing

extension CallbacksTests {
  @Suite("Multiplexer", .noLiveResources)
  struct MultiplexerTests {
    /// A library with one slot for each key.
    final class Library {
      var slots: [String: Observer<Int, TestError>] = [:]
      var registrations: [String] = []

      func hook(_ key: String) -> Operation<Int, TestError> {
        Operation { [self] observer in
          registrations.append("+" + key)
          if slots[key] != nil {
            observer.failed("registered twice")
            return .none
          }
          slots[key] = observer
          return BlockDisposable { [self] in
            registrations.append("-" + key)
            slots[key] = nil
          }
        }
      }
    }

    @Test func `one registration for all observers of a key; the last one to leave ends it`() {
      let library = Library()
      let events = Multiplexer { library.hook($0) }
      let one = events.stream(for: "a").record()
      let two = events.stream(for: "a").record()
      let other = events.stream(for: "b").record()
      #expect(events.registeredKeys.sorted() == ["a", "b"])
      library.slots["a"]?.next(1)
      one.dispose()
      library.slots["a"]?.next(2)
      library.slots["b"]?.next(3)
      #expect(one.elements == [1])
      #expect(two.elements == [1, 2])
      #expect(other.elements == [3])
      two.dispose()
      #expect(library.registrations == ["+a", "+b", "-a"])
      let three = events.stream(for: "a").record()
      library.slots["a"]?.next(4)
      #expect(three.elements == [4])
      three.dispose()
      other.dispose()
      #expect(library.registrations == ["+a", "+b", "-a", "+a", "-a", "-b"])
      #expect(events.registeredKeys == [])
    }

    @Test func `the end reaches all observers, and whoever comes next registers anew`() {
      let library = Library()
      let events = Multiplexer { library.hook($0) }
      let one = events.stream(for: "a").record()
      let two = events.stream(for: "a").record()
      library.slots["a"]?.failed("broken")
      #expect(one.failure == "broken")
      #expect(two.failure == "broken")
      let three = events.stream(for: "a").record()
      library.slots["a"]?.next(1)
      #expect(three.events == [.next(1)])
      three.dispose()
      #expect(library.registrations == ["+a", "-a", "+a", "-a"])
    }

    @Test func `a library that cannot unregister is registered once, and ends by itself`() {
      let library = Library()
      let events = Multiplexer(keepsRegistration: true) { library.hook($0) }
      events.stream(for: "a").record().dispose()
      let two = events.stream(for: "a").record()
      library.slots["a"]?.next(1)
      library.slots["a"]?.completed()
      #expect(two.events == [.next(1), .completed])
      #expect(library.registrations == ["+a", "-a"])
    }

    @Test func `a source that ends, or whose observers all leave, while it is being observed leaves nothing behind`() {
      let events = Multiplexer<String, Int, TestError> { _ in .sequence([1, 2, 3]) }
      #expect(events.stream(for: "a").record().events == [.next(1), .next(2), .next(3), .completed])
      #expect(events.stream(for: "a").take(2).record().events == [.next(1), .next(2), .completed])
      #expect(events.registeredKeys == [])
    }

    @Test func `whoever comes after the source has vanished registers anew`() {
      var sources: [PushOperation<Int, TestError>] = []
      let events = Multiplexer<String, Int, TestError>(keepsRegistration: true) { _ in
        sources.append(PushOperation())
        return sources.last!.toOperation()
      }
      weak var captured: Reference?
      let one: Subscription
      do {
        let reference = Reference()
        captured = reference
        one = events.stream(for: "a").observe(next: { _ in withExtendedLifetime(reference) {} }, termination: { _ in })
      }
      let two = events.stream(for: "a").record()
      sources[0].next(1)
      #expect(events.registeredKeys == ["a"])
      sources.removeAll()
      #expect(events.registeredKeys == [])
      #expect(captured == nil)
      let three = events.stream(for: "a").record()
      #expect(events.registeredKeys == ["a"])
      sources[0].next(2)
      one.dispose()
      two.dispose()
      sources[0].next(3)
      #expect(two.events == [.next(1)])
      #expect(three.events == [.next(2), .next(3)])
    }

    final class Reference {}

    @Test func `an observer that leaves and another that comes while the source sends share one registration`() {
      var registrations = 0
      let events = Multiplexer<String, Int, TestError> { _ in
        Operation { observer in
          registrations += 1
          for number in 1...3 { observer.next(number) }
          return .none
        }
      }
      var second: Recorder<Int, TestError>?
      let first = events.stream(for: "a").take(1).doOn(completed: { second = events.stream(for: "a").record() })
        .record()
      #expect(first.events == [.next(1), .completed])
      #expect(registrations == 1)
      #expect(second?.elements == [2, 3])
      second?.dispose()
      #expect(events.registeredKeys == [])
    }

    @Test func `a multiplexer that is let go of disposes of what its observers have left`() {
      let library = Library()
      do {
        let events = Multiplexer(keepsRegistration: true) { library.hook($0) }
        events.stream(for: "a").record().dispose()
        #expect(library.registrations == ["+a"])
      }
      #expect(library.registrations == ["+a", "-a"])
    }
  }
}
