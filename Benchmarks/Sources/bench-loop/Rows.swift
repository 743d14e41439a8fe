extension Report {
  /// The comparisons and their goals. `.ofSide` is relative to another side of the same run, for example C.
  static let rows: [Row] = [
    Row(
      name: "a million timeouts that fire", unit: "CPU ns each",
      sides: [.c("timers-fire", "C, uv_timer each"), .headwater("timers-fire"), .nio("timers-fire-nio")],
      goals: [1: [.atMost(400), .ofSide(0, 0.5)]], runs: 3),
    Row(
      name: "a million timeouts that are cancelled", unit: "CPU ns each",
      sides: [.c("timers-cancel", "C, uv_timer each"), .headwater("timers-cancel")],
      goals: [1: [.atMost(400), .ofSide(0, 1)]], runs: 3),
    Row(
      name: "memory of a pending timeout", unit: "bytes", sides: [.headwater("timers-memory")],
      goals: [0: [.atMost(72)]], runs: 3),
    Row(
      name: "restarting a debounce", unit: "CPU ns each", sides: [.headwater("debounce")], goals: [0: [.atMost(100)]],
      runs: 3),
    Row(
      name: "posting a ready-made closure", unit: "ns", sides: [.headwater("post-ready"), .nio("post-ready-nio")],
      goals: [0: [.atMost(120)]]),
    Row(
      name: "posting a capturing closure", unit: "ns",
      sides: [.c("post-capturing", "C, mutex and list"), .headwater("post-capturing"), .nio("post-capturing-nio")],
      goals: [1: [.atMost(200)]]),
    Row(
      name: "posting on the loop's own thread", unit: "ns", sides: [.headwater("post-own"), .nio("post-own-nio")],
      goals: [0: [.atMost(50)]]),
    Row(
      name: "instructions of a TCP round trip", unit: "user instructions",
      sides: [
        .c("echo", "C, uv_write"), .c("echo-try", "C, uv_try_write first"), .headwater("echo-raw", "Headwater, raw"),
        .headwater("echo-bytes", "Headwater, bytes"), .headwater("echo-operators", "Headwater, four operators"),
        .nio("echo-nio"),
      ],
      goals: [2: [.ofSide(0, 0.5)]], isCounted: true),
    Row(
      name: "processor time of a TCP round trip", unit: "CPU ns, both ends",
      sides: [
        .c("echo", "C, uv_write"), .c("echo-try", "C, uv_try_write first"), .headwater("echo-raw", "Headwater, raw"),
        .headwater("echo-bytes", "Headwater, bytes"), .headwater("echo-operators", "Headwater, four operators"),
        .nio("echo-nio"),
      ],
      goals: [2: [.ofSide(0, 1 / 0.97)], 4: [.ofSide(0, 1 / 0.93)]], count: 200_000, isPinned: true),
    Row(
      name: "serving a byte", unit: "CPU ns of the server",
      sides: [
        .headwater("serve-callbacks", "Headwater, callbacks"), .headwater("serve-for-await", "Headwater, for await"),
      ],
      goals: [1: [.ofSide(0, 1.5)]], count: 200_000),
    Row(
      name: "serving a byte with two loops", unit: "CPU ns of the server",
      sides: [.nio("serve-loops-nio"), .headwater("serve-loops")], goals: [1: [.ofSide(0, 1)]], count: 400_000),
    Row(
      name: "serving a byte with two loops, by the clock", unit: "ns",
      sides: [.nio("serve-loops-clock-nio"), .headwater("serve-loops-clock")], goals: [1: [.ofSide(0, 1)]],
      count: 400_000),
    Row(
      name: "accepting and closing a connection", unit: "CPU ns of the server",
      sides: [.c("accept"), .headwater("accept"), .nio("accept-nio")], goals: [1: [.ofSide(0, 1.15)]],
      count: 20_000),
    Row(
      name: "an idle connection", unit: "bytes", sides: [.headwater("idle"), .nio("idle-nio")],
      goals: [0: [.atMost(420)]], count: 7_000, runs: 3),
  ]
}
