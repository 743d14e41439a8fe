/// Which thread calls, and which libraries call on threads of their own (E7).
extension Classifier {
  func thread(of site: ClassifiedSite) -> Decision<CallingThread?> {
    if site.life.value == .scoped { return Decision(.caller, .inferred, "It is called while the function runs.") }
    if site.life.value == .inFlight { return Decision(.library, site.life.certainty, site.life.why) }
    let comment = site.site.comment.lowercased()
    for phrase in ["from the main loop", "from the event loop", "in the main loop"] where calls(comment, phrase) {
      return Decision(.loop, .told, "The comment says \"\(phrase)\".")
    }
    if let phrase = foreignThread(comment) {
      return Decision(.library, .told, "The comment speaks of \"\(phrase)\".")
    }
    for phrase in ["from within", "same thread", "calling thread", "event loop thread", "loop's thread"]
    where comment.has(phrase) && !comment.has("first time \(phrase)") {
      return Decision(.user, .told, "The comment says \"\(phrase)\".")
    }
    if let function = serving(site.site) {
      return Decision(.user, .told, "The comment says that \(function) calls it.")
    }
    if let function = dispatching(site.site) {
      return Decision(.user, .inferred, "\(function) dispatches to callbacks.")
    }
    return Decision(nil, .asked, "Nothing says which thread calls.")
  }

  /// The words of a comment that speak of a thread of the library, unless it says that this thread does not call.
  func foreignThread(_ comment: String) -> String? {
    let phrases = [
      "another thread", "different thread", "separate thread", "internal thread", "background thread",
      "worker thread", "own thread", "any thread", "new thread", "helper thread", "thread context",
    ]
    for sentence in comment.replacingNewlines.split(separator: ".").map(String.init) {
      let words = Words.identifiers(sentence)
      if words.contains(where: { ["not", "never", "cannot"].contains($0) }) { continue }
      if let phrase = phrases.first(where: { sentence.has($0) }) { return phrase }
    }
    return nil
  }

  private static let calling: Set<String> = [
    "call", "calls", "called", "invoked", "invokes", "triggered", "executed", "run", "runs",
  ]

  /// True if a sentence of a comment says that something is called, and then the phrase.
  private func calls(_ comment: String, _ phrase: String) -> Bool {
    comment.replacingNewlines.split(separator: ".").contains { sentence in
      guard let range = sentence.firstRange(of: phrase) else { return false }
      return Words.identifiers(String(sentence[..<range.lowerBound])).contains { Self.calling.contains(String($0)) }
    }
  }

  // MARK: Functions that call

  private static let polling: Set<String> = [
    "poll", "process", "dispatch", "loop", "run", "recv", "iterate", "iteration", "wait", "serve", "perform", "step",
    "consume", "flush", "pump", "service", "close",
  ]

  /// True for a function without a callback of its own whose name says that it processes pending events.
  private func isPolling(_ function: Library.Function) -> Bool {
    !takesCallback(function) && words[function.name]?.contains { Self.polling.contains($0) } == true
  }

  /// The function that a comment says calls the callback: "served by `client_poll()`".
  private func serving(_ site: Site) -> String? {
    let before: Set<String> = ["from", "by", "in", "within", "during", "via", "inside", "through"]
    for sentence in site.comment.replacingNewlines.split(separator: ".") {
      let words = Words.identifiers(String(sentence))
      // A callback whose first call is made there is called elsewhere later.
      guard !String(sentence).lowercased().has("first time"),
        words.contains(where: { word in
          Self.calling.contains(word.lowercased())
            || ["served", "serve", "serves", "dispatched", "delivered"].contains(word.lowercased())
        })
      else { continue }
      // "Call `client_poll()` to serve it", and not "call `client_wait()` to get the events yourself".
      let isServed = words.contains { ["served", "serve", "serves"].contains($0.lowercased()) }
      for (index, word) in words.enumerated() where index > 0 {
        let preposition = words[index - 1].lowercased()
        guard before.contains(preposition) || isServed && ["call", "calling"].contains(preposition) else { continue }
        guard let known = library.functionIndex[String(word)], isPolling(library.functions[known]),
          !words[..<index].contains(where: { ["not", "never", "cannot"].contains($0.lowercased()) })
        else { continue }
        return String(word)
      }
    }
    return nil
  }

