import Foundation
import Testing

@testable import LibraryWrapping

/// The code for whole libraries, run with a library that is written in C and counts its objects.
@Suite("Code for whole libraries", .enabled(if: Built.canRun))
struct WholeCodeTests {
  private static let header = """
    #include <stddef.h>
    typedef struct shop shop;
    typedef struct item item;
    typedef struct sale sale;
    typedef enum { SHOP_OK = 0, SHOP_CLOSED = 1, SHOP_SOLD_OUT = 2 } shop_error;
    typedef enum shop_kind { SHOP_KIND_SMALL, SHOP_KIND_LARGE } shop_kind;
    typedef enum { SHOP_OPEN_DRY = 1 << 0, SHOP_OPEN_LATE = 1 << 1, SHOP_OPEN_LOUD = 1 << 2 } shop_open_flags;
    typedef struct { int width; int height; } shop_area;
    /** The number of objects that exist. */
    int shop_alive(void);
    /** Opens a shop. @param name The name, or NULL. Returns NULL on failure. */
    shop *shop_open(const char *name, shop_open_flags flags);
    /** Closes the shop. */
    shop_error shop_close(shop *s);
    const char *shop_strerror(shop_error code);
    /** The text of the last error. */
    const char *shop_last_error_message(shop *s);
    const char *shop_get_name(shop *s);
    /** The inventory as text. The caller must free it with shop_free_text. */
    char *shop_describe(shop *s);
    void shop_free_text(char *text);
    shop_kind shop_get_kind(shop *s);
    void shop_set_kind(shop *s, shop_kind kind);
    /** Adds an item. Returns 0 on success, a negative number on failure. */
    int shop_add(shop *s, const char *name, const void *label, size_t label_len, item **out);
    /** The first item. It is owned by the shop and must not be freed. */
    item *shop_get_first(shop *s);
    /** Adds up the prices. */
    int shop_add_up(shop *s, const item *const *items, size_t count);
    item *item_ref(item *i);
    void item_unref(item *i);
    const char *item_name(item *i);
    /** Copies the label. Returns the number of bytes, or a negative number on failure. */
    int item_read_label(item *i, void *buffer, size_t length);
    /** Measures the item. Returns 0 on success, a negative number on failure. */
    int item_measure(item *i, shop_area *out, int *weight);
    int shop_is_open(shop *s);
    /** Begins a sale. Returns 0 on success, a negative number on failure. */
    int sale_begin(shop *s, sale **out);
    /** Commits the sale, which is freed. Returns 0 on success, a negative number on failure. */
    int sale_commit(sale *s);
    /** Discards the sale, which is freed. */
    void sale_abort(sale *s);
    void shop_print(shop *s, const char *first, ...);
    """

  private static let source = """
    #include "library.h"
    #include <stdlib.h>
    #include <string.h>
    static int alive;
    struct item { int references; char name[32]; char label[32]; int length; };
    struct shop { char name[32]; shop_kind kind; item *first; const char *error; };
    struct sale { int closed; };
    int shop_alive(void) { return alive; }
    shop *shop_open(const char *name, shop_open_flags flags) {
      if (flags & SHOP_OPEN_LOUD) return 0;
      shop *s = calloc(1, sizeof *s);
      strcpy(s->name, name ? name : "no name");
      alive++;
      return s;
    }
    shop_error shop_close(shop *s) {
      shop_error result = s->first && s->first->references > 1 ? SHOP_SOLD_OUT : SHOP_OK;
      if (s->first) item_unref(s->first);
      free(s);
      alive--;
      return result;
    }
    const char *shop_strerror(shop_error code) { return code == SHOP_SOLD_OUT ? "sold out" : "closed"; }
    const char *shop_last_error_message(shop *s) { return s->error; }
    const char *shop_get_name(shop *s) { return s->name; }
    char *shop_describe(shop *s) { alive++; char *text = malloc(64); strcpy(text, "shop "); return strcat(text, s->name); }
    void shop_free_text(char *text) { alive--; free(text); }
    shop_kind shop_get_kind(shop *s) { return s->kind; }
    void shop_set_kind(shop *s, shop_kind kind) { s->kind = kind; }
    int shop_add(shop *s, const char *name, const void *label, size_t length, item **out) {
      if (length > 32) { s->error = "the label is too long"; return -7; }
      item *i = calloc(1, sizeof *i);
      i->references = 2;
      strcpy(i->name, name);
      memcpy(i->label, label, length);
      i->length = (int)length;
      if (s->first) item_unref(s->first);
      s->first = i;
      *out = i;
      alive++;
      return 0;
    }
    item *shop_get_first(shop *s) { return s->first; }
    int shop_add_up(shop *s, const item *const *items, size_t count) {
      int sum = 0;
      for (size_t n = 0; n < count; n++) sum += items[n]->length;
      return sum;
    }
    item *item_ref(item *i) { i->references++; return i; }
    void item_unref(item *i) { if (--i->references == 0) { free(i); alive--; } }
    const char *item_name(item *i) { return i->name; }
    int item_read_label(item *i, void *buffer, size_t length) {
      int count = i->length < (int)length ? i->length : (int)length;
      memcpy(buffer, i->label, count);
      return count;
    }
    int item_measure(item *i, shop_area *out, int *weight) {
      *out = (shop_area){ i->length, 2 };
      *weight = 5;
      return 0;
    }
    int shop_is_open(shop *s) { return 1; }
    int sale_begin(shop *s, sale **out) { alive++; *out = calloc(1, sizeof **out); return 0; }
    int sale_commit(sale *s) { alive--; free(s); return 0; }
    void sale_abort(sale *s) { alive--; free(s); }
    void shop_print(shop *s, const char *first, ...) {}
    """

