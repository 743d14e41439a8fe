import ExpatStreams
import Streams
import StreamsTesting
import Testing

@Suite("Expat", .noLiveResources)
enum ExpatTests {}

/// Something of which a test sees when it is let go of.
final class Witness {}

/// The events of a document that is given whole, and how it ends.
func events(
  of document: String, _ options: ExpatParser.Options = ExpatParser.Options(),
  configure: @escaping (ExpatParser) -> Void = { _ in }
) -> Recorder<XMLEvent, ExpatError> {
  Stream.just(Array(document.utf8)).parseXML(options, configure: configure).joiningCharacters().record()
}

extension XMLEvent {
  /// Short words for the events of elements and texts.
  var summary: String {
    switch self {
    case .startElement(let name, _): "<\(name)>"
    case .endElement(let name): "</\(name)>"
    case .characters(let text): text
    case let other: "\(other)"
    }
  }
}
