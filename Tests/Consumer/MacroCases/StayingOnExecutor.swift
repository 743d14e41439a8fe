import DelegateMacros
import Streams

// A forwarded asynchronous call stays on the executor of its caller, before and after the forwardee suspends.

nonisolated final class StayingBox {
  var value = 0
}

nonisolated struct StayingFailure: Error {}

@Proxied @MainActor protocol StayingDelegate: AnyObject {
  func load(_ box: StayingBox) async throws -> StayingBox
  func check(_ box: StayingBox) async throws(StayingFailure) -> Bool
  var title: String { get async }
  subscript(row: Int) -> String { get async }
  @Defaulted func open(_ box: StayingBox) async -> Int
}

extension StayingDelegate {
  func open(_ box: StayingBox) async -> Int {
    MainActor.preconditionIsolated()
    await Task.yield()
    MainActor.preconditionIsolated()
    return box.value
  }
}

@MainActor final class StayingForwardee: StayingDelegate {
  func load(_ box: StayingBox) async throws -> StayingBox {
    MainActor.preconditionIsolated()
    await Task.yield()
    MainActor.preconditionIsolated()
    box.value += 1
    return box
  }
  func check(_ box: StayingBox) async throws(StayingFailure) -> Bool {
    MainActor.preconditionIsolated()
    await Task.yield()
    MainActor.preconditionIsolated()
    return box.value == 1
  }
  var title: String {
    get async {
      await Task.yield()
      MainActor.preconditionIsolated()
      return "title"
    }
  }
  subscript(row: Int) -> String {
    get async {
      await Task.yield()
      MainActor.preconditionIsolated()
      return "row \(row)"
    }
  }
}

/// Requirements that are isolated to their caller, whatever the settings of the module.
@Proxied nonisolated protocol VisitingDelegate: AnyObject {
  nonisolated(nonsending) func visit(_ box: StayingBox, _ words: [String]) async throws -> StayingBox
  nonisolated(nonsending) func take(_ box: StayingBox) async throws(StayingFailure) -> Bool
  nonisolated(nonsending) var box: StayingBox { get async }
}

nonisolated final class VisitingForwardee: VisitingDelegate {
  let isolation: any Actor
  let kept = StayingBox()
  init(_ isolation: any Actor) { self.isolation = isolation }
  nonisolated(nonsending) func visit(_ box: StayingBox, _ words: [String]) async throws -> StayingBox {
    isolation.preconditionIsolated()
    await Task.yield()
    isolation.preconditionIsolated()
    box.value = words.count
    return box
  }
  nonisolated(nonsending) func take(_ box: StayingBox) async throws(StayingFailure) -> Bool {
    isolation.preconditionIsolated()
    await Task.yield()
    isolation.preconditionIsolated()
    return box.value == 2
  }
  nonisolated(nonsending) var box: StayingBox {
    get async {
      await Task.yield()
      isolation.preconditionIsolated()
      return kept
    }
  }
}

@MainActor func useStayingDelegate() async throws -> [String] {
  var lines: [String] = []
  let (proxy, forwardee) = (StayingDelegateProxy(), StayingForwardee())
  proxy.forwardTo = forwardee
  let box = try await proxy.load(StayingBox())
  lines.append("\(box.value) \(try await proxy.check(box)) \(await proxy.title) \(await proxy[3])")
  lines.append("\(await proxy.open(box))")
  let (visiting, visited) = (VisitingDelegateProxy(), VisitingForwardee(MainActor.shared))
  visiting.forwardTo = visited
  let other = try await visiting.visit(box, ["a", "b"])
  lines.append("\(other.value) \(try await visiting.take(other)) \(await visiting.box.value)")
  return lines
}

actor StayingActor {
  func use() async throws -> [String] {
    let (proxy, forwardee) = (VisitingDelegateProxy(), VisitingForwardee(self))
    proxy.forwardTo = forwardee
    let box = try await proxy.visit(StayingBox(), ["a", "b"])
    return ["\(box.value) \(try await proxy.take(box)) \(await proxy.box.value)"]
  }
}
