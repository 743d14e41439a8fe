import Callbacks
import EventLoops
import HostileC
import Streams
import StreamsTesting
import Testing

extension CallbacksTests {
  /// The homes of callbacks, and the effect of Swift's isolation on the closures that C receives.
  @Suite("Isolation", .noLiveResources)
  struct IsolationTests {
    typealias Lent = LentCallback<Int32, Void>
    typealias Foreign = ForeignCallback<Int32, Void>

    @Test func `a C closure inherits the main actor: called on another thread it traps, before any adapter has a say`()
      async
    {
      await #expect(processExitsWith: .failure) { @MainActor in
        let callback = Foreign { _ in }
        hostile_call_on_thread({ Foreign.call($0, $1) }, callback.context, 1)
      }
    }

    @Test
    @MainActor func `@Sendable, or a nonisolated function, fixes it`() {
      let values = Lock<[Int32]>([])
      let callback = Foreign { value in values.withLock { $0.append(value) } }
      hostile_call_on_thread({ @Sendable in Foreign.call($0, $1) }, callback.context, 1)
      Self.call(callback.context)
      #expect(values.withLock { $0 } == [1, 2])
    }

    private nonisolated static func call(_ context: UnsafeMutableRawPointer) {
      hostile_call_on_thread({ Foreign.call($0, $1) }, context, 2)
    }

    @Test func `a callback of a loop's thread that C gives back on another thread ends at home`() throws {
      let queue = Queue(label: "home")
      let ends = Lock<[String?]>([])
      let before = DroppedCalls.soFar
      try queue.sync {
        let callback = Lent({ _ in }, onEnd: { ends.withLock { $0.append(Queue.current?.label) } })
        hostile_call_on_thread({ context, _ in Lent.giveBack(context) }, callback.context, 0)
        #expect(callback.isEnded, "no call begins any more")
        hostile_call({ Lent.call($0, $1) }, callback.context, 1)
        #expect(ends.withLock { $0 } == [])
      }
      try queue.sync {}
      #expect(ends.withLock { $0 } == ["home"])
      #expect(DroppedCalls.soFar - before == DroppedCalls(late: 1))
      queue.shutdown()
    }

    @Test func `what C gives back after its home has shut down is released at the latest when home's thread has ended`()
      async throws
    {
      weak let released: Witness?
      let context: UInt
      do {
        let witness = Witness()
        released = witness
        context = try await onLoop {
          UInt(bitPattern: Lent { [witness] _ in withExtendedLifetime(witness) {} }.context)
        }
      }
      #expect(released != nil)
      try await onOwnThread { Lent.giveBack(UnsafeMutableRawPointer(bitPattern: context)) }
      // The thread of the home may not have ended yet.
      let deadline = ContinuousClock.now + .seconds(60)
      while released != nil, .now < deadline { await Task.yield() }
      #expect(released == nil)
    }

    @Test func `an actor's callback serves whatever thread the actor runs on`() async {
      actor Database {
        private let object = hostile_new()!
        private var callback: RepeatingCallback<Int32, Void>?
        private(set) var values: [Int32] = []

        func open() {
          Stream<Int32>.registering { observer in
            RepeatingCallback<Int32, Void> { observer.next($0) }
          } register: { [object] callback in
            _ = hostile_replace(object, { RepeatingCallback<Int32, Void>.call($0, $1) }, callback.context)
          } unregister: { [object] _ in
            _ = hostile_replace(object, nil, nil)
          }
          .observeNext(with: self) { me, value in me.values.append(value) }
          .dispose(in: bag)
        }

        func step(_ value: Int32) { hostile_fire(object, value) }

        func close() {
          bag.dispose()
          hostile_free(object)
        }

        private let bag = DisposeBag()
      }
      let before = DroppedCalls.soFar
      let database = Database()
      await database.open()
      for value: Int32 in 0..<100 {
        await Task.detached { await database.step(value) }.value
      }
      #expect(await database.values == Array(0..<100))
      await database.close()
      #expect(DroppedCalls.soFar == before)
    }
  }
}
