import Delegates
import Streams
import StreamsTesting
import Testing

/// Traps are part of the interface: each message names the fix.
@Suite(.timeLimit(.minutes(15))) struct TrapTests {
  private func message(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Test func `a method with a result that nothing answers`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (downloader, proxy) = (Downloader(), DownloaderDelegateProxy())
      downloader.delegate = proxy
      _ = proxy.downloader(downloader, shouldRetry: 1)
    }
    #expect(
      message(result).contains(
        "DownloaderDelegateProxy has no handler, forwardee, or default for downloader(_:shouldRetry:)."))
    #expect(message(result).contains("set forwardTo, or give it a default"))
  }

  @Test(arguments: ["handler", "observer", "forwardee"])
  func `a delegate that is called on another thread`(_ listener: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [listener] in
      // Called on another thread on purpose: this is the programmer error that traps.
      nonisolated(unsafe) let downloader = Downloader()
      // Used only on the main thread.
      nonisolated(unsafe) var kept: [Any] = []
      await MainActor.run {
        let proxy = DownloaderDelegateProxy.install(on: downloader, at: \.delegate)
        switch listener {
        case "handler": proxy.didReceive.replaceAnswer { _, _ in print("ran") }
        case "observer": _ = proxy.didReceive.stream.observeNext { _ in print("ran") }
        default:
          let recording = Recording()
          recording.onReceive = { print("ran") }
          kept.append(recording)
          proxy.forwardTo = recording
        }
        kept.append(proxy)
      }
      try? await onOwnThread { downloader.receive(1) }
    }
    #expect(message(result).contains("DownloaderDelegateProxy.didReceive was called on a thread other than"))
  }

  private protocol Source: AnyObject {
    @concurrent func load(_ number: Int) async -> Int
  }

  private final class SourceProxy: ProtocolProxy<any Source>, Source {
    let loads = AsyncProxyMethod<Int, Int>()
    @concurrent func load(_ number: Int) async -> Int { await call(loads, number, default: 0) { await $0.load($1) } }
  }

  @Test func `a requirement that runs in the pool, whose proxy is answered on the main actor`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
      // The compiler would refuse to send the proxy to the pool.
      nonisolated(unsafe) let proxy = SourceProxy()
      #expect(await proxy.load(1) == 0)
      proxy.loads.replaceAnswer { _ in 2 }
      _ = await proxy.load(1)
    }
    #expect(message(result).contains("SourceProxy.loads was called on a thread other than"))
    #expect(message(result).contains("isolate the requirement or the protocol."))
  }

  @Test func `a proxy that forwards to itself`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let proxy = DownloaderDelegateProxy()
      proxy.forwardTo = proxy
    }
    #expect(message(result).contains("would forward to itself without end."))
  }

  @Test func `proxies that forward to each other, and one among its own forwardees`() async {
    let circle = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (first, second) = (DownloaderDelegateProxy(), DownloaderDelegateProxy())
      first.forwardTo = second
      second.forwardTo = first
    }
    #expect(message(circle).contains("would forward to itself without end."))
    let among = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (proxy, delegate) = (DownloaderDelegateProxy(), Recording())
      proxy.forwardTo = delegate
      proxy.addForwardee(proxy)
    }
    #expect(message(among).contains("would forward to itself without end."))
  }

  @Test func `a proxy that does not conform to its protocol`() async {
    final class Wrong: ProtocolProxy<any DownloaderDelegate> {}
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      final class Wrong: ProtocolProxy<any DownloaderDelegate> {}
      _ = Wrong.install(on: Downloader(), at: \.delegate)
    }
    #expect(message(result).contains("does not conform to it. Write the protocol beside the superclass"))
  }

  @Test func `a second factory for a class`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let registry = ProtocolProxyRegistry()
      registry.register(for: Owner.self) { _ in DownloaderDelegateProxy() }
      registry.register(for: Owner.self) { _ in DownloaderDelegateProxy() }
    }
    #expect(message(result).contains("Register one for each class; a subclass may have another."))
  }

  @Test func `one slot asked for as two classes`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let owner = Owner()
      _ = owner.proxy(for: \.delegate, as: DownloaderDelegateProxy.self)
      _ = owner.proxy(for: \.delegate, as: DownloaderDelegateSubproxy.self)
    }
    #expect(message(result).contains("DownloaderDelegateProxy, but was requested as a DownloaderDelegateSubproxy."))
  }

  @Test func `a structure that is to be held weakly`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      struct Plain {}
      let proxy = ProtocolProxy<Any>()
      proxy.forwardTo = Plain()
    }
    #expect(message(result).contains("held weakly as a forwardee, because it is not an object."))
  }
}
