// Written by wrap-library from expat.h.
// Change the choices beside this file and run it again; what is edited here is lost.

public import CExpat

@_exported public import struct CExpat.XML_ParsingStatus

/// The XML_Status enum gives the possible return values for several API functions.
nonisolated public struct Status: RawRepresentable, Hashable, Sendable {
  /// The value in C.
  public let rawValue: XML_Status.RawValue

  /// Creates it from the value in C.
  public init(rawValue: XML_Status.RawValue) { self.rawValue = rawValue }

  /// `XML_STATUS_ERROR`.
  public static let error = Self(rawValue: XML_STATUS_ERROR.rawValue)

  /// `XML_STATUS_OK`.
  public static let ok = Self(rawValue: XML_STATUS_OK.rawValue)

  /// `XML_STATUS_SUSPENDED`.
  public static let suspended = Self(rawValue: XML_STATUS_SUSPENDED.rawValue)
}

/// The constants of `XML_Error`.
nonisolated public struct XmlError: RawRepresentable, Hashable, Sendable {
  /// The value in C.
  public let rawValue: XML_Error.RawValue

  /// Creates it from the value in C.
  public init(rawValue: XML_Error.RawValue) { self.rawValue = rawValue }

  /// `XML_ERROR_NONE`.
  public static let none = Self(rawValue: XML_ERROR_NONE.rawValue)

  /// `XML_ERROR_NO_MEMORY`.
  public static let noMemory = Self(rawValue: XML_ERROR_NO_MEMORY.rawValue)

  /// `XML_ERROR_SYNTAX`.
  public static let syntax = Self(rawValue: XML_ERROR_SYNTAX.rawValue)

  /// `XML_ERROR_NO_ELEMENTS`.
  public static let noElements = Self(rawValue: XML_ERROR_NO_ELEMENTS.rawValue)

  /// `XML_ERROR_INVALID_TOKEN`.
  public static let invalidToken = Self(rawValue: XML_ERROR_INVALID_TOKEN.rawValue)

  /// `XML_ERROR_UNCLOSED_TOKEN`.
  public static let unclosedToken = Self(rawValue: XML_ERROR_UNCLOSED_TOKEN.rawValue)

  /// `XML_ERROR_PARTIAL_CHAR`.
  public static let partialChar = Self(rawValue: XML_ERROR_PARTIAL_CHAR.rawValue)

  /// `XML_ERROR_TAG_MISMATCH`.
  public static let tagMismatch = Self(rawValue: XML_ERROR_TAG_MISMATCH.rawValue)

  /// `XML_ERROR_DUPLICATE_ATTRIBUTE`.
  public static let duplicateAttribute = Self(rawValue: XML_ERROR_DUPLICATE_ATTRIBUTE.rawValue)

  /// `XML_ERROR_JUNK_AFTER_DOC_ELEMENT`.
  public static let junkAfterDocElement = Self(rawValue: XML_ERROR_JUNK_AFTER_DOC_ELEMENT.rawValue)

  /// `XML_ERROR_PARAM_ENTITY_REF`.
  public static let paramEntityRef = Self(rawValue: XML_ERROR_PARAM_ENTITY_REF.rawValue)

  /// `XML_ERROR_UNDEFINED_ENTITY`.
  public static let undefinedEntity = Self(rawValue: XML_ERROR_UNDEFINED_ENTITY.rawValue)

  /// `XML_ERROR_RECURSIVE_ENTITY_REF`.
  public static let recursiveEntityRef = Self(rawValue: XML_ERROR_RECURSIVE_ENTITY_REF.rawValue)

  /// `XML_ERROR_ASYNC_ENTITY`.
  public static let asyncEntity = Self(rawValue: XML_ERROR_ASYNC_ENTITY.rawValue)

  /// `XML_ERROR_BAD_CHAR_REF`.
  public static let badCharRef = Self(rawValue: XML_ERROR_BAD_CHAR_REF.rawValue)

  /// `XML_ERROR_BINARY_ENTITY_REF`.
  public static let binaryEntityRef = Self(rawValue: XML_ERROR_BINARY_ENTITY_REF.rawValue)

  /// `XML_ERROR_ATTRIBUTE_EXTERNAL_ENTITY_REF`.
  public static let attributeExternalEntityRef = Self(rawValue: XML_ERROR_ATTRIBUTE_EXTERNAL_ENTITY_REF.rawValue)

  /// `XML_ERROR_MISPLACED_XML_PI`.
  public static let misplacedXmlPi = Self(rawValue: XML_ERROR_MISPLACED_XML_PI.rawValue)

  /// `XML_ERROR_UNKNOWN_ENCODING`.
  public static let unknownEncoding = Self(rawValue: XML_ERROR_UNKNOWN_ENCODING.rawValue)

  /// `XML_ERROR_INCORRECT_ENCODING`.
  public static let incorrectEncoding = Self(rawValue: XML_ERROR_INCORRECT_ENCODING.rawValue)

  /// `XML_ERROR_UNCLOSED_CDATA_SECTION`.
  public static let unclosedCdataSection = Self(rawValue: XML_ERROR_UNCLOSED_CDATA_SECTION.rawValue)

  /// `XML_ERROR_EXTERNAL_ENTITY_HANDLING`.
  public static let externalEntityHandling = Self(rawValue: XML_ERROR_EXTERNAL_ENTITY_HANDLING.rawValue)

  /// `XML_ERROR_NOT_STANDALONE`.
  public static let notStandalone = Self(rawValue: XML_ERROR_NOT_STANDALONE.rawValue)

  /// `XML_ERROR_UNEXPECTED_STATE`.
  public static let unexpectedState = Self(rawValue: XML_ERROR_UNEXPECTED_STATE.rawValue)

  /// `XML_ERROR_ENTITY_DECLARED_IN_PE`.
  public static let entityDeclaredInPe = Self(rawValue: XML_ERROR_ENTITY_DECLARED_IN_PE.rawValue)

  /// `XML_ERROR_FEATURE_REQUIRES_XML_DTD`.
  public static let featureRequiresXmlDtd = Self(rawValue: XML_ERROR_FEATURE_REQUIRES_XML_DTD.rawValue)

  /// `XML_ERROR_CANT_CHANGE_FEATURE_ONCE_PARSING`.
  public static let cantChangeFeatureOnceParsing = Self(rawValue: XML_ERROR_CANT_CHANGE_FEATURE_ONCE_PARSING.rawValue)

  /// Added in 1.95.7.
  public static let unboundPrefix = Self(rawValue: XML_ERROR_UNBOUND_PREFIX.rawValue)

  /// Added in 1.95.8.
  public static let undeclaringPrefix = Self(rawValue: XML_ERROR_UNDECLARING_PREFIX.rawValue)

  /// `XML_ERROR_INCOMPLETE_PE`.
  public static let incompletePe = Self(rawValue: XML_ERROR_INCOMPLETE_PE.rawValue)

  /// `XML_ERROR_XML_DECL`.
  public static let xmlDecl = Self(rawValue: XML_ERROR_XML_DECL.rawValue)

  /// `XML_ERROR_TEXT_DECL`.
  public static let textDecl = Self(rawValue: XML_ERROR_TEXT_DECL.rawValue)

  /// `XML_ERROR_PUBLICID`.
  public static let publicid = Self(rawValue: XML_ERROR_PUBLICID.rawValue)

  /// `XML_ERROR_SUSPENDED`.
  public static let suspended = Self(rawValue: XML_ERROR_SUSPENDED.rawValue)

  /// `XML_ERROR_NOT_SUSPENDED`.
  public static let notSuspended = Self(rawValue: XML_ERROR_NOT_SUSPENDED.rawValue)

  /// `XML_ERROR_ABORTED`.
  public static let aborted = Self(rawValue: XML_ERROR_ABORTED.rawValue)

  /// `XML_ERROR_FINISHED`.
  public static let finished = Self(rawValue: XML_ERROR_FINISHED.rawValue)

  /// `XML_ERROR_SUSPEND_PE`.
  public static let suspendPe = Self(rawValue: XML_ERROR_SUSPEND_PE.rawValue)

  /// Added in 2.0.
  public static let reservedPrefixXml = Self(rawValue: XML_ERROR_RESERVED_PREFIX_XML.rawValue)

  /// `XML_ERROR_RESERVED_PREFIX_XMLNS`.
  public static let reservedPrefixXmlns = Self(rawValue: XML_ERROR_RESERVED_PREFIX_XMLNS.rawValue)

  /// `XML_ERROR_RESERVED_NAMESPACE_URI`.
  public static let reservedNamespaceUri = Self(rawValue: XML_ERROR_RESERVED_NAMESPACE_URI.rawValue)

  /// Added in 2.2.1.
  public static let invalidArgument = Self(rawValue: XML_ERROR_INVALID_ARGUMENT.rawValue)

  /// Added in 2.3.0.
  public static let noBuffer = Self(rawValue: XML_ERROR_NO_BUFFER.rawValue)

  /// Added in 2.4.0.
  public static let amplificationLimitBreach = Self(rawValue: XML_ERROR_AMPLIFICATION_LIMIT_BREACH.rawValue)
}

