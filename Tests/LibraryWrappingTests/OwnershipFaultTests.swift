import Foundation
import Testing

@testable import LibraryWrapping

/// What is freed twice, read too far, or not freed if names alone decide.
@Suite("Ownership", .enabled(if: Built.canRun))
struct OwnershipFaultTests {
  /// A vault whose transactions may be nested: C frees those inside with the outer one.
  private static let vault = SmallLibrary(
    header: """
      typedef struct vault vault;
      typedef struct txn txn;
      typedef struct cursor cursor;
      vault *vault_create(void);
      void vault_close(vault *s);
      /** Begins. @param[in] parent may be NULL @param[out] t the new one */
      int txn_begin(vault *s, int number, txn *parent, txn **t);
      /** Commits. The transaction is freed. */
      int txn_commit(txn *t);
      /** Abandons. The transaction is freed. */
      void txn_abort(txn *t);
      /** Resets it. Cursors must not be used again after this call. */
      void txn_reset(txn *t);
      int cursor_open(txn *t, cursor **c);
      void cursor_close(cursor *c);
      txn *cursor_txn(cursor *c);
      typedef struct watch watch;
      watch *watch_new(vault *s);
      void watch_cancel(watch *w);
      int vault_set_compare(vault *s, int (*compare)(const char *a, const char *b));
      int vault_compare(vault *s);
      """,
    source: """
      #include <stdio.h>
      #include <stdlib.h>
      struct vault { int (*compare)(const char *, const char *); };
      struct txn { int number; txn *parent, *child; };
      struct cursor { txn *t; };
      struct watch { int n; };
      static void say(const char *text, int n) { printf("%s %d\\n", text, n); fflush(stdout); }
      vault *vault_create(void) { return calloc(1, sizeof(vault)); }
      void vault_close(vault *s) { free(s); }
      int txn_begin(vault *s, int number, txn *parent, txn **t) {
        *t = calloc(1, sizeof(txn)); (*t)->number = number; (*t)->parent = parent;
        if (parent) parent->child = *t;
        return 0;
      }
      static void end(txn *t) {
        if (t->child) { say("C ends", t->child->number); free(t->child); }
        if (t->parent) t->parent->child = 0;
        free(t);
      }
      int txn_commit(txn *t) { say("commit", t->number); end(t); return 0; }
      void txn_abort(txn *t) { say("abort", t->number); end(t); }
      void txn_reset(txn *t) { say("reset", t->number); }
      int cursor_open(txn *t, cursor **c) { *c = malloc(sizeof(cursor)); (*c)->t = t; return 0; }
      void cursor_close(cursor *c) { say("cursor of", c->t->number); free(c); }
      txn *cursor_txn(cursor *c) { return c->t; }
      watch *watch_new(vault *s) { return calloc(1, sizeof(watch)); }
      void watch_cancel(watch *w) { say("watch", w->n); free(w); }
      int vault_set_compare(vault *s, int (*compare)(const char *, const char *)) { s->compare = compare; return 0; }
      int vault_compare(vault *s) { return s->compare("a", "b"); }
      """)

  @Test func `a nested transaction ends before its parent, and a reset is no end`() throws {
    let text = try Self.vault.run(
      """
      let vault = try Vault()
      let outer = try vault.txnBegin(1, parent: nil)
      let inner = try vault.txnBegin(2, parent: outer)
      inner.reset()
      let cursor = try inner.cursorOpen()
      try outer.commit()
      withExtendedLifetime((inner, cursor)) { print("end") }
      """, choices: "txn_commit fails=nonzero\n", ["--thread", "caller"])
    #expect(text == "reset 2\ncursor of 2\nabort 2\ncommit 1\nend\n")
  }

  @Test func `an object that belongs to another one is not ended by a method that frees it`() throws {
    let errors = try Self.vault.run(
      """
      let transaction = try Vault().txnBegin(1, parent: nil)
      let cursor = try transaction.cursorOpen()
      try cursor.txn?.commit()
      """, choices: "txn_commit fails=nonzero\n", ["--thread", "caller"], isCrash: true)
    #expect(errors.contains("The Txn belongs to what it is a part of."))
  }

