import Foundation
import Testing

@testable import LibraryWrapping

/// Pointers of functions that take callbacks, and pointers that callbacks get.
@Suite("Pointers around callbacks", .enabled(if: Built.canRun))
struct CallbackPointerTests {
  private static let library = SmallLibrary(
    header: """
      #include <stddef.h>
      #include <stdint.h>
      typedef struct reader reader;
      typedef struct room room;
      typedef enum { SLOW, FAST = 7 } speed;
      typedef struct { int width; double height; } box;
      typedef struct { const char *name; int count; } item;
      typedef struct { int kind; item what; } event;
      typedef int (*read_fn)(void *ctx, unsigned char *buffer, int size);
      typedef void (*chunk_fn)(unsigned char *start, size_t len, void *ctx);
      typedef int (*ask_fn)(void *ctx, char *buf, size_t len, size_t *used, int *kind);
      typedef void (*change_fn)(void *ctx, short *values, int n, box *size, double *scale);
      typedef void (*fill_fn)(uint16_t *cells, unsigned *n, void *ctx);
      typedef void (*see_fn)(void *ctx, box *boxes, int n, const event *event);
      reader *reader_new(void);
      void reader_free(reader *r);
      room *room_new(int size);
      int room_size(const room *r);
      void room_free(room *r);
      /* Returns the number of bytes, or a negative number. */
      int reader_run(reader *r, read_fn fn, void *ctx, const short *weights, int n, unsigned char *out, size_t out_size,
                     size_t *out_used, const char **note);
      /* Makes a room of what the function answers. */
      room *reader_room(read_fn fn, void *ctx, const room *like, const box *size, const char *name);
      void reader_set_chunk(reader *r, chunk_fn fn, void *ctx);
      void reader_emit(reader *r, const char *text);
      int reader_ask(reader *r, ask_fn fn, void *ctx);
      void reader_change(reader *r, change_fn fn, void *ctx);
      int reader_fill(fill_fn fn, void *ctx);
      void reader_see(see_fn fn, void *ctx);
      /* Calls for each change until reader_unwatch is called. */
      int reader_watch(reader *r, room *where, speed how, const short *weights, int n, const box *size, chunk_fn fn,
                       void *ctx);
      void reader_unwatch(reader *r);
      typedef struct { void *ctx; int (*pull)(void *ctx, unsigned char *buffer, int size); void (*push)(void *ctx, int n); } source;
      int source_drain(source *s);
      /* Makes the room larger, or frees it if it would be too large. */
      int room_grow(room **room, int by);
      """,
    source: """
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      struct reader { chunk_fn fn; void *ctx; };
      struct room { int size; };
      reader *reader_new(void) { return calloc(1, sizeof(reader)); }
      void reader_free(reader *r) { free(r); }
      room *room_new(int size) { room *r = malloc(sizeof *r); r->size = size; return r; }
      int room_size(const room *r) { return r->size; }
      void room_free(room *r) { r->size = -1; free(r); }
      int reader_run(reader *r, read_fn fn, void *ctx, const short *weights, int n, unsigned char *out, size_t out_size,
                     size_t *out_used, const char **note) {
        size_t used = 0; int got; unsigned char buf[4];
        while ((got = fn(ctx, buf, 4)) > 0)
          for (int i = 0; i < got && used < out_size; i++) { out[used] = buf[i] + weights[used % n]; used++; }
        *note = got < 0 ? "cut" : "whole"; *out_used = used;
        return got < 0 ? -5 : (int)used; }
      room *reader_room(read_fn fn, void *ctx, const room *like, const box *size, const char *name) {
        unsigned char b[2]; if (fn(ctx, b, 2) != 2) return NULL;
        return room_new(b[0] * 100 + b[1] + (like ? like->size : 0) + (size ? size->width : 0) + (int)strlen(name)); }
      void reader_set_chunk(reader *r, chunk_fn fn, void *ctx) { r->fn = fn; r->ctx = ctx; }
      void reader_emit(reader *r, const char *text) { if (r->fn) r->fn((unsigned char *)text, strlen(text), r->ctx); }
      int reader_ask(reader *r, ask_fn fn, void *ctx) {
        char b[8]; size_t used = 99; int kind = 0; int s = fn(ctx, b, sizeof b, &used, &kind);
        return s * 1000 + (int)strlen(b) * 100 + (int)used * 10 + kind; }
      void reader_change(reader *r, change_fn fn, void *ctx) {
        short v[3] = {1, 2, 3}; box b = {4, 5}; double s = 2; fn(ctx, v, 3, &b, &s); fn(ctx, v, 3, &b, &s);
        char t[64]; t[0] = (char)('0' + v[0]); t[1] = (char)('0' + v[2]); t[2] = (char)('0' + b.width); t[3] = (char)('0' + (int)s);
        t[4] = 0; reader_emit(r, t); }
      int reader_fill(fill_fn fn, void *ctx) { uint16_t c[6] = {0}; unsigned n = 6; fn(c, &n, ctx); int sum = 0;
        for (unsigned i = 0; i < n; i++) sum += c[i]; return sum * 10 + (int)n; }
      void reader_see(see_fn fn, void *ctx) { box b[2] = {{1, 2}, {3, 4}}; event e = {9, {"lamp", 3}}; fn(ctx, b, 2, &e); }
      static room *watched;
      int reader_watch(reader *r, room *where, speed how, const short *weights, int n, const box *size, chunk_fn fn,
                       void *ctx) {
        if (how != FAST || n != 2) return -3; watched = where; r->fn = fn; r->ctx = ctx;
        char t[3] = {(char)('0' + weights[0] + weights[1]), (char)('0' + size->width), 0}; reader_emit(r, t); return 0; }
      void reader_unwatch(reader *r) { printf("left %d\\n", watched->size); fflush(stdout); r->fn = NULL; }
      int room_grow(room **room, int by) {
        int size = (*room)->size + by; room_free(*room); *room = size > 99 ? NULL : room_new(size); return size > 99 ? -7 : 0; }
      int source_drain(source *s) { unsigned char b[5]; int all = 0, n;
        while ((n = s->pull(s->ctx, b, 5)) > 0) { for (int i = 0; i < n; i++) all += b[i]; s->push(s->ctx, n); }
        return all * 10 + n; }
      """)
  private static let choices = """
    * thread=caller
    reader_run/1 adapter=scoped name=run
    reader_run/weights memory=in[n]
    reader_run/out memory=out[out_size:out_used]
    reader_room/0 adapter=scoped name=makeRoom
    reader_ask/1 adapter=scoped name=ask
    reader_change/1 adapter=scoped name=change
    reader_fill/0 adapter=scoped name=fill
    reader_see/0 adapter=scoped name=see
    reader_watch/6 adapter=repeating end=reader_unwatch name=watch
    reader_set_chunk/1 adapter=repeating name=chunks
    read_fn(buffer) memory=out[size:result]
    chunk_fn(start) memory=in[len]
    ask_fn(buf) memory=text[len:used]
    ask_fn(kind) memory=out
    change_fn(values) memory=inout[n]
    change_fn(size) memory=inout
    change_fn(scale) memory=inout
    fill_fn(cells) memory=out[n]
    see_fn(boxes) memory=in[n]
    source.pull(buffer) memory=out[size:result]
    room_grow fails=nonzero
    room_grow/room memory=inout
    """

