public import EventLoops

/// An error of `LineEditor.lines(prompt:)`.
public enum ReadlineError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another observer reads lines. Readline uses global variables, so a process can have one observer at a time.
  case inUse
  /// The descriptor cannot be duplicated or polled, for example because it refers to a regular file.
  case cannotRead(UVError)

  /// A description of the error.
  public var description: String {
    switch self {
    case .inUse: "readline is in use: it reads lines for one observer at a time in a process"
    case .cannotRead(let error): "\(error)"
    }
  }
}