  @Test func `a line says that a method frees its object`() throws {
    let program = "let watch = try Vault().watchNew()\nwatch.cancel()\nwatch.cancel()"
    let errors = try Self.vault.run(
      program, choices: "watch_cancel takes=yes\n", ["--thread", "caller"], isCrash: true)
    #expect(errors.contains("The Watch is closed"))
  }

  @Test func `a function that C calls for its work is not replaced by NULL`() throws {
    let text = try Self.vault.run(
      """
      let vault = try Vault()
      let compare = try vault.onCompare { a, b in a == b ? 0 : -3 }
      print(vault.compare())
      compare.dispose()
      print(vault.compare())
      """, choices: "vault_compare fails=never\n", ["--thread", "caller"])
    #expect(text == "-3\n0\n")
  }

  @Test func `a struct that a function opens has one place`() throws {
    let text = try SmallLibrary(
      header: """
        typedef struct base { unsigned flags; const char *name; const char *content; } base;
        typedef struct _found { const base *in; int place; } found;
        int base_open(const char *name, unsigned flags, base *const b);
        int base_find(const base *b, const char *key, found *out);
        int base_count(const base *b);
        void base_close(base *const b);
        """,
      source: """
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        int base_open(const char *name, unsigned flags, base *const b) {
          b->flags = flags; b->name = strdup(name); b->content = 0; return 0;
        }
        int base_find(const base *b, const char *key, found *out) { out->in = b; out->place = 4; return 0; }
        int base_count(const base *b) { return (int)b->flags; }
        void base_close(base *const b) { puts("close"); fflush(stdout); free((char *)b->name); }
        """
    ).run(
      """
      let base = Base()
      try LibraryLibrary.open("x", flags: 7, b: base)
      let same = base
      print(same.count, try base.find("k").place)
      same.close()
      """, choices: "base_find fails=nonzero\nbase_open fails=nonzero\nbase_count fails=never\n",
      ["--thread", "caller"])
    #expect(text == "7 4\nclose\n")
  }

  @Test func `the size of a file is not the length of its path, and a hash is no text`() throws {
    let (code, choices) = try SmallLibrary(
      header: """
        #include <stdint.h>
        typedef struct session session;
        session *session_new(void);
        void session_free(session *s);
        int session_send(session *s, const char *path, int mode, long size);
        int session_resize(session *s, const char *disk, unsigned long long size);
        int session_rename(session *s, const char *source_filename, unsigned srouce_filename_len);
        const char *session_hostkey_hash(session *s);
        int session_lookup(const uint8_t *src, uint8_t **name, int flags);
        void session_release(void *p);
        """,
      source: "struct session { int n; };"
    ).written(
      choices: "session_lookup/src memory=text\nsession_lookup/name memory=text frees=session_release\n")
    #expect(code.contains("func send(_ path: String?, mode: Int32, size: Int)"))
    #expect(code.contains("func resize(_ disk: String?, size: UInt64)"))
    #expect(code.contains("func rename(_ sourceFilename: Span<UInt8>)"))
    #expect(code.contains("lookup(_ src: String?, flags: Int32)"))
    #expect(choices.contains("# session_hostkey_hash/result memory=?"))
  }