  private func run(_ program: String, isCrash: Bool = false, _ features: [String] = []) throws -> String {
    try Self.library.run(program, choices: Self.choices, isCrash: isCrash, features: features)
  }

  @Test func `a function that calls while it runs takes and gives what other functions do`() throws {
    let output = try run(
      """
      let reader = try Reader()
      var rest: [UInt8] = [1, 2, 3, 4, 5, 6]
      let (weights, one): ([Int16], [Int16]) = ([10, 20], [1])
      let run = try reader.run(weights.span, upTo: 9) { size in
        defer { rest.removeFirst(min(rest.count, Int(size))) }
        return Array(rest.prefix(Int(size)))
      }
      print(run.out, run.note ?? "nil")
      do {
        _ = try reader.run(one.span, upTo: 9) { _ in nil }
      } catch {
        print(error.function, error.code)
      }
      let room = try Room(size: 1000)
      print(LibraryLibrary.makeRoom(room, size: Box(width: 7, height: 0), name: "abc") { _ in [5, 6] }?.size ?? -1)
      print(LibraryLibrary.makeRoom(room, size: Box(), name: "") { _ in [5] }?.size ?? -1)
      """)
    #expect(output == "[11, 22, 13, 24, 15, 26] whole\nreader_run -5\n1516\n-1\n")
  }

  @Test func `a callback reads what its pointers lead to, and its closure answers what C gets through them`() throws {
    let output = try run(
      """
      let reader = try Reader()
      var seen: [String] = []
      let bag = reader.chunks().observeNext { seen.append(String(decoding: $0, as: UTF8.self)) }
      reader.emit("first")
      print(try reader.ask { length in (result: 2, buf: "abc", kind: Int32(length)) })
      var sizes: [Int32] = []
      reader.change { values, size, scale in
        sizes.append(size?.width ?? 0)
        return (values: [values[0] + 1], size: Box(width: 6, height: 0), scale: (scale ?? 0) * 2)
      }
      print(sizes)
      print(try LibraryLibrary.fill { room in Array(1...UInt16(room - 2)) })
      LibraryLibrary.see { boxes, event in
        print(boxes.map(\\.width), event?.kind ?? 0, event?.what.name ?? "", event?.what.count ?? 0)
      }
      print(seen)
      bag.dispose()
      reader.emit("late")
      print(seen.count)
      """)
    // The first value is 3, the last one stays 3, the width is 6, and the scale 8.
    #expect(output == "2338\n[4, 6]\n104\n[1, 3] 9 lamp 3\n[\"first\", \"3368\"]\n2\n")
  }

