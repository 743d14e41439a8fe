import Foundation
import Testing

@testable import LibraryWrapping

/// Callbacks with unusual names, numbers, and ends, and objects that registrations use.
@Suite("Memory around callbacks", .enabled(if: Built.canRun))
struct CallbackMemoryTests {
  private static let library = SmallLibrary(
    header: """
      #include <stddef.h>
      typedef struct { int width; } box;
      typedef struct room room;
      typedef struct hub hub;
      typedef int (*read_fn)(void *ctx, unsigned char *given, int max);
      typedef void (*list_fn)(void *ctx, const short *max, int count);
      typedef void (*self_fn)(void *ctx, box *self, int *give);
      typedef size_t (*size_fn)(void *ctx, char *buf, size_t max);
      typedef void (*text_fn)(void *ctx, char *buf, int room, size_t *used);
      typedef int (*plain_fn)(void *, unsigned char *, size_t);
      typedef int (*both_fn)(void *ctx, unsigned char *a, unsigned char *b, int n, int *used, const int *room, int *result);
      typedef void (*tick_fn)(void *ctx, int n);
      int run_read(read_fn fn, void *ctx);
      void run_list(list_fn fn, void *ctx);
      void run_self(self_fn fn, void *ctx);
      int run_size(size_fn fn, void *ctx);
      int run_text(text_fn fn, void *ctx);
      int run_plain(plain_fn fn, void *ctx);
      int run_both(both_fn fn, void *ctx);
      room *room_new(int size);
      void room_free(room *r);
      hub *hub_new(void);
      void hub_free(hub *h);
      /* Calls fn until hub_remove is called. */
      int hub_add(hub *h, room *where, tick_fn fn, void *ctx);
      void hub_remove(hub *h, room *where);
      int hub_see(hub *h, room *seen, read_fn fn, void *ctx);
      void hub_go(hub *h);
      typedef struct { void *ctx; int (*pull)(void *ctx, unsigned char *buffer, int max); } source;
      int source_pull(source *s);
      """,
    source: """
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      struct room { int size; };
      struct hub { tick_fn fn; void *ctx; room *where; read_fn read; void *rctx; room *seen; };
      int run_read(read_fn fn, void *ctx) { unsigned char b[3] = {0}; return fn(ctx, b, 3) * 10 + fn(ctx, b, -1); }
      void run_list(list_fn fn, void *ctx) { short s[2] = {4, 5}; fn(ctx, s, 2); fn(ctx, NULL, 2); fn(ctx, s, -2); }
      void run_self(self_fn fn, void *ctx) { box b = {1}; int n = 2; fn(ctx, &b, &n); printf("%d %d\\n", b.width, n);
        fflush(stdout); }
      int run_size(size_fn fn, void *ctx) { char b[4]; return (int)(fn(ctx, b, 4) * 10 + fn(ctx, NULL, 0)); }
      int run_text(text_fn fn, void *ctx) { char b[4]; size_t n = 9, m = 9; fn(ctx, b, 0, &n); fn(ctx, NULL, 4, &m);
        return (int)(n * 10 + m); }
      int run_plain(plain_fn fn, void *ctx) { unsigned char b[2] = {0}; int n = fn(ctx, b, 2); return n * 10 + b[1]; }
      int run_both(both_fn fn, void *ctx) { unsigned char a[2] = {0}, b[2] = {0}; int u = 7, room = 2, r = 8;
        int s = fn(ctx, a, b, 2, &u, &room, &r); return s * 100 + r * 10 + b[0]; }
      room *room_new(int size) { room *r = malloc(sizeof *r); r->size = size; return r; }
      void room_free(room *r) { printf("free %d\\n", r->size); fflush(stdout); r->size = -1; free(r); }
      hub *hub_new(void) { return calloc(1, sizeof(hub)); }
      void hub_free(hub *h) { free(h); }
      int hub_add(hub *h, room *where, tick_fn fn, void *ctx) { h->fn = fn; h->ctx = ctx; h->where = where; return 0; }
      void hub_remove(hub *h, room *where) { printf("remove %d\\n", where->size); fflush(stdout); h->fn = NULL; }
      int hub_see(hub *h, room *seen, read_fn fn, void *ctx) { h->read = fn; h->rctx = ctx; h->seen = seen; return 0; }
      void hub_go(hub *h) { unsigned char b[2]; if (h->fn) h->fn(h->ctx, h->where->size);
        if (h->read) { printf("see %d %d\\n", h->seen->size, h->read(h->rctx, b, 2)); fflush(stdout); } }
      int source_pull(source *s) { unsigned char b[2]; return s->pull(s->ctx, b, 2); }
      """)
  private static let choices = """
    * thread=caller
    run_read/0 adapter=scoped name=read
    run_list/0 adapter=scoped name=list
    run_self/0 adapter=scoped name=change
    run_size/0 adapter=scoped name=size
    run_text/0 adapter=scoped name=text
    run_plain/0 adapter=scoped name=plain
    run_both/0 adapter=scoped name=both
    hub_add/2 adapter=repeating end=hub_remove name=adds
    hub_see/2 adapter=repeating end=? name=sees
    read_fn(given) memory=out[max:result]
    list_fn(max) memory=in[count]
    self_fn(self) memory=inout
    self_fn(give) memory=inout
    size_fn(buf) memory=text[max:result]
    text_fn(buf) memory=text[room:used]
    plain_fn(1) memory=out[argument3:result]
    both_fn(b) memory=out[n:result]
    both_fn(a) memory=out[room]
    source.pull(buffer) memory=out[max:result]

    """

