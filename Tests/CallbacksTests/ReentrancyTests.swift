import Callbacks
import HostileC
import Streams
import StreamsTesting
import Testing

extension CallbacksTests {
  /// Libraries that must not be called or destroyed from inside their callbacks.
  @Suite("Re-entrancy", .noLiveResources)
  struct ReentrancyTests {
    typealias Mine = RepeatingCallback<Int32, Void>

    /// The hook of an object that counts the calls from inside its callback.
    private func steps(of object: OpaquePointer) -> Stream<Int32> {
      Stream<Int32>.registering { observer in
        Mine { observer.next($0) }
      } register: { callback in
        _ = hostile_replace(object, { Mine.call($0, $1) }, callback.context)
      } unregister: { _ in
        _ = hostile_replace(object, nil, nil)
      }
    }

    @Test func `N1: without a deferral an observer that calls the library is inside of it; with one it is not`() {
      let object = hostile_new()!
      let calls = Deferral()
      let before = hostile_misuses()
      let plain = steps(of: object).observeNext { _ in _ = hostile_query(object) }
      _ = calls.during { hostile_step(object, 2) }
      #expect(hostile_misuses() - before == 2, "the fixture notices")
      plain.dispose()

      var log: [String] = []
      let subscription = steps(of: object).deliver(after: calls).observeNext { value in
        log.append("element \(value): \(hostile_query(object))")
      }
      let count = calls.during {
        let count = hostile_step(object, 3)
        log.append("step has returned")
        return count
      }
      #expect(count == 3)
      #expect(log == ["step has returned", "element 0: 0", "element 1: 0", "element 2: 0"])
      #expect(hostile_misuses() - before == 2)
      subscription.dispose()
      hostile_free(object)
    }

    @Test
    func
      `an observer that calls the library again gets those elements after the present ones; a thousand do not recurse`()
    {
      let object = hostile_new()!
      let calls = Deferral()
      var values: [Int32] = []
      var rounds = 0
      let before = hostile_misuses()
      let subscription = steps(of: object).deliver(after: calls).observeNext { value in
        values.append(value)
        if value == 0, rounds < 1000 {
          rounds += 1
          _ = calls.during { hostile_step(object, 2) }
          values.append(-1)
        }
      }
      _ = calls.during { hostile_step(object, 2) }
      #expect(Array(values.prefix(6)) == [0, -1, 1, 0, -1, 1])
      #expect(values.count == 1001 * 2 + 1000)
      #expect(hostile_misuses() == before)
      subscription.dispose()
      hostile_free(object)
    }

    @Test func `what waits when the observer is disposed is not delivered; the end comes after what waits`() {
      let calls = Deferral()
      let source = PushOperation<Int32, TestError>()
      let recorder = source.deliver(after: calls).record()
      let other = source.deliver(after: calls).record()
      calls.during {
        source.next(1)
        source.next(2)
        recorder.dispose()
        source.failed("end")
      }
      #expect(recorder.events == [])
      #expect(other.events == [.next(1), .next(2), .failed("end")])
    }

    @Test(arguments: [false, true])
    func `an element that owns a resource and waits when the observer leaves is disposed`(_ completes: Bool) {
      final class Resource: Disposable {
        private let onDispose: () -> Void
        private(set) var isDisposed = false
        init(_ onDispose: @escaping () -> Void) { self.onDispose = onDispose }
        func dispose() {
          isDisposed = true
          onDispose()
        }
      }
      let calls = Deferral()
      let source = PushStream<Resource>()
      var log: [String] = []
      let waiting = source.deliver(after: calls).take(completes ? 1 : 9).observeNext { _ in log.append("delivered") }
      calls.during {
        for number in 1...2 { source.next(Resource { log.append("disposed \(number)") }) }
        if !completes { waiting.dispose() }
        #expect(log == [])
      }
      #expect(log == (completes ? ["delivered", "disposed 2"] : ["disposed 1", "disposed 2"]))
    }

    @Test func `outside of any call elements pass at once, and during nests`() {
      let calls = Deferral()
      let source = PushStream<Int32>()
      let recorder = source.deliver(after: calls).record()
      source.next(1)
      #expect(recorder.elements == [1])
      calls.during {
        calls.during { source.next(2) }
        #expect(recorder.elements == [1])
      }
      #expect(recorder.elements == [1, 2])
      #expect(calls.isIdle)
    }

    @Test func `a call that throws delivers what it has caused, then throws`() {
      let calls = Deferral()
      var log: [String] = []
      #expect(throws: TestError("no")) {
        try calls.during { () throws(TestError) in
          calls.afterCall { log.append("after") }
          log.append("call")
          throw TestError("no")
        }
      }
      #expect(log == ["call", "after"])
    }

    @Test func `N2: an object freed from inside of its handler is freed when the call has returned`() {
      let object = hostile_new()!
      let calls = Deferral()
      let (misuses, objects) = (hostile_misuses(), hostile_objects())
      var values: [Int32] = []
      let bag = DisposeBag()
      steps(of: object).observeNext { value in
        values.append(value)
        if value == 1 {
          calls.afterCall {
            bag.dispose()
            hostile_free_unless_busy(object)
          }
        }
      }.dispose(in: bag)
      _ = calls.during { hostile_step(object, 3) }
      #expect(values == [0, 1, 2])
      #expect(hostile_misuses() == misuses)
      #expect(hostile_objects() == objects - 1)
    }

    @Test func `more than 65,536 events of one call are reported once, and none is lost`() {
      let calls = Deferral()
      let source = PushStream<Int>()
      var count = 0
      let subscription = source.deliver(after: calls).observeNext { _ in count += 1 }
      let reports = captureDiagnostics {
        for _ in 0..<2 { calls.during { for number in 0..<70_000 { source.next(number) } } }
      }
      #expect(count == 140_000)
      #expect(reports == ["More than 65536 events wait for one C function to return."])
      subscription.dispose()
    }
  }
}
