import Glibc

/// A file of rules or of settings that cannot be read, and the error, which can be that it does not exist.
struct UnreadFile {
  let path: [UInt8]
  let errno: Int32

  init(_ path: [UInt8], _ errno: Int32) { (self.path, self.errno) = (path, errno) }
}

/// A git repository: the top of its working tree, and the rules that apply to the whole tree.
struct GitRepository {
  /// The absolute path of the top of the working tree.
  let top: [UInt8]
  /// The files of rules for the whole tree: the user's, then the repository's, which takes precedence.
  let ruleFiles: [[UInt8]]
  /// The configuration files that name the user's file, including those that do not exist.
  let configurationFiles: [[UInt8]]

  /// The repository whose working tree has its top at `directory`. Nil if there is none. `unread` is called with each file
  /// that cannot be read.
  init?(at directory: [UInt8], unread: (UnreadFile) -> Void) {
    guard let store = Self.store(of: directory, unread) else { return nil }
    top = directory
    let common = Self.commonStore(store, unread)
    let user = Self.userFile(common: common, store: store, top: directory)
    configurationFiles = user.configurationFiles
    for file in user.unread { unread(file) }
    ruleFiles = [user.path].compactMap { $0 } + [common.appendingName(Array("info/exclude".utf8))]
  }

  /// The repository that contains a directory. Nil if there is none.
  init?(containing directory: [UInt8], unread: (UnreadFile) -> Void) {
    var current = directory
    while true {
      if let repository = GitRepository(at: current, unread: unread) {
        self = repository
        return
      }
      let (above, name) = split(current)
      if name.isEmpty { return nil }
      current = above
    }
  }

  /// Returns the directory `.git`, or the directory that a file named `.git` points to.
  private static func store(of directory: [UInt8], _ unread: (UnreadFile) -> Void) -> [UInt8]? {
    let path = directory.appendingName(IgnoreRules.gitName)
    var status = stat()
    let result = path.withUnsafeBufferPointer { name in withTerminated(name) { stat($0, &status) } }
    if result != 0 {
      unread(UnreadFile(path, errno))
      return nil
    }
    // git only accepts a directory of this name that contains HEAD.
    if status.st_mode & S_IFMT == S_IFDIR { return exists(path.appendingName(Array("HEAD".utf8)), unread) ? path : nil }
    guard let content = read(path, unread), content.starts(with: "gitdir: ".utf8) else { return nil }
    let target = Array(content.dropFirst(8).prefix { $0 != 10 && $0 != 13 })
    return target.first == BytePath.slash ? target : directory.appendingName(target)
  }

  /// Returns the store that holds the rules. Working trees that share a repository share its rules.
  private static func commonStore(_ store: [UInt8], _ unread: (UnreadFile) -> Void) -> [UInt8] {
    guard let content = read(store.appendingName(Array("commondir".utf8)), unread) else { return store }
    let target = Array(content.prefix { $0 != 10 && $0 != 13 })
    return target.first == BytePath.slash ? target : store.appendingName(target)
  }

  /// Returns the path in `core.excludesFile`, or git's default for it.
  private static func userFile(
    common: [UInt8], store: [UInt8], top: [UInt8]
  ) -> (path: [UInt8]?, configurationFiles: [[UInt8]], unread: [UnreadFile]) {
    let home = environment("HOME")
    let personal = environment("XDG_CONFIG_HOME") ?? home.map { $0.appendingName(Array(".config".utf8)) }
    var configuration = GitConfiguration(home: home, store: store)
    if environment("GIT_CONFIG_NOSYSTEM") == nil {
      configuration.read(environment("GIT_CONFIG_SYSTEM") ?? Array("/etc/gitconfig".utf8))
    }
    if let global = environment("GIT_CONFIG_GLOBAL") {
      configuration.read(global)
    } else {
      if let personal { configuration.read(personal.appendingName(Array("git/config".utf8))) }
      if let home { configuration.read(home.appendingName(Array(".gitconfig".utf8))) }
    }
    configuration.read(common.appendingName(Array("config".utf8)))
    if configuration.isForWorktree { configuration.read(store.appendingName(Array("config.worktree".utf8))) }
    let path: [UInt8]? =
      if let file = configuration.excludesFile {
        file.isEmpty ? nil : file.first == BytePath.slash ? file : top.appendingName(file)
      } else {
        personal.map { $0.appendingName(Array("git/ignore".utf8)) }
      }
    return (path, configuration.files, configuration.unread)
  }

  private static func environment(_ name: String) -> [UInt8]? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    // A path need not be UTF-8.
    return UnsafeBufferPointer(start: value, count: strlen(value)).map { UInt8(bitPattern: $0) }
  }

  private static func exists(_ path: [UInt8], _ unread: (UnreadFile) -> Void) -> Bool {
    if path.withUnsafeBufferPointer({ name in withTerminated(name) { access($0, F_OK) } }) == 0 { return true }
    unread(UnreadFile(path, errno))
    return false
  }

  private static func read(_ path: [UInt8], _ unread: (UnreadFile) -> Void) -> [UInt8]? {
    let content = readWholeFile(path)
    if content == nil { unread(UnreadFile(path, errno)) }
    return content
  }
}

/// Returns the contents of a file, or nil with `errno` set if it cannot be read.
func readWholeFile(_ path: [UInt8]) -> [UInt8]? {
  path.withUnsafeBufferPointer { readWholeFile($0, in: AT_FDCWD, 0) }
}

/// Returns the contents of a file in an open directory, or nil with `errno` set if it cannot be read. `ENOENT` stands for something that is
/// not a file, and `EFBIG` for more than 4 MiB: a watched directory can contain a file that does not fit into memory.
func readWholeFile(_ name: NameBytes, in directory: Int32, _ flags: Int32) -> [UInt8]? {
  let file = withTerminated(name) { openat(directory, $0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags) }
  if file < 0 { return nil }
  defer { close(file) }
  var status = stat()
  if fstat(file, &status) != 0 { return nil }
  if status.st_mode & S_IFMT != S_IFREG {
    errno = ENOENT
    return nil
  }
  return readToEnd(file, most: 4 << 20)
}

/// Returns the rest of an open file, or nil with `errno` set if it cannot be read or has more than `most` bytes.
func readToEnd(_ file: Int32, most: Int = .max) -> [UInt8]? {
  var content: [UInt8] = []
  while true {
    let before = content.count
    var length = 0
    content += [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
      repeat { length = read(file, buffer.baseAddress, buffer.count) } while length < 0 && errno == EINTR
      count = max(0, length)
    }
    if length < 0 { return nil }
    if content.count == before { return content }
    if content.count > most {
      errno = EFBIG
      return nil
    }
  }
}
