import CExpat
import Expat
import Streams

/// The handlers that are set in one of expat's parsers: that of the document, or that of an external entity.
final class HandlerTable {
  private let parser: Parser
  private let core: ParserCore
  private var registrations: [UInt32: any Disposable] = [:]

  init(_ parser: Parser, _ core: ParserCore) {
    self.parser = parser
    self.core = core
  }

  /// Sets the wanted handlers in C, and null for the others. Expat permits this at any time.
  func update(_ wanted: ExpatHandlers) {
    // Expat has one default handler for both. The function that sets it determines whether entities are expanded.
    let wanted = wanted.contains(.unexpanded) ? wanted.subtracting(.other) : wanted
    for (handler, registration) in registrations where !wanted.contains(ExpatHandlers(rawValue: handler)) {
      registration.dispose()
      registrations[handler] = nil
    }
    for place in 0..<UInt32(ExpatHandlers.count) {
      let handler = ExpatHandlers(rawValue: 1 << place)
      if wanted.contains(handler), registrations[handler.rawValue] == nil {
        registrations[handler.rawValue] = register(handler)
      }
    }
  }

  /// Removes all handlers, before the parser is freed.
  func remove() { update([]) }

  private func register(_ handler: ExpatHandlers) -> any Disposable {
    switch handler {
    case .startElement:
      parser.onStartElement { [core] in core.tell(.startElement($0 ?? "", pairs($1))) }
    case .endElement: parser.onEndElement { [core] in core.tell(.endElement($0 ?? "")) }
    case .startNamespace:
      parser.onStartNamespace { [core] in core.tell(.startNamespace(prefix: $0, uri: $1)) }
    case .endNamespace: parser.onEndNamespace { [core] in core.tell(.endNamespace(prefix: $0)) }
    case .characters: parser.onCharacters { [core] in core.tell(.characters($0)) }
    case .processingInstruction:
      parser.onProcessingInstruction { [core] in
        core.tell(.processingInstruction(target: $0 ?? "", data: $1 ?? ""))
      }
    case .comment: parser.onComment { [core] in core.tell(.comment($0 ?? "")) }
    case .startCDATA: parser.onStartCDATA { [core] in core.tell(.startCDATA) }
    case .endCDATA: parser.onEndCDATA { [core] in core.tell(.endCDATA) }
    case .other: parser.onOther { [core] in core.tellOther($0) }
    case .unexpanded: parser.onUnexpanded { [core] in core.tellOther($0) }
    case .declaration:
      parser.onDeclaration { [core] version, encoding, standalone in
        let isStandalone = standalone < 0 ? nil : standalone != 0
        core.tell(.declaration(version: version, encoding: encoding, isStandalone: isStandalone))
      }
    case .startDoctype:
      parser.onStartDoctype { [core] in
        core.tell(.startDoctype($0 ?? "", systemID: $1, publicID: $2, hasInternalSubset: $3 != 0))
      }
    case .endDoctype: parser.onEndDoctype { [core] in core.tell(.endDoctype) }
    case .elementDeclaration:
      parser.onElementDeclaration { [core] name, model in
        // The handler must free the model (V3).
        let text = model.map { contentModel($0.pointee) } ?? ""
        XML_FreeContentModel(core.parser.pointer, model)
        core.tell(.elementDeclaration(name ?? "", model: text))
      }
    case .attributeDeclaration:
      parser.onAttributeDeclaration { [core] in
        core.tell(
          .attributeDeclaration(element: $0 ?? "", $1 ?? "", type: $2 ?? "", default: $3, isRequired: $4 != 0))
      }
    case .entityDeclaration:
      parser.onEntityDeclaration { [core] name, isParameter, value, _, systemID, publicID, notation in
        core.tell(
          .entityDeclaration(
            XMLEntity(
              name ?? "", isParameter: isParameter != 0, value: value, systemID: systemID, publicID: publicID,
              notation: notation)))
      }
    case .unparsedEntity:
      parser.onUnparsedEntity { [core] name, _, systemID, publicID, notation in
        let entity = XMLEntity(name ?? "", systemID: systemID, publicID: publicID, notation: notation)
        // While this handler is set, expat does not call the handler of entity declarations for unparsed entities.
        if core.handlers.contains(.entityDeclaration) { core.tell(.entityDeclaration(entity)) }
        core.tell(.unparsedEntity(entity))
      }
    case .notationDeclaration:
      parser.onNotation { [core] in core.tell(.notationDeclaration($0 ?? "", systemID: $2, publicID: $3)) }
    case .skippedEntity:
      parser.onSkippedEntity { [core] in core.tell(.skippedEntity($0 ?? "", isParameter: $1 != 0)) }
    default: registerQuestion(handler)
    }
  }

  /// Registers a handler that returns a result. Expat needs the result immediately, so these calls are not kept while the
  /// parser is paused.
  private func registerQuestion(_ handler: ExpatHandlers) -> any Disposable {
    switch handler {
    case .notStandalone: parser.onNotStandalone { [core] in status(core.proxy.shouldAcceptNotStandalone()) }
    case .unknownEncoding:
      parser.onUnknownEncoding { [core] name, info in
        guard let info, let encoding = core.proxy.encoding(named: name ?? "") else { return status(false) }
        encoding.fill(info)
        return status(true)
      }
    default:
      parser.onExternalEntity { [core, unowned parser] names, _, systemID, publicID in
        let entity = XMLEntity(names ?? "", isParameter: names == nil, systemID: systemID, publicID: publicID)
        guard !core.hasEnded, let bytes = core.proxy.content(of: entity) else { return status(true) }
        guard bytes.count <= Int32.max, let inner = try? parser.externalEntityParserCreate(names, encoding: nil)
        else {
          return status(false)
        }
        return Int32(core.parse(bytes, in: inner).rawValue)
      }
    }
  }
}
