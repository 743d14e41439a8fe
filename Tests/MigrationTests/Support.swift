import Headwater
import StreamsTesting

/// The suites of this target run the rows of Docs/Reference/Migration.md. The name of a test is that of its row: the library,
/// and the first cell. `Tests/HeadwaterTests` checks that each row has a test.
typealias Numbers = Streams.Operation<Int, TestError>

/// The events of a stream: `1 2 |` for two elements and completion, `1 #end` for an element and a failure.
func marks<Source: StreamProtocol>(_ stream: Source) -> String { marks(stream.record()) }

/// The events that have been delivered so far.
func marks<Element, Failure>(_ recorder: Recorder<Element, Failure>) -> String {
  recorder.events.map { event in
    switch event {
    case .next(let element): "\(element)"
    case .completed: "|"
    case .failed(let error): "#\((error as? TestError)?.name ?? "\(error)")"
    }
  }.joined(separator: " ")
}

/// An object with a value to which another object may bind.
final class Label: LifetimeProviding, ReactiveCompatible {
  var text = ""
  private let token = Lifetime.Token()
  var lifetime: Lifetime { Lifetime(token) }
}
