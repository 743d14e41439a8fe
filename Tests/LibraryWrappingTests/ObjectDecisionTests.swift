import Testing

@testable import LibraryWrapping

/// Decisions about objects: those behind `void *`, those with accessors, and those that a registration creates.
@Suite("Decisions about objects")
struct ObjectDecisionTests {
  private func sites(_ header: String) throws -> [String: ClassifiedSite] { try DecisionTests.sites(header) }
  private func context(_ site: ClassifiedSite?) -> String? { DecisionTests.context(site) }
  private func endings(_ site: ClassifiedSite?) -> [String]? { DecisionTests.endings(site) }

  @Test func `a typedef of void * that a function makes is an object, and no context`() throws {
    let sites = try sites(
      """
      typedef void *lo_server; typedef void *lo_method; typedef void *lo_pointer;
      lo_server lo_server_new(const char *port, void (*error)(int, const char *));
      void lo_server_free(lo_server s);
      lo_method lo_server_add_method(lo_server s, const char *path, int (*h)(const char *, void *user_data), const void *user_data);
      int lo_server_del_lo_method(lo_server s, lo_method m);
      void lo_server_add_handlers(lo_server s, int (*h)(lo_server s, void *user_data), void *user_data);
      void lo_server_visit(lo_server s, int (*each)(lo_pointer user_data), lo_pointer user_data);
      lo_pointer lo_get_pointer(lo_server s);
      """)
    #expect(endings(sites["lo_server_new/1"]) == ["lo_server_free"])
    #expect(context(sites["lo_server_add_method/2"]) == "1<3")
    #expect(endings(sites["lo_server_add_method/2"])?.first == "lo_server_del_lo_method")
    #expect(context(sites["lo_server_add_handlers/1"]) == "1<2")
    #expect(sites["lo_server_add_handlers/1"]?.life.value == .silent)
    #expect(endings(sites["lo_server_add_handlers/1"]) == ["lo_server_free"])
    // No function creates one, so it is a context.
    #expect(context(sites["lo_server_visit/1"]) == "0<2")
  }

  @Test func `an accessor and its setter make a context for the callbacks of their object`() throws {
    let sites = try sites(
      """
      struct session; struct resource;
      typedef void (*handler)(struct resource *, struct session *, int code);
      void *lib_resource_get_userdata(struct resource *);
      void lib_resource_set_userdata(struct resource *, void *data);
      void *lib_session_get_default_passwd_userdata(struct session *);
      void lib_session_set_default_passwd_userdata(struct session *, void *data);
      void lib_register_handler(struct resource *, int method, handler h);
      struct resource *lib_resource_unknown_init2(handler put, int flags);
      int lib_delete_resource(struct resource *);
      void lib_session_set_info_callback(struct session *, void (*f)(const struct session *, int));
      void lib_resource_set_destroy_callback(struct resource *, void (*destroy)(void *userdata));
      void lib_release_resource_userdata_handler(struct session *, void (*release)(void *user_data));
      """)
    #expect(context(sites["lib_register_handler/2"]) == "0<lib_resource_set_userdata")
    // The function creates an object, so it does not only compare, although another function registers the same type.
    #expect(sites["lib_resource_unknown_init2/0"]?.role.value == .callback)
    #expect(context(sites["lib_resource_unknown_init2/0"]) == "0<lib_resource_set_userdata")
    #expect(sites["lib_resource_unknown_init2/0"]?.life.value == .silent)
    #expect(endings(sites["lib_resource_unknown_init2/0"]) == ["lib_delete_resource"])
    // The context belongs to another callback.
    #expect(sites["lib_session_set_info_callback/1"]?.context.value == nil)
    #expect(context(sites["lib_resource_set_destroy_callback/1"]) == "0<lib_resource_set_userdata")
    #expect(context(sites["lib_release_resource_userdata_handler/1"]) == "0<lib_resource_set_userdata")
  }

