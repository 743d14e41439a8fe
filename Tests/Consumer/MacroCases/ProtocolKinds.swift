import DelegateMacros
import Streams

// Other kinds of protocol: public, private, inheriting, generic, isolated to another global actor, and conditional.

/// The sender of the calls.
public final class KindOwner {}

nonisolated final class KindBox {
  var value = 0
}

/// A public delegate.
@Proxied public protocol PublicKindDelegate: AnyObject {
  func kindDidStart(_ kind: KindOwner)
  func kind(_ kind: KindOwner, heightOf row: Int) async throws -> Double
  var title: String { get set }
  @Defaulted func mayStop(_ kind: KindOwner) async -> Bool
}

extension PublicKindDelegate {
  /// The default implementation.
  public func mayStop(_ kind: KindOwner) async -> Bool { true }
}

@Proxied private protocol PrivateKindDelegate: AnyObject {
  func kind(_ kind: KindOwner, didReach second: Int)
}

protocol TaskKindDelegate: AnyObject {
  func taskDidEnd(_ task: String)
}

@Proxied(inheriting: (any TaskKindDelegate).self)
protocol DataKindDelegate: TaskKindDelegate {
  func taskDidEnd(_ task: String)
  func task(_ task: String, didReceive bytes: Int)
}

protocol ForeignKindDelegate: AnyObject {
  func put(_ box: KindBox) async -> KindBox
  func drop(_ count: Int)
}

extension ForeignKindDelegate {
  func drop(_ count: Int) {}
}

@Proxied(mirroring: (any ForeignKindDelegate).self)
protocol MirroredKindDelegate: AnyObject {
  func put(_ box: KindBox) async -> KindBox
}

@Proxied protocol ConsumerKind<Item>: AnyObject {
  associatedtype Item
  func put(_ item: Item)
  func take(_ item: Item) async throws -> Item
  var last: Item { get async }
  @Defaulted func mayPut(_ item: Item) -> Bool
  @Defaulted func mayTake(_ item: Item) async -> Bool
}

extension ConsumerKind {
  func mayPut(_ item: Item) -> Bool { true }
  func mayTake(_ item: Item) async -> Bool { mayPut(item) }
}

@globalActor actor DiskActor {
  static let shared = DiskActor()
}

@Proxied @DiskActor protocol DiskKindDelegate: AnyObject {
  func save(_ box: KindBox) -> Bool
  func load(_ box: KindBox) async throws -> KindBox
  nonisolated func note(_ text: String)
  @MainActor func show(_ text: String)
  @concurrent func leave(_ text: String) async
  @Defaulted var title: String { get }
  var box: KindBox { get async }
}

extension DiskKindDelegate {
  var title: String { "disk" }
}

@Proxied nonisolated protocol FreeKindDelegate: AnyObject {
  func put(_ box: KindBox)
  func load(_ box: KindBox) async -> KindBox
  @Defaulted func mayLoad(_ box: KindBox) async -> Bool
  @concurrent var count: Int { get async }
}

extension FreeKindDelegate {
  nonisolated func mayLoad(_ box: KindBox) async -> Bool { true }
}

@Proxied protocol ConditionKindDelegate: AnyObject {
  func put(_ isolation: Int)
  var isolation: Int { get }
  #if os(Linux)
  func poll(_ box: KindBox) async
  #else
  func select(_ box: KindBox) async
  #endif
}

func useKinds() -> [String] {
  var lines: [String] = []
  let bag = DisposeBag()
  let data = DataKindDelegateProxy()
  data.didReceive.stream.observeNext { task, bytes in lines.append("\(task) \(bytes)") }.dispose(in: bag)
  data.task("a", didReceive: 1)
  let consumer = ConsumerKindProxy<Int>(put: { lines.append("put \($0)") })
  consumer.put(3)
  lines.append("\(consumer.mayPut(1)) \(ConditionKindDelegateProxy(isolation: { 2 }).isolation)")
  return lines
}

@DiskActor func useDiskKind() async throws -> [String] {
  let proxy = DiskKindDelegateProxy(save: { box in
    DiskActor.shared.preconditionIsolated()
    return box.value == 0
  })
  proxy.load.replaceAnswer { box in
    await Task.yield()
    DiskActor.shared.preconditionIsolated()
    return box
  }
  let box = try await proxy.load(KindBox())
  return ["\(proxy.save(box)) \(proxy.title)"]
}
