import Streams
import StreamsTesting

// Models of operators that hold elements, written to be easy to read.

final class BufferModel: FuzzModel {
  private var held: [Int] = []

  override func next(_ number: Int, _ side: Int) {
    held.append(number)
    if held.count < 2 { return }
    let full = held
    held = []
    emit("\(full)")
  }

  override func completed(_ side: Int) {
    if !held.isEmpty { emit("\(held)") }
    finish(.completed)
  }
}

final class DebounceModel: FuzzModel {
  private var pending: (number: Int, due: Int)?
  private var hasCompleted = false

  override func next(_ number: Int, _ side: Int) { pending = (number, now + 3) }

  override func completed(_ side: Int) {
    hasCompleted = true
    emitDue()
    if !isPaused { pump(0) }
  }

  override func tick() { emitDue() }

  override func didResume() {
    emitHeld { emitDue() }
    if !isPaused { pump(0) }
  }

  private func emitDue() {
    if hasCompleted, pending == nil || !isPaused {
      let last = pending
      pending = nil
      if let last { emit(last.number) }
      finish(.completed)
    } else if let last = pending, last.due <= now, !isPaused {
      pending = nil
      emit(last.number)
    }
  }
}

final class ThrottleModel: FuzzModel {
  private var windowEnd = 0
  private var pending: Int?
  private var hasCompleted = false

  override func next(_ number: Int, _ side: Int) {
    emitDue()
    if now < windowEnd || pending != nil {
      pending = number
    } else {
      windowEnd = now + 3
      emit(number)
    }
  }

  override func completed(_ side: Int) {
    hasCompleted = true
    emitDue()
  }

  override func tick() { emitDue() }

  override func didResume() {
    emitHeld { emitDue() }
    if !isPaused { pump(0) }
  }

  private func emitDue() {
    if hasCompleted, pending == nil || !isPaused {
      let last = pending
      pending = nil
      if let last { emit(last) }
      finish(.completed)
    } else if let last = pending, now >= windowEnd, !isPaused {
      pending = nil
      windowEnd = now + 3
      emit(last)
    }
  }
}

final class SampleModel: FuzzModel {
  private var pending: Int?
  private var hasCompleted = false

  override func next(_ number: Int, _ side: Int) { pending = number }

  override func completed(_ side: Int) {
    hasCompleted = true
    complete()
  }

  override func tick() {
    if now % 3 == 0, !isPaused, let last = pending {
      pending = nil
      emit(last)
    }
  }

  override func didResume() {
    complete()
    if !isPaused { pump(0) }
  }

  private func complete() {
    if !hasCompleted || isPaused && pending != nil { return }
    let last = pending
    pending = nil
    if let last { emit(last) }
    finish(.completed)
  }
}

final class DelayModel: FuzzModel {
  private var waiting: [(number: Int, due: Int)] = []
  private var end: Int?
  private var isEmitting = false

  override func next(_ number: Int, _ side: Int) { waiting.append((number, now + 3)) }
  override func completed(_ side: Int) { end = now + 3 }
  override func tick() { emitDue() }

  override func didResume() {
    pump(0)
    emitDue()
  }

  private func emitDue() {
    if isEmitting { return }
    isEmitting = true
    while !isPaused, !isStopped, let first = waiting.first, first.due <= now {
      waiting.removeFirst()
      emit(first.number)
    }
    isEmitting = false
    if waiting.isEmpty, !isPaused, let end, end <= now { finish(.completed) }
  }
}

final class ZipModel: FuzzModel {
  private var waiting: [[Int]] = [[], []]
  private var hasCompleted = [false, false]
  private var isHeld = [false, false]

  override var hasSecondSource: Bool { true }
  override func holds(_ side: Int) -> Bool { isHeld[side] }
  override func didPause() { isHeld = [true, true] }

  override func didResume() {
    for side in 0...1 where !isPaused {
      isHeld[side] = false
      pump(side)
    }
  }

  override func next(_ number: Int, _ side: Int) {
    waiting[side].append(number)
    if !waiting[0].isEmpty, !waiting[1].isEmpty {
      emit("\(waiting[0].removeFirst())+\(waiting[1].removeFirst())")
    }
    completeIfOver()
  }

  override func completed(_ side: Int) {
    hasCompleted[side] = true
    completeIfOver()
  }

  private func completeIfOver() {
    if [0, 1].contains(where: { hasCompleted[$0] && waiting[$0].isEmpty }) { finish(.completed) }
  }
}

