import Testing

@testable import LibraryWrapping

/// Memory and objects that C keeps or takes over after a call, and memory of C's own, whose length the call returns.
@Suite("Kept memory", .enabled(if: Built.canRun))
struct KeptMemoryTests {
  private static let library = SmallLibrary(
    header: """
      #include <stddef.h>
      typedef struct box box;
      typedef struct face face;
      typedef struct { int x; int y; } entry;
      box *box_new(void);
      void box_free(box *b);
      int box_open_memory(box *b, const void *buff, size_t size);
      int box_open_memory2(box *b, const void *buff, size_t size, size_t read_size);
      int box_sum(const box *b);
      /** Sets the title, which is not copied. */
      void box_set_title(box *b, const char *title);
      const char *box_title(const box *b);
      int box_use_entries(box *b, const entry *iv, size_t niv);
      int box_first(const box *b);
      face *face_new_memory(const unsigned char *bytes, size_t size);
      int face_sum(const face *f);
      void face_free(face *f);
      long entries_sum(const entry *iv, size_t niv);
      long box_lend(box *b, const unsigned char **data);
      typedef struct { int *place; int value; } inner;
      typedef struct { inner *first; int step; } walker;
      typedef struct { inner own; walker walk; } cursor;
      int cursor_open(int start, cursor *c);
      int cursor_next(cursor *c);
      int cursor_clear(cursor *c);
      int cursor_compare(cursor *one, cursor *other);
      typedef struct store store;
      typedef struct store_source store_source;
      typedef struct store_error store_error;
      store_source *store_source_new(int value);
      void store_source_free(store_source *s);
      store_error *store_error_new(void);
      void store_error_free(store_error *e);
      store *store_open_from_source(store_source *source, int flags, store_error *error);
      int store_value(const store *s);
      int store_close(store *s);
      void store_discard(store *s);
      /** Looks at the face. The function does not take ownership of the face. */
      int box_look(box *b, face *f);
      """,
    source: """
      #include <stdio.h>
      #include <stdlib.h>
      struct box { const unsigned char *bytes; size_t size; const char *title; const entry *entries; };
      struct face { const unsigned char *bytes; size_t size; };
      box *box_new(void) { return calloc(1, sizeof(box)); }
      void box_free(box *b) { printf("free %d\\n", box_sum(b)); fflush(stdout); free(b); }
      int box_open_memory(box *b, const void *buff, size_t size) { b->bytes = buff; b->size = size; return 0; }
      int box_open_memory2(box *b, const void *buff, size_t size, size_t read_size) { return box_open_memory(b, buff, size); }
      int box_sum(const box *b) { int sum = 0; for (size_t i = 0; i < b->size; i++) sum += b->bytes[i]; return sum; }
      void box_set_title(box *b, const char *title) { b->title = title; }
      const char *box_title(const box *b) { return b->title; }
      int box_use_entries(box *b, const entry *iv, size_t niv) { b->entries = iv; return (int)niv; }
      int box_first(const box *b) { return b->entries[0].x; }
      face *face_new_memory(const unsigned char *bytes, size_t size) {
        face *f = calloc(1, sizeof(face)); f->bytes = bytes; f->size = size; return f; }
      int face_sum(const face *f) { int sum = 0; for (size_t i = 0; i < f->size; i++) sum += f->bytes[i]; return sum; }
      void face_free(face *f) { printf("face %d\\n", face_sum(f)); fflush(stdout); free(f); }
      long entries_sum(const entry *iv, size_t niv) { long sum = 0; for (size_t i = 0; i < niv; i++) sum += iv[i].x * iv[i].y; return sum; }
      long box_lend(box *b, const unsigned char **data) { *data = b->bytes; return (long)b->size; }
      int cursor_open(int start, cursor *c) {
        c->own.value = start; c->own.place = &c->own.value; c->walk.first = &c->own; c->walk.step = 1; return 0; }
      int cursor_next(cursor *c) { return c->walk.first == &c->own ? (*c->own.place += c->walk.step) : -1; }
      int cursor_clear(cursor *c) { c->walk.first = 0; return 0; }
      int cursor_compare(cursor *one, cursor *other) { return one->own.value - other->own.value; }
      struct store { store_source *source; };
      struct store_source { int value; };
      struct store_error { int code; };
      store_source *store_source_new(int value) { store_source *s = malloc(sizeof *s); s->value = value; return s; }
      void store_source_free(store_source *s) { puts("source freed"); fflush(stdout); free(s); }
      store_error *store_error_new(void) { return calloc(1, sizeof(store_error)); }
      void store_error_free(store_error *e) { puts("error freed"); fflush(stdout); free(e); }
      store *store_open_from_source(store_source *source, int flags, store_error *error) {
        store *s = malloc(sizeof *s); s->source = source; error->code = flags; return s; }
      int store_value(const store *s) { return s->source->value; }
      int store_close(store *s) { puts("closed"); fflush(stdout); store_source_free(s->source); free(s); return 0; }
      void store_discard(store *s) { puts("discarded"); fflush(stdout); store_source_free(s->source); free(s); }
      int box_look(box *b, face *f) { return face_sum(f); }
      """)