/// The constants of `XML_Content_Type`.
nonisolated public struct ContentType: RawRepresentable, Hashable, Sendable {
  /// The value in C.
  public let rawValue: XML_Content_Type.RawValue

  /// Creates it from the value in C.
  public init(rawValue: XML_Content_Type.RawValue) { self.rawValue = rawValue }

  /// `XML_CTYPE_EMPTY`.
  public static let empty = Self(rawValue: XML_CTYPE_EMPTY.rawValue)

  /// `XML_CTYPE_ANY`.
  public static let any = Self(rawValue: XML_CTYPE_ANY.rawValue)

  /// `XML_CTYPE_MIXED`.
  public static let mixed = Self(rawValue: XML_CTYPE_MIXED.rawValue)

  /// `XML_CTYPE_NAME`.
  public static let name = Self(rawValue: XML_CTYPE_NAME.rawValue)

  /// `XML_CTYPE_CHOICE`.
  public static let choice = Self(rawValue: XML_CTYPE_CHOICE.rawValue)

  /// `XML_CTYPE_SEQ`.
  public static let seq = Self(rawValue: XML_CTYPE_SEQ.rawValue)
}

/// The constants of `XML_Content_Quant`.
nonisolated public struct ContentQuant: RawRepresentable, Hashable, Sendable {
  /// The value in C.
  public let rawValue: XML_Content_Quant.RawValue

  /// Creates it from the value in C.
  public init(rawValue: XML_Content_Quant.RawValue) { self.rawValue = rawValue }

  /// `XML_CQUANT_NONE`.
  public static let none = Self(rawValue: XML_CQUANT_NONE.rawValue)

  /// `XML_CQUANT_OPT`.
  public static let opt = Self(rawValue: XML_CQUANT_OPT.rawValue)

  /// `XML_CQUANT_REP`.
  public static let rep = Self(rawValue: XML_CQUANT_REP.rawValue)

  /// `XML_CQUANT_PLUS`.
  public static let plus = Self(rawValue: XML_CQUANT_PLUS.rawValue)
}

