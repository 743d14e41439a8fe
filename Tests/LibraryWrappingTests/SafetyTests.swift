import Foundation
import Testing

@testable import LibraryWrapping

/// Where a wrong guess would be a fault of memory, a function is skipped, or its arguments are never freed.
@Suite("Safety", .enabled(if: Built.canRun))
struct SafetyTests {
  /// Writes a library with this header, and returns its code and its choices.
  private func code(of header: String, choices: String = "", _ options: [String] = []) throws -> (
    code: String, choices: String
  ) {
    let folder = try HeaderTests.Folder(["library.h": "#include <stddef.h>\n" + header, "choices": choices])
    let arguments = ["--output", folder.path, "--module", "Library", "--choices", folder.path + "/choices"]
    _ = try WrapLibrary.run(try CommandOptions([folder.path + "/library.h"] + arguments + options))
    try Built.compile("Library", in: folder.path)
    return (
      try Built.code("Library", in: folder.path), try String(contentsOfFile: folder.path + "/choices", encoding: .utf8)
    )
  }

  @Test(arguments: [
    ("void tune_levels(unsigned short levels[16]);", "tune_levels", "It takes an array."),
    ("struct item { int a; }; int poll_items(struct item *items, int nitems, long timeout);", "poll_items", "array"),
    ("int to_unicode(int set, const char *s, int len, unsigned int *us);", "to_unicode", "It takes an array."),
    ("struct attr; int parse(int head, struct attr **tb, int maxtype);", "parse", "It takes an array."),
    ("struct color { int red; }; int make_map(int color_count, struct color *colors);", "make_map", "array"),
    ("int send_const(const void *bytes, size_t size);", "send_const", "according to its name"),
    ("int include(int argc, const char **argv);", "include", "It takes an array."),
    ("int pad(unsigned char *data, int len, int new_len);", "pad", "reads or writes the memory"),
    ("struct part; void part_decref(struct part **part);", "part_decref", "It frees an object"),
    (
      "/** The memory must not be deallocated before the face. */\nint face_open(const void *base, size_t size);",
      "face_open", "after the call"
    ),
    ("/** Sets it. The server keeps the pointer. */\nint tell(int s, const char *name);", "tell", "after the call"),
    ("/** The text must live as long as the object. */\nint tell(int s, const char *name);", "tell", "after the call"),
    ("/** No copy is made. */\nint tell(int s, const char *name);", "tell", "after the call"),
    ("/** The caller must keep the text alive. */\nint tell(int s, const char *name);", "tell", "after the call"),
    ("/** Only the pointer is stored. */\nint tell(int s, const char *name);", "tell", "after the call"),
    ("/** It must be a static string. */\nint tell(int s, const char *name);", "tell", "after the call"),
    (
      """
      typedef struct pool pool; typedef struct item item;
      pool *pool_new(int size); void pool_free(pool *pool);
      item *pool_add(pool *pool, const char *label);
      const char *item_label(const item *item);
      /** Removes the item and frees it. */
      void pool_remove(pool *pool, item *item);
      """, "pool_remove", "It frees an argument."
    ),
    (
      """
      typedef struct milk milk; milk *milk_new(void); void milk_free(milk *m);
      /** Mixes b into a, and frees b. Returns a. */
      milk *milk_mix(milk *a, milk *b);
      """, "milk_mix", "It frees an argument."
    ),
    (
      """
      /* The name of a person. The caller must free() it. */
      char *person_name(int number);
      char *person_title(int number);
      """, "person_title", "who frees the text"
    ),
    (
      "struct blob { char *start; int size; }; struct blob store_first(int file);", "store_first",
      "who frees the memory"
    ),
  ])
  func `a function that could be a fault of memory is skipped`(_ header: String, _ function: String, _ reason: String)
    throws
  {
    let (code, choices) = try code(of: header)
    #expect(!code.contains("C: `\(function)`"))
    #expect(
      choices.split(separator: "\n").contains { line in
        ["# \(function): ", "# \(function)/"].contains { line.hasPrefix($0) } && line.contains(reason)
      }, "\(choices)")
  }

  @Test func `what becomes a part of something is not freed again, and keeps that`() throws {
    let header = """
      struct node; struct tree;
      struct node *node_new(const char *name);
      void node_free(struct node *);
      struct tree *tree_new(void);
      void tree_free(struct tree *);
      int tree_add(struct tree *, struct node *node);
      int tree_has(struct tree *, const struct node *node);
      struct node *node_next(struct node *);
      struct node *node_reset(struct node *);
      /* Stores the name of OTHER in NODE and release OTHER. */
      void node_snatch(struct node *node, struct node *other);
      /* The steps: make it, and release resources in the end. */
      struct tree *tree_make(void);
      """
    let (code, _) = try code(of: header)
    #expect(code.contains("node?.giveUp(to: self)"))
    #expect(code.contains("func giveUp(to owner: (any Usable)?)"))
    #expect(code.contains("other.giveUp(to: self)") && code.ranges(of: "giveUp(to: self)").count == 2)
    #expect(code.contains("C: `tree_make`"))
    #expect(code.contains("func reset() -> Node?"))
    let (kept, _) = try self.code(of: header, choices: "tree_add takes=no")
    #expect(!kept.contains("node?.giveUp"))
  }

  @Test func `a struct behind a typedef of a pointer is an object with its fields`() throws {
    let (code, _) = try code(
      of: """
        typedef struct face_rec { int num_glyphs; char *family_name; void *internal; } *face;
        typedef const struct doc_rec { int opaque; } *doc;
        int face_new(const char *path, face *aface);
        void face_done(face);
        int face_load(face, int glyph);
        doc doc_create(void);
        void doc_release(doc);
        int doc_parse(doc, const char *text);
        """)
    #expect(code.contains("public final class Face") && code.contains("public final class Doc"))
    #expect(code.contains("public var numGlyphs: Int32 {\n    pointer.pointee.num_glyphs"))
    #expect(code.contains("public var familyName: String? {"))
    #expect(code.contains("doc_release(storedPointer)"))
  }

  @Test func `lengths are found by their names, before or after their memory`() throws {
    let (code, _) = try code(
      of: """
        struct client; struct client *client_new(void); void client_free(struct client *);
        int client_publish(struct client *, int *mid, const char *topic, int payloadlen, const void *payload, int qos);
        int pack(const char *src, char *dst, int srcSize, int dstCapacity);
        int unpack(const char *src, char *dst, int compressedSize, int dstCapacity);
        typedef unsigned char myChar;
        void client_name(struct client *, const myChar *name);
        """)
    #expect(code.contains("func publish(_ topic: String?, payload: Span<UInt8>, qos: Int32)"))
    #expect(code.contains("func pack(_ src: Span<UInt8>, upTo count: Int)"))
    #expect(code.contains("func unpack(_ src: Span<UInt8>, upTo count: Int)"))
    #expect(code.contains("func name(_ name: String?)"))
  }

  @Test func `a callback gets copies of structs, and arrays of numbers`() throws {
    let (code, _) = try code(
      of: """
        struct client; struct client *client_new(void); void client_free(struct client *);
        struct message { int mid; char *topic; void *payload; int payloadlen; unsigned char hash[4]; struct client *from; };
        void client_on_message(struct client *, void (*f)(void *context, const struct message *message), void *context);
        void client_on_grant(struct client *, void (*f)(void *context, int count, const int *granted), void *context);
        """, ["--thread", "caller"])
    #expect(code.contains("func messages() -> Stream<Message?>"))
    for property in ["topic: String?", "payload: [UInt8]", "hash: [UInt8]"] {
      #expect(code.contains("public let \(property)"))
    }
    #expect(code.contains("can't know: `from`"))
    #expect(code.contains("func grants() -> Stream<[Int32]>"))
    #expect(!code.contains("typealias RawMessage"))
  }

  @Test func `bytes with a length beside them are no text, and codes of errors no counts`() throws {
    let (code, _) = try code(
      of: """
        struct node; struct node *node_new(void); void node_free(struct node *);
        const char *node_data(struct node *, size_t *length);
        typedef unsigned int my_error_t;
        my_error_t node_read(struct node *, void *buffer, size_t length);
        struct node *node_get_first(struct node *);
        struct option { int a; }; struct node *option_getnode(struct option *option);
        void node_sum(struct node *, struct node *, struct node *);
        void node_add_copy(struct node *, const struct node *);
        """)
    #expect(code.contains("func data() -> [UInt8]") || code.contains("var data: [UInt8]"))
    #expect(code.contains("throw LibraryFailure(function: \"node_read\"") || !code.contains("C: `node_read`"))
    #expect(!code.contains("giveUp"))
    #expect(code.contains("static func optionGetnode(_ option: inout Option) -> Node?"))
  }

  @Test func `macros are computed, and the code of a failure is what C gives`() throws {
    let (code, _) = try code(
      of: """
        #define LOAD_RENDER ( 1L << 2 )
        #define LOAD_ALL (LOAD_RENDER | 0x10 | 01)
        #define BYTES_OF_LONG ( 64 / __CHAR_BIT__ )
        #define TEXT "no number"
        #define OPEN (1 +
        #define MASK 0xFFFFFFFFu
        struct encoder;
        struct encoder *encoder_create(int rate, int *error);
        void encoder_destroy(struct encoder *);
        enum { no = 0 };
        typedef enum { tidy_no, tidy_yes } tidy_bool;
        """)
    for constant in [
      "loadRender: Int32 = 4", "loadAll: Int32 = 21", "bytesOfLong: Int32 = 8", "mask: Int = 4_294_967_295",
    ] {
      #expect(code.contains("public static let \(constant)"))
    }
    #expect(!code.contains("`TEXT`") && !code.contains("`OPEN`"))
    #expect(code.contains("convenience init(rate: Int32) throws(LibraryFailure)"))
    #expect(code.contains("LibraryFailure(function: \"encoder_create\", code: Int(error))"))
  }

  @Test func `a function that does something is no property`() throws {
    let (code, _) = try code(
      of: """
        struct file; struct file *file_open(const char *path); void file_close(struct file *);
        int file_reorganize(struct file *);
        int file_size(struct file *);
        int file_depth(const struct file *);
        """)
    #expect(code.contains("func reorganize()") && code.contains("var size: Int32") && code.contains("var depth: Int32"))
  }

  @Test func `a condition about a parameter says nothing about the result`() {
    let parameter = CParameter(name: "port", type: .named("int", isConst: false))
    let function = Library.Function(
      name: "connect", parameters: [parameter], result: .named("int", isConst: false), isVariadic: false,
      comment: "Returns: OK_SUCCESS - on success. ERR_INVAL - if port < 0.", declaration: Declaration())
    #expect(Failures.rule(of: function) == .nonzero)
  }

  @Test(arguments: [
    ("nothing", "the headers have no object nothing. They have client, server."),
    ("server", "no function returns its descriptor"),
    ("client=place:client_fd", "where ROLE is one of"),
    ("client=descriptor:client_socket", "the headers have no function client_socket"),
    ("client=descriptor:client_fd,process:client_send", "client_send can't be called for process"),
  ])
  func `an object that can't run on a loop is an error`(_ drive: String, _ message: String) throws {
    let header = """
      struct client; struct client *client_new(void); void client_free(struct client *);
      struct server; struct server *server_new(void); void server_free(struct server *);
      int client_fd(struct client *); int client_process(struct client *); int client_send(struct client *, void *data);
      """
    #expect(HeaderTests.message { _ = try code(of: header, ["--drive", drive]) }.contains(message))
  }
}