  @Test func `an object keeps a copy of the memory that C uses after the call`() throws {
    let output = try Self.library.run(
      """
      func opened() throws -> Box {
        let box = try Box()
        let bytes: [UInt8] = Array(1...100)
        try box.openMemory(bytes.span)
        box.setTitle("a title " + String(bytes.count))
        print(box.useEntries([Entry(x: 7, y: 1)].span))
        return box
      }
      func made() throws -> Face {
        let bytes: [UInt8] = Array(1...10)
        return try Face.newMemory(bytes.span)
      }
      do {
        let (box, face) = (try opened(), try made())
        let other = [[UInt8]](repeating: Array(repeating: 255, count: 100), count: 100)
        print(box.sum, box.title ?? "nil", box.first, face.sum, box.look(face), other.count)
        try box.openMemory([1, 2, 3].span)
        print(try box.lend(), face.sum)
      }
      """,
      choices: """
        * thread=caller
        box_open_memory/buff memory=kept[size]
        box_set_title/title memory=kept
        box_use_entries/iv memory=kept[niv]
        face_new_memory/bytes memory=kept[size]
        box_lend/data memory=out[result]
        """)
    #expect(output == "1\n5050 a title 100 7 55 55 100\n[1, 2, 3] 55\nface 55\nfree 6\n", "\(output)")
  }