  @Test
  func `what a registration makes is released by its last reference, and an answer to one request is asked about`()
    throws
  {
    let sites = try sites(
      """
      struct bus; struct slot; struct track;
      typedef int (*handler)(struct bus *, void *userdata);
      void bus_close(struct bus *);
      struct slot *bus_slot_ref(struct slot *);
      struct slot *bus_slot_unref(struct slot *);
      struct slot *bus_slot_disable_unref(struct slot *);
      struct track *bus_track_unref(struct track *);
      int bus_add_match(struct bus *, struct slot **slot, const char *match, handler callback, void *userdata);
      int bus_add_enumerator(struct bus *, struct slot **slot, int (*enumerator)(struct bus *, void *userdata), void *userdata);
      int bus_add_match_async(struct bus *, struct slot **slot, handler callback, handler installed, void *userdata);
      int bus_track_new(struct bus *, struct track **track, handler callback, void *userdata);
      struct async_bus;
      void async_bus_set_connect_callback(struct async_bus *, void (*f)(struct async_bus *, void *data), void *data);
      """)
    #expect(endings(sites["bus_add_match/3"])?.first == "bus_slot_unref")
    #expect(sites["bus_add_match/3"]?.life.value == .silent)
    #expect(sites["bus_add_enumerator/2"]?.life.value == .silent)
    #expect(endings(sites["bus_track_new/2"])?.first == "bus_track_unref")
    for key in ["bus_add_match_async/2", "bus_add_match_async/3"] {
      #expect(sites[key]?.certainty == .asked, "\(key)")
      #expect(endings(sites[key])?.first == "bus_slot_unref", "\(key)")
    }
    #expect(sites["async_bus_set_connect_callback/1"]?.life.value == .silent)
  }

  @Test func `each callback of a struct has the context that follows it`() throws {
    let sites = try sites(
      """
      struct context; struct setup {
        int (*validate_cn_call_back)(const char *cn, void *arg);
        void *cn_call_back_arg;
        int (*validate_sni_call_back)(const char *sni, void *arg);
        void *sni_call_back_arg;
        int (*additional_call_back)(void *tls_session, struct setup *);
        int size;
      };
      void context_free(struct context *);
      int context_set_setup(struct context *, const struct setup *);
      """)
    #expect(context(sites["setup.validate_cn_call_back"]) == "1<.cn_call_back_arg")
    #expect(context(sites["setup.validate_sni_call_back"]) == "1<.sni_call_back_arg")
    #expect(sites["setup.additional_call_back"]?.context.value == nil)
  }

  @Test func `a function with the signature of a field is written for the table, and registers nothing`() throws {
    let sites = try sites(
      """
      struct context; struct led;
      typedef struct ops ops_t;
      struct ops {
        struct led *(*create)(struct context *, const ops_t *, void *platform);
        void (*destroy)(struct led *);
      };
      struct led *led_gpio_create(struct context *, const struct ops *, void *platform);
      struct vfs { int (*sleep)(struct vfs *, int microseconds); void *data; };
      int vfs_register(struct vfs *, int isDefault);
      int vfs_unregister(struct vfs *);
      void led_gpio_destroy(struct led *);
      void context_destroy(struct context *);
      """)
    #expect(context(sites["ops.create"]) == "2<?")
    #expect(sites["ops.create"]?.certainty == .asked)
    #expect(endings(sites["ops.destroy"]) == [])
    // The signature alone is not enough.
    #expect(endings(sites["vfs.sleep"]) == ["vfs_unregister"])
    #expect(sites["ops.destroy"]?.certainty == .asked)
  }

  @Test func `a function of the object's table that gets the struct first has the struct's context`() throws {
    let sites = try sites(
      """
      struct watch;
      struct poll {
        void *userdata;
        struct watch *(*watch_new)(const struct poll *, int fd, void (*callback)(struct watch *, void *userdata), void *userdata);
      };
      struct client;
      struct client *client_new(const struct poll *, int flags);
      void client_free(struct client *);
      """)
    #expect(context(sites["poll.watch_new"]) == "0<.userdata")
  }

  @Test
  func `a function that gets something by a function compares it, and one that gets the object may release its data`()
    throws
  {
    let sites = try sites(
      """
      struct display; struct listener; struct resource;
      typedef void (*notify_func)(struct listener *listener, void *data);
      struct listener { notify_func notify; };
      struct listener *display_get_destroy_listener(struct display *, notify_func notify);
      void display_add_listener(struct display *, struct listener *);
      void display_destroy(struct display *);
      typedef int (*dispatcher)(struct resource *, int opcode);
      void *resource_get_user_data(struct resource *);
      void resource_set_user_data(struct resource *, void *data);
      void resource_set_implementation(struct resource *, dispatcher f, void *data, void (*destroy)(struct resource *));
      void resource_set_destructor(struct resource *, void (*destroy)(struct resource *));
      int resource_set_raw(struct resource *, int (*f)(const void *, void *, int), const void *raw_data, void *data);
      void *loop_add_idle(struct display *, void (*f)(void *data), void *data);
      void loop_remove_idle(struct display *, void *idle);
      """)
    #expect(sites["display_get_destroy_listener/1"]?.role.value == .key)
    #expect(sites["resource_set_implementation/3"]?.role.value == .release)
    #expect(context(sites["resource_set_implementation/3"]) == "0<2")
    #expect(sites["resource_set_implementation/1"]?.life.value == .destroyNotify)
    #expect(sites["resource_set_destructor/1"]?.role.value == .callback)
    for key in ["resource_set_raw/1", "loop_add_idle/1", "listener.notify"] {
      #expect(sites[key]?.certainty == .asked, "\(key)")
    }
  }

