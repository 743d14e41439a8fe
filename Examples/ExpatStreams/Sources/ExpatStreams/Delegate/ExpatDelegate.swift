/// The delegate of an `ExpatParser`. It receives the events of the document, and answers the handlers that return a result.
///
/// Every method has a default implementation, which does nothing or returns expat's default.
///
/// The parser calls the delegate inside expat, on the thread that parses. The delegate can pause, resume, and free the
/// parser, and pass it more bytes.
public protocol ExpatDelegate: AnyObject {
  /// The handlers of expat that this delegate needs. The default is `standard`.
  ///
  /// The parser reads this property when you set the delegate, and each time that it updates its handlers. The delegate also
  /// receives the calls of other handlers while an observer needs them.
  var handlers: ExpatHandlers { get }

  /// Receives the XML declaration. `version` is nil in the text declaration of an external entity.
  func didReadDeclaration(version: String?, encoding: String?, isStandalone: Bool?)
  /// Receives the start of an element. Attributes have the order of the document, followed by the defaulted ones.
  func didStartElement(_ name: String, attributes: [XMLAttribute])
  /// Receives the end of an element.
  func didEndElement(_ name: String)
  /// Receives a piece of text. Expat can divide a text into several pieces.
  func didReadCharacters(_ text: String)
  /// Receives a processing instruction, `<?target data?>`.
  func didReadProcessingInstruction(target: String, data: String)
  /// Receives the text of a comment.
  func didReadComment(_ text: String)
  /// Receives the start of a CDATA section, `<![CDATA[`.
  func didStartCDATA()
  /// Receives the end of a CDATA section, `]]>`.
  func didEndCDATA()
  /// Receives a namespace declaration, before its element starts. `prefix` is nil for the default namespace.
  func didStartNamespace(prefix: String?, uri: String?)
  /// Receives the end of a namespace, after its element has ended.
  func didEndNamespace(prefix: String?)
  /// Receives the start of the document type declaration, `<!DOCTYPE name …`.
  func didStartDoctype(_ name: String, systemID: String?, publicID: String?, hasInternalSubset: Bool)
  /// Receives the end of the document type declaration.
  func didEndDoctype()
  /// Receives an element declaration, with its content model as text.
  func didDeclareElement(_ name: String, model: String)
  /// Receives the declaration of one attribute. Each attribute of an `<!ATTLIST …>` has its own call.
  func didDeclareAttribute(of element: String, _ name: String, type: String, default: String?, isRequired: Bool)
  /// Receives an entity declaration. Unparsed entities are included.
  func didDeclareEntity(_ entity: XMLEntity)
  /// Receives the declaration of an unparsed entity, right after `didDeclareEntity` for it.
  func didDeclareUnparsedEntity(_ entity: XMLEntity)
  /// Receives a notation declaration.
  func didDeclareNotation(_ name: String, systemID: String?, publicID: String?)
  /// Receives a reference to an entity that expat does not expand.
  func didSkipEntity(_ name: String, isParameter: Bool)
  /// Receives the text for which no other handler is set.
  func didReadOther(_ text: String)
  /// Receives the text for which no other handler is set, with entity references as they are written.
  func didReadUnexpanded(_ text: String)

  /// Returns whether to parse a document that refers to external declarations without `standalone="yes"`. If it returns
  /// false, parsing fails.
  func shouldAcceptNotStandalone() -> Bool
  /// Returns the bytes of an external entity, or nil to skip the entity.
  func content(of entity: XMLEntity) -> [UInt8]?
  /// Returns an encoding that expat does not know. If it returns nil, parsing fails.
  func encoding(named name: String) -> ExpatEncoding?

  /// Receives the end of the document, with the error if parsing failed. This is the last call.
  func didEnd(_ error: ExpatError?)
}

extension ExpatDelegate {
  /// All handlers that do not affect the events of other handlers: `standard`.
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
  /// Returns true: expat accepts the document.
  public func shouldAcceptNotStandalone() -> Bool { true }
  /// Returns nil: expat skips the entity.
  public func content(of entity: XMLEntity) -> [UInt8]? { nil }
  /// Returns nil: the encoding is unknown.
  public func encoding(named name: String) -> ExpatEncoding? { nil }
  /// Does nothing.
  public func didEnd(_ error: ExpatError?) {}
}
