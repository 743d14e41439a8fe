import ArgumentParser
import Headwater

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

// `follow`: prints the last lines of files, and then what is appended to them, as `tail -F` does.
//
//   swift run --package-path Examples follow /var/log/syslog
//   swift run --package-path Examples follow -n 0 access.log error.log
//
// What to learn from it: an asynchronous program on the loop, without polling. A file is followed by its path. A rotated file
// is printed to its end before the new file begins, a truncated file is printed from its start, and a missing file is
// awaited, with its directory if that is missing too. Only regular files are followed.
//
// Exit codes: 1 if nothing can be followed, 64 for wrong arguments. Otherwise it runs until a signal ends it.

struct Options: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "follow", abstract: "Print the last lines of files, and what is appended to them.")

  @Option(name: [.customShort("n"), .long], help: "The number of existing lines to print of each file.")
  var lines = 10

  @Argument(help: "The files to follow.")
  var files: [String]

  func validate() throws {
    if lines < 0 { throw ValidationError("--lines takes 0 or more") }
    if files.contains("") { throw ValidationError("the path of a file is empty") }
  }
}

let options = Options.parseOrExit()
let output = Output(showsNames: options.files.count > 1)
var code: Int32 = 0

// Runs the loop until the body has returned. While the body awaits a result, the loop serves other tasks.
try Loop.run {
  let followers = options.files.map { Follower($0, output) }
  for follower in followers { await follower.begin(lines: options.lines) }
  await withDiscardingTaskGroup { group in
    for follower in followers {
      group.addTask {
        do {
          try await follower.follow()
        } catch {
          await fail(error)
        }
      }
    }
  }
}
if code != 0 { exit(code) }

func fail(_ error: any Error) {
  output.complain("\(error)")
  code = 1
}
