import Testing

@testable import LibraryWrapping

/// What a name suggests and a wrong guess would make a fault: each was one of a library that strangers wrapped.
@Suite("Wrong guesses", .enabled(if: Built.canRun))
struct GuessTests {
  @Test func `what frees an object is the function that closes it, and a set is destroyed`() throws {
    let library = SmallLibrary(
      header: """
        typedef struct tape tape;
        tape *tape_open(const char *name);
        /** Writes magic and checksum. */
        void tape_finish(tape *t);
        /** Closes the handle. */
        int tape_close(tape *t);
        typedef struct lib_set lib_set;
        lib_set *lib_set_create(void);
        void lib_set_destroy(lib_set *s);
        typedef struct face face;
        typedef struct font font;
        face *face_create(void);
        face *face_reference(face *f);
        void face_destroy(face *f);
        font *font_create(face *f);
        void font_destroy(font *f);
        void font_set_face(font *f, face *other);
        int face_count(void);
        """,
      source: """
        #include <stdio.h>
        #include <stdlib.h>
        struct tape { int n; }; struct lib_set { int n; };
        struct face { int count; }; struct font { face *f; };
        tape *tape_open(const char *name) { return calloc(1, sizeof(tape)); }
        void tape_finish(tape *t) { puts("finish"); }
        int tape_close(tape *t) { puts("close"); fflush(stdout); free(t); return 0; }
        lib_set *lib_set_create(void) { return calloc(1, sizeof(lib_set)); }
        void lib_set_destroy(lib_set *s) { puts("destroy"); fflush(stdout); free(s); }
        static int count;
        face *face_create(void) { count++; face *f = calloc(1, sizeof(face)); f->count = 1; return f; }
        face *face_reference(face *f) { f->count++; return f; }
        void face_destroy(face *f) { if (--f->count == 0) { count--; free(f); } }
        font *font_create(face *f) { font *n = calloc(1, sizeof(font)); n->f = face_reference(f); return n; }
        void font_destroy(font *f) { face_destroy(f->f); free(f); }
        void font_set_face(font *f, face *other) { face_destroy(f->f); f->f = face_reference(other); }
        int face_count(void) { return count; }
        """)
    let printed = try library.run(
      """
      do {
        let tape = try Tape.open("a")
        tape.finish()
        _ = try LibSet()
      }
      do {
        let font = try Face().fontCreate()
        font.setFace(try Face())
        print(LibraryLibrary.faceCount())
      }
      print(LibraryLibrary.faceCount())
      """, choices: "face_count fails=never\n", ["--thread", "caller"])
    #expect(printed.split(separator: "\n").sorted() == ["0", "2", "close", "destroy", "finish"])
    #expect(printed.hasSuffix("2\n0\n"))
  }

  @Test func `an object that only its owner frees is a part of it, although a line says that the program owns it`()
    throws
  {
    let errors = try SmallLibrary(
      header: """
        typedef struct broker broker;
        typedef struct dict dict;
        broker *broker_new(void);
        void broker_free(broker *b);
        dict *broker_request_dict(broker *b, const char *tag);
        int dict_check(dict *d, const char *word);
        """,
      source: """
        #include <stdlib.h>
        struct broker { int n; }; struct dict { int n; };
        broker *broker_new(void) { return calloc(1, sizeof(broker)); }
        void broker_free(broker *b) { free(b); }
        dict *broker_request_dict(broker *b, const char *tag) { return (dict *)b; }
        int dict_check(dict *d, const char *word) { return d->n; }
        """
    ).run(
      """
      let broker = try Broker()
      let dict = try broker.requestDict("en")
      broker.free()
      _ = dict.check("word")
      """, choices: "broker_request_dict owns=yes\n", ["--thread", "caller"], isCrash: true)
    #expect(errors.contains("What the Dict is a part of is closed."))
  }

  @Test func `pointers of which nothing tells what they are for are asked for`() throws {
    let (code, choices) = try SmallLibrary(
      header: """
        #include <stddef.h>
        typedef struct set set;
        typedef struct { const char *key; int kind; } info;
        typedef struct { char *data; int n; } part;
        typedef struct { size_t size; double *data; } my_vector;
        set *set_new(void);
        void set_free(set *s);
        void put_number(unsigned long *, unsigned long);
        int dev_match(int *dev1, int *dev2);
        int set_next(const set *s, unsigned *point);
        int set_extra(set *s, const info *begin, const info *end);
        int set_read(set *s, const char *buf, int buf_len, const char **end_ptr);
        void free_part(part p);
        my_vector *my_vector_alloc(size_t n);
        void my_vector_free(my_vector *v);
        """,
      source: "struct set { int n; };"
    ).written()
    for function in ["put_number", "dev_match", "set_next", "set_extra", "set_read", "free_part"] {
      #expect(!code.contains("`\(function)`"), "\(function)")
    }
    for key in ["put_number/0", "dev_match/dev1", "set_next/point", "set_extra/begin", "set_read/end_ptr"] {
      #expect(choices.contains("\n# \(key) memory=?"), "\(choices)")
    }
    #expect(code.contains("public final class MyVector"))
  }

