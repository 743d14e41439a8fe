import Streams
import StreamsTesting
import TestSupport
import Testing

/// Failures that no observer handles.
@Suite("Unobserved failures", .noLiveResources) @MainActor
struct UnobservedFailureTests {
  private let push = PushOperation<Int, TestError>()

  private func reports(_ observe: (PushOperation<Int, TestError>) -> Subscription) -> [String] {
    captureDiagnostics {
      let subscription = observe(push)
      push.failed("broken")
      subscription.dispose()
    }
  }

  @Test func `a failure is reported where the observer asks for elements, or for the completion, alone`() {
    for reports in [reports { $0.observeNext { _ in } }, reports { $0.map { $0 }.observeCompleted {} }] {
      #expect(reports.count == 1 && reports[0].contains("broken") && reports[0].contains("observeFailed"))
      #expect(reports[0].contains("StreamsTests/UnobservedFailureTests.swift:\(#line - 2)"))
    }
    let atOnce = captureDiagnostics { _ = Operation<Int, TestError>.failed("at once").observeNext { _ in } }
    #expect(atOnce.count == 1)
  }

  @Test func `it is not reported where it is observed, transformed, or dropped on purpose`() {
    #expect(reports { $0.observe(next: { _ in }, termination: { _ in }) } == [])
    #expect(reports { $0.observe { _ in } } == [])
    #expect(reports { $0.observeFailed { _ in } } == [])
    #expect(reports { $0.doOn(failed: { _ in }).map { $0 }.observeNext { _ in } } == [])
    let errors = PushStream<TestError>()
    #expect(reports { $0.feedErrorInto(errors).merge(with: .never()).observeNext { _ in } } == [])
    #expect(reports { $0.toStream(logError: false).observeNext { _ in } } == [])
    #expect(reports { $0.recover(with: 1).observeNext { _ in } } == [])
  }

  @Test func `doOn without a closure for failures observes none`() {
    #expect(reports { $0.doOn(next: { _ in }).observeNext { _ in } }.count == 1)
  }

  @Test func `a failure that is observed, and then caught, does not hide the next one`() {
    let reports = captureDiagnostics {
      let failing = Operation<Int, TestError>.failed("first").doOn(failed: { _ in }).recover(with: 1)
      let subscription = failing.setFailureType(to: TestError.self).merge(with: push).observeNext { _ in }
      push.failed("second")
      subscription.dispose()
    }
    #expect(reports.count == 1 && reports[0].contains("second"))
  }

  @Test func `a cancellation, a failure after disposal, and a completion are no news`() {
    let cancelled = captureDiagnostics {
      _ = Operation<Int, any Error>.failed(CancellationError()).observeNext { _ in }
      _ = Operation<Int, TestError>.completed().observeNext { _ in }
    }
    #expect(cancelled == [])
    let disposed = captureDiagnostics {
      let subscription = push.observeNext { _ in }
      subscription.dispose()
      push.failed("late")
    }
    #expect(disposed == [])
  }
}
