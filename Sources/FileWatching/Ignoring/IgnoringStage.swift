import EventLoops
import Glibc

/// The stage that ignores: it decides whether a path is ignored, and reads files of rules.
final class IgnoringStage {
  /// The rules of the user's file and of the repository's own file, in increasing precedence.
  typealias RepositoryRules = [IgnoreList]

  /// The rules in the files of one directory.
  final class DirectoryRules {
    fileprivate var lists: [(list: IgnoreList, isGit: Bool)] = []
    /// Not nil if the directory is the top of a repository inside the tree. The rules of the outer repository end here.
    fileprivate var repository: RepositoryRules?

    fileprivate var dependsOnDirectories: Bool {
      lists.contains { $0.list.dependsOnDirectories } || repository?.contains(where: \.dependsOnDirectories) ?? false
    }
  }

  /// The rules outside a root that apply to it.
  struct Surroundings {
    /// The path from the top of the repository to the root, with a trailing slash. Empty for the top itself.
    fileprivate var prefix: [UInt8] = []
    /// The rules in the directories above the root, in increasing precedence. `offset` is the length of the path to
    /// that directory, which is removed before a path is compared.
    fileprivate var above: [(list: IgnoreList, offset: Int)] = []
    fileprivate var files: [IgnoreList] = []
    fileprivate var repository: RepositoryRules = []
    /// The files that these rules were read from, including files that do not exist.
    fileprivate(set) var sources: [[UInt8]] = []

    fileprivate var dependsOnDirectories: Bool {
      above.contains { $0.list.dependsOnDirectories } || (files + repository).contains(where: \.dependsOnDirectories)
    }
  }

  private let rules: IgnoreRules
  private let isIgnored: (BytePath, Bool) -> Bool
  private let hasClosure: Bool
  private let onNotice: (FileWatchNotice) -> Void
  private let patterns: IgnoreList
  private let names: [[UInt8]]
  /// The files that could not be read, and have been reported.
  private var unreadFiles: Set<[UInt8]> = []
  /// The notices that have been reported for each file.
  private var brokenRules: [[UInt8]: [FileWatchNotice]] = [:]

  init(_ options: FileWatchOptions) {
    rules = options.ignoreRules
    isIgnored = options.isIgnored
    hasClosure = options.hasClosure
    onNotice = options.onNotice
    patterns = IgnoreList(lines: rules.patterns)
    names = rules.namesInDirectories
  }

  // MARK: Deciding

  /// Returns true if `name` in `directory` is ignored.
  func hides(_ name: NameBytes, in directory: Directory, isDirectory: Bool) -> Bool {
    directory.onlyName == nil && hides(directory.path(of: name), in: directory, isDirectory)
  }

  /// Returns true if `path`, which is in `directory`, is ignored.
  func hides(_ path: BytePath, in directory: Directory, _ isDirectory: Bool) -> Bool {
    if isIgnored(path, isDirectory) { return true }
    if rules.isEmpty { return false }
    return path.bytes.withUnsafeBufferPointer { bytes in decision(bytes, in: directory, isDirectory) ?? false }
  }

  private func decision(_ path: NameBytes, in directory: Directory, _ isDirectory: Bool) -> Bool? {
    func part(from offset: Int) -> NameBytes { NameBytes(rebasing: path[offset...]) }
    var repository: (rules: RepositoryRules, offset: Int)?
    var found: Bool?
    var current = directory
    let top = directory.top
    let start = top.prefixCount
    if let decision = patterns.decision(part(from: start), isDirectory: isDirectory) { return decision }
    var offset = directory.prefixCount
    while found == nil {
      if let rules = current.rules {
        for (list, isGit) in rules.lists.reversed() where found == nil && !(isGit && repository != nil) {
          found = list.decision(part(from: offset), isDirectory: isDirectory)
        }
        if repository == nil { repository = rules.repository.map { ($0, offset) } }
      }
      guard let parent = current.parent else { break }
      offset -= current.name.count + 1
      current = parent
    }
    if let found { return found }
    guard let surroundings = top.root?.surroundings else { return nil }
    return surroundings.decision(
      part(from: start), isDirectory, repository: repository.map { ($0.rules, part(from: $0.offset)) })
  }

  /// Returns true if other names may be ignored when a directory moves from `source` to `target`. False if the same
  /// rules apply in both and depend on names only. The cost does not depend on the contents of the directory.
  func mayDecideOtherwise(below source: Directory, _ target: Directory) -> Bool {
    if hasClosure { return true }
    if rules.isEmpty { return false }
    let chain = Self.chain(source)
    let top = source.top
    if top !== target.top || !chain.elementsEqual(Self.chain(target), by: ===) { return true }
    return patterns.dependsOnDirectories || chain.contains(where: \.dependsOnDirectories)
      || top.root?.surroundings?.dependsOnDirectories ?? false
  }

  private static func chain(_ directory: Directory) -> [DirectoryRules] {
    sequence(first: directory, next: \.parent).compactMap(\.rules)
  }

  // MARK: Reading

  /// Returns true if a file of this name affects which paths are ignored.
  func isRuleFile(_ name: NameBytes) -> Bool {
    if names.isEmpty || name.isEmpty { return false }
    if rules.usesGit, IgnoreRules.gitName.elementsEqual(name) { return true }
    return names.contains { $0.elementsEqual(name) }
  }

