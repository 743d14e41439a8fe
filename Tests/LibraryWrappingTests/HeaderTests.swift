import Foundation
import Testing

@testable import LibraryWrapping

/// Headers that are written for these tests.
@Suite("Headers")
struct HeaderTests {
  /// A temporary directory with files. It is removed when the value is destroyed.
  struct Folder: ~Copyable {
    let path: String

    init(_ files: [String: String], in directory: URL = FileManager.default.temporaryDirectory) throws {
      path = directory.appendingPathComponent("wrap-\(UUID().uuidString)").path
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      for (name, text) in files { try text.write(toFile: path + "/" + name, atomically: true, encoding: .utf8) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  @Test(arguments: ["/tmp", "/var/tmp"]) func `the order of the sites does not depend on where a header is`(
    _ directory: String
  ) throws {
    let folder = try Folder(
      ["own.h": "void f(void (*g)(void *), void *context);"], in: URL(fileURLWithPath: directory))
    var options = HeaderOptions()
    options.headers = ["search.h", folder.path + "/own.h"]
    let headers = SiteFinder.sites(of: Library(try Headers(options))).map { $0.header.split(separator: "/").last }
    #expect(headers.first == "own.h" && headers.last == "search.h")
  }

  private func sites(_ header: String, _ defines: [String] = []) throws -> [String: ClassifiedSite] {
    let folder = try Folder(["library.h": header])
    var options = HeaderOptions()
    options.headers = [folder.path + "/library.h"]
    options.defines = defines
    let sites = Classifier.classify(Library(try Headers(options)))
    return Dictionary(sites.map { ($0.site.key, $0) }) { first, _ in first }
  }

  private func run(_ header: String, _ arguments: [String] = [], files: [String: String] = [:]) throws -> (
    String, [String: String]
  ) {
    let folder = try Folder(files.merging(["library.h": header]) { first, _ in first })
    let options = try CommandOptions(
      ["--callbacks", folder.path + "/library.h", "--output", folder.path]
        + arguments.map { $0.replacingOccurrences(of: "@", with: folder.path) })
    let printed = try WrapLibrary.run(options)
    var written: [String: String] = [:]
    for case let name as String in FileManager.default.enumerator(atPath: folder.path) ?? .init() {
      if let text = try? String(contentsOfFile: folder.path + "/" + name, encoding: .utf8) { written[name] = text }
    }
    return (printed, written)
  }

  static func message(_ body: () throws -> Void) -> String {
    do {
      try body()
      return ""
    } catch { return "\(error)" }
  }

  @Test func `all kinds of sites are found`() throws {
    let sites = try sites(
      """
      typedef int base(int);
      typedef base *again;
      typedef again once_more;
      void parameter(once_more f, base decays);
      struct table { int (*field)(void *); union { void (*in_union)(int); int other; }; base *array[4]; };
      extern void (*global)(void);
      void (*result(int))(int);
      typedef void (*nothing_names_it)(char *, void *user);
      void nested(void (*outer)(void *, int (*inner)(int)), void *context);
      void erased(void (*callback)(void));
      void getter(base **out);
      void parameter(once_more f, base decays);
      """)
    let kinds = sites.mapValues { $0.site.kind.rawValue }
    #expect(kinds["parameter/0"] == "parameter")
    #expect(kinds["parameter/1"] == "parameter")
    #expect(kinds["table.field"] == "field")
    #expect(kinds["table.in_union"] == "field")
    #expect(sites["table.array"]?.site.isArray == true)
    #expect(kinds["global"] == "global")
    #expect(kinds["result"] == "result")
    #expect(kinds["nothing_names_it"] == "typedef")
    #expect(kinds["nested/0/1"] == "argument")
    #expect(kinds["erased/0"] == "parameter")
    #expect(sites["getter/0"]?.role.value == .getter)
    #expect(sites["base"] == nil)
  }

  @Test func `contexts are found where they are`() throws {
    let sites = try sites(
      """
      struct object; typedef struct object object;
      struct request { void *data; int status; };
      void first(object *, void (*f)(void *user_data, int), void *user_data);
      void last(object *, void *arg, void (*f)(int, void *arg));
      void middle(object *, int (*f)(int, void *ctx, const char *), void *ctx, void *buffer);
      void many(object *, void (*f)(void **contexts, int count), void *context);
      void member(struct request *, void (*done)(struct request *));
      void none(void (*f)(int));
      void elsewhere(object *, void (*f)(object *, void *opaque));
      void object_set_opaque(object *, void *opaque);
      """)
    func context(_ key: String) -> String? { sites[key]?.context.value.map { "\($0.index)<\($0.registeredBy)" } }
    #expect(context("first/1") == "0<2")
    #expect(context("last/2") == "1<1")
    #expect(context("middle/1") == "1<2")
    #expect(context("many/1") == "0<2")
    #expect(sites["many/1"]?.context.value?.arrival == .array)
    #expect(context("member/1") == "0<.data")
    #expect(context("none/0") == nil)
    #expect(context("elsewhere/1") == "1<object_set_opaque")
  }

  @Test func `a reference count is not an end, and once is only what is told`() throws {
    let sites = try sites(
      """
      struct thing; 
      void thing_unref(struct thing *);
      void thing_listen(struct thing *, void (*f)(void *context), void *context);
      void thing_ask(struct thing *, void (*f)(void *context, int), void *context);
      """)
    #expect(sites["thing_listen/1"]?.endings.value.isEmpty == true)
    #expect(sites["thing_listen/1"]?.life.value == nil)
    #expect(sites["thing_ask/1"]?.life.value != .once)
    #expect(sites["thing_ask/1"]?.certainty == .asked)
  }

  @Test func `the defaults of what is not known are safe`() throws {
    let (_, files) = try run(
      "struct thing; void thing_listen(struct thing *, void (*f)(void *context, int), void *context);")
    let swift = try #require(files["Library/Library.swift"])
    #expect(swift.contains("ForeignCallback<Int32, Void>"))
    #expect(!swift.contains("OnceCallback"))
    #expect(
      files["Library/Library.choices"]?.contains(
        "thing_listen/1 adapter=foreign thread=? end=? buffers=copy name=listens") == true)
    #expect(files["CLibrary/module.modulemap"]?.contains("module CLibrary") == true)
  }

  @Test func `memory with a length is never read as a string, wherever the length is`() throws {
    let (_, files) = try run(
      """
      struct server;
      void server_set_upload(struct server *, int (*f)(void *context, const char *upload_data, unsigned long *upload_data_size), void *context);
      void server_set_part(struct server *, void (*f)(void *context, const char *data, unsigned long long off, unsigned long size), void *context);
      void server_set_text(struct server *, void (*f)(void *context, const char *text, int len), void *context);
      """)
    let swift = try #require(files["Library/Library.swift"])
    #expect(swift.contains("[UInt8](lentBytes(uploadData, uploadDataSize?.pointee ?? 0)), uploadDataSize"))
    #expect(swift.contains("[UInt8](lentBytes(data, size)), off"))
    #expect(swift.contains("String(decoding: lentBytes(text, len), as: UTF8.self)"))
    #expect(!swift.contains("String(cString:"))
  }

  @Test func `what makes an object hands its callback to it, even if a comment says for each`() throws {
    let sites = try sites(
      """
      struct server;
      /* Starts a server. The handler is called for each request. */
      struct server *server_start(int port, void (*handler)(void *context, int), void *context);
      void server_stop(struct server *);
      """)
    #expect(sites["server_start/1"]?.life.value != .scoped)
  }

  @Test func `allocators are known by their shape and by their function's name`() throws {
    let sites = try sites(
      """
      struct context;
      struct context *context_create(void *(*)(unsigned long, void *), void (*)(void *, void *), void *);
      int context_set_memory_management(struct context *, void *(*)(unsigned long, void *), void (*)(void *, void *), void *);
      void set_allocator(void *(*cb)(void *ptr, long size));
      int context_dump(struct context *, int (*writer)(const char *buffer, unsigned long size, void *data), void *data);
      """)
    for key in ["context_create/0", "context_create/1", "context_set_memory_management/1", "set_allocator/0"] {
      #expect(sites[key]?.role.value == .allocator, "\(key)")
    }
    #expect(sites["context_dump/1"]?.life.value == .scoped)
  }

  @Test func `a list of callbacks in a struct is no method of its delegate`() throws {
    let (_, files) = try run(
      """
      typedef int (*packet_callback)(void *user, int type);
      struct packets { unsigned char count; packet_callback *callbacks; void *user; };
      void packets_set(struct packets *);
      """)
    let swift = try #require(files["Library/Library.swift"])
    #expect(swift.contains("public enum PacketsCallbacks"))
    #expect(!swift.contains("setDelegate"))
  }

  @Test func `choices are kept, and take effect`() throws {
    let header = "struct thing; void thing_set_listener(struct thing *, void (*f)(void *context, int), void *context);"
    let line = "thing_set_listener/1 adapter=repeating thread=caller end=thing_set_listener(NULL) name=sounds"
    let (_, files) = try run(header, ["--choices", "@/mine"], files: ["mine": line + "\n"])
    #expect(files["mine"]?.contains(line) == true)
    #expect(files["Library/Library.swift"]?.contains("func sounds() -> Stream<Int32>") == true)
    #expect(files["Library/Library.swift"]?.contains("RepeatingCallback<Int32, Void>") == true)
  }

  @Test(arguments: [
    ("gone/1 skip", "mine:1: The headers have no gone/1."),
    ("f/0 adapter=magic", "mine:1: There is no adapter magic."),
    ("\nf/0 end=g", "mine:2: The headers have no function g."),
    ("f/0 color=red", "mine:1: There is no choice color."),
    ("f/0 magic", "mine:1: magic is no choice. Write NAME=VALUE."),
    ("f/0 thread=magic", "mine:1: There is no thread magic. Choose one of caller, loop, library, user."),
    ("f/0 buffers=magic", "mine:1: buffers is copy or borrow, not magic."),
    ("table.done adapter=scoped", "table.done is no parameter of a function"),
    ("table.asked adapter=once", "table.asked returns a value and can be called again."),
    ("# wrap-library choices 2", "mine:1: The file is of version 2"), ("f/0 end=h(NULL)", "does not end f/0"),
    ("f/0\nf/0", "mine:2: f/0 has been chosen in line 1."),
  ])
  func `a choice that does not fit is an error with its line`(_ text: String, _ expected: String) {
    let message = Self.message {
      _ = try run(
        """
        void f(void (*g)(void *), void *context);
        void h(void);
        struct table { void (*done)(void *context); int (*asked)(void *context); void *context; };
        """, ["--choices", "@/mine"], files: ["mine": text])
    }
    #expect(message.contains(expected), "\(message)")
  }

  @Test func `bad input is said with what to do`() throws {
    #expect(Self.message { _ = try sites("int broken(") }.contains("error: "))
    #expect(Self.message { _ = try sites("#error include <stdio.h> before this") }.contains("name <stdio.h> before"))
    #expect(Self.message { _ = try sites("void f(DIR *);") }.contains("name dirent.h before"))
    #expect(Self.message { _ = try sites("namespace a { class B; }") }.contains("C++"))
    #expect(Self.message { _ = try sites("#include <vector>") }.contains("C++"))
    #expect(Self.message { _ = try Packages.flags(["expat-of-nowhere"]) }.contains("expat-of-nowhere.pc"))
    #expect(Self.message { _ = try CommandOptions(["--nothing"]) }.contains("--nothing"))
    #expect(Self.message { _ = try CommandOptions(["--output"]) } == "--output needs a value. See wrap-library --help.")
    for name in ["mine", "My-Module", "2nd"] {
      #expect(Self.message { _ = try CommandOptions(["--module", name]) }.contains("\(name) is no name for a module."))
    }
    #expect(Self.message { _ = try WrapLibrary.run(try CommandOptions(["--list"])) }.contains("No header is named."))
    #expect(Self.message { _ = try run("", ["--clang", "/nowhere"]) }.contains("There is no /nowhere."))
    #expect(
      Self.message { _ = try run("", ["--clang", "/bin/true"]) }.contains("The output of /bin/true can't be read."))
    // The flags that clang had, and the package that has the file.
    #expect(Self.message { _ = try sites("int broken(", ["COLOR=red"]) }.contains("Flags: -DCOLOR=red"))
    if Packages.apt["rdkafka"] != nil, (try? Packages.flags(["rdkafka"])) == nil {
      let message = Self.message { _ = try Packages.flags(["rdkafka"]) }
      #expect(message.contains("rdkafka.pc") && message.contains("sudo apt-get install librdkafka-dev"))
    }
    let (printed, files) = try run("int nothing(int);")
    #expect(printed.contains("has no callbacks"))
    #expect(files.count == 1)
  }

