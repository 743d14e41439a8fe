import Testing

@testable import LibraryWrapping

/// Decisions from comments, and about callbacks that only a configuration, a plug-in, or another callback receives.
@Suite("Decisions from comments")
struct CommentDecisionTests {
  private func sites(_ header: String) throws -> [String: ClassifiedSite] { try DecisionTests.sites(header) }
  private func context(_ site: ClassifiedSite?) -> String? { DecisionTests.context(site) }
  private func endings(_ site: ClassifiedSite?) -> [String]? { DecisionTests.endings(site) }

  private static let client = """
    struct conf; struct client;
    void conf_set_opaque(struct conf *, void *opaque);
    void conf_destroy(struct conf *);
    struct client *client_new(int type, struct conf *, char *error, unsigned long size);
    void client_destroy(struct client *);
    int client_produce(struct client *);

    """

  @Test func `what a configuration is told lasts as long as the object that it becomes`() throws {
    let sites = try sites(
      Self.client + """
        /* Sets the callback for deliveries. The callback will be called once for each message. */
        void conf_set_delivery_cb(struct conf *, void (*cb)(struct client *, const char *message, void *opaque));
        /* Sets the callback for groups. It is triggered exactly once when a rebalance completes. */
        void conf_set_rebalance_cb(struct conf *, void (*cb)(struct client *, int error, void *opaque));
        /* Sets the logger. */
        void conf_set_log_cb(struct conf *, void (*cb)(const struct client *, int level, const char *text));
        int conf_add_on_destroy(struct conf *, const char *name, int (*on_destroy)(void *opaque), void *opaque);
        """)
    for key in ["conf_set_delivery_cb/1", "conf_set_rebalance_cb/1", "conf_set_log_cb/1", "conf_add_on_destroy/2"] {
      #expect(endings(sites[key]) == ["client_destroy"], "\(key)")
      #expect(sites[key]?.life.value == .silent, "\(key)")
    }
  }

  @Test func `a comment that says that a thread of the library calls says that a call may be under way at the end`()
    throws
  {
    let sites = try sites(
      Self.client + """
        /* Sets the socket callback. The callback will be called from an internal library thread. */
        void conf_set_socket_cb(struct conf *, int (*cb)(int domain, void *opaque));
        /* Sets the logger. It is called spontaneously from the library's internal threads. */
        void conf_set_log_cb(struct conf *, void (*cb)(const struct client *, const char *text));
        /* Sets the partitioner, which may be called in any thread at any time. */
        void conf_set_partitioner(struct conf *, int (*partitioner)(const struct client *, void *opaque));
        /* Sets the token callback. A queue can be redirected to the background thread. */
        void conf_set_token_cb(struct conf *, void (*cb)(struct client *, void *opaque));
        /* Sets the error callback. It is never called from another thread. */
        void conf_set_error_cb(struct conf *, void (*cb)(struct client *, void *opaque));
        """)
    for key in ["conf_set_socket_cb/1", "conf_set_log_cb/1", "conf_set_partitioner/1"] {
      #expect(sites[key]?.life.value == .inFlight, "\(key)")
      #expect(sites[key]?.life.certainty == .told, "\(key)")
      #expect(sites[key]?.thread.value == .library, "\(key)")
    }
    #expect(sites["conf_set_token_cb/1"]?.life.value == .silent)
    #expect(sites["conf_set_error_cb/1"]?.life.value == .silent)
  }

  @Test func `a callback for the start of threads starts none`() throws {
    let sites = try sites(
      Self.client + """
        int client_add_on_thread_start(struct client *, const char *name, int (*f)(struct client *, void *opaque), void *opaque);
        int client_add_on_send(struct client *, const char *name, int (*f)(struct client *, void *opaque), void *opaque);
        """)
    #expect(sites["client_add_on_send/2"]?.life.value == .silent)
    #expect(endings(sites["client_add_on_send/2"]) == ["client_destroy"])
  }

  @Test func `a function that waits, or whose callback aborts it, calls while it runs`() throws {
    let sites = try sites(
      """
      struct queue; struct stream;
      int queue_consume_callback(struct queue *, int timeout_ms, void (*f)(const char *message, void *opaque), void *opaque);
      int queue_add_timer(struct queue *, int timeout_ms, void (*f)(void *opaque), void *opaque);
      void queue_remove_timer(struct queue *, int timer);
      void queue_destroy(struct queue *);
      /* Fetches data. A return value of -1 will abort the send operation. */
      typedef int (*source)(struct stream *, char *data, unsigned long size, void *opaque);
      /* Skips a hole. */
      typedef int (*hole)(struct stream *, long length, void *opaque);
      int stream_send_all(struct stream *, source read, hole skip, void *opaque);
      void stream_set_source(struct stream *, source read, void *opaque);
      void stream_free(struct stream *);
      """)
    #expect(sites["queue_consume_callback/2"]?.life.value == .scoped)
    #expect(sites["queue_add_timer/2"]?.life.value == .silent)
    #expect(sites["stream_send_all/1"]?.life.value == .scoped)
    #expect(sites["stream_send_all/2"]?.life.value == .scoped)
    #expect(sites["stream_set_source/1"]?.life.value == .silent)
  }

