import Headwater

/// The account that a user signs up for.
struct Account: Equatable {
  var name: String
  var password: String
}

/// The reason why signing up has failed.
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

/// A sign-up form without a user interface.
///
/// A user interface binds its fields to `name`, `password`, and `repetition`, and its button to `signUp`. It shows the
/// other properties. A test does the same.
final class SignUpViewModel {
  let name = Property("")
  let password = Property("")
  let repetition = Property("")

  /// The problems of the entered values. Empty if there are none.
  let problems: AnyProperty<[String]>
  /// The reason why the last attempt failed, until a field is edited or the next attempt succeeds.
  let failure: AnyProperty<String?>
  /// Signs up with the entered values. Its values are greetings. Enabled while there are no problems and it is not busy.
  let signUp: Action<Void, String, SignUpError>

  /// Creates an empty form. `service` signs up an account and emits a greeting.
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
