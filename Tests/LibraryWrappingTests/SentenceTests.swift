import Foundation
import Testing

@testable import LibraryWrapping

/// What single sentences of comments say, of whom they say it, and what the choices list of that.
@Suite("Sentences", .enabled(if: Built.canRun))
struct SentenceTests {
  /// A chest with locks: C says what it frees.
  private static let chest = SmallLibrary(
    header: """
      #include <stdlib.h>
      #include <string.h>
      typedef struct chest chest;
      typedef struct lock lock;
      chest *chest_new(void);
      void chest_free(chest *c);
      void lock_free(lock *l);
      /** Finds the lock of a key. The key must be freed by the caller.
       * @param key a text, which must be freed with free()
       */
      lock *chest_lock(chest *c, const char *key);
      /** The main lock. No need to free the lock: it is the chest's. */
      lock *chest_main(chest *c);
      /** Copies a lock. The copy must be freed with lock_free(). */
      lock *chest_spare(chest *c);
      /** Returns the first lock, which is freed when the chest is freed. */
      lock *chest_first(chest *c);
      /** Turns the lock.
       * @return the lock, which must not be used after the chest is freed
       */
      lock *lock_turn(lock *l);
      /** Breaks it: the lock is freed. */
      void lock_break(lock *l);
      /** The label. Do not call chest_free_text() on it, nor free(). */
      char *chest_label(chest *c);
      /** The old label. Free it with chest_free_text(), and do not use free(). */
      char *chest_relabel(chest *c, const char *text);
      void chest_free_text(char *text);
      """,
    source: """
      #include <stdio.h>
      struct lock { int number; };
      struct chest { lock main, first; char label[8]; };
      static void say(const char *text, int n) { printf("%s %d\\n", text, n); fflush(stdout); }
      chest *chest_new(void) { chest *c = calloc(1, sizeof(chest)); c->first.number = 1; strcpy(c->label, "old"); return c; }
      void chest_free(chest *c) { say("chest", 0); free(c); }
      void lock_free(lock *l) { say("lock", l->number); if (l->number > 1) free(l); }
      lock *chest_lock(chest *c, const char *key) { (void)key; return &c->first; }
      lock *chest_main(chest *c) { return &c->main; }
      lock *chest_spare(chest *c) { (void)c; lock *l = malloc(sizeof(lock)); l->number = 7; return l; }
      lock *chest_first(chest *c) { return &c->first; }
      lock *lock_turn(lock *l) { return l; }
      void lock_break(lock *l) { say("break", l->number); free(l); }
      char *chest_label(chest *c) { return c->label; }
      char *chest_relabel(chest *c, const char *text)
      { char *old = strdup(c->label); strncpy(c->label, text, 7); return old; }
      void chest_free_text(char *text) { say(text, 0); free(text); }
      """)

  @Test func `only what a sentence says of the result is freed`() throws {
    let text = try Self.chest.run(
      """
      do {
        let chest = try Chest()
        _ = chest.lock("key")
        _ = chest.main
        _ = chest.first
        let spare = try chest.spare()
        _ = spare.turn
        spare.`break`()
        do { _ = try chest.spare() }
        print(chest.relabel("new") ?? "none")
      }
      """)
    #expect(text == "break 7\nlock 7\nold 0\nold\nchest 0\n")
  }

  @Test func `the choices list the sentences that alone decide, and a line confirms or corrects them`() throws {
    let (code, choices) = try Self.chest.written()
    let spare = "chest_spare owns=yes   # \"The copy must be freed with lock_free().\""
    let label =
      "chest_relabel/result frees=chest_free_text   # \"Free it with chest_free_text(), and do not use free().\""
    let main = "chest_main owns=no   # \"No need to free the lock: it is the chest's.\""
    let first = "chest_first owns=no   # \"Returns the first lock, which is freed when the chest is freed.\""
    #expect(choices.contains("# \(main)\n# \(spare)\n# \(first)\n"))
    #expect(choices.contains("# \(label)\n"))
    #expect(choices.contains("# chest_label/result frees=?"))
    let turn = "lock_turn owns=no   # \"@return the lock, which must not be used after the chest is freed\""
    #expect(choices.contains("# \(turn)\n"))
    #expect(!choices.contains("chest_lock owns"))
    let (again, told) = try Self.chest.written(choices: [main, spare, first, label, turn].map { $0 + "\n" }.joined())
    // The first line of a file has the path.
    func lines(_ code: String) -> [Substring] { code.split(separator: "\n").filter { !$0.hasPrefix("// Written by") } }
    #expect(lines(again) == lines(code))
    #expect(!told.contains("only comments say"))
    #expect(try Self.chest.written(choices: "chest_spare owns=no\n").code.contains("var spare: Lock?"))
  }