  @Test func `a registration takes objects, enumerations, and memory, and keeps the objects`() throws {
    let output = try run(
      """
      import Foundation
      import Streams
      let reader = try Reader()
      var seen: [String] = []
      var room: Room? = try Room(size: 5)
      let disposable = reader.watch(room!, how: .fast, weights: [3, 4], size: Box(width: 8, height: 0))
        .observe { event in
          if case .next(let bytes) = event { seen.append(String(decoding: bytes, as: UTF8.self)) }
          if case .failed(let error) = event { print(error) }
        }
      room = nil
      disposable.dispose()
      print(seen)
      fflush(nil)
      _ = reader.watch(try Room(size: 1), how: .slow, weights: [3, 4], size: Box(width: 8, height: 0)).observe { print($0) }
      """)
    // C uses the object when the registration ends.
    #expect(output.hasPrefix("left 5\n[\"78\"]\nfailed(") && output.contains("reader_watch"))
  }

  @Test func `the methods of a delegate answer what C gets through pointers`() throws {
    let output = try run(
      """
      // C calls only inside source_drain, on the thread of the program.
      final class Pulling: SourceDelegate, @unchecked Sendable {
        var rest: [[UInt8]?] = [[1, 2], [3], nil]
        func pull(_ size: Int32) -> [UInt8]? { rest.removeFirst() }
        func push(_ n: Int32) { print("push", n) }
      }
      var source = Source()
      let callback = source.setDelegate(Pulling())
      print(try LibraryLibrary.sourceDrain(&source))
      withExtendedLifetime(callback) {}
      """)
    #expect(output == "push 2\npush 1\n59\n")
  }

  @Test func `an object that C replaces stays the same for the program, and is closed if C frees it`() throws {
    let program = """
      let room = try Room(size: 5)
      try LibraryLibrary.roomGrow(room, by: 7)
      print(room.size)
      do { try LibraryLibrary.roomGrow(room, by: 100) } catch { print(error.code) }

      """
    #expect(try run(program) == "12\n-7\n")
    #expect(try run(program + "print(room.size)", isCrash: true).contains("The Room is closed."))
  }

  @Test func `too many elements trap`() throws {
    let program = "let reader = try Reader()\\nprint(try reader.ask { _ in (result: 0, buf: \"12345678\", kind: 0) })"
    let output = try run(program.replacing("\\n", with: "\n"), isCrash: true)
    #expect(output.contains("A closure gave 9 elements, and C has room for 8. Give at most as many."))
  }

  @Test(arguments: [
    ("other_fn(start) memory=in[len]", "The headers have no callback other_fn."),
    ("chunk_fn(end) memory=in[len]", "chunk_fn has no parameter end. It has start, len, ctx."),
    ("chunk_fn(len) memory=in[len]", "chunk_fn(len) is no pointer to memory."),
    ("chunk_fn(ctx) memory=in[len]", "chunk_fn(ctx) is the context of the callback."),
    ("chunk_fn(start) memory=in[size]", "chunk_fn has no parameter size, and no macro is the number size."),
    ("chunk_fn(start) memory=out[len:result]", "chunk_fn returns no number."),
    ("chunk_fn(start) memory=in", "It needs a number of elements, such as memory=in[n]."),
    ("chunk_fn(start) frees=free", "The choice for a pointer of a callback is memory=."),
    ("see_fn(event) memory=out", "see_fn(event) is constant, so the callback can't write to it."),
    ("see_fn(boxes) memory=text", "It has no characters."),
    ("ask_fn(buf) memory=out[len:len]", "len is neither."),
    ("reader_run/1 adapter=foreign\nreader_run/out memory=out[out_size]", "its callback has adapter=scoped"),
    ("reader_see/0 skip\nsee_fn(boxes) memory=in[n]", "memory= has no effect for see_fn(boxes)"),
  ])
  func `a line that does not fit is an error that says what would`(_ lines: String, _ message: String) throws {
    let error = try #require(throws: WrappingError.self) {
      try Self.library.written(choices: "* thread=caller\n" + lines)
    }
    #expect("\(error)".contains(message), "\(error)")
  }

  @Test func `the choices list the pointers that stay as they are`() throws {
    let choices = try Self.library.written(choices: "* thread=caller").choices
    #expect(choices.contains("# reader_set_chunk/1(start) memory=?"))
    #expect(
      choices.contains("# reader_watch/weights memory=?") || choices.contains("# reader_watch/weights memory=in[n]"))
  }

  @Test func `callbacks alone obey the lines, too`() throws {
    let code = try Self.library.written(
      choices: "* thread=caller\nchunk_fn(start) memory=in[len]\nread_fn(buffer) memory=out[size:result]",
      ["--callbacks"]
    ).code
    #expect(code.contains("-> Stream<[UInt8]>"))
    #expect(code.contains("-> [UInt8]?"))
  }
}
