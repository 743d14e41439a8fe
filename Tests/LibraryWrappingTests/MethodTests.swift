import Testing

@testable import LibraryWrapping

/// Functions in the fields of structs that C makes, which a program calls.
@Suite("Functions in fields", .enabled(if: Built.canRun))
struct MethodTests {
  private static let library = SmallLibrary(
    header: """
      #include <stddef.h>
      #include <stdint.h>
      typedef struct base base;
      typedef struct walk walk;
      typedef struct { void *data; uint32_t size; int flags; } part;
      struct base {
        void *secret;
        int (*put)(base *, const char *, part *);
        int (*get)(base *, const char *, part *);
        int (*each)(base *, void (*)(const char *name, void *user), void *user);
        int (*walk)(base *, walk **, unsigned flags);
        int (*count)(const base *);
        int (*printf)(base *, const char *, ...);
        int (*close)(base *, unsigned flags);
      };
      struct walk { base *of; int place; int (*next)(walk *, part *); int (*close)(walk *); int (*place_of)(walk *); };
      typedef struct { int (*run)(int); } plain;
      int base_make(base **result);
      int plain_use(plain *p);
      """,
    source: """
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      typedef struct { char name[8]; char data[16]; uint32_t size; } entry;
      typedef struct { entry all[4]; int count; } store;
      static int put(base *b, const char *name, part *p) {
        store *s = b->secret; if (s->count == 4 || p->size > 16) return 28;
        entry *e = &s->all[s->count++]; strcpy(e->name, name); memcpy(e->data, p->data, p->size); e->size = p->size; return 0; }
      static int get(base *b, const char *name, part *p) {
        store *s = b->secret;
        for (int i = 0; i < s->count; i++)
          if (strcmp(s->all[i].name, name) == 0) { p->data = s->all[i].data; p->size = s->all[i].size; p->flags = i; return 0; }
        return 2; }
      static int each(base *b, void (*see)(const char *name, void *user), void *user) {
        store *s = b->secret; for (int i = 0; i < s->count; i++) see(s->all[i].name, user); return 0; }
      static int next(walk *w, part *p) {
        store *s = w->of->secret; if (w->place == s->count) return 61;
        p->data = s->all[w->place].data; p->size = s->all[w->place++].size; return 0; }
      static int leave(walk *w) { puts("walk closed"); fflush(stdout); free(w); return 0; }
      static int place_of(walk *w) { return w->place; }
      static int begin(base *b, walk **w, unsigned flags) {
        *w = calloc(1, sizeof(walk)); (*w)->of = b; (*w)->next = next; (*w)->close = leave; (*w)->place_of = place_of; return 0; }
      static int count(const base *b) { return ((store *)b->secret)->count; }
      static int finish(base *b, unsigned flags) { printf("closed %u\\n", flags); fflush(stdout); free(b->secret); free(b); return 0; }
      int base_make(base **result) {
        base *b = calloc(1, sizeof(base)); b->secret = calloc(1, sizeof(store)); b->put = put; b->get = get; b->each = each;
        b->walk = begin; b->count = count; b->close = finish; *result = b; return 0; }
      int plain_use(plain *p) { return p->run(1); }
      """)

  @Test func `a line makes methods of the functions in a struct's fields`() throws {
    let output = try Self.library.run(
      """
      do {
        let base = try Base()
        var part = Part()
        part.data = [1, 2, 3]
        try base.put("a", &part)
        part.data = [4]
        try base.put("b", &part)
        var found = Part()
        try base.get("a", &found)
        print(found.data, found.flags, base.count)
        found.data = [9, 9, 9, 9, 9]
        try base.get("b", &found)
        print(found.data)
        do { try base.get("c", &found) } catch { print(error.function, error.code) }
        try base.each { print($0 ?? "nil") }
        let walk = try base.walk(0)
        while (try? walk.next(&found)) != nil { print(found.data, walk.placeOf()) }
      }
      print("end")
      """,
      choices: """
        base methods
        walk methods
        * thread=caller fails=nonzero
        part.data memory=inout[size]
        base_each/1 adapter=scoped name=each
        """)
    #expect(
      output == """
        [1, 2, 3] 0 2
        [4]
        base_get 2
        a
        b
        [1, 2, 3] 1
        [4] 2
        walk closed
        closed 0
        end

        """)
  }

  @Test func `the choices offer the line, and keep it`() throws {
    let offered = try Self.library.written(choices: "* thread=caller").choices
    #expect(offered.contains("\n# base methods   # "), "\(offered)")
    #expect(!offered.contains("# plain methods"))
    let kept = try Self.library.written(choices: "* thread=caller\nbase methods").choices
    #expect(kept.contains("\nbase methods\n") && kept.contains("\n# walk methods   # "), "\(kept)")
  }

  @Test(arguments: [
    ("bases methods", "The headers have no struct bases whose fields are known."),
    ("plain methods", "plain has no functions that take it first. Remove the line."),
    ("base methods name=other", "name= is no choice beside methods. Remove it from the line of base."),
    ("base methods skip", "skip is no choice beside methods."),
  ])
  func `a line that does not fit is an error`(_ line: String, _ message: String) throws {
    let error = try #require(throws: WrappingError.self) { try Self.library.written(choices: line) }
    #expect("\(error)".contains(message), "\(error)")
  }
}
