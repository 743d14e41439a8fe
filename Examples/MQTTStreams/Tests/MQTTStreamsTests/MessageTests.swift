import Callbacks
import EventLoops
import Streams
import StreamsTesting
import Synchronization
import Testing

@testable import MQTTStreams

extension MQTTTests {
  @Suite("Messages") struct MessageTests {
    @Test
    func
      `10,000 messages of QoS 1 arrive on the loop, in order, each acknowledged, while a small buffer makes them wait`()
      async throws
    {
      let count = 10_000
      let before = DroppedCalls.soFar
      let numbers = try await onLoop { loop in
        let broker = try Broker(on: loop)
        defer { try? broker.remove() }
        let bag = DisposeBag()
        var numbers: [Int?] = []
        var acknowledged = 0
        var isSubscribed = false
        broker.address().events(["numbers"], capacity: 64).observeNext { event in
          switch event {
          case .subscribed: isSubscribed = true
          case .message(let message):
            #expect(Loop.current === loop)
            #expect(message.lostBefore == 0)
            #expect(message.topic == "numbers" && message.quality == .atLeastOnce && !message.isRetained)
            numbers.append(Int(message.text))
          }
        }.dispose(in: bag)
        try loop.run(until: "subscribed") { isSubscribed }
        let published = Stream.sequence(0..<count).map { MQTTMessage("numbers", "\($0)") }
          .publish(to: broker.address(), window: 100)
          .doOn(next: { _ in acknowledged += 1 })
          .record()
        try loop.run(until: "all have arrived") { numbers.count >= count && published.termination != nil }
        #expect(published.isCompleted)
        #expect(published.elements.map { Int($0.text) } == Array(0..<count))
        #expect(acknowledged == count)
        bag.dispose()
        return numbers
      }
      #expect(numbers == Array(0..<count))
      #expect(DroppedCalls.soFar == before)
    }

    @Test func `while the observer pauses the broker keeps what comes; nothing is lost (.wait)`() async throws {
      try await onLoop { loop in
        let broker = try Broker(on: loop)
        defer { try? broker.remove() }
        var numbers: [Int?] = []
        var isSubscribed = false
        let subscription = broker.address().events(["numbers"], capacity: 16).observeNext { event in
          if case .message(let message) = event { numbers.append(Int(message.text)) } else { isSubscribed = true }
        }
        try loop.run(until: "subscribed") { isSubscribed }
        subscription.pause()
        let published = Stream.sequence(0..<1000).map { MQTTMessage("numbers", "\($0)") }
          .publish(to: broker.address())
          .record()
        try loop.run(until: "all are published") { published.termination != nil }
        #expect(published.isCompleted)
        #expect(numbers.isEmpty)
        subscription.resume()
        try loop.run(until: "all have arrived, not \(numbers.count)") { numbers.count == 1000 }
        #expect(numbers == Array(0..<1000))
        subscription.dispose()
      }
    }

    @Test(arguments: [MQTTOverflow.dropOldest, .dropNewest])
    func `a full buffer that drops says how many, exactly, before the next message`(_ policy: MQTTOverflow) async throws
    {
      try await onLoop { loop in
        let broker = try Broker(on: loop)
        defer { try? broker.remove() }
        let count = 2000
        var numbers: [Int] = []
        var lost = 0
        var isSubscribed = false
        let subscription = broker.address().events(["numbers"], capacity: 16, whenFull: policy)
          .observeNext { event in
            guard case .message(let message) = event else { return isSubscribed = true }
            let number = Int(message.text) ?? -1
            #expect(number == (numbers.last ?? -1) + 1 + message.lostBefore)
            lost += message.lostBefore
            numbers.append(number)
          }
        try loop.run(until: "subscribed") { isSubscribed }
        subscription.pause()
        // A second observer, which is not paused and receives the burst, too.
        let witness = broker.address().events(["numbers"]).record()
        try loop.run(until: "the second is subscribed") { witness.elements.count == 1 }
        let published = Stream.sequence(0..<count).map { MQTTMessage("numbers", "\($0)", quality: .exactlyOnce) }
          .publish(to: broker.address())
          .record()
        try loop.run(until: "all have arrived") { published.isCompleted && witness.elements.count == count + 1 }
        #expect(numbers.isEmpty)
        subscription.resume()
        // The first connection may still be receiving the burst, so a later message may be dropped, too.
        let later = Stream.interval(.milliseconds(10)).map { MQTTMessage("numbers", "\(count + $0)") }
          .publish(to: broker.address())
          .record()
        try loop.run(until: "a later one has arrived") { numbers.last.map { $0 >= count } == true }
        #expect(lost > 0)
        #expect(numbers.count + lost == (numbers.last ?? -1) + 1)
        #expect(numbers.count >= 16)
        later.dispose()
        witness.dispose()
        subscription.dispose()
      }
    }

    @Test func `each observer has a connection of its own, and two hear the same`() async throws {
      try await onLoop { loop in
        let broker = try Broker(on: loop)
        defer { try? broker.remove() }
        let events = broker.address().events(["a/+", "b/#"])
        let first = events.record()
        let second = events.record()
        try loop.run(until: "subscribed") { first.elements.count + second.elements.count == 2 }
        #expect(Client.alive.load(ordering: .relaxed) == 2)
        let topics = ["a/1", "b/2/3", "c", "a/1/2", "b/4"]
        let published = Stream.sequence(topics).map { MQTTMessage($0, []) }.publish(to: broker.address()).record()
        try loop.run(until: "they have arrived") {
          first.elements.count + second.elements.count >= 8 && published.termination != nil
        }
        let expected = [MQTTEvent.subscribed] + ["a/1", "b/2/3", "b/4"].map { .message(MQTTMessage($0, [])) }
        #expect(first.elements == expected)
        #expect(second.elements == expected)
        #expect(published.isCompleted)
        first.dispose()
        second.dispose()
      }
    }

    @Test func `disposing while messages are in flight, 1,000 rounds: nothing comes after it, and everything is freed`()
      async throws
    {
      let rounds = 1000
      try await onLoop { loop in
        let broker = try Broker(on: loop)
        defer { try? broker.remove() }
        let bag = DisposeBag()
        // An endless flood. Its first message is retained, so each subscriber receives it first.
        var sent = 0
        Stream.sequence(0...).map { MQTTMessage("flood", "\($0)", isRetained: $0 == 0) }
          .publish(to: broker.address(), window: 50)
          .observeNext { _ in sent += 1 }
          .dispose(in: bag)
        try loop.run(until: "the flood has begun") { sent > 100 }
        var inFlight = 0
        for round in 0..<rounds {
          var isDisposed = false
          var count = 0
          let subscription = broker.address().messages(
            "flood", capacity: 8, whenFull: round % 2 == 0 ? .wait : .dropOldest
          )
          .observeNext { _ in
            #expect(!isDisposed)
            count += 1
          }
          // Disposes a quarter of the subscriptions before they have connected, and the others while messages arrive.
          let wanted = round % 4
          try loop.run(until: "some have arrived") { count >= wanted }
          if count > 0 { inFlight += 1 }
          subscription.dispose()
          isDisposed = true
        }
        #expect(inFlight >= rounds * 3 / 4)
        bag.dispose()
        try loop.run(until: "all clients are destroyed") { Client.alive.load(ordering: .relaxed) == 0 }
      }
    }
  }
}
