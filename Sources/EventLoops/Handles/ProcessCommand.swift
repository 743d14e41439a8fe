/// What to start: a program, its arguments and surroundings.
public struct ProcessCommand: Sendable, Hashable {
  /// Where a standard stream of the child goes.
  public enum Stdio: Sendable, Hashable {
    /// The same as the parent's.
    case inherit
    /// `/dev/null`.
    case null
    /// A descriptor of the parent, which stays the parent's to close.
    case descriptor(Int32)
    /// A pipe to this process: `input`, `output` and `errorOutput` of `ProcessHandle`.
    case pipe
  }

  /// The program: a path, or a name that is looked up in the child's `PATH`.
  public var program: String
  /// The arguments, without the program's name.
  public var arguments: [String]
  /// The arguments as bytes, for names of files, which need not be UTF-8. If not nil, `arguments` is not used.
  public var argumentBytes: [[UInt8]]?
  /// The environment; nil is the parent's.
  public var environment: [String: String]?
  /// The directory in which it starts; nil is the parent's.
  public var directory: String?
  /// Standard input.
  public var input: Stdio = .inherit
  /// Standard output.
  public var output: Stdio = .inherit
  /// Standard error.
  public var errorOutput: Stdio = .inherit
  /// Whether it leads a session and process group of its own, so that it can be signalled with all its descendants.
  public var ownGroup = false
  /// The user it runs as; nil is the parent's. Wants the right to change it.
  public var user: UInt32?
  /// The group it runs as; nil is the parent's. Wants the right to change it.
  public var group: UInt32?

  /// Makes a command that inherits everything.
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
  /// It returned from main or called `exit` with this code.
  case exited(Int32)
  /// A signal ended it.
  case signalled(Signal)

  /// The code a shell would show: the exit code, or 128 plus the signal.
  public var shellCode: Int32 {
    switch self {
    case .exited(let code): code
    case .signalled(let signal): 128 + signal.rawValue
    }
  }
}
