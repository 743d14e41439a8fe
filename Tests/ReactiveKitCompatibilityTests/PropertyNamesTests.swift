import EventLoops
import Properties
import ReactiveKitCompatibility
import Streams
import StreamsTesting
import Testing

/// The names of other libraries behave like the names of Headwater.
@Suite(.noLiveResources) struct PropertyNamesTests {
  @available(*, deprecated)
  @Test func `properties and bindings`() {
    let one = MutableProperty(1)
    let record = one.record()
    one.setSilently(2)
    #expect(one.value == 2)
    #expect(PropertyOf<Int>.constant(3).value == 3)
    let (two, maybe) = (Property(0), Property<Int?>(nil))
    one.bindTo(two)
    one.bindTo(maybe)
    #expect((two.value, maybe.value) == (2, 2))
    let three = Property(0)
    two.bidirectionalBindTo(three)
    three.value = 7
    #expect(two.value == 7)
    #expect(record.elements == [1])
  }

  @available(*, deprecated)
  @Test func `collections`() {
    let list = CollectionProperty([3, 1])
    let sorted = list.sort(<)
    list.appendContentsOf([2])
    list.insert(9, atIndex: 0)
    list.insertContentsOf([7, 8], at: 1)
    #expect(list.removeAtIndex(0) == 9)
    list.moveItemAtIndex(0, toIndex: 1)
    list.replace(4..<5, with: [5, 6])
    #expect(list.collection == [8, 7, 3, 1, 5, 6])
    #expect(sorted.collection == [1, 3, 5, 6, 7, 8])
    let ages = CollectionProperty(["a": 1])
    #expect(ages.indexForKey("a") != nil)
    #expect(ages.removeValueForKey("a") == 1)
    let set = CollectionProperty<Set<Int>>([1])
    #expect(set.indexOf(1) != nil && set.indexOf(2) == nil)
  }
}

/// The names of queues.
@Suite(.noLiveResources) struct QueueNamesTests {
  @available(*, deprecated)
  @Test func `queues and contexts`() async throws {
    let queue = Queue(name: "worker")
    defer { queue.shutdown() }
    #expect(queue.label == "worker")
    let number = await withCheckedContinuation { continuation in
      Queue.global.async { continuation.resume(returning: 1) }
    }
    #expect(number == 1)
    let isMain = await withCheckedContinuation { continuation in
      ImmediateOnMainExecutionContext.execute { continuation.resume(returning: Queue.current === Queue.main.queue) }
    }
    #expect(isMain)
  }
}
