/// How a C function becomes a function of Swift: the parameters of both, and what the result means.
struct FunctionPlan {
  /// A parameter of the Swift function.
  struct Parameter {
    var name: String
    var type: String
    /// The number of C's parameter that it is for.
    var index = 0
    /// True if the header has no name for it.
    var isUnnamed: Bool { name.hasPrefix("argument") && name.dropFirst(8).allSatisfy(\.isNumber) }
  }

  /// A value that the Swift function returns.
  struct Result {
    var name: String
    var type: String
    var code: String
    /// The object, and whether the caller owns it.
    var object: (handle: String, isOwned: Bool)?
    /// True if memory has its length already.
    var isWhole = false
    /// True if a number of C answers a question with it.
    var isAnswer = false
    /// The parameter that it comes from, in the key of a line, and the number of elements that it has room for.
    var place = ""
    var limit = ""

    var isOptional: Bool { type.hasSuffix("?") }
  }

  /// What C's own result means.
  enum Outcome {
    case nothing
    /// A number, a truth value, or the constant of an enum. A number that is no failure may be returned.
    case status(FailureRule, Registration.Status, isReturned: Bool)
    /// One of `results`, which is nil for a failure if `isNullFailure`.
    case value(isNullFailure: Bool)
  }

  let function: Library.Function
  /// The parameter that is the object, for a method.
  var objectIndex: Int?
  /// The objects that the call needs: the names of their parameters, and what they are.
  var owners: [(name: String, handle: String)] = []
  /// Those of them that C may use after the call, as long as the object of the method exists.
  var kept: [(name: String, handle: String)] = []
  /// What else C uses after the call: copies of memory, and the context of callbacks.
  var retained: [String] = []
  /// Those of them that C no longer uses after the call.
  var forgotten: [(name: String, handle: String)] = []
  /// Those of them that C takes over, and their classes.
  var givenUp: [(name: String, handle: String)] = []
  /// The objects that C may free or replace, and the variables with the pointers to them.
  var replaced: [(name: String, handle: String, place: String)] = []
  /// The structs of memory and its length that it lends or copies.
  var byteStructs: Set<String> = []
  var parameters: [Parameter] = []
  var arguments: [String] = []
  /// True if C writes characters to the memory that it is lent, and so can end them with a zero.
  var isText = false
  /// Declarations of variables that C writes to.
  var variables: [String] = []
  /// Values whose memory C reads or writes during the call: the closures around it.
  var lending: [String] = []
  /// Statements after the call, while the arguments are lent.
  var inside: [String] = []
  /// What is done with C's result, while the arguments are lent.
  var suffix = ""
  var results: [Result] = []
  var outcome = Outcome.nothing
  /// The variable in which C gives the code of an error, if its result only says that there is one.
  var errorCode: String?
  /// The function that frees C's own result after it has been copied.
  var freeing: String?
  /// The functions that free what C has given through parameters, and the variables.
  var freed: [(function: String, variable: String, isConst: Bool)] = []
  /// The arguments of these functions, with nil for the memory, if they take more than that.
  var freeingArguments: [String: [String?]] = [:]
  /// True if C's result is the number of elements that it has written.
  var countsResult = false
  /// What only names say of pointers, and comments of who frees results.
  var assumptions: [Assumption] = []
  /// Why pointers of a function with callbacks stay as they are.
  var open: [Unwrapped] = []
  /// Checks of the arguments.
  var checks: [String] = []
  /// The type of C's result.
  var resultType = "Void"
  /// Statements between the check and the result.
  var afterwards: [String] = []

  /// Notes that only names say what the function does with memory that it has room for.
  mutating func assume(_ result: Result, _ kind: PointerUse.Kind, used: String? = nil) {
    var use = PointerUse(kind, count: result.limit)
    use.used = used
    assumptions.append(.init(pointer: result.place, line: "memory=\(use.written)"))
  }

  var canFail: Bool {
    // C may have left NULL where it gives an object.
    if results.contains(where: { $0.object?.isOwned == true && $0.code != "result" && !$0.isOptional }) { return true }
    return switch outcome {
    case .nothing: false
    case .status: true
    case .value(let isNullFailure): isNullFailure
    }
  }

  /// The question mark after a parameter that may be nil, or nothing.
  func mark(_ name: String) -> String {
    parameters.contains { $0.name == name && $0.type.hasSuffix("?") } ? "?" : ""
  }

  /// True if all it does is to return an owned object.
  var makes: String? {
    guard results.count == 1, let object = results[0].object, object.isOwned, !results[0].isOptional else { return nil }
    return object.handle
  }
}

/// A decision about memory that nothing but names or a sentence of a comment says.
struct Assumption {
  /// The pointer, or nothing for an object that the function gives.
  var pointer: String
  /// The line of the choices that says the same.
  var line: String
  /// The sentence that says who frees it, or nil.
  var sentence: String?

  /// True if C's memory is not freed, so that a wrong decision is a leak at worst.
  var isSafe: Bool { line == "owns=no" }

  /// The reason for which a function is skipped that must not depend on it.
  var why: Unwrapped {
    let reason =
      sentence == nil
      ? "Only names say what it does with a pointer." : "Only the comment says that the program frees its result."
    return Unwrapped(reason, pointer, line)
  }
}

/// A reason for which a function has no Swift function.
struct Unwrapped: Error {
  var reason: String
  /// The part of the function that it is about.
  var detail: String
  /// True if a choice contradicts the header.
  var isContradiction = false
  /// The number of the parameter that it is about.
  var index: Int?

  /// The choices that would decide it, if `detail` is a pointer.
  var choices: String

  /// The key of a line with the choices.
  func key(_ function: String) -> String { detail.isEmpty ? function : "\(function)/\(detail)" }

  init(_ reason: String, _ detail: String = "", _ choices: String = "") {
    self.reason = reason
    self.detail = detail
    self.choices = choices
  }
}