  @Test func `the printed target searches the directories of the options`() throws {
    let header = "#include <part.h>\nvoid f(callback g, void *context);"
    let part = ["part.h": "typedef void (*callback)(void *);"]
    let (printed, _) = try run(header, ["-I", "@", "-I/usr/include"], files: part)
    #expect(printed.ranges(of: "\"-Xcc\", \"-I").count == 1)
    #expect(printed.contains("swiftSettings: [.unsafeFlags([\"-Xcc\", \"-I/"))
    #expect(printed.contains("\"])]),\nGive the same swiftSettings to each target that imports CLibrary"))
    let (alone, _) = try run("void f(void (*g)(void *), void *context);")
    #expect(alone.hasSuffix("exclude: [\"Library.choices\"]),\n"))
  }

  @Test func `the command in the choices file is the one that wrote it, for any shell`() throws {
    let directory = "it's \"odd\"; *\u{f6}"
    let folder = try Folder([:])
    let path = folder.path + "/" + directory
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try "void f(void (*g)(void *), void *context);".write(toFile: path + "/2nd.h", atomically: true, encoding: .utf8)
    let arguments = ["2nd.h", "-I", path, "-I" + folder.path, "-DX=1", "-D", "Y", "--output", folder.path]
    let options = try CommandOptions(arguments)
    #expect(options.moduleName == "Lib2nd")
    #expect(try CommandOptions(["libssh/callbacks.h"]).moduleName == "LibCallbacks")
    for (package, name) in [
      ("libusb-1.0", "Usb"), ("libsystemd", "Systemd"), ("expat", "Expat"), ("gtk+-3.0", "Gtk"),
      ("lib2nd", "Callbacks1"),
      ("libarchive", "Archive"),
    ] {
      #expect(try CommandOptions(["x/callbacks1.h", "--pkg-config", package]).moduleName == name)
    }
    #expect(
      Self.message { _ = try CommandOptions(["--module", "Callbacks"]) }.contains(
        "Callbacks is the name of another module"))
    #expect(options.headers.includePaths == [path, folder.path] && options.headers.defines == ["X=1", "Y"])
    _ = try WrapLibrary.run(options)
    let choices = try String(contentsOfFile: folder.path + "/Lib2nd/Lib2nd.choices", encoding: .utf8)
    let start = "# Command: wrap-library "
    let line = try #require(choices.split(separator: "\n").first { $0.hasPrefix(start) })
    let read = try #require(
      FinishedProcess.run(["sh", "-c", "printf '%s\\n' \(line.dropFirst(start.count))"]))
    #expect(read.text.split(separator: "\n").map(String.init) == arguments + ["--force"])

