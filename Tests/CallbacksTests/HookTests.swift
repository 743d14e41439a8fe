import Callbacks
import EventLoops
import HostileC
import Streams
import StreamsTesting
import Testing

extension CallbacksTests {
  /// Hooks of a library as cold streams.
  @Suite("Hooks as streams", .noLiveResources)
  struct HookTests {
    typealias Mine = RepeatingCallback<Int32, Void>
    typealias Lent = LentCallback<Int32, Void>
    typealias Once = OnceCallback<Int32, Void>
    typealias Foreign = ForeignCallback<Int32, Void>

    /// The hook of an object, written as for a real library.
    private func hook(_ object: OpaquePointer, _ log: Log = Log()) -> Stream<Int32> {
      Stream<Int32>.registering { observer in
        Lent({ observer.next($0) }, onEnd: { observer.completed() })
      } register: { callback in
        log.add("register")
        hostile_set(object, { Lent.call($0, $1) }, callback.context, { Lent.giveBack($0) })
      } unregister: { _ in
        log.add("unregister")
        hostile_set(object, nil, nil, nil)
      }
    }

    @Test func `what register returns is handed to unregister, for each observer its own`() {
      var registered = 0
      var unregistered: [Int] = []
      let objects = [hostile_new()!, hostile_new()!]
      let stream = Stream<Int32>.registering { observer in
        Lent({ observer.next($0) }, onEnd: { observer.completed() })
      } register: { callback in
        registered += 1
        hostile_set(objects[registered - 1], { Lent.call($0, $1) }, callback.context, { Lent.giveBack($0) })
        return registered
      } unregister: { _, id in
        unregistered.append(id)
        hostile_set(objects[id - 1], nil, nil, nil)
      }
      let recorders = [stream.record(), stream.record()]
      for (value, object) in objects.enumerated() { hostile_fire(object, Int32(value)) }
      #expect(recorders.map(\.elements) == [[0], [1]])
      for recorder in recorders { recorder.dispose() }
      #expect(unregistered == [1, 2])
      for object in objects { hostile_free(object) }
    }

    @Test func `observing registers, disposing unregisters, nothing comes afterwards`() {
      let log = Log()
      let object = hostile_new()!
      let stream = hook(object, log)
      #expect(log.entries == [])
      let recorder = stream.record()
      hostile_fire(object, 1)
      hostile_fire(object, 2)
      recorder.dispose()
      hostile_fire(object, 3)
      #expect(recorder.events == [.next(1), .next(2)])
      #expect(log.entries == ["register", "unregister"])
      hostile_free(object)
    }

    @Test
    func `a library that destroys the registration by itself completes the stream, and is not asked to unregister`() {
      let log = Log()
      let object = hostile_new()!
      let recorder = hook(object, log).record()
      hostile_fire(object, 1)
      hostile_free(object)
      #expect(recorder.events == [.next(1), .completed])
      #expect(log.entries == ["register"])
    }

    @Test func `an observer that disposes inside of the callback unregisters from there`() {
      let log = Log()
      let object = hostile_new()!
      let recorder = hook(object, log).take(2).record()
      for value: Int32 in 1...4 { hostile_fire(object, value) }
      #expect(recorder.events == [.next(1), .next(2), .completed])
      #expect(log.entries == ["register", "unregister"])
      hostile_free(object)
    }

    @Test func `a registration that calls back and fails: what came, then the one failure; later calls are dropped`() {
      struct Refused: Error, Equatable { let status: Int32 }
      let object = hostile_new()!
      let before = DroppedCalls.soFar
      for destroys in [false, true] {
        let recorder = Operation<Int32, Refused>.registering { observer in
          Lent({ observer.next($0) }, onEnd: { observer.completed() })
        } register: { callback throws(Refused) in
          let status = hostile_set_fails(
            object, { Lent.call($0, $1) }, callback.context, { Lent.giveBack($0) }, 2, destroys)
          if status != 0 { throw Refused(status: status) }
        } unregister: { _ in
          Issue.record("what was not registered is not unregistered")
        }.record()
        hostile_fire_stale(object, 9)
        #expect(recorder.events == [.next(0), .next(1), .failed(Refused(status: -1))])
      }
      #expect(DroppedCalls.soFar - before == DroppedCalls(late: 2))
      hostile_free(object)
    }

    @Test func `a stream that completes while it is registered drops what follows, and completes after register`() {
      struct Refused: Error, Equatable {}
      for fails in [false, true] {
        let log = Log()
        let recorder = Operation<Int32, Refused>.registering { observer in
          Mine {
            if $0 == 2 { observer.completed() } else { observer.next($0) }
          }
        } register: { callback throws(Refused) in
          for number in Int32(1)...4 { Mine.call(callback.context, number) }
          log.add("registered")
          if fails { throw Refused() }
        } unregister: { _ in
          log.add("unregister")
        }
        .doOn(next: { log.add("\($0)") }, completed: { log.add("completed") }, failed: { _ in log.add("failed") })
        .record()
        #expect(log.entries == ["1", "registered"] + (fails ? ["failed"] : ["completed", "unregister"]))
        #expect(recorder.events == [.next(1), fails ? .failed(Refused()) : .completed])
      }
    }

