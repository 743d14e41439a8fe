import Testing

@testable import LibraryWrapping

/// What names, comments, and neighbors say of pointers and results: each was one of a library that strangers wrapped.
@Suite("Guesses from names", .enabled(if: Built.canRun))
struct NameGuessTests {
  @Test func `arrays, parts of texts, and memory that C frees or keeps are asked for`() throws {
    let (code, choices) = try SmallLibrary(
      header: """
        typedef struct shape shape;
        typedef struct row row;
        shape *shape_open(const char *name);
        void shape_close(shape *s);
        row *row_make(int n);
        void row_free(row *r);
        void shape_info(shape *s, double *padfMinBound);
        int shape_reorder(shape *s, int *panMap);
        void shape_free_ids(int *ids);
        int shape_set_row(shape *s, int number, double *values);
        int shape_get_limits(shape *s, double *var);
        int shape_get_count(shape *s, int *count);
        int shape_get_row(shape *s, int number, double *row);
        int shape_solve(shape *s, int number, float *rhsvector);
        void shape_swap(int *one, int *other);
        int shape_appendcol(shape *s, int *colno);
        int shape_cursor(shape *s, int *row, int *column);
        int shape_parse(shape *s, int, const char **);
        int shape_lookup(shape *s, const char *begin, const char *end);
        int shape_write(shape *s, row **row_array);
        const char *shape_read_tuple(shape *s, int number);
        /** Makes a shape that points to the text. The string is not duplicated. */
        shape *shape_of_text(const char *text);
        void shape_exchange(shape *s, int request, void *user_data);
        typedef struct info { int n; } info;
        info **shape_infos(shape *s);
        void info_free(info *i);
        """
    ).written(choices: "* thread=caller")
    for key in [
      "shape_info/padfMinBound", "shape_reorder/panMap", "shape_set_row/values", "shape_get_limits/var",
      "shape_get_row/row", "shape_solve/rhsvector", "shape_swap/one", "shape_appendcol/colno",
      "shape_parse/2",
      "shape_lookup/begin", "shape_write/row_array", "shape_read_tuple/result", "shape_exchange/user_data",
      "shape_of_text/text",
    ] {
      #expect(choices.contains("\n# \(key) memory="), "\(key): \(choices)")
    }
    for function in ["shape_free_ids", "info_free"] {
      #expect(choices.contains("\n# \(function): "), "\(function): \(choices)")
    }
    #expect(code.contains("-> (row: Int32, column: Int32)"), "\(code)")
    #expect(code.contains("public func count() throws(LibraryFailure) -> Int32"), "\(code)")
  }

