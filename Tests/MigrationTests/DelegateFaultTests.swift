import Headwater
import StreamsTesting
import Testing

/// Situations in which delegate proxies and observers of other libraries have crashed, leaked, or missed calls.
@Suite(.noLiveResources) struct DelegateFaultTests {
  final class Scroller: ProxyOwner {
    weak var delegate: (any ScrollerDelegate)?
    let proxies = ProtocolProxyRegistry()
    func scroll(_ distance: Int) { delegate?.scroller(self, didScroll: distance) }
    func mayScroll(_ distance: Int) -> Bool { delegate?.scroller(self, mayScroll: distance) ?? true }
  }

  protocol ScrollerDelegate: AnyObject {
    func scroller(_ scroller: Scroller, didScroll distance: Int)
    func scroller(_ scroller: Scroller, mayScroll distance: Int) -> Bool
  }

  final class ScrollerProxy: ProtocolProxy<any ScrollerDelegate>, ScrollerDelegate {
    let didScroll = ProxyMethod<Void, Scroller, Int>()
    func scroller(_ scroller: Scroller, didScroll distance: Int) {
      call(didScroll, (scroller, distance)) { $0.scroller(scroller, didScroll: distance) }
    }
    let mayScroll = ProxyMethod<Bool, Scroller, Int>()
    func scroller(_ scroller: Scroller, mayScroll distance: Int) -> Bool {
      call(mayScroll, (scroller, distance), default: true) { $0.scroller(scroller, mayScroll: distance) }
    }
  }

  /// A delegate that records its calls.
  final class Controller: ScrollerDelegate {
    private(set) var distances: [Int] = []
    var answer = true
    var whileCalled: () -> Void = {}
    func scroller(_ scroller: Scroller, didScroll distance: Int) {
      distances.append(distance)
      whileCalled()
    }
    func scroller(_ scroller: Scroller, mayScroll distance: Int) -> Bool { answer }
  }

  @Test func `the order of forwarding and observing makes no difference`() {
    for forwardsFirst in [true, false] {
      let (scroller, controller) = (Scroller(), Controller())
      let proxy = scroller.proxy(for: \.delegate, as: ScrollerProxy.self)
      if forwardsFirst { proxy.forwardTo = controller }
      let observed = proxy.didScroll.stream.map { $0.1 }.record()
      if !forwardsFirst { proxy.forwardTo = controller }
      let late = scroller.proxy(for: \.delegate, as: ScrollerProxy.self).didScroll.stream.map { $0.1 }.record()
      scroller.scroll(5)
      #expect(observed.elements == [5] && late.elements == [5] && controller.distances == [5])
      #expect(scroller.proxy(for: \.delegate, as: ScrollerProxy.self) === proxy, "the proxy is shared")
    }
  }

  @Test func `a handler and a forwardee of one proxy both receive a call without a result`() throws {
    let (scroller, controller) = (Scroller(), Controller())
    let proxy = ScrollerProxy.install(on: scroller, at: \.delegate)
    proxy.forwardTo = controller
    var handled: [Int] = []
    try proxy.didScroll.answer { handled.append($1) }
    scroller.scroll(1)
    #expect(handled == [1] && controller.distances == [1])
  }

  @Test func `the forwardee can be removed, also while it is called`() {
    let (scroller, controller) = (Scroller(), Controller())
    let proxy = ScrollerProxy.install(on: scroller, at: \.delegate)
    let observed = proxy.didScroll.stream.map { $0.1 }.record()
    proxy.forwardTo = controller
    controller.whileCalled = { [weak proxy] in proxy?.forwardTo = nil }
    scroller.scroll(1)
    scroller.scroll(2)
    #expect(controller.distances == [1] && observed.elements == [1, 2] && proxy.allForwardees.isEmpty)
    #expect(scroller.mayScroll(1), "nothing answers, so the default does")
  }

  @Test func `a forwardee that has been deallocated is not called`() {
    let scroller = Scroller()
    var controller: Controller? = Controller()
    controller?.answer = false
    scroller.delegate = controller
    let proxy = ScrollerProxy.install(on: scroller, at: \.delegate)
    #expect(!scroller.mayScroll(1))
    weak let gone = controller
    controller = nil
    #expect(gone == nil, "the proxy does not retain it")
    scroller.scroll(1)
    #expect(scroller.mayScroll(1) && scroller.delegate === proxy)
  }

