import Testing

@testable import LibraryWrapping

/// Functions that store several handlers without a context.
@Suite("Handlers", .enabled(if: Built.canRun))
struct HandlerTests {
  private static let library = SmallLibrary(
    header: """
      #include <stddef.h>
      typedef void (*geo_message)(const char *format, ...);
      void geo_init(geo_message notice_function, geo_message error_function);
      int geo_measure(int (*width)(int level), void (*done)(void));
      void geo_work(int level);
      """,
    source: """
      static geo_message notices, errors;
      static int (*measures)(int);
      static void (*finishes)(void);
      void geo_init(geo_message notice_function, geo_message error_function) { notices = notice_function; errors = error_function; }
      int geo_measure(int (*width)(int level), void (*done)(void)) { measures = width; finishes = done; return width ? 0 : -5; }
      void geo_work(int level) {
        if (notices) notices("level %d", level);
        if (errors && level > 1) errors("level %d is %s", level, "too high");
        if (measures) notices("width %d", measures(level));
        if (finishes) finishes();
      }
      """)

  @Test func `each handler is a closure or nil, and is called until it is disposed`() throws {
    let program = """
      import Headwater

      let first = LibraryLibrary.initialize(noticeFunction: { print("notice:", $0 ?? "") })
      LibraryLibrary.work(2)
      let second = LibraryLibrary.initialize(
        noticeFunction: { print("second:", $0 ?? "") }, errorFunction: { print("error:", $0 ?? "") })
      first.dispose()
      LibraryLibrary.work(3)
      let width = try LibraryLibrary.measure(width: { $0 * 10 }, done: nil)
      LibraryLibrary.work(1)
      width.dispose()
      do { _ = try LibraryLibrary.measure(width: nil, done: { print("done") }) } catch { print(error.code) }
      second.dispose()
      LibraryLibrary.work(4)
      """
    #expect(
      try Self.library.run(program) == """
        notice: level 2
        second: level 3
        error: level 3 is too high
        second: level 1
        second: width 10
        -5

        """)
  }
}

/// Callbacks that find their contexts in one field of their object.
@Suite("A field for several contexts", .enabled(if: Built.canRun))
struct SharedFieldTests {
  private static let header = """
    typedef struct link { int number; void *data; void (*up)(const struct link *, int); void (*down)(const struct link *, int); } link;
    link *link_new(int number);
    void link_free(link *l);
    int link_set_up_callback(link *l, void (*up)(const link *l, int status));
    int link_set_down_callback(link *l, void (*down)(const link *l, int status));
    void link_work(link *l);
    """
  private static let source = """
    #include <stdlib.h>
    link *link_new(int number) { link *l = calloc(1, sizeof *l); l->number = number; return l; }
    void link_free(link *l) { free(l); }
    int link_set_up_callback(link *l, void (*up)(const link *l, int status)) { l->up = up; return 0; }
    int link_set_down_callback(link *l, void (*down)(const link *l, int status)) { l->down = down; return 0; }
    void link_work(link *l) { if (l->up) l->up(l, l->number); if (l->down) l->down(l, -l->number); }
    """

  @Test func `they share one context, and don't replace each other's`() throws {
    let program = """
      import Headwater

      let (one, two) = (try Link(number: 1), try Link(number: 2))
      let bag = DisposeBag()
      one.ups().observeNext { print("up", $0) }.dispose(in: bag)
      one.downs().observeNext { print("down", $0) }.dispose(in: bag)
      let other = two.downs().observeNext { print("other", $0) }
      one.work()
      two.work()
      other.dispose()
      two.work()
      bag.dispose()
      one.work()
      """
    let printed = try SmallLibrary(header: Self.header, source: Self.source).run(
      program, ["--thread", "caller", "--fails", "nonzero"])
    #expect(printed == "up 1\ndown -1\nother -2\n")
  }

  @Test func `a callback whose function takes more than the object is skipped with the reason`() throws {
    let header = Self.header.replacing(
      "int link_set_down_callback(link *l, ", with: "int link_set_down_callback(link *l, int kind, ")
    let folder = try HeaderTests.Folder(["library.h": header])
    let summary = try WrapLibrary.run(
      try CommandOptions([folder.path + "/library.h", "--output", folder.path, "--module", "Library"]))
    #expect(summary.contains("skipped 1: It finds its context in a field that other callbacks use, too."), "\(summary)")
  }
}
