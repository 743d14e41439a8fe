import Foundation
import Testing

@testable import LibraryWrapping

/// Lines of the choices that decide nothing are errors, and those that the command writes itself are none.
@Suite("Effects of choices", .enabled(if: FileManager.default.fileExists(atPath: Built.command)))
struct EffectTests {
  private static let header = """
    #include <stddef.h>
    #include <stdarg.h>
    typedef struct shop shop; typedef struct item item;
    shop *shop_new(void);
    int shop_free(shop *s);
    item *item_new(void);
    void item_free(item *i);
    int shop_open(shop *s);
    void shop_clear(shop *s);
    void shop_add(shop *s, item *i);
    const char *shop_name(const shop *s);
    int shop_vprint(shop *s, const char *format, va_list list);
    int shop_pack(shop *s, void *first, void *second);
    int shop_codes(shop *s, const int *codes, int n);
    int shop_fill(shop *s, int *wide, int n);
    int shop_watch(shop *s, void (*seen)(void *context, int), void *context);
    void shop_visit(shop *s, void (*seen)(void *context, int), void *context);
    int shop_keep(shop *s, void *(*my_malloc)(size_t size), const int *sizes, int n);
    struct table { void (*done)(void *context); void *context; };
    void shop_table(shop *s, struct table *t);
    """