  @Test func `what the library allocates for the program, and an object beside the context, are asked about`() throws {
    let sites = try sites(
      """
      struct context; struct connection;
      /* The callback.
       * user: Pointer to per-session user data allocated by library.
       * in: Pointer used for some callbacks. */
      typedef int (*callback)(struct connection *, void *user, void *in, unsigned long length);
      struct protocol { callback f; void *user; };
      struct info { void (*signal_cb)(void *event_handle, int number); void *user; };
      struct context *context_create(struct protocol *, struct info *);
      void context_destroy(struct context *);
      """)
    #expect(sites["protocol.f"]?.certainty == .asked)
    #expect(sites["info.signal_cb"]?.certainty == .asked)
  }

  @Test func `NULL for the default of a process ends it, and so does a function that clears`() throws {
    let sites = try sites(
      """
      struct context;
      void context_free(struct context *);
      /* Adds a log handler: the handler to use, or NULL to use default handler. */
      void lib_set_log_handler(void (*handler)(int level, const char *message));

      int lib_set_value(const char *device, unsigned offset, int value, void (*cb)(void *data), void *data);
      void lib_set_event_handler(struct context *, int (*handler)(struct context *, int event));
      void lib_clear_event_handler(struct context *);
      void lib_clear_context(struct context **);
      """)
    #expect(sites["lib_set_log_handler/0"]?.life.value == .silent)
    #expect(sites["lib_set_value/3"]?.certainty == .asked)
    #expect(sites["lib_set_log_handler/0"]?.endings.value == [Ending(function: "lib_set_log_handler", withNull: true)])
    #expect(endings(sites["lib_set_event_handler/1"])?.contains("lib_clear_event_handler") == true)
    #expect(endings(sites["lib_set_event_handler/1"])?.contains("lib_clear_context") == false)
  }

  @Test func `a table that is taken back with NULL, and an object that a function makes with callbacks`() throws {
    let sites = try sites(
      """
      struct player; typedef struct media media;
      struct dialogs { void (*display)(void *data, const char *title); void (*cancel)(void *data, int id); };
      /* Registers callbacks. Pass a table, or NULL to unregister callbacks. */
      void player_set_dialogs(struct player *, const struct dialogs *, void *data);
      media *player_media_new_callbacks(struct player *, int (*open)(void *opaque), void *opaque);
      int player_media_parse_stop(media *);
      void player_media_release(media *);
      void player_set_audio_callbacks(struct player *, void (*play)(void *data, unsigned count), void *opaque);
      """)
    #expect(sites["dialogs.display"]?.life.value == .silent)
    #expect(sites["dialogs.display"]?.endings.value == [Ending(function: "player_set_dialogs", withNull: true)])
    #expect(endings(sites["player_media_new_callbacks/1"]) == ["player_media_release"])
    // Only the name says that this callback runs in real time.
    #expect(sites["player_set_audio_callbacks/1"]?.role.value == .realtime)
    #expect(sites["player_set_audio_callbacks/1"]?.certainty == .asked)
  }

  @Test
  func
    `a hook for the end of an object is called with its own context, and a creator's destructor is none of the context`()
    throws
  {
    let sites = try sites(
      """
      struct session; struct handler;
      void session_destroy(struct session *);
      typedef void (*destroy_session_fn)(void *userdata);
      void hook_destroy_session(struct session *, destroy_session_fn f, void *userdata);
      void unhook_destroy_session(struct session *, destroy_session_fn f, void *userdata);
      void handler_set_private(struct handler *, void *(*creator)(void *userdata, const char *uri),
        void (*destructor)(void *userdata, void *complex), void *userdata);
      void handler_destroy(struct handler *);
      void bytes_set_with_free_func(struct handler *, const char *data, void (*free_func)(void *), void *user_data);
      /* Adds a callback. The callbacks are used thus: iterate over them in the order of protocols. */
      void session_add_auth(struct session *, unsigned protocol, int (*f)(void *userdata, int attempt), void *userdata);
      """)
    #expect(sites["hook_destroy_session/1"]?.role.value == .callback)
    #expect(endings(sites["hook_destroy_session/1"])?.first == "unhook_destroy_session")
    #expect(sites["unhook_destroy_session/1"]?.role.value == .key)
    for key in ["handler_set_private/1", "handler_set_private/2"] {
      #expect(sites[key]?.role.value == .callback, "\(key)")
      #expect(sites[key]?.life.value == .silent, "\(key)")
    }
    #expect(sites["bytes_set_with_free_func/2"]?.role.value == .release)
    #expect(sites["session_add_auth/2"]?.life.value == .silent)
  }

