/// A set of expat's handlers. Handlers outside the set are null in C, and cost nothing.
///
/// The bit of a handler is the index of its slot in `ExpatDelegateProxy.slots`.
public struct ExpatHandlers: OptionSet, Hashable, Sendable {
  /// The bits, one for each handler.
  public let rawValue: UInt32

  /// Creates a set from its bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  private init(_ place: Int) { rawValue = 1 << place }

  /// `XML_SetXmlDeclHandler`
  public static let declaration = ExpatHandlers(0)
  /// `XML_SetStartElementHandler`
  public static let startElement = ExpatHandlers(1)
  /// `XML_SetEndElementHandler`
  public static let endElement = ExpatHandlers(2)
  /// `XML_SetCharacterDataHandler`
  public static let characters = ExpatHandlers(3)
  /// `XML_SetProcessingInstructionHandler`
  public static let processingInstruction = ExpatHandlers(4)
  /// `XML_SetCommentHandler`
  public static let comment = ExpatHandlers(5)
  /// `XML_SetStartCdataSectionHandler`
  public static let startCDATA = ExpatHandlers(6)
  /// `XML_SetEndCdataSectionHandler`
  public static let endCDATA = ExpatHandlers(7)
  /// `XML_SetStartNamespaceDeclHandler`
  public static let startNamespace = ExpatHandlers(8)
  /// `XML_SetEndNamespaceDeclHandler`
  public static let endNamespace = ExpatHandlers(9)
  /// `XML_SetStartDoctypeDeclHandler`
  public static let startDoctype = ExpatHandlers(10)
  /// `XML_SetEndDoctypeDeclHandler`
  public static let endDoctype = ExpatHandlers(11)
  /// `XML_SetElementDeclHandler`
  public static let elementDeclaration = ExpatHandlers(12)
  /// `XML_SetAttlistDeclHandler`
  public static let attributeDeclaration = ExpatHandlers(13)
  /// `XML_SetEntityDeclHandler`
  public static let entityDeclaration = ExpatHandlers(14)
  /// `XML_SetUnparsedEntityDeclHandler`
  public static let unparsedEntity = ExpatHandlers(15)
  /// `XML_SetNotationDeclHandler`
  public static let notationDeclaration = ExpatHandlers(16)
  /// `XML_SetSkippedEntityHandler`
  public static let skippedEntity = ExpatHandlers(17)
  /// `XML_SetDefaultHandlerExpand`: the text for which no other handler is set.
  public static let other = ExpatHandlers(18)
  /// `XML_SetDefaultHandler`: the text for which no other handler is set, with entity references as they are written.
  ///
  /// While it is set, expat does not expand the entities that the document declares, for any observer.
  public static let unexpanded = ExpatHandlers(19)
  /// `XML_SetNotStandaloneHandler`
  public static let notStandalone = ExpatHandlers(20)
  /// `XML_SetExternalEntityRefHandler`
  public static let externalEntity = ExpatHandlers(21)
  /// `XML_SetUnknownEncodingHandler`
  public static let unknownEncoding = ExpatHandlers(22)

  static let count = 23

  /// All handlers except `unexpanded`, which affects the events of the others.
  public static let standard = ExpatHandlers(rawValue: (1 << count) - 1).subtracting(.unexpanded)
}
