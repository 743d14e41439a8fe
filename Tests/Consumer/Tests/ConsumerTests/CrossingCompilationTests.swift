import Testing

/// Code that moves closures and values across threads and must compile, and code that must not.
@Suite("Compilation of crossings")
struct CrossingCompilationTests {
  static let prelude = """
    import Headwater
    final class Message { var text = "" }

    """

  @Test(arguments: [
    """
    @MainActor final class Model {
      let push = PushStream<Int>()
      lazy var door = Confined(push)
      func send() {
        push.next(1)
        let message = Message()
        door.async { $0.next(message.text.count) }
      }
    }
    """,
    """
    func make(_ queue: Queue) -> Confined<Message> {
      let message = Message()
      return Confined(at: queue) { message }
    }
    """,
    """
    func move(_ ticks: Stream<Int>, to queue: Queue, _ bag: DisposeBag) {
      let log = Message()
      ticks.observe(on: queue) { ticks, bag in
        ticks.observeNext { _ in log.text += "tick" }.dispose(in: bag)
      }.dispose(in: bag)
    }
    """,
  ])
  func `what is given away crosses, and a boxed value may still be used at home`(_ source: String) async throws {
    let result = try await Compiler.check(Self.prelude + source)
    #expect(result.accepts, "\(result.output)")
    #expect(!result.output.contains("warning"), "\(result.output)")
  }

  @Test(arguments: [
    """
    @MainActor func send(_ door: Confined<PushStream<Int>>) {
      let message = Message()
      door.async { $0.next(message.text.count) }
      message.text = "late"
    }
    """,
    """
    @MainActor func box() {
      let push = PushStream<Int>()
      let door = Confined(push)
      door.async { $0.next(1) }
      Task.detached { push.next(2) }
    }
    """,
    """
    func make(_ queue: Queue) {
      let message = Message()
      _ = Confined(at: queue) { message }
      message.text = "late"
    }
    """,
    """
    func move(_ ticks: Stream<Int>, to queue: Queue, _ bag: DisposeBag) {
      let log = Message()
      ticks.observe(on: queue) { ticks, bag in
        ticks.observeNext { _ in log.text += "tick" }.dispose(in: bag)
      }.dispose(in: bag)
      log.text = "late"
    }
    """,
  ])
  func `what is still used here does not cross`(_ source: String) async throws {
    let result = try await Compiler.check(Self.prelude + source)
    #expect(!result.accepts)
    #expect(result.output.contains("data race"), "\(result.output)")
  }
}
