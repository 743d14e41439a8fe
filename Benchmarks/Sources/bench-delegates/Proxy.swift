import Delegates
import Streams

/// What is called: a delegate of the usual kind, with a method that tells something and one that asks.
protocol Watcher: AnyObject {
  func source(_ source: Source, didRead bytes: Int)
  func source(_ source: Source, shouldGoOnAfter bytes: Int) -> Bool
}

/// Who calls.
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

/// A delegate written by hand.
final class PlainWatcher: Watcher {
  func source(_ source: Source, didRead bytes: Int) { total.value &+= bytes }
  func source(_ source: Source, shouldGoOnAfter bytes: Int) -> Bool { bytes & 1 == 0 }
}

/// A delegate made of closures, by hand.
final class ClosureWatcher: Watcher {
  var didRead: ((Source, Int) -> Void)?
  var shouldGoOn: ((Source, Int) -> Bool)?

  func source(_ source: Source, didRead bytes: Int) { didRead?(source, bytes) }
  func source(_ source: Source, shouldGoOnAfter bytes: Int) -> Bool { shouldGoOn?(source, bytes) ?? false }
}

/// A delegate that holds another one weakly and passes everything on: the least that forwarding can cost.
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