  private func run(_ choices: String, _ others: [String] = [], input: String = "") throws -> (
    process: FinishedProcess, choices: String, isWritten: Bool
  ) {
    let folder = try HeaderTests.Folder(["library.h": Self.header, "mine": choices])
    let process = try #require(
      FinishedProcess.run(
        [
          Built.command, folder.path + "/library.h", "--output", folder.path + "/Sources", "--choices",
          folder.path + "/mine",
        ] + others, input: input))
    return (
      process, try String(contentsOfFile: folder.path + "/mine", encoding: .utf8),
      FileManager.default.fileExists(atPath: folder.path + "/Sources")
    )
  }

  @Test(arguments: [
    ("shop_gone name=gone", "mine:1: The headers have no shop_gone."),
    ("\nshop_name fails=zero", "mine:2: fails= has no effect for shop_name: it returns a pointer. Remove it."),
    ("shop_clear fails=zero", "mine:1: fails= has no effect for shop_clear: it returns nothing. Remove it."),
    ("shop_open owns=yes", "mine:1: owns= has no effect for shop_open: it returns no object. Remove it."),
    ("shop_new takes=no", "takes= has no effect for shop_new: it is given no object that a class frees."),
    ("shop_open adapter=once", "adapter= is no choice for a function without callbacks."),
    ("shop_open thread=caller", "thread= is no choice for a function without callbacks."),
    ("shop_free skip", "The code calls shop_free itself, so skip has no effect. Remove the line."),
    ("shop_vprint name=print", "shop_vprint is skipped: "),
    ("shop_pack name=pack", "Write the line shop_pack/first memory=? type=?."),
    ("shop_watch name=watch", "shop_watch takes a callback, whose line decides. Write the choices for shop_watch/1."),
    ("* skip\nshop_name/result frees=no", "mine:2: The choices skip shop_name. Add the line shop_name, or remove"),
    ("shop_codes skip\nshop_codes/codes memory=in[n]", "mine:2: The choices skip shop_codes. Remove one of its lines."),
    ("shop_name/result frees=no owns=yes", "owns= is no choice for a pointer."),
    ("shop_codes/codes memory=in[n] frees=free", "C gives no memory of its own through it. Remove it."),
    ("shop_new/result frees=free", "it is an object, which its class frees. Write shop_new owns=."),
    ("shop_vprint/format memory=text", "shop_vprint is skipped: "),
    ("shop_keep/sizes memory=in[n]", "shop_keep takes a callback that you register yourself"),
    ("shop_free/s memory=null", "The code calls shop_free itself"),
    ("*/wide memory=in[n]", "*/wide decides nothing: with *, in is for constant memory"),
    (
      "shop_pack/first memory=? type=?",
      "mine:1: shop_pack/first has a question mark for a choice. Write what it stands"
    ),
    ("*/gone memory=in[n]", "The headers have no pointer */gone."),
    ("shop_watch/1 memory=null", "shop_watch/seen is a function, and no pointer to memory."),
    ("shop_watch/1 owns=yes", "owns= is no choice for a callback."),
    ("shop_keep/1 adapter=once", "shop_keep/1 is skipped: An allocator runs"),
    ("shop_visit/1 fails=zero", "fails= has no effect for shop_visit/1: shop_visit returns nothing."),
    ("table.done fails=zero", "fails= has no effect for table.done: no function registers it."),
  ])
  func `a line without effect is an error that says what to do, and no file changes`(_ line: String, _ message: String)
    throws
  {
    let (process, choices, isWritten) = try run(line)
    #expect(process.status == 1)
    #expect(process.errors.contains(message), "\(process.errors)")
    #expect(choices == line && !isWritten)
  }

  @Test func `all lines without effect are named at once`() throws {
    let errors = try run("shop_clear fails=zero\nshop_name fails=zero").process.errors
    #expect(errors.contains("mine:1: ") && errors.contains("mine:2: "), "\(errors)")
  }

  @Test func `with callbacks alone, a line of a function is an error that says so`() throws {
    let errors = try run("shop_open name=unlock", ["--callbacks"]).process.errors
    #expect(errors.contains("mine:1: shop_open is no callback, and --callbacks writes nothing else."), "\(errors)")
  }

  @Test(arguments: [
    "shop_name", "shop_name skip", "shop_free", "shop_free name=leave fails=never", "shop_vprint skip",
    "shop_new name=founded", "shop_add takes=no", "shop_new owns=yes", "shop_new fails=never", "shop_pack skip",
    "* skip thread=caller\nshop_add\nshop_free", "shop_* thread=caller", "shop_keep/1 skip",
    "shop_codes/codes memory=in[n]", "*/codes memory=in[n]", "shop_pack/first type=Parcel", "shop_name/result frees=no",
    "shop_watch/1 skip", "table.done skip", "shop_watch/1 fails=zero name=seen",
  ])
  func `a line with an effect, or one that says what is so, is right`(_ line: String) throws {
    let (process, choices, _) = try run(line)
    #expect(process.status == 0, "\(process.errors)")
    #expect(choices.contains("\n" + line.split(separator: "\n").last! + "\n"), "\(choices)")
  }

  @Test func `a function that needs another line, too, keeps the first one, and the command says what is left`() throws
  {
    let (process, choices, _) = try run("shop_pack/first memory=in[4]")
    #expect(process.status == 0, "\(process.errors)")
    #expect(process.text.contains("check shop_pack/first: shop_pack is skipped: "), "\(process.text)")
    #expect(process.text.contains("Write the line shop_pack/second memory=? type=?."), "\(process.text)")
    #expect(choices.contains("\nshop_pack/first memory=in[4]\n"))
  }

  @Test func `an answer without an effect is asked again`() throws {
    let input = "1\n1\n1\nmemory=in[4] frees=free\nmemory=in[4]\nq\n"
    let (process, choices, _) = try run("", ["--ask"], input: input)
    #expect(process.status == 0, "\(process.errors)")
    #expect(process.text.contains("frees= has no effect for shop_pack/first"), "\(process.text)")
    #expect(choices.contains("\nshop_pack/first memory=in[4]\n"), "\(choices)")
  }

  @Test func `what the command writes, it reads again without an error`() throws {
    // Every callback has a line then, also one that can't be written.
    let first = try run("")
    #expect(first.process.status == 0, "\(first.process.errors)")
    #expect(try run(first.choices).process.status == 0)
    // The second question about a function is left open.
    let asked = try run("", ["--ask"], input: "1\n1\n1\nmemory=in[4]\nq\n")
    #expect(asked.process.status == 0, "\(asked.process.errors)")
    let again = try run(asked.choices)
    #expect(again.process.status == 0, "\(again.process.errors)")
  }
}
