#if canImport(Glibc)
import Properties
import Schedules
import Streams
import Testing

@testable import Delegates

private protocol MeterDelegate: AnyObject, Sendable {
  func meter(didRead value: Int)
  func meter(scaleOf value: Int) -> Int
}

private final class MeterDelegateProxy: SendableProxy, MeterDelegate {
  let forwarding = Forwarding<any MeterDelegate>()

  let didRead = SendableProxyMethod<Void, Int>()
  func meter(didRead value: Int) { call(didRead, value) { $0.meter(didRead: value) } }

  let scale = SendableProxyMethod<Int, Int>()
  func meter(scaleOf value: Int) -> Int { call(scale, value, default: 0) { $0.meter(scaleOf: value) } }
}

/// The slots and forwardees of a delegate that is called on any thread.
@Suite(.serialized) struct ProxyScheduleTests {
  /// What the observers, handlers, and forwardees have received.
  private final class Log: @unchecked Sendable {
    // Sendable: only the thread that has the turn uses it.
    var elements: [Int] = []
    var ends = 0
    var calls: [Int] = []
    var answers: [Int] = []
    /// The calls that began after the receiver had been removed.
    var late = 0
    var isOver = false
    var releases = 0
    /// The factor that answers, as far as its home has set it; 0 after the handler was disposed.
    var factor = 1
    var set: ((Int) -> Void)?
    var dispose: (() -> Void)?
  }

  private final class Receiver: MeterDelegate {
    private let log: Log

    init(_ log: Log) { self.log = log }

    func meter(didRead value: Int) { log.calls.append(value) }

    func meter(scaleOf value: Int) -> Int { value * 2 }

    deinit { log.releases += 1 }
  }

  @Test func `a proxy that two threads call and release completes its stream at home, once, after all calls`()
    async throws
  {
    try await expectNothingFound { schedule in
      let log = Log()
      var proxy: MeterDelegateProxy? = MeterDelegateProxy()
      var proxies = [proxy, proxy]
      _ = ScheduledHome("home", in: schedule) {
        [stream = proxy?.didRead.stream(capacity: 8, whenFull: .dropOldest)] home in
        _ = stream?.observe(
          next: {
            if home.isCurrent != true || log.ends > 0 { log.late += 1 }
            log.elements.append($0)
          }, termination: { _ in log.ends += 1 })
        log.isOver = true
        Schedule.access(log)
      }
      proxy = nil
      for number in [0, 1] {
        schedule.thread("caller \(number)") {
          let proxy = proxies[number].take()
          // The stream has its observer.
          if log.isOver { log.calls.append(number) }
          proxy?.meter(didRead: number)
        }
      }
      schedule.run()
      schedule.expect(
        [[], [0], [1], [0, 1]].contains(log.elements.sorted()) && log.calls.allSatisfy(log.elements.contains)
          && log.ends == 1 && log.late == 0,
        "\(log.elements) came, \(log.calls) were sent to an observer, \(log.ends) ends, \(log.late) late.")
    }
  }

  @Test func `no call that begins after a forwardee was removed reaches it, and it is released once`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let proxy = MeterDelegateProxy()
      let removal = { proxy.addForwardee(Receiver(log), retaining: true) }()
      for number in [1, 2] {
        schedule.thread("caller \(number)") {
          let wasOver = log.isOver
          let answer = proxy.meter(scaleOf: number)
          if wasOver, answer != 0 { log.late += 1 }
          log.answers.append(answer)
        }
      }
      schedule.thread("remover") {
        removal.dispose()
        log.isOver = true
        Schedule.access(log)
      }
      schedule.run()
      schedule.expect(
        log.late == 0 && log.releases == 1 && log.answers.allSatisfy { [0, 2, 4].contains($0) },
        "\(log.answers) were answered, \(log.late) late, \(log.releases) releases.")
    }
  }

  @Test func `forwardees that two threads add while a third removes another are both there`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let proxy = MeterDelegateProxy()
      let removal = { proxy.addForwardee(Receiver(log), retaining: true) }()
      for number in [1, 2] { schedule.thread("adder \(number)") { proxy.addForwardee(Receiver(log), retaining: true) } }
      schedule.thread("remover") { removal.dispose() }
      schedule.run()
      proxy.meter(didRead: 1)
      schedule.expect(
        log.calls.count == 2 && log.releases == 1,
        "\(log.calls.count) receive calls, and \(log.releases) were released.")
    }
  }

  @Test func `a handler that is disposed while another thread replaces it leaves the new one alone`() async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let proxy = MeterDelegateProxy()
      let first = proxy.scale.replaceAnswer { [receiver = Receiver(log)] in receiver.meter(scaleOf: $0) }
      schedule.thread("disposer") {
        first.dispose()
        log.isOver = true
        Schedule.access(log)
      }
      schedule.thread("replacer") { proxy.scale.replaceAnswer { $0 * 3 } }
      schedule.thread("caller") {
        let wasOver = log.isOver
        log.answers.append(proxy.meter(scaleOf: 1))
        if wasOver, log.answers == [2] { log.late += 1 }
      }
      schedule.run()
      schedule.expect(
        proxy.meter(scaleOf: 1) == 3 && log.late == 0 && log.releases == 1 && [[0], [2], [3]].contains(log.answers),
        "\(log.answers) was answered, then \(proxy.meter(scaleOf: 1)), and \(log.releases) handlers were released.")
    }
  }

  @Test func `a property answers each caller with its values in order, and not after the handler was disposed`()
    async throws
  {
    try await expectNothingFound { schedule in
      let log = Log()
      let proxy = MeterDelegateProxy()
      let home = ScheduledHome("home", in: schedule) { _ in
        for factor in [2, 0] {
          if factor == 0 { log.dispose?() } else { log.set?(factor) }
          log.factor = factor
          Schedule.access(log)
        }
        (log.set, log.dispose) = (nil, nil)
      }
      home.whenPrepared = {
        let factor = Property(1)
        let handler = try? proxy.scale.feed(factor, isolation: nil) { $0 * $1 }
        log.set = { factor.value = $0 }
        log.dispose = { handler?.dispose() }
      }
      let order = [1, 2, 0]
      for name in ["one", "two"] {
        schedule.thread(name) {
          var last = 0
          for _ in 1...2 {
            let least = max(last, order.firstIndex(of: log.factor) ?? 3)
            let answer = proxy.meter(scaleOf: 1)
            last = order.firstIndex(of: answer) ?? -1
            if last < least { log.late += 1 }
            log.answers.append(answer)
          }
        }
      }
      schedule.run()
      schedule.expect(
        log.answers.count == 4 && log.late == 0, "\(log.answers) were answered, \(log.late) of them too late.")
    }
  }
}
#endif