    @Test func `an observer that leaves while a completion waits for register gets nothing more`() {
      let log = Log()
      let leave = PushStream<Void>()
      let recorder = Stream<Int32>.registering { observer in
        Mine { _ in observer.completed() }
      } register: { callback in
        Mine.call(callback.context, 1)
        leave.next()
        log.add("registered")
      } unregister: { _ in
        log.add("unregister")
      }
      .doOn(completed: { log.add("completed") })
      .take(until: leave)
      .record()
      #expect(log.entries == ["registered", "unregister"])
      #expect(recorder.events == [.completed])
    }

    @Test func `a request is an operation with one value; one that has come is not cancelled`() {
      var cancelled = 0
      let recorder = Stream<Int32>.registering { observer in
        Once {
          observer.next($0)
          observer.completed()
        }
      } register: { callback in
        hostile_call_twice({ Once.call($0, $1) }, callback.context, 5)
      } unregister: { _ in
        cancelled += 1
      }.record()
      #expect(recorder.events == [.next(5), .completed])
      #expect(cancelled == 0)
    }

    @Test func `each observer has a registration and a box of its own`() {
      let one = hostile_new()!
      let recorders = (0..<3).map { _ in hook(one).record() }
      hostile_fire(one, 1)
      // The object has one slot, so each registration ends the previous one.
      #expect(recorders.map(\.events) == [[.completed], [.completed], [.next(1)]])
      hostile_free(one)
    }

    @Test(arguments: 0..<20)
    func `foreign threads: what they send arrives at home; what is under way at disposal does no harm`(_ round: Int)
      async throws
    {
      let (values, isHome, made) = try await onOwnThread {
        let loop = Loop()
        defer { loop.shutdown() }
        var values: [Int32] = []
        var isHome = true
        // The functions of this C object are thread-safe. The closures of the stream run on this thread.
        var storm: OpaquePointer?
        let stream = Stream<Int32>.registering(capacity: 1024, whenFull: .dropOldest) { inlet in
          Foreign { inlet.send($0) }
        } register: { callback in
          storm = hostile_storm_start({ Foreign.call($0, $1) }, callback.context, 2, 10)
          return storm
        } unregister: { _, registered in
          hostile_storm_unregister(registered)
        }
        let subscription = SerialDisposable()
        subscription.inner = stream.observeNext { value in
          values.append(value)
          if Loop.current !== loop { isHome = false }
          if values.count == 100 {
            subscription.dispose()
            loop.stop()
          }
        }
        loop.runUntilStopped()
        let made = hostile_storm_join(storm)
        return (values, isHome, made)
      }
      #expect(values.count == 100)
      #expect(isHome)
      #expect(made >= 100)
    }

    @Test func `one call on a foreign thread is one element of a stream at home`() async throws {
      let events = try await onOwnThread {
        let loop = Loop()
        defer { loop.shutdown() }
        typealias Done = OnceCallback<Int32, Void>
        let recorder = Stream<Int32>.registering(capacity: 1, whenFull: .dropNewest) { inlet in
          Done { value in
            inlet.send(value)
            inlet.finish()
          }
        } register: { callback in
          hostile_call_on_thread({ Done.call($0, $1) }, callback.context, 7)
        } unregister: { _ in
        }.record()
        loop.run()
        return recorder.events
      }
      #expect(events == [.next(7), .completed])
    }

    private struct Rejected: Error, Equatable {
      var code: Int32
    }

    @Test(arguments: [false, true])
    func `what C sends before the registration fails is delivered before the failure`(_ isFinished: Bool) async throws {
      let events = try await onOwnThread {
        let loop = Loop()
        defer { loop.shutdown() }
        let recorder = Operation<Int32, Rejected>.registering(capacity: 2, whenFull: .dropNewest) { inlet in
          Foreign { value in
            inlet.send(value)
            if isFinished { inlet.finish() }
          }
        } register: { callback throws(Rejected) in
          Foreign.call(callback.context, 7)
          throw Rejected(code: 1)
        } unregister: { _ in
          Issue.record("unregistered")
        }.record()
        loop.run()
        return recorder.events
      }
      #expect(events == [.next(7), .failed(Rejected(code: 1))])
    }

