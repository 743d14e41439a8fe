import EventLoops
import MQTTStreams
import Testing

extension FleetTests {
  /// Three processes and a real broker are killed. No change is lost or stored twice, and each node's order is kept.
  @Suite("Killed processes") struct KillTests {
    @Test func `two nodes become one stream`() async throws {
      try await onScene { scene in
        let collector = try scene.startCollector()
        let nodes = [try scene.runNode("alpha"), try scene.runNode("beta")]
        for round in 0..<10 {
          try scene.make(10, "a\(round)", in: "alpha")
          try scene.make(10, "b\(round)", in: "beta")
        }
        try scene.check()
        // A line is printed after its commit, so it may not have been delivered yet.
        try scene.loop.run(until: "200 lines, not \(collector.output.count)") { collector.output.count >= 200 }
        let rows = try scene.rows()
        let lines = rows.enumerated().map { "\($0 + 1) \($1.node) \($1.id) \($1.kind) \($1.path)" }
        #expect(collector.output == lines)
        let printed = try scene.start("fleet", ["changes", "--database", "\(scene.root)/all.db", "--after", "150"])
        #expect(try printed.end() == 0)
        #expect(printed.output == Array(lines[150...]))
        for program in nodes + [collector] { #expect(try program.end(by: .terminate) == 0) }
      }
    }

    @Test func `a broker that is killed and restarted`() async throws {
      try await onScene { scene in
        _ = try scene.startCollector()
        let alpha = try scene.runNode("alpha")
        _ = try scene.runNode("beta")
        try scene.make(100, "before", in: "alpha")
        // The broker is killed while changes are in flight.
        try scene.loop.run(until: "some are stored") { try scene.count() > 10 }
        try scene.make(100, "during", in: "beta")
        try scene.killBroker()
        try scene.make(100, "without", in: "alpha")
        try scene.make(100, "without", in: "beta")
        try alpha.wait(for: "no connection")
        try scene.startBroker()
        try scene.make(100, "after", in: "alpha")
        try scene.check()
      }
    }

    @Test func `a node that is killed and restarted, and what changes meanwhile`() async throws {
      try await onScene { scene in
        _ = try scene.startCollector()
        _ = try scene.runNode("beta")
        for round in 0..<5 {
          let alpha = try scene.runNode("alpha")
          try scene.make(100, "live\(round)", in: "alpha")
          try scene.make(20, "live\(round)", in: "beta")
          try scene.waitForProgress()
          #expect(try alpha.end(by: .kill) == -9)
          try scene.make(20, "dead\(round)", in: "alpha")
        }
        _ = try scene.runNode("alpha")
        // A node records the changes that it finds at its start in the order of the directory.
        try scene.check(inOrder: false)
        let beta = try scene.rows().filter { $0.node == "beta" }
        #expect(beta.map(\.path) == scene.made["beta"])
      }
    }

    @Test func `a collector that is killed and restarted`() async throws {
      try await onScene { scene in
        _ = try scene.runNode("alpha")
        _ = try scene.runNode("beta")
        for round in 0..<5 {
          let collector = try scene.startCollector()
          try scene.make(100, "a\(round)", in: "alpha")
          try scene.make(100, "b\(round)", in: "beta")
          try scene.waitForProgress()
          #expect(try collector.end(by: .kill) == -9)
          try scene.make(50, "c\(round)", in: "alpha")
        }
        _ = try scene.startCollector()
        try scene.check()
      }
    }

    @Test func `what the broker has acknowledged and lost is sent again`() async throws {
      try await onScene { scene in
        // The collector has a session, so the broker acknowledges and keeps the messages that it cannot deliver.
        let first = try scene.startCollector()
        try first.wait(for: "connected")
        #expect(try first.end(by: .kill) == -9)
        let witness = try Witness("fleet/changes/+", scene)
        _ = try scene.runNode("alpha")
        try scene.make(50, "a", in: "alpha")
        try witness.wait(count: 50)
        // The messages that it has acknowledged are lost.
        try scene.killBroker()
        witness.stop()
        try scene.startBroker()
        _ = try scene.startCollector()
        try scene.check()
      }
    }

    @Test func `without a confirmation a node sends again`() async throws {
      try await onScene { scene in
        let witness = try Witness("fleet/changes/+", scene)
        _ = try scene.runNode("alpha")
        try scene.make(3, "a", in: "alpha")
        try witness.wait(count: 6)
        #expect(witness.messages[0..<3] == witness.messages[3..<6])
        witness.stop()
        _ = try scene.startCollector()
        try scene.check()
      }
    }

    @Test func `a collector that has more than the node sends at once after a restart`() async throws {
      try await onScene { scene in
        let witness = try Witness("fleet/changes/+", scene)
        let first = try scene.runNode("alpha")
        try scene.make(500, "a", in: "alpha")
        try witness.wait(for: 200)
        try witness.publish(MQTTMessage("fleet/stored/alpha", "100"))
        try witness.wait(for: 300)
        #expect(try first.end(by: .kill) == -9)
        _ = try scene.runNode("alpha")
        try witness.wait(for: 299, times: 2)
        // This simulates a collector that has stored all changes of the first run, and whose confirmation is late.
        try witness.publish(MQTTMessage("fleet/stored/alpha", "300"))
        try witness.wait(for: 500)
        witness.stop()
      }
    }

    @Test func `more than the broker keeps for an absent collector`() async throws {
      try await onScene { scene in
        let first = try scene.startCollector()
        try first.wait(for: "connected")
        #expect(try first.end(by: .kill) == -9)
        _ = try scene.runNode("alpha")
        _ = try scene.runNode("beta")
        // The broker keeps 1,000 messages for a session. It acknowledges and drops the others.
        for round in 0..<20 {
          try scene.make(100, "a\(round)", in: "alpha")
          try scene.make(100, "b\(round)", in: "beta")
        }
        _ = try scene.startCollector()
        try scene.check()
      }
    }

    @Test(arguments: [false, true])
    func `everything is killed, again and again`(_ keeps: Bool) async throws {
      try await onScene(keeps: keeps) { scene in
        var collector = try scene.startCollector()
        var alpha = try scene.runNode("alpha")
        _ = try scene.runNode("beta")
        for round in 0..<12 {
          try scene.make(40, "a\(round)", in: "alpha")
          try scene.make(40, "b\(round)", in: "beta")
          // There is no wait here, so each process is killed at an arbitrary point.
          switch round % 3 {
          case 0:
            try scene.killBroker()
            try scene.make(40, "c\(round)", in: "beta")
            try scene.startBroker()
          case 1:
            try alpha.end(by: .kill)
            try scene.make(40, "c\(round)", in: "alpha")
            alpha = try scene.runNode("alpha")
          default:
            try collector.end(by: .kill)
            try scene.make(40, "c\(round)", in: "beta")
            collector = try scene.startCollector()
          }
          // After every other round, waits until the collector has stored more changes.
          if round % 2 == 1 { try scene.waitForProgress() }
        }
        try scene.check(inOrder: false)
        #expect(try scene.rows().filter { $0.node == "beta" }.map(\.path) == scene.made["beta"])
      }
    }
  }
}
