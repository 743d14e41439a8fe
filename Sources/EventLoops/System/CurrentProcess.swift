import CUV

/// Information about this process. Some of it can be changed.
///
/// ```swift
/// print(CurrentProcess.id, CurrentProcess.environment["HOME"] ?? "")
/// ```
///
/// It applies to the whole process, and any thread may read and change it. `environment`, `setEnvironment`,
/// `changeDirectory`, and `title` access memory that C libraries read without a lock: use them before other threads run
/// C libraries.
public enum CurrentProcess {
  /// The process ID.
  public static var id: Int32 { uv_os_getpid() }

  /// The ID of the parent process, or of the process that adopted this one.
  public static var parentID: Int32 { uv_os_getppid() }

  /// Returns the path of the program. Throws the error of the system.
  public static func executablePath() throws(UVError) -> String {
    try readText("uv_exepath") { uv_exepath($0, $1) }
  }

  /// Returns the working directory. Throws `ENOENT` if it has been removed.
  public static func directory() throws(UVError) -> String { try readText("uv_cwd") { uv_cwd($0, $1) } }

  /// Sets the working directory for all threads. Throws the error of the system.
  public static func changeDirectory(to path: String) throws(UVError) {
    try check("uv_chdir", path, [path]) { uv_chdir(path) }
  }

  /// Returns the directory for temporary files, from `TMPDIR` and similar variables, or `/tmp`.
  public static func temporaryDirectory() throws(UVError) -> String {
    try readText("uv_os_tmpdir") { uv_os_tmpdir($0, $1) }
  }

  /// Returns the home directory of the user, from `HOME` or the user database.
  public static func homeDirectory() throws(UVError) -> String {
    try readText("uv_os_homedir") { uv_os_homedir($0, $1) }
  }

  /// The user that a process runs as.
  public struct User: Hashable, Sendable {
    /// The login name.
    public var name: String
    /// The user ID.
    public var id: UInt32
    /// The ID of the user's primary group.
    public var group: UInt32
    /// The path of the shell. Nil if there is none.
    public var shell: String?
    /// The path of the home directory.
    public var home: String
  }

  /// Returns the user that this process runs as. Throws `ENOENT` if the user database has no entry for the ID.
  public static func user() throws(UVError) -> User {
    var native = uv_passwd_t()
    try check("uv_os_get_passwd") { uv_os_get_passwd(&native) }
    defer { uv_os_free_passwd(&native) }
    return User(
      name: String(cString: native.username), id: UInt32(truncatingIfNeeded: native.uid),
      group: UInt32(truncatingIfNeeded: native.gid), shell: native.shell.map { String(cString: $0) },
      home: String(cString: native.homedir))
  }

  /// Returns the title of the process in process lists. It is limited to the space of the original arguments.
  public static func title() throws(UVError) -> String {
    setUp
    return try readText("uv_get_process_title") { room, size in uv_get_process_title(room, size.pointee) }
  }

  /// Sets the title of the process in process lists. A title that is too long is cut off.
  public static func setTitle(_ title: String) throws(UVError) {
    setUp
    try check("uv_set_process_title", nil, [title]) { uv_set_process_title(title) }
  }

  // libuv stores the arguments and later writes into their original memory.
  private static let setUp: Void = { _ = uv_setup_args(CommandLine.argc, CommandLine.unsafeArgv) }()

  // MARK: Environment

  /// All variables of the environment.
  public static var environment: [String: String] {
    var list: UnsafeMutablePointer<uv_env_item_t>?
    var count: Int32 = 0
    guard uv_os_environ(&list, &count) == 0, let list else { return [:] }
    defer { uv_os_free_environ(list, count) }
    var environment: [String: String] = [:]
    for index in 0..<Int(count) { environment[String(cString: list[index].name)] = String(cString: list[index].value) }
    return environment
  }

  /// Returns the value of the variable `name`, or nil.
  public static func environment(_ name: String) -> String? {
    if name.isEmpty || name.utf8.contains(0) { return nil }
    return text("uv_os_getenv") { uv_os_getenv(name, $0, $1) }
  }

  /// Sets the variable `name`; nil removes it. Throws `EINVAL` if the name is empty or contains `=`.
  public static func setEnvironment(_ name: String, _ value: String?) throws(UVError) {
    if let value {
      try check("uv_os_setenv", name, [name, value]) { uv_os_setenv(name, value) }
    } else {
      try check("uv_os_unsetenv", name, [name]) { uv_os_unsetenv(name) }
    }
  }

  static func check(
    _ call: String, _ path: String? = nil, _ texts: [String] = [], _ body: () -> Int32
  ) throws(UVError) {
    // C would take a zero byte for the end.
    let status = texts.contains { $0.utf8.contains(0) } ? UV_EINVAL.rawValue : body()
    if status < 0 { throw UVError(code: status, call: call, path: path) }
  }
}
