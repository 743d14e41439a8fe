#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A command that has run to its end.
struct FinishedProcess {
  var status: Int32
  var output: [UInt8]
  var errors: String

  var text: String { String(decoding: output, as: UTF8.self) }

  /// Runs a program that is found through PATH, with `input` as its standard input. Returns nil if there is no such program.
  static func run(_ arguments: [String], input: String = "") -> FinishedProcess? {
    var outputPipe: [Int32] = [-1, -1]
    guard pipe(&outputPipe) == 0, let inputFile = temporaryFile(input), let errorFile = temporaryFile("") else {
      return nil
    }
    // A process that another thread starts meanwhile would keep the pipe open.
    for file in outputPipe + [inputFile, errorFile] { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
    defer {
      close(inputFile)
      close(errorFile)
    }
    #if canImport(Glibc)
    var actions = posix_spawn_file_actions_t()
    #else
    var actions: posix_spawn_file_actions_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, inputFile, 0)
    posix_spawn_file_actions_adddup2(&actions, outputPipe[1], 1)
    posix_spawn_file_actions_adddup2(&actions, errorFile, 2)
    posix_spawn_file_actions_addclose(&actions, outputPipe[0])
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, arguments[0], &actions, nil, words, environ)
    close(outputPipe[1])
    defer { close(outputPipe[0]) }
    if code != 0 { return nil }
    let output = Files.contents(of: outputPipe[0])
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    lseek(errorFile, 0, SEEK_SET)
    let errors = String(decoding: Files.contents(of: errorFile), as: UTF8.self)
    return FinishedProcess(
      status: status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f, output: output, errors: errors)
  }

  /// A file without a name, at its start.
  private static func temporaryFile(_ text: String) -> Int32? {
    var template = Array("/tmp/wrap-library.XXXXXX".utf8CString)
    let file = mkstemp(&template)
    if file < 0 { return nil }
    unlink(template)
    guard Files.write(Array(text.utf8), to: file) else { return nil }
    lseek(file, 0, SEEK_SET)
    return file
  }
}