  /// A polling function of the same object, or of the object that the function makes, whose own comment says that it
  /// dispatches.
  private func dispatching(_ site: Site) -> String? {
    guard let function = function(of: site), !hasThreads(site),
      let object = function.parameters.first.flatMap({ handle($0.type) }) ?? made(by: function)
    else { return nil }
    return byHandle[object]?.first { other in
      let comment = other.comment.lowercased()
      return isPolling(other)
        && [
          "be dispatched", "dispatches", "calls the callback", "call the callback", "callbacks will be", "invokes the",
        ]
        .contains { comment.has($0) }
    }?.name
  }

  // MARK: Threads of the library

  /// True if a function of the same object, or that makes it, starts a thread.
  func hasThreads(_ site: Site) -> Bool {
    guard hasThreads, let function = function(of: site),
      let handle = function.parameters.first.flatMap({ handle($0.type) }) ?? made(by: function)
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
      "internal", "background", "managed", "worker", "another", "different", "separate", "any", "helper", "dedicated",
    ]
    // Names of threads that are not the library's own: "invoked from the connection thread".
    let own: Set<String> = [
      "main", "same", "calling", "caller", "caller's", "current", "your", "user", "user's", "this", "application",
      "which", "that", "gui", "ui", "event", "loop", "own", "whatever", "whichever", "one", "single",
    ]
    for sentence in comment.replacingNewlines.split(separator: ".") {
      let words = sentence.split { !$0.isLetter && $0 != "'" }.map(String.init)
      for (index, word) in words.enumerated() where word == "thread" || word == "threads" {
        let before = words[max(0, index - 3)..<index]
        let isNamed =
          before.first.map { ["from", "in", "on", "by"].contains($0) } ?? false
          && before.count == 3 && ["the", "a", "an", "its"].contains(words[index - 2])
          && !own.contains(words[index - 1])
          || index >= 4 && ["from", "in", "on", "by"].contains(words[index - 4])
            && ["the", "a", "an", "its"].contains(words[index - 3])
            && words[(index - 2)..<index].allSatisfy { !own.contains($0) }
        guard isNamed || before.contains(where: { foreign.contains($0) }),
          let verb = words[max(0, index - 8)..<index].firstIndex(where: { verbs.contains($0) }),
          !words[max(0, verb - 3)..<index].contains(where: { ["not", "never", "cannot"].contains($0) })
        else { continue }
        return words[verb...index].joined(separator: " ")
      }
    }
    return nil
  }

  /// True if a comment speaks of a certain thread: "the background thread", and not "a thread".
  func namesThread(_ comment: String) -> Bool {
    let words = comment.split { !$0.isLetter }
    return zip(words, words.dropFirst()).contains { before, word in
      word.hasPrefix("thread") && !["a", "the", "of", "per", "each", "no"].contains(before)
    }
  }

  /// The function whose comment says that a call may be under way when the object of the callback has ended.
  func inFlight(_ site: Site) -> String? {
    guard let function = function(of: site), let object = made(by: function) else { return nil }
    return byHandle[object]?.first { other in
      let comment = other.comment.lowercased().replacingNewlines
      return ["may still be invoked", "may still be called", "may still be running", "may still be executing"]
        .contains { comment.has($0) || comment.filter { $0 != "*" }.has($0) }
    }?.name
  }

  /// True if the comments say that a thread of the library calls most of the callbacks that are set. Then the others are assumed to
  /// be called there, too.
  mutating func countThreads() {
    var functions: [String: Bool] = [:]
    for site in sites where site.kind == .parameter && role(of: site).value == .callback && isRegistration(site) {
      let comment = site.comment.lowercased()
      let isForeign = callingThread(comment) != nil || inFlight(site) != nil
      functions[site.owner] = isForeign || functions[site.owner] ?? false
      if serving(site) != nil { return }
    }
    callsOnThreads = functions.count > 1 && functions.values.count { $0 } * 2 >= functions.count
  }

  /// True if the function itself starts a server with threads.
  func hasStartedThreads(_ site: Site) -> Bool {
    guard let words = words[site.owner] else { return false }
    return words.contains("start") && (words.contains("daemon") || words.contains("server"))
      || words.contains("thread") && words.contains("pool")
  }
}
