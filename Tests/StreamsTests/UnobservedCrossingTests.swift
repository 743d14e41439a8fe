import Streams
import StreamsTesting
import TestSupport
import Testing

@Suite("Crossings that nobody observes", .noLiveResources)
struct UnobservedCrossingTests {
  /// Carries a subscription out of the closure.
  private final class Kept: @unchecked Sendable {
    // Sendable, because both domains are on one thread.
    var subscription: Subscription?
  }

  @Test(arguments: 0..<3)
  func `it is reported, once, if nothing is observed or a bag of its own ends with the closure`(_ kind: Int)
    async throws
  {
    let reports = try await onOwnThread {
      let (near, far) = (ThreadMailbox(), ThreadMailbox())
      let source = PushStream<Int>()
      let kept = Kept()
      defer {
        near.discard()
        far.discard()
      }
      return captureDiagnostics {
        near.at {
          let crossing = source.observe(on: far) { stream, _ in
            switch kind {
            case 0: break
            case 1:
              let own = DisposeBag()
              stream.observeNext { _ in }.dispose(in: own)
            default: kept.subscription = stream.observeNext { _ in }
            }
          }
          far.at { far.run() }
          for number in 0..<3 {
            source.next(number)
            far.at { far.run() }
          }
          crossing.dispose()
          far.at {
            kept.subscription?.dispose()
            far.run()
          }
          near.run()
        }
      }
    }
    #expect(reports.count == (kind == 2 ? 0 : 1), "\(reports)")
    if kind < 2 { #expect(reports.first?.contains("put the subscription into the bag") == true) }
  }
}
