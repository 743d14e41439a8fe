import Foundation
import Testing

@testable import LibraryWrapping

/// The generated code compiles although names in C stand for something else in Swift.
@Suite("Compilation of names", .enabled(if: Built.canRun))
struct NameCompilationTests {
  @Test func `a member with the name of a C function calls the one of C`() throws {
    let header = """
      static inline int walk(int count, int (*f)(int number, void *data), void *data) {
        for (int number = 1; number <= count; number++) if (f(number, data)) return number;
        return 0;
      }
      """
    let program = """
      import Library

      print(try LibraryLibrary.walk(3) { $0 == 2 ? 1 : 0 })
      """
    let folder = try HeaderTests.Folder([
      "library.h": header, "main.swift": program, "choices": "walk/1 adapter=scoped thread=caller end=? name=walk\n",
    ])
    _ = try WrapLibrary.run(
      try CommandOptions([
        "--callbacks", folder.path + "/library.h", "--output", folder.path, "--choices", folder.path + "/choices",
        "--force",
      ]))
    try Built.compile("Library", in: folder.path)
    #expect(try Built.run("main.swift", with: "Library", in: folder.path, []) == "2\n")
  }

  @Test(
    arguments: [
      ["Int32", "Error", "Stream"], ["UInt8", "String", "Sendable"], ["Void", "OpaquePointer", "ForeignCallback"],
      ["Int", "Hashable", "UnsafePointer"], ["Double", "OptionSet", "Value"],
      ["Bool", "CustomStringConvertible", "Element"],
    ]) func `types in C with the names of types that generated code uses`(_ names: [String]) throws
  {
    let types = names.map { "typedef struct { int x; unsigned char y; double z; const char *s; } \($0);" }
    let uses = names.map { "static inline int thing_use_\($0)(thing *t, const \($0) *v) { return v->x; }" }
    let header = """
      #include <stdint.h>
      #include <stdlib.h>
      \(types.joined(separator: "\n"))
      typedef struct thing thing;
      enum thing_flags { THING_FLAG_A = 1, THING_FLAG_B = 2, THING_FLAG_C = 4 };
      static inline thing *thing_new(void) { return (thing *)malloc(1); }
      static inline void thing_free(thing *t) { free(t); }
      static inline int thing_set_name(thing *t, const char *name) { return name ? 0 : -1; }
      static inline const char *thing_title(thing *t) { return "title"; }
      static inline int thing_write(thing *t, const uint8_t *buf, size_t len) { return (int)len; }
      static inline int thing_set_flags(thing *t, enum thing_flags f) { return f; }
      static inline void thing_set_cb(thing *t, void (*f)(thing *t, int i, double d, const char *s, void *u), void *u) {}
      static inline int thing_on(thing *t, int (*f)(void *u, const \(names[0]) *v, const uint8_t *data, size_t n), void *u) {
        return 0;
      }
      \(uses.joined(separator: "\n"))
      """
    let program = """
      import Library

      let thing = try Thing()
      print(thing.title ?? "?", try thing.write([1, 2, 3].span))
      """
    let folder = try HeaderTests.Folder(["library.h": header, "main.swift": program])
    _ = try WrapLibrary.run(
      try CommandOptions([folder.path + "/library.h", "--output", folder.path, "--module", "Library", "--force"]))
    try Built.compile("Library", in: folder.path)
    #expect(try Built.run("main.swift", with: "Library", in: folder.path, []) == "title 3\n")
  }

  /// Each header, and what the choices say of the function or callback that Swift code can't use.
  @Test(
    arguments: [
      ("/** One.\\r\\n * Two. */\\r\\nint first(int a);\\r\\n", "first", nil),
      ("enum state { init, self, Type, x }; int print_all(enum state s);", "print_all", nil),
      ("typedef struct kw kw; kw *kw_new(void); void kw_free(kw *k); int kw__(kw *k);", "kw__", nil),
      ("struct foo { int a; }; int foo(struct foo *f, int x);", "foo", nil),
      ("__attribute__((noreturn)) int leave(void);", "leave", "It never returns."),
      ("_Noreturn void leave(void);", "leave", "It never returns."),
      ("int old(int) __attribute__((unavailable));", "old", "unavailable"),
      ("int old(int a) __attribute__((swift_name(\"other(bar:)\")));", "old", "another name"),
      ("int old(int a) __attribute__((swift_private));", "old", "another name"),
      ("double _Complex wave(void);", "wave", "Swift does not import"),
      ("void on_wave(double _Complex (*cb)(void *), void *ctx);", "on_wave", "Swift does not import"),
      ("void on_map(void (*cb)(int m[2][2], void *), void *ctx);", "on_map", nil),
      ("int $_f(int a);", "$_f", "no such names"),
      (
        "typedef struct tag { int a; } tag; typedef struct doc doc; int doc_start(doc *d, tag *tags_start, tag *tags_end);",
        "doc_start", "It takes an array."
      ),
      (
        """
        typedef struct thing thing; typedef void *(*thing_malloc)(thing *t, unsigned long size);
        typedef void (*thing_free)(thing *t, void *p);
        void thing_set_mem_fn(thing *t, void *mem_ptr, thing_malloc m, thing_free f);
        """, "thing_set_mem_fn", "An allocator"
      ),
    ] as [(String, String, String?)])
  func `what Swift can't call is left out, and the rest compiles`(_ header: String, _ name: String, _ reason: String?)
    throws
  {
    let library = SmallLibrary(header: header.replacing("\\r\\n", with: "\r\n"))
    let (code, choices) = try library.written(["--thread", "caller"])
    let printed = code.contains("C: `\(name)`")
    if let reason {
      #expect(!printed)
      let isListed = choices.split(separator: "\n").contains { $0.contains(name) && $0.contains(reason) }
      #expect(isListed || reason == "An allocator" || header.contains("ctx"), "\(choices)")
    } else {
      #expect(printed)
    }
  }

