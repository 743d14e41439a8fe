#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Streams
import StreamsTesting
import Testing

public import DelegateMacros

/// Declarations whose spelling is unusual.
@Proxied protocol Spelling: AnyObject, Copyable, SendableMetatype {
  func pair(_ number: Int) -> (
    number: Int,  // the first
    text: Spelled
  )
  func grow(_ size: inout Int, _ boxSize: Int) -> Int
  func `two boxes`(_ `a b`: inout Int, _ aB: inout Int)
  func unnamed(_: Int, _ argument0: String) -> Int
  func argument0(_ number: Int) -> Int
  subscript(newValue: Int) -> Int { get set }
  func never() throws(Swift.Never) -> Int
  #if os(Linux)
  @Defaulted func load(_ number: Int) -> Int
  #else
  @Defaulted @MainActor func load(_ number: Int) -> Int
  #endif
}

extension Spelling {
  func load(_ number: Int) -> Int { number + 1 }
}

struct Spelled {
  var text = ""
}

@Proxied protocol SelfNamed<SelfID>: AnyObject where SelfID: Hashable {
  associatedtype SelfID
  func count(_ id: SelfID) -> [SelfID: Int]
}

@Proxied protocol Grouping<Item, Items>: AnyObject where Items: Sequence, Items.Element == Item {
  associatedtype Item: Hashable
  associatedtype Items
  func count(_ items: Items) -> [Item: Int]
}

/// A namespace.
public enum SpellingSpace {}

extension SpellingSpace {
  /// A namespace in it.
  public enum Inner {}
}

// An extension may give its members their access level.
// swift-format-ignore: NoAccessLevelOnExtensionDeclaration
public extension SpellingSpace.Inner {
  /// A public protocol.
  @Proxied protocol Member: AnyObject {
    /// A requirement.
    func go() -> Int
  }
}

@Suite(.noLiveResources) struct SpellingTests {
  private final class Real: Spelling {
    var cells: [Int: Int] = [:]
    func pair(_ number: Int) -> (number: Int, text: Spelled) { (number, Spelled(text: "a")) }
    func grow(_ size: inout Int, _ boxSize: Int) -> Int {
      size += boxSize
      return size
    }
    func `two boxes`(_ `a b`: inout Int, _ aB: inout Int) { swap(&`a b`, &aB) }
    func unnamed(_ number: Int, _ argument0: String) -> Int { number + argument0.count }
    func argument0(_ number: Int) -> Int { number }
    subscript(newValue: Int) -> Int {
      get { cells[newValue] ?? 0 }
      set(value) { cells[newValue] = value }
    }
    func never() -> Int { 3 }
  }

  @Test func `types of several lines, comments in them, and names that the macro would use`() {
    let (real, proxy, bag) = (Real(), SpellingProxy(), DisposeBag())
    var log: [String] = []
    proxy.subscriptSetter.stream.observeNext { log.append("[\($0)] = \($1)") }.dispose(in: bag)
    proxy.forwardTo = real
    let delegate: any Spelling = proxy
    #expect(delegate.pair(2).number == 2 && delegate.pair(2).text.text == "a")
    var (first, second) = (4, 9)
    #expect(delegate.grow(&first, 3) == 7 && first == 7)
    delegate.`two boxes`(&first, &second)
    #expect(first == 9 && second == 7)
    #expect(delegate.unnamed(1, "ab") == 3)
    delegate[5] = 6
    #expect(real.cells == [5: 6] && delegate[5] == 6)
    #expect(log == ["[5] = 6"])
    #expect(delegate.never() == 3)
    proxy.load.replaceAnswer { $0 }
    proxy.load.policy = .handler
    #expect(delegate.load(1) == 1)
    #expect(SpellingProxy().load(1) == 2)
    #expect(SpellingProxy(argument0: { $0 + 1 }).argument0(1) == 2)
  }

  @Test func `an associated type whose name begins with Self, and a protocol in a public extension`() {
    #expect(SelfNamedProxy<Int>(count: { [$0: 1] }).count(3) == [3: 1])
    #expect(SpellingSpace.Inner.MemberProxy(go: { 2 }).go() == 2)
  }

  @Test func `an associated type that is a member of another one`() {
    let proxy = GroupingProxy<Int, [Int]>(count: { [$0[0]: $0.count] })
    #expect(proxy.count([2, 3]) == [2: 2])
  }

  @Test func `a slot never has the name of a requirement`() {
    #expect(slotNames(#"@Slot("clock") func timeSlot()"#, "func time()") == ["clock", "timeSlotSlot"])
  }

  @Test func `a protocol in a function`() {
    let source = "func run() {\n  protocol P: AnyObject {\n    func go()\n  }\n}"
    expectExpansion(
      source.replacing("protocol", with: "@Proxied protocol"), is: source,
      diagnostics: [
        DiagnosticSpec(
          message: "A function cannot use a class that a macro generates in it. Move the protocol out of the function.",
          line: 2, column: 3)
      ])
  }
}
#endif
