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
}