  @Test func `without a line, what C may keep by its name or comment is left out, and the line is offered`() throws {
    let (code, choices) = try Self.library.written(choices: "* thread=caller")
    for line in [
      "box_open_memory/buff memory=kept[size]", "box_open_memory2/buff memory=kept[size]",
      "box_set_title/title memory=kept",
      "face_new_memory/bytes memory=kept[size]",
    ] { #expect(choices.contains("\n# \(line)   # C may"), "\(choices)") }
    #expect(!code.contains("KeptMemory"))
    // A count that has the name of the pointer counts what that leads to.
    #expect(code.contains("func entriesSum(_ iv: Span<Entry>)"), "\(code)")
    #expect(choices.contains("\n# entries_sum/iv memory=in[niv]\n"), "\(choices)")
    #expect(code.contains("func look(_ f: Face"), "\(code)")
  }

  @Test func `lines that keep memory where nothing can are refused`() throws {
    for (line, message) in [
      ("entries_sum/iv memory=kept[niv]", "No object keeps it"),
      ("box_open_memory/buff memory=kept", "such as memory=kept[n]"),
      ("box_open_memory/buff memory=kept[size:result]", "Write memory=kept[size]"),
      ("box_title/result memory=kept", "C gives the result"),
    ] {
      do {
        _ = try Self.library.written(choices: "* thread=caller\n\(line)")
        Issue.record("\(line) was taken")
      } catch { #expect("\(error)".contains(message), "\(error)") }
    }
  }

  @Test func `a struct that points into itself is a class, and one argument of several is taken over`() throws {
    let output = try Self.library.run(
      """
      final class Holder { var cursor: Cursor; init(_ cursor: Cursor) { self.cursor = cursor } }
      do {
        let cursor = Cursor()
        try LibraryLibrary.cursorOpen(5, c: cursor)
        let holder = Holder(cursor)
        print(holder.cursor.next(), holder.cursor.next())
        let error = try StoreError()
        let store = try StoreSource(value: 3).openFromSource(0, error: error)
        print(store.value)
        try store.close()
        let other = try StoreSource(value: 4).openFromSource(0, error: error)
        other.discard()
      }
      """,
      choices: """
        * thread=caller
        cursor_next fails=never
        store_open_from_source takes=source
        """)
    #expect(output == "6 7\n3\nclosed\nsource freed\ndiscarded\nsource freed\nerror freed\n", "\(output)")
  }

  @Test func `memory outlives the Swift objects of what C frees, lends, or counts`() throws {
    let library = SmallLibrary(
      header: """
        #include <stddef.h>
        typedef struct list list;
        typedef struct node node;
        typedef struct ring ring;
        list *list_new(void);
        void list_free(list *l);
        void list_add(list *l, node *n);
        long list_sum(const list *l);
        node *node_new(void);
        void node_free(node *n);
        node *node_default(void);
        int node_set_data(node *n, const unsigned char *data, size_t len);
        long node_sum(const node *n);
        ring *ring_new(const unsigned char *values, size_t len);
        ring *ring_ref(ring *r);
        void ring_unref(ring *r);
        void list_set_ring(list *l, ring *r);
        """,
      source: """
        #include <stdlib.h>
        struct node { const unsigned char *data; size_t len; };
        struct ring { const unsigned char *data; size_t len; int count; };
        struct list { node *first; ring *ring; };
        static node shared;
        list *list_new(void) { return calloc(1, sizeof(list)); }
        void list_free(list *l) { if (l->first) node_free(l->first); if (l->ring) ring_unref(l->ring); free(l); }
        void list_add(list *l, node *n) { l->first = n; }
        static long sum(const unsigned char *data, size_t len) { long s = 0; for (size_t i = 0; i < len; i++) s += data[i]; return s; }
        long list_sum(const list *l) {
          return (l->first ? sum(l->first->data, l->first->len) : 0) + (l->ring ? sum(l->ring->data, l->ring->len) : 0); }
        node *node_new(void) { return calloc(1, sizeof(node)); }
        void node_free(node *n) { free(n); }
        node *node_default(void) { return &shared; }
        int node_set_data(node *n, const unsigned char *data, size_t len) { n->data = data; n->len = len; return 0; }
        long node_sum(const node *n) { return sum(n->data, n->len); }
        ring *ring_new(const unsigned char *values, size_t len) {
          ring *r = calloc(1, sizeof(ring)); r->data = values; r->len = len; r->count = 1; return r; }
        ring *ring_ref(ring *r) { r->count++; return r; }
        void ring_unref(ring *r) { if (--r->count == 0) free(r); }
        void list_set_ring(list *l, ring *r) { l->ring = ring_ref(r); }
        """)
    let output = try library.run(
      """
      let bytes: [UInt8] = Array(repeating: 1, count: 40)
      // What is freed would be taken by these.
      func overwrite() -> Int { (0..<100).map { _ in KeptBytes() }.count }
      final class KeptBytes { let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 40); init() { memory.initialize(repeating: 255, count: 40) } }
      let list = try List()
      do {
        let node = try Node()
        try node.setData(bytes.span)
        list.add(node)
      }
      _ = overwrite()
      print(try list.sum())
      try LibraryLibrary.nodeDefault()?.setData(bytes.span)
      _ = overwrite()
      print(try LibraryLibrary.nodeDefault()?.sum() ?? 0)
      do { list.setRing(try Ring(values: bytes.span)) }
      _ = overwrite()
      print(try list.sum())
      """,
      choices: """
        * thread=caller fails=negative
        node_set_data/data memory=kept[len]
        ring_new/values memory=kept[len]
        node_default owns=no
        """)
    #expect(output == "40\n40\n80\n", "\(output)")
  }
}
