import Streams
import Testing

@Suite("Last references")
struct LastReferenceTests {
  @Test func `6. An observer may hold the last reference to the bag that ends it`() {
    for end in 0..<3 {
      let push = PushStream<Int>()
      var ended = 0
      do {
        let bag = DisposeBag()
        let token = DeinitDisposable(BlockDisposable { ended += 1 })
        push.take(2).observe(
          next: { [token] _ in
            _ = bag
            _ = token
          }, termination: { _ in _ = bag }
        ).dispose(in: bag)
        push.observe(next: { _ in _ = bag }, termination: { [token] _ in _ = (bag, token) }).dispose(in: bag)
      }
      push.next(1)
      switch end {
      case 0: push.completed()
      case 1:
        push.next(2)
        push.completed()
      default: push.terminate(.completed)
      }
      #expect(ended == 1)
    }
  }
}