extension SafetyTests {
  @Test func `a part traps after its whole has been closed, and a long walk keeps the whole alone`() throws {
    let header = """
      #include <stdlib.h>
      struct tree; struct leaf;
      static inline struct tree *tree_new(void) { return (struct tree *)calloc(4, sizeof(int)); }
      static inline void tree_free(struct tree *t) { free(t); }
      static inline struct leaf *tree_first(struct tree *t) { return (struct leaf *)t; }
      static inline struct leaf *leaf_next(struct leaf *l) { return l; }
      static inline int leaf_size(struct leaf *l) { return *(int *)l; }
      static inline struct leaf *leaf_new(void) { return (struct leaf *)calloc(1, sizeof(int)); }
      static inline void leaf_free(struct leaf *l) { free(l); }
      static inline void tree_add(struct tree *t, struct leaf *leaf) { free(leaf); }
      """
    let programs = [
      ("let tree = try Tree()\nlet leaf = tree.first!\ntree.free()\nprint(leaf.size)", "or what it is a part of"),
      ("let tree = try Tree()\nlet leaf = try Leaf()\ntree.add(leaf)\ntree.free()\nprint(leaf.size)", "is a part of"),
      (
        """
        var leaf: Leaf? = try Tree().first
        for _ in 0..<1_000_000 { leaf = leaf?.next() }
        print("end", leaf?.size ?? -1)
        let own = try Leaf()
        let tree = try Tree()
        tree.free()
        print(own.size)
        """, ""
      ),
    ]
    let folder = try HeaderTests.Folder(["library.h": header, "choices": ""])
    let arguments = ["--output", folder.path, "--module", "Library", "--choices", folder.path + "/choices"]
    _ = try WrapLibrary.run(try CommandOptions([folder.path + "/library.h"] + arguments))
    try Built.compile("Library", in: folder.path)
    for (program, message) in programs {
      try ("import Library\n" + program).write(toFile: folder.path + "/main.swift", atomically: true, encoding: .utf8)
      let printed = try Built.run("main.swift", with: "Library", in: folder.path, [], isCrash: !message.isEmpty)
      #expect(message.isEmpty ? printed == "end 0\n0\n" : printed.contains(message), "\(printed)")
    }
  }
}