  @Test func `with --strict, what only comments say of freeing is skipped, with the line that would write it`() throws {
    let (code, choices) = try Self.chest.written(["--strict"])
    #expect(!code.contains("chest_spare") && !code.contains("chest_relabel"))
    #expect(choices.contains("# chest_spare owns=yes   # Only the comment says that the program frees its result."))
    let (other, _) = try Self.chest.written(choices: "chest_spare owns=yes\n", ["--strict"])
    #expect(other.contains("chest_spare"))
  }

  @Test func `a comment that says what is returned makes a value of it`() throws {
    let gate = SmallLibrary(
      header: """
        typedef struct gate gate;
        gate *gate_new(void);
        void gate_free(gate *g);
        /** Opens. Returns 0 on success, an error code otherwise. */
        int gate_open(gate *g);
        /** Closes. Returns 0 on success, an error code otherwise. */
        int gate_close(gate *g);
        /** Adds a guest. Returns the number of the seat, counted from one. */
        int gate_add(gate *g, int guest);
        /** Sets the delay.
         * @return the previous delay
         */
        int gate_set_delay(gate *g, int delay);
        /** Waits.
         * @param times how often, or 0 on errors alone
         * @return how often it has waited
         */
        int gate_poll(gate *g, int times);
        /** Lets somebody pass. Returns 0 or an errno. */
        int gate_pass(gate *g);
        int gate_lock(gate *g);
        """,
      source: """
        #include <errno.h>
        #include <stdlib.h>
        struct gate { int delay; };
        gate *gate_new(void) { return calloc(1, sizeof(gate)); }
        void gate_free(gate *g) { free(g); }
        int gate_open(gate *g) { (void)g; return 0; }
        int gate_close(gate *g) { (void)g; return 0; }
        int gate_add(gate *g, int guest) { (void)g; return guest + 1; }
        int gate_set_delay(gate *g, int delay) { int old = g->delay; g->delay = delay; return old; }
        int gate_poll(gate *g, int times) { (void)g; return times; }
        int gate_pass(gate *g) { (void)g; return EACCES; }
        int gate_lock(gate *g) { (void)g; return 3; }
        """)
    let text = try gate.run(
      """
      let gate = try Gate()
      try gate.open()
      print(try gate.add(4), try gate.setDelay(7), try gate.setDelay(0), try gate.poll(0), try gate.poll(2))
      do { try gate.pass() } catch { print(error.code) }
      do { try gate.lock() } catch { print(error.code) }
      """)
    #expect(text == "5 0 7 0 2\n13\n3\n")
  }

  @Test(arguments: [
    "The result is owned by the caller.", "Ownership of the copy is transferred to the caller.",
    "The returned node belongs to the caller.", "Caller frees.", "It is the caller's responsibility to free it.",
    "@return a new node. Free with node_free() when done.", "@return a node that you must release with node_free",
    "@return a node; the user is responsible for releasing it", "Call node_free() on the result when you are done.",
  ])
  func `a sentence that gives the result to the program makes it free that`(_ sentence: String) throws {
    let header = """
      typedef struct node node;
      node *node_new(void);
      void node_free(node *n);
      /** Looks for it. \(sentence) */
      node *node_find(node *n);
      """
    let (code, choices) = try SmallLibrary(header: header).written()
    #expect(choices.contains("# node_find owns=yes   # \""))
    #expect(code.contains("func find() throws(LibraryFailure) -> Node"))
  }
}
