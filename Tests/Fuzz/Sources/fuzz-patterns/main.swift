import FileWatching
import FuzzDriver

// The patterns of rule files: any bytes are a pattern or an error, a match ends in time, and a pattern that escapes each byte
// of a path matches that path.

fuzz { bytes in
  let halves = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
  let path = BytePath(bytes: Array(halves.last ?? []))
  do throws(PathPattern.Invalid) {
    let pattern = try PathPattern(halves[0])
    _ = pattern.matches(path, isDirectory: true)
    // A pattern that ends in a slash matches only directories.
    if pattern.matches(path, isDirectory: false) {
      precondition(pattern.matches(path, isDirectory: true), "a file matches, and a directory does not")
    }
  } catch {
    precondition(!error.description.isEmpty)
  }
  let parts = halves.last ?? []
  guard let last = parts.last, last != 0x2F, !parts.contains(0), !parts.contains(0x0A), parts.first != 0x2F,
    !parts.split(separator: 0x2F, omittingEmptySubsequences: false).contains(where: \.isEmpty)
  else { return }
  let escaped: [UInt8] = [0x2F] + parts.flatMap { $0 == 0x2F ? [$0] : [0x5C, $0] }
  do throws(PathPattern.Invalid) {
    let pattern = try PathPattern(escaped)
    precondition(pattern.matches(path, isDirectory: false), "an escaped path does not match itself")
  } catch {
    preconditionFailure("an escaped path is no pattern: \(error)")
  }
}
