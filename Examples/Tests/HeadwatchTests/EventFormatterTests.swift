import EventLoops
import FileWatching
import Foundation
import Streams
import Testing

@testable import headwatch

/// Lines, JSON objects, and paths that end with a zero byte.
@Suite struct EventFormatterTests {
  private let odd = BytePath(bytes: [0x61, 0xFF, 0x62])

  private func text(_ event: FileEvent, _ style: EventFormatter.Style, hidesDot: Bool = false) -> String {
    var buffer: [UInt8] = []
    EventFormatter(style, hidesDot: hidesDot).append(event, to: &buffer)
    return String(decoding: buffer, as: UTF8.self)
  }

  private func line(_ event: FileEvent) -> String { text(event, .human(isColoured: false)) }

  @Test func `lines for people are aligned`() {
    #expect(line(FileEvent(.modified, "src/a.swift")) == "modified  src/a.swift\n")
    #expect(line(FileEvent(.created, "d", isDirectory: true)) == "created   d/\n")
    #expect(line(FileEvent(.renamed(to: "b"), "a")) == "renamed   a -> b\n")
    #expect(line(FileEvent(.removed, "a")) == "removed   a\n")
    #expect(line(FileEvent(.attributes, "a")) == "attrib    a\n")
    #expect(line(FileEvent(.overflow, ".", isDirectory: true)).hasPrefix("overflow  ./  ("))
  }

  @Test func `names that could spoil the terminal are escaped`() {
    #expect(line(FileEvent(.created, "a\nb\tc\u{1b}[31m\\")) == "created   a\\nb\\tc\\x1b[31m\\\\\n")
    #expect(line(FileEvent(.created, odd)) == "created   a\\xffb\n")
    #expect(line(FileEvent(.created, "a\u{202E}b\u{85}")) == "created   a\\u{202e}b\\u{85}\n")
    #expect(line(FileEvent(.created, "Größe 世界")) == "created   Größe 世界\n")
  }

  @Test func `colours touch the kind only`() {
    let coloured = text(FileEvent(.created, "a"), .human(isColoured: true))
    #expect(coloured == "\u{1b}[32mcreated\u{1b}[0m   a\n")
  }

  @Test func `the dot is hidden where nobody asked for it`() {
    let plain = EventFormatter.Style.human(isColoured: false)
    #expect(text(FileEvent(.created, "./a"), plain, hidesDot: true) == "created   a\n")
    #expect(text(FileEvent(.created, "./a"), plain) == "created   ./a\n")
    #expect(text(FileEvent(.removed, ".", isDirectory: true), plain, hidesDot: true) == "removed   ./\n")
    #expect(text(FileEvent(.renamed(to: "./b"), "./a"), .print0, hidesDot: true) == "a\0b\0")
  }

  @Test func `objects are JSON whatever the name`() throws {
    for path in ["a", "quote\"back\\slash", "line\nfeed\u{1}\u{7f}", "Größe 世界"] {
      let object = try #require(
        JSONSerialization.jsonObject(with: Data(text(FileEvent(.created, BytePath(path)), .json).utf8))
          as? [String: String])
      #expect(object == ["kind": "created", "path": path, "type": "file"])
    }
  }

  @Test func `bytes that are not UTF 8 come in base 64`() throws {
    let event = FileEvent(.renamed(to: odd), BytePath(bytes: [0xFE]), isDirectory: true)
    let object = try #require(JSONSerialization.jsonObject(with: Data(text(event, .json).utf8)) as? [String: String])
    #expect(object["kind"] == "renamed")
    #expect(object["type"] == "directory")
    #expect(object["path"] == "\u{FFFD}")
    #expect(object["to"] == "a\u{FFFD}b")
    #expect(object["path_b64"].flatMap { Data(base64Encoded: $0) } == Data([0xFE]))
    #expect(object["to_b64"].flatMap { Data(base64Encoded: $0) } == Data(odd.bytes))
  }

  @Test func `base 64 is padded`() {
    let cases: [([UInt8], String)] = [
      ([], ""), ([0x66], "Zg=="), ([0x66, 0x6F], "Zm8="), ([0x66, 0x6F, 0x6F, 0xFF], "Zm9v/w=="),
    ]
    for (bytes, expected) in cases {
      var buffer: [UInt8] = []
      Escaping.appendBase64(bytes[...], to: &buffer)
      #expect(String(decoding: buffer, as: UTF8.self) == expected)
    }
  }

  @Test func `commands are shown as they would be typed`() {
    #expect(Escaping.shellWords(["make", "-j2", "a=b"]) == "make -j2 a=b")
    #expect(Escaping.shellWords(["sh", "-c", "echo it's; exit", ""]) == "sh -c 'echo it'\\''s; exit' ''")
    // The accent makes the quote a part of another character.
    #expect(Escaping.shellWords(["a'\u{301}"]) == "'a'\\''\u{301}'")
    #expect(Escaping.shellWords(["a\nb", "\u{1b}[0m"]) == "'a\\nb' '\\x1b[0m'")
  }

  @Test func `changes are kept once each`() {
    var changes = ChangeSet(EventFormatter(.json, hidesDot: true))
    changes.insert([FileEvent(.created, "./a"), FileEvent(.modified, "./a")])
    #expect(changes.onlyPath.map { Array($0) } == Array("a".utf8))
    #expect(
      String(decoding: changes.records, as: UTF8.self) == "{\"kind\":\"created\",\"path\":\"a\",\"type\":\"file\"}\n")
    #expect(changes.summary == "1 change: a")
    changes.insert([FileEvent(.removed, "./a"), FileEvent(.modified, "./b")])
    #expect(changes.count == 2)
    #expect(changes.onlyPath == nil)
    changes.insert([FileEvent(.renamed(to: "./d\n"), "./c"), FileEvent(.modified, "./e")])
    #expect(changes.summary == "4 changes: a, b, d\\n, …")
    changes.removeAll()
    #expect(changes.records.isEmpty)
  }
}
