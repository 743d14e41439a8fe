import Testing

@testable import LibraryWrapping

/// Objects that C made with other objects, when one of those is closed.
@Suite("Objects made with others", .enabled(if: Built.canRun))
struct DependenceTests {
  /// The library of a depot prints what it frees, and each object that it frees writes to those that it was made with.
  private static let depot = SmallLibrary(
    header: """
      typedef struct depot depot;
      typedef struct reader reader;
      typedef struct place place;
      typedef struct extract extract;
      typedef struct shelf shelf;
      depot *depot_open(int number);
      /** Closes the depot. Returns 0, or -1 if it fails. */
      int depot_close(depot *depot);
      /** Returns the number of readers, or -1. */
      int depot_readers(const depot *depot);
      /** The shelf is a part of the depot, and must not be freed. */
      shelf *depot_shelf(depot *depot);
      reader *depot_reader_new(depot *depot, int number);
      reader *shelf_reader_new(shelf *shelf, int number);
      int reader_number(const reader *reader);
      /** Returns 0, or -1 if it fails: then the reader stays open. */
      int reader_free(reader *reader);
      place *place_new(reader *first, reader *second);
      void place_free(place *place);
      extract *depot_extract_new(depot *depot);
      void extract_free(extract *copy);
      int extract_number(const extract *copy);
      """,
    source: """
      #include <stdio.h>
      #include <stdlib.h>
      struct shelf { depot *depot; };
      struct depot { int number, readers; shelf shelf; };
      struct reader { depot *depot; int number, refusals; };
      struct place { reader *first, *second; };
      struct extract { int number; };
      depot *depot_open(int number) {
        depot *s = calloc(1, sizeof *s); s->number = number; s->shelf.depot = s; return s;
      }
      int depot_close(depot *s) { printf("depot %d, %d readers\\n", s->number, s->readers); fflush(stdout); free(s); return 0; }
      int depot_readers(const depot *s) { return s->readers; }
      shelf *depot_shelf(depot *s) { return &s->shelf; }
      reader *depot_reader_new(depot *s, int number) {
        reader *r = calloc(1, sizeof *r); r->depot = s; r->number = number; s->readers++; return r;
      }
      reader *shelf_reader_new(shelf *shelf, int number) { return depot_reader_new(shelf->depot, number); }
      int reader_number(const reader *r) { return r->number + r->depot->number; }
      int reader_free(reader *r) {
        if (r->number == 13) return -1;
        r->depot->readers--; printf("reader %d\\n", r->number); fflush(stdout); free(r); return 0;
      }
      place *place_new(reader *first, reader *second) {
        place *p = malloc(sizeof *p); p->first = first; p->second = second; return p;
      }
      void place_free(place *p) {
        printf("place of %d and %d\\n", p->first->number, p->second->number); fflush(stdout); free(p);
      }
      extract *depot_extract_new(depot *s) { extract *c = malloc(sizeof *c); c->number = s->number; return c; }
      void extract_free(extract *c) { printf("extract\\n"); fflush(stdout); free(c); }
      int extract_number(const extract *c) { return c->number; }
      """)
  private static let rules = "depot_readers fails=never\nreader_number fails=never\nextract_number fails=never\n"

