import Foundation
import Testing

@testable import LibraryWrapping

/// Lines about pointers, with functions that the header defines, so that the result runs.
@Suite("Choices for pointers", .enabled(if: Built.canRun))
struct PointerChoiceTests {
  private static let header = """
    #include <stddef.h>
    #include <stdint.h>
    #include <stdlib.h>
    #include <string.h>
    #define TAG 4
    typedef enum { LOW = 1, HIGH = 5 } level;
    typedef void shelf;
    static inline void *box_new(void) { return calloc(1, sizeof(int)); }
    static inline void box_free(void *b_) { free(b_); }
    static inline int box_add(void *b_, int n) { return *(int *)b_ += n; }
    static inline shelf *shelf_new(void) { return calloc(1, sizeof(int)); }
    static inline void shelf_free(shelf *s) { free(s); }
    static inline int shelf_put(shelf *s, int n) { return *(int *)s += n; }
    static inline long box_frames(void *b_, short *ptr, long frames)
    { long n = frames < 3 ? frames : 3; for (long i = 0; i < 2 * n; i++) ptr[i] = (short)i; return n; }
    static inline long box_sum(void *b_, const short *ptr, long frames)
    { long sum = 0; for (long i = 0; i < 2 * frames; i++) sum += ptr[i]; return sum; }
    static inline int seal(unsigned char *c, const unsigned char *m, unsigned long long mlen, const unsigned char *key)
    { memcpy(c, m, mlen); memcpy(c + mlen, key, TAG); return 0; }
    static inline int to_text(int number, char **text, uint32_t *length)
    { *text = malloc(3); memcpy(*text, "abc", 3); *length = 3; return 0; }
    static inline void text_release(char *text) { free(text); }
    static inline int shrink(unsigned char *out, size_t *size) { memset(out, 7, *size); *size = 2; return 0; }
    static inline long join(int argc, char **argv)
    { long n = 0; for (int i = 0; i < argc; i++) n += (long)strlen(argv[i]); return argv[argc] == NULL ? n : -1; }
    static inline long count_all(char *const *names) { long n = 0; while (names[n]) n++; return n; }
    static inline char *label(int n) { char *t = malloc(2); t[0] = (char)('0' + n); t[1] = 0; return t; }
    static inline int *squares(size_t *count)
    { static int all[] = {0, 1, 4}; *count = 3; return all; }
    static inline void fill(int sv[2]) { sv[0] = 8; sv[1] = 9; }
    static inline int parse(char *text, long *value, int *flags) { *value = atol(text); return flags ? -1 : 0; }
    static inline double mean(const double *values, size_t n)
    { double sum = 0; for (size_t i = 0; i < n; i++) sum += values[i]; return n ? sum / (double)n : 0; }
    static inline int highest(const level *levels, int n)
    { int m = 0; for (int i = 0; i < n; i++) if ((int)levels[i] > m) m = levels[i]; return m; }
    static inline int next_id(int *id) { return (*id)++ < 100 ? 0 : -1; }
    static inline char *name_into(char *out, size_t size) { strncpy(out, "Headwater", size); return out; }
    """
  private static let choices = """
    box_new/result type=Box
    */b_ type=Box
    box_frames/ptr memory=out[frames*2:result*2]
    box_sum/ptr memory=in[frames*2]
    seal/c memory=out[mlen+TAG]
    seal/key memory=in[TAG]
    to_text/text memory=text[length] frees=text_release
    shrink/out memory=out[size]
    join/argv memory=in[argc]
    count_all/names memory=in[NULL]
    label/result frees=free
    squares/result memory=out[count] frees=no
    fill/sv memory=out[2]
    parse/text memory=text
    parse/flags memory=null
    next_id/id memory=inout
    name_into/out memory=text[size]
    name_into/result memory=null
    """

