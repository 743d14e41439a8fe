import Testing

@testable import LibraryWrapping

/// Decisions about the threads that call, from comments and from the other functions of an object.
@Suite("Decisions about threads")
struct ThreadDecisionTests {
  private func sites(_ header: String) throws -> [String: ClassifiedSite] { try DecisionTests.sites(header) }
  private func endings(_ site: ClassifiedSite?) -> [String]? { DecisionTests.endings(site) }

  private static let connection = """
    typedef struct options options; struct connection; struct subscription;
    int connection_connect(struct connection **, options *);
    void connection_destroy(struct connection *);
    void options_destroy(options *);
    void subscription_destroy(struct subscription *);

    """

  @Test func `a comment that names the thread says that the library calls`() throws {
    let sites = try sites(
      Self.connection + """
        /* Such callback is invoked from a dedicated thread. */
        void options_set_closed_cb(options *, void (*f)(struct connection *, void *closure), void *closure);
        /* It is invoked synchronously from the connection thread. */
        void options_set_token_handler(options *, void (*f)(void *closure), void *closure);
        /* This is invoked from the connection reconnect thread, and waits. */
        void options_set_delay(options *, long (*f)(int attempts, void *closure), void *closure);
        /* It is called in the main thread. */
        void connection_set_main(struct connection *, void (*f)(void *closure), void *closure);
        /* It is called in the same thread that polls. */
        void connection_set_same(struct connection *, void (*f)(void *closure), void *closure);
        /* It is called from the thread that polls. */
        void connection_set_poller(struct connection *, void (*f)(void *closure), void *closure);
        /* This function will wake up your main loop (from
         * another thread). */
        void connection_set_exit(struct connection *, void (*f)(void *closure), void *closure);
        /* Consider that another thread has locked the connection. */
        void connection_set_busy(struct connection *, void (*f)(void *closure), void *closure);

        void connection_set_first(struct connection *, void (*f)(void *closure), void *closure);
        void connection_set_second(struct connection *, void (*f)(void *closure), void *closure);
        """)
    for key in ["options_set_closed_cb/1", "options_set_token_handler/1", "options_set_delay/1"] {
      #expect(sites[key]?.life.value == .inFlight, "\(key)")
      #expect(sites[key]?.life.certainty == .told, "\(key)")
      #expect(endings(sites[key]) == ["connection_destroy"], "\(key)")
    }
    #expect(sites["connection_set_exit/1"]?.life.value == .inFlight)
    #expect(sites["connection_set_busy/1"]?.life.value == .silent)
    for key in ["connection_set_main/1", "connection_set_same/1", "connection_set_poller/1", "connection_set_first/1"] {
      #expect(sites[key]?.life.value == .silent, "\(key)")
    }
  }

  @Test func `if most callbacks are told to come from threads, the others come from there, too`() throws {
    let sites = try sites(
      Self.connection + """
        /* Such callback is invoked from a dedicated thread. */
        void options_set_closed_cb(options *, void (*f)(struct connection *, void *closure), void *closure);
        /* It is invoked from the connection thread. */
        void options_set_token_handler(options *, void (*f)(void *closure), void *closure);

        void options_set_error_handler(options *, void (*f)(int status, void *closure), void *closure);
        int connection_subscribe(struct subscription **, struct connection *, void (*f)(void *closure), void *closure);
        /* If you unsubscribe, the message handler may still be invoked one last time. */
        void subscription_complete(struct subscription *);
        void connection_publish(struct connection *, const void *data, void (*done)(void *closure), void *closure);
        """)
    #expect(sites["options_set_error_handler/1"]?.life.value == .inFlight)
    #expect(sites["options_set_error_handler/1"]?.life.certainty == .inferred)
    #expect(sites["connection_subscribe/2"]?.life.value == .inFlight)
    #expect(sites["connection_subscribe/2"]?.life.certainty == .told)
    // The function registers nothing, so the callback may be called only once.
    #expect(sites["connection_publish/2"]?.certainty == .asked)
  }

