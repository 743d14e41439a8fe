import Foundation
import Testing

@testable import LibraryWrapping

/// Which results of the registering function mean a failure.
@Suite("Failures")
struct FailureTests {
  private let register = "(struct l *, void (*f)(void *context), void *context);\n"

  private func decision(_ before: String, _ result: String = "int", comment: String = "") throws -> Decision<
    FailureRule
  > {
    let text = comment.isEmpty ? "" : "/* \(comment) */\n"
    let sites = try DecisionTests.sites("struct l;\n\(before)\n\n\(text)\(result) l_add\(register)")
    return try #require(sites["l_add/1"]?.fails)
  }

  @Test(arguments: [
    ("Returns 0 on success, or a negative errno-style error code.", FailureRule.negative),
    ("@return On failure, returns -1 and sets errno.", .negative), ("Return < 0 in case of an error.", .negative),
    ("Returns 1 if there is more, 0 at the end, and a negative value on error.", .negative),
    ("Returns 1 on success, negative on failure.", .negative),
    ("\\returns 0 on success, or a LIBUSB_ERROR code less than 0", .negative),
    ("Returns 0 on success.", .nonzero), ("@return zero if successful, and an error code otherwise", .nonzero),
    ("Returns non-zero on error.", .nonzero), ("A result != 0 if an error has occurred.", .nonzero),
    ("Returns:\n *   MOSQ_ERR_SUCCESS - on success.\n *   MOSQ_ERR_INVAL - if the input is invalid.", .nonzero),
    ("Returns 1 on success and 0 on error.", .zero), ("Returns 1 for success or 0 for failure.", .zero),
    ("\\return nonzero on success", .zero), ("Returns zero on failure.", .zero),
    ("Returns true on success, or -1 if it has no memory.", .zero), ("This never fails.", .never),
  ])
  func `comments`(_ comment: String, _ rule: FailureRule) throws {
    let decision = try decision("", comment: comment)
    #expect(decision.value == rule)
    #expect(decision.certainty == .told)
  }

  @Test(arguments: [
    (
      "#define L_TRUE 1\n#define L_FALSE 0\nenum l_err { L_ERR_NONE = 0, L_ERR_IO = 1, L_ERR_PARSE = 2 };", "int",
      .zero,
      .inferred
    ),
    // Without evidence, a number that is not negative must not undo a success.
    ("", "int", FailureRule.negative, Certainty.asked), ("", "void", .never, .told),
    ("", "unsigned", .never, .inferred),
    ("struct w;", "struct w *", .null, .inferred), ("typedef int l_bool;", "l_bool", .zero, .inferred),
    ("enum { L_OK = 0, L_ERROR_IO = -1, L_ERROR_MEMORY = -2 };", "int", .negative, .inferred),
    ("enum { L_OK, L_ERROR_IO = 1, L_ERROR_MEMORY = 2, };", "int", .negative, .asked),
    ("enum { L_OK = 0, L_ERROR_IO = 1, L_ERROR_MEMORY = 2 };", "int", .nonzero, .inferred),
    ("#define L_OK 0 /* success */\n#define L_ERROR 1\n# define L_ERR_IO 0x2", "int", .nonzero, .inferred),
    ("#define L_ERROR (-1)\n#define L_ERR_IO (-2)", "long", .negative, .inferred),
    ("enum r { R_OK, R_BAD };", "enum r", .nonzero, .inferred),
    ("enum r { R_FAILED, R_DONE };", "enum r", .zero, .inferred),
    ("enum r { R_NO_ERROR, R_BAD };", "enum r", .nonzero, .inferred),
    ("/* Returns 1 on success. */\nint l_a(void);\n/* Returns 0 on error. */\nint l_b(void);", "int", .zero, .inferred),
    (
      "/* Returns -1 on error. */\nint l_a(void);\n/* Returns 0 on success. */\nint l_b(void);", "int", .negative,
      .asked
    ),
  ])
  func `types, codes, and the comments of other functions`(
    _ before: String, _ result: String, _ rule: FailureRule, _ certainty: Certainty
  ) throws {
    let decision = try decision(before, result)
    #expect(decision.value == rule)
    #expect(decision.certainty == certainty)
  }

  private static let library = """
    struct bus;
    static inline struct bus *bus_new(void) { static int x; return (struct bus *)&x; }
    static inline int bus_match(struct bus *b, int result, void (*f)(void *context, int n), void *context) {
      (void)b;
      if (result >= 0) f(context, result);
      return result;
    }
    static inline int bus_match_end(struct bus *b, void (*f)(void *context, int n)) { (void)b; (void)f; return 0; }
    """

  /// Registers with the results 1, 0, and -3, and returns what was printed.
  private func run(_ choices: String) throws -> String {
    let folder = try HeaderTests.Folder(["library.h": Self.library, "main.swift": Self.program, "choices": choices])
    let arguments = ["--output", folder.path, "--choices", folder.path + "/choices", "--force"]
    _ = try WrapLibrary.run(try CommandOptions(["--callbacks", folder.path + "/library.h"] + arguments))
    try Built.compile("Library", in: folder.path)
    return try Built.run("main.swift", with: "Library", in: folder.path, [])
  }

  private static let program = """
    import CLibrary
    import Headwater
    import Library

    let bus = Bus(bus_new())
    let bag = DisposeBag()
    for result: Int32 in [1, 0, -3] {
      bus.matches(result).observe { event in
        switch event {
        case .next(let number): print("next \\(number)")
        case .failed(let error): print(error)
        case .completed: print("completed")
        }
      }.dispose(in: bag)
    }
    """

  @Test(.enabled(if: Built.canRun)) func `a success stays registered, and a failure is thrown`() throws {
    let rest = "bus_match/2 adapter=repeating thread=caller end=bus_match_end buffers=copy name=matches"
    func failed(_ code: Int) -> String { "bus_match failed with the code \(code).\n" }
    #expect(try run(rest) == "next 1\nnext 0\n" + failed(-3))
    #expect(try run(rest + " fails=?") == "next 1\nnext 0\n" + failed(-3))
    #expect(try run(rest + " fails=nonzero") == "next 1\n" + failed(1) + "next 0\n" + failed(-3))
    #expect(try run("* fails=zero\n" + rest) == "next 1\nnext 0\n" + failed(0) + failed(-3))
    #expect(try run("* fails=zero\n" + rest + " fails=never") == "next 1\nnext 0\n")
  }

  @Test(arguments: [
    ("Returns 0 on success, < 0 on error.", FailureRule.negative),
    ("@retval 0 on success @retval <0 on failure", .negative),
    ("@return < 0 on failure, >= 0 on success.", .negative), ("Returns 0 on failure.", .zero),
  ])
  func `a number below zero on a failure is not zero on a failure`(_ comment: String, _ rule: FailureRule) {
    #expect(Failures.rule(from: comment) == rule)
  }

  @Test(.enabled(if: Built.canRun))
  func `zero on a success counts nothing that was written`() throws {
    let code = try SmallLibrary(
      header: """
        #include <stddef.h>
        typedef struct host host;
        host *host_new(void);
        void host_free(host *h);
        /** Gives the name of the host. Returns 0 on success, < 0 on failure. */
        int host_get_name(host *h, char *name, size_t name_length);
        """
    ).written(choices: "* thread=caller").code
    #expect(code.contains("throws(LibraryFailure) -> String"), "\(code)")
    #expect(code.contains("if result < 0 {"), "\(code)")
  }
}
