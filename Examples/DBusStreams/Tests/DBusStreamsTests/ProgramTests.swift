import EventLoops
import Foundation
import Testing

extension DBusTests {
  @Test
  static func `the program greets, and ends with its signal`() async throws {
    try await withBus { bus, _ in
      let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
      // The program's globals live until it exits, and the leak checker would report some of them.
      let program = try bus.run(["ASAN_OPTIONS=detect_leaks=0", "\(folder)/dbus-greeter"])
      try bus.loop.run(until: "the program owns its name: \(program.output)\(program.errors)") {
        program.output.contains("owned")
      }
      let target = ["org.example.Greeter", "/org/example/Greeter", "org.example.Greeter"]
      func call(_ arguments: String...) throws -> String {
        try bus.output(of: ["busctl", "--user", "call"] + target + arguments).text
      }
      #expect(try call("Greet", "s", "you") == "s \"Hello, you!\"\n")
      #expect(try call("Greet", "s", "").contains("Say who you are."))
      let property = ["busctl", "--user", "set-property"] + target + ["Greeting", "s", "Good morning"]
      #expect(try bus.output(of: property).text == "")
      #expect(try call("GreetLater", "su", "you", "1") == "s \"Good morning, you!\"\n")
      let count = try bus.output(of: ["busctl", "--user", "get-property"] + target + ["Count"]).text
      #expect(count == "u 2\n")
      try program.process.kill(.terminate)
      try bus.loop.run(until: "the end") { program.hasEnded }
      #expect(program.process.status == .exited(0))
    }
  }
}
