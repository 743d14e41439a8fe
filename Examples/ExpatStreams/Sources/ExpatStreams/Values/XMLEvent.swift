/// An event of a document: a copy of the arguments of one of expat's handlers.
public enum XMLEvent: Hashable, Sendable {
  /// The XML declaration, `<?xml …?>`. `version` is nil in the text declaration of an external entity.
  case declaration(version: String?, encoding: String?, isStandalone: Bool?)
  /// The start of an element. The attributes have the order of the document, followed by the defaulted ones.
  case startElement(String, [XMLAttribute])
  /// The end of an element.
  case endElement(String)
  /// A piece of text. Expat can divide a text into several pieces; `joiningCharacters()` joins them.
  case characters(String)
  /// A processing instruction, `<?target data?>`.
  case processingInstruction(target: String, data: String)
  /// A comment, `<!-- … -->`.
  case comment(String)
  /// The start of a CDATA section, `<![CDATA[`.
  case startCDATA
  /// The end of a CDATA section, `]]>`.
  case endCDATA
  /// A namespace declaration, before the start of its element. `prefix` is nil for the default namespace.
  case startNamespace(prefix: String?, uri: String?)
  /// The end of a namespace, after the end of its element.
  case endNamespace(prefix: String?)
  /// The start of the document type declaration, `<!DOCTYPE name …`.
  case startDoctype(String, systemID: String?, publicID: String?, hasInternalSubset: Bool)
  /// The end of the document type declaration.
  case endDoctype
  /// An element declaration, `<!ELEMENT name model>`.
  case elementDeclaration(String, model: String)
  /// The declaration of one attribute in `<!ATTLIST element name type …>`. Each attribute has its own event.
  case attributeDeclaration(element: String, String, type: String, default: String?, isRequired: Bool)
  /// An entity declaration, `<!ENTITY …>`. Unparsed entities are included.
  case entityDeclaration(XMLEntity)
  /// The declaration of an unparsed entity, `<!ENTITY … NDATA …>`, right after its `entityDeclaration`.
  case unparsedEntity(XMLEntity)
  /// A notation declaration, `<!NOTATION …>`.
  case notationDeclaration(String, systemID: String?, publicID: String?)
  /// A reference to an entity that expat does not expand.
  case skippedEntity(String, isParameter: Bool)
  /// Text for which no other handler is set, for example the white space outside the root element.
  case other(String)
  /// Text for which no other handler is set, with entity references as they are written: `&name;`.
  ///
  /// While this handler is set, expat does not expand the entities that the document declares. It reports their references
  /// here, or as `skippedEntity` if that handler is set.
  case unexpanded(String)
}

/// An attribute of an element.
public struct XMLAttribute: Hashable, Sendable {
  /// The name of the attribute.
  public var name: String
  /// The value, with entities expanded.
  public var value: String

  /// Creates an attribute.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// An entity that a document declares or refers to.
public struct XMLEntity: Hashable, Sendable {
  /// The name of the entity. In `ExpatDelegate.content(of:)`, expat's context of the reference, or an empty string for an
  /// external part of the document type.
  public var name: String
  /// True for a parameter entity, `%name;`, and for an external part of the document type.
  public var isParameter = false
  /// The value of an internal entity.
  public var value: String?
  /// The system identifier of an external entity: its location.
  public var systemID: String?
  /// The public identifier of an external entity.
  public var publicID: String?
  /// The notation of an unparsed entity.
  public var notation: String?

  /// Creates an entity.
  public init(
    _ name: String, isParameter: Bool = false, value: String? = nil, systemID: String? = nil, publicID: String? = nil,
    notation: String? = nil
  ) {
    self.name = name
    self.isParameter = isParameter
    self.value = value
    self.systemID = systemID
    self.publicID = publicID
    self.notation = notation
  }
}
