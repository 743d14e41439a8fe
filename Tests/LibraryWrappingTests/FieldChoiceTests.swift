import Foundation
import Testing

@testable import LibraryWrapping

/// Lines about fields of structs that are pointers, with functions that the header defines, so that the result runs.
@Suite("Choices for fields", .enabled(if: Built.canRun))
struct FieldChoiceTests {
  private static let header = """
    #include <stddef.h>
    #include <stdint.h>
    #include <stdlib.h>
    #include <string.h>
    #define PLANES 2
    typedef enum { QUIET, LOUD = 3 } mode;
    /* Samples to convert. */
    typedef struct {
      const float *in; float *out; long in_frames, out_frames, in_used, out_made; double ratio; mode how; char tag[8];
      short gains[2];
    } job;
    /* Converts at most 2 frames. */
    static inline int job_run(job *j, int channels)
    { long n = j->in_frames < j->out_frames ? j->in_frames : j->out_frames; if (n > 2) n = 2;
      for (long i = 0; i < n * channels; i++) j->out[i] = j->in[i] * (float)j->ratio * (float)j->gains[1];
      j->in_used = n; j->out_made = n; j->how = LOUD; strcpy(j->tag, j->tag[0] == 'x' ? "seen" : "none"); return 0; }
    static inline long job_frames(const job *j) { return j->in_frames * 10 + (j->how == LOUD); }
    typedef struct { const char *host; char *path; uint16_t port; const char *reply; char *answer; size_t answer_len; } place;
    static inline int place_ask(place *p)
    { p->reply = p->path == NULL ? "no path" : p->path; p->answer = "yes!"; p->answer_len = 3;
      if (p->host == NULL) return -1; int n = (int)strlen(p->host) + p->port; p->host = "elsewhere"; return n; }
    typedef struct { unsigned char *left; unsigned char *right; const int *weights; size_t n; int rest; } pair;
    static inline void pair_swap(pair *p)
    { for (size_t i = 0; i < p->n; i++) { unsigned char c = p->left[i]; p->left[i] = p->right[i]; p->right[i] = c; }
      p->rest = p->weights[PLANES - 1]; }
    typedef struct { unsigned char *next; unsigned room_left; void *calls; } sink;
    static inline long sink_fill(sink *s)
    { while (s->room_left > 1) { *s->next++ = 7; s->room_left--; }
      s->calls = (void *)((uintptr_t)s->calls + 1); return (long)(uintptr_t)s->calls; }
    typedef struct { int width; const uint16_t *cells; short *marks; const int *notes; } grid;
    static inline grid *grid_new(int width)
    { grid *g = calloc(1, sizeof *g); g->width = width; uint16_t *c = calloc((size_t)(width * width), 2);
      for (int i = 0; i < width * width; i++) c[i] = (uint16_t)(i * i); g->cells = c; g->marks = calloc((size_t)width, 2); return g; }
    static inline int grid_sum(grid *g) { int n = 0; for (int i = 0; i < g->width; i++) n += g->marks[i]; return n; }
    static inline void grid_free(grid *g) { free((void *)g->cells); free(g->marks); free(g); }
    typedef struct { const char *name; int (*call)(void *data); void *data; } hooks;
    static inline void set_hooks(const hooks *h) { (void)h; }
    typedef struct { const char *name; int code; } fault;
    static inline int fault_set(int n, fault *f) { f->name = strdup("full"); return f->code = n; }
    static inline void fault_free(fault *f) { free((void *)f->name); }
    typedef struct { char text[4]; const char *source; } label;
    typedef struct { const int *value; int result; double body; label name; label *self; int count; } odd;
    static inline void odd_use(odd *o) { o->result = o->count ? o->value[0] : -1; strcpy(o->name.text, "abc"); }
    typedef struct
    { const char *next_in; unsigned avail_in; char *next_out; unsigned avail_out; unsigned long total; void *state;
      const short *history; int history_size; } pump;
    static inline int pump_init(pump *p) { static const short past[] = {3, 1}; p->history = past; p->history_size = 2;
      p->state = malloc(sizeof(pump *)); *(pump **)p->state = p; return 0; }
    static inline int pump_run(pump *p, int add)
    { if (*(pump **)p->state != p) return -2;
      while (p->avail_in > 0 && p->avail_out > 0)
      { *p->next_out++ = (char)(*p->next_in++ + add); p->avail_in--; p->avail_out--; p->total++; }
      return 0; }
    static inline int pump_end(pump *p) { free(p->state); p->state = NULL; return 0; }
    typedef struct { void *base; size_t len; } slice;
    static inline int slice_next(slice *s) { if (s->len == 0) return -1; s->base = (char *)s->base + 1; s->len--; return 0; }
    """
  private static let choices = """
    job.in memory=in[in_frames*channels?:in_used*channels?]
    job.out memory=out[out_frames*channels?:out_made*channels?]
    place.host memory=text
    place.path memory=text
    place.answer memory=text[answer_len]
    pair.left memory=inout[n]
    pair.right memory=inout[n]
    pair.weights memory=in[PLANES]
    sink.next memory=out[room_left:room-room_left]
    grid.cells memory=out[width*width]
    grid.marks memory=inout[width]
    odd.value memory=in[count]
    pump.next_in memory=in[avail_in:room-avail_in]
    pump.next_out memory=out[avail_out:room-avail_out]
    pump.history memory=out[history_size]
    job_run/j memory=inout
    """

