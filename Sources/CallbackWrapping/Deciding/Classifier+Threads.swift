/// Which libraries call on threads of their own (E7).
extension Classifier {
  /// True if a function of the same object, or that makes it, starts a thread.
  func hasThreads(_ site: Site) -> Bool {
    guard hasThreads, let function = function(of: site),
      let handle = function.parameters.first.flatMap({ handle($0.type) })
    else {
      return false
    }
    return byHandle[handle, default: []].contains { other in
      guard let words = words[other.name] else { return false }
      return words.contains("start") && !takesCallback(other)
        && (words.contains("loop") || words.contains("thread") || words.contains("threads"))
    }
  }

  /// True for a function that registers: `add_on_thread_start` starts nothing.
  func takesCallback(_ function: Library.Function) -> Bool {
    function.parameters.contains { library.function($0.type) != nil }
  }

  /// The words of a comment that say that a thread of the library calls: "called from an internal library thread".
  func callingThread(_ comment: String) -> String? {
    let verbs: Set<String> = ["called", "invoked", "triggered", "executed", "run", "runs"]
    let foreign: Set<String> = [
      "internal", "background", "managed", "worker", "another", "different", "separate", "any", "helper",
    ]
    for sentence in comment.replacingNewlines.split(separator: ".") {
      let words = sentence.split { !$0.isLetter && $0 != "'" }.map(String.init)
      for (index, word) in words.enumerated() where word == "thread" || word == "threads" {
        guard words[max(0, index - 3)..<index].contains(where: { foreign.contains($0) }),
          let verb = words[max(0, index - 8)..<index].firstIndex(where: { verbs.contains($0) }),
          !words[max(0, verb - 3)..<index].contains(where: { ["not", "never", "cannot"].contains($0) })
        else { continue }
        return words[verb...index].joined(separator: " ")
      }
    }
    return nil
  }

  /// True if the function itself starts a server with threads.
  func hasStartedThreads(_ site: Site) -> Bool {
    guard let words = words[site.owner] else { return false }
    return words.contains("start") && (words.contains("daemon") || words.contains("server"))
      || words.contains("thread") && words.contains("pool")
  }
}
