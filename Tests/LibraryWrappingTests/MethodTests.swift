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
    (
      "plain methods",
      "plain has no functions that take it first. Write plain methods=all for the others, or remove the line."
    ),
    ("base methods name=other", "name= is no choice beside methods. Remove it from the line of base."),
    ("base methods skip", "skip is no choice beside methods."),
  ])
  func `a line that does not fit is an error`(_ line: String, _ message: String) throws {
    let error = try #require(throws: WrappingError.self) { try Self.library.written(choices: line) }
    #expect("\(error)".contains(message), "\(error)")
  }

  @Test func `fields are read like functions: names, comments, arrays, and parameters of callbacks`() throws {
    let library = SmallLibrary(
      header: """
        typedef struct env env;
        typedef struct txn txn;
        typedef int (*env_read)(env *, int);
        #define env_sync(e) ((e)->sync(e))
        enum { env_flush = 3 };
        struct txn { env *owner; int id; int (*commit)(txn *t, unsigned flags); int (*abort)(txn *t); };
        struct env {
          int value;
          /** Sets the name. @return 0 on success, or an error number. */
          int (*set_name)(env *e, const char *name);
          int (*fill)(env *e, int *values, int count);
          int (*position)(env *e, double place[3]);
          int (*run)(env *e, const char *names[], int n);
          int (*each)(env *e, int (*fn)(void *arg, const char *s, int len), void *arg);
          int (*begin)(env *e, txn **out, unsigned flags);
          env_read read;
          int (*sync)(env *e);
          int (*flush)(env *e);
          void (*destroy)(env *e);
        };
        env *env_new(void);
        """,
      source: """
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        static int set_name(env *e, const char *name) { return strlen(name) > 3 ? 12 : 0; }
        static int each(env *e, int (*fn)(void *arg, const char *s, int len), void *arg) { return fn(arg, "hello!", 5); }
        static int commit(txn *t, unsigned flags) { printf("committed %d\\n", t->id); fflush(stdout); free(t); return 0; }
        static int begin(env *e, txn **out, unsigned flags) {
          txn *t = calloc(1, sizeof *t); t->owner = e; t->id = 7; t->commit = commit; *out = t; return 0; }
        static int reads(env *e, int n) { return n + 1; }
        static void destroy(env *e) { puts("destroyed"); fflush(stdout); free(e); }
        env *env_new(void) {
          env *e = calloc(1, sizeof *e);
          e->set_name = set_name; e->each = each; e->begin = begin; e->read = reads; e->destroy = destroy; return e; }
        """)
    let choices = """
      env methods
      txn methods
      * thread=caller
      txn_commit takes=yes
      """
    let (code, written) = try library.written(choices: choices)
    for key in ["env_fill/values", "env_position/place", "env_run/names"] {
      #expect(written.contains("\n# \(key) memory="), "\(key): \(written)")
    }
    #expect(code.contains("class Txn"), "\(code)")
    let program = """
      do {
        let env = try Env()
        try env.setName("abc")
        do { try env.setName("abcd") } catch { print(error.function, error.code) }
        _ = try env.each { text in
          print(text)
          return 0
        }
        let txn = try env.begin(0)
        print(txn.id)
        try txn.commit(0)
        print(try env.read(1))
      }
      """
    #expect(try library.run(program, choices: choices) == "env_set_name 12\nhello\n7\ncommitted 7\n2\ndestroyed\n")
    let crash = try library.run("let env = try Env()\n_ = try env.sync()", choices: choices, isCrash: true)
    #expect(crash.contains("env->sync is NULL: this env has no such function."), "\(crash)")
  }

  @Test func `all functions of a struct, also if they do not take it, are its methods`() throws {
    let library = SmallLibrary(
      header: """
        #include <stddef.h>
        typedef struct functions functions;
        struct functions {
          int version;
          int (*Initialize)(void *reserved);
          int (*GetCount)(int *count);
          int (*free)(void);
          int (*Digest)(const unsigned char *data, size_t data_len, unsigned char *digest, size_t *digest_len);
        };
        int get_functions(functions **result);
        """,
      source: """
        static int initialize(void *reserved) { return reserved ? 7 : 0; }
        static int count(int *count) { *count = 3; return 0; }
        static int digest(const unsigned char *data, size_t data_len, unsigned char *digest, size_t *digest_len) {
          if (*digest_len < 2) return 336;
          digest[0] = (unsigned char)data_len; digest[1] = data[0]; *digest_len = 2; return 0; }
        static int release(void) { return 99; }
        static functions all = { 2, initialize, count, release, digest };
        int get_functions(functions **result) { *result = &all; return 0; }
        """)
    #expect(try library.written(choices: "* thread=caller").choices.contains("\n# functions methods=all   # If"))
    // The lines that the first run has written for callbacks are no errors.
    let first = try library.written(choices: "* thread=caller").choices
    #expect(first.contains("\nfunctions.Initialize adapter="), "\(first)")
    _ = try library.written(choices: first + "functions methods=all\n")
    let output = try library.run(
      """
      let functions = try LibraryLibrary.functions()!
      try functions.initialize()
      print(try functions.count(), try functions.digest([9, 8, 7].span, upTo: 20), functions.version)
      do { _ = try functions.digest([9].span, upTo: 1) } catch { print(error.function, error.code) }
      """,
      choices: """
        functions methods=all
        * thread=caller fails=nonzero
        get_functions owns=no
        functions_Initialize/reserved memory=null
        functions_Digest/digest memory=out[digest_len]
        """)
    #expect(output == "3 [3, 9] 2\nfunctions_Digest 336\n", "\(output)")
  }
}
