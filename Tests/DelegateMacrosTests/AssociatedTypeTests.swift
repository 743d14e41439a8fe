#if Macros
import DelegateMacros
import Streams
import StreamsTesting
import Testing

@Proxied protocol Shelf<Item>: AnyObject {
  associatedtype Item: Collection where Item.Element == Int
  typealias Items = [Item]
  typealias Pair<Value> = (Self.Item, Value)
  func put(_ items: Items) -> Pair<Int>?
  func first(_ item: Self.Item) -> Self.Item.Element?
  @Defaulted func mayPut(_ items: Items) -> Bool
}

extension Shelf {
  func mayPut(_ items: Items) -> Bool { items.count == 1 }
}

@Proxied protocol SendableShelf<Item>: Sendable {
  associatedtype Item: Sendable
  typealias Items = [Item]
  func put(_ items: Items) async throws -> Items
}

protocol ForeignShelf: AnyObject {
  func put(_ items: [Int]) -> Int
}

@Proxied(mirroring: (any ForeignShelf).self) protocol MirroredShelf: AnyObject {
  typealias Items = [Int]
  func put(_ items: Items) -> Int
}

/// Type aliases, and the types of associated types.
@Suite(.noLiveResources) struct AssociatedTypeTests {
  @Test func `a type alias may name an associated type`() async throws {
    let proxy = ShelfProxy<[Int]>(put: { ($0[0], 2) })
    #expect(proxy.put([[1]])?.0 == [1])
    #expect(proxy.mayPut([[1]]) && !proxy.mayPut([]))
    let sendable = SendableShelfProxy<Int>(put: { $0 + $0 })
    #expect(try await sendable.put([1]) == [1, 1])
  }

  @Test func `the type of an associated type may be spelled with Self`() {
    #expect(ShelfProxy<[Int]>(first: { $0.first }).first([7]) == 7)
  }

  @Test func `the list of requirements of another protocol may have type aliases`() {
    #expect(MirroredShelfProxy(put: { $0.count }).put([1, 2]) == 2)
  }
}
#endif
