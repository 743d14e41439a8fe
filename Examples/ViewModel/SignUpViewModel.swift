import Headwater

/// What somebody signs up with.
struct Account: Equatable {
  var name: String
  var password: String
}

/// Why signing up has failed.
enum SignUpError: Error, Equatable {
  case nameTaken
  case unreachable

  var text: String {
    switch self {
    case .nameTaken: "This name is taken."
    case .unreachable: "The service cannot be reached."
    }
  }
}

/// A form in which somebody signs up, without any user interface.
///
/// A user interface binds its fields to `name`, `password` and `repetition`, its button to `signUp`, and shows the rest. A test does the
/// same.
final class SignUpViewModel {
  let name = Property("")
  let password = Property("")
  let repetition = Property("")

  /// What is still wrong with what has been entered.
  let problems: AnyProperty<[String]>
  /// Why the last attempt has failed, until something is edited or the next one succeeds.
  let failure: AnyProperty<String?>
  /// Signs up with what has been entered; its values are greetings. Enabled while nothing is wrong and it is not busy.
  let signUp: Action<Void, String, SignUpError>

  /// Makes an empty form for a service, which signs up an account and sends a greeting.
  init(service: @escaping (Account) -> Operation<String, SignUpError>) {
    problems = name.combineLatest(with: password).combineLatest(with: repetition).map { entered, repetition in
      Self.problems(name: entered.0, password: entered.1, repetition: repetition)
    }
    let account = name.combineLatest(with: password).map { Account(name: $0, password: $1) }
    signUp = Action(unwrapping: account.combineLatest(with: problems).map { $1.isEmpty ? $0 : nil }) { account, _ in
      service(account)
    }
    let edits = Stream.merge([name.changes, password.changes, repetition.changes])
    let outcomes: [Stream<String?>] = [
      signUp.errors.map { $0.text }, signUp.values.map { _ in nil }, edits.map { _ in nil },
    ]
    failure = AnyProperty(initial: nil, then: Stream.merge(outcomes))
  }

  private static func problems(name: String, password: String, repetition: String) -> [String] {
    var problems: [String] = []
    if name.isEmpty { problems.append("A name is missing.") }
    if password.count < 8 { problems.append("The password has fewer than 8 characters.") }
    if repetition != password { problems.append("The passwords differ.") }
    return problems
  }
}
