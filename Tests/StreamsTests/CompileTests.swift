import Streams
import StreamsTesting
import Testing

// User code must compile without annotations in each kind of owner. Compiling is the first half of the test.

private final class Plain {
  let bag = DisposeBag()
  var sum = 0

  func start(_ stream: Stream<Int>) {
    stream.observeNext { [weak self] in self?.sum += $0 }.dispose(in: bag)
  }
}

@MainActor private final class Main {
  let bag = DisposeBag()
  var sum = 0

  func start(_ stream: Stream<Int>) {
    stream.observeNext { [weak self] in self?.sum += $0 }.dispose(in: bag)
    stream.map { $0 * self.factor }.observeNext(with: self) { owner, element in owner.sum += element }.dispose(in: bag)
  }

  var factor: Int { 10 }
}

private actor Isolated {
  let bag = DisposeBag()
  var sum = 0

  func start() {
    let push = PushStream<Int>()
    push.observeNext(with: self) { owner, element in owner.sum += element }.dispose(in: bag)
    push.next(5)
  }
}

@Suite(.noLiveResources) struct CompileTests {
  @Test func `an ordinary class`() {
    let owner = Plain()
    owner.start(.sequence([1, 2, 3]))
    #expect(owner.sum == 6)
  }

  @Test @MainActor func `a main-actor class`() {
    let owner = Main()
    owner.start(.sequence([1, 2, 3]))
    #expect(owner.sum == 66)
  }

  @Test func `an actor`() async {
    let owner = Isolated()
    await owner.start()
    #expect(await owner.sum == 5)
  }

  @Test func `owners are held weakly`() {
    let push = PushStream<Int>()
    weak var watched: Plain?
    do {
      let owner = Plain()
      watched = owner
      owner.start(push.toStream())
      push.observeNext(with: owner) { owner, element in owner.sum += element }.dispose(in: owner.bag)
      push.next(2)
      #expect(owner.sum == 4)
    }
    #expect(watched == nil)
    #expect(push.observerCount == 0)
  }
}