  private static let library = SmallLibrary(header: header)

  @Test func `a struct that C reads has memory of Swift, which is lent for each call`() throws {
    let printed = try Self.library.run(
      """
      var job = Job()
      (job.channels, job.outFrames, job.ratio, job.tag, job.gains) = (2, 4, 0.5, "x and more", [0, 2])
      job.in = [1, 2, 3, 4, 5, 6]
      print(job.frames())
      try job.run(&job, channels: 2)
      print(job.out, job.in, job.inUsed, job.how == .loud, job.tag)
      try job.run(&job, channels: 2)
      print(job.out, job.in, job.tag)
      var place = Place()
      do { try LibraryLibrary.placeAsk(&place) } catch { print(error.code, place.reply ?? "") }
      (place.host, place.path, place.port) = ("passau", "/inn", 10)
      print(try LibraryLibrary.placeAsk(&place), place.reply ?? "", place.answer, place.path ?? "", place.host ?? "")
      var pair = Pair()
      (pair.left, pair.right, pair.weights) = ([1, 2], [8, 9], [4, 5])
      LibraryLibrary.pairSwap(&pair)
      print(pair.left, pair.right, pair.rest)
      var sink = Sink()
      sink.roomLeft = 4
      print(try LibraryLibrary.sinkFill(&sink), sink.next, sink.roomLeft)
      print(try LibraryLibrary.sinkFill(&sink), sink.next)
      let grid = try Grid(width: 3)
      grid.marks = grid.marks.map { $0 + 5 }
      print(grid.cells, grid.sum())
      var odd = Odd()
      odd.value = [4]
      LibraryLibrary.oddUse(&odd)
      print(odd.result, odd.name.text)
      let pump = Pump()
      try pump.initialize()
      (pump.nextIn, pump.availOut) = ([1, 2, 3, 4, 5], 3)
      try pump.run(10)
      print(pump.nextOut, pump.nextIn, pump.availIn, pump.availOut, pump.total)
      (pump.nextIn, pump.availOut) = (pump.nextIn + [6], 8)
      try pump.run(20)
      print(pump.nextOut, pump.nextIn, pump.total, pump.history)
      try pump.pumpEnd()
      var bytes: [UInt8] = [1, 2, 3]
      try LibraryLibrary.sliceNext(&bytes)
      print(bytes)
      """.replacing("job.run(&job", with: "LibraryLibrary.jobRun(&job").replacing(
        "job.frames()", with: "LibraryLibrary.jobFrames(job)"), choices: Self.choices)
    #expect(
      printed == """
        30
        [1.0, 2.0, 3.0, 4.0] [5.0, 6.0] 2 true seen
        [5.0, 6.0] [] none
        -1 no path
        16 /inn yes /inn elsewhere
        [8, 9] [1, 2] 5
        1 [7, 7, 7] 1
        2 []
        [0, 1, 4, 9, 16, 25, 36, 49, 64] 15
        4 abc
        [11, 12, 13] [4, 5] 2 0 3
        [24, 25, 26] [] 6 [3, 1]
        [2, 3]

        """)
    let written = try Self.library.written(choices: Self.choices).choices
    for line in Self.choices.split(separator: "\n") { #expect(written.contains("\n\(line)\n"), "\(line)") }
    #expect(written.contains("\n# grid.notes memory=?   # "), "\(written)")
  }

