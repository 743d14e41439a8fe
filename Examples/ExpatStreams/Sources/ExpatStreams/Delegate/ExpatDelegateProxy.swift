public import Delegates
import Streams

/// The proxy of a parser's delegate, with a slot for each handler of expat.
///
/// You can observe and answer the slots. The delegate still receives all calls.
///
/// ```swift
/// parser.proxy.startElement.stream.observeNext { name, attributes in … }.dispose(in: bag)
/// try parser.proxy.notStandalone.answer { false }
/// ```
///
/// The streams of the slots complete at the end of the document. They are hot, so pausing a subscription has no effect.
/// Pause the parser, or use `parseXML(observing:)`.
public final class ExpatDelegateProxy: ProtocolProxy<any ExpatDelegate>, ExpatDelegate {
  /// The slot of `didReadDeclaration`.
  public let declaration = ProxyMethod<Void, String?, String?, Bool?>()
  /// Calls the slot `declaration`.
  public func didReadDeclaration(version: String?, encoding: String?, isStandalone: Bool?) {
    call(declaration, (version, encoding, isStandalone)) {
      $0.didReadDeclaration(version: version, encoding: encoding, isStandalone: isStandalone)
    }
  }

  /// The slot of `didStartElement`.
  public let startElement = ProxyMethod<Void, String, [XMLAttribute]>()
  /// Calls the slot `startElement`.
  public func didStartElement(_ name: String, attributes: [XMLAttribute]) {
    call(startElement, (name, attributes)) { $0.didStartElement(name, attributes: attributes) }
  }

  /// The slot of `didEndElement`.
  public let endElement = ProxyMethod<Void, String>()
  /// Calls the slot `endElement`.
  public func didEndElement(_ name: String) { call(endElement, name) { $0.didEndElement(name) } }

  /// The slot of `didReadCharacters`.
  public let characters = ProxyMethod<Void, String>()
  /// Calls the slot `characters`.
  public func didReadCharacters(_ text: String) { call(characters, text) { $0.didReadCharacters(text) } }

  /// The slot of `didReadProcessingInstruction`.
  public let processingInstruction = ProxyMethod<Void, String, String>()
  /// Calls the slot `processingInstruction`.
  public func didReadProcessingInstruction(target: String, data: String) {
    call(processingInstruction, (target, data)) { $0.didReadProcessingInstruction(target: target, data: data) }
  }

  /// The slot of `didReadComment`.
  public let comment = ProxyMethod<Void, String>()
  /// Calls the slot `comment`.
  public func didReadComment(_ text: String) { call(comment, text) { $0.didReadComment(text) } }

  /// The slot of `didStartCDATA`.
  public let startCDATA = ProxyMethod<Void>()
  /// Calls the slot `startCDATA`.
  public func didStartCDATA() { call(startCDATA, ()) { $0.didStartCDATA() } }

  /// The slot of `didEndCDATA`.
  public let endCDATA = ProxyMethod<Void>()
  /// Calls the slot `endCDATA`.
  public func didEndCDATA() { call(endCDATA, ()) { $0.didEndCDATA() } }

  /// The slot of `didStartNamespace`.
  public let startNamespace = ProxyMethod<Void, String?, String?>()
  /// Calls the slot `startNamespace`.
  public func didStartNamespace(prefix: String?, uri: String?) {
    call(startNamespace, (prefix, uri)) { $0.didStartNamespace(prefix: prefix, uri: uri) }
  }

  /// The slot of `didEndNamespace`.
  public let endNamespace = ProxyMethod<Void, String?>()
  /// Calls the slot `endNamespace`.
  public func didEndNamespace(prefix: String?) { call(endNamespace, prefix) { $0.didEndNamespace(prefix: prefix) } }

  /// The slot of `didStartDoctype`.
  public let startDoctype = ProxyMethod<Void, String, String?, String?, Bool>()
  /// Calls the slot `startDoctype`.
  public func didStartDoctype(_ name: String, systemID: String?, publicID: String?, hasInternalSubset: Bool) {
    call(startDoctype, (name, systemID, publicID, hasInternalSubset)) {
      $0.didStartDoctype(name, systemID: systemID, publicID: publicID, hasInternalSubset: hasInternalSubset)
    }
  }

  /// The slot of `didEndDoctype`.
  public let endDoctype = ProxyMethod<Void>()
  /// Calls the slot `endDoctype`.
  public func didEndDoctype() { call(endDoctype, ()) { $0.didEndDoctype() } }

  /// The slot of `didDeclareElement`.
  public let elementDeclaration = ProxyMethod<Void, String, String>()
  /// Calls the slot `elementDeclaration`.
  public func didDeclareElement(_ name: String, model: String) {
    call(elementDeclaration, (name, model)) { $0.didDeclareElement(name, model: model) }
  }

