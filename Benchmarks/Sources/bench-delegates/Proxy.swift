import Delegates
import Streams

/// A typical delegate, with a method that notifies and a method that asks.
protocol Watcher: AnyObject {
  func source(_ source: Source, didRead bytes: Int)
  func source(_ source: Source, shouldGoOnAfter bytes: Int) -> Bool
}

/// The owner of the delegate, which calls it.
final class Source {
  var watcher: (any Watcher)?
  @exclusivity(unchecked) var answers = 0

  @inline(never)
  func tell(_ count: Int) {
    guard let watcher else { return }
    for number in 0..<count { watcher.source(self, didRead: number) }
  }

  @inline(never)
  func ask(_ count: Int) {
    guard let watcher else { return }
    for number in 0..<count where watcher.source(self, shouldGoOnAfter: number) { answers &+= 1 }
  }
}

/// A handwritten delegate.
final class PlainWatcher: Watcher {
  func source(_ source: Source, didRead bytes: Int) { total.value &+= bytes }
  func source(_ source: Source, shouldGoOnAfter bytes: Int) -> Bool { bytes & 1 == 0 }
}

/// A handwritten delegate that calls closures.
final class ClosureWatcher: Watcher {
  var didRead: ((Source, Int) -> Void)?
  var shouldGoOn: ((Source, Int) -> Bool)?

  func source(_ source: Source, didRead bytes: Int) { didRead?(source, bytes) }
  func source(_ source: Source, shouldGoOnAfter bytes: Int) -> Bool { shouldGoOn?(source, bytes) ?? false }
}

/// A delegate that forwards everything to another one through a weak reference: the minimal cost of forwarding.
final class PlainForwarder: Watcher {
  weak var next: (any Watcher)?

  func source(_ source: Source, didRead bytes: Int) { next?.source(source, didRead: bytes) }
  func source(_ source: Source, shouldGoOnAfter bytes: Int) -> Bool {
    next?.source(source, shouldGoOnAfter: bytes) ?? false
  }
}

nonisolated final class WatcherProxy: ProtocolProxy<any Watcher>, Watcher {
  let didRead = ProxyMethod<Void, Source, Int>()
  func source(_ source: Source, didRead bytes: Int) {
    call(didRead, (source, bytes)) { $0.source(source, didRead: bytes) }
  }

  let shouldGoOn = ProxyMethod<Bool, Source, Int>()
  func source(_ source: Source, shouldGoOnAfter bytes: Int) -> Bool {
    call(shouldGoOn, (source, bytes), default: true) { $0.source(source, shouldGoOnAfter: bytes) }
  }
}
