import Testing

@testable import LibraryWrapping

/// Enums that Swift imports as enums or option sets of its own, because the header says that they are closed, open, or flags.
@Suite("Enums of Swift", .enabled(if: Built.canRun))
struct EnumTests {
  private static let library = SmallLibrary(
    header: """
      #include <stddef.h>
      #define CLOSED __attribute__((enum_extensibility(closed)))
      enum door_result { DOOR_NO = 0, DOOR_YES = 1 } CLOSED;
      typedef enum { DOOR_OAK = 3, DOOR_PINE = 5 } CLOSED door_wood;
      typedef enum door_side { DOOR_LEFT, DOOR_RIGHT } __attribute__((enum_extensibility(open))) door_side_t;
      enum __attribute__((flag_enum, enum_extensibility(open))) door_parts { DOOR_BELL = 1, DOOR_LOCK = 2, DOOR_EYE = 4 };
      typedef struct door door;
      door *door_new(door_wood wood, enum door_parts parts);
      void door_free(door *d);
      enum door_result door_open(door *d, int force);
      enum door_result door_is_wide(const door *d);
      door_wood door_get_wood(const door *d);
      enum door_parts door_get_parts(const door *d);
      int door_measure(door *d, door_side_t side, door_wood *out);
      int door_count(const door_wood *woods, int n, door_wood like);
      int door_watch(door *d, enum door_result (*asked)(void *context, door_side_t side), void *context);
      void door_knock(door *d);
      /** Sets the function for knocks. NULL removes it. */
      void door_set_heard(door *d, void (*heard)(door *d, door_side_t side, enum door_parts parts));
      /** Sets the functions of the carpenter. NULL removes them. */
      void door_set_carpenter(
        door *d, door_wood (*choose)(door_wood like, void *context), void (*leave)(door_side_t side, void *context),
        void *context);
      """,
    source: """
      #include <stdlib.h>
      struct door {
        door_wood wood; enum door_parts parts; enum door_result (*asked)(void *, door_side_t); void *context;
        void (*heard)(door *, door_side_t, enum door_parts);
        door_wood (*choose)(door_wood, void *); void (*leave)(door_side_t, void *); void *carpenter;
      };
      door *door_new(door_wood wood, enum door_parts parts) {
        door *d = calloc(1, sizeof *d);
        d->wood = wood;
        d->parts = parts;
        return d;
      }
      void door_free(door *d) { free(d); }
      enum door_result door_open(door *d, int force) { return force > 1 ? DOOR_YES : DOOR_NO; }
      enum door_result door_is_wide(const door *d) { return d->wood == DOOR_PINE ? DOOR_YES : DOOR_NO; }
      door_wood door_get_wood(const door *d) { return d->wood; }
      enum door_parts door_get_parts(const door *d) { return d->parts; }
      int door_measure(door *d, door_side_t side, door_wood *out) { *out = side == DOOR_LEFT ? DOOR_OAK : DOOR_PINE; return 0; }
      int door_count(const door_wood *woods, int n, door_wood like) {
        int count = 0;
        for (int i = 0; i < n; i++) count += woods[i] == like;
        return count;
      }
      int door_watch(door *d, enum door_result (*asked)(void *, door_side_t), void *context) {
        d->asked = asked;
        d->context = context;
        return 0;
      }
      void door_knock(door *d) {
        if (d->asked && d->asked(d->context, DOOR_RIGHT) == DOOR_NO) return;
        if (d->heard) d->heard(d, DOOR_LEFT, d->parts);
        if (d->choose) d->wood = d->choose(d->wood, d->carpenter);
        if (d->leave) d->leave(DOOR_RIGHT, d->carpenter);
      }
      void door_set_heard(door *d, void (*heard)(door *, door_side_t, enum door_parts)) { d->heard = heard; }
      void door_set_carpenter(
        door *d, door_wood (*choose)(door_wood, void *), void (*leave)(door_side_t, void *), void *context) {
        d->choose = choose; d->leave = leave; d->carpenter = context;
      }
      """)

  @Test func `values of closed and open enums and of flags go in and come back`() throws {
    let program = """
      let door = try Door(wood: .oak, parts: [.bell, .eye])
      print(door.wood == .oak, door.wood.rawValue, door.parts.contains(.eye), door.parts.contains(.lock))
      print(door.isWide, try Door(wood: .pine, parts: []).isWide)
      try door.open(2)
      do { try door.open(1) } catch { print(error) }
      print(try door.measure(.right) == .pine, LibraryLibrary.count([.oak, .pine, .oak], like: .oak))
      """
    #expect(
      try Self.library.run(program) == """
        true 3 true false
        false true
        door_open failed with the code 0.
        true 2

        """)
  }

  @Test func `callbacks get and return them as the types that the program knows`() throws {
    let output = try Self.library.run(
      """
      import Streams
      let door = try Door(wood: .oak, parts: [.bell, .eye])
      var answer = DoorResult.no
      let places = [
        try door.onWatch { side in
          print("asked", side == .right)
          return answer
        },
        door.heards().observeNext { print("heard", $0.side == .left, $0.parts == [.bell, .eye]) },
        door.onCarpenterChoose { $0 == .oak ? .pine : .oak },
        door.carpenterLeaves().observeNext { print("left", $0 == .right) },
      ]
      door.knock()
      answer = .yes
      door.knock()
      print(door.wood == .pine)
      _ = places
      """, ["--thread", "caller"])
    #expect(output == "asked true\nasked true\nheard true true\nleft true\ntrue\n")
  }

  @Test func `a constant has the comment on its line or above it, and not that of its enum`() throws {
    let (code, _) = try SmallLibrary(
      header: """
        /* The kinds of a lamp. */
        enum lamp_kind {
          LAMP_NONE,
          /* Added with the second edition. */
          LAMP_RED,
          LAMP_GREEN, /* It shines green. */
          /* Colors that are rare */
          LAMP_BLUE,
          /** It is out of sight. */
          LAMP_INFRARED
        };
        int lamp_use(enum lamp_kind kind);
        """,
      source: "int lamp_use(enum lamp_kind kind) { return 0; }"
    ).written()
    let lines = code.split(separator: "\n").map { $0.drop { $0 == " " } }
    let above = ["none", "red", "green", "blue", "infrared"].map { name in
      lines.firstIndex { $0.hasPrefix("public static let \(name) ") }.map { lines[$0 - 1] }
    }
    #expect(
      above == [
        "/// `LAMP_NONE`.", "/// Added with the second edition.", "/// It shines green.", "/// `LAMP_BLUE`.",
        "/// It is out of sight.",
      ])
  }

  @Test func `a constant whose own part begins with a digit keeps the word before it`() throws {
    let (code, _) = try SmallLibrary(
      header: """
        enum lamp_mode { LAMP_MODE_8, LAMP_MODE_16_BIT, LAMP_MODE_WIDE };
        int lamp_set(enum lamp_mode mode);
        """,
      source: "int lamp_set(enum lamp_mode mode) { return 0; }"
    ).written()
    for name in ["mode8", "mode16Bit", "wide"] { #expect(code.contains("public static let \(name) "), "\(code)") }
  }
}