  /// The slot of `didDeclareAttribute`.
  public let attributeDeclaration = ProxyMethod<Void, String, String, String, String?, Bool>()
  /// Calls the slot `attributeDeclaration`.
  public func didDeclareAttribute(
    of element: String, _ name: String, type: String, default value: String?, isRequired: Bool
  ) {
    call(attributeDeclaration, (element, name, type, value, isRequired)) {
      $0.didDeclareAttribute(of: element, name, type: type, default: value, isRequired: isRequired)
    }
  }

  /// The slot of `didDeclareEntity`.
  public let entityDeclaration = ProxyMethod<Void, XMLEntity>()
  /// Calls the slot `entityDeclaration`.
  public func didDeclareEntity(_ entity: XMLEntity) { call(entityDeclaration, entity) { $0.didDeclareEntity(entity) } }

  /// The slot of `didDeclareUnparsedEntity`.
  public let unparsedEntity = ProxyMethod<Void, XMLEntity>()
  /// Calls the slot `unparsedEntity`.
  public func didDeclareUnparsedEntity(_ entity: XMLEntity) {
    call(unparsedEntity, entity) { $0.didDeclareUnparsedEntity(entity) }
  }

  /// The slot of `didDeclareNotation`.
  public let notationDeclaration = ProxyMethod<Void, String, String?, String?>()
  /// Calls the slot `notationDeclaration`.
  public func didDeclareNotation(_ name: String, systemID: String?, publicID: String?) {
    call(notationDeclaration, (name, systemID, publicID)) {
      $0.didDeclareNotation(name, systemID: systemID, publicID: publicID)
    }
  }

  /// The slot of `didSkipEntity`.
  public let skippedEntity = ProxyMethod<Void, String, Bool>()
  /// Calls the slot `skippedEntity`.
  public func didSkipEntity(_ name: String, isParameter: Bool) {
    call(skippedEntity, (name, isParameter)) { $0.didSkipEntity(name, isParameter: isParameter) }
  }

  /// The slot of `didReadOther`.
  public let other = ProxyMethod<Void, String>()
  /// Calls the slot `other`.
  public func didReadOther(_ text: String) { call(other, text) { $0.didReadOther(text) } }

  /// The slot of `didReadUnexpanded`.
  public let unexpanded = ProxyMethod<Void, String>()
  /// Calls the slot `unexpanded`.
  public func didReadUnexpanded(_ text: String) { call(unexpanded, text) { $0.didReadUnexpanded(text) } }

  /// The slot of `shouldAcceptNotStandalone`.
  public let notStandalone = ProxyMethod<Bool>()
  /// Calls the slot `notStandalone`.
  public func shouldAcceptNotStandalone() -> Bool {
    call(notStandalone, (), default: true) { $0.shouldAcceptNotStandalone() }
  }

  /// The slot of `content(of:)`.
  public let externalEntity = ProxyMethod<[UInt8]?, XMLEntity>()
  /// Calls the slot `externalEntity`.
  public func content(of entity: XMLEntity) -> [UInt8]? {
    call(externalEntity, entity, default: nil) { $0.content(of: entity) }
  }

  /// The slot of `encoding(named:)`.
  public let unknownEncoding = ProxyMethod<ExpatEncoding?, String>()
  /// Calls the slot `unknownEncoding`.
  public func encoding(named name: String) -> ExpatEncoding? {
    call(unknownEncoding, name, default: nil) { $0.encoding(named: name) }
  }

  /// The slot of `didEnd`.
  public let end = ProxyMethod<Void, ExpatError?>()
  /// Calls the slot `end`.
  public func didEnd(_ error: ExpatError?) { call(end, error) { $0.didEnd(error) } }

  /// The handlers whose slots have an observer or a handler, and those that the forwardees need.
  public var handlers: ExpatHandlers {
    var wanted: ExpatHandlers = allForwardees.reduce(into: []) { $0.formUnion($1.handlers) }
    // The slots have the order of the handlers. The last slot, `end`, has no handler in expat.
    for (place, slot) in slots.dropLast().enumerated() where slot.hasHandler || slot.observerCount > 0 {
      wanted.insert(ExpatHandlers(rawValue: 1 << UInt32(place)))
    }
    return wanted
  }

  /// Emits when `handlers` may have changed, in this proxy or in a proxy to which it forwards. Emits once on subscription.
  var handlerChanges: Stream<Void> {
    implementationChanges.start(with: ()).flatMap(.latest) { [weak self] in
      let proxies = (self?.allForwardees ?? []).compactMap { $0 as? ExpatDelegateProxy }
      return Stream.merge(proxies.map(\.handlerChanges)).start(with: ())
    }
  }
}