  @Test func `codes in a header of macros decide, and each number other than zero is a failure if the comment says so`()
    throws
  {
    let folder = try HeaderTests.Folder([
      "mill.h": """
      #include "mill_codes.h"
      typedef struct mill mill;
      mill *mill_new(void);
      void mill_free(mill *m);
      int mill_start(mill *m);
      """,
      "mill_codes.h": "#define MILL_SUCCESS 0\n#define MILL_ERROR_FULL 1\n#define MILL_ERROR_LOST 2\n",
      "bus.h": """
      typedef struct bus bus;
      bus *bus_new(void);
      void bus_free(bus *b);
      /** Opens it. @return A non-zero error value on failure and 0 on success. */
      int bus_open(bus *b);
      #define BUS_ERR_FULL (-30798)
      #define BUS_ERR_LOST (-30799)
      #define BUS_ERR_BAD (-30792)
      """,
    ])
    for (name, function) in [("mill", "mill_start"), ("bus", "bus_open")] {
      _ = try WrapLibrary.run(
        try CommandOptions([
          "\(folder.path)/\(name).h", "--only", folder.path, "--module", "Library", "--output", folder.path,
          "--choices",
          "\(folder.path)/\(name).choices", "--force",
        ]))
      let code = try Built.code("Library", in: folder.path)
      #expect(code.contains("if result != 0 { throw LibraryFailure(function: \"\(function)\""))
    }
  }

  @Test func `a struct of memory and its length is bytes, and several of them, or a length that C gives, need a line`()
    throws
  {
    let library = SmallLibrary(
      header: """
        #include <stddef.h>
        typedef struct { size_t ml_size; void *ml_data; } meal;
        typedef struct kitchen kitchen;
        kitchen *kitchen_new(void);
        void kitchen_free(kitchen *k);
        void kitchen_cook(kitchen *k, const meal *m);
        int kitchen_serve(kitchen *k, meal *m);
        int kitchen_mix(kitchen *k, const meal *meals, size_t mealslen);
        int kitchen_pour(kitchen *k, const meal *, size_t);
        int kitchen_decode(kitchen *k, unsigned *out, size_t *outlen);
        """,
      source: """
        #include <stdlib.h>
        #include <string.h>
        struct kitchen { meal kept; };
        kitchen *kitchen_new(void) { return calloc(1, sizeof(kitchen)); }
        void kitchen_free(kitchen *k) { free(k->kept.ml_data); free(k); }
        void kitchen_cook(kitchen *k, const meal *m) {
          free(k->kept.ml_data);
          k->kept.ml_data = malloc(m->ml_size + 1);
          memcpy(k->kept.ml_data, m->ml_data, m->ml_size);
          k->kept.ml_size = m->ml_size;
        }
        int kitchen_serve(kitchen *k, meal *m) { *m = k->kept; return 0; }
        """)
    let rules = "kitchen_serve/m memory=out\nkitchen_serve fails=nonzero\n"
    let text = try library.run(
      """
      let kitchen = try Kitchen()
      let soup: [UInt8] = [7, 0, 9]
      kitchen.cook(soup.span)
      let first = try kitchen.serve()
      kitchen.cook([UInt8]().span)
      print(first, try kitchen.serve())
      """, choices: rules)
    #expect(text == "[7, 0, 9] []\n")
    let choices = try library.written(choices: rules).choices
    for line in ["# kitchen_mix/meals memory=?", "# kitchen_pour/1 memory=?", "# kitchen_decode/out memory=?"] {
      #expect(choices.contains(line))
    }
  }

