import Streams

/// The failure of an application of an `Action`.
public enum ActionError<Failure: Error>: Error {
  /// The action was disabled, or busy with another input. It has not run.
  case disabled
  /// The work of the action failed.
  case failed(Failure)
}

extension ActionError: PossibleCancellation {
  package var isCancellation: Bool { if case .failed(let error) = self { error.isCancellation } else { false } }
}

extension ActionError: Equatable where Failure: Equatable {}
