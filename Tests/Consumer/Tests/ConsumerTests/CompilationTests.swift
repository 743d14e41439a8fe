import Testing

/// Code that must compile in Swift 6 mode, and code that must not.
@Suite("Compilation")
struct CompilationTests {
  @Test(arguments: [
    ("Stream<Int>.just(1)", "_ = value.map { $0 }"),
    ("PushStream<Int>()", "value.next(1)"),
    ("DisposeBag()", "value.dispose()"),
    ("Stream<Int>.never().observeNext { _ in }", "value.dispose()"),
    ("Property(1)", "value.value = 2"),
    ("AnyProperty.constant(1)", "_ = value.value"),
    ("CollectionProperty([1])", "value.append(2)"),
    ("Action<Int, Int, Never> { .just($0) }", "value.start(1)"),
  ])
  func `values that are confined cannot be captured in a @Sendable closure`(_ value: String, _ use: String) async throws
  {
    let result = try await Compiler.check(
      """
      import Headwater
      func run(_ body: @escaping @Sendable () -> Void) {}
      func test() {
        let value = \(value)
        run { \(use) }
      }
      """)
    #expect(!result.accepts)
    #expect(result.output.contains("in a '@Sendable' closure"), "\(result.output)")
  }

  @Test func `a stream that is still in use here cannot be given to a detached task`() async throws {
    let result = try await Compiler.check(
      """
      import Headwater
      func test() {
        let stream = PushStream<Int>()
        Task.detached { stream.next(1) }
        stream.next(2)
      }
      """)
    #expect(!result.accepts)
    #expect(result.output.contains("data race"), "\(result.output)")
  }

  @Test func `confined types cannot be declared Sendable elsewhere`() async throws {
    let result = try await Compiler.check(
      """
      import Headwater
      extension DisposeBag: @unchecked @retroactive Sendable {}
      """)
    #expect(!result.accepts || result.output.contains("warning"), "\(result.output)")
  }

  @Test func `an unused subscription is warned about`() async throws {
    let result = try await Compiler.check(
      """
      import Headwater
      func test() { Stream.just(1).observeNext { _ in } }
      """)
    #expect(result.output.contains("warning: result of call to 'observeNext"), "\(result.output)")
  }

  @Test(arguments: [
    "PushOperation<Int, FailureOfTest>().bind(to: Property(0))",
    "Property(0) <~ PushOperation<Int, FailureOfTest>()",
    "_ = ControlEvent(Property(1), during: .empty)",
    "_ = ControlEvent(ReplaySubject<Int, Never>(bufferSize: 1), during: .empty)",
    "Property(1).readOnlyView.value = 2",
  ])
  func `what could fail does not bind, and a control event is made of nothing that repeats`(_ statement: String)
    async throws
  {
    func source(_ statement: String) -> String {
      """
      import Headwater
      struct FailureOfTest: Error {}
      func test() {
        \(statement)
      }
      """
    }
    #expect(try await !Compiler.check(source(statement)).accepts)
    let right =
      statement.replacing("PushOperation<Int, FailureOfTest>()", with: "PushStream<Int>()")
      .replacing("ControlEvent(Property(1)", with: "ControlEvent(PushStream<Int>()")
      .replacing("ReplaySubject<Int, Never>(bufferSize: 1)", with: "PushStream<Int>()")
      .replacing(".readOnlyView.value", with: ".value")
    let result = try await Compiler.check(source(right))
    #expect(result.accepts, "\(result.output)")
  }

  static let owner = """
    {
      let bag = DisposeBag()
      var n = 0
      func start(_ s: Stream<Int>) { s.observeNext { [weak self] in self?.n += $0 }.dispose(in: bag) }
    }
    """

  @Test(arguments: [
    "class X \(owner)",
    "@MainActor class X \(owner)",
    "@MainActor final class X \(owner)",
    """
    actor X {
      let bag = DisposeBag()
      var n = 0
      func start(_ s: sending Stream<Int>) { s.observeNext(with: self) { me, value in me.n += value }.dispose(in: bag) }
    }
    """,
    """
    let bag = DisposeBag()
    var n = 0
    let s = Stream.sequence(1...3)
    s.observeNext { n += $0 }.dispose(in: bag)
    """,
    """
    class X {
      let bag = DisposeBag()
      let pushed = PushStream<Int>()
      lazy var doubled = pushed.map { $0 * 2 }
      var n = 0
      func start() { doubled.observeNext(with: self) { me, value in me.n += value }.dispose(in: bag) }
    }
    """,
  ])
  func `an owner observes into its own state without an annotation`(_ source: String) async throws {
    let result = try await Compiler.check("import Headwater\n" + source)
    #expect(result.accepts, "\(result.output)")
    #expect(!result.output.contains("warning"), "\(result.output)")
  }
}
