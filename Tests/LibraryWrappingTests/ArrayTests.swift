import Testing

@testable import LibraryWrapping

/// Arrays that C's types hide: behind typedefs, in structs with a tail, and in the parameters of callbacks.
@Suite("Arrays", .enabled(if: Built.canRun))
struct ArrayTests {
  @Test func `typedefs of arrays, sized characters, and structs with a tail are not one element`() throws {
    let library = SmallLibrary(
      header: """
        typedef struct shop shop;
        typedef float vec3[3];
        typedef char tag40[40];
        typedef struct point { int x; } point;
        typedef point quad[4];
        struct list { int count; int items[1]; };
        shop *shop_new(void);
        void shop_free(shop *s);
        void shop_get_position(shop *s, vec3 position);
        int shop_read_quad(shop *s, quad points);
        int shop_tag(shop *s, const char tag[40]);
        int shop_key(shop *s, const tag40 key);
        int shop_name(shop *s, const char name[]);
        const struct list *shop_get_list(shop *s);
        int shop_sum(shop *s, const struct list *list);
        """,
      source: """
        #include <stdlib.h>
        struct shop { struct list *list; };
        shop *shop_new(void) {
          shop *s = malloc(sizeof *s); s->list = malloc(sizeof(int) * 5); s->list->count = 4;
          for (int i = 0; i < 4; i++) s->list->items[i] = i + 1;
          return s; }
        void shop_free(shop *s) { free(s->list); free(s); }
        int shop_name(shop *s, const char name[]) { return name[0]; }
        const struct list *shop_get_list(shop *s) { return s->list; }
        int shop_sum(shop *s, const struct list *list) {
          int sum = 0; for (int i = 0; i < list->count; i++) sum += list->items[i]; return sum; }
        """)
    let choices = try library.written(choices: "* thread=caller").choices
    for key in ["shop_get_position/position", "shop_read_quad/points", "shop_tag/tag", "shop_key/key"] {
      #expect(choices.contains("\n# \(key) memory=?   # It takes an array."), "\(key): \(choices)")
    }
    let program = """
      let shop = try Shop()
      if let list = shop.list { print(shop.sum(list), list.count) }
      print(shop.name("a"))
      """
    #expect(try library.run(program, choices: "* thread=caller") == "10 4\n97\n")
  }

  @Test func `a number counts what is before it alone, and has the name of that`() throws {
    let library = SmallLibrary(
      header: """
        #include <stddef.h>
        #include <stdint.h>
        typedef struct feed feed;
        typedef struct point { int x; } point;
        feed *feed_new(void);
        void feed_free(feed *f);
        void feed_on_data(feed *f, void (*fn)(void *user, const uint8_t *data, size_t size, const int64_t *time), void *user);
        void feed_on_text(feed *f, void (*fn)(void *user, const char *text, int textlen), void *user);
        void feed_on_rows(feed *f, void (*fn)(void *user, const point *rows, int nrows, const point edge[2]), void *user);
        void feed_on_done(feed *f, void (*fn)(void *user, void (*done)(int), int token), void *user);
        void feed_run(feed *f);
        """,
      source: """
        #include <stdlib.h>
        struct feed {
          void (*data)(void *, const uint8_t *, size_t, const int64_t *); void *first;
          void (*text)(void *, const char *, int); void *second;
        };
        feed *feed_new(void) { return calloc(1, sizeof(feed)); }
        void feed_free(feed *f) { free(f); }
        void feed_on_data(feed *f, void (*fn)(void *, const uint8_t *, size_t, const int64_t *), void *user) { f->data = fn; f->first = user; }
        void feed_on_text(feed *f, void (*fn)(void *, const char *, int), void *user) { f->text = fn; f->second = user; }
        void feed_on_rows(feed *f, void (*fn)(void *, const point *, int, const point *), void *user) {}
        void feed_on_done(feed *f, void (*fn)(void *, void (*)(int), int), void *user) {}
        void feed_run(feed *f) {
          uint8_t *data = malloc(8); for (int i = 0; i < 8; i++) data[i] = (uint8_t)i;
          int64_t *time = malloc(sizeof *time); *time = 42;
          if (f->data) f->data(f->first, data, 8, time);
          if (f->text) f->text(f->second, "hello, world", 5);
          free(data); free(time); }
        """)
    let choices = "* thread=caller\nfeed_on_data/1(time) memory=in\n"
    let (code, written) = try library.written(choices: choices)
    for key in ["feed_on_rows/1(rows)", "feed_on_rows/1(edge)"] {
      #expect(written.contains("\n# \(key) memory=?"), "\(key): \(written)")
    }
    #expect(written.contains("\n# feed_on_done/1: Its closure does not get done"), "\(written)")
    #expect(!code.contains("time: [Int64]"), "\(code)")
    let program = """
      let feed = try Feed()
      let data = feed.data().observeNext { data, time in print(data, time ?? 0) }
      let text = feed.texts().observeNext { print($0) }
      feed.run()
      data.dispose()
      text.dispose()
      """
    let output = try library.run("import Streams\n" + program, choices: choices)
    #expect(output == "[0, 1, 2, 3, 4, 5, 6, 7] 42\nhello\n", "\(output)")
  }

  @Test func `a struct of callbacks is passed with the context that the same function takes`() throws {
    let library = SmallLibrary(
      header: """
        typedef struct sound sound;
        typedef struct {
          long (*get_length)(void *user_data);
          long (*read)(void *ptr, long count, void *user_data);
        } virtual_io;
        sound *sound_open_virtual(virtual_io *io, int mode, void *user_data);
        long sound_sum(sound *s);
        void sound_close(sound *s);
        """,
      source: """
        #include <stdlib.h>
        struct sound { virtual_io io; void *user; };
        sound *sound_open_virtual(virtual_io *io, int mode, void *user_data) {
          sound *s = malloc(sizeof *s); s->io = *io; s->user = user_data; return s; }
        long sound_sum(sound *s) {
          long length = s->io.get_length(s->user); unsigned char *bytes = calloc(1, (size_t)length);
          long count = s->io.read(bytes, length, s->user); long sum = 0;
          for (long i = 0; i < count; i++) sum += bytes[i];
          free(bytes); return sum; }
        void sound_close(sound *s) { free(s); }
        """)
    let output = try library.run(
      """
      final class Memory: VirtualIoDelegate {
        deinit { print("released") }
        func getLength() -> Int { 5 }
        func read(_ count: Int) -> [UInt8]? { [1, 2, 3, 4] }
      }
      func opened() throws -> Sound {
        var io = VirtualIo()
        let delegate = io.setDelegate(Memory())
        return try Sound.openVirtual(&io, mode: 1, userData: delegate)
      }
      do {
        let sound = try opened()
        print(sound.sum())
        sound.close()
        print("closed")
      }
      """,
      choices: """
        * thread=caller
        virtual_io.read(ptr) memory=out[count:result]
        sound_open_virtual/io memory=inout
        sound_sum fails=never
        """)
    #expect(output == "10\nclosed\nreleased\n" || output == "10\nreleased\nclosed\n", "\(output)")
  }
}
