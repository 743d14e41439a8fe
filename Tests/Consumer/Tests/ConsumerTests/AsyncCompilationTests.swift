import Testing

/// Code with asynchronous sequences that must compile in Swift 6 mode, and code that must not.
@Suite("Async compilation")
struct AsyncCompilationTests {
  static let message = "final class Message { var text = \"\" }\n"

  @Test(arguments: [
    """
    actor X {
      let push = PushStream<Message>()
      var last: Message?
      func listen() async { for await message in push.values() { last = message } }
      func first() async { last = await push.firstValue() }
      func value(of operation: sending Operation<Message, LoopClosed>) async throws { last = try await operation.value }
      func byHand() async {
        var iterator = push.values(.latest).makeAsyncIterator()
        last = await iterator.next()
      }
    }
    """,
    """
    @MainActor final class X {
      let push = PushStream<Message>()
      var last: Message?
      func listen() { Task { for await message in push.values() { last = message } } }
      func first() async { last = await push.firstValue() }
    }
    """,
    """
    func listen() async throws(LoopClosed) {
      for try await message in Operation<Message, LoopClosed>.never().values(.bounded(4, .dropOldest)) { _ = message.text }
    }
    """,
    """
    let push = PushStream<Message>()
    for await message in push.values() { print(message.text) }
    """,
    """
    func there(_ texts: AsyncStream<String>) -> Stream<Int> { Operation(texts).map(\\.count) }
    """,
  ])
  func `iterating where the stream lives needs no annotation, and no Sendable elements`(_ source: String) async throws {
    let result = try await Compiler.check("import Headwater\n" + Self.message + source)
    #expect(result.accepts, "\(result.output)")
    #expect(!result.output.contains("warning"), "\(result.output)")
  }

  @Test(arguments: [
    """
    actor X {
      let push = PushStream<Message>()
      func listen() { Task.detached { [push] in for await message in push.values() { _ = message } } }
    }
    """,
    """
    actor X {
      let push = PushStream<Message>()
      func values() -> AsyncValues<Message, Never> { push.values() }
    }
    func listen(_ x: X) async { for await message in await x.values() { _ = message } }
    """,
    """
    actor X {
      func give() {
        let iterator = Stream<Message>.never().values().makeAsyncIterator()
        Task.detached {
          var iterator = iterator
          _ = await iterator.next()
        }
      }
    }
    """,
    """
    actor X {
      func give(_ texts: AsyncStream<String>) {
        let stream = Operation(texts)
        Task.detached { _ = await stream.firstValue() }
      }
    }
    """,
    """
    @MainActor let push = PushStream<Message>()
    @concurrent func listen() async { for await message in await push.values() { _ = message } }
    """,
  ])
  func `a stream's elements cannot be iterated over in another domain`(_ source: String) async throws {
    let result = try await Compiler.check("import Headwater\n" + Self.message + source)
    #expect(!result.accepts)
    #expect(result.output.contains("data race") || result.output.contains("non-Sendable"), "\(result.output)")
  }
}
