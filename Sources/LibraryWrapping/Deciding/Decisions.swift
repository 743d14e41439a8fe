/// How sure a decision is.
enum Certainty: String, Comparable {
  /// Neither the header nor its comments decide: the safe default is taken.
  case asked
  /// Concluded from names, types, and other functions.
  case inferred
  /// The header or a comment says so.
  case told

  static func < (left: Certainty, right: Certainty) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .asked: 0
    case .inferred: 1
    case .told: 2
    }
  }
}

/// The purpose of a pointer to a function.
enum Role: String {
  case callback
  /// Ends the life of another callback's context, or of data.
  case release
  case getter
  case key
  case allocator
  case plugin
  case given
  case signal
  case realtime
  case reserved
  case checked
  case freeing

  /// True if code is written for it, by itself or as a part of another callback.
  var isWrapped: Bool { self == .callback || self == .release }

  var reason: String {
    switch self {
    case .callback, .release: ""
    case .getter: "C gives this function to the caller."
    case .key: "The function is only compared with registered ones."
    case .allocator: "An allocator runs below Swift's own memory management."
    case .plugin: "An entry point of a plug-in is found by its symbol."
    case .given: "C hands this function to your code."
    case .signal: "Swift must not run in a signal handler. Use Operation.signal."
    case .freeing: "It frees its object, which the class or the program frees."
    case .reserved: "The field is reserved."
    case .checked: "An inline function of the header only returns, compares, or casts it."
    case .realtime: "Swift must not run on a real-time thread, because it allocates and locks."
    }
  }
}

/// The place at which a callback finds its context.
struct Context: Equatable {
  enum Arrival: Equatable {
    case parameter
    /// An array of contexts.
    case array
    /// Behind a pointer: `void **`.
    case indirect
    /// A field of the struct that the parameter points to.
    case member(String)
    /// A function that is called with the parameter.
    case accessor(String)
  }
  enum Registration: Equatable {
    /// A parameter of the registering function.
    case parameter(Int)
    /// Another function, and its parameter.
    case function(String, Int)
    /// A field of the struct that has the callback, or of the object.
    case field(String)
    case unknown
  }
  /// The parameter of the callback.
  var index: Int
  var arrival: Arrival
  var registration: Registration

  /// True if the callback gets it as an argument of its own.
  var isArgument: Bool { arrival == .parameter || arrival == .indirect }

  var registeredBy: String {
    switch registration {
    case .parameter(let index): "\(index)"
    case .function(let name, _): name
    case .field(let path): "." + path
    case .unknown: "?"
    }
  }
}

/// The moment at which C releases the context, with the codes of Docs/Reference/CallbackAdapters.md.
enum Life: String {
  case once = "E1"
  case destroyNotify = "E2"
  case closed = "E3"
  case returned = "E4"
  case terminalCall = "E5"
  case silent = "E6"
  case inFlight = "E7"
  case scoped = "E8"
  case process = "E9"

  var words: String {
    switch self {
    case .once: "one call"
    case .destroyNotify: "until a destroy function is called"
    case .closed: "until a close callback"
    case .returned: "until the next registration"
    case .terminalCall: "until its last call"
    case .silent: "until unregistered"
    case .inFlight: "a call may come late"
    case .scoped: "during one call"
    case .process: "forever"
    }
  }
}

enum CallingThread: String {
  case caller = "T1"
  case loop = "T2"
  case library = "T3"
  case signal = "T4"
  case user = "T5"

  var words: String {
    switch self {
    case .caller: "caller"
    case .loop: "loop"
    case .library: "library"
    case .signal: "signal handler"
    case .user: "user"
    }
  }
}

enum ResultUse: String {
  case none = "R0"
  case verdict = "R1"
  case count = "R2"
  case comparison = "R3"
  case memory = "R4"
  case filled = "R5"

  var words: String {
    switch self {
    case .none: "nothing"
    case .verdict: "decision"
    case .count: "count or code"
    case .comparison: "comparison"
    case .memory: "memory"
    case .filled: "filled buffer"
    }
  }
}

enum Validity: String {
  case value = "V1"
  case borrowed = "V2"
  case owned = "V3"
  case chunk = "V4"
  case variadic = "V5"
}

/// A function that ends a callback's life.
struct Ending: Equatable {
  /// True if it destroys the object that a configuration has become. C has taken the configuration over by then.
  var isOfMadeObject = false
  var function: String
  var withNull: Bool
}

/// A decision, how sure it is, and why.
struct Decision<Value> {
  var value: Value
  var certainty: Certainty
  var why: String

  init(_ value: Value, _ certainty: Certainty, _ why: String) {
    self.value = value
    self.certainty = certainty
    self.why = why
  }
}

/// All that is decided about a site.
struct ClassifiedSite {
  var site: Site
  var role: Decision<Role>
  var context: Decision<Context?>
  var life: Decision<Life?>
  /// The callback of the same function or struct that ends this one's life: a destroy notify.
  var releasedBy: String?
  /// The parameter of the callback that marks the last call: E5.
  var lastCall: Int?
  var thread: Decision<CallingThread?>
  var result: Decision<ResultUse>
  var arguments: [Validity]
  var endings: Decision<[Ending]>
  /// The results of the registering function that mean a failure. Nil if the site is not a parameter of a function.
  var fails: Decision<FailureRule>?

  /// The certainty of the least certain decision behind the adapter.
  var certainty: Certainty {
    role.value == .callback ? min(role.certainty, context.certainty, life.certainty) : role.certainty
  }
}
