import Testing

@testable import LibraryWrapping

/// What comments and names say of lengths, of calls that come later, and of results, in a library that does it.
@Suite("Comments that could be misread", .enabled(if: Built.canRun))
struct CommentFaultTests {
  private static let library = SmallLibrary(
    header: """
      #include <stdbool.h>
      #include <stddef.h>
      typedef struct server server;
      server *server_new(void);
      void server_free(server *s);

      /** Reports the progress of a download: how many of how many bytes are done. */
      typedef void (*server_progress_fn)(const char *file, size_t done, size_t total, void *data);
      /** Sets the function for progress. NULL removes it. */
      void server_set_progress(server *s, server_progress_fn fn, void *data);
      /** Visits the lines while it runs. */
      void server_each_line(server *s, bool (*fn)(const char *text, size_t index, void *data), void *data);
      /** Visits the parts of a text, which no zero ends, while it runs. */
      void server_each_part(server *s, void (*fn)(const char *text, size_t length, void *data), void *data);

      /** A handler, which is called for each request. */
      typedef void (*server_request_fn)(server *s, const char *target, void *data);
      /** Adds a handler for requests. */
      void server_add_handler(server *s, server_request_fn fn, void *data);
      /** Subscribes to messages. fn is called once for each message, until server_free. */
      void server_subscribe(server *s, server_request_fn fn, void *data);
      /** Serves one request. */
      void server_serve(server *s, const char *target);

      enum server_mode { SERVER_SLOW = 1, SERVER_FAST = 2 };
      /** Finds the mode. Returns the mode, or a negative error code. */
      enum server_mode server_find_mode(server *s, int fast);

      /** Locks it. Returns 0 on success, or an errno value. */
      int server_lock(server *s, int value);
      """,
    source: """
      #include <errno.h>
      #include <stdlib.h>
      #include <string.h>
      struct server { server_progress_fn progress; void *pdata; server_request_fn handler, subscriber; void *hdata, *sdata; };
      server *server_new(void) { return calloc(1, sizeof(server)); }
      void server_free(server *s) { free(s); }
      void server_set_progress(server *s, server_progress_fn fn, void *data) {
        s->progress = fn; s->pdata = data;
        char *file = strdup("movie.mp4");
        if (fn) { fn(file, 0, 9000, data); fn(file, 3, 9000, data); fn(file, 9000, 9000, data); }
        free(file);
      }
      void server_each_line(server *s, bool (*fn)(const char *, size_t, void *), void *data) {
        for (size_t i = 0; i < 3; i++) { char *line = strdup("line"); bool goes = fn(line, i, data); free(line); if (!goes) break; }
      }
      void server_each_part(server *s, void (*fn)(const char *, size_t, void *), void *data) { fn("abc", 2, data); }
      void server_add_handler(server *s, server_request_fn fn, void *data) { s->handler = fn; s->hdata = data; }
      void server_subscribe(server *s, server_request_fn fn, void *data) { s->subscriber = fn; s->sdata = data; }
      void server_serve(server *s, const char *target) {
        if (s->handler) s->handler(s, target, s->hdata);
        if (s->subscriber) s->subscriber(s, target, s->sdata);
      }
      enum server_mode server_find_mode(server *s, int fast) {
        return fast < 0 ? (enum server_mode)-5 : fast ? SERVER_FAST : SERVER_SLOW;
      }
      int server_lock(server *s, int value) { errno = ERANGE; return value; }
      """)

  @Test func `a number behind a text is its length only if its name says so`() throws {
    let output = try Self.library.run(
      """
      import Streams
      let server = try Server()
      let progress = server.progress().observeNext { print($0.file ?? "nil", $0.done, $0.total) }
      server.eachLine { print($0 ?? "nil", $1); return $1 < 1 }
      server.eachPart { print($0) }
      progress.dispose()
      """, ["--thread", "caller"])
    #expect(output == "movie.mp4 0 9000\nmovie.mp4 3 9000\nmovie.mp4 9000 9000\nline 0\nline 1\nab\n")
  }

  @Test func `what is registered is called later, also if it is called for each of something`() throws {
    let output = try Self.library.run(
      """
      import Streams
      let server = try Server()
      let places = [
        server.adds().observeNext { target in print("handler", target ?? "nil") },
        server.subscribes().observeNext { target in print("subscriber", target ?? "nil") },
      ]
      server.serve("/index")
      server.serve("/again")
      _ = places
      """, ["--thread", "caller"])
    #expect(output == "handler /index\nsubscriber /index\nhandler /again\nsubscriber /again\n")
  }

  @Test func `an enum is a result, and a negative one is a failure`() throws {
    let output = try Self.library.run(
      """
      import Streams
      let server = try Server()
      print(try server.findMode(0) == .slow, try server.findMode(1) == .fast)
      do { print(try server.findMode(-1)) } catch { print(error.code) }
      """, ["--thread", "caller"])
    #expect(output == "true true\n-5\n")
  }

  @Test func `an errno value that is returned is not in errno`() throws {
    let output = try Self.library.run(
      """
      import Streams
      let server = try Server()
      try server.lock(0)
      do { try server.lock(16) } catch { print(error.code, "\\(error)".contains("range")) }
      """, ["--thread", "caller"])
    #expect(output == "16 false\n")
  }
}
