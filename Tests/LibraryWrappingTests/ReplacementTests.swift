import Testing

@testable import LibraryWrapping

/// A function that has one callback at a time: the end of one that has been replaced must not be that of the next one.
@Suite("Callbacks that replace each other", .enabled(if: Built.canRun))
struct ReplacementTests {
  private static let library = SmallLibrary(
    header: """
      typedef struct lamp lamp;
      lamp *lamp_new(void);
      void lamp_free(lamp *l);
      /** Sets the callback for changes. It replaces the previous one. NULL removes it. */
      void lamp_on_change(lamp *l, void (*fn)(lamp *l, int what, void *user), void *user);
      /** Sets the filter. It replaces the previous one. NULL removes it. Returns 0, or -1. */
      int lamp_set_filter(lamp *l, int (*filter)(int what, void *user), void *user);
      /** Sets the callback for changes of a channel. NULL removes it. */
      void lamp_on_channel(lamp *l, int channel, void (*fn)(int what, void *user), void *user);
      /** Sets the function for messages. It replaces the previous one. NULL removes it. */
      void lamp_set_log(void (*log)(int level));
      /** Sets the function for alarms. Returns 0, or -1 if the level is negative. */
      int lamp_set_alarm(int level, void (*alarm)(int level));
      /** Installs a guard, which replaces the one before. */
      void lamp_install_guard(lamp *l, void (*guard)(int what, void *user), void *user);
      /** Uninstalls the guard. */
      void lamp_uninstall_guard(lamp *l);
      /** Sets the function for shades. The function must not be NULL. */
      void lamp_set_shade_handler(lamp *l, void (*shade)(int what, void *user), void *user);
      /** Sets where it reads from. */
      void lamp_set_input(lamp *l, int (*handler)(int what, void *user), void *user);
      /** Calls what is set. */
      void lamp_fire(lamp *l, int what);
      """,
    source: """
      #include <stdlib.h>
      struct lamp {
        void (*fn)(lamp *, int, void *); void *user; int (*filter)(int, void *); void *fuser;
        void (*channels[2])(int, void *); void *cusers[2];
        void (*guard)(int, void *), (*shade)(int, void *); void *guser, *suser;
        int (*input)(int, void *); void *iuser;
      };
      static void (*logger)(int);
      lamp *lamp_new(void) { return calloc(1, sizeof(lamp)); }
      void lamp_free(lamp *l) { free(l); }
      void lamp_on_change(lamp *l, void (*fn)(lamp *, int, void *), void *user) { l->fn = fn; l->user = user; }
      int lamp_set_filter(lamp *l, int (*filter)(int, void *), void *user) { l->filter = filter; l->fuser = user; return 0; }
      void lamp_on_channel(lamp *l, int channel, void (*fn)(int, void *), void *user) {
        l->channels[channel] = fn; l->cusers[channel] = user;
      }
      void lamp_set_log(void (*log)(int)) { logger = log; }
      static void (*alarmer)(int);
      int lamp_set_alarm(int level, void (*alarm)(int level)) {
        if (level < 0) return -1;
        alarmer = alarm;
        return 0;
      }
      void lamp_install_guard(lamp *l, void (*guard)(int, void *), void *user) { l->guard = guard; l->guser = user; }
      void lamp_uninstall_guard(lamp *l) { l->guard = 0; }
      void lamp_set_shade_handler(lamp *l, void (*shade)(int, void *), void *user) {
        if (!shade) abort();
        l->shade = shade; l->suser = user;
      }
      void lamp_set_input(lamp *l, int (*handler)(int, void *), void *user) {
        if (!handler) abort();
        l->input = handler; l->iuser = user;
      }
      void lamp_fire(lamp *l, int what) {
        if (l->guard) l->guard(what, l->guser);
        if (l->shade) l->shade(what, l->suser);
        if (l->input) l->input(what, l->iuser);
        if (alarmer) alarmer(what);
        if (logger) logger(what);
        if (l->filter && !l->filter(what, l->fuser)) return;
        if (l->fn) l->fn(l, what, l->user);
        for (int i = 0; i < 2; i++) if (l->channels[i]) l->channels[i](what, l->cusers[i]);
      }
      """)