/// The constants of `XML_Parsing`.
nonisolated public struct Parsing: RawRepresentable, Hashable, Sendable {
  /// The value in C.
  public let rawValue: XML_Parsing.RawValue

  /// Creates it from the value in C.
  public init(rawValue: XML_Parsing.RawValue) { self.rawValue = rawValue }

  /// `XML_INITIALIZED`.
  public static let initialized = Self(rawValue: XML_INITIALIZED.rawValue)

  /// `XML_PARSING`.
  public static let parsing = Self(rawValue: XML_PARSING.rawValue)

  /// `XML_FINISHED`.
  public static let finished = Self(rawValue: XML_FINISHED.rawValue)

  /// `XML_SUSPENDED`.
  public static let suspended = Self(rawValue: XML_SUSPENDED.rawValue)
}

/// The constants of `XML_ParamEntityParsing`.
nonisolated public struct ParamEntityParsing: RawRepresentable, Hashable, Sendable {
  /// The value in C.
  public let rawValue: XML_ParamEntityParsing.RawValue

  /// Creates it from the value in C.
  public init(rawValue: XML_ParamEntityParsing.RawValue) { self.rawValue = rawValue }

  /// `XML_PARAM_ENTITY_PARSING_NEVER`.
  public static let never = Self(rawValue: XML_PARAM_ENTITY_PARSING_NEVER.rawValue)

  /// `XML_PARAM_ENTITY_PARSING_UNLESS_STANDALONE`.
  public static let unlessStandalone = Self(rawValue: XML_PARAM_ENTITY_PARSING_UNLESS_STANDALONE.rawValue)

  /// `XML_PARAM_ENTITY_PARSING_ALWAYS`.
  public static let always = Self(rawValue: XML_PARAM_ENTITY_PARSING_ALWAYS.rawValue)
}

