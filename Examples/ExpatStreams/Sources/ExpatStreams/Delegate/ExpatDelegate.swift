/// Who is told what a parser finds, and asked what only it knows. All methods have a default: an empty one, or the answer
/// that expat would take by itself.
///
/// Each is called on the thread that parses. The delegate may pause, resume and free the parser, and give it more bytes.
public protocol ExpatDelegate: AnyObject {
  /// The handlers that expat gets for this delegate: asked when it becomes the delegate. The default is `standard`. It may be
  /// told of others, too, while somebody else wants them.
  var handlers: ExpatHandlers { get }

  /// See `XMLEvent.declaration`.
  func didReadDeclaration(version: String?, encoding: String?, isStandalone: Bool?)
  /// See `XMLEvent.startElement`.
  func didStartElement(_ name: String, attributes: [XMLAttribute])
  /// See `XMLEvent.endElement`.
  func didEndElement(_ name: String)
  /// See `XMLEvent.characters`.
  func didReadCharacters(_ text: String)
  /// See `XMLEvent.processingInstruction`.
  func didReadProcessingInstruction(target: String, data: String)
  /// See `XMLEvent.comment`.
  func didReadComment(_ text: String)
  /// See `XMLEvent.startCDATA`.
  func didStartCDATA()
  /// See `XMLEvent.endCDATA`.
  func didEndCDATA()
  /// See `XMLEvent.startNamespace`.
  func didStartNamespace(prefix: String?, uri: String?)
  /// See `XMLEvent.endNamespace`.
  func didEndNamespace(prefix: String?)
  /// See `XMLEvent.startDoctype`.
  func didStartDoctype(_ name: String, systemID: String?, publicID: String?, hasInternalSubset: Bool)
  /// See `XMLEvent.endDoctype`.
  func didEndDoctype()
  /// See `XMLEvent.elementDeclaration`.
  func didDeclareElement(_ name: String, model: String)
  /// See `XMLEvent.attributeDeclaration`.
  func didDeclareAttribute(of element: String, _ name: String, type: String, default: String?, isRequired: Bool)
  /// See `XMLEvent.entityDeclaration`.
  func didDeclareEntity(_ entity: XMLEntity)
  /// See `XMLEvent.unparsedEntity`.
  func didDeclareUnparsedEntity(_ entity: XMLEntity)
  /// See `XMLEvent.notationDeclaration`.
  func didDeclareNotation(_ name: String, systemID: String?, publicID: String?)
  /// See `XMLEvent.skippedEntity`.
  func didSkipEntity(_ name: String, isParameter: Bool)
  /// See `XMLEvent.other`.
  func didReadOther(_ text: String)
  /// See `XMLEvent.unexpanded`.
  func didReadUnexpanded(_ text: String)

  /// The document needs something outside of it and does not say `standalone="yes"`. False ends it with an error.
  func shouldAcceptNotStandalone() -> Bool
  /// The bytes of an external entity; nil skips it.
  func content(of entity: XMLEntity) -> [UInt8]?
  /// How to read an encoding that expat does not know; nil ends the document with an error.
  func encoding(named name: String) -> ExpatEncoding?

  /// The document has ended well, or with an error. Nothing follows.
  func didEnd(_ error: ExpatError?)
}

extension ExpatDelegate {
  /// All that do not change what others are told.
  public var handlers: ExpatHandlers { .standard }
  /// Does nothing.
  public func didReadDeclaration(version: String?, encoding: String?, isStandalone: Bool?) {}
  /// Does nothing.
  public func didStartElement(_ name: String, attributes: [XMLAttribute]) {}
  /// Does nothing.
  public func didEndElement(_ name: String) {}
  /// Does nothing.
  public func didReadCharacters(_ text: String) {}
  /// Does nothing.
  public func didReadProcessingInstruction(target: String, data: String) {}
  /// Does nothing.
  public func didReadComment(_ text: String) {}
  /// Does nothing.
  public func didStartCDATA() {}
  /// Does nothing.
  public func didEndCDATA() {}
  /// Does nothing.
  public func didStartNamespace(prefix: String?, uri: String?) {}
  /// Does nothing.
  public func didEndNamespace(prefix: String?) {}
  /// Does nothing.
  public func didStartDoctype(_ name: String, systemID: String?, publicID: String?, hasInternalSubset: Bool) {}
  /// Does nothing.
  public func didEndDoctype() {}
  /// Does nothing.
  public func didDeclareElement(_ name: String, model: String) {}
  /// Does nothing.
  public func didDeclareAttribute(
    of element: String, _ name: String, type: String, default: String?, isRequired: Bool
  ) {}
  /// Does nothing.
  public func didDeclareEntity(_ entity: XMLEntity) {}
  /// Does nothing.
  public func didDeclareUnparsedEntity(_ entity: XMLEntity) {}
  /// Does nothing.
  public func didDeclareNotation(_ name: String, systemID: String?, publicID: String?) {}
  /// Does nothing.
  public func didSkipEntity(_ name: String, isParameter: Bool) {}
  /// Does nothing.
  public func didReadOther(_ text: String) {}
  /// Does nothing.
  public func didReadUnexpanded(_ text: String) {}
  /// True.
  public func shouldAcceptNotStandalone() -> Bool { true }
  /// nil: it is skipped.
  public func content(of entity: XMLEntity) -> [UInt8]? { nil }
  /// nil: it is unknown.
  public func encoding(named name: String) -> ExpatEncoding? { nil }
  /// Does nothing.
  public func didEnd(_ error: ExpatError?) {}
}
