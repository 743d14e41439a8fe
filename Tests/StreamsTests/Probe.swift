import Foundation
import Streams
import StreamsTesting

/// A million, or what a sanitizer does in about the same time: its frames are larger, so that the stack would overflow
/// as surely.
let million = ProcessInfo.processInfo.environment["HEADWATER_SANITIZER"] == nil ? 1_000_000 : 100_000

/// A cold source that a test drives by hand, and that counts what is done to it.
final class Probe<Failure: Error> {
  var starts = 0
  var disposals = 0
  var pauses = 0
  var resumes = 0
  var observers: [Observer<Int, Failure>] = []
  /// What is sent from inside of the producer, before it returns.
  var atStart: (Observer<Int, Failure>) -> Void = { _ in }

  var stream: Streams.Operation<Int, Failure> {
    Operation { observer in
      self.starts += 1
      self.observers.append(observer)
      self.atStart(observer)
      return BlockDisposable(
        { self.disposals += 1 }, pause: { self.pauses += 1 }, resume: { self.resumes += 1 })
    }
  }

  func next(_ element: Int) { for observer in observers { observer.next(element) } }

  func terminate(_ termination: Termination<Failure>) { for observer in observers { observer.terminate(termination) } }
}

/// Something whose death a test watches.
final class Canary {}

/// The same numbers in each run.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