  @Test func `closing an object frees what was made with it, the newest first, and then the object`() throws {
    let text = try Self.depot.run(
      """
      let depot = try Depot.open(100)
      let first = try depot.readerNew(1)
      do { _ = try depot.readerNew(2) }
      let second = try depot.shelf!.readerNew(3)
      let place = try first.placeNew(second)
      print(first.number, second.number, depot.readers)
      try depot.close()
      try depot.close()
      withExtendedLifetime((first, second, place)) { print("end") }
      """, choices: Self.rules, ["--thread", "caller"])
    #expect(
      text == "reader 2\n101 103 2\nplace of 1 and 3\nreader 3\nreader 1\ndepot 100, 0 readers\nend\n")
  }

  @Test func `an object that was made with others is freed before the first of those that is closed`() throws {
    let text = try Self.depot.run(
      """
      let depot = try Depot.open(100)
      let readers = [try depot.readerNew(1), try depot.readerNew(2)]
      let places = [try readers[0].placeNew(readers[1])]
      try readers[1].free()
      withExtendedLifetime((depot, readers, places)) { print(readers[0].number) }
      """, choices: Self.rules, ["--thread", "caller"])
    #expect(text == "place of 1 and 2\nreader 2\n101\n")
  }

  @Test func `what could not be freed is not freed after what it was made with`() throws {
    let text = try Self.depot.run(
      """
      do {
        let depot = try Depot.open(100)
        let reader = try depot.readerNew(13)
        try depot.close()
        _ = reader
      }
      print("end")
      """, choices: Self.rules, ["--thread", "caller"])
    #expect(text == "depot 100, 1 readers\nend\n")
  }

  @Test func `using it afterward traps, and tells which line allows it`() throws {
    let program = """
      let depot = try Depot.open(100)
      let extract = try depot.extractNew()
      try depot.close()
      print(extract.number)
      """
    let errors = try Self.depot.run(program, choices: Self.rules, ["--thread", "caller"], isCrash: true)
    #expect(errors.contains("The Extract is closed, or what it was made with. Use it before free()."))
    #expect(errors.contains("If C allows this, choose depot_extract_new outlives=yes."))
    let text = try Self.depot.run(
      program, choices: Self.rules + "depot_extract_new outlives=yes\n", ["--thread", "caller"])
    #expect(text.hasPrefix("depot 100, 0 readers\n100\n"))
  }

  @Test func `the choice has an effect only for a function that makes an object with another one`() throws {
    #expect(throws: WrappingError.self) {
      _ = try Self.depot.written(choices: Self.rules + "depot_open outlives=yes\n", ["--thread", "caller"])
    }
  }

  @Test func `thousands of objects that have gone cost no memory`() throws {
    let text = try Self.depot.run(
      """
      let depot = try Depot.open(100)
      var kept: [Reader] = []
      for number in 20..<20_020 {
        let reader = try depot.readerNew(Int32(number))
        if number % 5_000 == 0 { kept.append(reader) }
      }
      print("readers", depot.readers)
      try depot.close()
      """, choices: Self.rules, ["--thread", "caller"])
    let lines = text.split(separator: "\n")
    #expect(lines.contains("readers 4"))
    #expect(
      Array(lines.suffix(5)) == ["reader 20000", "reader 15000", "reader 10000", "reader 5000", "depot 100, 0 readers"])
  }

  // MARK: Objects that another one may use

  /// A hub looks at its transfers when it is closed, and has a part that takes transfers, too.
  private static let hub = SmallLibrary(
    header: """
      typedef struct hub hub;
      typedef struct door door;
      typedef struct transfer transfer;
      hub *hub_new(void);
      void hub_free(hub *hub);
      int hub_add(hub *hub, transfer *transfer);
      int hub_remove(hub *hub, transfer *transfer);
      /** The door is a part of the hub, and must not be freed. */
      door *hub_door(hub *hub);
      int door_add(door *door, transfer *transfer);
      transfer *transfer_new(int number);
      void transfer_close(transfer *transfer);
      int transfer_number(const transfer *transfer);
      """,
    source: """
      #include <stdio.h>
      #include <stdlib.h>
      struct transfer { int number; };
      struct door { hub *hub; };
      struct hub { struct door door; transfer *all[16]; };
      hub *hub_new(void) { hub *h = calloc(1, sizeof *h); h->door.hub = h; return h; }
      void hub_free(hub *h) {
        for (int i = 0; i < 16; i++) if (h->all[i]) printf("hub has %d\\n", h->all[i]->number);
        printf("hub\\n"); fflush(stdout); free(h);
      }
      int hub_add(hub *h, transfer *t) { h->all[t->number] = t; return 0; }
      int hub_remove(hub *h, transfer *t) { h->all[t->number] = 0; return 0; }
      door *hub_door(hub *h) { return &h->door; }
      int door_add(door *d, transfer *t) { return hub_add(d->hub, t); }
      transfer *transfer_new(int number) { transfer *t = malloc(sizeof *t); t->number = number; return t; }
      void transfer_close(transfer *t) { printf("transfer %d\\n", t->number); fflush(stdout); t->number = 99; free(t); }
      int transfer_number(const transfer *t) { return t->number; }
      """)
  private static let stays = "hub_add takes=no\ndoor_add takes=no\ntransfer_number fails=never\n"

  @Test func `closing an object that another one may use is postponed to the end of that`() throws {
    let text = try Self.hub.run(
      """
      let hub = try Hub()
      let first = try Transfer(number: 1), second = try Transfer(number: 2), third = try Transfer(number: 3)
      try hub.add(first)
      try hub.add(second)
      try hub.door!.add(third)
      first.close()
      first.close()
      third.close()
      print("closed")
      hub.free()
      print("freed")
      second.close()
      withExtendedLifetime((first, second, third)) { print("end") }
      """, choices: Self.stays, ["--thread", "caller"])
    #expect(
      text == """
        closed
        hub has 1
        hub has 2
        hub has 3
        hub
        transfer 1
        transfer 3
        freed
        transfer 2
        end

        """)
  }

  @Test func `closing an object that was removed from the other one frees it at once`() throws {
    let text = try Self.hub.run(
      """
      do {
        let hub = try Hub()
        for number in 1...3 {
          let transfer = try Transfer(number: Int32(number))
          try hub.add(transfer)
          if number < 3 { try hub.remove(transfer) }
          if number == 2 { transfer.close() }
        }
        print("loop")
      }
      print("end")
      """, choices: Self.stays, ["--thread", "caller"])
    #expect(text == "transfer 1\ntransfer 2\nloop\nhub has 3\nhub\ntransfer 3\nend\n")
  }

  @Test func `an object that is closed while another one may use it traps`() throws {
    let program = """
      let hub = try Hub()
      let transfer = try Transfer(number: 1)
      try hub.add(transfer)
      transfer.close()
      print(transfer.number)
      """
    let errors = try Self.hub.run(program, choices: Self.stays, ["--thread", "caller"], isCrash: true)
    #expect(errors.contains("The Transfer is closed. Use it before close()."))
  }
}
