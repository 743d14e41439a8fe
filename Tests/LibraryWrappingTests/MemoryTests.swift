import Foundation
import Testing

@testable import LibraryWrapping

/// Memory that C keeps, frees, or is longer than its type says.
@Suite("Memory of C", .enabled(if: Built.canRun))
struct MemoryTests {
  private func folder(_ header: String, program: String = "", _ choices: String = "") throws -> HeaderTests.Folder {
    let folder = try HeaderTests.Folder([
      "library.h": header, "choices": choices, "main.swift": "import Library\n" + program,
    ])
    let arguments = ["--output", folder.path, "--module", "Library", "--choices", folder.path + "/choices"]
    _ = try WrapLibrary.run(try CommandOptions([folder.path + "/library.h"] + arguments + ["--thread", "caller"]))
    try Built.compile("Library", in: folder.path)
    return folder
  }

  @Test(arguments: [
    (
      "#include <sys/socket.h>\nint set_address(const char *name, struct sockaddr *addr);", "set_address", "of a socket"
    ),
    ("#include <stdint.h>\nvoid set_float(float f, uint16_t *dest);", "set_float", "It takes an array."),
    ("struct debug_item { int a; }; int key_debug(struct debug_item *items);", "key_debug", "It takes an array."),
    ("struct step { int a; }; int run_all(const struct step *steps);", "run_all", "It takes an array."),
    ("int register_drivers(const char **drivers);", "register_drivers", "It takes an array."),
    (
      "struct seq { int a; struct seq *next; }; void seq_free(struct seq *seq);", "seq_free",
      "It frees the struct itself."
    ),
    (
      """
      struct coder; struct coder *coder_create(int rate); void coder_destroy(struct coder *); int coder_get_size(int rate);
      int coder_init(struct coder *, int rate);
      """, "coder_init", "memory that the program has"
    ),
    (
      "/** You must ensure that the pointer remains valid until the next call. */\nint cat(const void *data, size_t size);",
      "cat", "after the call"
    ),
    (
      "#include <poll.h>\nstruct hub; int hub_poll(struct hub *h, struct pollfd *pfd, int events);", "hub_poll", "array"
    ),
    (
      "/** @param nChars Number of unicode characters to process. */\nint make_seg(int encoding, const void *start, size_t nChars);",
      "make_seg", "how long a memory is"
    ),
    (
      "struct data; void data_free(struct data *); int data_from_mem(struct data **d, const char *buffer, size_t size, int copy);",
      "data_from_mem", "after the call"
    ),
    (
      """
      struct calls { int (*read)(void *); }; struct data; void data_free(struct data *);
      int data_from_calls(struct data **d, struct calls *calls, int flags);
      """, "data_from_calls", "struct of functions"
    ),
    ("const unsigned char *next_bits(int n);", "next_bits", "how long the memory is"),
    ("#include <stdio.h>\nFILE *data_file(int n);", "data_file", "FILE"),
    (
      "/** Writes at the end of the buffer! */\nint write_der(unsigned char *buf, size_t size);", "write_der",
      "at the end"
    ),
  ])
  func `a function of which the header leaves too much open is skipped`(
    _ header: String, _ function: String, _ reason: String
  ) throws {
    let folder = try folder("#include <stddef.h>\n" + header)
    let code = try Built.code("Library", in: folder.path)
    let choices = try String(contentsOfFile: folder.path + "/choices", encoding: .utf8)
    #expect(!code.contains("C: `\(function)`"))
    #expect(
      choices.split(separator: "\n").contains { line in
        ["# \(function): ", "# \(function)/"].contains { line.hasPrefix($0) } && line.contains(reason)
      }, "\(choices)")
  }

  private static let box = """
    #include <stdlib.h>
    #include <string.h>
    #include <stdint.h>
    static inline int *box_counter_(void) { static int living; return &living; }
    typedef struct box box;
    struct box { int n; box *other; };
    static inline box *box_new(int n) { box *b = calloc(1, sizeof *b); b->n = n; (*box_counter_())++; return b; }
    static inline int box_finish(box *b) { b->n = 0; return 0; }
    static inline void box_delete(box *b) { b->n = -1; free(b); (*box_counter_())--; }
    static inline void box_init(box *b, box *other) { b->other = other; }
    static inline int box_total(box *b) { return b->n + (b->other ? b->other->n : 0); }
    /** Quick access to the lid inside a box. */
    static inline box *box_lid(const box *b) { return b->other; }
    static inline int living_boxes(void) { return *box_counter_(); }
    typedef struct jar jar;
    struct jar { int n; };
    static inline jar *jar_open(int n) { jar *j = malloc(sizeof *j); j->n = n; return j; }
    static inline int jar_count(jar *j) { return j->n; }
    static inline int jar_ufree(jar *j) { free(j); return 0; }
    """

  @Test func `an object that C stores in another one exists as long as that`() throws {
    let folder = try folder(
      Self.box,
      program: """
        func make() throws -> Box {
          let box = try Box(n: 2)
          box.initialize(try Box(n: 5))
          return box
        }
        do {
          let box = try make()
          print(box.total, LibraryLibrary.livingBoxes())
          print(box.lid?.total ?? 0, LibraryLibrary.livingBoxes())
          try box.finish()
          print(box.total)
        }
        print(LibraryLibrary.livingBoxes())
        """, "box_total fails=never\nbox_finish fails=nonzero\nliving_boxes fails=never\n")
    // `delete` frees it, and not `finish`, after which it can be used.
    #expect(try Built.run("main.swift", with: "Library", in: folder.path, []) == "7 2\n5 2\n5\n0\n")
  }

  @Test func `an object that only a function of another name frees traps after that`() throws {
    let folder = try folder(
      Self.box, program: "let jar = try Jar.open(3)\nprint(jar.count)\ntry jar.ufree()\nprint(jar.count)",
      "jar_open owns=yes\njar_count fails=never\njar_ufree fails=nonzero\n")
    let errors = try Built.run("main.swift", with: "Library", in: folder.path, [], isCrash: true)
    #expect(errors.contains("The Jar is closed."))
  }

  @Test func `structs whose fields are private, or point into themselves, have one place`() throws {
    let folder = try folder(
      """
      #include <stdint.h>
      typedef struct kind { const char *private_name; int private_size; } kind;
      typedef struct { const kind *private_kind; } cipher;
      static const kind first_kind = {"first", 16};
      static inline const kind *kind_first(void) { return &first_kind; }
      static inline const char *kind_name(const kind *k) { return k->private_name; }
      static inline void cipher_init(cipher *c) { c->private_kind = 0; }
      static inline int cipher_setup(cipher *c, const kind *k) { c->private_kind = k; return 0; }
      static inline int cipher_is_first(const cipher *c) { return c->private_kind == &first_kind; }
      struct cert { int n; struct cert *next; };
      static inline void cert_init(struct cert *c) { c->n = 1; c->next = 0; }
      static inline void cert_free(struct cert *c) { c->n = 0; }
      typedef struct { uint32_t *at; uint32_t all[4]; } keys;
      typedef struct { int n; keys inner; } context;
      static inline void context_init(context *c) { c->inner.at = c->inner.all; c->inner.all[0] = 7; }
      static inline int context_weigh(context *c, struct cert *with) { return c->inner.all[0] + with->n; }
      static inline int context_check(context *c) { return c->inner.at == c->inner.all && c->inner.at[0] == 7; }
      """,
      program: """
        let cipher = Cipher()
        cipher.initialize()
        try cipher.setup(LibraryLibrary.kindFirst()!)
        print(cipher.isFirst, LibraryLibrary.kindFirst()?.name ?? "")
        let context = Context()
        context.initialize()
        let same = context
        print(same.check())
        let cert = Cert()
        cert.initialize()
        let copy = cert
        print(copy.n, context.weigh(cert))
        """, "cipher_setup fails=nonzero\ncontext_check fails=never\ncontext_weigh fails=never\n")
    #expect(try Built.run("main.swift", with: "Library", in: folder.path, []) == "true first\n1\n1 8\n")
    // A struct that has a function to free it is no value, either: a copy of it would be freed, too.
    try "import Library\nlet cert = Cert()\nlet copy = cert\ncert.free()\nprint(copy.n)"
      .write(toFile: folder.path + "/main.swift", atomically: true, encoding: .utf8)
    let errors = try Built.run("main.swift", with: "Library", in: folder.path, [], isCrash: true)
    #expect(errors.contains("The Cert is closed, or what it is a part of."))
  }

  @Test func `what a program has set up is no result, and a struct behind a pointer is none in place`() throws {
    let folder = try folder(
      """
      #include <stdlib.h>
      typedef struct port port;
      static inline port *port_new(void) { return calloc(1, 4); }
      static inline void port_free(port *p) { free(p); }
      struct parcel { int weight; struct { int inner; } *inside; struct { int z; } list[3]; struct { int far; } sizes; };
      static inline void parcel_init(struct parcel *p) { p->weight = 5; p->inside = 0; p->sizes.far = 2; }
      static inline int parcel_send(struct parcel *parcel, port *through) { (void)through; return parcel->weight; }
      typedef struct { int weight; } label;
      static inline void label_of(label *label, port *through) { (void)through; label->weight = 3; }
      typedef struct hold { struct { int inner; } *inside; int count; } hold;
      static inline hold *hold_new(void) { return calloc(1, sizeof(hold)); }
      static inline void hold_free(hold *h) { free(h); }
      """,
      program: """
        let port = try Port()
        var parcel = Parcel()
        LibraryLibrary.parcelInit(&parcel)
        print(LibraryLibrary.parcelSend(&parcel, through: port), port.labelOf().weight, try Hold().count)
        """, "parcel_send fails=never\n")
    let text = try Built.run("main.swift", with: "Library", in: folder.path, [])
    #expect(text == "5 3 0\n")
  }

  @Test func `a result counts only if it says so, and codes of errors are values for functions of codes`() throws {
    let folder = try folder(
      """
      #include <string.h>
      typedef unsigned int my_error_t;
      typedef enum { MY_ERR_NONE = 0, MY_ERR_EOF = 7 } my_err_code_t;
      #define MY_FAILED (-1)
      static inline my_err_code_t my_err_code(my_error_t error) { return (my_err_code_t)(error & 0xff); }
      /** \\return 0 if successful. */
      static inline int my_encode(unsigned char *out, size_t size, size_t *olen)
      { memset(out, 7, size); *olen = 2; return 0; }
      /** Returns 0 if the format is supported. */
      static inline my_error_t my_is_supported(int format) { return format == 3 ? 0 : 9; }
      /** Loads. @return the ID, or #MY_FAILED. */
      static inline int my_sfload(const char *name) { return name[0] == 'x' ? MY_FAILED : 4; }
      """,
      program: """
        print(LibraryLibrary.errCode(0x107).rawValue)
        let encoded = try LibraryLibrary.encode(upTo: 8)
        print(encoded.out, encoded.olen)
        try LibraryLibrary.isSupported(3)
        do { try LibraryLibrary.isSupported(4) } catch { print(error.code) }
        print(try LibraryLibrary.sfload("a"))
        do { _ = try LibraryLibrary.sfload("x") } catch { print(error.code) }
        """)
    #expect(try Built.run("main.swift", with: "Library", in: folder.path, []) == "7\n[7, 7] 2\n9\n4\n-1\n")
  }

  @Test func `the verb of a function that frees may stand before the object, and a question frees nothing`() throws {
    let folder = try folder(
      """
      #include <stdlib.h>
      struct part { int references, end; };
      static inline struct part *lib_new_part(void) { struct part *p = calloc(1, sizeof *p); p->references = 1; return p; }
      static inline void lib_ref_part(struct part *p) { p->references++; }
      static inline void lib_unref_part(struct part *p) { if (!--p->references) free(p); }
      /** Returns 1 if there is an end, 0 if not. */
      static inline int lib_part_has_end(struct part *p) { return p->end; }
      /** Deletes all bits. */
      static inline void lib_delete_all_bits(struct part *p) { p->end = 1; }
      /** Returns 1 if the pattern has references, 0 if not. */
      static inline int lib_have_references(struct part *p) { return p->references > 1; }
      enum { LIB_OK = 0, LIB_NOMATCH };
      static inline int lib_match(struct part *p) { return p->end ? LIB_NOMATCH : LIB_OK; }
      """,
      program: """
        let part = try Part.newPart()
        print(part.hasEnd, part.haveReferences)
        part.deleteAllBits()
        print(part.hasEnd)
        """)
    let code = try Built.code("Library", in: folder.path)
    #expect(code.contains("deinit {\n    if isOwned { lib_unref_part(storedPointer) }"))
    #expect(!code.contains("if result <= 0"))
    #expect(try Built.run("main.swift", with: "Library", in: folder.path, []) == "false false\ntrue\n")
  }

  @Test func `an object behind a typedef of void is no untyped pointer`() throws {
    #expect {
      _ = try folder(
        "typedef void stream;\nint stream_open(stream **out);\nvoid stream_close(stream *);",
        "stream_open/out type=Stream\n")
    } throws: { "\($0)".contains("stream_open/out is a stream of C. Remove type=.") }
  }
}