  @Test func `what ends something else of the object, or gets it, is no ending`() throws {
    let sites = try sites(
      """
      struct array; struct context; struct port; struct player;
      typedef int (*compare)(void *first, void *second, void *data);
      struct array *lib_array_new(compare f, void *data, void (*destroy)(void *element, void *data));
      int lib_array_remove(struct array *, void *element);
      void lib_array_delete(struct array *);
      void lib_port_disconnect(struct context *, struct port *);
      void lib_set_port_connect_callback(struct context *, void (*f)(struct port *, void *arg), void *arg);
      int lib_context_cancel(struct context *);
      int (*lib_context_get_function_close(struct context *))(struct context *);
      void lib_context_set_function_remove(struct context *, int (*f)(struct context *));
      int lib_player_hw_free(struct player *);
      int lib_player_close(struct player *);
      void lib_player_set_hook(struct player *, void (*f)(void *data), void *data);
      void lib_player_add_hook(struct player *, void (*f)(int, void *data), void *data);
      """)
    // The destroy function receives the context in addition to the element, so it is a callback, too.
    #expect(sites["lib_array_new/2"]?.role.value == .callback)
    for key in ["lib_array_new/0", "lib_array_new/2"] { #expect(endings(sites[key]) == ["lib_array_delete"]) }
    #expect(endings(sites["lib_set_port_connect_callback/1"]) == ["lib_set_port_connect_callback"])
    #expect(sites["lib_context_set_function_remove/1"]?.role.value == .callback)
    // C may need the result, and would call NULL.
    #expect(endings(sites["lib_context_set_function_remove/1"]) == [])
    #expect(endings(sites["lib_player_set_hook/1"]) == ["lib_player_set_hook", "lib_player_close"])
    #expect(endings(sites["lib_player_add_hook/1"]) == ["lib_player_close"])
  }

  @Test func `a function that returns the callback before is ended with NULL if its comment says so`() throws {
    let sites = try sites(
      """
      typedef void (*handler)(int code);
      /** @param f The new callback, or `NULL` to remove the currently set callback. */
      handler lib_set_told_callback(handler f);

      handler lib_set_silent_callback(handler f);
      """)
    #expect(endings(sites["lib_set_told_callback/0"]) == ["lib_set_told_callback"])
    #expect(endings(sites["lib_set_silent_callback/0"]) == [])
  }
  @Test func `memory beside its length is no context, and neither is a field that your code can't set`() throws {
    let sites = try sites(
      """
      #include <stddef.h>
      struct val { size_t mv_size; void *mv_data; };
      struct environment;
      void environment_set_compare(struct environment *, int (*compare)(const struct val *a, const struct val *b));
      struct node { void *user_data; int type; };
      void register_node(void (*f)(struct node *));
      void node_watch(struct node *, void (*f)(struct node *));
      typedef void (*node_visitor)(struct node *);
      struct base { void *data; int kind; };
      struct stream { void *data; int kind; int fd; };
      void stream_listen(struct stream *, void (*f)(struct base *, int));
      struct host { int (*checksum)(struct chunk { void *data; size_t dataLength; } *, unsigned long count); };
      void host_create(struct host *);
      struct pair { void (*f)(void *); void *data; size_t data_size; };
      void pair_start(struct pair *);
      struct sender;
      void sender_send(struct sender *, void *data, unsigned length, void (*f)(struct sender *, void *ptr));
      void thread_create(void (*f)(void *), void *data, unsigned long stack_size);
      """)
    #expect(sites["environment_set_compare/1"]?.context.value == nil)
    #expect(sites["register_node/0"]?.context.value == nil)
    #expect(context(sites["node_watch/1"]) == "0<.user_data")
    #expect(context(sites["node_visitor"]) == "0<.user_data")
    #expect(sites["node_visitor"]?.certainty == .asked)
    #expect(context(sites["stream_listen/1"]) == "0<.data")
    #expect(sites["host.checksum"]?.context.value == nil)
    #expect(context(sites["pair.f"])?.contains("data") != true)
    #expect(context(sites["sender_send/3"])?.hasSuffix("<1") != true)
    #expect(context(sites["thread_create/0"]) == "0<1")
  }
  @Test func `what frees the object that registering makes comes before what closes it`() throws {
    let sites = try sites(
      """
      struct archive; struct source;
      struct source *source_function(struct archive *, long (*read)(void *user_data, int), void *user_data);
      int source_open(struct source *);
      int source_close(struct source *);
      void source_free(struct source *);
      """)
    #expect(endings(sites["source_function/1"])?.prefix(2) == ["source_free", "source_close"])
  }
}
