import Streams
import StreamsTesting

/// The ways in which a stream has several observers.
enum FuzzSharing: CaseIterable {
  case push
  case replaySubject
  case share
  case shareReplay
  case replayLazily

  var isSubject: Bool { self == .push || self == .replaySubject }
  /// The number of elements that it replays.
  var limit: Int { self == .push || self == .share ? 0 : 2 }
}

enum FuzzHotStep {
  case send(Int)
  case complete
  case fail
  case join
  case leave(Int)
  case pause(Int)
  case resume(Int)
}

/// The behavior of a stream with several observers: one event at a time, to those that subscribed before it, in their order.
final class FuzzHotModel {
  typealias Input = Event<Int, TestError>

  final class Member {
    let id: Int
    var delivered = 0
    var isPaused = false
    var hasLeft = false
    /// True until the call in which it begins to observe returns.
    var isJoining = true

    init(_ id: Int) { self.id = id }
  }

  /// The observers of one run, and the events that late observers receive.
  private final class Run {
    var members: [Member] = []
    /// The number of observers that are receiving replayed elements.
    var joining = 0
    var queue: [Input] = []
    var memory: [Int] = []
    var end: Input?
    var isDelivering = false
    var isEnding: Bool { end != nil || queue.contains(where: \.isTermination) }
  }

  private(set) var log: [String] = []
  private let sharing: FuzzSharing
  private let sourceWaits: Bool
  private let nested: [Int: [FuzzHotStep]]
  private var members: [Member] = []
  private var run = Run()
  private var inbox: [Input] = []
  private var isSending = false
  private var isRunning: Bool
  private var hasSourceEnded = false

  init(_ sharing: FuzzSharing, _ fuzzCase: FuzzHotCase) {
    self.sharing = sharing
    sourceWaits = fuzzCase.sourceWaits && !sharing.isSubject
    nested = fuzzCase.nested
    isRunning = sharing.isSubject
  }

  func perform(_ step: FuzzHotStep) {
    switch step {
    case .send(let number): arrive(.next(number))
    case .complete: arrive(.completed)
    case .fail: arrive(.failed("end"))
    case .join: join()
    case .leave(let index): if let member = member(index) { leave(member) }
    case .pause(let index): if let member = member(index) { setPaused(member, true) }
    case .resume(let index): if let member = member(index) { setPaused(member, false) }
    }
  }

  private func member(_ index: Int) -> Member? {
    if members.isEmpty { return nil }
    let member = members[index % members.count]
    return member.isJoining || member.hasLeft ? nil : member
  }

  // MARK: The source

  private func arrive(_ event: Input) {
    if !isRunning || hasSourceEnded { return }
    hasSourceEnded = event.isTermination
    inbox.append(event)
    pump()
  }

  /// True if there are observers, and all of them pause.
  private var isHeld: Bool {
    sourceWaits && run.joining == 0 && !run.members.isEmpty && run.members.allSatisfy(\.isPaused)
  }

  private func pump() {
    if isSending { return }
    isSending = true
    while isRunning, !isHeld, !inbox.isEmpty {
      let event = inbox.removeFirst()
      let run = run
      if event.isTermination, !sharing.isSubject {
        isRunning = false
        if sharing == .share || event.isFailure { self.run = Run() }
      }
      run.queue.append(event)
      deliver(run)
    }
    isSending = false
  }

  // MARK: Observers

  private func deliver(_ run: Run) {
    if run.isDelivering { return }
    run.isDelivering = true
    while run.end == nil, !run.queue.isEmpty {
      let event = run.queue.removeFirst()
      if case .next(let number) = event {
        run.memory = Array((run.memory + [number]).suffix(sharing.limit))
      } else {
        run.end = event
        run.isDelivering = false
      }
      let receivers = run.members
      if event.isTermination { run.members = [] }
      for member in receivers where !member.hasLeft { pass(event, to: member) }
    }
    run.isDelivering = false
  }

  private func pass(_ event: Input, to member: Member) {
    switch event {
    case .next(let number):
      log.append("\(member.id):\(number)")
      member.delivered += 1
      for step in nested[member.id * 8 + member.delivered] ?? [] { perform(step) }
    case .completed, .failed:
      member.hasLeft = true
      log.append("\(member.id):\(event.isFailure ? "#" : "|")")
    }
  }

  private func join() {
    let member = Member(members.count)
    members.append(member)
    let run = run
    let isNested = run.isDelivering
    run.isDelivering = true
    run.joining += 1
    // Added before the replay, because an observer that joins inside these deliveries comes after this one.
    if run.end == nil { run.members.append(member) }
    for number in run.memory { pass(.next(number), to: member) }
    run.joining -= 1
    if let end = run.end { pass(end, to: member) }
    run.isDelivering = isNested
    deliver(run)
    pump()
    if !isRunning, !sharing.isSubject, !run.isEnding, run === self.run, !member.hasLeft {
      isRunning = true
      hasSourceEnded = false
      inbox = []
      isSending = false
    }
    member.isJoining = false
  }

  private func leave(_ member: Member) {
    member.hasLeft = true
    run.members.removeAll { $0 === member }
    if run.members.isEmpty, run.joining == 0, sharing == .share || sharing == .shareReplay, !run.isEnding {
      isRunning = false
      run = Run()
    } else {
      pump()
    }
  }

  private func setPaused(_ member: Member, _ isPaused: Bool) {
    member.isPaused = isPaused
    if !isPaused { pump() }
  }
}