    @Test func `fail ends an operation of foreign calls after what was sent; of several ends the first counts`()
      async throws
    {
      let events = try await onOwnThread {
        let loop = Loop()
        defer { loop.shutdown() }
        typealias Reader = ForeignCallback<Int32, Void>
        let unregistered = Lock(0)
        let recorder = Operation<Int32, Rejected>.registering(capacity: 2, whenFull: .dropNewest) { inlet in
          Reader { value in
            // One call sends everything, so the buffer is full when the stream fails.
            inlet.send(value)
            inlet.send(value + 1)
            inlet.fail(Rejected(code: value))
            inlet.fail(Rejected(code: 0))
            inlet.finish()
            inlet.send(0)
          }
        } register: { callback in
          hostile_call_on_thread({ Reader.call($0, $1) }, callback.context, 7)
        } unregister: { _ in
          unregistered.withLock { $0 += 1 }
        }.record()
        loop.run()
        #expect(unregistered.withLock { $0 } == 1)
        return recorder.events
      }
      #expect(events == [.next(7), .next(8), .failed(Rejected(code: 7))])
    }

    @Test func `several adapters of one registration end together; one is given back on a thread of the library`()
      async throws
    {
      final class Handlers: CallbackGroup {
        let values: Foreign
        let ends: Foreign
        var adapters: [any CallbackAdapter] { [values, ends] }

        init(_ values: Foreign, _ ends: Foreign) { (self.values, self.ends) = (values, ends) }
      }
      try await onOwnThread {
        let loop = Loop()
        defer { loop.shutdown() }
        var groups: [Handlers] = []
        func stream(failing: Bool) -> Operation<Int32, Rejected> {
          .registering(capacity: 8, whenFull: .dropNewest) { inlet in
            Handlers(Foreign { inlet.send($0) }, Foreign({ _ in }, onEnd: { inlet.finish() }))
          } register: { handlers throws(Rejected) in
            groups.append(handlers)
            if failing { throw Rejected(code: 1) }
            hostile_call_on_thread({ Foreign.call($0, $1) }, handlers.values.context, 5)
            // The library releases the context on its own thread.
            hostile_call_on_thread({ context, _ in Foreign.giveBack(context) }, handlers.ends.lend(), 0)
          } unregister: { _ in
          }
        }
        let failed = stream(failing: true).record()
        loop.run()
        #expect(failed.events == [.failed(Rejected(code: 1))])
        #expect(groups.map(\.isEnded) == [true])
        #expect(!groups[0].disarm())
        #expect(groups[0].context == groups[0].values.context)
        let recorder = stream(failing: false).record()
        #expect(!groups[1].isEnded)
        loop.run()
        // The two threads call in either order.
        #expect(recorder.events.filter { $0 != .next(5) } == [.completed])
        #expect(groups.map(\.isEnded) == [true, true])
      }
    }

    @Test func `finish completes a stream of foreign calls after what was sent`() async throws {
      let events = try await onOwnThread {
        let loop = Loop()
        defer { loop.shutdown() }
        typealias Reader = ForeignCallback<Int32?, Void>
        let recorder = Stream<Int32>.registering(capacity: 8, whenFull: .dropNewest) { inlet in
          Reader { if let value = $0 { inlet.send(value) } else { inlet.finish() } }
        } register: { callback in
          for value: Int32 in [1, 2, -1] {
            hostile_call_on_thread({ Reader.call($0, $1 < 0 ? nil : $1) }, callback.context, value)
          }
        } unregister: { _ in
        }.record()
        loop.run()
        return recorder.events
      }
      #expect(events == [.next(1), .next(2), .completed])
    }

    @Test func `an actor observes what foreign threads send`() async {
      actor Listener {
        private let bag = DisposeBag()
        private var values: [Int32] = []
        private var waiter: CheckedContinuation<[Int32], Never>?

        func start() {
          Stream<Int32>.registering(capacity: 64, whenFull: .dropNewest) { inlet in
            Foreign { inlet.send($0) }
          } register: { callback in
            for value: Int32 in 0..<10 { hostile_call_on_thread({ Foreign.call($0, $1) }, callback.context, value) }
          } unregister: { _ in
          }
          .observeNext(with: self) { me, value in me.receive(value) }
          .dispose(in: bag)
        }

        private func receive(_ value: Int32) {
          values.append(value)
          if values.count == 10 { waiter.take()?.resume(returning: values) }
        }

        func all() async -> [Int32] {
          if values.count == 10 { return values }
          return await withCheckedContinuation { waiter = $0 }
        }
      }
      let listener = Listener()
      await listener.start()
      #expect(await listener.all() == Array(0..<10))
    }
  }

  /// A log of calls, in order.
  final class Log {
    private(set) var entries: [String] = []

    func add(_ entry: String) { entries.append(entry) }
  }
}

extension Loop {
  /// Runs the loop until it is stopped. A timer keeps it running, because a mailbox alone does not.
  fileprivate func runUntilStopped() {
    let keeper = try! TimerHandle(on: self)
    keeper.start(after: .seconds(120)) {
      Issue.record("what the test waits for has not come")
      self.stop()
    }
    run()
    keeper.dispose()
  }
}