  /// A folder with the library and a program.
  private func folder(_ program: String, choices: String = "") throws -> HeaderTests.Folder {
    try HeaderTests.Folder([
      "library.h": Self.header, "library.c": Self.source, "main.swift": program, "choices": choices,
    ])
  }

  /// Writes the library, and returns what the command printed.
  private func write(_ folder: borrowing HeaderTests.Folder, _ others: [String] = []) throws -> String {
    let options = ["--output", folder.path, "--module", "Library", "--choices", folder.path + "/choices"]
    return try WrapLibrary.run(try CommandOptions([folder.path + "/library.h"] + options + others))
  }

  private func run(_ program: String, choices: String = "", isCrash: Bool = false) throws -> String {
    let folder = try folder(program, choices: choices)
    _ = try write(folder)
    let object = folder.path + "/library-c.o"
    #expect(FinishedProcess.run(["clang", "-c", folder.path + "/library.c", "-o", object])?.status == 0)
    try Built.compile("Library", in: folder.path)
    return try Built.run("main.swift", with: "Library", in: folder.path, [object], isCrash: isCrash)
  }

  @Test func `objects, text, memory, enumerations, errors, and results`() throws {
    let program = """
      import Library

      func work() throws(LibraryFailure) {
        let shop = try Shop.open("Corner", flags: [.dry, .late])
        print(shop.name ?? "?", shop.kind == .small, shop.isOpen, shop.describe ?? "?")
        shop.setKind(.large)
        print(shop.kind == .large)
        let label = Array("fresh".utf8)
        let bread = try shop.add("bread", label: label.span)
        print(bread.name ?? "?", String(decoding: try bread.readLabel(upTo: 3), as: UTF8.self))
        let size = try bread.measure()
        print(size.out.width, size.out.height, size.weight)
        print(shop.first?.name ?? "?", try shop.addUp([bread, bread]))
        do throws(LibraryFailure) {
          _ = try shop.add("cake", label: [UInt8](repeating: 0, count: 33).span)
        } catch {
          print(error, error.code)
        }
        try shop.saleBegin().commit()
        _ = try shop.saleBegin()
        do throws(LibraryFailure) {
          _ = try Shop.open(nil, flags: .loud)
        } catch {
          print("failed:", error.function)
        }
        do throws(LibraryFailure) {
          try shop.close()
        } catch {
          print(error)
        }
        try shop.close()
        print("alive:", LibraryLibrary.alive())
      }
      try work()
      print("alive:", LibraryLibrary.alive())
      let first: Item?
      do { first = try Shop.open("Another", flags: []).add("tea", label: [UInt8]().span) }
      print(first?.name ?? "?", LibraryLibrary.alive())
      """
    let printed = try run(program)
    #expect(
      printed == """
        Corner true true shop Corner
        true
        bread fre
        5 2 5
        bread 10
        shop_add: the label is too long -7
        failed: shop_open
        shop_close: sold out
        alive: 1
        alive: 0
        tea 2

        """, "\(printed)")
  }

  @Test(arguments: [
    ("let shop = try Shop.open(nil, flags: [])\ntry shop.close()\nprint(shop.kind)", "The Shop is closed."),
    (
      "let sale = try Shop.open(nil, flags: []).saleBegin()\ntry sale.commit()\ntry sale.commit()",
      "The Sale is closed, or what it was made with."
    ),
  ])
  func `a use after the end is a programming error`(_ program: String, _ message: String) throws {
    #expect(try run("import Library\n" + program, isCrash: true).contains(message))
  }

  @Test func `what is not written is listed with its reason`() throws {
    let folder = try folder("")
    #expect(try write(folder).contains("skipped 1: Swift does not import variadic functions."))
    let choices = try String(contentsOfFile: folder.path + "/choices", encoding: .utf8)
    #expect(choices.contains("# shop_print: Swift does not import variadic functions."))
  }

  /// Writes a library with this header, and returns its code and its choices.
  private func code(of header: String) throws -> (code: String, choices: String) {
    let folder = try HeaderTests.Folder(["library.h": header, "choices": ""])
    _ = try write(folder)
    try Built.compile("Library", in: folder.path)
    return (
      try Built.code("Library", in: folder.path),
      try String(contentsOfFile: folder.path + "/choices", encoding: .utf8)
    )
  }

  @Test func `a pointer to numbers with a count beside it is an array, and no result`() throws {
    let (code, choices) = try code(
      of: """
        typedef struct sound sound;
        sound *sound_open(const char *path);
        void sound_close(sound *s);
        long sound_read_short(sound *s, short *ptr, long frames);
        long sound_read_items(sound *s, double *out, long items);
        int sound_rate(sound *s, int index, int *rate);
        int sound_position(sound *s, long *frames, int flags);
        """)
    #expect(choices.contains("# sound_read_short/ptr memory=?   # It takes an array."))
    #expect(choices.contains("# sound_read_items/out memory=?   # It takes an array."))
    #expect(code.contains("sound_rate(pointer, index, &rate)"))
    #expect(code.contains("sound_position(pointer, &frames, flags)"))
  }

  @Test func `a text is freed only if its comment says so, also by a class with a method called free`() throws {
    let (code, choices) = try code(
      of: """
        typedef struct page page;
        page *page_new(void);
        void page_free(page *p);
        /** Renders the page. It is the caller's responsibility to free the result. */
        char *page_render(page *p);
        /** The title. It is owned by the page and must not be freed. Usage: printf("%s", page_title(p)); page_free(p); */
        char *page_title(page *p);
        /** The name. Usage: page_name(p); page_free(p); */
        char *page_name(page *p);
        """)
    #expect(code.components(separatedBy: "defer { Glibc.free(result) }").count == 2)
    #expect(code.contains("public var title: String? {"))
    #expect(
      choices.contains("# page_name/result frees=?   # The header does not say who frees the text that it returns."))
  }

  @Test func `a type with two names is not freed twice`() throws {
    let code = try code(
      of: """
        typedef struct context_s context;
        typedef context stream;
        context *context_new(void);
        void context_free(context *c);
        stream *stream_new(void);
        void stream_free(stream *s);
        """
    ).code
    let (first, last) = (
      code.firstRange(of: "stream_free(pointer)"), code.firstRange(of: "context_free(storedPointer)")
    )
    // Either it is not written, or the object counts as closed.
    if let first {
      #expect(code[..<first.lowerBound].suffix(120).contains("consume()"), "\(code)")
    }
    #expect(last != nil)
  }

  @Test func `types that Swift does not import, or knows from the system, and features of the C library`() throws {
    let code = try code(
      of: """
        #define _GNU_SOURCE 1
        #define _POSIX_C_SOURCE 200112L
        #include <stddef.h>
        #include <time.h>
        typedef struct __attribute__((aligned(64))) { unsigned char opaque[384]; } digest_state;
        typedef struct __attribute__((aligned(16))) { unsigned char bytes[16]; } digest_key;
        int digest_init(digest_state *state, const digest_key *key);
        struct re_pattern_buffer;
        typedef struct re_pattern_buffer *regex;
        regex regex_new(const char *text);
        void regex_free(regex r);
        long digest_time(const struct tm *time);
        """
    ).code
    #expect(code.contains("regex_free("))
  }

  @Test func `a rule for all functions does not make a status of a value`() throws {
    let folder = try folder("")
    _ = try write(folder, ["--fails", "zero"])
    let code = try Built.code("Library", in: folder.path)
    #expect(code.contains("if result <= 0 { throw LibraryFailure(function: \"sale_commit\""))
    #expect(code.contains("public static func alive() -> Int32 {"))
  }

  @Test func `choices change the name, the failures, and the owner`() throws {
    let program = """
      import Library

      let shop = try Shop.open(nil, flags: [])
      print(try shop.put("bread", label: [UInt8]().span).name ?? "?")
      print(shop.addUp([]))
      """
    #expect(try run(program, choices: "shop_add name=put\nshop_add_up fails=never\n") == "bread\n0\n")
  }
}