  @Test func `a field is asked for, with the properties that the answers write`() throws {
    let header = """
      typedef struct { const short *samples; short *made; int count; } clip;
      static inline void clip_play(clip *c) { for (int i = 0; i < c->count; i++) c->made[i] = c->samples[i]; }
      """
    let folder = try HeaderTests.Folder(["library.h": header])
    let command = [Built.command, folder.path + "/library.h", "--output", folder.path + "/Sources", "--ask"]
    // An answer that does not fit is asked again; then an answer of one's own, and one from the list.
    let asked = try #require(FinishedProcess.run(command, input: "memory=in[size]\nmemory=in[count]\n3\n"))
    #expect(asked.status == 0, "\(asked.errors)")
    for text in [
      "1. What does clip.samples lead to?", "clip has no field size", "2. What does clip.made lead to?",
      "room for count elements, which C writes", "public private(set) var made: [Int16]",
      "There are no more questions.",
    ] {
      #expect(asked.text.contains(text), "\(text): \(asked.text)")
    }
    let choices = try String(contentsOfFile: folder.path + "/Sources/Library/Library.choices", encoding: .utf8)
    for line in ["clip.samples memory=in[count]", "clip.made memory=out[count]"] {
      #expect(choices.contains("\n\(line)\n"), "\(choices)")
    }
  }

  @Test(arguments: [
    (
      "var it = Job()\nit.channels = 2\nit.in = [1]\ntry LibraryLibrary.jobRun(&it, channels: 2)",
      "job.in needs a multiple of channels elements."
    ),
    ("var it = Job()\ntry LibraryLibrary.jobRun(&it, channels: 2)", "job needs channels"),
    (
      "var it = Pair()\n(it.left, it.right) = ([1, 2], [1])\nLibraryLibrary.pairSwap(&it)",
      "C reads n elements of pair.right."
    ),
    (
      "var it = Pair()\n(it.left, it.right) = ([1], [1])\nLibraryLibrary.pairSwap(&it)",
      "C reads PLANES elements of pair.weights."
    ),
  ])
  func `too few elements are a trap with the reason`(_ program: String, _ message: String) throws {
    let errors = try Self.library.run(program + "\n", choices: Self.choices, isCrash: true)
    #expect(errors.contains(message), "\(errors)")
  }

  @Test(arguments: [
    ("job.in memory=in[frames]", "job has no field frames, and no macro is the number frames. Write frames?"),
    ("job.ratio memory=in[in_frames]", "job.ratio is no pointer to memory."),
    ("job.into memory=in[in_frames]", "job has no field into. Write STRUCT.FIELD."),
    ("jobs.in memory=in[in_frames]", "The headers have no struct jobs whose fields are known."),
    ("job.in memory=in", "job.in needs a number of elements, such as memory=in[n]."),
    ("job.in memory=inout[in_frames]", "job.in is constant, so C can't write to it."),
    ("job.in memory=in[in_frames?]", "job has the field in_frames. Write it without the question mark."),
    ("job.in memory=in[ratio]", "job.ratio is no number."),
    ("job.in memory=in[NULL]", "job.in needs a number of elements"),
    ("job.in memory=null", "A field without a line is NULL for C."),
    ("job.in memory=in[in_frames] frees=free", "The choice for a field is memory=."),
    ("grid.cells memory=in[width]", "grid is an object that C makes, so C would keep the memory of grid.cells."),
    ("grid.cells memory=out[width*n?]", "grid is an object, and no program gives it n? for grid.cells."),
    ("hooks.name memory=text", "memory= has no effect for hooks.name: hooks has callbacks"),
    ("fault.name memory=text", "fault_free frees the memory of fault.name"),
    ("job_run/j memory=in[n?]", "n? is a number for the field of a struct."),
    ("job_run/j memory=in[channels:channels]", "has no number of elements that C writes."),
  ])
  func `a line that does not fit says why`(_ line: String, _ message: String) throws {
    let error = try #require(throws: (any Error).self) { _ = try Self.library.written(choices: line) }
    #expect("\(error)".contains(message), "\(error)")
  }
}
