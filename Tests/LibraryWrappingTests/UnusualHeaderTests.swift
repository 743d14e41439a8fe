import Foundation
import Testing

@testable import LibraryWrapping

/// Headers that are written in a way that few libraries have.
@Suite struct UnusualHeaderTests {
  @Test(.enabled(if: Built.canRun))
  func `generated code compiles with internal imports by default`() throws {
    let folder = try HeaderTests.Folder([
      "library.h": """
      typedef struct shop shop;
      typedef struct { int size; double price; } shop_options;
      shop *shop_new(void);
      void shop_free(shop *shop);
      int shop_configure(shop *shop, const shop_options *options);
      """,
      "table.h": """
      typedef struct { void *user; void (*on_open)(void *user); int (*on_ask)(void *user, const char *text); } shop_table;
      typedef struct shop shop;
      shop *shop_new(void);
      void shop_free(shop *shop);
      void shop_set_table(shop *shop, const shop_table *table);
      """,
    ])
    let features = ["InternalImportsByDefault", "MemberImportVisibility", "ExistentialAny"]
    let options = features.flatMap { ["-enable-upcoming-feature", $0] } + ["-default-isolation", "MainActor"]
    for (module, header) in [("Library", "library.h"), ("Table", "table.h")] {
      let arguments = [folder.path + "/" + header, "--output", folder.path, "--module", module, "--thread", "loop"]
      _ = try WrapLibrary.run(try CommandOptions(arguments))
      try Built.check(module, in: folder.path, options: options)
    }
  }

  @Test(.enabled(if: Built.canRun))
  func `a program reaches the fields of structs with MemberImportVisibility`() throws {
    let library = SmallLibrary(
      header: """
        typedef struct { int size; } shop_options;
        typedef struct { int count; } shop_state;
        int shop_configure(const shop_options *options, shop_state *state);
        """,
      source: """
        int shop_configure(const shop_options *options, shop_state *state) {
          state->count = options->size + 1;
          return 0;
        }
        """)
    let program = """
      var (options, state) = (Options(), State())
      options.size = 2
      _ = try LibraryLibrary.configure(options, state: &state)
      print(state.count)
      """
    let features = ["MemberImportVisibility"]
    #expect(try library.run(program, choices: "shop_configure/state memory=inout\n", features: features) == "3\n")
  }

  @Test(.enabled(if: Built.canRun)) func `a union without a tag is reached by a second typedef`() throws {
    let library = SmallLibrary(
      header: """
        typedef union { int whole; double part; } lock_value;
        typedef lock_value lock_number;
        void lock_number_init(lock_number *number);
        void lock_number_destroy(lock_number *number);
        int lock_number_get(lock_number *number);
        """)
    #expect(try library.written().code.contains("UnsafeMutablePointer<lock_number>"))
  }

  @Test(.enabled(if: Built.canRun)) func `functions that the header defines say nothing about the library`() throws {
    let library = SmallLibrary(
      header: """
        int disk_open(int number);
        int disk_close(int number);
        static inline int disk_first(void) { return 1; }
        """)
    let code = try library.written().code
    for name in ["disk_open", "disk_close", "disk_first"] { #expect(code.contains("/// C: `\(name)`")) }
  }

  @Test(.enabled(if: Built.canRun)) func `names outside ASCII`() throws {
    let library = SmallLibrary(
      header: """
        typedef struct größe größe;
        größe *größe_new(int länge);
        void größe_free(größe *größe);
        int größe_get(const größe *größe);
        """)
    let code = try library.written().code
    #expect(code.contains("final class Größe") && code.contains("größe_get("))
  }

  /// Writes the library of a header, and compiles it.
  private func checkLibrary(_ header: String) throws {
    let folder = try HeaderTests.Folder(["library.h": header])
    let arguments = [folder.path + "/library.h", "--output", folder.path, "--module", "Library"]
    _ = try WrapLibrary.run(try CommandOptions(arguments))
    try Built.check("Library", in: folder.path)
  }

  @Test(.enabled(if: Built.canRun)) func `attributes of results and of parameters that are never NULL`() throws {
    try checkLibrary(
      """
      typedef struct shop shop;
      #define NEVER_NULL __attribute__((returns_nonnull))
      shop *shop_new(void) NEVER_NULL;
      void shop_free(shop *shop);
      shop *shop_parent(shop *shop) NEVER_NULL;
      const char *shop_name(shop *shop) NEVER_NULL;
      const char *_Nonnull shop_title(shop *shop);
      const char *shop_errmsg(shop *shop) NEVER_NULL;
      const char *shop_strerror(int code) NEVER_NULL;
      int shop_add(shop *shop, const char *item __attribute__((nonnull)), int *count __attribute__((nonnull)));
      """)
  }

  @Test(.enabled(if: Built.canRun)) func `the text of the last error is never NULL`() throws {
    try checkLibrary(
      """
      typedef struct shop shop;
      shop *shop_new(void);
      void shop_free(shop *shop);
      int shop_open(shop *shop);
      const char *shop_last_error(void) __attribute__((returns_nonnull));
      """)
  }

  @Test(.enabled(if: Built.canRun)) func `values without a type in Swift, also in callbacks`() throws {
    try checkLibrary(
      """
      typedef struct shop shop;
      typedef _BitInt(37) shop_number;
      struct shop_wide { _Alignas(64) char c; };
      shop *shop_new(void);
      void shop_free(shop *shop);
      int shop_count(shop *shop, unsigned _BitInt(7) count);
      __typeof__(int) shop_size(shop *shop, __typeof__(int) size);
      void shop_on_number(shop *shop, void (*f)(void *user, shop_number number), void *user);
      void shop_on_integer(shop *shop, void (*f)(void *user, __int128 number), void *user);
      void shop_on_complex(shop *shop, void (*f)(void *user, _Complex double number), void *user);
      void shop_on_wide(shop *shop, void (*f)(void *user, struct shop_wide wide), void *user);
      void shop_on_unknown(shop *shop, void (*f)(void *user, struct shop_unknown unknown), void *user);
      """)
  }

  @Test(.enabled(if: Built.canRun)) func `names with a dollar sign, and an enum without its constants`() throws {
    try checkLibrary(
      """
      typedef struct shop shop;
      enum shop_later;
      enum shop_kind { SHOP_OPEN, SHOP_CLOSED };
      enum shop_kind;
      shop *shop_new(void);
      void shop_free(shop *shop);
      int shop_$price(shop *shop, int $amount);
      int shop_set_later(shop *shop, enum shop_later *later);
      enum shop_kind shop_kind(shop *shop);
      """)
  }
}