  @Test func `a forwardee that releases its last reference inside the call survives the call`() {
    final class Owner {
      var controller: Controller? = Controller()
    }
    let (scroller, owner) = (Scroller(), Owner())
    let proxy = ScrollerProxy.install(on: scroller, at: \.delegate)
    proxy.forwardTo = owner.controller
    let observed = proxy.didScroll.stream.map { $0.1 }.record()
    weak let gone = owner.controller
    owner.controller?.whileCalled = { [unowned owner] in owner.controller = nil }
    scroller.scroll(3)
    scroller.scroll(4)
    #expect(gone == nil && observed.elements == [3, 4])
  }

  @Test func `owner, proxy, forwardee, and observers form no cycle`() {
    weak var scroller: Scroller?
    weak var proxy: ScrollerProxy?
    weak var controller: Controller?
    var events: [String] = []
    do {
      let (newScroller, newController) = (Scroller(), Controller())
      newScroller.delegate = newController
      let newProxy = newScroller.proxy(for: \.delegate, as: ScrollerProxy.self)
      // The subscription is not disposed: the source ends it.
      _ = newProxy.didScroll.stream.observe { [weak newController] event in
        events.append(event.isCompletion ? "|" : "\(newController?.distances.count ?? 0)")
      }
      (scroller, proxy, controller) = (newScroller, newProxy, newController)
      newScroller.scroll(1)
    }
    #expect(scroller == nil && proxy == nil && controller == nil && events == ["1", "|"])
  }

  @Test func `the streams complete when a proxy that the owner alone retains ends with the owner`() {
    var scroller: Scroller? = Scroller()
    let recorder = scroller?.proxy(for: \.delegate, as: ScrollerProxy.self).didScroll.stream.map { $0.1 }.record()
    scroller?.scroll(1)
    scroller = nil
    #expect(recorder.map { marks($0) } == "1 |")
    // A proxy that the program retains does not end with the owner: it may be installed again.
    let proxy = ScrollerProxy()
    let retained = proxy.didScroll.stream.map { $0.1 }.record()
    var first: Scroller? = Scroller()
    first.map { proxy.install(on: $0, at: \.delegate) }
    first?.scroll(1)
    first = nil
    let second = Scroller()
    proxy.install(on: second, at: \.delegate)
    second.scroll(2)
    #expect(marks(retained) == "1 2")
    proxy.dispose()
    #expect(marks(retained) == "1 2 |")
  }

  @Test func `all arguments arrive, the answer of the delegate is returned, and the observer runs before it`() {
    let (scroller, controller) = (Scroller(), Controller())
    scroller.delegate = controller
    controller.answer = false
    let proxy = ScrollerProxy.install(on: scroller, at: \.delegate)
    var log: [String] = []
    let bag = DisposeBag()
    proxy.mayScroll.willInvoke.observeNext { log.append("will \($0 === scroller) \($1)") }.dispose(in: bag)
    proxy.mayScroll.results.observeNext { log.append("did \($1) \($2)") }.dispose(in: bag)
    #expect(!scroller.mayScroll(9))
    #expect(log == ["will true 9", "did 9 false"])
    bag.dispose()
  }

  @Test func `a method that no delegate implements can be observed`() {
    let scroller = Scroller()
    let proxy = ScrollerProxy.install(on: scroller, at: \.delegate)
    #expect(!proxy.didScroll.isImplemented)
    let recorder = proxy.didScroll.stream.map { $0.1 }.record()
    #expect(proxy.didScroll.isImplemented)
    scroller.scroll(1)
    #expect(recorder.elements == [1])
  }

  @Test func `two owners with proxies of one type do not receive each other's calls`() {
    let (one, other) = (Scroller(), Scroller())
    let recorders = [one, other].map {
      $0.proxy(for: \.delegate, as: ScrollerProxy.self).didScroll.stream.map { $0.1 }.record()
    }
    one.scroll(1)
    other.scroll(2)
    #expect(recorders.map { marks($0) } == ["1", "2"])
  }

