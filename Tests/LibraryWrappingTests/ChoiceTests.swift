import Foundation
import Testing

@testable import LibraryWrapping

/// The effect of the lines of a choices file on the generated code.
@Suite("Choices")
struct ChoiceTests {
  private let header = """
    struct thing;
    void thing_set_listener(struct thing *, void (*f)(struct thing *, void *context, int), void *context);
    void thing_set_other(struct thing *, void (*f)(void *context, const char *text), void *context);
    """

  private func written(_ header: String, _ choices: String, _ arguments: [String] = ["--callbacks"]) throws -> (
    swift: String, choices: String
  ) {
    let folder = try HeaderTests.Folder(["library.h": header, "mine": choices])
    _ = try WrapLibrary.run(
      try CommandOptions(
        [folder.path + "/library.h", "--output", folder.path, "--choices", folder.path + "/mine"] + arguments))
    return (
      try Built.code("Library", in: folder.path),
      try String(contentsOfFile: folder.path + "/mine", encoding: .utf8)
    )
  }

  @Test func `a handler gets the object and the names that were chosen`() throws {
    let (swift, _) = try written(
      header, "thing_set_listener/1 as=handler arguments=thing,level name=onSound\nthing_set_other/1 skip")
    #expect(
      swift.contains("func onSound(_ body: @escaping @Sendable (_ thing: OpaquePointer?, _ level: Int32) -> Void)"))
    #expect(!swift.contains("Stream<"))
  }

  @Test func `lines may end with a return, and begin with a mark of UTF 8`() throws {
    let lines = ["# wrap-library choices 1", "thing_set_other/1 name=texts", "* skip"]
    #expect(try written(header, lines.joined(separator: "\r\n")).swift.contains("func texts("))
    #expect(try written(header, "\u{FEFF}" + lines.joined(separator: "\n")).swift.contains("func texts("))
  }

  @Test(arguments: ["name=", "name=a(b)", "name=1x", "name=a-b", "name=\u{FFFD}", "arguments=a;b", "arguments=a,1"])
  func `a name that Swift does not have is an error`(_ choice: String) {
    #expect(throws: WrappingError.self) { try Choices("thing_set_other/1 \(choice)", path: "mine") }
  }

  @Test(arguments: ["out[n/0]", "out[99999999999]", "text[n-²]"])
  func `a number of elements that cannot be computed is an error`(_ memory: String) {
    #expect(throws: WrappingError.self) { try PointerUse(memory) }
  }

  @Test func `sites without a line are skipped if the rest is, and get no line`() throws {
    let (swift, choices) = try written(header, "* skip\nthing_set_other/1 name=texts")
    #expect(swift.contains("func texts("))
    #expect(!swift.contains("thing_set_listener"))
    #expect(choices.contains("* skip\nthing_set_other/1 name=texts\n"))
    #expect(!choices.contains("thing_set_listener"))
    #expect(choices.contains("# Command: wrap-library "))
  }

  @Test func `the longest beginning of a name decides, and a line of its own before that`() throws {
    let header = """
      struct thing;
      void thing_set_listener(struct thing *, void (*f)(void *context, int), void *context);
      void thing_set_other(struct thing *, void (*f)(void *context, const char *text), void *context);
      struct thing *thing_new(void);
      void thing_free(struct thing *);
      int thing_size(const struct thing *);
      int thing_depth(const struct thing *);
      int other_size(const struct thing *);
      """
    let choices = "* skip\nthing_* thread=caller\nthing_set_* skip\nthing_set_other/1 name=texts\nthing_depth skip"
    let (swift, written) = try written(header, choices, [])
    for name in ["func texts(", "class Thing", "var size"] { #expect(swift.contains(name), "\(name)") }
    for name in ["thing_set_listener", "thing_depth", "other_size"] { #expect(!swift.contains(name), "\(name)") }
    #expect(
      written.contains(
        "\n* skip\nthing_* thread=caller\nthing_set_* skip\nthing_set_other/1 name=texts\nthing_depth skip\n"))
    #expect(!written.contains("other_size"))
  }

  @Test func `borrowed buffers stay pointers, and a closure copies what it needs`() throws {
    let (swift, _) = try written(header, "* skip\nthing_set_other/1 buffers=borrow")
    #expect(swift.contains("copying copy: @escaping @Sendable (_ text: UnsafePointer<CChar>?) -> Element"))
  }

  @Test(arguments: [
    ("* adapter=once", "adapter=once is no choice for several sites. The line * takes skip, thread=, and fails=."),
    (
      "thing_* name=all", "name=all is no choice for several sites. The line thing_* takes skip, thread=, and fails=."
    ),
    (
      "thin_* skip",
      "The headers have nothing that begins with thin_. Remove the line, or read the header that has it."
    ),
    ("thing_set_other/1 as=table", "as is stream or handler, not table."),
    ("thing_set_other/1 arguments=a,b", "has 1 arguments, and arguments= names 2. Name each: text."),
  ])
  func `what can't be chosen is an error`(_ choices: String, _ expected: String) {
    expectError(header, choices, expected)
  }

  @Test func `a callback that returns a value cannot be a stream`() {
    expectError(
      "struct db; void db_set_filter(struct db *, int (*f)(void *context, int row), void *context);",
      "db_set_filter/1 as=stream", "db_set_filter/1 returns a value, so a closure answers it. Remove as=stream")
  }

  @Test func `a callback that is called during one call cannot be a stream`() {
    expectError(
      "struct db; int db_foreach(struct db *, int (*f)(void *context, const char *row), void *context);",
      "db_foreach/1 adapter=scoped as=stream", "db_foreach/1 returns a value")
    expectError(
      "struct db; int db_foreach(struct db *, void (*f)(void *context, const char *row), void *context);",
      "db_foreach/1 adapter=scoped as=stream", "is called only while db_foreach runs, so a closure receives the calls.")
  }

  @Test func `closing the object, which another function frees, comes before the disposal`() throws {
    let (swift, _) = try written(
      """
      struct db;
      int db_open(struct db *, void *context, int (*opened)(struct db *, void *context),
        int (*closed)(struct db *, void *context));
      int db_close(struct db *);
      int db_free(struct db *);
      """,
      "db_open/2 adapter=repeating thread=caller end=db_close\ndb_open/3 adapter=repeating thread=caller end=db_close")
    #expect(
      swift.contains("`db_close` ends it, and may call for the last time. Call that before you dispose the result."))
  }

  @Test func `a configuration that C takes over is not used at the disposal`() throws {
    let (swift, _) = try written(
      """
      struct conf; struct client;
      void conf_set_opaque(struct conf *, void *opaque);
      void conf_destroy(struct conf *);
      struct client *client_new(int type, struct conf *, char *error, unsigned long size);
      void client_destroy(struct client *);
      void conf_set_delivery_cb(struct conf *, void (*cb)(struct client *, const char *message, void *opaque));
      """, "")
    #expect(swift.contains("conf_set_delivery_cb("))
    #expect(!swift.contains("conf_set_delivery_cb(pointer, nil)"))
    #expect(swift.contains("C destroys it then"))
  }

  private func expectError(_ header: String, _ choices: String, _ expected: String) {
    do {
      _ = try written(header, choices)
      Issue.record("There was no error.")
    } catch { #expect("\(error)".contains(expected), "\(error)") }
  }

  @Test func `callbacks of one function that share its context become one method`() throws {
    let (swift, _) = try written(
      """
      struct archive;
      int archive_open(struct archive *, void *data, int (*opener)(struct archive *, void *data),
        long (*reader)(struct archive *, void *data, const void **buffer), void (*closer)(struct archive *, void *data));
      int archive_close(struct archive *);
      """, "")
    #expect(swift.contains("func `open`("))
    #expect(swift.contains("opener == nil ? nil : {") || swift.contains("opener == nil\n"))
    #expect(swift.contains("throws(LibraryFailure) -> any Disposable"))
    #expect(!swift.contains("public enum ArchiveOpen"))
  }

  @Test func `a hook that has been replaced is not taken away from its successor`() throws {
    let (swift, _) = try written(
      """
      struct db;
      /* Returns the previous context. */
      void *db_commit_hook(struct db *, int (*f)(void *), void *);
      """, "db_commit_hook/1 adapter=lent thread=caller end=db_commit_hook(NULL)")
    #expect(swift.contains("if callback.isEnded { return }"))
  }

  @Test func `the line for the rest does not skip what releases a context that is used`() throws {
    let (swift, _) = try written(
      "struct db; int db_create_order(struct db *, void *context, int (*compare)(void *, int), void (*destroy)(void *));",
      "* skip\ndb_create_order/2 adapter=lent thread=caller name=onOrder")
    #expect(swift.contains("OnOrderCallback.giveBack(context)"))
  }

  @Test func `a call that comes once and is given up is taken back`() throws {
    let (swift, _) = try written(
      "struct db; int db_notify(struct db *, void (*f)(void *), void *context);",
      "db_notify/1 adapter=once thread=caller end=db_notify(NULL) name=notices")
    #expect(swift.contains("db_notify(pointer, nil, nil)\n      callback.disarm()"))
    #expect(!swift.contains("capacity"))
  }

  @Test func `callbacks that a variadic function takes have a C function each, and one for contexts`() throws {
    let folder = try HeaderTests.Folder([
      "library.h": """
      typedef enum { OPTION_WRITER, OPTION_DATA } option;
      typedef struct easy easy;
      typedef unsigned long (*write_callback)(char *bytes, unsigned long size, void *user_data);
      int easy_setopt(easy *object, option name, ...);
      """
    ])
    _ = try WrapLibrary.run(try CommandOptions(["--callbacks", folder.path + "/library.h", "--output", folder.path]))
    let shim = try String(contentsOfFile: folder.path + "/CLibrary/shim.h", encoding: .utf8)
    #expect(
      shim.contains(
        "static inline int wrap_easy_setopt_write_callback(easy *object, option option, write_callback value)"
          + " { return (easy_setopt)(object, option, value); }"), "\(shim)")
    #expect(shim.contains("wrap_easy_setopt(easy *object, option option, void *value)"))
    let swift = try Built.code("Library", in: folder.path)
    #expect(swift.contains("`wrap_easy_setopt_write_callback`"))
  }

  @Test func `a number that stands for a function is a function of the shim`() throws {
    let folder = try HeaderTests.Folder([
      "library.h": """
      typedef void (*release)(void *);
      #define LIBRARY_STATIC ((release)0)
      #define LIBRARY_COPY   ((release)-1)
      #define LIBRARY_OTHER  ((int)-1)
      int library_bind(const void *data, void (*notify)(void *, int), void *context, release r);
      """
    ])
    _ = try WrapLibrary.run(try CommandOptions(["--callbacks", folder.path + "/library.h", "--output", folder.path]))
    let shim = try String(contentsOfFile: folder.path + "/CLibrary/shim.h", encoding: .utf8)
    #expect(shim.contains("static inline release wrap_LIBRARY_COPY(void) { return LIBRARY_COPY; }"))
    #expect(!shim.contains("LIBRARY_OTHER"))
  }

  @Test func `a table with a release owns its delegate, if the calls come from one thread`() throws {
    let header = """
      struct converter {
        void *data;
        int (*convert)(void *data, const char *bytes);
        void (*release)(void *data);
      };
      void library_convert(struct converter *);
      """
    let (swift, _) = try written(header, "converter.convert adapter=lent thread=caller buffers=borrow")
    #expect(swift.contains("mutating func setDelegate(_ delegate: any ConverterDelegate) {"))
    #expect(swift.contains("LentCallback<(any ConverterDelegate)?>"))
    #expect(swift.contains("func convert(_ bytes: UnsafePointer<CChar>?) -> Int32"))
  }

  @Test func `a table of the caller's thread has a delegate that need not be Sendable, and the names that were chosen`()
    throws
  {
    let (swift, _) = try written(
      """
      struct options { void (*state_cb)(void *data, int socket); void *state_cb_data; };
      int library_init(struct options *);
      void library_destroy(void);
      """, "options.state_cb adapter=repeating thread=caller name=stateChanged")
    #expect(swift.contains("public protocol OptionsDelegate {"))
    #expect(swift.contains("func stateChanged(_ socket: Int32)"))
    #expect(swift.contains("-> RepeatingCallback<(any OptionsDelegate)?>"))
  }

  @Test func `a header of one's own is named from beside the shim`() throws {
    let folder = try HeaderTests.Folder(["library.h": "void f(void (*g)(void *), void *context);"])
    let here = FileManager.default.currentDirectoryPath.split(separator: "/").map { _ in ".." }.joined(separator: "/")
    let options = try CommandOptions([
      "--callbacks", here + folder.path + "/library.h", "--output", folder.path + "/Sources",
    ])
    _ = try WrapLibrary.run(options)
    let shim = try String(contentsOfFile: folder.path + "/Sources/CLibrary/shim.h", encoding: .utf8)
    #expect(shim.contains("#include \"../../library.h\""))
  }

  @Test func `what C gives back is C's: a reference that is dropped does not take it away`() throws {
    let (swift, _) = try written(
      """
      struct response;
      struct response *response_from_callback(int (*reader)(void *, char *buffer, unsigned long size), void *context,
        void (*free_callback)(void *));
      void response_destroy(struct response *);
      """, "* skip\nresponse_from_callback/0 adapter=foreign end=response_destroy name=onResponse")
    #expect(swift.contains("callback.lend()"))
    #expect(swift.contains("response_destroy(registration)\n    }"))
  }

  // Disabled under a sanitizer, as those of `ProofTests` are.
  @Test(.enabled(if: Expected.isWanted))
  func `the context of an object is set once by each function that sets it`() throws {
    guard let read = Expected.read["expat"] else { return }
    var writer = SwiftWriter(read.library, read.sites, module: "Expat", link: [], choices: Choices())
    let swift = try writer.write().swift
    #expect(swift.ranges(of: "XML_SetUserData(pointer, callback.context)").count == 1)
  }
  @Test func `an adapter for a callback that your code registers has no effect, and the command says so`() throws {
    let header = "struct thing; typedef void (*watcher)(struct thing *, void *opaque);"
    let folder = try HeaderTests.Folder(["library.h": header, "mine": "watcher adapter=lent name=Watcher"])
    let options = [
      "--callbacks", folder.path + "/library.h", "--output", folder.path, "--choices", folder.path + "/mine", "--force",
    ]
    #expect(try WrapLibrary.run(try CommandOptions(options)).contains("check watcher: adapter=lent has no effect"))
    let (_, choices) = try written(header, "")
    #expect(choices.contains("watcher adapter=foreign "))
  }
  @Test func `a comparison without a context has a slot, and its adapter is the chosen one`() throws {
    let (swift, _) = try written(
      """
      #include <stddef.h>
      struct val { size_t mv_size; void *mv_data; };
      struct database;
      int database_set_compare(struct database *, int (*compare)(const struct val *a, const struct val *b));
      """, "database_set_compare/1 adapter=repeating thread=caller name=onCompare")
    #expect(swift.contains("RepeatingCallback<UnsafePointer<val>?, UnsafePointer<val>?, Int32>"))
    #expect(swift.contains("guard let context = databaseSetCompareSlot.context"))
    #expect(swift.contains("C passes no context, so there is one registration in a process."))
    #expect(!swift.contains("pointee.mv_data"))
  }

  @Test func `the field for the context of a function that your code registers is named`() throws {
    let (swift, _) = try written(
      "struct node { void *user_data; }; typedef void (*visitor)(struct node *);", "")
    #expect(swift.contains("store the `context` of a `Callback` in the field `user_data`"))
  }
  @Test func `a request is not canceled after its answer`() throws {
    let header = """
      struct dns; struct dns_query;
      struct dns_query *dns_submit_name(struct dns *, const char *name,
        void (*answer)(struct dns *, void *result, void *data), void *data);
      int dns_cancel(struct dns *, struct dns_query *q);
      """
    let sites = try DecisionTests.sites(header)
    #expect(sites["dns_submit_name/2"]?.life.value == .once)
    #expect(sites["dns_submit_name/2"]?.life.certainty == .inferred)
    #expect(DecisionTests.endings(sites["dns_submit_name/2"]) == ["dns_cancel"])
    let (swift, choices) = try written(header, "")
    #expect(swift.contains("OnceCallback<UnsafeMutableRawPointer?, Void>"))
    #expect(swift.contains("inlet.finish()"))
    #expect(swift.contains("_ = dns_cancel(pointer, registration)"))
    #expect(swift.contains("The names in the header suggest that the library calls once."))
    #expect(choices.contains("dns_submit_name/2 adapter=once "))
  }
  @Test func `a context that has another name than the callback's is asked, and the code says what to check`() throws {
    let header = """
      struct session;
      struct provider { long (*read)(struct session *, char *buffer, unsigned long length, void *user_data); };
      int session_client_new(struct session **, void *user_data);
      int submit_request(struct session *, const struct provider *, void *stream_user_data);
      """
    let sites = try DecisionTests.sites(header)
    #expect(DecisionTests.context(sites["provider.read"]) == "3<session_client_new")
    #expect(sites["provider.read"]?.certainty == .asked)
    let (swift, _) = try written(header, "")
    #expect(swift.contains("The header does not say which function takes the context of these functions."))
    #expect(!swift.contains("`submit_request`"))
  }

  @Test func `a counted reference is dropped after the call, too, and what the call has ended is not`() throws {
    func swift(_ end: String) throws -> String {
      let header = """
        struct bus; struct slot;
        int bus_call_async(struct bus *, struct slot **slot, int (*f)(int reply, void *userdata), void *userdata);
        void \(end)(struct slot *);
        """
      return try written(header, "bus_call_async/2 adapter=once thread=caller end=\(end) name=reply").swift
    }
    let counted = try swift("slot_unref")
    #expect(counted.contains("slot_unref(registration)"))
    #expect(!counted.contains("if callback.isEnded { return }"))
    #expect(try swift("slot_cancel").contains("if callback.isEnded { return }"))
  }
}
