import Testing

@testable import LibraryWrapping

/// Decisions about headers that resemble those of real libraries.
@Suite("Decisions")
struct DecisionTests {
  private func sites(_ header: String) throws -> [String: ClassifiedSite] { try Self.sites(header) }
  private func context(_ site: ClassifiedSite?) -> String? { Self.context(site) }
  private func endings(_ site: ClassifiedSite?) -> [String]? { Self.endings(site) }

  static func sites(_ header: String) throws -> [String: ClassifiedSite] {
    let folder = try HeaderTests.Folder(["library.h": header])
    var options = HeaderOptions()
    options.headers = [folder.path + "/library.h"]
    let sites = Classifier.classify(Library(try Headers(options)))
    return Dictionary(sites.map { ($0.site.key, $0) }) { first, _ in first }
  }

  static func context(_ site: ClassifiedSite?) -> String? {
    site?.context.value.map { "\($0.index)<\($0.registeredBy)" }
  }

  static func endings(_ site: ClassifiedSite?) -> [String]? { site?.endings.value.map(\.function) }

  @Test func `each callback of a table has the context field of its own name`() throws {
    let sites = try sites(
      """
      struct repo;
      struct checkout_options {
        int (*notify_cb)(int why, void *payload);
        void *notify_payload;
        void (*progress_cb)(int done, void *payload);
        void *progress_payload;
        void *(*lookupFunc)(void *ctxt, const char *name);
        void *lookupData;
        void (*error)(void *userData, int code);
        void *userData;
        void *_private;
      };
      int checkout_head(struct repo *, const struct checkout_options *);
      """)
    #expect(context(sites["checkout_options.notify_cb"]) == "1<.notify_payload")
    #expect(context(sites["checkout_options.progress_cb"]) == "1<.progress_payload")
    #expect(context(sites["checkout_options.lookupFunc"]) == "0<.lookupData")
    #expect(context(sites["checkout_options.error"]) == "0<.userData")
  }

  @Test func `a table's field of the library's own is not its context: the function that takes both is`() throws {
    let sites = try sites(
      """
      struct parser;
      struct sax { void (*start)(void *ctx, const char *name); void (*end)(void *ctx); void *_private; };
      struct parser *parser_create(struct sax *, void *user_data, const char *chunk);
      void parser_free(struct parser *);
      int parse_document(struct sax *, int size);
      """)
    #expect(context(sites["sax.start"]) == "0<parser_create")
    #expect(endings(sites["sax.start"]) == ["parser_free"])
  }

  @Test func `options of a function that keeps nothing have no ending`() throws {
    let sites = try sites(
      """
      struct repo; struct index;
      void index_free(struct index *);
      void repo_free(struct repo *);
      struct apply_options { int (*hunk)(int, void *payload); void *payload; };
      int apply_options_init(struct apply_options *, unsigned version);
      int apply_to_tree(struct index **out, struct repo *, const struct apply_options *);
      """)
    #expect(endings(sites["apply_options.hunk"]) == [])
    #expect(sites["apply_options.hunk"]?.life.value == nil)
    #expect(sites["apply_options.hunk"]?.certainty == .asked)
  }

  @Test func `a struct whose functions get the struct itself is an object: no other function ends it`() throws {
    let sites = try sites(
      """
      struct filters;
      void filters_free(struct filters *);
      struct stream { int (*write)(struct stream *, const char *, unsigned long); void (*free)(struct stream *); };
      int filters_add_stream(struct filters *, struct stream *);
      """)
    #expect(sites["stream.write"]?.life.value == nil)
    #expect(endings(sites["stream.write"]) == [])
  }

  @Test func `NULL in a comment ends nothing if the function does not register`() throws {
    let sites = try sites(
      """
      struct blob;
      /* Diffs two blobs. The result is a delete if the new one is NULL. */
      int diff_blobs(struct blob *old, struct blob *new, void (*file)(void *payload, int), void *payload);
      struct database;
      /* If the callback is NULL, it is disabled. */
      int database_pages(struct database *, unsigned (*f)(void *arg, unsigned), void *arg);
      """)
    #expect(sites["diff_blobs/2"]?.endings.value.contains { $0.withNull } == false)
    #expect(sites["diff_blobs/2"]?.certainty == .asked)
    #expect(sites["database_pages/1"]?.endings.value.first == Ending(function: "database_pages", withNull: true))
  }

  @Test func `a callback for each thing is called while the function runs, even if its name adds or removes`() throws {
    let sites = try sites(
      """
      struct index;
      typedef int (*matched_cb)(const char *path, void *payload);
      /* Adds files. The callback is invoked on each matching item. */
      int index_add_all(struct index *, matched_cb callback, void *payload);
      /* Removes files. The callback is invoked on each matching item. */
      int index_remove_all(struct index *, matched_cb callback, void *payload);
      struct node;
      void node_add_sorted(struct node *, int (*compare)(const struct node *, const struct node *));
      int plugins_init(const char *directory, int (*each)(const char *name, void *user), void *each_user);
      """)
    for key in ["index_add_all/1", "index_remove_all/1", "node_add_sorted/1", "plugins_init/1"] {
      #expect(sites[key]?.role.value == .callback, "\(key)")
      #expect(sites[key]?.life.value == .scoped, "\(key)")
    }
  }