/// Added in Expat 1.95.5.
nonisolated public struct FeatureEnum: RawRepresentable, Hashable, Sendable {
  /// The value in C.
  public let rawValue: XML_FeatureEnum.RawValue

  /// Creates it from the value in C.
  public init(rawValue: XML_FeatureEnum.RawValue) { self.rawValue = rawValue }

  /// `XML_FEATURE_END`.
  public static let end = Self(rawValue: XML_FEATURE_END.rawValue)

  /// `XML_FEATURE_UNICODE`.
  public static let unicode = Self(rawValue: XML_FEATURE_UNICODE.rawValue)

  /// `XML_FEATURE_UNICODE_WCHAR_T`.
  public static let unicodeWcharT = Self(rawValue: XML_FEATURE_UNICODE_WCHAR_T.rawValue)

  /// `XML_FEATURE_DTD`.
  public static let dtd = Self(rawValue: XML_FEATURE_DTD.rawValue)

  /// `XML_FEATURE_CONTEXT_BYTES`.
  public static let contextBytes = Self(rawValue: XML_FEATURE_CONTEXT_BYTES.rawValue)

  /// `XML_FEATURE_MIN_SIZE`.
  public static let minSize = Self(rawValue: XML_FEATURE_MIN_SIZE.rawValue)

  /// `XML_FEATURE_SIZEOF_XML_CHAR`.
  public static let sizeofXmlChar = Self(rawValue: XML_FEATURE_SIZEOF_XML_CHAR.rawValue)

  /// `XML_FEATURE_SIZEOF_XML_LCHAR`.
  public static let sizeofXmlLchar = Self(rawValue: XML_FEATURE_SIZEOF_XML_LCHAR.rawValue)

  /// `XML_FEATURE_NS`.
  public static let ns = Self(rawValue: XML_FEATURE_NS.rawValue)

  /// `XML_FEATURE_LARGE_SIZE`.
  public static let largeSize = Self(rawValue: XML_FEATURE_LARGE_SIZE.rawValue)

  /// `XML_FEATURE_ATTR_INFO`.
  public static let attrInfo = Self(rawValue: XML_FEATURE_ATTR_INFO.rawValue)

  /// Added in Expat 2.4.0.
  public static let billionLaughsAttackProtectionMaximumAmplificationDefault = Self(
    rawValue: XML_FEATURE_BILLION_LAUGHS_ATTACK_PROTECTION_MAXIMUM_AMPLIFICATION_DEFAULT.rawValue)

  /// `XML_FEATURE_BILLION_LAUGHS_ATTACK_PROTECTION_ACTIVATION_THRESHOLD_DEFAULT`.
  public static let billionLaughsAttackProtectionActivationThresholdDefault = Self(
    rawValue: XML_FEATURE_BILLION_LAUGHS_ATTACK_PROTECTION_ACTIVATION_THRESHOLD_DEFAULT.rawValue)
}

/// The struct `XML_ParsingStatus` of C.
public typealias ParsingStatus = XML_ParsingStatus

/// The numbers that the headers define.
nonisolated public enum ExpatConstant {
  /// `XML_MAJOR_VERSION`.
  public static let majorVersion: Int32 = 2

  /// `XML_MINOR_VERSION`.
  public static let minorVersion: Int32 = 5

  /// `XML_MICRO_VERSION`.
  public static let microVersion: Int32 = 0

  /// `XML_ENABLE_VISIBILITY`.
  public static let enableVisibility: Int32 = 0
}