  @Test func `a callback for the end of its own object comes once`() throws {
    let sites = try sites(
      Self.connection + """
        /* Sets a callback that will be invoked after the subscription is closed. */
        void subscription_set_complete_cb(struct subscription *, void (*f)(void *closure), void *closure);
        /* Sets a callback that will be invoked after the subscription is closed. */
        void connection_set_complete_cb(struct connection *, void (*f)(void *closure), void *closure);
        """)
    #expect(sites["subscription_set_complete_cb/1"]?.life.value == .once)
    #expect(sites["connection_set_complete_cb/1"]?.life.value == .silent)
  }

  @Test func `an object with a thread hands over callbacks that come many times`() throws {
    let sites = try sites(
      """
      struct server_thread;
      struct server_thread *server_thread_new(const char *port, void (*error)(int number, const char *text, void *arg), void *arg);
      int server_thread_start(struct server_thread *);
      void server_thread_free(struct server_thread *);
      void server_thread_set_callbacks(struct server_thread *, int (*init)(struct server_thread *, void *user_data),
        void (*cleanup)(struct server_thread *, void *user_data), void *user_data);
      int worker_thread_create(void (*run)(void *arg), void *arg);
      """)
    #expect(sites["server_thread_new/1"]?.life.value == .inFlight)
    #expect(endings(sites["server_thread_new/1"]) == ["server_thread_free"])
    // The callbacks are the two halves of a pair. Neither destroys the context.
    for key in ["server_thread_set_callbacks/1", "server_thread_set_callbacks/2"] {
      #expect(sites[key]?.role.value == .callback, "\(key)")
      #expect(sites[key]?.life.value == .inFlight, "\(key)")
    }
    #expect(sites["worker_thread_create/0"]?.life.value == .once)
  }

  @Test func `a callback that a polling function serves is called by whoever polls`() throws {
    let sites = try sites(
      """
      struct client; struct server;
      int client_poll(struct client *, int timeout_ms);
      void client_destroy(struct client *);
      /* Sets the callback. An application must call `client_poll()` at intervals to serve it. */
      void client_set_stats_cb(struct client *, void (*f)(const char *json, void *opaque), void *opaque);
      /* Sets the callback, which is triggered from client_poll(). */
      void client_set_error_cb(struct client *, void (*f)(int error, void *opaque), void *opaque);
      /* Sets the callback. It is not called from client_poll(). */
      void client_set_log_cb(struct client *, void (*f)(const char *text, void *opaque), void *opaque);
      /* Sets the callback. See also client_destroy(). */
      void client_set_open_cb(struct client *, int (*f)(const char *path, void *opaque), void *opaque);
      /* Waits for a message. It will be dispatched to a matching method. */
      int server_recv(struct server *);
      void server_set_method(struct server *, int (*f)(const char *path, void *opaque), void *opaque);
      void server_free(struct server *);
      /* Called to notify that nothing needs to be attached. Detach from the event loop. */
      void server_set_detach(struct server *, int (*f)(void *opaque), void *opaque);
      /* It is called by the library. In general, you are expected to call client_poll() to get the events. */
      void client_set_wakeup_cb(struct client *, void (*f)(void *opaque), void *opaque);
      /* This is called for the first time from within server_recv(), and then whenever the state changes. */
      void client_set_state(struct client *, void (*f)(int state, void *opaque), void *opaque);
      /* It is called from the event loop. */
      void client_set_loop(struct client *, int (*f)(void *opaque), void *opaque);
      """)
    #expect(sites["client_set_stats_cb/1"]?.thread.value == .user)
    #expect(sites["client_set_stats_cb/1"]?.thread.certainty == .told)
    #expect(sites["client_set_error_cb/1"]?.thread.value == .user)
    #expect(sites["client_set_log_cb/1"]?.thread.value == nil)
    #expect(sites["client_set_open_cb/1"]?.thread.value == nil)
    #expect(sites["server_set_method/1"]?.thread.value == .user)
    #expect(sites["server_set_method/1"]?.thread.certainty == .inferred)
    #expect(sites["server_set_detach/1"]?.thread.value != .loop)
    #expect(sites["client_set_wakeup_cb/1"]?.thread.value == nil)
    #expect(sites["client_set_state/1"]?.thread.value == nil)
    #expect(sites["client_set_loop/1"]?.thread.value == .loop)
  }
}
