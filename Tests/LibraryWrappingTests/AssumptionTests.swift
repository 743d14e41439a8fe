import Foundation
import Testing

@testable import LibraryWrapping

/// What comments say of pointers, and what only names say, with functions that the header defines, so that the result runs.
@Suite("Assumptions about pointers", .enabled(if: Built.canRun))
struct AssumptionTests {
  private static let header = """
    #include <stddef.h>
    #include <stdlib.h>
    #include <string.h>
    typedef struct mine mine;
    static inline mine *mine_new(void) { return calloc(1, sizeof(int)); }
    static inline void mine_free(mine *m) { free(m); }
    static inline int mine_read(mine *m, char *buffer, size_t size)
    { (void)m; size_t n = size < 3 ? size : 3; memcpy(buffer, "abc", n); return (int)n; }
    static inline int mine_depth(mine *m, int *depth) { (void)m; *depth = 12; return 0; }
    static inline int mine_name(mine *m, char *name, size_t size) { (void)m; strncpy(name, "pit", size); return 0; }
    static inline int mine_dig(mine *m, const int *steps, int count)
    { (void)m; int all = 0; for (int i = 0; i < count; i++) all += steps[i]; return all; }
    /**
     * Digs.
     * @param[in,out] left  How far is left.
     * @param[out]    found The gold.
     */
    static inline int mine_dig_on(mine *m, int *left, double *found) { (void)m; *left -= 2; *found = 0.5; return 0; }
    /**
     * mine_weigh:
     * @m: a mine
     * @load: (inout): in tons
     */
    static inline void mine_weigh(mine *m, int *load) { (void)m; *load *= 3; }
    static inline int mine_keyword(int place, const char **text, int *length)
    { (void)place; *text = "NOTNULL"; *length = 3; return 0; }
    static inline int mine_is_rich(mine *m, int *result) { (void)m; *result = 1; return 0; }
    static inline const unsigned char *mine_take(mine *m, size_t *size)
    { static const unsigned char all[] = {1, 2, 3}; (void)m; *size = *size < 3 ? *size : 3; return all; }
    """

  private func write(_ folder: borrowing HeaderTests.Folder, _ options: [String] = [], choices: String? = nil) throws
    -> (
      printed: String, choices: String
    )
  {
    let path = folder.path + "/choices"
    if let choices { try choices.write(toFile: path, atomically: true, encoding: .utf8) }
    let arguments = ["--output", folder.path, "--module", "Mine", "--choices", path, "--force", "--thread", "caller"]
    let printed = try WrapLibrary.run(try CommandOptions([folder.path + "/mine.h"] + arguments + options))
    return (printed, try String(contentsOfFile: path, encoding: .utf8))
  }

  @Test func `the functions do what names and comments say, and the choices list what only names say`() throws {
    let program = """
      import Mine
      let mine = try Mine()
      print(try mine.read(upTo: 2), try mine.depth(), try mine.name(upTo: 8))
      print(mine.dig([1, 2, 3].span))
      var left: Int32 = 7
      print(try mine.digOn(&left), left)
      var load: Int32 = 5
      mine.weigh(&load)
      print(load, try mine.isRich())
      """
    let folder = try HeaderTests.Folder(["mine.h": Self.header, "main.swift": program])
    let (printed, choices) = try write(folder)
    #expect(printed.contains("check what 6 pointers of functions are for"))
    let lines = choices.components(separatedBy: "only names say.").last?.split(separator: "\n").filter {
      $0.contains("/")
    }
    #expect(
      lines == [
        "# mine_read/buffer memory=out[size:result]", "# mine_depth/depth memory=out",
        "# mine_name/name memory=text[size]",
        "# mine_dig/steps memory=in[count]", "# mine_is_rich/result memory=out", "# mine_take/size memory=out",
      ])
    // The text has a length beside it, so no zero ends it.
    #expect(choices.contains("# mine_keyword/text memory=? frees=?"))
    try Built.compile("Mine", in: folder.path)
    #expect(
      try Built.run("main.swift", with: "Mine", in: folder.path, []) == """
        [97, 98] 12 pit
        6
        0.5 5
        15 1

        """)
  }

  @Test func `a line that says the same changes nothing, and one that says something else corrects the function`()
    throws
  {
    let folder = try HeaderTests.Folder(["mine.h": Self.header])
    let (_, choices) = try write(folder)
    let code = try Built.code("Mine", in: folder.path)
    let told = choices.replacing("# mine_", with: "mine_").split(separator: "\n").filter { !$0.contains("?") }
      .joined(separator: "\n")
    #expect(told.contains("\nmine_is_rich/result memory=out"))
    #expect(!(try write(folder, choices: told).printed.contains("check what")))
    #expect(try Built.code("Mine", in: folder.path) == code)
    _ = try write(folder, choices: "mine_depth/depth memory=inout")
    #expect(try Built.code("Mine", in: folder.path).contains("func depth(_ depth: inout Int32)"))
  }

  @Test func `with --strict, what only names say is skipped, with the line that would write it`() throws {
    let folder = try HeaderTests.Folder(["mine.h": Self.header])
    let (printed, choices) = try write(folder, ["--strict"])
    #expect(printed.contains("skipped 6: Only names say what it does with a pointer."))
    #expect(choices.contains("# mine_depth/depth memory=out   # Only names say what it does with a pointer."))
    let code = try Built.code("Mine", in: folder.path)
    #expect(!code.contains("mine_depth") && code.contains("mine_dig_on") && code.contains("mine_weigh"))
    _ = try write(folder, ["--strict"], choices: "mine_depth/depth memory=out")
    #expect(try Built.code("Mine", in: folder.path).contains("mine_depth"))
  }

  @Test func `the length of what C returns may also be one that it changes`() throws {
    let comment = "/** Takes. @param[in,out] size How much at most, and then how much it is. */"
    let folder = try HeaderTests.Folder([
      "mine.h": Self.header.replacingOccurrences(
        of: "static inline const unsigned", with: comment + "\nstatic inline const unsigned"),
      "main.swift": "import Mine\nvar size = 2\nprint(try Mine().take(&size), size)",
    ])
    _ = try write(folder)
    try Built.compile("Mine", in: folder.path)
    #expect(try Built.run("main.swift", with: "Mine", in: folder.path, []) == "[1, 2] 2\n")
  }

  @Test func `callbacks without names are written the same way again`() throws {
    let folder = try HeaderTests.Folder([
      "mine.h": """
      typedef struct mine mine;
      typedef void (*mine_progress_callback)(mine *, double, void *);
      mine *mine_open(void);
      void mine_close(mine *);
      int mine_register_progress(mine *, double, mine_progress_callback, void (*)(void *), void *);
      """
    ])
    let (_, choices) = try write(folder)
    let code = try Built.code("Mine", in: folder.path)
    #expect(code.contains("progressCallback: "))
    #expect(try write(folder).choices == choices)
    #expect(try Built.code("Mine", in: folder.path) == code)
  }
}
