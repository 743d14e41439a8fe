import ExpatStreams
import Streams
import StreamsTesting
import Testing

@Suite("Expat", .noLiveResources)
enum ExpatTests {}

/// An object whose deallocation a test can observe.
final class Witness {}

/// Parses a whole document, and records its events and its end.
func events(
  of document: String, _ options: ExpatParser.Options = ExpatParser.Options(),
  configure: @escaping (ExpatParser) -> Void = { _ in }
) -> Recorder<XMLEvent, ExpatError> {
  Stream.just(Array(document.utf8)).parseXML(options, configure: configure).joiningCharacters().record()
}

extension XMLEvent {
  /// A short description of the events of elements and texts.
  var summary: String {
    switch self {
    case .startElement(let name, _): "<\(name)>"
    case .endElement(let name): "</\(name)>"
    case .characters(let text): text
    case let other: "\(other)"
    }
  }
}
