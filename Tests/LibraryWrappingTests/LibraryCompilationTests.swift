import Foundation
import Testing

@testable import LibraryWrapping

/// Generated code, run with a library that is written in C.
@Suite("Compilation with a library", .enabled(if: Built.canRun))
struct LibraryCompilationTests {
  /// Compiles the library, writes the Swift code for its header, and returns what the program prints.
  private func run(_ header: String, _ source: String, _ program: String, _ arguments: [String] = []) throws -> String {
    let folder = try HeaderTests.Folder(["library.h": header, "library.c": source, "main.swift": program])
    let object = folder.path + "/library-c.o"
    #expect(FinishedProcess.run(["clang", "-c", folder.path + "/library.c", "-o", object])?.status == 0)
    let options = ["--output", folder.path, "--module", "Library"] + arguments
    _ = try WrapLibrary.run(try CommandOptions(["--callbacks", folder.path + "/library.h"] + options))
    try Built.compile("Library", in: folder.path)
    return try Built.run("main.swift", with: "Library", in: folder.path, [object])
  }

  @Test func `a variable whose type is a typedef of a variadic function`() throws {
    let header = """
      typedef void (*log_fn)(void *context, const char *format, ...);
      extern log_fn the_log;
      void library_work(int n);
      typedef int log_body(int level, const char *format, ...);
      extern log_body *another_log;
      int library_fail(int n);
      int library_fail_late(int n);
      """
    let source = """
      #include "library.h"
      log_fn the_log;
      log_body *another_log;
      void library_work(int n) { if (the_log) the_log((void *)0, "%d of %s", n, "three"); }
      static log_body *running;
      int library_fail(int n) { return another_log ? (running = another_log)(n, "failed with %d", n) : -1; }
      int library_fail_late(int n) { return running(n, "late: %d", n); }
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
      // Another thread of the library can have read the variable before.
      print(library_fail_late(4))
      Queue.main.async { Loop.main.stop() }
      Loop.main.run()
      bag.dispose()
      library_work(3)
      """
    #expect(try run(header, source, program) == "21\n-1\n0\nlog: 1 of three\nlog: 2 of three\n")
  }

  @Test func `an end takes the number that registering returned, after another argument`() throws {
    let header = """
      int timers_add(void *timers, unsigned long ms, void (*fn)(void *arg), void *arg);
      int timers_cancel(void *timers, int id);
      void timers_fire(void *timers);
      """
    let source = """
      #include "library.h"
      struct timer { void (*fn)(void *arg); void *arg; };
      int timers_add(void *timers, unsigned long ms, void (*fn)(void *arg), void *arg) {
        for (int id = 0; id < 2; id++) {
          struct timer *timer = (struct timer *)timers + id;
          if (timer->fn) continue;
          *timer = (struct timer){fn, arg};
          return id;
        }
        return -12;
      }
      int timers_cancel(void *timers, int id) { ((struct timer *)timers)[id].fn = 0; return 0; }
      void timers_fire(void *timers) {
        for (int id = 0; id < 2; id++) {
          struct timer *timer = (struct timer *)timers + id;
          if (timer->fn) timer->fn(timer->arg);
        }
      }
      """
    let program = """
      import CLibrary
      import Headwater
      import Library

      let wheel = UnsafeMutableRawPointer.allocate(byteCount: 32, alignment: 8)
      wheel.initializeMemory(as: UInt8.self, repeating: 0, count: 32)
      @MainActor func start(_ name: String) -> Subscription {
        LibraryLibrary.adds(wheel, 5).observe(next: { print(name) }, termination: { print(name, $0) })
      }
      let (a, b) = (start("a"), start("b"))
      start("c").dispose()
      timers_fire(wheel)
      a.dispose()
      timers_fire(wheel)
      let d = start("d")
      timers_fire(wheel)
      b.dispose()
      d.dispose()
      timers_fire(wheel)
      """
    #expect(
      try run(header, source, program, ["--thread", "caller"])
        == "c failed(timers_add failed with the code -12.)\na\nb\nb\nd\nb\n")
  }

  @Test func `an end takes the pointer that registering returned`() throws {
    let header = """
      void *thread_start(void (*fn)(void *arg), void *arg);
      void thread_close(void *thread);
      """
    let source = """
      #include <pthread.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include "library.h"
      struct thread { pthread_t thread; void (*fn)(void *arg); void *arg; };
      static void *work(void *argument) {
        struct thread *thread = argument;
        for (int index = 0; index < 3; index++) thread->fn(thread->arg);
        return 0;
      }
      void *thread_start(void (*fn)(void *arg), void *arg) {
        struct thread *thread = malloc(sizeof *thread);
        *thread = (struct thread){.fn = fn, .arg = arg};
        pthread_create(&thread->thread, 0, work, thread);
        return thread;
      }
      void thread_close(void *argument) {
        struct thread *thread = argument;
        pthread_join(thread->thread, 0);
        free(thread);
        puts("closed");
        fflush(stdout);
      }
      """
    let program = """
      import Headwater
      import Library

      var count = 0
      let subscription = LibraryLibrary.starts().observeNext {
        count += 1
        if count == 3 { Loop.main.stop() }
      }
      Loop.main.run()
      print(count)
      subscription.dispose()
      """
    #expect(try run(header, source, program) == "3\nclosed\n")
  }
}
