import Foundation
import Testing

@testable import LibraryWrapping

/// Faults that were reported for tools that write bindings, tried here. Docs/Reference/ReportedFaults.md has the reports.
@Suite("Reported faults of bindings", .enabled(if: Built.canRun))
struct BindingFaultTests {
  /// Writes and compiles a library with this header, and runs a program with it.
  private func run(_ header: String, _ source: String = "", _ program: String) throws -> String {
    let folder = try HeaderTests.Folder([
      "library.h": header, "library.c": "#include \"library.h\"\n" + source, "main.swift": "import Library\n" + program,
    ])
    let options = [
      folder.path + "/library.h", "--output", folder.path, "--module", "Library", "--choices", folder.path + "/choices",
    ]
    _ = try WrapLibrary.run(try CommandOptions(options))
    let object = folder.path + "/library-c.o"
    #expect(FinishedProcess.run(["clang", "-c", folder.path + "/library.c", "-o", object])?.status == 0)
    try Built.compile("Library", in: folder.path)
    return try Built.run("main.swift", with: "Library", in: folder.path, [object])
  }

  @Test func `bit-fields have the layout that C gives them`() throws {
    let header = """
      struct day { char a; char b : 4; char c : 4; short x : 6; short y : 10; };
      struct moment { unsigned hour : 5; unsigned minute : 6; unsigned char flags; };
      int day_sum(const struct day *day);
      int moment_sum(struct moment moment);
      """
    let source = """
      int day_sum(const struct day *day) { return day->a + 10 * day->b + 100 * day->c + 1000 * day->x + 10000 * day->y; }
      int moment_sum(struct moment moment) { return moment.hour * 10000 + moment.minute * 100 + moment.flags; }
      """
    let program = """
      print(LibraryLibrary.daySum(Day(a: 1, b: 2, c: 3, x: 4, y: 5)), LibraryLibrary.momentSum(Moment(hour: 23, minute: 59, flags: 7)))
      """
    #expect(try run(header, source, program) == "54321 235907\n")
  }

  @Test func `constants that share a name, a value, or all but the case of a letter`() throws {
    let header = """
      enum { LIMIT =
      #define LIMIT 4
        LIMIT };
      enum tag { VARIANT }; typedef short tag;
      typedef enum kind { KIND_A = 0, KIND_ALIAS = 0, KIND_DEAD_a = 7, KIND_DEAD_A = 8, KIND_default, KIND_self, KIND_init } kind;
      tag after(tag value);
      int repeat(kind kind);
      int in_range(int self);
      """
    let source = """
      tag after(tag value) { return value + 1; }
      int repeat(kind kind) { return kind; }
      int in_range(int self) { return self > 3; }
      """
    let program = """
      print(LibraryLibrary.after(7), LibraryLibrary.repeat(.deadA), LibraryLibrary.repeat(.deadAC), Kind.a == .alias)
      print(LibraryLibrary.repeat(.default), LibraryLibrary.inRange(4))
      """
    #expect(try run(header, source, program) == "8 7 8 true\n9 1\n")
  }

  @Test(
    arguments: [
      ("5", 5), ("(-1)", -1), ("0xFFFFFFFFu", 4_294_967_295), ("~0UL", nil), ("(0ULL - 1)", nil),
      ("0xEE468A8121C46A9EULL", nil), ("((unsigned short) 0xffff)", nil), ("(OTHER | 1)", 5),
      ("~OTHER_U", 4_294_967_295),
      ("~0u / 2", 2_147_483_647), ("~0UL / 2", nil), ("(0u - 1) / 4", 1_073_741_823),
      ("0xFFFFFFFF << 8", 4_294_967_040),
      ("0xffu << 28", 4_026_531_840), ("0xFFFFFFFF + 1", 0), ("65536u * 65536u", 0), ("1 << 31", -2_147_483_648),
      ("1L << 31", 2_147_483_648), ("-1L & 0xFFu", 255), ("2147483648", 2_147_483_648), ("0x80000000 >> 31", 1),
      ("1 / 0", nil), ("SELF", nil), ("9223372036854775807", Int.max), ("9223372036854775807 + 1", nil), ("0.5", nil),
    ] as [(String, Int?)])
  func `a macro has the value that C gives it, or no constant`(_ text: String, _ value: Int?) {
    let macros = ["CONSTANT": text, "OTHER": "4", "OTHER_U": "0u", "SELF": "SELF"]
    #expect(MacroValue.number("CONSTANT", macros) == value)
  }

  @Test func `a macro that is nested too deeply, or stands for too much, has no constant`() {
    let nested = String(repeating: "(", count: 3000) + "1" + String(repeating: ")", count: 3000)
    #expect(MacroValue.number("CONSTANT", ["CONSTANT": nested]) == nil)
    #expect(MacroValue.number("CONSTANT", ["CONSTANT": String(repeating: "-", count: 100_000) + "1"]) == nil)
    var macros = ["CONSTANT15": "1"]
    for level in 0..<15 {
      macros["CONSTANT\(level)"] = Array(repeating: "CONSTANT\(level + 1)", count: 10).joined(separator: "+")
    }
    #expect(MacroValue.number("CONSTANT0", macros) == nil)
    #expect(MacroValue.number("CONSTANT13", macros) == 100)
  }

  @Test func `structs with more alignment than Swift imports, and vectors`() throws {
    let header = """
      typedef int line __attribute__((aligned(64)));
      struct field { int x __attribute__((aligned(64))); };
      struct named { line x; };
      struct holder { struct field fields[2]; };
      void field_set(struct field value);
      void named_set(struct named value);
      int holder_get(struct holder *value);
      int __attribute__((vector_size(16))) vector(void);
      void vector_set(float __attribute__((vector_size(16))) value);
      int plain(void);
      """
    let source = "int plain(void) { return 7; } int holder_get(struct holder *value) { return 0; }"
    #expect(try run(header, source, "print(LibraryLibrary.plain())") == "7\n")
  }
}
