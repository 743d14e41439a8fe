import Testing

@testable import LibraryWrapping

/// The functions that free objects and memory, if their names or their parameters are unusual.
@Suite("Release", .enabled(if: Built.canRun))
struct ReleaseTests {
  /// As in GEOS: each function takes a context, also the ones that free.
  private static func shapes(_ others: String = "") -> SmallLibrary {
    SmallLibrary(
      header: """
        typedef struct geo_context geo_context;
        typedef struct geo_shape geo_shape;
        int geo_alive(void);
        geo_context *geo_init(void);
        void geo_finish(geo_context *c);
        geo_shape *geo_create_shape_r(geo_context *c, int sides);
        int geo_shape_open_r(geo_context *c, int sides, geo_shape **out);
        void geo_shape_destroy_r(geo_context *c, geo_shape *s);
        int geo_count_sides_r(geo_context *c, const geo_shape *s);
        char *geo_write_r(geo_context *c, const geo_shape *s);
        int geo_copy_r(geo_context *c, const geo_shape *s, char **text);
        void geo_free_r(geo_context *c, void *memory);
        char *geo_title(int number);
        void geo_free_all(geo_context *c, void *memory, int number);
        \(others)
        """,
      source: """
        #include <stdlib.h>
        #include <string.h>
        struct geo_context { int shapes; };
        struct geo_shape { int sides; };
        static int alive;
        int geo_alive(void) { return alive; }
        geo_context *geo_init(void) { alive++; return calloc(1, sizeof(geo_context)); }
        void geo_finish(geo_context *c) { alive--; free(c); }
        geo_shape *geo_create_shape_r(geo_context *c, int sides) {
          geo_shape *s = calloc(1, sizeof *s);
          s->sides = sides;
          c->shapes++;
          alive++;
          return s;
        }
        int geo_shape_open_r(geo_context *c, int sides, geo_shape **out) {
          *out = geo_create_shape_r(c, sides);
          return sides < 3 ? -2 : 0;
        }
        void geo_shape_destroy_r(geo_context *c, geo_shape *s) { c->shapes--; alive--; free(s); }
        void geo_shape_destroy(geo_shape *s) { abort(); }
        int geo_count_sides_r(geo_context *c, const geo_shape *s) { return s->sides; }
        char *geo_write_r(geo_context *c, const geo_shape *s) { alive++; return strdup("a shape"); }
        int geo_copy_r(geo_context *c, const geo_shape *s, char **text) { alive++; *text = strdup("a copy"); return 0; }
        void geo_free_r(geo_context *c, void *memory) { c->shapes += 0; alive--; free(memory); }
        char *geo_title(int number) { return strdup("title"); }
        void geo_free_all(geo_context *c, void *memory, int number) {}
        """)
  }

  @Test(arguments: ["", "void geo_shape_destroy(geo_shape *s);"])
  func `an object is freed with the context that it was made with, and before the end of that`(_ other: String)
    throws
  {
    let program = """
      do {
        let context = try Context()
        let shape = context.createShapeR(4)
        print(context.countSidesR(shape), LibraryLibrary.alive())
        try context.shapeOpenR(5).destroy()
        do { _ = try context.shapeOpenR(1) } catch { print(error.code) }
        print(LibraryLibrary.alive())
        shape.destroy()
        shape.destroy()
        print(LibraryLibrary.alive())
        _ = context.createShapeR(3)
      }
      print(LibraryLibrary.alive())
      do {
        let context = try Context()
        let shape = context.createShapeR(4)
        context.finish()
        withExtendedLifetime(shape) {}
      }
      print(LibraryLibrary.alive())
      """
    let printed = try Self.shapes(other).run(
      program.replacing("context.createShapeR", with: "try context.createShapeR"),
      choices: "geo_shape_open_r owns=always\n")
    #expect(printed == "4 2\n-2\n2\n1\n0\n0\n")
  }

