import EventLoops
import Glibc
import MQTTStreams
import SQLiteStreams
import StreamsTesting
import Testing

extension FleetTests {
  /// Input that a fleet cannot use. A program reports what is wrong and ends, or reports what it waits for.
  @Suite("Bad input") struct BadInputTests {
    @Test func `without a broker a node records, and sends when there is one`() async throws {
      try await onScene(startsBroker: false) { scene in
        let alpha = try scene.runNode("alpha")
        try alpha.wait(for: "no connection to 127.0.0.1:\(scene.port)")
        try scene.make(50, "a", in: "alpha")
        // A second run of the node finds the changes of the first run in its database, and the rest in the directory.
        #expect(try alpha.end(by: .terminate) == 0)
        let again = try scene.runNode("alpha")
        let collector = try scene.startCollector()
        try collector.wait(for: "no connection")
        #expect(collector.errors.filter { $0.contains("no connection") }.count == 1)
        try scene.startBroker()
        try again.wait(for: "connected")
        try scene.check(inOrder: false)
      }
    }

    @Test func `a directory that is not there, or may not be read`() async throws {
      try await onScene(startsBroker: false) { scene in
        rmdir("\(scene.root)/alpha")
        let missing = try scene.startNode("alpha")
        #expect(try missing.end() == 1)
        #expect(missing.errors.count == 1)
        #expect(missing.errors.first?.contains("cannot watch \(scene.root)/alpha: no such file") == true)
        // Root can read every directory unless it gives up these capabilities.
        chmod("\(scene.root)/beta", 0)
        let caps = geteuid() == 0 ? ["--bounding-set=-dac_override,-dac_read_search"] : []
        let closed = try scene.start(
          "fleet", ["node", "beta", "\(scene.root)/beta", "--database", "\(scene.root)/beta.db"], identity: caps)
        #expect(try closed.end() == 1)
        #expect(closed.errors.first?.contains("cannot watch \(scene.root)/beta: permission denied") == true)
      }
    }

    @Test func `a row that is no change ends the program, and is named`() async throws {
      try await onScene { scene in
        let collector = try scene.startCollector()
        try collector.wait(for: "connected")
        let node = try scene.runNode("alpha")
        try scene.make(2, "a", in: "alpha")
        try scene.check(inOrder: false)
        #expect(try node.end(by: .terminate) == 0)
        #expect(try collector.end(by: .terminate) == 0)
        for (path, table) in [("all", "changes"), ("alpha", "outbox")] {
          let database = try Database("\(scene.root)/\(path).db")
          try database.execute("UPDATE \(table) SET kind = 'magic' WHERE id = (SELECT max(id) FROM \(table))")
          database.close()
        }
        let changes = try scene.start("fleet", ["changes", "--database", "\(scene.root)/all.db"])
        #expect(try changes.end() == 1)
        #expect(
          changes.errors.last?.contains("The change 2 in the database \(scene.root)/all.db cannot be read.") == true)
        let again = try scene.startNode("alpha")
        #expect(try again.end() == 1)
        #expect(again.errors.last?.contains("in the database \(scene.root)/alpha.db cannot be read.") == true)
      }
    }

    @Test func `a database that is none, of another program, in use, or in the directory`() async throws {
      try await onScene { scene in
        let broken = "\(scene.root)/broken.db"
        try scene.write(broken, String(repeating: "This is no database. ", count: 500))
        let first = try scene.startNode("alpha", database: broken)
        #expect(try first.end() == 1)
        #expect(first.errors.first?.contains("\(broken) failed: file is not a database") == true)

        let collector = try scene.startCollector()
        try collector.wait(for: "connected")
        #expect(try collector.end(by: .terminate) == 0)
        let other = try scene.startNode("alpha", database: "\(scene.root)/all.db")
        #expect(try other.end() == 1)
        #expect(other.errors.first?.contains("all.db is not the database of a node") == true)

        _ = try scene.runNode("alpha")
        let second = try scene.startNode("alpha")
        #expect(try second.end() == 1)
        #expect(second.errors.first?.contains("alpha.db is in use by another process") == true)

        let inside = try scene.startNode("beta", database: "\(scene.root)/beta/beta.db")
        #expect(try inside.end() == 1)
        #expect(inside.errors.first?.contains("lies in the watched directory") == true)

        let nowhere = try scene.start("fleet", ["changes", "--database", "\(scene.root)/nothing.db"])
        #expect(try nowhere.end() == 1)
        #expect(nowhere.errors.first?.contains("nothing.db cannot be read") == true)
        #expect(access("\(scene.root)/nothing.db", F_OK) != 0)
      }
    }

