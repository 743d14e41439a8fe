/// Why an application of an `Action` failed.
public enum ActionError<Failure: Error>: Error {
  /// The action was disabled, or busy with another input. It has not run.
  case disabled
  /// What the action ran has failed.
  case failed(Failure)
}

extension ActionError: Equatable where Failure: Equatable {}