  @Test func `memory is freed with the object that the function has, too`() throws {
    let program = """
      do {
        let context = try Context()
        let shape = try context.createShapeR(4)
        print(context.writeR(shape) ?? "none", try context.copyR(shape) ?? "none", LibraryLibrary.alive())
      }
      print(LibraryLibrary.alive())
      """
    #expect(
      try Self.shapes().run(
        program, choices: "geo_write_r/result frees=geo_free_r\ngeo_copy_r/text memory=text frees=geo_free_r\n")
        == "a shape a copy 2\n0\n")
  }

  @Test(arguments: [
    ("geo_title/result frees=geo_free_r", "geo_free_r also needs a Context, which geo_title does not get."),
    ("geo_write_r/result frees=geo_free_all", "geo_free_all needs more than memory and an object: number."),
  ])
  func `a function that can't free the memory is an error`(_ choices: String, _ message: String) {
    let error = #expect(throws: WrappingError.self) { _ = try Self.shapes().written(choices: choices) }
    #expect(error?.description.contains(message) == true, "\(String(describing: error))")
  }

  /// As in libpq: a prefix in capitals, and a verb that clears.
  private static func answers(_ comment: String, _ maker: String = "ask") -> SmallLibrary {
    SmallLibrary(
      header: """
        typedef struct an_answer ANanswer;
        int ANalive(void);
        ANanswer *AN\(maker)(const char *text);
        int ANcount(const ANanswer *answer);
        void ANcountAll(void);
        \(comment)
        void ANclear(ANanswer *answer);
        """,
      source: """
        #include <stdlib.h>
        struct an_answer { int count; };
        static int alive;
        int ANalive(void) { return alive; }
        ANanswer *AN\(maker)(const char *text) { alive++; return calloc(1, sizeof(ANanswer)); }
        int ANcount(const ANanswer *answer) { return answer->count; }
        void ANcountAll(void) {}
        void ANclear(ANanswer *answer) { alive--; free(answer); }
        """)
  }

  @Test(arguments: ["", "/* Delete an ANanswer */"])
  func `what clears an object that nothing else frees is its release`(_ comment: String) throws {
    let program = """
      do { let answer = try Answer.ask("?"); print(answer.count, LibraryLibrary.alive()) }
      print(LibraryLibrary.alive())
      """
    #expect(try Self.answers(comment).run(program) == "0 1\n0\n")
  }

  @Test(arguments: [("/* Removes all items. */", "ask"), ("", "new")])
  func `what clears an object to be filled again is a method`(_ comment: String, _ maker: String) throws {
    let code = try Self.answers(comment, maker).written().code
    #expect(code.contains("ANclear(pointer)") && !code.contains("ANclear(storedPointer)"))
  }

  @Test func `names after a prefix in capitals, and a parameter with the name of a length`() throws {
    let library = SmallLibrary(
      header: """
        #include <stddef.h>
        typedef struct GEOplace_t GEOplace;
        GEOplace *GEOPlace_create(int size);
        void GEOPlace_destroy(GEOplace *p);
        int GEOisEmpty(const GEOplace *p);
        int GEOPlace_size(const GEOplace *p);
        int GEOPlace_read(GEOplace *p, char *buffer, size_t length, int count);
        int GEOBuffer(const GEOplace *p, int width);
        """,
      source: """
        #include <stdlib.h>
        #include <string.h>
        struct GEOplace_t { int size; };
        GEOplace *GEOPlace_create(int size) { GEOplace *p = calloc(1, sizeof *p); p->size = size; return p; }
        void GEOPlace_destroy(GEOplace *p) { free(p); }
        int GEOisEmpty(const GEOplace *p) { return p->size == 0; }
        int GEOPlace_size(const GEOplace *p) { return p->size; }
        int GEOPlace_read(GEOplace *p, char *buffer, size_t length, int count) {
          memset(buffer, 'x', length);
          return count;
        }
        int GEOBuffer(const GEOplace *p, int width) { return p->size + width; }
        """)
    let program = """
      let place = try Place(size: 3)
      print(place.isEmpty, place.size, place.buffer(2), try place.read(upTo: 8, count: 5).count)
      """
    #expect(try library.run(program) == "false 3 5 5\n")
  }
}