  /// Reads the files of rules in a directory that is open as `descriptor` and has the entries `listing`.
  func load(_ directory: Directory, _ descriptor: Int32, _ listing: NameTable) {
    if names.isEmpty || directory.onlyName != nil { return }
    let rules = DirectoryRules()
    for name in names {
      let content = name.withUnsafeBufferPointer { bytes -> [UInt8]? in
        errno = ENOENT
        return listing.find(bytes) == nil ? nil : readWholeFile(bytes, in: descriptor, O_NOFOLLOW)
      }
      let error = errno
      let path = directory.prefix + name
      guard let content else {
        brokenRules[path] = nil
        notice(UnreadFile(path, error))
        continue
      }
      unreadFiles.remove(path)
      rules.lists.append((read(content, of: path), name == IgnoreRules.gitIgnoreName))
    }
    if self.rules.usesGit, !directory.isTop,
      IgnoreRules.gitName.withUnsafeBufferPointer({ listing.find($0) }) != nil,
      let repository = GitRepository(at: directory.location, unread: noticeOfGit)
    {
      rules.repository = ruleLists(of: repository)
    }
    directory.rules = rules.lists.isEmpty && rules.repository == nil ? nil : rules
  }

  /// Reads the rules outside a root that apply to it.
  func surroundings(of location: [UInt8]) -> Surroundings? {
    if rules.isEmpty { return nil }
    var surroundings = Surroundings()
    surroundings.sources = rules.files.map { file in
      if let location = absoluteLocation(file.bytes) { return location }
      notice(UnreadFile(file.bytes, errno))
      return file.bytes
    }
    surroundings.files = zip(surroundings.sources, rules.files).map { list($0, named: $1.bytes) }
    guard rules.usesGit, let real = realLocation(location),
      let repository = GitRepository(containing: real, unread: noticeOfGit)
    else {
      return surroundings
    }
    surroundings.repository = ruleLists(of: repository)
    surroundings.sources += repository.ruleFiles + repository.configurationFiles
    var directory = repository.top
    let rest = real.dropFirst(directory.last == BytePath.slash ? directory.count : directory.count + 1)
    for component in rest.split(separator: BytePath.slash) {
      for name in names {
        let path = directory.appendingName(name)
        surroundings.sources.append(path)
        surroundings.above.append((list(path, O_NOFOLLOW), surroundings.prefix.count))
      }
      directory = directory.appendingName(Array(component))
      surroundings.prefix += component + [BytePath.slash]
    }
    return surroundings
  }

  private func ruleLists(of repository: GitRepository) -> RepositoryRules {
    repository.ruleFiles.map { list($0, mayBeForbidden: true) }
  }

  /// Reports a file of git that cannot be read. Like git, it skips the files of other users that this user may not read.
  private func noticeOfGit(_ file: UnreadFile) {
    if file.errno != EACCES { notice(file) }
  }

  private func list(
    _ path: [UInt8], named name: [UInt8]? = nil, _ flags: Int32 = 0, mayBeForbidden: Bool = false
  ) -> IgnoreList {
    let content = path.withUnsafeBufferPointer { readWholeFile($0, in: AT_FDCWD, flags) }
    let error = errno
    if content != nil {
      unreadFiles.remove(name ?? path)
    } else if !mayBeForbidden || error != EACCES {
      notice(UnreadFile(name ?? path, error))
    }
    return read(content ?? [], of: name ?? path)
  }

  /// Reports a file of rules that exists and cannot be read, until it has been read.
  private func notice(_ file: UnreadFile) {
    if FileWatchError.isAbsent(file.errno) || !unreadFiles.insert(file.path).inserted { return }
    let path = BytePath(bytes: file.path)
    onNotice(.unreadable(path, UVError(errno: file.errno, call: "read", path: path.description)))
  }

  private func read(_ content: [UInt8], of path: [UInt8]) -> IgnoreList {
    let list = IgnoreList(content: content)
    let notices = list.brokenLines.map { line in
      FileWatchNotice.brokenRule(
        file: BytePath(bytes: path), line: line.number, text: BytePath(bytes: line.text), reason: line.reason)
    }
    let known = brokenRules.updateValue(notices, forKey: path) ?? []
    if notices.isEmpty { brokenRules[path] = nil }
    for notice in notices where !known.contains(notice) { onNotice(notice) }
    return list
  }
}

extension IgnoringStage.Surroundings {
  /// Returns whether `path`, which is relative to the root, is ignored. `inner` is the repository inside the root that
  /// contains the path, and the path relative to it.
  fileprivate func decision(
    _ path: NameBytes, _ isDirectory: Bool, repository inner: (rules: [IgnoreList], path: NameBytes)?
  ) -> Bool? {
    let whole = prefix + path
    return whole.withUnsafeBufferPointer { whole in
      for (list, offset) in above.reversed() where inner == nil {
        let part = NameBytes(rebasing: whole[offset...])
        if let decision = list.decision(part, isDirectory: isDirectory) { return decision }
      }
      for list in files.reversed() {
        if let decision = list.decision(path, isDirectory: isDirectory) { return decision }
      }
      for list in (inner?.rules ?? repository).reversed() {
        if let decision = list.decision(inner?.path ?? whole, isDirectory: isDirectory) { return decision }
      }
      return nil
    }
  }
}