  @Test func `a callback gets no copy of one of several structs, and a text with a length is not read further`() throws
  {
    let library = SmallLibrary(
      header: """
        typedef struct desk desk;
        typedef struct { char *text; unsigned length; unsigned char echo; } prompt;
        desk *desk_new(void);
        void desk_free(desk *d);
        void desk_on_prompt(desk *d, void (*asked)(void *data, const prompt *p), void *data);
        void desk_on_prompts(desk *d, void (*asked)(void *data, int num_prompts, const prompt *prompts), void *data);
        void desk_ask(desk *d);
        int desk_set_flags(desk *d, unsigned flags);
        int desk_flags_is_set(const desk *d);
        void desk_table_destroy(desk *d, void (*free_value)(void *value));
        #define DESK_SUCCESS 0
        #define DESK_ERROR_FULL 1
        #define DESK_ERROR_LOST 2
        """,
      source: """
        #include <stdlib.h>
        struct desk { void (*asked)(void *, const prompt *); void *data; };
        desk *desk_new(void) { return calloc(1, sizeof(desk)); }
        void desk_free(desk *d) { free(d); }
        void desk_on_prompt(desk *d, void (*asked)(void *, const prompt *), void *data) { d->asked = asked; d->data = data; }
        void desk_on_prompts(desk *d, void (*asked)(void *, int, const prompt *), void *data) {}
        void desk_ask(desk *d) {
          prompt p = {"Name? Password?", 5, 1};
          if (d->asked) d->asked(d->data, &p);
        }
        int desk_set_flags(desk *d, unsigned flags) { return flags > 3; }
        int desk_flags_is_set(const desk *d) { return 1; }
        """)
    let text = try library.run(
      """
      import Headwater
      let desk = try Desk()
      let bag = DisposeBag()
      desk.prompts().observeNext { print($0?.text ?? "", $0?.echo ?? 0) }.dispose(in: bag)
      desk.ask()
      do { try desk.setFlags(4) } catch { print(error.code) }
      print(desk.flagsIsSet())
      """, choices: "desk_on_prompt/1 name=prompts\ndesk_on_prompts/1 name=lists buffers=borrow\n",
      ["--thread", "caller"])
    #expect(text == "Name? 1\n1\n1\n")
    let code = try library.written(choices: "desk_on_prompts/1 name=lists adapter=lent\n").code
    #expect(!code.contains("desk_table_destroy("))
  }

  @Test func `a comment about what something else is freed with, or keeps, takes nothing over`() throws {
    let header = """
      typedef struct barn barn; typedef struct cow cow;
      barn *barn_new(void); void barn_free(barn *b);
      cow *cow_new(void); void cow_free(cow *c);
      /** A calf belongs to its cow, and is freed with the cow. */
      int cow_calf(cow *c);
      /** Returns the name, which is freed by the library. */
      const char *cow_name(cow *c);
      /* The cow is sold and is freed. */
      void cow_sell(cow *c);
      /** Unties and frees a cow. */
      void cow_untie(cow *c);

      int cow_age(const cow *c);
      int cow_weight(cow *c);
      /** Ownership of the returned cow is retained by the barn. */
      cow *barn_cow(barn *b, int number);
      """
    let (code, _) = try SmallLibrary(header: header).written()
    // Only these two close it.
    for name in ["cow_sell", "cow_untie"] { #expect(code.contains("consume()\n    \(name)(pointer)"), "\(code)") }
    #expect(code.components(separatedBy: "    consume()\n").count == 3)
    #expect(code.contains("isOwned: false).asPart(of: self)"), "\(code)")
  }

  @Test func `a comment that several functions share frees nothing but what it is about`() throws {
    let header = """
      typedef struct shelf shelf; typedef struct book book;
      shelf *shelf_new(void); void shelf_free(shelf *s); void book_free(book *b);
      /* A copy of a book. It must be freed with book_free(). */
      book *shelf_first(shelf *s);
      book *shelf_top(shelf *s);
      """
    let (code, _) = try SmallLibrary(header: header).written()
    #expect(code.contains("return Book(result, owner: self, isOwned: true).depending(on: self)"))
    #expect(code.contains("return result.map { Book($0, isOwned: false).asPart(of: self) }"))
  }

  @Test func `what a constant pointer leads to is given up, and a constant object is not`() throws {
    let header = """
      typedef struct list list; typedef struct leaf leaf; typedef struct mark *mark_t;
      list *list_new(void); void list_free(list *l); leaf *leaf_new(void); void leaf_free(leaf *e);
      mark_t mark_new(void); void mark_free(mark_t m);
      /** Adds a leaf. The list takes ownership of it. */
      int list_add_ex(list *l, leaf *const e);
      int list_add_copy(list *l, const leaf *e);
      int list_add_mark(list *l, const mark_t m);
      """
    let (code, _) = try SmallLibrary(header: header).written()
    #expect(code.contains("list_add_ex(pointer, e.pointer)\n    e.giveUp(to: self)"), "\(code)")
    #expect(code.components(separatedBy: ".giveUp(to: self)").count == 2, "\(code)")
  }
}
