import EventLoops
import Glibc
import Testing

@testable import fleet

extension FleetTests {
  @Suite("Changes") struct ChangeTests {
    @Test(arguments: [
      Change(id: 1, time: 5, kind: .created, path: Array("milk".utf8)),
      Change(id: .max, time: -1, kind: .removed, path: []),
      Change(id: 7, time: 0, kind: .renamed, path: [0xFF, 0x0A], newPath: Array("a b\t".utf8)),
    ])
    func `what is sent is what is read`(_ change: Change) {
      let report = Report(change, oldest: 1)
      #expect(Report(payload: report.payload) == report)
    }

    @Test(arguments: [
      "", "1", "1\u{0}1\u{0}0\u{0}created", "x\u{0}1\u{0}0\u{0}created\u{0}a", "1\u{0}1\u{0}0\u{0}made\u{0}a",
      "1\u{0}1\u{0}0\u{0}renamed\u{0}a", "1\u{0}1\u{0}0\u{0}created\u{0}a\u{0}b", "1\u{0}2\u{0}0\u{0}created\u{0}a",
      "0\u{0}0\u{0}0\u{0}created\u{0}a", "9223372036854775808\u{0}1\u{0}0\u{0}created\u{0}a",
    ])
    func `what is no change is not read`(_ text: String) { #expect(Report(payload: Array(text.utf8)) == nil) }

    @Test func `a line stays a line`() {
      let change = Change(
        id: 1, time: 0, kind: .renamed, path: Array("a\nb\\".utf8), newPath: Array("grün\u{7F}".utf8))
      #expect(change.text == "renamed a\\x0ab\\x5c -> grün\\x7f")
      #expect(Change(id: 1, time: 0, kind: .modified, path: []).text == "modified .")
    }

    @Test func `what changes while a node does not run is found at its next start`() async throws {
      try await onScene { scene in
        let directory = "\(scene.root)/alpha"
        _ = try scene.startCollector()
        var alpha = try scene.runNode("alpha")
        for name in ["same", "written", "gone", "old"] { try scene.write("\(directory)/\(name)", name) }
        mkdir("\(directory)/folder", 0o755)
        try scene.write("\(directory)/folder/inner", "inner")
        mkdir("\(directory)/moved", 0o755)
        try scene.write("\(directory)/moved/deep", "deep")
        try scene.loop.run(until: "the files are stored") {
          let paths = Set(try scene.rows().map(\.path))
          return paths.isSuperset(of: ["same", "written", "gone", "old", "folder/inner", "moved/deep"])
        }
        // While the node runs, a renamed directory takes everything below it along, in the database, too.
        rename("\(directory)/moved", "\(directory)/here")
        try scene.loop.run(until: "the move is stored") { try scene.rows().contains { $0.kind == "renamed" } }
        #expect(try alpha.end(by: .terminate) == 0)
        let count = try scene.count()

        try scene.write("\(directory)/written", "other")
        unlink("\(directory)/gone")
        rename("\(directory)/old", "\(directory)/new")
        unlink("\(directory)/folder/inner")
        rmdir("\(directory)/folder")
        alpha = try scene.runNode("alpha")
        try scene.loop.run(until: "the differences are stored") { try scene.count() >= count + 5 }
        // This change is stored last, so it shows that there are no others.
        mkdir("\(directory)/last", 0o755)
        try scene.loop.run(until: "the last one is stored") { try scene.rows().last?.path == "last" }
        let found = try scene.rows().dropFirst(count).map { "\($0.kind) \($0.path)" }
        #expect(
          Set(found) == [
            "modified written", "removed gone", "removed old", "created new", "removed folder", "created last",
          ])
        #expect(found.count == 6)
        #expect(alpha.process.status == nil)
      }
    }
  }
}
