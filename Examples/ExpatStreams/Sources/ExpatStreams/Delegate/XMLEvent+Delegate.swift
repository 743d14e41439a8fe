extension XMLEvent {
  /// Calls the delegate's method for this event.
  func tell(_ delegate: any ExpatDelegate) {
    switch self {
    case .declaration(let version, let encoding, let isStandalone):
      delegate.didReadDeclaration(version: version, encoding: encoding, isStandalone: isStandalone)
    case .startElement(let name, let attributes): delegate.didStartElement(name, attributes: attributes)
    case .endElement(let name): delegate.didEndElement(name)
    case .characters(let text): delegate.didReadCharacters(text)
    case .processingInstruction(let target, let data):
      delegate.didReadProcessingInstruction(target: target, data: data)
    case .comment(let text): delegate.didReadComment(text)
    case .startCDATA: delegate.didStartCDATA()
    case .endCDATA: delegate.didEndCDATA()
    case .startNamespace(let prefix, let uri): delegate.didStartNamespace(prefix: prefix, uri: uri)
    case .endNamespace(let prefix): delegate.didEndNamespace(prefix: prefix)
    case .startDoctype(let name, let systemID, let publicID, let hasInternalSubset):
      delegate.didStartDoctype(name, systemID: systemID, publicID: publicID, hasInternalSubset: hasInternalSubset)
    case .endDoctype: delegate.didEndDoctype()
    case .elementDeclaration(let name, let model): delegate.didDeclareElement(name, model: model)
    case .attributeDeclaration(let element, let name, let type, let value, let isRequired):
      delegate.didDeclareAttribute(of: element, name, type: type, default: value, isRequired: isRequired)
    case .entityDeclaration(let entity): delegate.didDeclareEntity(entity)
    case .unparsedEntity(let entity): delegate.didDeclareUnparsedEntity(entity)
    case .notationDeclaration(let name, let systemID, let publicID):
      delegate.didDeclareNotation(name, systemID: systemID, publicID: publicID)
    case .skippedEntity(let name, let isParameter): delegate.didSkipEntity(name, isParameter: isParameter)
    case .other(let text): delegate.didReadOther(text)
    case .unexpanded(let text): delegate.didReadUnexpanded(text)
    }
  }
}