/// An even number is a stream of two elements. An odd number is a stream that is driven as the second source.
final class ConcatModel: FuzzModel {
  private enum Inner {
    case numbers([Int])
    case driven
  }

  private var waiting: [Int] = []
  private var inner: Inner?
  private var isStarting = false
  private var isEmitting = false
  private var hasOuterCompleted = false
  private var started = 0

  override var hasSecondSource: Bool { true }
  override func waits(_ side: Int) -> Bool { side == 0 && super.waits(side) }

  override func next(_ number: Int, _ side: Int) {
    if side == 1 {
      if case .driven = inner { emit(number) }
    } else {
      waiting.append(number)
      // If others are waiting, the call that starts them also starts this one.
      if waiting.count == 1 { advance() }
    }
  }

  override func completed(_ side: Int) {
    if side == 0 {
      hasOuterCompleted = true
    } else if case .driven = inner {
      inner = nil
    }
    advance()
  }

  override func didResume() {
    let before = started
    pump(0)
    if !isPaused, started == before { emitNumbers() }
    if !isPaused { advance() }
  }

  private func advance() {
    if isStarting { return }
    isStarting = true
    while inner == nil, !isPaused, !isStopped, !waiting.isEmpty { start(waiting.removeFirst()) }
    isStarting = false
    if hasOuterCompleted, waiting.isEmpty, inner == nil { finish(.completed) }
  }

  private func start(_ number: Int) {
    started += 1
    if number % 2 == 0 {
      inner = .numbers([number * 100, number * 100 + 1])
      emitNumbers()
    } else {
      renew(1)
      inner = .driven
    }
  }

  private func emitNumbers() {
    if isEmitting { return }
    isEmitting = true
    while !isPaused, !isStopped, case .numbers(var rest) = inner {
      if rest.isEmpty {
        inner = nil
        isEmitting = false
        advance()
        return
      }
      let first = rest.removeFirst()
      inner = .numbers(rest)
      emit(first)
    }
    isEmitting = false
  }
}

/// An even number of the second source lets elements pass, and an odd one holds them back.
final class PausableModel: FuzzModel {
  private var waiting: [Int] = []
  private var isOff = false
  private var isHeld = false
  private var isEmitting = false
  private var hasCompleted = false

  override var hasSecondSource: Bool { true }
  override func holds(_ side: Int) -> Bool { side == 0 ? isHeld : isPaused }

  override func next(_ number: Int, _ side: Int) {
    if side == 1 {
      isOff = number % 2 == 1
      update()
    } else if isHeld || isEmitting || !waiting.isEmpty {
      waiting.append(number)
    } else {
      emit(number)
    }
  }

  override func completed(_ side: Int) {
    if side == 1 {
      isOff = false
      return update()
    }
    hasCompleted = true
    emitWaiting()
  }

  override func didPause() { update() }

  override func didResume() {
    pump(1)
    update()
  }

  private func update() {
    if isOff || isPaused {
      isHeld = true
    } else if isHeld {
      isHeld = false
      pump(0)
      emitWaiting()
    }
  }

  private func emitWaiting() {
    if isEmitting { return }
    isEmitting = true
    while !isHeld, !isStopped, !waiting.isEmpty { emit(waiting.removeFirst()) }
    isEmitting = false
    if hasCompleted, waiting.isEmpty { finish(.completed) }
  }
}

final class TurnModel: FuzzModel {
  private var waiting: [Int] = []
  private var end: Termination<TestError>?
  private var jobs = 0

  override func next(_ number: Int, _ side: Int) {
    waiting.append(number)
    schedule()
  }

  override func completed(_ side: Int) {
    end = .completed
    schedule()
  }

  override func failed(_ error: TestError) {
    end = .failed(error)
    waiting = []
    schedule()
  }

  /// Only the turns that were requested before.
  override func turn() {
    for _ in 0..<jobs where !isOver { deliver() }
  }

  override func didResume() {
    pump(0)
    if !waiting.isEmpty || end != nil { schedule() }
  }

  private func schedule() { if !isPaused || end?.failure != nil { jobs = 1 } }

  private func deliver() {
    jobs = 0
    var count = waiting.count
    while count > 0, !isPaused, !isStopped, !waiting.isEmpty {
      count -= 1
      emit(waiting.removeFirst())
    }
    if !waiting.isEmpty { schedule() } else if let end, !isPaused || end.failure != nil { finish(end) }
  }
}
