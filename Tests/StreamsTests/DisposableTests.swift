import Streams
import StreamsTesting
import Testing

/// Disposables and bags.
@Suite(.noLiveResources) struct DisposableTests {
  private func noting(_ log: Cell, _ name: String) -> BlockDisposable { BlockDisposable { log.names.append(name) } }

  private final class Cell { var names: [String] = [] }

  @Test func `a block runs once, also when it disposes of itself`() {
    let serial = SerialDisposable()
    var count = 0
    serial.inner = BlockDisposable {
      count += 1
      serial.dispose()
    }
    serial.inner?.dispose()
    serial.dispose()
    #expect(count == 1)
    #expect(serial.isDisposed)
  }

  @Test func `a serial disposable disposes of the one before`() {
    let log = Cell()
    let serial = SerialDisposable(noting(log, "a"))
    serial.inner = noting(log, "b")
    #expect(log.names == ["a"])
    serial.dispose()
    serial.inner = noting(log, "c")
    #expect(log.names == ["a", "b", "c"])
  }

  @Test func `a composite disposes of its members in order and of what comes later at once`() {
    let log = Cell()
    let composite = CompositeDisposable([noting(log, "a")])
    noting(log, "b").dispose(in: composite)
    let handle = composite.add(noting(log, "c"))
    handle.dispose()
    composite += noting(log, "d")
    composite.dispose()
    composite += noting(log, "e")
    composite.dispose()
    #expect(log.names == ["a", "b", "d", "e"])
  }

  @Test func `a composite does not grow with members that have ended`() {
    let composite = CompositeDisposable()
    for _ in 0..<10_000 {
      let member = BlockDisposable {}
      composite.add(member)
      member.dispose()
    }
    #expect(composite.count <= 32)
  }

  /// A disposable that adds another one when it is deallocated.
  private final class Adding: Disposable {
    let add: (BlockDisposable) -> Void

    init(_ add: @escaping (BlockDisposable) -> Void) { self.add = add }

    deinit { add(BlockDisposable {}) }

    var isDisposed = false

    func dispose() { isDisposed = true }
  }

  @Test func `a member that is dropped may add others while it is released`() {
    let bag = DisposeBag()
    let composite = CompositeDisposable()
    for _ in 0..<100 {
      let one = Adding { [unowned bag] in bag.add($0) }
      bag.add(one)
      one.dispose()
      let two = Adding { [unowned composite] in composite.add($0) }
      composite.add(two)
      two.dispose()
    }
    #expect(bag.count > 0)
    bag.dispose()
    composite.dispose()
  }

  @Test func `a bag disposes of the newest first and can be used again`() {
    let log = Cell()
    let bag = DisposeBag()
    for name in ["a", "b", "c"] { noting(log, name).dispose(in: bag) }
    #expect(!bag.isDisposed)
    bag.dispose()
    #expect(log.names == ["c", "b", "a"])
    #expect(bag.isDisposed)
    noting(log, "d").dispose(in: bag)
    #expect(log.names == ["c", "b", "a"])
    bag.dispose()
    #expect(log.names == ["c", "b", "a", "d"])
  }

  @Test func `a bag disposes of its members when it goes`() {
    let log = Cell()
    do {
      let bag = DisposeBag()
      noting(log, "a").dispose(in: bag)
      noting(log, "b").dispose(in: bag)
      withExtendedLifetime(bag) {}
    }
    #expect(log.names == ["b", "a"])
  }

  @Test func `a bag drops members that have ended`() {
    let push = PushStream<Int>()
    let bag = DisposeBag()
    for _ in 0..<1_000 { push.first().observeNext { _ in }.dispose(in: bag) }
    #expect(bag.count == 1_000)
    push.next(1)
    #expect(bag.count == 0)
    #expect(bag.isDisposed)
  }

  @Test func `a member that is disposed may add others to the bag`() {
    let log = Cell()
    let bag = DisposeBag()
    BlockDisposable { [unowned bag] in noting(log, "late").dispose(in: bag) }.dispose(in: bag)
    bag.dispose()
    #expect(log.names == ["late"])
  }

  @Test func `a bag in a bag may be filled later, and goes when nobody else refers to it and it is empty`() {
    let (outer, log) = (DisposeBag(), Cell())
    var inner: DisposeBag? = DisposeBag()
    weak let reference = inner
    inner?.dispose(in: outer)
    for _ in 0..<100 { noting(log, "other").dispose(in: outer) }
    inner?.add(noting(log, "late"))
    inner = nil
    #expect(reference != nil)
    reference?.dispose()
    #expect(log.names == ["late"])
    for _ in 0..<100 { noting(log, "other").dispose(in: outer) }
    #expect(reference == nil)
    outer.dispose()
    #expect(log.names.count == 201)
  }

  @Test func `what owns disposables pauses and resumes them, also those that come while it pauses`() {
    let probes = (0..<4).map { _ in Probe<Never>() }
    let (composite, serial) = (CompositeDisposable(), SerialDisposable())
    let owned = DeinitDisposable(probes[0].stream.observeNext { _ in })
    for owner in [composite, serial, owned] as [any Disposable] { owner.pause() }
    composite.add(probes[1].stream.observeNext { _ in })
    serial.inner = probes[2].stream.observeNext { _ in }
    let joint = JointDisposable(probes[3].stream.observeNext { _ in })
    joint.pause()
    #expect(probes.map(\.pauses) == [1, 1, 1, 1])
    for owner in [composite, serial, owned, joint] as [any Disposable] { owner.resume() }
    #expect(probes.map(\.resumes) == [1, 1, 1, 1])
    for owner in [composite, serial, owned, joint] as [any Disposable] { owner.dispose() }
    #expect(probes.map(\.disposals) == [1, 1, 1, 1])
  }

  @Test func `bags pause and resume what is in them`() {
    let probe = Probe<Never>()
    let bag = DisposeBag()
    probe.stream.observeNext { _ in }.dispose(in: bag)
    bag.pause()
    bag.resume()
    #expect(probe.pauses == 1 && probe.resumes == 1)
    bag.dispose()
  }
}
