#if Macros
import DelegateMacros
import Foundation
import Testing

@testable import DelegateExpansion

protocol Handmade: AnyObject {
  func changed(_ value: Int)
}

final class HandmadeProxy: ProtocolProxy<any Handmade>, Handmade {
  let changed = ProxyMethod<Void, Int>()
  func changed(_ value: Int) { call(changed, (value)) { $0.changed(value) } }
}

@Proxied protocol Unanswered: AnyObject {
  func value(of name: String) -> Int
  func later(_ name: String) async
}

/// Programmer errors that trap, with messages that say how to fix them.
@Suite struct TrapTests {
  @Test func `a proxy that does not name its slots is asked for one by name`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = HandmadeProxy().slot(for: #method((any Handmade).changed(_:)))
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("HandmadeProxy finds no slot for changed(_:)"), "\(text)")
  }

  @Test func `an asynchronous method's slot is asked for by name`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = UnansweredProxy().slot(for: #method((any Unanswered).later(_:)))
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("later(_:) is asynchronous"), "\(text)")
  }

  @Test func `a method with a result that nothing answers`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = UnansweredProxy().value(of: "a")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("UnansweredProxy has no handler, forwardee, or default for value(of:)"), "\(text)")
    #expect(
      text.contains("set forwardTo, or give it a default: @Defaulted if an extension"), "\(text)")
  }

  @Test func `no slot has the name of something that every proxy has`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources/Delegates")
    let files = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
    var members: Set<String> = []
    for file in files where file.hasSuffix(".swift") {
      var isProxy = false
      let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
      for line in text.split(separator: "\n") {
        if !line.hasPrefix(" ") {
          isProxy = line.contains("class ProtocolProxy<") || line.hasPrefix("extension ProtocolProxy ")
        }
        guard isProxy,
          let match = line.firstMatch(
            of: /^  (?:@\w+(?:\([^)]*\))? )*public (?:private\(set\) )?(?:final )?(?:var|let|func) (\w+)/)
        else { continue }
        members.insert(String(match.1))
      }
    }
    #expect(members.contains("forwardTo"))
    #expect(members.subtracting(SlotNames.taken).isEmpty)
    #expect(SlotNames.members.isSubset(of: SlotNames.taken))
  }
}
#endif