  @Test func `disposing the first of two does not end the second`() throws {
    let output = try Self.library.run(
      """
      import Streams
      let lamp = try Lamp()
      let a = lamp.changes().observe(next: { print("A", $0) }, termination: { print("A", $0) })
      let b = lamp.changes().observe(next: { print("B", $0) }, termination: { print("B", $0) })
      let c = try lamp.onFilter { print("C", $0); return 1 }
      let d = try lamp.onFilter { print("D", $0); return 1 }
      let e = lamp.channels(0).observeNext { print("E", $0) }
      let f = lamp.channels(1).observeNext { print("F", $0) }
      lamp.fire(1)
      a.dispose()
      c.dispose()
      e.dispose()
      lamp.fire(2)
      b.dispose()
      d.dispose()
      f.dispose()
      lamp.fire(3)
      """, ["--thread", "caller"])
    #expect(output == "A completed\nD 1\nB 1\nE 1\nF 1\nD 2\nB 2\nF 2\n", "\(output)")
  }

  @Test func `so it is without a context`() throws {
    let output = try Self.library.run(
      """
      import EventLoops
      import Glibc
      import Streams
      let lamp = try Lamp()
      let first = LibraryLibrary.logs().observe(next: { print("first", $0) }, termination: { print("first", $0) })
      let a = LibraryLibrary.logs().observeNext { print("A", $0) }
      let b = LibraryLibrary.logs().observeNext {
        print("B", $0)
        if $0 == 2 { exit(0) }
      }
      a.dispose()
      lamp.fire(1)
      lamp.fire(2)
      let late = Stream.just(1).delay(for: .seconds(60)).observeNext { _ in exit(1) }
      withExtendedLifetime((first, b, late)) { Loop.main.run() }
      """)
    #expect(output == "first completed\nB 1\nB 2\n", "\(output)")
  }

  @Test func `a registration that fails leaves nothing behind`() throws {
    let output = try Self.library.run(
      """
      import Callbacks
      import Streams
      let lamp = try Lamp()
      let bad = LibraryLibrary.alarms(-1).observe(next: { print("bad", $0) }, termination: { print("bad", $0) })
      let good = LibraryLibrary.alarms(1).observe(next: { print("good", $0) }, termination: { print("good", $0) })
      let worse = LibraryLibrary.alarms(-1).observe(next: { print("worse", $0) }, termination: { print("worse", $0) })
      lamp.fire(1)
      print(DroppedCalls.soFar.late)
      _ = (bad, good, worse)
      """, ["--thread", "caller"])
    #expect(
      output == """
        bad failed(lamp_set_alarm failed with the code -1.)
        good completed
        worse failed(lamp_set_alarm failed with the code -1.)
        0

        """, "\(output)")
  }

  @Test func `what another function ends is replaced, too`() throws {
    let output = try Self.library.run(
      """
      import Streams
      let lamp = try Lamp()
      let a = lamp.guards().observe(next: { print("A", $0) }, termination: { print("A", $0) })
      let b = lamp.guards().observeNext { print("B", $0) }
      a.dispose()
      lamp.fire(1)
      b.dispose()
      lamp.fire(2)
      """, ["--thread", "caller"])
    #expect(output == "A completed\nB 1\n", "\(output)")
  }

  @Test func `NULL ends nothing that C needs`() throws {
    let output = try Self.library.run(
      """
      import Streams
      let lamp = try Lamp()
      let shade = lamp.shades().observeNext { print("shade", $0) }
      let input = lamp.onInput { print("input", $0); return 0 }
      lamp.fire(1)
      for place in [shade, input] as [any Disposable] { place.dispose() }
      lamp.fire(2)
      """, ["--thread", "caller"])
    #expect(output == "shade 1\ninput 1\n", "\(output)")
  }
}
