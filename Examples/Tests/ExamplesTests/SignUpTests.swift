import Headwater
import StreamsTesting
import Testing

@testable import ViewModel

/// The example `ViewModel`. The tests do what a user interface would do.
@Suite("ViewModel", .noLiveResources) @MainActor struct SignUpTests {
  /// A service that answers when the test makes it.
  final class Service {
    private(set) var accounts: [Account] = []
    private(set) var answer = PushOperation<String, SignUpError>()

    func signUp(_ account: Account) -> Headwater.Operation<String, SignUpError> {
      accounts.append(account)
      answer = PushOperation()
      return answer.toOperation()
    }

    func greet(_ text: String) {
      answer.next(text)
      answer.completed()
    }
  }

  let service = Service()

  func filledIn() -> SignUpViewModel {
    let model = SignUpViewModel(service: service.signUp)
    model.name.value = "steve"
    model.password.value = "correct horse"
    model.repetition.value = "correct horse"
    return model
  }

  @Test func `an empty form says what is missing and cannot be sent`() {
    let model = SignUpViewModel(service: service.signUp)
    #expect(model.problems.value == ["A name is missing.", "The password has fewer than 8 characters."])
    #expect(!model.signUp.isEnabled.value)
    let attempt = model.signUp.apply().record()
    #expect(attempt.failure == .disabled)
    #expect(service.accounts.isEmpty)
  }

  @Test func `problems follow each field`() {
    let model = filledIn()
    #expect(model.problems.value == [])
    model.repetition.value = "correct house"
    #expect(model.problems.value == ["The passwords differ."])
    #expect(!model.signUp.isEnabled.value)
    model.password.value = "correct house"
    #expect(model.problems.value == [])
    #expect(model.signUp.isEnabled.value)
  }

  @Test func `signing up sends what has been entered and greets`() {
    let model = filledIn()
    let greetings = model.signUp.values.record()
    let executing = model.signUp.isExecuting.record()
    model.signUp.start(())
    #expect(service.accounts == [Account(name: "steve", password: "correct horse")])
    service.greet("hello")
    #expect(greetings.elements == ["hello"])
    #expect(executing.elements == [false, true, false])
    #expect(model.failure.value == nil)
  }

  @Test func `a second press while the service works does nothing`() {
    let model = filledIn()
    model.signUp.start(())
    model.signUp.start(())
    #expect(service.accounts.count == 1)
    service.greet("hello")
  }

  @Test func `a failure is shown until something is edited`() {
    let model = filledIn()
    let failures = model.failure.record()
    model.signUp.start(())
    service.answer.failed(.nameTaken)
    #expect(model.failure.value == "This name is taken.")
    #expect(model.signUp.isEnabled.value)
    model.name.value = "jim"
    #expect(model.failure.value == nil)
    #expect(failures.elements == [nil, "This name is taken.", nil])
  }

  @Test func `a failure is shown until the next attempt succeeds`() {
    let model = filledIn()
    model.signUp.start(())
    service.answer.failed(.unreachable)
    #expect(model.failure.value == "The service cannot be reached.")
    model.signUp.start(())
    service.greet("hello")
    #expect(model.failure.value == nil)
  }

  @Test(.timeLimit(.minutes(15))) func `nothing keeps the model`() async throws {
    var model: SignUpViewModel? = filledIn()
    let greetings = model?.signUp.values.record()
    weak let reference = model
    weak let action = model?.signUp
    model = nil
    #expect(reference == nil)
    #expect(action == nil)
    // The action sends the completion to its home, where it may be delivered later.
    while greetings?.isCompleted == false {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  @Test func `the program fills in the form until it has signed up`() async throws {
    let run = try await Run.example("ViewModel")
    #expect(run.lines.filter { $0.hasPrefix("failure:") } == ["failure: This name is taken."])
    #expect(
      run.lines.filter { $0.hasPrefix("spinner:") } == ["spinner: on", "spinner: off", "spinner: on", "spinner: off"])
    #expect(run.lines.contains("greeting: Welcome, jim."))
    #expect(run.exitCode == 0)
  }
}