  @Test func `a function that works on what it is given calls back before it returns`() throws {
    let sites = try sites(
      """
      #include <stddef.h>
      struct message; struct attribute; struct environment; struct base;
      typedef int (*attribute_cb)(const struct attribute *, void *data);
      int attribute_parse(const struct message *m, size_t offset, attribute_cb cb, void *data);
      int cb_run(const void *buffer, size_t n, unsigned int sequence, attribute_cb cb_data, void *data);
      typedef int (message_fn)(const char *text, void *ctx);
      int reader_list(struct environment *, message_fn *fn, void *ctx);
      int read_async(const struct message *m, attribute_cb cb, void *data);
      int base_lookup_name(const char *name, attribute_cb cb, void *data);
      int base_later(struct base *, attribute_cb cb, void *data);
      """)
    for key in ["attribute_parse/2", "cb_run/3", "reader_list/1"] {
      #expect(sites[key]?.life.value == .scoped, "\(key)")
    }
    for key in ["read_async/1", "base_later/1"] { #expect(sites[key]?.life.value != .scoped, "\(key)") }
  }

  @Test func `what takes a part away from an object does not destroy it`() throws {
    let sites = try sites(
      """
      struct json; struct stream;
      void json_object_del(struct json *, const char *key);
      void json_on_change(struct json *, void (*f)(void *arg), void *arg);
      int stream_finish_upload(struct stream *);
      void stream_set_state_callback(struct stream *, void (*f)(void *userdata), void *userdata);
      struct list;
      struct list *list_create(void (*visit)(void *arg, int), void *arg);
      void list_delete(struct list *);
      void list_remove_all(struct list *, void *data);
      """)
    #expect(endings(sites["json_on_change/1"]) == [])
    #expect(endings(sites["stream_set_state_callback/1"]) == ["stream_set_state_callback"])
    #expect(endings(sites["list_create/0"])?.first == "list_delete")
  }

  @Test func `a request is what can be canceled, and a connection is not one because of its queries`() throws {
    let sites = try sites(
      """
      struct context; struct operation; struct module; struct connection;
      void operation_cancel(struct operation *);
      struct operation *context_load_module(struct context *, const char *name, void (*f)(struct context *, void *userdata), void *userdata);
      struct operation *context_set_name(struct context *, const char *name, void (*f)(struct context *, int success, void *userdata), void *userdata);
      struct operation *context_get_list(struct context *, void (*f)(struct context *, const char *info, int eol, void *userdata), void *userdata);
      int connection_request_cancel(struct connection *);
      void connection_set_notices(struct connection *, void (*f)(void *arg, const char *text), void *arg);
      """)
    #expect(sites["context_load_module/2"]?.life.value == nil)
    #expect(sites["context_set_name/2"]?.life.value == nil)
    #expect(endings(sites["context_set_name/2"])?.first == "operation_cancel")
    #expect(sites["context_get_list/1"]?.life.value == .terminalCall)
    #expect(endings(sites["connection_set_notices/1"])?.contains("connection_request_cancel") == false)
  }

  @Test func `a registration that is taken back by its function and context is compared, and not called`() throws {
    let sites = try sites(
      """
      struct bus;
      typedef int (*message_function)(struct bus *, void *user_data);
      int bus_add_filter(struct bus *, message_function f, void *user_data, void (*free_data)(void *));
      void bus_remove_filter(struct bus *, message_function f, void *user_data);
      typedef int (*read_callback)(void *context, char *buffer, int len);
      int register_input_callbacks(int (*match)(const char *), read_callback read);
      struct reader;
      struct reader *reader_for_io(read_callback read, void *ioctx);
      typedef void (*deallocator)(void *payload, const char *name);
      struct table;
      int table_remove_entry(struct table *, const char *name, deallocator f);
      """)
    #expect(sites["bus_add_filter/1"]?.role.value == .callback)
    #expect(sites["bus_remove_filter/1"]?.role.value == .key)
    #expect(sites["reader_for_io/0"]?.role.value == .callback)
    #expect(sites["table_remove_entry/2"]?.role.value != .key)
  }

  @Test func `a table is unregistered by the counterpart of what registers it`() throws {
    let sites = try sites(
      """
      struct connection;
      void connection_close(struct connection *);
      struct vtable { int (*message)(struct connection *, void *user_data); };
      int connection_try_register_path(struct connection *, const char *path, const struct vtable *, void *user_data);
      int connection_unregister_path(struct connection *, const char *path);
      """)
    #expect(endings(sites["vtable.message"]) == ["connection_unregister_path"])
  }

  @Test func `a table that the program hands over is its own, whatever it is called`() throws {
    let sites = try sites(
      """
      struct spawn_api { void (*prefork)(void); };
      struct mainloop_api { void (*quit)(struct mainloop_api *, int); };
      struct context; struct mainloop;
      int context_connect(struct context *, const struct spawn_api *);
      const struct mainloop_api *mainloop_get_api(struct mainloop *);
      struct context *context_new(const struct mainloop_api *);
      """)
    #expect(sites["spawn_api.prefork"]?.role.value == .callback)
    #expect(sites["mainloop_api.quit"]?.role.value == .given)
  }

  @Test func `a context behind a pointer is found, and what is written through one is none`() throws {
    let sites = try sites(
      """
      struct session;
      struct session *session_init(void *abstract);
      int session_login(struct session *, void (*prompt)(const char *name, void **abstract));
      struct module { int (*find)(int count, void (**function)(void *), void **arg); };
      """)
    #expect(context(sites["session_login/1"]) == "1<session_init")
    #expect(sites["session_login/1"]?.context.value?.arrival == .indirect)
    #expect(sites["module.find"]?.context.value == nil)
  }

  @Test func `allocators may get a reason, or a context behind a pointer, and may be global variables`() throws {
    let sites = try sites(
      """
      void set_allocator(void *(*realloc)(void *ptr, unsigned long size, const char *reason));
      struct session;
      struct session *session_init(void *(*my_alloc)(unsigned long, void **abstract), void (*my_free)(void *, void **abstract), void *abstract);
      extern void *(*library_malloc)(unsigned long);
      extern void (*library_free)(void *);
      """)
    for key in ["set_allocator/0", "session_init/0", "session_init/1", "library_malloc", "library_free"] {
      #expect(sites[key]?.role.value == .allocator, "\(key)")
    }
  }

  @Test func `a function that an inline function only returns, compares, or casts is not registered`() throws {
    let sites = try Self.sites(
      """
      typedef int (*cmp)(const void *, const void *);
      struct t { cmp f; };
      #define CHECK(name) static inline cmp name(cmp f) { return f; }
      CHECK(check_cmp)
      static inline cmp cast_cmp(cmp f) { return (cmp)(void *)f; }
      static inline int same_cmp(cmp f, cmp g) { return f == g; }
      static inline void t_set(struct t *x, cmp f) { x->f = f; }
      static inline int t_run(cmp f) { int a = 1; return f(&a, &a); }
      static inline int t_pass(cmp f) { return t_run(f); }
      static inline int t_keep(cmp f) { cmp g = f; return g(0, 0); }
      static inline struct t t_make(cmp f) { return (struct t){f}; }
      void t_sort(void *base, unsigned long n, cmp f);
      """)
    for key in ["check_cmp/0", "cast_cmp/0", "same_cmp/0", "same_cmp/1"] {
      #expect(sites[key]?.role.value == .checked, "\(key)")
    }
    for key in ["t_set/1", "t_run/0", "t_pass/0", "t_keep/0", "t_make/0", "t_sort/2"] {
      #expect(sites[key]?.role.value == .callback, "\(key)")
    }
  }

  @Test func `a list of listeners that is registered is no getter`() throws {
    let sites = try sites(
      """
      struct proxy;
      int proxy_add_listener(struct proxy *, void (**implementation)(void), void *data);
      void proxy_get_listener(struct proxy *, void (**implementation)(void));
      """)
    #expect(sites["proxy_add_listener/1"]?.role.value == .callback)
    #expect(sites["proxy_get_listener/1"]?.role.value == .getter)
  }
  @Test func `each of several callbacks has the context of its own name or place`() throws {
    let sites = try sites(
      """
      struct stream;
      int stream_back(struct stream *, unsigned (*in)(void *, int), void *in_desc, int (*out)(void *, int), void *out_desc);
      int stream_open(struct stream *, int (*read_cb)(void *, int), int (*write_cb)(void *, int), void *read_data, void *write_data);
      int stream_pair(struct stream *, int (*)(void *, int), void *, int (*)(void *, int), void *);
      int stream_both(struct stream *, int (*first)(void *, int), int (*second)(void *, int), void *user);
      """)
    #expect(context(sites["stream_back/1"]) == "0<2")
    #expect(context(sites["stream_back/3"]) == "0<4")
    #expect(context(sites["stream_open/1"]) == "0<3")
    #expect(context(sites["stream_open/2"]) == "0<4")
    #expect(context(sites["stream_pair/1"]) == "0<2")
    #expect(context(sites["stream_pair/3"]) == "0<4")
    #expect(context(sites["stream_both/2"]) == "0<3")
  }
}
