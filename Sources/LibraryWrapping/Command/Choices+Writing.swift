/// Writes the file of the choices.
extension Choices {
  private static let explanation = """
    # One line for each site. Change a line and run the command again.
    #   adapter=foreign|repeating|lent|once|scoped|skip   thread=caller|loop|library|user
    #   end=FUNCTION or end=FUNCTION(NULL)   buffers=copy|borrow   name=SWIFT_NAME
    #   as=stream|handler   arguments=NAME,NAME   fails=negative|nonzero|zero|never: the results that mean a failure
    # The line for all sites, "* thread=loop fails=negative", decides where a site's line has a question mark or no choice.
    # A line for all that begins so, "SSL_CTX_* skip", takes skip, thread=, fails=, or nothing. A longer beginning wins.
    # The line "* skip" skips what has no line.
    # A question mark: neither the header nor its comments decide, and the safe default is taken.

    """

  private static let wholeExplanation = """
    # A line for a function: FUNCTION skip, name=SWIFT_NAME, fails=RULE, or owns=yes|no|always: who frees the object that it returns,
    #   always also if it fails
    #   takes=yes|no|PARAMETER: whether C frees the objects that the function is given, such as those of a function `add`, or one
    #   outlives=yes: what the function makes is used after an object that it was made with has been closed, which frees it otherwise
    # A line for a struct whose fields are functions that C sets and the program calls, such as db->put(db, …): STRUCT methods, or
    #   STRUCT methods=all, also for functions that do not take the struct first
    # A line for an object that runs on the loop: TYPE drive, or TYPE drive=descriptor:FUNCTION,process:FUNCTION,…
    # A line for a pointer: FUNCTION/PARAMETER or FUNCTION/result, and `*` for any part of both names
    #   memory=in|out|inout|text|null, and how many elements there are: in[n], out[n*2], text[size], out[size:result], in[NULL]
    #   frees=FUNCTION|no: what frees the memory that C gives   type=NAME: the object that a `void *` stands for
    # A line for a pointer that a callback gets: CALLBACK(PARAMETER) memory=…, with the key of its line, or its type. in[n]: Swift reads
    #   n elements; out[n], out[n:result]: the closure answers with up to n
    # A line for a field that is a pointer: STRUCT.FIELD memory=…, counted by other fields: out[width*height], in[frames*channels?]
    #   where the program gives `channels`; in[n:used] keeps what C has not read, out[n:used] what it has written; text
    # The functions at the end are skipped. Remove the mark before a line, and write what the question mark stands for.

    """

  private static let assuming = """
    # What these pointers are for, only names say. Compare it with the library's documentation. A line without its mark is certain,
    # and one that says something else corrects the function. With --strict, such functions are skipped.

    """

  private static let freeing = """
    # Whether the program frees these results, only comments say. What C frees, too, would be freed twice, and what nobody frees is a
    # leak: compare the sentences with the lines. A line without its mark is certain, and another owns= or frees= corrects it. With
    # --strict, functions are skipped whose results the program frees.

    """

  private static let openArgument = "A pointer that a callback gets. The header does not say to how much."
  private static let openMethods = "If C sets the functions in its fields, and the program calls them."
  private static let openField = "A field that is a pointer. The header does not say to how much."

  /// The file for these sites. Lines that the file already has stay as they are.
  func text(_ sites: [ClassifiedSite], _ writer: SwiftWriter, command: String) -> String {
    var text = "\(Self.head)\(Self.version)\n# Command: wrap-library \(command) --force\n" + Self.explanation
    if writer.objects != nil { text += Self.wholeExplanation }
    for line in beginnings.reversed() { text += line.choice.text + "\n" }
    for classified in sites {
      let key = classified.site.key
      if bySite[key]?.isOfPointer == true { continue }
      if classified.role.value != .callback {
        if let own = bySite[key] { text += own.text + "\n" }
        continue
      }
      if self[key]?.adapter == .skip, bySite[key] == nil { continue }
      text += (bySite[key]?.text ?? Self.line(classified, writer)) + "\n"
    }
    if writer.objects == nil {
      for choice in arguments.values.sorted(by: { $0.line < $1.line }) { text += choice.text + "\n" }
      return text
    }
    // Those of functions, of which only what has been chosen is kept.
    let known = Set(sites.map(\.site.key))
    for choice in bySite.values.sorted(by: { $0.line < $1.line }) {
      let key = choice.text.split(separator: " ").first.map(String.init) ?? ""
      if let drive = writer.drives[key] {
        text += "\(key) drive=\(drive)\n"
      } else if choice.isOfPointer || !known.contains(key) && !key.hasSuffix(Self.rest) {
        text += choice.text + "\n"
      }
    }
    for (function, why) in writer.output.unwrapped where why.reason != Self.skipping {
      text +=
        why.choices.isEmpty
        ? "# \(function): \(why.reason)\(why.detail.isEmpty ? "" : " (\(why.detail))")\n"
        : "# \(why.key(function)) \(why.choices)   # \(why.reason)\n"
    }
    for (function, why) in writer.output.open {
      text += "# \(function)/\(why.detail) \(why.choices)   # Stays a pointer. \(why.reason)\n"
    }
    for record in writer.library.records where writer.library.mayHaveMethods(record, all: true) {
      let isOwn = writer.library.mayHaveMethods(record)
      text += "# \(name(of: record, in: writer.library)) methods\(isOwn ? "" : "=all")   # \(Self.openMethods)\n"
    }
    for (key, parameter) in writer.output.omitted {
      text +=
        "# \(key): Its closure does not get \(parameter), which is a function, or of a type that Swift does not import.\n"
    }
    for key in writer.output.openArguments { text += "# \(key) memory=?   # \(Self.openArgument)\n" }
    for key in writer.output.openFields { text += "# \(key) memory=?   # \(Self.openField)\n" }
    let freed = writer.output.freed
    if !freed.isEmpty { text += Self.freeing }
    for (key, line, sentence) in freed { text += "# \(key) \(line)   # \"\(sentence)\"\n" }
    if !writer.output.assumed.isEmpty { text += Self.assuming }
    for (key, line) in writer.output.assumed { text += "# \(key) \(line)\n" }
    return text
  }

  private static func line(_ classified: ClassifiedSite, _ writer: SwiftWriter) -> String {
    let isHook = writer.output.hooks.contains(classified.site.key)
    let adapter =
      isHook ? "foreign" : String(writer.adapter(classified).name.dropLast("Callback".count)).lowercased()
    let thread = Thread.word(for: writer.choices[classified.site.key]?.thread ?? classified.thread.value)
    // Another one would be a choice that the next run obeys.
    let used = writer.output.endings[classified.site.key] ?? (isHook ? nil : classified.endings.value.first)
    let ending = used.map { $0.function + ($0.withNull ? "(NULL)" : "") } ?? "?"
    let name = writer.output.names[classified.site.key] ?? "?"
    let isDecided = writer.choices[classified.site.key]?.fails != nil
    let fails =
      switch classified.fails {
      case _ where isDecided: ""
      case let fails? where writer.mayReturnAnswer(classified, fails.value): " fails=?"
      case let fails? where fails.certainty == .asked: " fails=?"
      case let fails? where ![.never, .null].contains(fails.value): " fails=\(fails.value.rawValue)"
      default: ""
      }
    return "\(classified.site.key) adapter=\(adapter) thread=\(thread) end=\(ending) buffers=copy name=\(name)\(fails)"
  }
}
