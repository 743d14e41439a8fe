import Foundation
import Testing

@testable import LibraryWrapping

/// The generated code for functions with several callbacks, or with several arguments for one, compiles and works.
@Suite("Compilation of several callbacks", .enabled(if: Built.canRun))
struct SeveralCompilationTests {
  /// Builds the program with the code for a header, runs it, and returns its output and the code.
  private func run(_ header: String, _ program: String, _ choices: String) throws -> (text: String, swift: String) {
    let folder = try HeaderTests.Folder(["library.h": header, "main.swift": program, "choices": choices])
    _ = try WrapLibrary.run(
      try CommandOptions([
        "--callbacks", folder.path + "/library.h", "--output", folder.path, "--choices", folder.path + "/choices",
        "--force",
      ]))
    try Built.compile("Library", in: folder.path)
    return (
      try Built.run("main.swift", with: "Library", in: folder.path, []),
      try String(contentsOfFile: folder.path + "/Library/Library.swift", encoding: .utf8)
    )
  }

  @Test func `a function that does not accept NULL gets every closure`() throws {
    let header = """
      struct reader;
      /* Returns zero on success. */
      static inline int reader_start_stream(
          struct reader * _Nonnull r, unsigned (* _Nonnull read)(void * _Nullable stream, int size),
          int (* _Nonnull fail)(void * _Nullable stream), void (* _Nullable log)(void * _Nullable stream, int level),
          void * _Nullable stream) {
        if (log) log(stream, 1);
        return fail(stream) ? 0 : (int)read(stream, 7);
      }
      """
    let program = """
      import CLibrary
      import Headwater
      import Library

      let reader = Reader(OpaquePointer(bitPattern: 8)!)
      do {
        _ = try reader.startStream(read: { UInt32($0) * 2 }, fail: { 0 })
      } catch {
        print(error)
      }
      """
    #expect(try run(header, program, "").text == "reader_start_stream failed with the code 14.\n")
  }

  @Test func `each callback of one call gets its own context, and an adapter is chosen for all of them`() throws {
    let header = """
      struct filter;
      static inline int filter_convert(
          struct filter *f, unsigned (*in)(void *, int), void *in_desc, int (*out)(void *, unsigned), void *out_desc) {
        return out(out_desc, in(in_desc, 20));
      }
      """
    let program = """
      import CLibrary
      import Library

      let filter = Filter(OpaquePointer(bitPattern: 8)!)
      var count = 0
      let result = try filter.convert(
        in: { UInt32($0) + 1 },
        out: {
          count += 1
          return Int32($0) * 2
        })
      print(result, count)
      """
    let (text, swift) = try run(header, program, "filter_convert/1 adapter=scoped thread=caller\n")
    #expect(text == "42 1\n")
    #expect(swift.contains("ScopedCallback<"))
  }

  @Test func `a name in the choices that is a keyword of Swift is one in the code`() throws {
    let header = """
      struct filter;
      typedef void (*in_function)(struct filter *, void *opaque);
      """
    #expect(try run(header, "import Library\n\nprint(`in`.self)\n", "in_function name=in\n").text == "in\n")
  }
  @Test func `an option of a variadic function gets the callback and its context in one call`() throws {
    let header = """
      #include <stdarg.h>
      struct generator { void (*print)(void *, int); void *context; };
      typedef enum { generator_indent, generator_print } generator_option;
      typedef void (*generator_printer)(void *ctx, int value);
      static int generator_config(struct generator *g, generator_option option, ...) {
        va_list list;
        va_start(list, option);
        g->print = va_arg(list, generator_printer);
        g->context = va_arg(list, void *);
        va_end(list);
        return 0;
      }
      static inline void generator_raise(struct generator *g, int value) { g->print(g->context, value); }
      """
    let program = """
      import CLibrary
      import Callbacks
      import Library

      var object = generator()
      let callback = Printer.Callback { print($0) }
      _ = wrap_generator_config_generator_printer_with_context(
        &object, generator_print, Printer.function, callback.context)
      generator_raise(&object, 7)
      """
    let (text, swift) = try run(header, program, "")
    #expect(text == "7\n")
    #expect(swift.contains("`wrap_generator_config_generator_printer_with_context`."))
  }

  @Test func `parameters without names and of one type have names of their own, also when the choices are read again`()
    throws
  {
    let library = SmallLibrary(
      header: """
        typedef struct tape tape;
        typedef long (*tape_move)(void *data, long count);
        tape *tape_open(const char *, void *, tape_move, tape_move);
        void tape_close(tape *);
        long tape_run(tape *, long);
        """,
      source: """
        #include <stdlib.h>
        struct tape { void *data; tape_move read, write; };
        tape *tape_open(const char *name, void *data, tape_move read, tape_move write) {
          tape *t = malloc(sizeof *t);
          t->data = data; t->read = read; t->write = write;
          return t;
        }
        void tape_close(tape *t) { free(t); }
        long tape_run(tape *t, long n) { return t->write(t->data, t->read(t->data, n)); }
        """)
    let first = try library.written()
    #expect(first.code.contains("move4:"))
    // Their first lines name the header's directory.
    func lines(_ code: String) -> [Substring] { code.split(separator: "\n").filter { !$0.contains("library.h") } }
    #expect(lines(try library.written(choices: first.choices).code) == lines(first.code))
  }
}
