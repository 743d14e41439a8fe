import Foundation
import Testing

@testable import CallbackWrapping

/// Variables of a library that the program sets.
@Suite("Compilation of variables", .serialized, .enabled(if: Built.canRun))
struct GlobalCompilationTests {
  @Test func `a variable whose type is a typedef of a variadic function`() throws {
    let header = """
      typedef void (*log_fn)(void *context, const char *format, ...);
      extern log_fn the_log;
      void library_work(int n);
      typedef int log_body(int level, const char *format, ...);
      extern log_body *another_log;
      int library_fail(int n);
      """
    let source = """
      #include "library.h"
      log_fn the_log;
      log_body *another_log;
      void library_work(int n) { if (the_log) the_log((void *)0, "%d of %s", n, "three"); }
      int library_fail(int n) { return another_log ? another_log(n, "failed with %d", n) : -1; }
      """
    let program = """
      import CLibrary
      import Headwater
      import Library

      let bag = DisposeBag()
      LibraryLibrary.theLogs().observeNext { print("log:", $0 ?? "") }.dispose(in: bag)
      let answer = LibraryLibrary.onAnotherLog { level, text in level * 2 + Int32(text?.count ?? 0) }
      library_work(1)
      library_work(2)
      print(library_fail(4))
      answer.dispose()
      print(library_fail(4))
      Queue.main.async { Loop.main.stop() }
      Loop.main.run()
      bag.dispose()
      library_work(3)
      """
    let folder = try HeaderTests.Folder(["library.h": header, "library.c": source, "main.swift": program])
    let object = folder.path + "/library-c.o"
    #expect(FinishedProcess.run(["clang", "-c", folder.path + "/library.c", "-o", object])?.status == 0)
    _ = try WrapCallbacks.run(
      try CommandOptions([folder.path + "/library.h", "--output", folder.path, "--module", "Library"]))
    try Built.compile("Library", in: folder.path)
    #expect(
      try Built.run("main.swift", with: "Library", in: folder.path, [object])
        == "21\n-1\nlog: 1 of three\nlog: 2 of three\n")
  }
}
