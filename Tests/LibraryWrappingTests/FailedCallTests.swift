import Testing

@testable import LibraryWrapping

/// What generated code does after a function of C has failed.
@Suite("Failed calls", .enabled(if: Built.canRun))
struct FailedCallTests {
  /// A function that gives an object although it fails, with and without a reason to free it.
  private static func depot(_ comment: String = "", _ others: String = "") -> SmallLibrary {
    SmallLibrary(
      header: """
        typedef struct depot depot;
        int depot_alive(void);
        /** \(comment) Returns 0 on success, a positive number on failure. */
        int depot_open(const char *path, depot **out);
        void depot_close(depot *s);
        int depot_size(depot *s);
        \(others)
        """,
      source: """
        #include <stdlib.h>
        #include <string.h>
        struct depot { int size; };
        static int alive;
        int depot_alive(void) { return alive; }
        int depot_open(const char *path, depot **out) {
          if (!*path) return 3;
          *out = calloc(1, sizeof **out);
          alive++;
          return strcmp(path, "bad") ? 0 : 2;
        }
        void depot_close(depot *s) { alive--; free(s); }
        int depot_size(depot *s) { return s->size; }
        const char *depot_errmsg(depot *s) { return "no such depot"; }
        """)
  }
  private static let program = """
    for path in ["good", "bad", ""] {
      do { print(try Depot.open(path).size) } catch { print(error) }
      print(LibraryLibrary.alive())
    }
    """

  @Test func `an object that a failed function gives has the message, and is freed`() throws {
    #expect(
      try Self.depot("", "const char *depot_errmsg(depot *s);").run(Self.program) == """
        0
        0
        depot_open: no such depot
        0
        depot_open failed with the code 3.
        0

        """)
  }

  @Test(arguments: [
    ("Whether or not an error occurs, the depot must be closed.", "", 0),
    ("Even if it fails, pass the depot to depot_close.", "", 0),
    ("", "depot_open owns=always", 0), ("", "", 1), ("Even if it fails, close the path.", "depot_open owns=yes", 1),
    ("The depot is undefined on failure, even if it must be closed later.", "", 1),
  ])
  func `without that, a comment or a choice tells whether it is freed`(
    _ comment: String, _ choices: String, _ left: Int
  )
    throws
  {
    let printed = try Self.depot(comment).run(Self.program, choices: choices)
    #expect(
      printed
        == "0\n0\ndepot_open failed with the code 2.\n\(left)\ndepot_open failed with the code 3.\n\(left)\n")
  }

  /// Statuses that are no codes, as those of expat: the object has the code, and another function describes it.
  private static let reader = SmallLibrary(
    header: """
      typedef struct reader reader;
      enum reader_status { READER_STATUS_ERROR = 0, READER_STATUS_OK = 1 };
      enum reader_error { READER_ERROR_NONE = 0, READER_ERROR_SYNTAX = 4 };
      reader *reader_new(const char *name);
      void reader_free(reader *r);
      enum reader_status reader_parse(reader *r, const char *text);
      enum reader_status reader_configure(const char *text);
      const char *reader_find(reader *r, const char *text);
      enum reader_error reader_get_error_code(reader *r);
      const char *reader_error_string(enum reader_error code);
      """,
    source: """
      #include <stdlib.h>
      struct reader { enum reader_error error; };
      reader *reader_new(const char *name) { return name ? calloc(1, sizeof(reader)) : NULL; }
      void reader_free(reader *r) { free(r); }
      enum reader_status reader_parse(reader *r, const char *text) {
        r->error = text[0] == '<' ? READER_ERROR_NONE : READER_ERROR_SYNTAX;
        return r->error ? READER_STATUS_ERROR : READER_STATUS_OK;
      }
      enum reader_status reader_configure(const char *text) { return READER_STATUS_ERROR; }
      const char *reader_find(reader *r, const char *text) { return text; }
      enum reader_error reader_get_error_code(reader *r) { return r->error; }
      const char *reader_error_string(enum reader_error code) { return code == READER_ERROR_SYNTAX ? "syntax" : "none"; }
      """)

  @Test func `a status that is no code has the text of the object's code, and none without an object`() throws {
    let program = """
      let reader = try Reader(name: "one")
      try reader.parse("<a>")
      do { try reader.parse("a") } catch { print(error, error.code) }
      do { try LibraryLibrary.configure("a") } catch { print(error) }
      do { _ = try Reader(name: nil) } catch { print(error) }
      """
    #expect(
      try Self.reader.run(program) == """
        reader_parse: syntax 4
        reader_configure failed with the code 0.
        reader_new failed with the code 0.

        """)
  }
}

