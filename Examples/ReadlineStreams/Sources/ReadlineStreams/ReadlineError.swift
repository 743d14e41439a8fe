public import EventLoops

/// Why no lines can be read.
public enum ReadlineError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Somebody reads lines already. Readline keeps everything in global variables: it serves one at a time in a process.
  case inUse
  /// The descriptor cannot be opened or watched; a regular file, for instance.
  case cannotRead(UVError)

  /// Says it in words.
  public var description: String {
    switch self {
    case .inUse: "readline is in use: it reads lines for one observer at a time in a process"
    case .cannotRead(let error): "\(error)"
    }
  }
}
