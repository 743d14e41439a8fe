extension Classifier {
  /// Decides when C releases the context, and which event causes that.
  func decideLife(of classified: inout ClassifiedSite) {
    let site = classified.site
    let comment = site.comment.lowercased()
    if let release = destroyNotify(of: site, classified.context.value) {
      classified.life = Decision(.destroyNotify, .told, "\(release) ends it.")
      classified.releasedBy = release
      classified.endings = endings(of: site, classified.context.value)
      return
    }
    if let scoped = scoped(site, comment) ?? scopedBeside(site, classified.context.value) {
      classified.life = scoped
      return
    }
    if let once = once(site, classified.context.value, comment) {
      classified.life = once
      classified.endings = cancelling(of: site)
      return
    }
    classified.endings = endings(of: site, classified.context.value)
    if let closed = closed(site, classified.context.value) {
      classified.life = Decision(.closed, .inferred, "\(closed) takes a close callback.")
      classified.endings = Decision([Ending(function: closed, withNull: false)], .inferred, "")
      return
    }
    if let returned = returned(site, comment) {
      classified.life = returned
      classified.endings = Decision([Ending(function: site.owner, withNull: true)], returned.certainty, "")
      return
    }
    if !classified.endings.value.contains(where: { $0.withNull }) || classified.endings.certainty != .told,
      let process = process(site, classified)
    {
      classified.life = process
      return
    }
    let ends = classified.endings
    if let last = lastCall(of: site.function), let function = function(of: site), request(of: function) != nil {
      classified.lastCall = last
      classified.life = Decision(
        .terminalCall, .inferred, "\(site.function.parameters[last].name) tells the last call.")
    } else if let function = function(of: site), let cancel = request(of: function) {
      classified.life = Decision(nil, .asked, "\(cancel) cancels it, and nothing says how often it is called.")
    } else if site.isIndirect {
      classified.life = Decision(nil, .asked, "It is a list of functions, which C keeps.")
    } else if isObject(site) {
      classified.life = Decision(nil, .asked, "It gets the struct that it is in, and no context.")
      classified.endings = Decision([], .asked, "The struct is its own object.")
    } else if let words = callingThread(comment) {
      classified.life = Decision(.inFlight, .told, "The comment says \"\(words)\".")
    } else if let phrase = foreignThread(comment), isRegistration(site), comment.replacingNewlines.has("from " + phrase)
    {
      classified.life = Decision(.inFlight, .told, "The comment says \"from \(phrase)\".")
    } else if let function = inFlight(site) {
      classified.life = Decision(
        .inFlight, .told, "The comment of \(function) says that a call may be under way at the end.")
    } else if hasThreads(site) || hasStartedThreads(site)
      || callsOnThreads && isRegistration(site) && !namesThread(comment)
    {
      classified.life = Decision(.inFlight, .inferred, "The library has threads of its own.")
    } else if words[site.owner]?.last == "idle", ends.certainty < .told {
      classified.life = Decision(nil, .asked, "Nothing says whether an idle callback is called again.")
    } else if words[site.owner]?.last?.hasPrefix("async") == true {
      classified.life = Decision(nil, .asked, "It may be the answer to one request.")
    } else if !ends.value.isEmpty, isRegistration(site) || ends.certainty == .told {
      classified.life = Decision(.silent, ends.certainty, ends.why)
    } else {
      classified.life = Decision(nil, .asked, "Nothing says when the callback may be released.")
    }
  }

  // MARK: E2

  private func destroyNotify(of site: Site, _ context: Context?) -> String? {
    let siblings = (byOwner[site.owner] ?? []).filter { $0.key != site.key && $0.kind == site.kind }
    switch site.kind {
    case .parameter:
      guard let context, let function = function(of: site), ownContext(of: site, function) != nil else { return nil }
      let releases = siblings.filter { role(of: $0).value == .release }
      // Several contexts, each with its own.
      let next = releases.first { release in
        release.index > site.index && releasesContext(release, context.registration)
      }
      return (next ?? releases.first { releasesContext($0, context.registration) })?.key
    case .field:
      let prefix = site.name.split(separator: ".").dropLast()
      let release = siblings.first { other in
        other.name.split(separator: ".").dropLast() == prefix && role(of: other).value == .release
          && self.context(of: other, .release).value?.registration == context?.registration
      }
      guard context != nil else { return nil }
      return release?.key
    case .typedef:
      // A comment has named the function that takes it, as another type.
      guard case .function(let name, let index)? = context?.registration else { return nil }
      let releases = (byOwner[name] ?? []).filter { $0.kind == .parameter && role(of: $0).value == .release }
      return releases.first { releasesContext($0, .parameter(index)) }?.key
    default: return nil
    }
  }

  private func releasesContext(_ release: Site, _ registration: Context.Registration) -> Bool {
    guard case .parameter = registration else { return false }
    return context(of: release, .release).value?.registration == registration
  }

  // MARK: E1

  private func once(_ site: Site, _ context: Context?, _ comment: String) -> Decision<Life?>? {
    for phrase in [
      "exactly once", "called once", "one-time", "called only once", "at most once",
      "request is completed", "request completed", "when the transfer completes", "is invoked when the transfer",
      "request is complete", "operation completes", "when the operation is complete", "request has completed",
      "transaction is concluded", "once the request", "called when the request",
    ]
    where says(comment, phrase) && site.kind != .typedef && !isSetter(site) {
      // "Called once per file." A field that answers is asked again by the next one who uses the struct.
      if ["per", "for each", "for every", "during each"].contains(where: { says(comment, "\(phrase) \($0)") })
        || site.kind == .field && !library.resolved(site.function.result).isVoid
      {
        continue
      }
      return Decision(.once, .told, "The comment says \"\(phrase)\".")
    }
    let owner = words[site.owner] ?? []
    if context != nil, lastCall(of: site.function) == nil, let function = function(of: site),
      let cancel = requestCancellation(of: function, site)
    {
      return Decision(.once, .inferred, "It makes a request that \(cancel) cancels.")
    }
    if let object = function(of: site)?.parameters.first.flatMap({ handle($0.type) }) {
      for noun in Words.split(object)
      where comment.replacingNewlines.has("invoked after the \(noun) is closed")
        || comment.replacingNewlines.has("called after the \(noun) is closed")
      {
        return Decision(.once, .told, "The comment says that it is called after the \(noun) is closed.")
      }
    }
    if owner.contains("once") { return Decision(.once, .told, "The function's name says \"once\".") }
    // The function of a thread receives the context alone.
    if owner.contains("threadstart")
      || owner.contains("thread") && !owner.contains("pool") && site.function.parameters.count <= 1
        && owner.contains(where: { ["create", "new", "try"].contains($0) })
    {
      return Decision(.once, .inferred, "A thread runs its function once.")
    }
    if owner.contains("cleanup"), owner.contains("add") {
      return Decision(.once, .inferred, "A cleanup runs once.")
    }
    // A request: the callback receives the object that the function took, and this object has the context.
    if let context, case .member = context.arrival, context.index < site.function.parameters.count,
      let object = handle(site.function.parameters[context.index].type), closing(object) == nil, site.kind != .typedef
    {
      let words = Words.split(object)
      if words.contains(where: {
        [
          "req", "request", "transfer", "fs", "work", "write", "connect", "shutdown", "getaddrinfo",
          "getnameinfo", "send", "random", "job", "op", "aiocb",
        ].contains($0)
      }) {
        return Decision(.once, .inferred, "\(object) is a request.")
      }
    }
    // The callback of the function that closes.
    if owner.last == "close" || owner.contains("closed"), site.function.parameters.count == 1 {
      return Decision(.once, .inferred, "An object is closed once.")
    }
    return nil
  }

  /// The function that cancels the result of a function. If there is one, the result is a request.
  func request(of function: Library.Function) -> String? {
    guard let product = handle(function.result), function.parameters.first.flatMap({ handle($0.type) }) != product
    else {
      return nil
    }
    return cancellation(of: product)
  }

  // MARK: E5

  /// The parameter of a callback that says that this call is the last one.
  func lastCall(of function: CFunction) -> Int? {
    let index = function.parameters.firstIndex { parameter in
      guard isInteger(parameter.type) || library.resolved(parameter.type).description == "_Bool" else { return false }
      let words = Words.split(parameter.name)
      return words.contains { ["eol", "eof"].contains($0) } || words == ["is", "last"] || words == ["last"]
    }
    return index
  }

  /// True if a comment says so without restriction: "called once for each element" is often.
  private func says(_ comment: String, _ phrase: String) -> Bool {
    guard comment.has(phrase) else { return false }
    let text = comment.replacingNewlines
    return text.ranges(of: phrase).contains { range in
      let rest = text[range.upperBound...].drop { $0 == " " }
      return !["for", "per", "during", "each", "every", "and", "or"].contains { rest.hasPrefix($0 + " ") }
    }
  }

  /// True if a function sets or adds something that stays; false for one that does something, once or many times.
  func isRegistration(_ site: Site) -> Bool {
    guard site.kind == .parameter else { return true }
    return library.functionIndex[site.owner].map { isRegistering(library.functions[$0]) } ?? false
  }

  /// True if a function sets the callback of a configuration, for all that happens to the object.
  private func isSetter(_ site: Site) -> Bool {
    guard let function = function(of: site), words[site.owner]?.contains("set") == true else { return false }
    return configured(function) != nil
  }

  static let staying: Set<String> = [
    "set", "add", "register", "install", "new", "create", "open", "init", "listen", "start", "assign", "setcb",
    "trace", "profile", "needed", "bind", "watch", "subscribe", "connect", "on", "attach", "alloc", "make", "fill",
    "submit",
  ]

  /// True if the name of a function says that it keeps its arguments after it returns.
  func isRegistering(_ function: Library.Function) -> Bool {
    let names = words[function.name] ?? []
    // `options_init` fills the struct in.
    if names.contains("init"), names.contains(where: { ["options", "opts", "callbacks"].contains($0) }) {
      return false
    }
    return names.contains { name in
      // `init2`
      let verb = String(name.prefix { !$0.isNumber })
      return Self.staying.contains(verb) || Words.handler.contains(verb) || verb.hasPrefix("set")
    }
  }

  /// True if the name of a function says that it is done with its arguments when it returns.
  func isScopedName(_ function: Library.Function) -> Bool {
    words[function.name]?.contains { Self.scopedWords.contains($0) } ?? false
  }

  // MARK: E3

  /// The function that closes an object and takes a callback for it.
  private func closing(_ object: String) -> String? {
    let direct = closers.first { function in
      guard let first = function.parameters.first.flatMap({ handle($0.type) }) else { return false }
      if first == object { return true }
      // A base of the object: it has the same close callback.
      let fields = records[object]?.fields ?? []
      return fields.contains { $0.path == "close_cb" }
    }
    return direct?.name
  }

  private func closed(_ site: Site, _ context: Context?) -> String? {
    guard let context, case .member = context.arrival, context.index < site.function.parameters.count,
      let object = handle(site.function.parameters[context.index].type)
    else { return nil }
    return closing(object)
  }

  // MARK: E4 and E9

  private func returned(_ site: Site, _ comment: String) -> Decision<Life?>? {
    guard let function = function(of: site), isVoidPointer(function.result), ownContext(of: site, function) != nil,
      (byOwner[site.owner] ?? []).count == 1
    else { return nil }
    for phrase in ["previous", "old pointer", "returns the p argument", "third argument from"] where comment.has(phrase)
    {
      return Decision(.returned, .told, "The comment says \"\(phrase)\".")
    }
    let owner = words[site.owner] ?? []
    guard owner.contains("hook") || owner.contains("set") || owner.contains("trace") || owner.contains("profile") else {
      return nil
    }
    return Decision(.returned, .inferred, "It returns a void *, the context before.")
  }

  private func process(_ site: Site, _ classified: ClassifiedSite) -> Decision<Life?>? {
    if site.kind == .global { return Decision(.process, .told, "It is a global variable.") }
    guard let function = function(of: site) else { return nil }
    let hasObject = function.parameters.enumerated().contains { index, parameter in
      index != site.index && library.function(parameter.type) == nil && handle(parameter.type) != nil
    }
    let owner = words[site.owner] ?? []
    let isLog = owner.contains("log") && classified.context.value == nil && configured(function) == nil
    if hasObject, !isLog, !(classified.context.value == nil && owner.contains("bind")) { return nil }
    if handle(function.result) != nil { return nil }
    let isReplaced = library.function(function.result) != nil
    // A number that is returned names the registration.
    if owner.contains("add"), classified.context.value != nil { return nil }
    if !isReplaced, !pairs(of: site, function).isEmpty { return nil }
    guard
      owner.contains(where: {
        ["set", "log", "register", "bind", "add", "hook", "handler", "atexit", "panic"].contains($0)
      })
    else {
      return nil
    }
    // `set_value(device, offset, value, callback, context)` does something, and may call meanwhile.
    let others = function.parameters.indices.count { index in
      library.function(function.parameters[index].type) == nil && ownContext(of: site, function) != index
    }
    if others >= 3, !owner.contains("register"), !owner.contains("add"),
      !owner.contains(where: { Words.handler.contains($0) })
    {
      return Decision(nil, .asked, "It belongs to no object, and its function does something with other values.")
    }
    return Decision(.process, .inferred, "It belongs to no object.")
  }

  /// True for a field whose callback gets the struct itself and no context: a method of an object.
  private func isObject(_ site: Site) -> Bool {
    guard site.kind == .field, let record = library.records.first(where: { $0.name == site.owner }),
      let first = site.function.parameters.first.flatMap({ handle($0.type) })
    else { return false }
    return (first == record.spelling || first == "struct " + record.name)
      && !site.function.parameters.contains { isVoidPointer($0.type) } && contextField(of: record) == nil
  }
}