  @Test func `a member with the name of an enum makes values of the enum`() throws {
    let library = SmallLibrary(
      header: """
        typedef struct conn conn;
        enum state { STATE_IDLE = 0, STATE_BUSY = 1 };
        typedef enum mode { MODE_SLOW, MODE_FAST } mode;
        typedef struct bar door;
        struct bar { int a; };
        struct door { int b; };
        conn *conn_new(void);
        void conn_free(conn *c);
        enum state conn_state(const conn *c);
        void conn_set_state(conn *c, enum state s);
        mode conn_mode(const conn *c);
        void conn_set_mode(conn *c, mode m);
        int conn_open(conn *c, struct door d);
        """,
      source: """
        #include <stdlib.h>
        struct conn { enum state state; mode mode; };
        conn *conn_new(void) { return calloc(1, sizeof(conn)); }
        void conn_free(conn *c) { free(c); }
        enum state conn_state(const conn *c) { return c->state; }
        void conn_set_state(conn *c, enum state s) { c->state = s; }
        mode conn_mode(const conn *c) { return c->mode; }
        void conn_set_mode(conn *c, mode m) { c->mode = m; }
        int conn_open(conn *c, struct door d) { return d.b; }
        """)
    let text = try library.run(
      """
      let conn = try Conn()
      conn.setState(.busy)
      conn.setMode(.fast)
      print(conn.state == .busy, conn.mode == .fast)
      """)
    #expect(text == "true true\n")
    // Swift can't tell the two doors apart.
    #expect(try library.written().choices.contains("conn_open"))
  }

  @Test func `names in C that Swift or the generated code uses itself`() throws {
    let header = """
      #include <stdlib.h>
      typedef struct part part;
      static inline part *part_new(void) { return (part *)malloc(1); }
      static inline void part_free(part *p) { free(p); }
      static inline int part_watch(part *p, void (*fn)(void *user, int in, int inout), void *user) {
        fn(user, 1, 2);
        return 0;
      }
      static inline void part_unwatch(part *p, int id) {}
      static inline int part_hear(part *p, void (*fn)(void *self, int await, int let), void *self) {
        fn(self, 3, 4);
        return 0;
      }
      static inline void part_unhear(part *p, int id) {}
      static inline int part_feel(part *p, void (*fn)(void *user, int inlet, int observer, int var), void *user) {
        fn(user, 5, 6, 7);
        return 0;
      }
      static inline void part_unfeel(part *p, int id) {}
      typedef struct { void *self; void (*opened)(void *self, int id); } part_events;
      static inline void part_set_events(part *p, const part_events *events) { events->opened(events->self, 8); }
      """
    let program = """
      import CLibrary
      import Headwater
      import Library

      let part = Part(part_new()!)
      if let element = try Loop.main.run(until: part.watches()) { print(element.in, element.inout) }
      if let element = try Loop.main.run(until: part.hears()) { print(element.await, element.let) }
      if let element = try Loop.main.run(until: part.feels()) { print(element.inlet, element.observer, element.var) }
      final class Printer: EventsDelegate {
        func opened(_ id: Int32) { print(id) }
      }
      var events = part_events()
      let callback = events.setDelegate(Printer())
      part_set_events(part.pointer, &events)
      withExtendedLifetime(callback) {}
      """
    for thread in ["caller", "library"] {
      let choices = ["watch", "hear", "feel"].map { "part_\($0)/1 thread=\(thread) name=\($0)s\n" }
      let folder = try HeaderTests.Folder([
        "library.h": header, "main.swift": program,
        "choices": choices.joined().replacing("watchs", with: "watches"),
      ])
      _ = try WrapLibrary.run(
        try CommandOptions([
          "--callbacks", folder.path + "/library.h", "--output", folder.path, "--choices", folder.path + "/choices",
          "--force",
        ]))
      try Built.compile("Library", in: folder.path)
      #expect(try Built.run("main.swift", with: "Library", in: folder.path, []) == "1 2\n3 4\n5 6 7\n8\n")
    }
  }

  @Test func `an enum with the name of its Swift type, an end that is called end, and a function that returns twice`()
    throws
  {
    let (code, choices) = try SmallLibrary(
      header: """
        typedef struct jk jk;
        jk *jk_new(void);
        void jk_free(jk *j);
        enum JkOptions { JkNone, JkOne = 1, JkTwo = 2 };
        typedef enum JkOptions jk_options_t;
        int jk_use(jk *j, jk_options_t o);
        jk_options_t jk_get_options(jk *j);
        typedef struct jk_iter jk_iter;
        typedef struct jk_dev jk_dev;
        jk_iter *jk_iter_begin(jk *j);
        void jk_iter_end(jk_iter *i);
        int jk_next(jk_iter *i, jk_dev **dev);
        struct utimbuf;
        int jk_touch(jk *j, struct utimbuf *times);
        __attribute__((returns_twice)) int jk_split(jk *j);
        """
    ).written(choices: "* thread=caller")
    #expect(code.contains("func iterEnd()"), "\(code)")
    #expect(choices.contains("\n# jk_split: It returns twice"), "\(choices)")
  }
}
