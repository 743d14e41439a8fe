import CUV

/// Facts about this process, and some that can be changed.
///
/// ```swift
/// print(CurrentProcess.id, CurrentProcess.environment["HOME"] ?? "")
/// ```
///
/// What is asked and what is changed is the whole process's: any thread may do it, but `environment`, `setEnvironment`,
/// `changeDirectory` and `title` touch what C libraries read without a lock; do that before they are at work.
public enum CurrentProcess {
  /// Its number.
  public static var id: Int32 { uv_os_getpid() }

  /// The number of the process that started it, or of the one that has taken its place.
  public static var parentID: Int32 { uv_os_getppid() }

  /// The path of the program. Fails with the error of the system.
  public static func executablePath() throws(UVError) -> String {
    try readText("uv_exepath") { uv_exepath($0, $1) }
  }

  /// The directory that relative paths begin at. Fails with `ENOENT` where it has been removed.
  public static func directory() throws(UVError) -> String { try readText("uv_cwd") { uv_cwd($0, $1) } }

  /// Has relative paths begin at `path`, for all threads.
  public static func changeDirectory(to path: String) throws(UVError) {
    try check("uv_chdir", path, [path]) { uv_chdir(path) }
  }

  /// The directory for temporary files, from `TMPDIR` and its like, or `/tmp`.
  public static func temporaryDirectory() throws(UVError) -> String {
    try readText("uv_os_tmpdir") { uv_os_tmpdir($0, $1) }
  }

  /// The home of the user, from `HOME` or the list of users.
  public static func homeDirectory() throws(UVError) -> String {
    try readText("uv_os_homedir") { uv_os_homedir($0, $1) }
  }

  /// The user as whom a process runs.
  public struct User: Hashable, Sendable {
    /// The name with which the user logs in.
    public var name: String
    /// The number.
    public var id: UInt32
    /// The number of the user's first group.
    public var group: UInt32
    /// The path of the shell; nil where there is none.
    public var shell: String?
    /// The path of the user's directory.
    public var home: String
  }

  /// The user as whom it runs. Fails with `ENOENT` where the number has no entry in the list of users.
  public static func user() throws(UVError) -> User {
    var native = uv_passwd_t()
    try check("uv_os_get_passwd") { uv_os_get_passwd(&native) }
    defer { uv_os_free_passwd(&native) }
    return User(
      name: String(cString: native.username), id: UInt32(truncatingIfNeeded: native.uid),
      group: UInt32(truncatingIfNeeded: native.gid), shell: native.shell.map { String(cString: $0) },
      home: String(cString: native.homedir))
  }

  /// How process lists show it, as much of it as there is room for: that of the first arguments.
  public static func title() throws(UVError) -> String {
    setUp
    return try readText("uv_get_process_title") { room, size in uv_get_process_title(room, size.pointee) }
  }

  /// Sets how process lists show it. What is too long is cut off.
  public static func setTitle(_ title: String) throws(UVError) {
    setUp
    try check("uv_set_process_title", nil, [title]) { uv_set_process_title(title) }
  }

  // libuv keeps the arguments and later writes into the memory that they were in.
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

  /// The variable `name`, or nil.
  public static func environment(_ name: String) -> String? {
    if name.isEmpty || name.utf8.contains(0) { return nil }
    return text("uv_os_getenv") { uv_os_getenv(name, $0, $1) }
  }

  /// Sets the variable `name`; nil removes it. Fails with `EINVAL` for names that are empty or contain `=`.
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