/// The text of -1, which is the number of an error in some libraries and only a failure in others.
@Suite("Failures with -1", .enabled(if: Built.canRun))
struct MinusOneTests {
  private static let source = """
    #include <errno.h>
    #include <string.h>
    int lamp_open(const char *path) { errno = ENOENT; return -1; }
    int lamp_set(int level) { errno = ENOENT; return level; }
    void lamp_describe_errno(int number) {}
    int lamp_get_level(int number) { return number; }
    const char *lamp_strerror(int errnum) { return strerror(errnum); }
    """

  private func run(_ open: String, _ set: String, _ others: String = "") throws -> String {
    try SmallLibrary(
      header: """
        /** \(open) */
        int lamp_open(const char *path);
        /** \(set) */
        int lamp_set(int level);
        \(others)
        """, source: Self.source
    ).run(
      """
      do { try LibraryLibrary.open("/nowhere") } catch { print(error, error.code) }
      do { try LibraryLibrary.set(-1) } catch { print(error) }
      do { try LibraryLibrary.set(-22) } catch { print(error) }
      """)
  }

  @Test func `a function of the library that describes errno gets errno, and not -1`() throws {
    #expect(
      try run("Opens.", "Sets.", "const char *lamp_strerror(int errnum);") == """
        lamp_open: No such file or directory 2
        lamp_set: No such file or directory
        lamp_set: Unknown error -22

        """)
  }

  @Test func `errno has the text if the comment says so, and -1 has none by itself`() throws {
    #expect(
      try run("Returns 0, or -1 on failure, and sets errno.", "Returns 0, or a negative number on failure.") == """
        lamp_open: No such file or directory -1
        lamp_set failed with the code -1.
        lamp_set: Invalid argument

        """)
  }

  @Test func `errno counts for more than a function of the library that describes other numbers`() throws {
    #expect(
      try run(
        "Returns 0, or -1 on failure, and sets errno.", "Returns 0, or a negative number on failure.",
        "const char *lamp_strerror(int code);") == """
          lamp_open: No such file or directory -1
          lamp_set: Unknown error -1
          lamp_set: Unknown error -22

          """)
  }

  @Test func `-1 is the number of an error if a comment or a name says that results are such numbers`() throws {
    let expected = """
      lamp_open: Operation not permitted -1
      lamp_set: Operation not permitted
      lamp_set: Invalid argument

      """
    #expect(try run("Returns a negative errno on failure.", "Returns a negative number on failure.") == expected)
    #expect(
      try run("", "", "void lamp_describe_errno(int number);\nint lamp_get_level(int number);") == expected)
  }

  @Test func `handlers that share a context fail if C does not set them, and the others stay`() throws {
    let library = SmallLibrary(
      header: """
        typedef struct ear ear;
        ear *ear_new(void);
        void ear_free(ear *e);
        /** Sets the handlers. Returns 0, or a negative error. */
        int ear_set_handlers(ear *e, void (*on_sound)(void *data, int pitch), int (*on_ask)(void *data, int n), void *data);
        void ear_refuse(ear *e, int how);
        void ear_hear(ear *e, int pitch);
        """,
      source: """
        #include <stdlib.h>
        struct ear { int refusal; void (*on_sound)(void *, int); int (*on_ask)(void *, int); void *data; };
        ear *ear_new(void) { return calloc(1, sizeof(ear)); }
        void ear_free(ear *e) { free(e); }
        int ear_set_handlers(ear *e, void (*on_sound)(void *, int), int (*on_ask)(void *, int), void *data) {
          if (e->refusal && on_sound) return e->refusal;
          e->on_sound = on_sound; e->on_ask = on_ask; e->data = data;
          return 0;
        }
        void ear_refuse(ear *e, int how) { e->refusal = how; }
        void ear_hear(ear *e, int pitch) {
          int answer = e->on_ask ? e->on_ask(e->data, pitch) : 0;
          if (e->on_sound) e->on_sound(e->data, answer ? answer : pitch);
        }
        """)
    let text = try library.run(
      """
      import Headwater
      let ear = try Ear()
      ear.refuse(-7)
      ear.handlersSounds().observe { print("first", $0) }.dispose()
      do { _ = try ear.onAsk { $0 * 2 } } catch { print(error.function, error.code) }
      ear.hear(1)
      ear.refuse(0)
      let sounds = ear.handlersSounds().observe { print("second", $0) }
      ear.hear(2)
      let double = try ear.onAsk { $0 * 2 }
      ear.hear(3)
      double.dispose()
      ear.hear(4)
      sounds.dispose()
      ear.hear(5)
      """,
      choices: "ear_set_handlers/2 adapter=repeating thread=caller end=ear_set_handlers(NULL) buffers=copy name=onAsk",
      ["--thread", "caller"])
    #expect(
      text == """
        first failed(ear_set_handlers: Argument list too long)
        ear_set_handlers -7
        second next(2)
        second next(6)
        second next(4)

        """)
  }

  @Test func `a number of something is a result, and a deprecated function is not called for the error`() throws {
    let served = try SmallLibrary(
      header: """
        enum post_code { POST_OK = 0, POST_ERR_FULL = 1, POST_ERR_LOST = 2 };
        const char *post_strerror(int code);
        int post_errno(void) __attribute__((deprecated));
        typedef struct post post;
        post *post_new(void);
        void post_free(post *p);
        /** Serves what has come. @returns the number of letters that were served. */
        int post_poll(post *p);
        """,
      source: """
        #include <stdlib.h>
        const char *post_strerror(int code) { return "lost"; }
        int post_errno(void) { return 0; }
        post *post_new(void) { return malloc(1); }
        void post_free(post *p) { free(p); }
        int post_poll(post *p) { return 3; }
        """
    ).run("print(try Post().poll())")
    #expect(served == "3\n")
    let code = try SmallLibrary(
      header: """
        enum mill_code { MILL_OK = 0, MILL_ERR_FULL = 1, MILL_ERR_LOST = 2 };
        typedef struct mill mill;
        mill *mill_new(void);
        void mill_free(mill *m);
        /** @returns the number of sacks that were ground. */
        int mill_process(mill *m);
        int mill_start(mill *m);
        """,
      source: "struct mill { int n; };"
    ).written().code
    #expect(code.contains("public func process() throws(LibraryFailure) -> Int32"))
    #expect(code.contains("public func start() throws(LibraryFailure) {"))
  }

  @Test func `a function that calls a closure while it runs throws if it fails, or if the closure does`() throws {
    let text = try SmallLibrary(
      header: """
        typedef struct shelf shelf;
        shelf *shelf_new(void);
        void shelf_free(shelf *s);
        /** Returns 0, or a negative error. */
        int shelf_foreach(const shelf *s, int start, void (*seen)(int book, void *data), void *data);
        /** Returns the first answer other than 0, or a negative error. */
        int shelf_foreach_until(const shelf *s, int (*asked)(int book, void *data), void *data);
        """,
      source: """
        #include <stdlib.h>
        struct shelf { int n; };
        shelf *shelf_new(void) { return calloc(1, sizeof(shelf)); }
        void shelf_free(shelf *s) { free(s); }
        int shelf_foreach(const shelf *s, int start, void (*seen)(int, void *), void *data) {
          if (start > 2) return -5;
          for (int i = start; i < 3; i++) seen(i, data);
          return 0;
        }
        int shelf_foreach_until(const shelf *s, int (*asked)(int, void *), void *data) {
          for (int i = 0; i < 3; i++) { int answer = asked(i, data); if (answer) return answer; }
          return 0;
        }
        """
    ).run(
      """
      let shelf = try Shelf()
      try shelf.foreach(1) { print($0) }
      do { try shelf.foreach(3) { print($0) } } catch { print(error.function, error.code) }
      print(try shelf.foreachUntil { $0 == 1 ? 7 : 0 })
      do { try shelf.foreachUntil { $0 == 1 ? -7 : 0 } } catch { print(error.function, error.code) }
      """)
    #expect(text == "1\n2\nshelf_foreach -5\n7\nshelf_foreach_until -7\n")
  }
}