  @Test func `a delegate that the program sets over the proxy is kept, and becomes the forwardee at the next access`() {
    let (scroller, controller) = (Scroller(), Controller())
    let recorder = scroller.proxy(for: \.delegate, as: ScrollerProxy.self).didScroll.stream.map { $0.1 }.record()
    scroller.delegate = controller
    scroller.scroll(1)
    #expect(recorder.elements.isEmpty && controller.distances == [1], "only the new delegate is called")
    _ = scroller.proxy(for: \.delegate, as: ScrollerProxy.self)
    scroller.scroll(2)
    #expect(recorder.elements == [2] && controller.distances == [1, 2])
    scroller.delegate = nil
    _ = scroller.proxy(for: \.delegate, as: ScrollerProxy.self)
    scroller.scroll(3)
    #expect(recorder.elements == [2, 3])
  }

  @Test func `a decorator around the delegate, and one around the forwardee, both work`() {
    final class Decorator: ScrollerDelegate {
      let target: any ScrollerDelegate
      init(_ target: any ScrollerDelegate) { self.target = target }
      func scroller(_ scroller: Scroller, didScroll distance: Int) {
        target.scroller(scroller, didScroll: distance * 10)
      }
      func scroller(_ scroller: Scroller, mayScroll distance: Int) -> Bool {
        target.scroller(scroller, mayScroll: distance)
      }
    }
    let (scroller, controller) = (Scroller(), Controller())
    let decorator = Decorator(controller)
    scroller.delegate = decorator
    let proxy = ScrollerProxy.install(on: scroller, at: \.delegate)
    let observed = proxy.didScroll.stream.map { $0.1 }.record()
    scroller.scroll(1)
    #expect(observed.elements == [1] && controller.distances == [10])
    // A decorator of the proxy itself works if the program sets it, as long as no registry installs the proxy again.
    let outer = Decorator(proxy)
    scroller.delegate = outer
    scroller.scroll(2)
    #expect(observed.elements == [1, 20] && controller.distances == [10, 200])
  }

  @Test func `a proxy that displaces another one restores it, in whatever order they end`() {
    for endsFirst in [0, 1] {
      let (scroller, controller) = (Scroller(), Controller())
      scroller.delegate = controller
      let proxies = [0, 1].map { _ in ScrollerProxy.install(on: scroller, at: \.delegate) }
      let recorders = proxies.map { $0.didScroll.stream.map { $0.1 }.record() }
      scroller.scroll(1)
      proxies[endsFirst].dispose()
      scroller.scroll(2)
      proxies[1 - endsFirst].dispose()
      scroller.scroll(3)
      #expect(controller.distances == [1, 2, 3] && scroller.delegate === controller)
      #expect(marks(recorders[endsFirst]) == "1 |" && marks(recorders[1 - endsFirst]) == "1 2 |")
    }
  }

  @Test(arguments: 0..<3)
  func `a proxy that is disposed inside a call still forwards it, and its streams complete once`(place: Int) {
    let (scroller, controller) = (Scroller(), Controller())
    scroller.delegate = controller
    let proxy = ScrollerProxy.install(on: scroller, at: \.delegate)
    let bag = DisposeBag()
    var log: [String] = []
    let streams = [proxy.didScroll.willInvoke, proxy.didScroll.didInvoke]
    for (index, stream) in streams.enumerated() {
      stream.observe { event in
        log.append(event.isCompletion ? "\(index) |" : "\(index)")
        if event.element != nil, index == place { proxy.dispose() }
      }.dispose(in: bag)
    }
    controller.whileCalled = { if place == 2 { proxy.dispose() } }
    scroller.scroll(1)
    scroller.scroll(2)
    #expect(controller.distances == [1, 2] && scroller.delegate === controller)
    #expect(log.filter { $0.hasSuffix("|") }.sorted() == ["0 |", "1 |"])
    #expect(log.filter { $0 == "0" }.count == 1 && log.filter { $0 == "1" }.count == (place == 1 ? 1 : 0))
    controller.whileCalled = {}
    bag.dispose()
  }
}
