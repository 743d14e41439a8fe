import Testing

@testable import headwatch

/// The decisions of the state machine, one input at a time.
@Suite struct RunnerMachineTests {
  @Test func `a change runs the command`() {
    var machine = RunnerMachine(.restart)
    #expect(machine.changesSettled() == [.start])
    #expect(machine.ended(code: 0, isGroupAlive: false) == [])
    #expect(machine.state == .idle)
    #expect(machine.changesSettled() == [.start])
  }

  @Test func `restart stops and waits before it runs again`() {
    var machine = RunnerMachine(.restart)
    #expect(machine.begin() == [.start])
    #expect(machine.changesSettled() == [.stop])
    #expect(machine.timeout() == [.kill])
    // The leader has ended, but its descendants have not.
    #expect(machine.ended(code: 143, isGroupAlive: true) == [])
    #expect(machine.state == .stopping(then: .run))
    #expect(machine.groupGone() == [.start])
  }

  @Test func `changes while stopping give one further run`() {
    var machine = RunnerMachine(.restart)
    _ = machine.begin()
    #expect(machine.changesSettled() == [.stop])
    for _ in 1...3 { #expect(machine.changesSettled() == []) }
    #expect(machine.ended(code: 143, isGroupAlive: false) == [.start])
    #expect(machine.ended(code: 0, isGroupAlive: false) == [])
    #expect(machine.state == .idle)
  }

  @Test func `a run that is due waits for a burst to settle`() {
    var machine = RunnerMachine(.restart)
    _ = machine.begin()
    machine.changesBegan()
    #expect(machine.changesSettled() == [.stop])
    machine.changesBegan()
    #expect(machine.ended(code: 143, isGroupAlive: false) == [])
    #expect(machine.changesSettled() == [.start])
  }

  @Test func `queue runs again once after the end`() {
    var machine = RunnerMachine(.queue)
    _ = machine.begin()
    #expect(machine.changesSettled() == [])
    #expect(machine.changesSettled() == [])
    #expect(machine.ended(code: 0, isGroupAlive: false) == [.start])
    #expect(machine.ended(code: 0, isGroupAlive: false) == [])
  }

  @Test func `ignore forgets changes during a run`() {
    var machine = RunnerMachine(.ignore)
    _ = machine.begin()
    #expect(machine.changesSettled() == [])
    #expect(machine.ended(code: 0, isGroupAlive: false) == [])
    #expect(machine.changesSettled() == [.start])
  }

  @Test func `signal only signals`() {
    var machine = RunnerMachine(.signal)
    _ = machine.begin()
    #expect(machine.changesSettled() == [.signal])
    #expect(machine.changesSettled() == [.signal])
    #expect(machine.ended(code: 0, isGroupAlive: false) == [])
    #expect(machine.changesSettled() == [.start])
  }

  @Test(arguments: RunnerMachine.Policy.allCases)
  func `what a command left behind is stopped before the next run`(_ policy: RunnerMachine.Policy) {
    var machine = RunnerMachine(policy)
    _ = machine.begin()
    #expect(machine.ended(code: 0, isGroupAlive: true) == [])
    #expect(machine.state == .lingering)
    #expect(machine.changesSettled() == [.stop])
    #expect(machine.groupGone() == [.start])
  }

  @Test func `an interrupt stops the command and the second kills it`() {
    var machine = RunnerMachine(.restart)
    _ = machine.begin()
    #expect(machine.interrupt(code: 130) == [.stop])
    #expect(machine.changesSettled() == [])
    #expect(machine.interrupt(code: 130) == [.kill])
    #expect(machine.ended(code: 137, isGroupAlive: false) == [.finish(130)])
    #expect(machine.interrupt(code: 130) == [])
    #expect(machine.begin() == [])
  }

  @Test func `an interrupt during a restart ends instead of running`() {
    var machine = RunnerMachine(.restart)
    _ = machine.begin()
    _ = machine.changesSettled()
    #expect(machine.interrupt(code: 143) == [])
    #expect(machine.ended(code: 143, isGroupAlive: false) == [.finish(143)])
  }

  @Test func `an interrupt while idle ends at once and with leftovers after them`() {
    var idle = RunnerMachine(.restart)
    #expect(idle.interrupt(code: 130) == [.finish(130)])
    var lingering = RunnerMachine(.restart)
    _ = lingering.begin()
    _ = lingering.ended(code: 0, isGroupAlive: true)
    #expect(lingering.interrupt(code: 130) == [.stop])
    #expect(lingering.groupGone() == [.finish(130)])
  }

  @Test func `once ends with the code of the first run that a change caused`() {
    var machine = RunnerMachine(.restart, once: true)
    _ = machine.begin()
    #expect(machine.ended(code: 1, isGroupAlive: false) == [])
    #expect(machine.changesSettled() == [.start])
    #expect(machine.changesSettled() == [.stop])
    #expect(machine.ended(code: 143, isGroupAlive: false) == [.start])
    #expect(machine.ended(code: 3, isGroupAlive: true) == [.stop])
    #expect(machine.groupGone() == [.finish(3)])
  }

  @Test func `a command that cannot be started leaves the watching going`() {
    var machine = RunnerMachine(.restart)
    _ = machine.begin()
    #expect(machine.ended(code: 127, isGroupAlive: false) == [])
    #expect(machine.changesSettled() == [.start])
    var once = RunnerMachine(.restart, once: true)
    _ = once.changesSettled()
    #expect(once.ended(code: 127, isGroupAlive: false) == [.finish(127)])
  }
}
