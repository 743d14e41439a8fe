import Foundation
import Testing

@testable import LibraryWrapping

/// Lines about memory for headers that make them hard to obey, and lines that can't be obeyed.
@Suite("Lines about memory", .enabled(if: Built.canRun))
struct MemoryLineTests {
  private static let header = """
    #include <stddef.h>
    #include <stdint.h>
    #include <stdlib.h>
    #include <string.h>
    #define ZERO 0
    /* A pump. */
    typedef struct pump { const char *next_in; unsigned avail_in; char *next_out; unsigned avail_out; void *state; } pump;
    /* Initializes. */
    static inline int pump_init(pump *p) { p->state = malloc(1); return 0; }
    static inline int pump_step(pump *p)
    { if (!p->avail_in || !p->avail_out) return 0;
      *p->next_out++ = *p->next_in++; p->avail_in--; p->avail_out--; return 1; }
    static inline int pump_run(pump *p, int (*tick)(void *user, int n), void *user)
    { int n = 0; while (pump_step(p)) if (tick(user, ++n)) return -1; return 0; }
    static inline int pump_join(pump *to, pump *from)
    { int n = 0; while (from->avail_in && to->avail_out)
      { *to->next_out++ = *from->next_in++; from->avail_in--; to->avail_out--; n++; } return n; }
    static inline size_t pump_next_in(pump *p) { return p->avail_in; }
    /* Ends. */
    static inline int pump_end(pump *p) { free(p->state); p->state = NULL; return 0; }
    typedef struct job_s { const int *data; unsigned n : 4; const int *const fixed; const char **names; const int version; } job;
    static inline int job_sum(job *j) { int s = j->version; for (unsigned i = 0; i < j->n; i++) s += j->data[i]; return s; }
    static inline int job_value(job j) { return job_sum(&j); }
    typedef struct { const int *data; int n; } passed;
    static inline int passed_sum(passed p) { int s = 0; for (int i = 0; i < p.n; i++) s += p.data[i]; return s; }
    typedef struct { const short *data; uint64_t n, used; char *out; unsigned room_; uint64_t made; } wide;
    static inline int wide_go(wide *w, int mode)
    { memset(w->out, 9, w->room_); w->used = mode ? UINT64_MAX : 1; w->made = w->used; return 0; }
    typedef struct { const int *Data; int data; int *lending; int init; int n; int kept_next, keptNext; void *next; } names;
    static inline int names_sum(names *x) { for (int i = 0; i < x->n; i++) x->lending[i] += x->Data[i]; return x->data + x->init; }
    typedef struct { char *answer; int answer_len; } reply;
    static inline int reply_get(reply *r) { int n = r->answer_len; r->answer = "yes"; r->answer_len = 3; return n; }
    typedef struct { const int *data; int n; } made;
    static inline made made_get(void) { static const int all[] = {1, 2}; made m = {all, 2}; return m; }
    static inline int list_all(const int **list, int *n) { static const int all[] = {1, 2}; *list = all; *n = -1; return 0; }
    typedef enum { LOW = 1, HIGH = 5 } level;
    static inline int raise_all(level *l, int n) { for (int i = 0; i < n; i++) l[i] = HIGH; return n; }
    static inline int raise_one(level *l) { *l = HIGH; return 1; }
    typedef struct card { const char *note; int size; } card;
    static inline card *card_new(void) { card *c = calloc(1, sizeof *c); c->note = "hello"; return c; }
    static inline void card_free(card *c) { free(c); }
    static inline int put(int *a, int n) { for (int i = 0; i < n; i++) a[i] = i; return n; }
    static inline int get(const int *a, int n) { return n ? a[0] : 0; }
    """
  private static let choices = """
    pump.next_in memory=in[avail_in:room-avail_in]
    pump.next_out memory=out[avail_out:room-avail_out]
    job.data memory=in[n]
    passed.data memory=in[n]
    wide.data memory=in[n:used]
    wide.out memory=out[room_:made]
    names.Data memory=in[n]
    names.lending memory=inout[n]
    reply.answer memory=text[answer_len]
    made.data memory=out[n]
    list_all/list memory=out[n]
    raise_all/l memory=inout[n]
    raise_one/l memory=inout
    card.note memory=text
    pump_run/1 adapter=scoped name=run
    * fails=never
    """
  private static let library = SmallLibrary(header: header)

