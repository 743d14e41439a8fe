import Testing

@testable import headwatch

/// The decisions of running a command, one input after the other.
@Suite struct RunnerMachineTests {
  @Test func aChangeRunsTheCommand() {
    var machine = RunnerMachine(.restart)
    #expect(machine.changesSettled() == [.start])
    #expect(machine.ended(code: 0, isGroupAlive: false) == [])
    #expect(machine.state == .idle)
    #expect(machine.changesSettled() == [.start])
  }

  @Test func restartStopsAndWaitsBeforeItRunsAgain() {
    var machine = RunnerMachine(.restart)
    #expect(machine.begin() == [.start])
    #expect(machine.changesSettled() == [.stop])
    #expect(machine.timeout() == [.kill])
    // The leader has gone, its descendants have not.
    #expect(machine.ended(code: 143, isGroupAlive: true) == [])
    #expect(machine.state == .stopping(then: .run))
    #expect(machine.groupGone() == [.start])
  }

  @Test func changesWhileStoppingGiveOneFurtherRun() {
    var machine = RunnerMachine(.restart)
    _ = machine.begin()
    #expect(machine.changesSettled() == [.stop])
    for _ in 1...3 { #expect(machine.changesSettled() == []) }
    #expect(machine.ended(code: 143, isGroupAlive: false) == [.start])
    #expect(machine.ended(code: 0, isGroupAlive: false) == [])
    #expect(machine.state == .idle)
  }

  @Test func aRunThatIsDueWaitsForABurstToSettle() {
    var machine = RunnerMachine(.restart)
    _ = machine.begin()
    machine.changesBegan()
    #expect(machine.changesSettled() == [.stop])
    machine.changesBegan()
    #expect(machine.ended(code: 143, isGroupAlive: false) == [])
    #expect(machine.changesSettled() == [.start])
  }

  @Test func queueRunsAgainOnceAfterTheEnd() {
    var machine = RunnerMachine(.queue)
    _ = machine.begin()
    #expect(machine.changesSettled() == [])
    #expect(machine.changesSettled() == [])
    #expect(machine.ended(code: 0, isGroupAlive: false) == [.start])
    #expect(machine.ended(code: 0, isGroupAlive: false) == [])
  }

  @Test func ignoreForgetsChangesDuringARun() {
    var machine = RunnerMachine(.ignore)
    _ = machine.begin()
    #expect(machine.changesSettled() == [])
    #expect(machine.ended(code: 0, isGroupAlive: false) == [])
    #expect(machine.changesSettled() == [.start])
  }

  @Test func signalOnlySignals() {
    var machine = RunnerMachine(.signal)
    _ = machine.begin()
    #expect(machine.changesSettled() == [.signal])
    #expect(machine.changesSettled() == [.signal])
    #expect(machine.ended(code: 0, isGroupAlive: false) == [])
    #expect(machine.changesSettled() == [.start])
  }

  @Test(arguments: RunnerMachine.Policy.allCases)
  func whatACommandLeftBehindIsStoppedBeforeTheNextRun(_ policy: RunnerMachine.Policy) {
    var machine = RunnerMachine(policy)
    _ = machine.begin()
    #expect(machine.ended(code: 0, isGroupAlive: true) == [])
    #expect(machine.state == .lingering)
    #expect(machine.changesSettled() == [.stop])
    #expect(machine.groupGone() == [.start])
  }

  @Test func anInterruptStopsTheCommandAndTheSecondKillsIt() {
    var machine = RunnerMachine(.restart)
    _ = machine.begin()
    #expect(machine.interrupt(code: 130) == [.stop])
    #expect(machine.changesSettled() == [])
    #expect(machine.interrupt(code: 130) == [.kill])
    #expect(machine.ended(code: 137, isGroupAlive: false) == [.finish(130)])
    #expect(machine.interrupt(code: 130) == [])
    #expect(machine.begin() == [])
  }

  @Test func anInterruptDuringARestartEndsInsteadOfRunning() {
    var machine = RunnerMachine(.restart)
    _ = machine.begin()
    _ = machine.changesSettled()
    #expect(machine.interrupt(code: 143) == [])
    #expect(machine.ended(code: 143, isGroupAlive: false) == [.finish(143)])
  }

  @Test func anInterruptWhileIdleEndsAtOnceAndWithLeftoversAfterThem() {
    var idle = RunnerMachine(.restart)
    #expect(idle.interrupt(code: 130) == [.finish(130)])
    var lingering = RunnerMachine(.restart)
    _ = lingering.begin()
    _ = lingering.ended(code: 0, isGroupAlive: true)
    #expect(lingering.interrupt(code: 130) == [.stop])
    #expect(lingering.groupGone() == [.finish(130)])
  }

  @Test func onceEndsWithTheCodeOfTheFirstRunThatAChangeCaused() {
    var machine = RunnerMachine(.restart, once: true)
    _ = machine.begin()
    #expect(machine.ended(code: 1, isGroupAlive: false) == [])
    #expect(machine.changesSettled() == [.start])
    #expect(machine.changesSettled() == [.stop])
    #expect(machine.ended(code: 143, isGroupAlive: false) == [.start])
    #expect(machine.ended(code: 3, isGroupAlive: true) == [.stop])
    #expect(machine.groupGone() == [.finish(3)])
  }

  @Test func aCommandThatCannotBeStartedLeavesTheWatchingGoing() {
    var machine = RunnerMachine(.restart)
    _ = machine.begin()
    #expect(machine.ended(code: 127, isGroupAlive: false) == [])
    #expect(machine.changesSettled() == [.start])
    var once = RunnerMachine(.restart, once: true)
    _ = once.changesSettled()
    #expect(once.ended(code: 127, isGroupAlive: false) == [.finish(127)])
  }
}