  private func folder(_ choices: String, program: String = "") throws -> HeaderTests.Folder {
    let folder = try HeaderTests.Folder([
      "library.h": Self.header, "choices": choices, "main.swift": "import Library\n" + program,
    ])
    let arguments = ["--output", folder.path, "--module", "Library", "--choices", folder.path + "/choices"]
    _ = try WrapLibrary.run(try CommandOptions([folder.path + "/library.h"] + arguments + ["--force"]))
    try Built.compile("Library", in: folder.path)
    return folder
  }

  @Test func `memory goes in and comes back as the lines say`() throws {
    let folder = try folder(
      Self.choices,
      program: """
        let box = try Box()
        _ = try box.add(2)
        print(try box.add(3), try Shelf().put(4))
        print(try box.frames(upTo: 2), try box.frames(upTo: 5).count)
        print(box.sum([1, 2, 3, 4].span))
        print(try LibraryLibrary.seal([1, 2].span, key: [9, 9, 9, 9].span))
        print(try LibraryLibrary.toText(1), try LibraryLibrary.shrink(upTo: 8))
        print(LibraryLibrary.join(["one", "two"]), LibraryLibrary.join([]), LibraryLibrary.countAll(["a", "b"]))
        print(LibraryLibrary.label(7) ?? "none", LibraryLibrary.squares(), LibraryLibrary.fill())
        print(try LibraryLibrary.parse("42"))
        print(LibraryLibrary.mean([1, 2, 6].span), LibraryLibrary.highest([.low, .high]))
        var id: Int32 = 99
        try LibraryLibrary.nextId(&id)
        do { try LibraryLibrary.nextId(&id) } catch { print(id, error.function) }
        print(LibraryLibrary.nameInto(upTo: 5), LibraryLibrary.nameInto(upTo: 20))
        """)
    let printed = try Built.run("main.swift", with: "Library", in: folder.path, [])
    #expect(
      printed == """
        5 4
        [0, 1, 2, 3] 6
        10
        [1, 2, 9, 9, 9, 9]
        abc [7, 7]
        6 0 2
        7 [0, 1, 4] [8, 9]
        42
        3.0 5
        101 next_id
        Headw Headwater

        """)
    // The lines stay.
    let written = try String(contentsOfFile: folder.path + "/choices", encoding: .utf8)
    for line in Self.choices.split(separator: "\n") { #expect(written.contains("\n\(line)\n"), "\(line)") }
  }

  @Test(arguments: [
    ("box.sum([1, 2, 3].span)", "box_sum needs a multiple of 2 elements in ptr."),
    ("try LibraryLibrary.seal([1].span, key: [1, 2].span)", "seal reads TAG elements of key."),
  ])
  func `too few elements are a trap with the reason`(_ call: String, _ message: String) throws {
    let folder = try folder(Self.choices, program: "let box = try Box()\n_ = \(call)\n")
    let errors = try Built.run("main.swift", with: "Library", in: folder.path, [], isCrash: true)
    #expect(errors.contains(message), "\(errors)")
  }

  @Test func `what is skipped has the line that would decide`() throws {
    let folder = try folder("box_new skip")
    let written = try String(contentsOfFile: folder.path + "/choices", encoding: .utf8)
    for line in [
      "# box_frames/b_ memory=? type=?   # The header does not say what a pointer points to.",
      "# label/result frees=?   # The header does not say who frees the text that it returns.",
    ] {
      #expect(written.contains("\n\(line)\n"), "\(written)")
    }
  }

