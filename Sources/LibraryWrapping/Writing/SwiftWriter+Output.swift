extension SwiftWriter {
  /// The code that has been written.
  struct Output {
    var swift = ""
    var shim = ""
    var moduleMap = ""
    /// The sites that no code is written for, and why.
    var skipped: [(key: String, reason: String)] = []
    var names: [String: String] = [:]
    /// The functions that make objects with others that can be closed.
    var dependent: Set<String> = []
    /// The sites that your code registers, always with a `ForeignCallback`.
    var hooks: Set<String> = []
    /// The calls that end registrations, by the sites.
    var endings: [String: Ending] = [:]
    /// The other Swift files, with their names: of a whole library.
    var files: [(name: String, text: String)] = []
    /// The functions of C that have a Swift function, and the reasons for which others have none.
    var functions: [String] = []
    /// Those of them that the code calls itself, such as the ones that free objects.
    var called: Set<String> = []
    var unwrapped: [(function: String, why: Unwrapped)] = []
    /// The lines for pointers of callbacks that have been obeyed, and the pointers for which one would help.
    var arguments: Set<String> = []
    var openArguments: [String] = []
    /// The parameters that callbacks get from C and Swift does not import.
    var omitted: [(key: String, parameter: String)] = []
    /// The functions with callbacks whose other pointers have been looked at.
    var described: Set<String> = []
    /// Why pointers of functions with callbacks stay pointers, if a line would help.
    var open: [(function: String, why: Unwrapped)] = []
    /// What only names say of pointers: the keys of their lines of the choices, and what these would say.
    var assumed: [(key: String, line: String)] = []
    /// Who frees what functions give, if only comments say it: the lines, and the sentences.
    var freed: [(key: String, line: String, sentence: String)] = []
    /// The fields of structs for which a line has been obeyed, and those for which one would help.
    var fields: Set<String> = []
    var openFields: [String] = []

    /// Notes the decisions about memory of a function that is written.
    mutating func assume(_ assumptions: [Assumption], _ function: String) {
      for assumption in assumptions {
        let key = assumption.why.key(function)
        if let sentence = assumption.sentence {
          freed.append((key, assumption.line, sentence))
        } else {
          assumed.append((key, assumption.line))
        }
      }
    }
  }
}
