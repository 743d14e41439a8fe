import Foundation
import Testing

@testable import LibraryWrapping

/// The generated code compiles in a package with default settings, without a warning, and works.
// The programs are linked with the modules that are built beside the tests.
@Suite("Compilation", .enabled(if: Built.canRun))
struct CompilationTests {
  @Test(.enabled(if: Expected.isWanted), arguments: Expected.libraries.map(\.name))
  func `the code for each library of the table`(_ name: String) throws {
    guard let library = Expected.libraries.first(where: { $0.name == name }), Expected.read[name] != nil else { return }
    let folder = try HeaderTests.Folder([:])
    let options = try CommandOptions(
      library.arguments + ["--callbacks", "--module", "Wrapped", "--output", folder.path])
    _ = try WrapLibrary.run(options)
    try Built.check("Wrapped", in: folder.path, flags: Packages.flags(options.headers.packages))
  }

  @Test func `formats, nullability, lists with an end, and contexts behind a pointer`() throws {
    let header = """
      #include <stdarg.h>
      #include <stdlib.h>
      #include <stdio.h>
      #include <sys/types.h>
      #pragma clang assume_nonnull begin
      struct pollfd;
      struct thing;
      static inline struct thing *thing_new(void) { return (struct thing *)malloc(1); }

      /* A log with variadic arguments. */
      typedef void (*log_function)(void * _Nullable context, int level, const char * _Nullable format, ...);
      static inline void thing_set_log(struct thing *t, log_function _Nullable f, void * _Nullable context) {
        if (!f) return;
        f(context, 3, "%s has %d", "log", 42);
        f(context, 4, "%0*d", 600, 7);
      }

      /* A log with a list. */
      typedef int (*list_function)(const char *file, const char *format, va_list arguments, void * _Nullable context);
      static inline int thing_call_list(list_function f, void * _Nullable context, const char *format, ...) {
        va_list list;
        va_start(list, format);
        int result = f("file.c", format, list, context);
        va_end(list);
        return result;
      }
      static inline void thing_set_lines(struct thing *t, list_function _Nullable f, void * _Nullable context) {
        if (f) printf("line %d\\n", thing_call_list(f, context, "%d-%d", 1, 2));
        fflush(stdout);
      }

      struct events {
        void (* _Nullable error)(void * _Nullable context, const char * _Nullable format, ...);
        void * _Nullable context;
      };
      static inline void events_raise(struct events *e) { e->error(e->context, "%s!", "raised"); }

      struct operation { int id; };
      static inline void operation_cancel(struct operation *o) { free(o); }
      static inline struct operation *thing_get_list(
          struct thing *t, void (*f)(struct thing *t, const char * _Nullable name, int eol, void * _Nullable userdata),
          void * _Nullable userdata) {
        f(t, "first", 0, userdata);
        f(t, "second", 0, userdata);
        f(t, NULL, 1, userdata);
        return (struct operation *)malloc(sizeof(struct operation));
      }

      static inline void thing_set_prompt(
          struct thing *t, void (* _Nullable f)(const char *name, void * _Nullable * _Nonnull abstract),
          void * _Nullable abstract) {
        if (f) f("prompt", &abstract);
      }
      static inline void thing_set_data(
          struct thing *t,
          void (* _Nullable f)(void * _Nullable context, const char * _Nullable text, unsigned long length),
          void * _Nullable context) {
        if (!f) return;
        f(context, NULL, 0);
        f(context, "abc", 2);
      }
      static inline void thing_set_poll(
          struct thing *t, int (* _Nullable f)(struct pollfd *descriptors, unsigned long count, void * _Nullable userdata),
          void * _Nullable userdata) {}
      #pragma clang assume_nonnull end
      """
    let program = """
      import CLibrary
      import Headwater
      import Library

      struct Printer: EventsDelegate {
        func error(_ text: String?) { print("error", text ?? "nil") }
      }
      let bag = DisposeBag()
      let thing = Thing(thing_new())
      thing.logs().observeNext { print("log", $0.level, $0.text?.count == 600 ? "long" : $0.text ?? "nil") }.dispose(in: bag)
      thing.onLines { file, text in
        print("lines", file ?? "", text ?? "")
        return 5
      }.dispose(in: bag)
      var table = events()
      let callback = table.setDelegate(Printer())
      events_raise(&table)
      withExtendedLifetime(callback) {}
      thing.lists().observe { event in print("list", event) }.dispose(in: bag)
      thing.prompts().observeNext { print("prompt", $0) }.dispose(in: bag)
      thing.data().observeNext { print("data", $0 ?? "nil") }.dispose(in: bag)
      """
    let choices = """
      thing_set_log/1 adapter=repeating thread=caller end=? name=logs
      thing_set_lines/1 adapter=repeating thread=caller end=? name=onLines
      thing_get_list/1 adapter=repeating thread=caller end=operation_cancel name=lists
      thing_set_prompt/1 adapter=repeating thread=caller end=? name=prompts
      thing_set_data/1 adapter=repeating thread=caller end=? name=data
      """
    let folder = try HeaderTests.Folder(["library.h": header, "main.swift": program, "choices": choices])
    _ = try WrapLibrary.run(
      try CommandOptions([
        "--callbacks", folder.path + "/library.h", "--output", folder.path, "--choices", folder.path + "/choices",
        "--force",
      ]))
    try Built.compile("Library", in: folder.path)
    let printed = try Built.run("main.swift", with: "Library", in: folder.path, [])
    #expect(
      printed == """
        log 3 log has 42
        log 4 long
        lines file.c 1-2
        line 5
        error raised!
        list next((name: Optional("first"), eol: 0))
        list next((name: Optional("second"), eol: 0))
        list completed
        prompt prompt
        data nil
        data ab

        """, "\(printed)")
  }

  @Test(arguments: [
    """
    #include <stddef.h>
    #define NONNULL(list) __attribute__((__nonnull__ list))
    #define ALL_NONNULL __attribute__((nonnull))
    typedef void (*watcher)(void *context, int value);
    int watch_name(const char *name, watcher f, void *context) __attribute__((nonnull(1, 2)));
    int watch_path(const char *path, watcher f, void *context) NONNULL ((1));
    int watch_all(const char *name, const char *path, watcher f, void *context) ALL_NONNULL;
    void sort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) NONNULL ((1, 4));
    """,
    """
    typedef char *String;
    typedef void (*watcher)(void *context, const char *text, String own);
    int watch(const char *name, watcher f, void *context);
    void unwatch(watcher f, void *context);
    """,
  ])
  func `attributes about NULL, and types with the names of Swift's, are those of C`(_ header: String) throws {
    let folder = try HeaderTests.Folder(["library.h": header])
    _ = try WrapLibrary.run(try CommandOptions(["--callbacks", folder.path + "/library.h", "--output", folder.path]))
    try Built.compile("Library", in: folder.path)
  }

  @Test func `what ends a registration by its function gets the same function, and closures have the names of C`()
    throws
  {
    let header = """
      #include <stdio.h>
      typedef void (*source_callback)(int value, void *opaque);
      struct source { source_callback f; void *opaque; };
      static inline void source_add_callback(struct source *s, source_callback f, void *opaque) {
        s->f = f;
        s->opaque = opaque;
      }
      static inline void source_remove_callback(struct source *s, source_callback f, void *opaque) {
        printf("%s\\n", s->f == f && s->opaque == opaque ? "ended" : "unknown");
        fflush(stdout);
      }
      static inline void source_raise(struct source *s, int value) { s->f(value, s->opaque); }
      static inline int source_connect(
          struct source *s, source_callback callback, source_callback status, const char *name, void *opaque) {
        if (callback) callback(1, opaque);
        if (status) status(2, opaque);
        return 0;
      }
      """
    let program = """
      import CLibrary
      import Headwater
      import Library

      let object = UnsafeMutablePointer<source>.allocate(capacity: 1)
      let registration = Source(object).values().observe { print($0) }
      source_raise(object, 5)
      registration.dispose()
      let all = try Source(object).connect("name", callback: { print("callback", $0) })
      all.dispose()
      """
    let choices = """
      source_add_callback/1 adapter=repeating thread=caller end=source_remove_callback name=values
      source_connect/1 adapter=repeating thread=caller end=? name=callback
      """
    let folder = try HeaderTests.Folder(["library.h": header, "main.swift": program, "choices": choices])
    _ = try WrapLibrary.run(
      try CommandOptions([
        "--callbacks", folder.path + "/library.h", "--output", folder.path, "--choices", folder.path + "/choices",
        "--force",
      ]))
    try Built.compile("Library", in: folder.path)
    let text = try Built.run("main.swift", with: "Library", in: folder.path, [])
    #expect(text == "next(5)\nended\ncallback 1\n", "\(text)")
  }

  @Test func `a delegate has all contexts of a struct, and a handler has the object's, which a function returns`()
    throws
  {
    let header = """
      #include <stddef.h>
      struct resource {
        void *data;
        int (*handler)(struct resource *, int code);
        void (*destroy)(struct resource *);
      };
      static inline void *lib_resource_get_userdata(struct resource *r) { return r->data; }
      static inline void lib_resource_set_userdata(struct resource *r, void *data) { r->data = data; }
      static inline void lib_resource_set_handler(struct resource *r, int (*handler)(struct resource *, int code)) {
        r->handler = handler;
      }
      static inline int lib_resource_raise(struct resource *r, int code) {
        return r->handler ? r->handler(r, code) : -1;
      }
      static inline void lib_resource_set_watcher(
          struct resource *r, int (*watcher)(struct resource *, int code), void *data, void (*destroy)(struct resource *)) {
        r->data = data;
        r->handler = watcher;
        r->destroy = destroy;
      }
      struct setup {
        int (*validate_name)(const char *name, void *arg);
        void *name_arg;
        int (*validate_key)(int key, void *arg);
        void *key_arg;
        int (*setup_more)(void *session, struct setup *);
      };
      static inline int lib_check(struct setup *s) {
        return s->validate_name("name", s->name_arg) + s->validate_key(3, s->key_arg) + (s->setup_more == NULL ? 0 : 100);
      }
      """
    let program = """
      import CLibrary
      import Headwater
      import Library

      final class Checks: SetupDelegate {
        func validateName(_ name: String?) -> Int32 { name == "name" ? 10 : 0 }
        func validateKey(_ key: Int32) -> Int32 { key }
      }
      var table = setup()
      let callback = table.setDelegate(Checks())
      print(lib_check(&table))
      withExtendedLifetime(callback) {}

      let objects = (0..<2).map { _ in UnsafeMutablePointer<resource>.allocate(capacity: 1) }
      for object in objects { object.initialize(to: resource()) }
      let resources = objects.map { Resource($0) }
      let first = resources[0].onResource { _, code in code * 2 }
      let second = resources[1].onResource { _, code in code * 3 }
      print(lib_resource_raise(objects[0], 5), lib_resource_raise(objects[1], 5))
      first.dispose()
      print(lib_resource_raise(objects[0], 5), lib_resource_raise(objects[1], 5))
      second.dispose()

      final class Probe { deinit { print("released") } }
      let third = UnsafeMutablePointer<resource>.allocate(capacity: 1)
      third.initialize(to: resource())
      func watch(_ object: UnsafeMutablePointer<resource>) -> any Disposable {
        let probe = Probe()
        return Resource(object).onWatcher { _, code in withExtendedLifetime(probe) { code + 1 } }
      }
      let watcher = watch(third)
      print(lib_resource_raise(third, 6))
      third.pointee.destroy(third)
      print("destroyed")
      watcher.dispose()
      """
    let choices = """
      lib_resource_set_handler/1 adapter=foreign thread=? end=? name=onResource
      lib_resource_set_watcher/1 adapter=lent thread=caller end=? name=onWatcher
      """
    let folder = try HeaderTests.Folder(["library.h": header, "main.swift": program, "choices": choices])
    _ = try WrapLibrary.run(
      try CommandOptions([
        "--callbacks", folder.path + "/library.h", "--output", folder.path, "--choices", folder.path + "/choices",
        "--force",
      ]))
    try Built.compile("Library", in: folder.path)
    let text = try Built.run("main.swift", with: "Library", in: folder.path, [])
    #expect(text == "13\n10 15\n-1 15\n7\nreleased\ndestroyed\n", "\(text)")
  }

  @Test func `a number that registering returns ends the registration, and a negative one is a failure`() throws {
    let header = """
      #include <stdio.h>
      struct source { int last; };
      /**
       * source_callback:
       *
       * Tells that something is there.
       */
      typedef void (*source_callback)(int value, void *opaque);
      static inline int source_register_any(struct source *s, int event, source_callback f, void *opaque) {
        if (event < 0) return -1;
        f(event, opaque);
        return 7;
      }
      static inline int source_deregister_any(struct source *s, int callbackID) {
        printf("ended %d\\n", callbackID);
        fflush(stdout);
        return 0;
      }
      """
    let program = """
      import CLibrary
      import Headwater
      import Library

      let object = UnsafeMutablePointer<source>.allocate(capacity: 1)
      let registration = Source(object).anies(3).observe { print($0) }
      registration.dispose()
      Source(object).anies(-1).observe { print($0) }.dispose()
      """
    let choices = "source_register_any/2 adapter=repeating thread=caller end=source_deregister_any name=anies\n"
    let folder = try HeaderTests.Folder(["library.h": header, "main.swift": program, "choices": choices])
    _ = try WrapLibrary.run(
      try CommandOptions([
        "--callbacks", folder.path + "/library.h", "--output", folder.path, "--choices", folder.path + "/choices",
        "--force",
      ]))
    let swift = try String(contentsOfFile: folder.path + "/Library/Library.swift", encoding: .utf8)
    #expect(swift.contains("/// Tells that something is there."))
    try Built.compile("Library", in: folder.path)
    let text = try Built.run("main.swift", with: "Library", in: folder.path, [])
    #expect(text.hasPrefix("next(3)\nended 7\nfailed("), "\(text)")
  }

  @Test func `two callbacks of one registration share its number, and memory has its length`() throws {
    let header = """
      #include <stdio.h>
      #include <stdlib.h>
      typedef struct zoo zoo;
      static inline zoo *zoo_new(void) { return (zoo *)malloc(1); }
      static inline void zoo_free(zoo *z) { free(z); }
      /** Both callbacks get ctx. Returns an id > 0 for zoo_unwatch, or a negative number if it fails. */
      static inline int zoo_watch(zoo *z, void (*enter)(void *ctx, int cage), void (*leave)(void *ctx, int cage), void *ctx) {
        printf("watch\\n");
        fflush(stdout);
        if (enter) enter(ctx, 1);
        if (leave) leave(ctx, 2);
        return 5;
      }
      static inline void zoo_unwatch(zoo *z, int id) { printf("unwatch %d\\n", id); fflush(stdout); }

      static inline void zoo_read(zoo *z, void (*fn)(void *ctx, const char *buf, int n), void *ctx) { fn(ctx, "abcdef", 3); }
      static inline void zoo_look(zoo *z, void (*fn)(void *ctx, size_t size, const char *data), void *ctx) {
        fn(ctx, 2, "abcdef");
      }
      static inline void zoo_take(zoo *z, void (*fn)(void *ctx, const char *buffer, size_t size, size_t nmemb), void *ctx) {
        fn(ctx, "abcdef", 2, 2);
      }
      """
    let program = """
      import CLibrary
      import Headwater
      import Library

      let zoo = Zoo(zoo_new()!)
      try zoo.watch(enter: { print("enter", $0) }, leave: { print("leave", $0) }).dispose()
      zoo.reads().observeNext { print($0) }.dispose()
      zoo.looks().observeNext { print($1) }.dispose()
      zoo.takes().observeNext { print($0) }.dispose()
      """
    let sites = ["watch/1", "watch/2", "read/1 name=reads", "look/1 name=looks", "take/1 name=takes"]
    let folder = try HeaderTests.Folder([
      "library.h": header, "main.swift": program,
      "choices": sites.map { "zoo_\($0) adapter=repeating thread=caller\n" }.joined(),
    ])
    _ = try WrapLibrary.run(
      try CommandOptions([
        "--callbacks", folder.path + "/library.h", "--output", folder.path, "--choices", folder.path + "/choices",
        "--force",
      ]))
    try Built.compile("Library", in: folder.path)
    let lines = try Built.run("main.swift", with: "Library", in: folder.path, []).split(separator: "\n")
    #expect(lines.sorted() == ["ab", "abc", "abcd", "enter 1", "leave 2", "unwatch 5", "watch"])
  }
}