  @Test func `a function that adds is no key, although another one registers the same type`() throws {
    let sites = try sites(
      """
      struct connection;
      typedef void (*free_callback)(void *opaque);
      typedef void (*any_callback)(struct connection *, void *opaque);
      int connection_register_any(struct connection *, int id, any_callback cb, void *opaque, free_callback freecb);
      int connection_deregister_any(struct connection *, int callback_id);
      int event_add_handle(int fd, void (*cb)(int watch, void *opaque), void *opaque, free_callback ff);
      int event_remove_handle(int watch);
      /* The signature to use when registering for disk changes with connection_register_any(). */
      typedef void (*disk_callback)(struct connection *, const char *disk, void *opaque);
      """)
    #expect(sites["event_add_handle/3"]?.role.value == .release)
    #expect(sites["event_add_handle/1"]?.life.value == .destroyNotify)
    #expect(context(sites["disk_callback"]) == "2<connection_register_any")
    #expect(sites["disk_callback"]?.life.value == .destroyNotify)
    #expect(sites["disk_callback"]?.releasedBy == "connection_register_any/4")
  }

  @Test func `a context that follows a function in a callback is that function's`() throws {
    let sites = try sites(
      """
      typedef void (*ready)(int fd, void *opaque);
      typedef int (*add_handle)(int fd, ready cb, void *opaque);
      void event_register(add_handle add);
      """)
    #expect(sites["event_register/0"]?.context.value == nil)
    #expect(sites["event_register/0/1"]?.role.value == .given)
  }

  @Test func `a context of the whole process is set by the function beside`() throws {
    let sites = try sites(
      """
      typedef void (*logging_callback)(int priority, const char *text, void *userdata);
      int lib_set_log_callback(logging_callback cb);
      int lib_set_log_userdata(void *data);
      """)
    #expect(context(sites["lib_set_log_callback/0"]) == "2<lib_set_log_userdata")
  }

  @Test func `a type that a plug-in exports under a symbol is its entry point`() throws {
    let sites = try sites(
      """
      struct conf;
      /* Plugin initializer. It must be implemented by plugins and have the symbol name conf_init. */
      typedef int (plugin_init)(struct conf *, void **opaque);
      """)
    #expect(sites["plugin_init"]?.role.value == .plugin)
  }
  @Test func `a comment that begins with the name of the function above it is that function's`() throws {
    let sites = try sites(
      """
      struct filter;
      int filter_header(struct filter *, int (*check)(void *, int), void *context);
      /*
           filter_header() asks for the header.
      */

      int filter_run(struct filter *, int (*step)(void *, int), void *context);
      /*
           filter_run() runs the filter.
      */
      void filter_free(struct filter *);
      """)
    #expect(sites["filter_header/1"]?.site.comment == "filter_header() asks for the header.")
    #expect(sites["filter_run/1"]?.site.comment == "filter_run() runs the filter.")
  }
  @Test func `a comment that names a function of another object does not say what sets the context`() throws {
    let sites = try sites(
      """
      struct parser; struct sax;
      /* Namespace handler set by parser_set_namespace_handler(). */
      typedef void (*namespace_handler)(void *user_data, const char *name);
      void parser_set_namespace_handler(struct parser *, void *user_data, namespace_handler handler);

      struct sax *new_sax(int locator, void *user_data);
      void free_sax(struct sax *);
      void sax_set_namespace_handler(struct sax *, namespace_handler handler);
      """)
    #expect(context(sites["sax_set_namespace_handler/1"]) == "0<new_sax")
  }

  @Test func `a comment above a field is about that field, and once for each of something is not once`() throws {
    let sites = try sites(
      """
      struct shop;
      /** The functions of a program. */
      struct table {
        /** Called once per file, from another thread. */
        void (*on_file)(void *user);
        /** Called exactly once, to ask. */
        int (*on_ask)(void *user);
        /** Called exactly once, at the end. */
        void (*on_end)(void *user);
        void (*on_other)(void *user); /**< Called exactly once. */
        void (*on_last)(void *user);
        void *user;
      };
      void shop_set_table(struct shop *, struct table *);
      """)
    for (field, isOnce) in [
      ("on_file", false), ("on_ask", false), ("on_end", true), ("on_other", true), ("on_last", false),
    ] {
      #expect((sites["table.\(field)"]?.life.value == .once) == isOnce, "\(field)")
    }
    #expect(sites["table.on_file"]?.thread.value == .library)
  }
}