  @Test func `a skipped pointer is asked for, with the declarations that the answers write`() throws {
    let header = """
      #include <stddef.h>
      /* Writes the codes of a text. */
      static inline int codes(char *text, int *list, int n) { return list[0] = text[0] + n; }
      static inline char *label(void) { return NULL; }
      static inline void label_free(char *label) {}
      """
    let folder = try HeaderTests.Folder(["library.h": header])
    let command = [Built.command, folder.path + "/library.h", "--output", folder.path + "/Sources", "--ask"]
    // An answer that does not fit is asked again; an answer of one's own is a choice; then the list, and the label.
    let asked = try #require(
      FinishedProcess.run(command, input: "memory=in[size]\nmemory=of\nmemory=text\n3\n4\n"))
    #expect(asked.status == 0, "\(asked.errors)")
    for text in [
      "1. What does codes do with text?", "codes has no parameter size",
      "memory is in, out, inout, kept, text, or null",
      "2. What does codes do with list?", "Writes the codes of a text.", "It writes up to n elements",
      "public static func codes(_ text: String, upTo count: Int) throws(LibraryFailure) -> [Int32]",
      "3. Who frees what label returns?", "The program, with label_free", "There are no more questions.",
    ] {
      #expect(asked.text.contains(text), "\(text): \(asked.text)")
    }
    let choices = try String(contentsOfFile: folder.path + "/Sources/Library/Library.choices", encoding: .utf8)
    for line in ["codes/text memory=text", "codes/list memory=out[n]", "label/result frees=label_free"] {
      #expect(choices.contains("\n\(line)\n"), "\(choices)")
    }
  }

  /// Another answer, or the function itself, may decide that an answer has no effect. The others count.
  @Test func `an answer without effect is left out, and the others stay`() throws {
    let header = """
      #include <stdio.h>
      static inline int print_all(char *text, FILE *file) { return fputs(text, file); }
      static inline int codes(char *text, int n) { return text[0] + n; }
      """
    let folder = try HeaderTests.Folder(["library.h": header])
    let command = [Built.command, folder.path + "/library.h", "--output", folder.path + "/Sources", "--ask"]
    let asked = try #require(FinishedProcess.run(command, input: "memory=text\nmemory=text\n"))
    #expect(asked.status == 0, "\(asked.errors)")
    #expect(asked.text.contains("check the answer about print_all/text, which is left out: print_all is skipped"))
    let choices = try String(contentsOfFile: folder.path + "/Sources/Library/Library.choices", encoding: .utf8)
    #expect(choices.contains("\ncodes/text memory=text\n") && !choices.contains("\nprint_all"), "\(choices)")
  }

  /// A line with `*` would let C write to what Swift only lends.
  @Test func `a line for several pointers is for constant memory, or for the rest`() throws {
    let folder = try folder("*/ptr memory=in[frames*2]\n*/b_ type=Box\nbox_new/result type=Box")
    let code = try Built.code("Library", in: folder.path)
    #expect(code.contains("func sum(_ ptr: Span<Int16>)"))
    #expect(!code.contains("box_frames"))
  }

  @Test(arguments: [
    (
      "box_free/b_ memory=out",
      "The choice for box_free/b_ does not fit. It needs a number of elements, such as memory=out[n]."
    ),
    ("mean/values memory=out[n]", "The choice for mean/values does not fit. C can't write to it."),
    ("seal/mlen memory=in", "seal/mlen is no pointer."), ("seal/x memory=in", "The headers have no pointer seal/x."),
    ("seal/key memory=in[size]", "seal has no parameter size, and no macro is the number size."),
    ("seal/key memory=of[4]", "memory is in, out, inout, kept, text, or null"),
    ("seal/key memory=in[4", "memory is in, out, inout, kept, text, or null"),
    ("seal/key memory=in[4:2]", "has no number of elements that C writes"),
    ("seal/key memory=in[a..b]", "needs a number of elements"),
    ("seal/key type=Key", "seal/key is no `void *`"), ("label/result frees=drop", "The headers have no function drop."),
    ("fill/sv memory=text", "The choice for fill/sv does not fit. It has no characters."),
  ])
  func `a line that contradicts the header is an error`(_ line: String, _ message: String) throws {
    let error = #expect(throws: WrappingError.self) { _ = try folder(line) }
    #expect(error?.description.contains(message) == true, "\(String(describing: error))")
  }
}