  @Test func `fields whose comments say that no zero ends them are no texts`() throws {
    let code = try SmallLibrary(
      header: """
        typedef struct {
          char *name;
          char *surface; /**< the text, which is not 0 terminated */
          char *chars; /**< "raw" data */
          char *pachFieldType;
          int count;
        } node;
        const node *node_get(int number);
        """
    ).written().code
    #expect(code.contains("name: String?"))
    for name in ["surface", "chars", "pachFieldType"] { #expect(!code.contains("let \(name):"), "\(name): \(code)") }
  }

  @Test func `a struct of functions that the library has is not lent to what keeps it`() throws {
    let choices = try SmallLibrary(
      header: """
        typedef struct coder coder;
        typedef struct mode { const char *name; int (*query)(int); } mode;
        typedef struct options { int size; int (*filter)(int); } options;
        const mode *coder_mode(int number);
        coder *coder_init(const mode *m);
        coder *coder_open(const options *o);
        void coder_close(coder *c);
        """
    ).written(choices: "* thread=caller").choices
    #expect(choices.contains("# coder_init: C may keep the struct of functions, which is the library's."), "\(choices)")
    #expect(!choices.contains("# coder_open"), "\(choices)")
  }

  @Test func `objects begin with none, are freed by short names, and are not made by properties`() throws {
    let library = SmallLibrary(
      header: """
        typedef struct elf elf;
        typedef struct scn scn;
        typedef struct _problem problem;
        /* Opens a file, perhaps one in another. */
        elf *elf_begin(int fd, int command, elf *ref);
        int elf_end(elf *e);
        /* Returns the section after another one. */
        scn *elf_nextscn(elf *e, scn *section);
        /* Adds a section. */
        scn *elf_newscn(elf *e);
        int elf_errno(void);
        const char *elf_errmsg(int error);
        problem *make_pr(int rows);
        void delete_pr(problem *p);
        typedef int lib_boolean_t;
        /* Return: true if the file has sections, false otherwise. */
        lib_boolean_t elf_any(elf *e);
        """,
      source: """
        #include <stdlib.h>
        struct elf { int n; }; struct scn { int n; }; struct _problem { int n; };
        elf *elf_begin(int fd, int command, elf *ref) { return fd < 0 ? NULL : calloc(1, sizeof(elf)); }
        int elf_end(elf *e) { free(e); return 0; }
        static scn all[3];
        scn *elf_nextscn(elf *e, scn *section) { return section == NULL ? all : section < all + 2 ? section + 1 : NULL; }
        scn *elf_newscn(elf *e) { return all; }
        int elf_errno(void) { return 9; }
        const char *elf_errmsg(int error) { return error == 9 ? "no file" : "?"; }
        problem *make_pr(int rows) { return calloc(1, sizeof(problem)); }
        void delete_pr(problem *p) { free(p); }
        lib_boolean_t elf_any(elf *e) { return 0; }
        """)
    let printed = try library.run(
      """
      let elf = try Elf.begin(1, command: 0, ref: nil)
      var sections = 0
      var section = elf.nextscn(nil)
      while let next = section { (section, sections) = (elf.nextscn(next), sections + 1) }
      print(sections, elf.newscn() != nil, elf.any)
      do { _ = try Elf.begin(-1, command: 0, ref: nil) } catch { print(error) }
      """)
    #expect(printed == "3 true false\nelf_begin: no file\n")
    #expect(try library.written().code.contains("delete_pr(storedPointer)"))
  }

  @Test func `a callback can answer that each number is a value, and a freeing function has the rule for all`() throws {
    let library = SmallLibrary(
      header: """
        typedef struct vault vault;
        int vault_open(const char *path, vault **result);
        int vault_close(vault *s);
        int vault_safe_call(vault *s, int (*body)(void *user, int n), void *user);
        """,
      source: """
        #include <stdlib.h>
        struct vault { int n; };
        int vault_open(const char *path, vault **result) { *result = calloc(1, sizeof(vault)); return 0; }
        int vault_close(vault *s) { free(s); return 22; }
        int vault_safe_call(vault *s, int (*body)(void *user, int n), void *user) { return body(user, 1) * 10; }
        """)
    let printed = try library.run(
      """
      let vault = try Vault.open("a")
      print(vault.safeCall { n in -n })
      do { try vault.close() } catch { print(error.function, error.code) }
      """,
      choices: "* thread=caller fails=nonzero\nvault_safe_call/1 adapter=scoped fails=never name=safeCall")
    #expect(printed == "-10\nvault_close 22\n")
  }

  @Test func `a module that links no library says so`() throws {
    let folder = try HeaderTests.Folder([
      "library.h": "int shop_size(void);", "inside.h": "static inline int size(void) { return 1; }",
    ])
    func printed(_ header: String, _ options: [String] = []) throws -> String {
      try WrapLibrary.run(
        try CommandOptions(
          ["\(folder.path)/\(header)", "--output", folder.path, "--module", "Library", "--force"] + options))
    }
    let advice = "the module links none. Add --link NAME, or --pkg-config NAME."
    #expect(try printed("library.h").contains(advice))
    #expect(try !printed("inside.h").contains(advice))
  }
}
