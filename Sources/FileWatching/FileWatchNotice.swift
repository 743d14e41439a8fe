/// What a watcher has left out, or does otherwise than it was asked to, without ending.
public enum FileWatchNotice: Hashable, Sendable, CustomStringConvertible {
  /// A line of a file of ignore rules is no rule. The other lines apply.
  case brokenRule(file: BytePath, line: Int, text: BytePath, reason: PathPattern.Invalid)

  /// What happened.
  public var description: String {
    switch self {
    case .brokenRule(let file, let line, let text, let reason):
      "\(file):\(line): the rule '\(text)' \(reason) and is left out"
    }
  }
}