  private func run(_ program: String) throws -> String {
    try Self.library.run(program, choices: Self.choices)
  }

  @Test func `parameters may have the names that the code uses itself, or none`() throws {
    let output = try run(
      """
      print(try LibraryLibrary.read { max in max > 0 ? [1, 2] : [] })
      LibraryLibrary.list { print($0) }
      LibraryLibrary.change { box, give in (self: Box(width: (box?.width ?? 0) + 6), give: (give ?? 0) + 6) }
      print(try LibraryLibrary.plain { room in Array(1...UInt8(room)) })
      """)
    #expect(output == "20\n[4, 5]\n[]\n[]\n7 8\n22\n")
  }

  @Test func `a text has no zero where there is no room, and no number is negative`() throws {
    let output = try run(
      """
      print(try LibraryLibrary.size { max in max > 0 ? "abc" : "" })
      print(try LibraryLibrary.text { _ in "" })
      """)
    #expect(output == "30\n0\n")
    // `size_t` has no sign, although Swift imports it as `Int`.
    let code = try Self.library.written(choices: Self.choices).code
    #expect(code.contains("func size(_ body: (_ max: Int) -> String)"))
  }

  @Test func `a parameter called result is not what C returns`() throws {
    let output = try run(
      """
      print(try LibraryLibrary.both { n, used, room in
        _ = used
        return (result: Int32(room), a: [1], b: [UInt8(n)])
      })
      """)
    #expect(output == "212\n")
  }

  @Test func `an object that the program closes is freed after the registration that uses it`() throws {
    let output = try run(
      """
      import Streams
      let hub = try Hub()
      let room = try Room(size: 5)
      let disposable = hub.adds(room).observe { print($0) }
      room.free()
      hub.go()
      disposable.dispose()
      let last = try hub.sees(Room(size: 6)) { _ in [1] }
      hub.go()
      last.dispose()
      hub.go()
      hub.free()
      """)
    // Nothing ends the second registration, so the hub keeps what it may use.
    #expect(output == "next(5)\nremove 5\nfree 5\nsee 6 1\nsee 6 0\nfree 6\n")
  }

  @Test func `a delegate that is gone answers nothing, and no failure`() throws {
    let output = try run(
      """
      final class Pulling: SourceDelegate {
        func pull(_ max: Int32) -> [UInt8]? { nil }
      }
      var source = Source()
      let callback = source.setDelegate(Pulling())
      do { print(try LibraryLibrary.sourcePull(&source)) } catch { print(error.code) }
      callback.disarm()
      print(try LibraryLibrary.sourcePull(&source))
      """)
    #expect(output == "-1\n0\n")
  }

  @Test(arguments: [
    ("both_fn(a) memory=out[n:result]\nboth_fn(b) memory=out[n:result]", "C gets the number of elements of both_fn(a)"),
    ("both_fn(a) memory=out[n:used]\nboth_fn(b) memory=out[n:used]", "C gets the number of elements of both_fn(a)"),
    (
      "both_fn(a) memory=out[n:used]\nboth_fn(used) memory=out",
      "C gets the number of elements of both_fn(a) through it."
    ),
    ("both_fn(a) memory=out[n:room]", "room is constant, so the callback can't write to it."),
    ("both_fn(a) memory=out[used*2]", "Write memory=out[COUNT:used]."),
    ("both_fn(a) memory=out[a]", "both_fn(a) can't be its own number of elements."),
  ])
  func `two meanings of one number are an error`(_ lines: String, _ message: String) throws {
    let error = try #require(throws: WrappingError.self) {
      try Self.library.written(choices: "* thread=caller\nrun_both/0 adapter=scoped\n" + lines)
    }
    #expect("\(error)".contains(message), "\(error)")
  }
}