    @Test(arguments: [
      ["node", "a/b", "/tmp", "--database", "x"], ["node", "a", "/tmp"], ["collector"], ["collector", "--port", "0"],
      ["node", "a", "/tmp", "--database", "x", "--topic", "#"],
    ])
    func `wrong arguments`(_ arguments: [String]) async throws {
      let code = try await onOwnThread {
        let loop = Loop()
        defer { loop.shutdown() }
        return try Program("fleet", arguments, on: loop).end()
      }
      #expect(code == 64)
    }

    @Test func `a node with a new database under a name that is known`() async throws {
      try await onScene { scene in
        let collector = try scene.startCollector()
        let alpha = try scene.runNode("alpha")
        try scene.make(20, "a", in: "alpha")
        try scene.check()
        try alpha.end(by: .kill)
        // The directory has 20 entries, so the new database has 20 changes with the same numbers.
        for suffix in ["", "-wal", "-shm"] { unlink("\(scene.root)/alpha.db\(suffix)") }
        let again = try scene.startNode("alpha")
        #expect(try again.end() == 1)
        #expect(
          again.errors.last?.contains("The numbers of alpha went backwards: the collector has 20 changes") == true)
        try collector.wait(for: "alpha: refused, because it has sent another change under the number")
        #expect(try scene.count() == 20)
        // Under another name, all changes are stored.
        let renamed = try scene.start(
          "fleet",
          ["node", "gamma", "\(scene.root)/alpha", "--database", "\(scene.root)/alpha.db", "--port", "\(scene.port)"])
        try scene.loop.run(until: "stored") { try scene.count() == 40 }
        #expect(renamed.process.status == nil)
      }
    }

    @Test func `a node with an older copy of its database, which has recorded more since`() async throws {
      try await onScene { scene in
        _ = try scene.startCollector()
        var alpha = try scene.runNode("alpha")
        try scene.make(10, "a", in: "alpha")
        try scene.check()
        #expect(try alpha.end(by: .terminate) == 0)
        let copy = try scene.start("/bin/cp", ["\(scene.root)/alpha.db", "\(scene.root)/copy.db"])
        #expect(try copy.end() == 0)
        alpha = try scene.runNode("alpha")
        try scene.make(10, "b", in: "alpha")
        try scene.check()
        #expect(try alpha.end(by: .terminate) == 0)
        // The copy then has more changes than the collector, so the numbers alone do not reveal it.
        try scene.make(10, "c", in: "alpha")
        let older = try scene.startNode("alpha", database: "\(scene.root)/copy.db")
        #expect(try older.end() == 1)
        #expect(older.errors.last?.contains("The numbers of alpha went backwards") == true)
        #expect(try scene.count() == 20)
        // With the right database, the node continues.
        _ = try scene.runNode("alpha")
        try scene.check(inOrder: false)
      }
    }

    @Test func `a collector with a new database`() async throws {
      try await onScene { scene in
        var collector = try scene.startCollector()
        _ = try scene.runNode("alpha")
        let witness = try Witness("fleet/stored/alpha", scene)
        try scene.make(20, "a", in: "alpha")
        try scene.check()
        // The node receives this confirmation before any message of the next collector.
        try scene.loop.run(until: "all is confirmed") { witness.messages.last?.text == "20" }
        witness.stop()
        try collector.end(by: .kill)
        scene.forgetStored()
        collector = try scene.startCollector()
        try collector.wait(for: "were confirmed before and are not in this database")
        try scene.make(10, "b", in: "alpha")
        try scene.loop.run(until: "the rest is stored") { try scene.rows().last?.id == 30 }
        let ids = try scene.rows().map(\.id)
        #expect(ids == Array((ids.first ?? 0)...30))
        #expect(ids.count <= 11 + 10)
      }
    }

    @Test func `a message that is no change`() async throws {
      try await onScene { scene in
        let collector = try scene.startCollector()
        let alpha = try scene.runNode("alpha")
        try scene.make(5, "a", in: "alpha")
        try scene.check()
        let witness = try Witness("fleet/#", scene)
        try witness.publish(MQTTMessage("fleet/changes/alpha", "nonsense\n"))
        try witness.publish(MQTTMessage("fleet/changes/alpha", []))
        try collector.wait(for: "fleet/changes/alpha: not a change, dropped: nonsense\\x0a")
        try witness.publish(MQTTMessage("fleet/stored/alpha", "many"))
        try alpha.wait(for: "fleet/stored/alpha: not a number: many")
        try scene.make(5, "b", in: "alpha")
        try scene.check()
        witness.stop()
      }
    }
  }
}
