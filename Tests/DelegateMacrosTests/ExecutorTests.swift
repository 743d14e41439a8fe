#if Macros
import DelegateMacros
import Streams
import StreamsTesting
import Testing

final class Parcel {
  var weight = 0
}

@Proxied protocol CourierDelegate: AnyObject {
  func take(_ parcel: Parcel) async throws -> Parcel
  func check(_ parcel: Parcel) async throws(ParseError) -> Int
  @Defaulted func weigh(_ parcel: Parcel) async -> Int
  var last: Parcel { get async }
}

extension CourierDelegate {
  func weigh(_ parcel: Parcel) async -> Int {
    let parcel = try? await take(parcel)
    return parcel?.weight ?? 0
  }
}

@Proxied @MainActor protocol DepotDelegate: AnyObject {
  func store(_ parcel: Parcel) async -> Parcel
  nonisolated func count() -> Int
}

/// A forwarded call runs on the executor of its caller, before and after the forwardee suspends.
@Suite(.noLiveResources) struct ExecutorTests {
  final class Courier: CourierDelegate {
    let home: any Actor
    let parcel = Parcel()
    init(_ home: any Actor) { self.home = home }
    func take(_ parcel: Parcel) async throws -> Parcel {
      home.preconditionIsolated()
      await Task.yield()
      home.preconditionIsolated()
      parcel.weight += 1
      return parcel
    }
    func check(_ parcel: Parcel) async throws(ParseError) -> Int {
      home.preconditionIsolated()
      await Task.yield()
      home.preconditionIsolated()
      throw ParseError(line: parcel.weight)
    }
    var last: Parcel {
      get async {
        await Task.yield()
        home.preconditionIsolated()
        return parcel
      }
    }
  }

  /// Passes a parcel through the proxy, whose streams are observed in the same isolation.
  static func run(_ home: isolated any Actor) async throws {
    let (proxy, courier, bag) = (CourierDelegateProxy(), Courier(home), DisposeBag())
    proxy.forwardTo = courier
    var log: [String] = []
    proxy.take.willInvoke.observeNext { _ in
      home.preconditionIsolated()
      log.append("will")
    }.dispose(in: bag)
    proxy.take.stream.observeNext { parcel in
      home.preconditionIsolated()
      log.append("did \(parcel.weight)")
    }.dispose(in: bag)
    let parcel = Parcel()
    // The calls are statements of their own, because the arguments of `#expect` need not run in this isolation.
    let taken = try await proxy.take(parcel)
    #expect(taken === parcel)
    do throws(ParseError) {
      _ = try await proxy.check(parcel)
      Issue.record("It does not throw")
    } catch {
      #expect(error == ParseError(line: 1))
    }
    let weight = await proxy.weigh(parcel)
    #expect(weight == 2)
    #expect(log == ["will", "did 1"])
    let last = await proxy.last
    #expect(last === courier.parcel)
    // The default of the extension, which calls the proxy.
    proxy.forwardTo = nil
    proxy.take.replaceAnswer { parcel in
      home.preconditionIsolated()
      parcel.weight = 7
      return parcel
    }
    let byDefault = await proxy.weigh(parcel)
    #expect(byDefault == 7)
    #expect(log == ["will", "did 1", "will", "did 7"])
    bag.dispose()
  }

  @Test func `on the main actor`() async throws { try await Self.run(MainActor.shared) }

  private actor Office {
    func run() async throws { try await ExecutorTests.run(self) }
  }

  @Test func `in an actor`() async throws { try await Office().run() }

  @MainActor final class Depot: DepotDelegate {
    func store(_ parcel: Parcel) async -> Parcel {
      await Task.yield()
      MainActor.preconditionIsolated()
      return parcel
    }
    nonisolated func count() -> Int { 3 }
  }

  @Test @MainActor func `a protocol of the main actor, with a requirement that is not`() async {
    let (proxy, depot, parcel) = (DepotDelegateProxy(), Depot(), Parcel())
    proxy.forwardTo = depot
    #expect(proxy.count() == 3)
    proxy.countSlot.replaceAnswer { 1 }
    #expect(proxy.count() == 1)
    #expect(await proxy.store(parcel) === parcel)
  }
}
#endif
