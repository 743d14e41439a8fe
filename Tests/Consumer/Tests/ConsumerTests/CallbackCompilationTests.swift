import Testing

/// Code around C callbacks that the compiler must accept or refuse, as the guide says.
@Suite("Compilation of callbacks")
struct CallbackCompilationTests {
  static let prelude = """
    import Headwater
    func register(_ f: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void, _ context: UnsafeMutableRawPointer?) {}

    """

  @Test func `a C closure cannot name a generic parameter; the closure as a parameter can be passed on`() async throws {
    let refused = try await Compiler.check(
      Self.prelude + """
        func hook<Value>(_ convert: (Int32) -> Value) {
          let callback = RepeatingCallback<Value, Void> { _ in }
          register({ RepeatingCallback<Value, Void>.call($0, convert($1)) }, callback.context)
        }
        """)
    #expect(!refused.accepts)
    let accepted = try await Compiler.check(
      Self.prelude + """
        func hook<Value>(
          _ type: Value.Type, _ function: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void
        ) -> RepeatingCallback<Value, Void> {
          let callback = RepeatingCallback<Value, Void> { _ in }
          register(function, callback.context)
          return callback
        }
        let callback = hook(Int.self, { RepeatingCallback<Int, Void>.call($0, Int($1)) })
        """)
    #expect(accepted.accepts, "\(accepted.output)")
  }

  @Test func `the handler of a library with threads of its own cannot capture what is confined`() async throws {
    let result = try await Compiler.check(
      Self.prelude + """
        func hook() {
          let push = PushStream<Int32>()
          let callback = ForeignCallback<Int32, Void> { push.next($0) }
          register({ ForeignCallback<Int32, Void>.call($0, $1) }, callback.context)
        }
        """)
    #expect(!result.accepts)
    #expect(result.output.contains("in a '@Sendable' closure"), "\(result.output)")
  }

  @Test(arguments: ["Repeating", "Lent", "Once"])
  func `confined adapters do not leave their domain`(_ kind: String) async throws {
    let result = try await Compiler.check(
      Self.prelude + """
        func hook() {
          let callback = \(kind)Callback<Int32, Void> { _ in }
          Task.detached { callback.disarm() }
          callback.disarm()
        }
        """)
    #expect(!result.accepts)
  }

  @Test func `a result needs an answer for calls that are dropped`() async throws {
    let result = try await Compiler.check(
      Self.prelude + """
        func ask(_ context: UnsafeMutableRawPointer?) -> Int32 { RepeatingCallback<Int32>.call(context) }
        """)
    #expect(!result.accepts)
  }
}