  @Test func `a line for names with a beginning decides about functions that do not say that they can fail`() throws {
    let header = """
      typedef struct mat mat;
      enum mat_status { MAT_OK, MAT_BAD };
      mat *mat_alloc(void);
      void mat_free(mat *m);
      int mat_invert(mat *m);
      int mat_width(mat *m);
      enum mat_status mat_check(mat *m);
      long mat_length(mat *m, const unsigned char *der, int der_len, int *len);
      """
    let source = "struct mat { int n; };"
    func code(_ line: String) throws -> String {
      try SmallLibrary(header: header, source: source).written(choices: line + "\n").code
    }
    let negative = try code("* fails=negative")
    #expect(negative.contains("func invert() throws(LibraryFailure)"))
    let beginning = try code("mat_inv* fails=nonzero")
    #expect(beginning.contains("if result != 0 { throw LibraryFailure(function: \"mat_invert\""))
    #expect(!beginning.contains("function: \"mat_width\""))
    // What the constants of an enum say is certain.
    let zero = try code("* fails=zero")
    #expect(zero.contains("if result.rawValue != 0 { throw LibraryFailure(function: \"mat_check\""))
    #expect(negative.contains("-> (result: Int, len: Int32)"))
  }

  @Test func `a result that is the memory of the program is one result, and negative lengths trap`() throws {
    let library = SmallLibrary(
      header: """
        #include <stddef.h>
        const char *label_into(int n, char *val, unsigned maxlen);
        double mean(const double *data, long stride, long n);
        const char **all_names(void);
        """,
      source: """
        const char *label_into(int n, char *val, unsigned maxlen) {
          if (n < 0) return NULL;
          if (maxlen > 1) { val[0] = (char)('0' + n); val[1] = 0; }
          return val;
        }
        double mean(const double *data, long stride, long n) { return data[0]; }
        const char **all_names(void) { static const char *names[] = {"a", "bc", NULL}; return names; }
        """)
    let choices =
      "mean/data memory=in[n*stride]\nlabel_into/val memory=text[maxlen]\nall_names/result memory=out[NULL] frees=no\n"
    let printed = try library.run(
      """
      print(try LibraryLibrary.labelInto(7, upTo: 4), LibraryLibrary.allNames())
      do { _ = try LibraryLibrary.labelInto(-1, upTo: 4) } catch { print(error.function) }
      """, choices: choices)
    #expect(printed == "7 [\"a\", \"bc\"]\nlabel_into\n")
    let errors = try library.run(
      "_ = LibraryLibrary.mean([1].span, stride: -1, n: -1)", choices: choices, isCrash: true)
    #expect(errors.contains("mean reads n*stride elements of data."))
  }

  @Test func `a function that takes the address of the pointer frees an object`() throws {
    let printed = try SmallLibrary(
      header: """
        typedef struct node_st node_st;
        typedef node_st *node;
        typedef struct sock sock;
        /** Parses. @return 0 on success, or an error code. */
        int node_parse(const char *text, node *out);
        int node_delete_structure(node *n);
        int node_count(node n);
        sock *sock_new(int type);
        void sock_destroy(sock **self_p);
        """,
      source: """
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        struct node_st { int n; }; struct sock { int type; };
        int node_parse(const char *text, node *out)
        { *out = malloc(sizeof(node_st)); (*out)->n = (int)strlen(text); return 0; }
        int node_delete_structure(node *n) { printf("node %d\\n", (*n)->n); fflush(stdout); free(*n); *n = 0; return 0; }
        int node_count(node n) { return n->n; }
        sock *sock_new(int type) { sock *s = malloc(sizeof(sock)); s->type = type; return s; }
        void sock_destroy(sock **self_p) { printf("sock %d\\n", (*self_p)->type); fflush(stdout); free(*self_p); *self_p = 0; }
        """
    ).run(
      """
      do {
        let node = try Node.parse("four")
        print(node.count)
        let sock = try Sock(type: 3)
        sock.destroy()
        sock.destroy()
      }
      print("end")
      """, choices: "node_count fails=never\nnode_parse owns=yes\n", ["--thread", "caller"])
    #expect(printed == "4\nsock 3\nnode 4\nend\n")
  }
}