extension SafetyTests {
  @Test(arguments: [
    ("struct g; int read_image(struct g *, unsigned w, unsigned h, unsigned *, int stop);", "read_image", "array"),
    ("struct g; void plan_2d(int n0, int n1, double *in, double *out);", "plan_2d", "array"),
    ("/** The array to copy to. */\nint copy_all(const struct g *g, double *x, double *y);", "copy_all", "array"),
    ("struct g; int set_index(struct g *, long *offsets, long step, size_t fill);", "set_index", "array"),
    (
      "struct m { int a; }; struct p; struct p *p_new(void); void p_free(struct p *); void p_free_model(struct p *p, struct m *m);",
      "p_free_model", "It frees an argument."
    ),
    (
      "struct u; struct u *u_new(void); void u_free(struct u *); void u_set_input_buffer(struct u *, const unsigned char *b, size_t size);",
      "u_set_input_buffer", "according to its name"
    ),
    ("struct c { int a; }; int here_getcontext(struct c *out);", "here_getcontext", "It saves the place"),
    (
      "struct s; struct s *s_new(void); void s_free(struct s *); int s_read_bytes(void *buf, size_t size, size_t nmemb, struct s *s);",
      "s_read_bytes", "how long a memory is"
    ),
    (
      "struct t; void t_cleanup(struct t *); void t_close(struct t *); struct t *t_open(const char *);", "t_cleanup",
      "It frees an object"
    ),
    (
      "struct q; struct q *q_new(void); void q_free(struct q *); struct h; struct h *h_new(void); void h_free(struct h *);\nvoid h_destroy_r(struct h *h, struct q *q);",
      "h_destroy_r", "It frees an argument."
    ),
  ])
  func `what a blind reading found to be a fault is skipped`(_ header: String, _ function: String, _ reason: String)
    throws
  {
    let (code, choices) = try code(of: header)
    #expect(!code.contains("C: `\(function)`") || function == "t_cleanup")
    #expect(
      choices.split(separator: "\n").contains { line in
        ["# \(function): ", "# \(function)/"].contains { line.hasPrefix($0) } && line.contains(reason)
      }, "\(choices)")
  }

  @Test func `what the caller owns is freed, and an enum without errors is a value`() throws {
    let (code, _) = try code(
      of: """
        struct shape; struct source;
        struct source *source_new(void); void source_free(struct source *);
        void shape_free(struct shape *);
        /** Caller is responsible for freeing with shape_free(). */
        struct shape *source_outline(const struct source *);
        /** The caller takes ownership of the returned shape. */
        struct shape *shape_union(const struct shape *a, const struct shape *b);
        enum corner { CORNER_ROUND, CORNER_SHARP };
        enum corner shape_corner(struct shape *);
        enum shape_error { SHAPE_NONE, SHAPE_ERROR_EMPTY };
        enum shape_error shape_close_path(struct shape *);
        typedef enum shape_kind { SHAPE_LINE, SHAPE_RING } kind;
        void shape_set_kind(struct shape *, kind value);
        typedef long offset;
        /** Returns the resulting offset or an error code, 0 on success. */
        offset shape_seek(struct shape *, offset to);
        struct box { int width; };
        struct box *shape_box(struct shape *, struct box *out);
        """, choices: "shape_box/out memory=out")
    #expect(code.contains("Shape(result, owner: self, isOwned: true)"))
    #expect(code.contains("Shape(result, owner: (self, b), isOwned: true)"))
    #expect(code.contains("public func corner() -> Corner") && code.contains("func closePath() throws(LibraryFailure)"))
    #expect(code.contains("func setKind(_ value: ShapeKind)") || code.contains("func setKind(_ value: Kind)"))
    #expect(code.contains("if result < 0 { throw LibraryFailure(function: \"shape_seek\""))
    #expect(code.contains("guard result != nil else"))
  }

  @Test func `a struct that points into itself has memory of its own, and does not move`() throws {
    let header = """
      #include <string.h>
      struct writer { char buffer[64]; char *next; int count; };
      static inline void writer_start(struct writer *w) { w->next = w->buffer; w->count = 0; }
      static inline int writer_put(struct writer *w, const char *text) {
        size_t n = strlen(text);
        if (w->next < w->buffer || w->next + n > w->buffer + 64) return -1;
        memcpy(w->next, text, n);
        w->next += n;
        w->count++;
        return 0;
      }
      static inline int writer_length(const struct writer *w) { return (int)(w->next - w->buffer); }
      """
    let program = """
      import Library
      func started() -> Writer {
        let writer = Writer()
        writer.start()
        return writer
      }
      let writer = started()
      try writer.put("one")
      try writer.put("two")
      print(writer.length, writer.count, writer.buffer)
      """
    let folder = try HeaderTests.Folder(["library.h": header, "choices": "", "main.swift": program])
    let arguments = ["--output", folder.path, "--module", "Library", "--choices", folder.path + "/choices"]
    _ = try WrapLibrary.run(try CommandOptions([folder.path + "/library.h"] + arguments))
    try Built.compile("Library", in: folder.path)
    #expect(try Built.run("main.swift", with: "Library", in: folder.path, []) == "6 2 onetwo\n")
  }
}
