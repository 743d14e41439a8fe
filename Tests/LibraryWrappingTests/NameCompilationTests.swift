import Foundation
import Testing

@testable import LibraryWrapping

/// The generated code compiles although names in C stand for something else in Swift.
@Suite("Compilation of names", .enabled(if: Built.canRun))
struct NameCompilationTests {
  @Test func `a member with the name of a C function calls the one of C`() throws {
    let header = """
      static inline int walk(int count, int (*f)(int number, void *data), void *data) {
        for (int number = 1; number <= count; number++) if (f(number, data)) return number;
        return 0;
      }
      """
    let program = """
      import Library

      print(LibraryLibrary.walk(3) { $0 == 2 ? 1 : 0 })
      """
    let folder = try HeaderTests.Folder([
      "library.h": header, "main.swift": program, "choices": "walk/1 adapter=scoped thread=caller end=? name=walk\n",
    ])
    _ = try WrapLibrary.run(
      try CommandOptions([
        "--callbacks", folder.path + "/library.h", "--output", folder.path, "--choices", folder.path + "/choices",
        "--force",
      ]))
    try Built.compile("Library", in: folder.path)
    #expect(try Built.run("main.swift", with: "Library", in: folder.path, []) == "2\n")
  }

  @Test func `names in C that Swift or the generated code uses itself`() throws {
    let header = """
      #include <stdlib.h>
      typedef struct part part;
      static inline part *part_new(void) { return (part *)malloc(1); }
      static inline void part_free(part *p) { free(p); }
      static inline int part_watch(part *p, void (*fn)(void *user, int in, int inout), void *user) {
        fn(user, 1, 2);
        return 0;
      }
      static inline void part_unwatch(part *p, int id) {}
      static inline int part_hear(part *p, void (*fn)(void *self, int await, int let), void *self) {
        fn(self, 3, 4);
        return 0;
      }
      static inline void part_unhear(part *p, int id) {}
      static inline int part_feel(part *p, void (*fn)(void *user, int inlet, int observer, int var), void *user) {
        fn(user, 5, 6, 7);
        return 0;
      }
      static inline void part_unfeel(part *p, int id) {}
      typedef struct { void *self; void (*opened)(void *self, int id); } part_events;
      static inline void part_set_events(part *p, const part_events *events) { events->opened(events->self, 8); }
      """
    let program = """
      import CLibrary
      import Headwater
      import Library

      let part = Part(part_new()!)
      if let element = try Loop.main.run(until: part.watches()) { print(element.in, element.inout) }
      if let element = try Loop.main.run(until: part.hears()) { print(element.await, element.let) }
      if let element = try Loop.main.run(until: part.feels()) { print(element.inlet, element.observer, element.var) }
      final class Printer: EventsDelegate {
        func opened(_ id: Int32) { print(id) }
      }
      var events = part_events()
      let callback = events.setDelegate(Printer())
      part_set_events(part.pointer, &events)
      withExtendedLifetime(callback) {}
      """
    for thread in ["caller", "library"] {
      let choices = ["watch", "hear", "feel"].map { "part_\($0)/1 thread=\(thread) name=\($0)s\n" }
      let folder = try HeaderTests.Folder([
        "library.h": header, "main.swift": program,
        "choices": choices.joined().replacing("watchs", with: "watches"),
      ])
      _ = try WrapLibrary.run(
        try CommandOptions([
          "--callbacks", folder.path + "/library.h", "--output", folder.path, "--choices", folder.path + "/choices",
          "--force",
        ]))
      try Built.compile("Library", in: folder.path)
      #expect(try Built.run("main.swift", with: "Library", in: folder.path, []) == "1 2\n3 4\n5 6 7\n8\n")
    }
  }
}