  @Test func `each call has the memory: of other objects, with callbacks that call, and of structs by value`() throws {
    let printed = try Self.library.run(
      """
      let (first, second) = (Pump(), Pump())
      _ = (first.initialize(), second.initialize())
      (first.nextInC, first.availOut, second.nextInC) = ([1, 2], 10, [7, 8])
      print(first.join(second), first.nextOut, second.nextInC)
      _ = first.step()
      print(first.nextOut, first.nextInC)
      (first.nextInC, first.availOut) = ([1, 2, 3, 4], 10)
      _ = first.run { n in
        if n == 2 { _ = first.step() }
        return n == 2 ? 1 : 0
      }
      print(first.nextOut, first.nextInC, first.join(first), first.nextInC)
      _ = (first.pumpEnd(), second.pumpEnd())
      var job = JobS()
      job.data = [1, 2]
      print(LibraryLibrary.jobSum(&job), LibraryLibrary.jobValue(job))
      var passed = Passed()
      passed.data = [3, 4]
      print(LibraryLibrary.passedSum(passed))
      var wide = Wide()
      (wide.data, wide.room) = ([1, 2], 2)
      _ = LibraryLibrary.wideGo(&wide, mode: 0)
      print(wide.data, wide.out)
      _ = LibraryLibrary.wideGo(&wide, mode: 1)
      print(wide.data, wide.out)
      var names = Names()
      (names.data, names.dataC, names.lending, names.`init`) = ([1, 2], 10, [5, 5], 100)
      print(LibraryLibrary.namesSum(&names), names.lending)
      var reply = Reply()
      print(LibraryLibrary.replyGet(&reply), reply.answer, LibraryLibrary.replyGet(&reply))
      print(LibraryLibrary.listAll().list)
      var (levels, level) = ([Level.low, .low], Level.low)
      print(LibraryLibrary.raiseAll(&levels), LibraryLibrary.raiseOne(&level), levels == [.high, .high], level == .high)
      print(try Card().noteC ?? "")
      """, choices: Self.choices, ["--thread", "caller"])
    #expect(
      printed == """
        2 [7, 8] []
        [1] [2]
        [1, 2, 3] [4] 1 []
        3 3
        7
        [2] [9]
        [] [9, 9]
        110 [6, 7]
        0 yes 0
        []
        2 1 true true
        hello

        """)
  }

  @Test func `a number of a few bits that can't count the elements is a trap`() throws {
    let errors = try Self.library.run(
      "var job = JobS()\njob.data = Array(repeating: 1, count: 20)\nprint(LibraryLibrary.jobSum(&job))\n",
      choices: Self.choices, isCrash: true)
    #expect(errors.contains("job_s.n can't count so many elements of job_s.data."), "\(errors)")
  }

  @Test func `a callback can't change how much room C has`() throws {
    let errors = try Self.library.run(
      """
      let pump = Pump()
      _ = pump.initialize()
      (pump.nextInC, pump.availOut) = ([1, 2], 1)
      _ = pump.run { _ in
        pump.availOut = 5
        return 0
      }
      """, choices: Self.choices, ["--thread", "caller"], isCrash: true)
    #expect(errors.contains("C has the memory that pump.avail_out counts until its call returns."), "\(errors)")
  }

  @Test(arguments: [
    ("job.data memory=in[n]\njob_s.data memory=in[2]", "job_s.data is the field of line 1, job.data. Remove one"),
    ("job.data memory=in[n] memory=in[2]", "job.data has memory twice. Remove one of them."),
    ("put fails=zero fails=never", "put has fails twice. Remove one of them."),
    ("job.data", "The choice for a field is memory=. Write it in the line of job.data"),
    ("job.data skip", "The choice for a field is memory=. Write it in the line of job.data"),
    ("job.data memory=text", "job.data has no characters, so it is no text."),
    ("job.names memory=text", "job.names has no characters, so it is no text."),
    ("job.data memory=in[n*ZERO]", "in[n*ZERO] multiplies or divides by ZERO, which is not positive."),
    ("job.data memory=in[n*0]", "in[n*0] multiplies or divides by 0, which is not positive."),
    ("job.data memory=in[n/ZERO]", "in[n/ZERO] multiplies or divides by ZERO, which is not positive."),
    ("job.fixed memory=in[n]", "job_s.fixed is constant, so no program can set it."),
    ("job.data memory=in[version]", "job_s.version is constant, so no program can set it."),
    ("job.data memory=in[n*Version?]", "Version? has the name of the field version in Swift. Choose another one."),
    ("job.data memory=in[n*_?]", "_? is no name in Swift. Choose another one."),
    ("made.data memory=in[n]", "C alone makes a made, so made.data can be out or text."),
    ("get/a memory=in[n*0]", "in[n*0] multiplies or divides by 0, which is not positive."),
    ("get/a memory=in[a]", "get/a: a is no number."),
    ("get/a memory=in[result]", "get/a: result is known only after the call"),
    ("put/a memory=out[n:a]", "put/a: a is no number."),
    ("put/a memory=out[NULL]", "put/a: C writes as much as it has room for, so a number of elements is needed."),
    ("put/a memory=text[n]", "The choice for put/a does not fit. It has no characters."),
    ("list_all/list memory=text[n]", "The choice for list_all/list does not fit. It has no characters."),
    ("pump_run/tick memory=in", "pump_run/tick is a function, and no pointer to memory."),
  ])
  func `a line that can't be obeyed says why`(_ line: String, _ message: String) throws {
    let error = try #require(throws: (any Error).self) { _ = try Self.library.written(choices: line) }
    #expect("\(error)".contains(message), "\(error)")
  }
}
