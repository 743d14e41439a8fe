import Foundation
import Testing

@testable import LibraryWrapping

/// Variadic functions, with bodies in the header, so that the result runs.
@Suite("Variadic functions", .enabled(if: Built.canRun))
struct VariadicTests {
  private static let header = """
    #include <stdarg.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #define TYPE_LONG 0
    #define TYPE_STRINGPOINT 10000
    #define OPTION(name, type, number) name = type + number
    typedef enum {
      OPTION(PHONE_NUMBER, TYPE_STRINGPOINT, 1), OPTION(PHONE_VOLUME, TYPE_LONG, 2), OPTION(PHONE_RING, TYPE_OTHER, 3)
    } phone_option;
    #define PHONE_SET_RATE 4002
    typedef struct phone { char number[32]; long volume; double rate; char line[64]; } phone_state;
    struct handset;
    static inline struct handset *handset_new(void) { return (struct handset *)calloc(1, sizeof(phone_state)); }
    static inline void handset_free(struct handset *h) { free(h); }
    static inline int handset_setopt(struct handset *h, phone_option option, ...) {
      phone_state *p = (phone_state *)h;
      va_list list;
      va_start(list, option);
      if (option == PHONE_NUMBER) strncpy(p->number, va_arg(list, const char *), 31);
      else if (option == PHONE_VOLUME) p->volume = va_arg(list, long);
      else return -1;
      va_end(list);
      return 0;
    }
    static inline int handset_getopt(struct handset *h, phone_option option, ...) {
      phone_state *p = (phone_state *)h;
      va_list list;
      va_start(list, option);
      if (option == PHONE_NUMBER) *va_arg(list, const char **) = p->number;
      else *va_arg(list, long *) = p->volume;
      va_end(list);
      return 0;
    }
    static inline int handset_ctl(struct handset *h, int request, ...) {
      va_list list;
      va_start(list, request);
      ((phone_state *)h)->rate = va_arg(list, double);
      va_end(list);
      return request == PHONE_SET_RATE ? 0 : -2;
    }
    static inline int handset_tune(struct handset *h, unsigned int tag, ...) {
      va_list list;
      va_start(list, tag);
      ((phone_state *)h)->volume = va_arg(list, int) + (long)tag;
      va_end(list);
      return 0;
    }
    #define PHONE_TAG_TONE 256
    static inline double handset_rate(struct handset *h) { return ((phone_state *)h)->rate; }
    static inline int handset_printf(struct handset *h, const char *format, ...) {
      va_list list;
      va_start(list, format);
      int n = vsnprintf(((phone_state *)h)->line, 64, format, list);
      va_end(list);
      return n;
    }
    static inline const char *handset_line(struct handset *h) { return ((phone_state *)h)->line; }
    static inline void handset_many(struct handset *h, ...) {}
    """.replacing("TYPE_OTHER", with: "20000")

  private func folder(_ choices: String, _ program: String) throws -> HeaderTests.Folder {
    let folder = try HeaderTests.Folder([
      "library.h": Self.header, "choices": choices, "main.swift": "import Library\n" + program,
    ])
    let arguments = ["--output", folder.path, "--module", "Library", "--choices", folder.path + "/choices"]
    _ = try WrapLibrary.run(try CommandOptions([folder.path + "/library.h"] + arguments))
    try Built.compile("Library", in: folder.path)
    return folder
  }

  @Test func `an option takes a value of the type that the header or a line tells, and a format takes a text`() throws {
    let folder = try folder(
      "handset_ctl/PHONE_SET_RATE type=double\nhandset_tune/PHONE_TAG_TONE type=int",
      """
      let phone = try Handset()
      try phone.setopt(.number, "0800")
      try phone.setopt(.volume, 7)
      print(try phone.getopt(.number) ?? "none", try phone.getopt(.volume))
      try phone.ctl(.phoneSetRate, 2.5)
      print(phone.rate)
      _ = phone.tune(.phoneTagTone, 4)
      print(try phone.getopt(.volume))
      try phone.printf("100 %s %d")
      print(phone.line ?? "none")
      """)
    let printed = try Built.run("main.swift", with: "Library", in: folder.path, [])
    #expect(printed == "0800 7\n2.5\n260\n100 %s %d\n")
    let code = try Built.code("Library", in: folder.path)
    // Nothing tells the type of its value.
    #expect(!code.contains("`PHONE_RING`.\n  public static var"))
    let choices = try String(contentsOfFile: folder.path + "/choices", encoding: .utf8)
    #expect(choices.contains("# handset_many: Swift does not import variadic functions.\n"))
    #expect(choices.contains("\nhandset_ctl/PHONE_SET_RATE type=double\n"))
  }

  @Test(arguments: [
    ("handset_ctl/PHONE_SET_RATE type=float", "An option has a value of the type text, long, int, int64, double"),
    ("handset_ctl/PHONE_SET_NONE type=long", "The headers have no constant PHONE_SET_NONE."),
  ])
  func `a line for an option that does not fit is an error`(_ line: String, _ message: String) throws {
    let error = #expect(throws: WrappingError.self) { _ = try folder(line, "") }
    #expect(error?.description.contains(message) == true, "\(String(describing: error))")
  }
}
