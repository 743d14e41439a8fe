/// Something that expat has found in a document: what its handlers get, copied.
public enum XMLEvent: Hashable, Sendable {
  /// `<?xml …?>`; a text declaration of an external entity has no version.
  case declaration(version: String?, encoding: String?, isStandalone: Bool?)
  /// The start of an element, with its attributes in the order of the document and the defaults after them.
  case startElement(String, [XMLAttribute])
  /// The end of an element.
  case endElement(String)
  /// A piece of text. A text may come in several; `joiningCharacters()` joins them.
  case characters(String)
  /// `<?target data?>`
  case processingInstruction(target: String, data: String)
  /// `<!-- … -->`
  case comment(String)
  /// `<![CDATA[`
  case startCDATA
  /// `]]>`
  case endCDATA
  /// The first declaration of a namespace for an element that follows; no prefix for the default one.
  case startNamespace(prefix: String?, uri: String?)
  /// The end of a namespace, after its element.
  case endNamespace(prefix: String?)
  /// `<!DOCTYPE name …`
  case startDoctype(String, systemID: String?, publicID: String?, hasInternalSubset: Bool)
  /// `>` of the document type.
  case endDoctype
  /// `<!ELEMENT name model>`
  case elementDeclaration(String, model: String)
  /// `<!ATTLIST element name type …>`, one for each attribute.
  case attributeDeclaration(element: String, String, type: String, default: String?, isRequired: Bool)
  /// `<!ENTITY …>`
  case entityDeclaration(XMLEntity)
  /// `<!ENTITY … NDATA …>`, right after the `entityDeclaration` for it.
  case unparsedEntity(XMLEntity)
  /// `<!NOTATION …>`
  case notationDeclaration(String, systemID: String?, publicID: String?)
  /// A reference to an entity that is not read.
  case skippedEntity(String, isParameter: Bool)
  /// Any other text of the document, such as the blanks outside of its element: all for which nobody wants an event.
  case other(String)
  /// The same where somebody wants entities as they are written, `&name;`: expat expands none then that the document
  /// declares, and tells them here, or as `skippedEntity` where somebody wants those.
  case unexpanded(String)
}

/// An attribute of an element.
public struct XMLAttribute: Hashable, Sendable {
  /// Its name.
  public var name: String
  /// Its value, with entities replaced.
  public var value: String

  /// Makes one.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// An entity that a document declares or refers to.
public struct XMLEntity: Hashable, Sendable {
  /// Its name; of an entity that is referred to, expat's own words for where that is.
  public var name: String
  /// True for `%name;`, which is for document types.
  public var isParameter = false
  /// The text of an internal entity.
  public var value: String?
  /// Where an external entity is.
  public var systemID: String?
  /// The public name of an external entity.
  public var publicID: String?
  /// The notation of an entity that is not XML.
  public var notation: String?

  /// Makes one.
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
