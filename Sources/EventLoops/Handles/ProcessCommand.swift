/// A program to start, with its arguments and its environment.
public struct ProcessCommand: Sendable, Hashable {
  /// The source or target of a standard stream of the child.
  public enum Stdio: Sendable, Hashable {
    /// The parent's standard stream.
    case inherit
    /// `/dev/null`.
    case null
    /// A descriptor of the parent. The parent closes it.
    case descriptor(Int32)
    /// A pipe to this process: `input`, `output`, and `errorOutput` of `ProcessHandle`.
    case pipe
  }

  /// The program: a path, or a name that is looked up in the child's `PATH`.
  public var program: String
  /// The arguments, without the program's name.
  public var arguments: [String]
  /// The arguments as bytes, for file names that are not valid UTF-8. If not nil, `arguments` is ignored.
  public var argumentBytes: [[UInt8]]?
  /// The environment. Nil inherits the parent's.
  public var environment: [String: String]?
  /// The working directory of the child. Nil inherits the parent's.
  public var directory: String?
  /// Standard input.
  public var input: Stdio = .inherit
  /// Standard output.
  public var output: Stdio = .inherit
  /// Standard error.
  public var errorOutput: Stdio = .inherit
  /// Whether the child leads its own session and process group, so that a signal can reach it and all its descendants.
  public var ownGroup = false
  /// The ID of the user to run as. Nil inherits the parent's. Changing it requires the privilege to do so.
  public var user: UInt32?
  /// The ID of the group to run as. Nil inherits the parent's. Changing it requires the privilege to do so.
  public var group: UInt32?

  /// Makes a command whose standard streams, user, and group are inherited from the parent.
  public init(
    _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil, directory: String? = nil
  ) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.directory = directory
  }
}

/// How a process ended.
public enum ProcessExit: Sendable, Hashable {
  /// The process returned from main or called `exit` with this code.
  case exited(Int32)
  /// A signal ended the process.
  case signalled(Signal)

  /// The code that a shell would show: the exit code, or 128 plus the number of the signal.
  public var shellCode: Int32 {
    switch self {
    case .exited(let code): code
    case .signalled(let signal): 128 + signal.rawValue
    }
  }
}
