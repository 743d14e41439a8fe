import Streams

/// Why an application of an `Action` failed.
public enum ActionError<Failure: Error>: Error {
  /// The action was disabled, or busy with another input. It has not run.
  case disabled
  /// What the action ran has failed.
  case failed(Failure)
}

extension ActionError: PossibleCancellation {
  package var isCancellation: Bool { if case .failed(let error) = self { error.isCancellation } else { false } }
}

extension ActionError: Equatable where Failure: Equatable {}
