import Foundation
import Streams
import StreamsTesting

/// More than the stack holds: its 8 MB would leave 40 bytes for all frames of one repetition. Under a sanitizer, where each
/// takes longer, the frames are larger, so the stack would overflow just as surely.
let repetitions = ProcessInfo.processInfo.environment["HEADWATER_SANITIZER"] == nil ? 200_000 : 100_000

/// A cold source that a test drives by hand, and that counts starts, disposals, pauses, and resumes.
final class Probe<Failure: Error> {
  var starts = 0
  var disposals = 0
  var pauses = 0
  var resumes = 0
  var observers: [Observer<Int, Failure>] = []
  /// Sends from inside the producer, before it returns.
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

/// An object whose deallocation a test observes.
final class Canary {}
