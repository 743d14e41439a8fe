import Foundation
import Testing

@testable import LibraryWrapping

/// An object and its callbacks end in any order.
@Suite("Compilation of ends", .enabled(if: Built.canRun))
struct EndingCompilationTests {
  private let header = """
    typedef struct door door;
    door *door_new(void);
    /** Frees the door. If a child holds it, the function leaves the door open, and returns -1. */
    int door_close(door *d);
    void door_hold(door *d, int children);
    void door_set_opened_callback(door *d, void (*callback)(void *user, int times), void *user);
    void door_set_may_callback(door *d, int (*callback)(void *user, int times), void *user);
    int door_open(door *d, int times);
    """

  private let source = """
    #include <stdlib.h>
    #include "library.h"
    struct door {
      void (*opened)(void *user, int times);
      void *user;
      int (*may)(void *user, int times);
      void *asked;
      int children;
    };
    door *door_new(void) { return calloc(1, sizeof(door)); }
    int door_close(door *d) {
      if (d->children) return -1;
      free(d);
      return 0;
    }
    void door_hold(door *d, int children) { d->children = children; }
    void door_set_opened_callback(door *d, void (*callback)(void *user, int times), void *user) {
      d->opened = callback;
      d->user = user;
    }
    void door_set_may_callback(door *d, int (*callback)(void *user, int times), void *user) {
      d->may = callback;
      d->asked = user;
    }
    int door_open(door *d, int times) {
      if (d->opened) d->opened(d->user, times);
      return d->may ? d->may(d->asked, times) : 0;
    }
    """

  private func run(_ program: String) throws -> String {
    let folder = try HeaderTests.Folder([
      "library.h": header, "library.c": source, "main.swift": "import Headwater\nimport Library\n" + program,
    ])
    _ = try WrapLibrary.run(
      try CommandOptions([folder.path + "/library.h", "--output", folder.path, "--module", "Library", "--force"]))
    let object = folder.path + "/library-c.o"
    #expect(FinishedProcess.run(["clang", "-c", folder.path + "/library.c", "-o", object])?.status == 0)
    try Built.compile("Library", in: folder.path)
    return try Built.run("main.swift", with: "Library", in: folder.path, [object])
  }

  @Test func `disposing a callback after its object has been closed does nothing`() throws {
    let program = """
      let bag = DisposeBag()
      let door = try Door()
      door.opened().observeNext { print("opened", $0) }.dispose(in: bag)
      door.onMay { times in times + 1 }.dispose(in: bag)
      print(try door.open(2))
      try door.close()
      bag.dispose()
      print("disposed")
      """
    #expect(try run(program) == "3\ndisposed\n")
  }

  @Test func `an object that its function leaves open when it fails can be closed again`() throws {
    let program = """
      let door = try Door()
      door.hold(1)
      do { try door.close() } catch { print(error) }
      door.hold(0)
      try door.close()
      print("closed")
      """
    let printed = try run(program)
    #expect(printed == "door_close failed with the code -1.\nclosed\n")
  }
}