    let json = try WrapLibrary.run(try CommandOptions(["--callbacks", "2nd.h", "-I", path, "--json", "--only", path]))
    let list = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
    #expect(list.map { $0["header"] as? String } == [path + "/2nd.h"])
  }

  @Test func `arguments of a callback have different names, whatever the header calls them`() throws {
    let (_, files) = try run("void watch(void (*f)(void *, int argument3, int, int context, int in), void *context);")
    let swift = files["Library/Library.swift"] ?? ""
    #expect(swift.contains("{ argument3, argument33, context4, `in` in"), "\(swift)")
  }

  @Test(arguments: [
    ("set_watch_callback", "watches", "Watch"), ("set_entry_callback", "entries", "Entry"),
    ("set_status_callback", "status", "Status"), ("set_cache_callback", "caches", "Cache"),
    ("set_row_callback", "rows", "Row"),
  ])
  func `the type of an element is the singular of its stream's name`(
    _ function: String, _ stream: String, _ element: String
  ) throws {
    let (_, files) = try run(
      "void \(function)(void (*f)(void *context, int a, int b, int c), void *context);", ["--choices", "@/mine"],
      files: ["mine": "\(function)/0 adapter=repeating thread=caller"])
    let swift = files["Library/Library.swift"] ?? ""
    #expect(swift.contains("func \(stream)() -> Stream<\(element)>"), "\(swift)")
  }

  @Test func `a header without callbacks is no failure, and bad input is one`() throws {
    let folder = try Folder(["library.h": "int nothing(int);", "broken.h": "int broken("])
    #expect(WrapLibrary.run(["--callbacks", folder.path + "/library.h", "--output", folder.path]) == 0)
    #expect(WrapLibrary.run(["--callbacks", folder.path + "/broken.h", "--output", folder.path]) == 1)
    #expect(WrapLibrary.run(["--nothing"]) == 1)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(left) == ["library.h", "broken.h"])
  }

  @Test func `a file that exists is overwritten only by force, and nothing half-written is left`() throws {
    let header = "void f(void (*g)(void *), void *context);"
    let message = Self.message { _ = try run(header, ["--module", "Mine"], files: ["CMine": "in the way"]) }
    #expect(message.contains("can't be written"))
    let folder = try Folder(["library.h": header])
    let options = try CommandOptions(["--callbacks", folder.path + "/library.h", "--output", folder.path])
    _ = try WrapLibrary.run(options)
    #expect(Self.message { _ = try WrapLibrary.run(options) }.contains("--force"))
    _ = try WrapLibrary.run(
      try CommandOptions(["--callbacks", folder.path + "/library.h", "--output", folder.path, "--force"]))
    let left = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
    #expect(!left.contains { $0.contains(".new-") })
  }

  @Test func `two callbacks with one name are an error that names both`() {
    let message = Self.message {
      _ = try run(
        "void f(void (*g)(void *), void *context); void h(void (*g)(void *), void *context);", ["--choices", "@/mine"],
        files: ["mine": "f/0 name=same\nh/0 name=same"])
    }
    #expect(message.contains("h/0 and f/0 both become same"), "\(message)")
  }

  @Test func `the report has all columns`() throws {
    let folder = try Folder(["library.h": "void f(int (*g)(void *, const char *), void *context);"])
    let json = try WrapLibrary.run(try CommandOptions(["--callbacks", folder.path + "/library.h", "--json"]))
    let list = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
    let expected = [
      "header", "line", "kind", "owner", "name", "index", "signature", "context", "life", "thread", "result",
      "arguments", "role",
      "unregister", "certainty", "why",
    ]
    #expect(expected.allSatisfy { list.first?.keys.contains($0) == true })
    let table = try WrapLibrary.run(try CommandOptions(["--callbacks", folder.path + "/library.h", "--list"]))
    #expect(table.contains("f/0"))
  }
}
