import CExpat
import Callbacks

private typealias Table = CallbackTable<ParserCore>

/// The functions that expat gets: one for each handler that is wanted, and null for the others.
struct HandlerTable {
  let wanted: ExpatHandlers
  /// They share one (C6).
  let context: UnsafeMutableRawPointer

  func fill(_ parser: XML_Parser) {
    setElements(parser)
    setTexts(parser)
    setDoctype(parser)
    setEntities(parser)
    setQuestions(parser)
  }

  private func setElements(_ parser: XML_Parser) {
    XML_SetStartElementHandler(
      parser,
      !wanted.contains(.startElement)
        ? nil
        : { context, name, attributes in
          Table.with(context) { $0.tell(.startElement(string(name), pairs(attributes))) }
        })
    XML_SetEndElementHandler(
      parser,
      !wanted.contains(.endElement)
        ? nil : { context, name in Table.with(context) { $0.tell(.endElement(string(name))) } })
    XML_SetStartNamespaceDeclHandler(
      parser,
      !wanted.contains(.startNamespace)
        ? nil
        : { context, prefix, uri in
          Table.with(context) { $0.tell(.startNamespace(prefix: optional(prefix), uri: optional(uri))) }
        })
    XML_SetEndNamespaceDeclHandler(
      parser,
      !wanted.contains(.endNamespace)
        ? nil : { context, prefix in Table.with(context) { $0.tell(.endNamespace(prefix: optional(prefix))) } })
  }

  private func setTexts(_ parser: XML_Parser) {
    XML_SetCharacterDataHandler(
      parser,
      !wanted.contains(.characters)
        ? nil : { context, text, count in Table.with(context) { $0.tell(.characters(string(text, count))) } })
    XML_SetProcessingInstructionHandler(
      parser,
      !wanted.contains(.processingInstruction)
        ? nil
        : { context, target, data in
          Table.with(context) { $0.tell(.processingInstruction(target: string(target), data: string(data))) }
        })
    XML_SetCommentHandler(
      parser,
      !wanted.contains(.comment) ? nil : { context, text in Table.with(context) { $0.tell(.comment(string(text))) } })
    XML_SetStartCdataSectionHandler(
      parser, !wanted.contains(.startCDATA) ? nil : { context in Table.with(context) { $0.tell(.startCDATA) } })
    XML_SetEndCdataSectionHandler(
      parser, !wanted.contains(.endCDATA) ? nil : { context in Table.with(context) { $0.tell(.endCDATA) } })
    // Expat has one place for the two; which function fills it says whether entities are expanded.
    let isWanted = !wanted.isDisjoint(with: [.other, .unexpanded])
    (wanted.contains(.unexpanded) ? XML_SetDefaultHandler : XML_SetDefaultHandlerExpand)(
      parser,
      !isWanted
        ? nil
        : { context, text, count in
          Table.with(context) { core in
            let text = string(text, count)
            if core.handlers.contains(.other) { core.tell(.other(text)) }
            if core.handlers.contains(.unexpanded) { core.tell(.unexpanded(text)) }
          }
        })
  }

  private func setDoctype(_ parser: XML_Parser) {
    XML_SetXmlDeclHandler(
      parser,
      !wanted.contains(.declaration)
        ? nil
        : { context, version, encoding, standalone in
          Table.with(context) {
            $0.tell(
              .declaration(
                version: optional(version), encoding: optional(encoding),
                isStandalone: standalone < 0 ? nil : standalone != 0))
          }
        })
    XML_SetStartDoctypeDeclHandler(
      parser,
      !wanted.contains(.startDoctype)
        ? nil
        : { context, name, systemID, publicID, hasInternalSubset in
          Table.with(context) {
            $0.tell(
              .startDoctype(
                string(name), systemID: optional(systemID), publicID: optional(publicID),
                hasInternalSubset: hasInternalSubset != 0))
          }
        })
    XML_SetEndDoctypeDeclHandler(
      parser, !wanted.contains(.endDoctype) ? nil : { context in Table.with(context) { $0.tell(.endDoctype) } })
    XML_SetElementDeclHandler(
      parser,
      !wanted.contains(.elementDeclaration)
        ? nil
        : { context, name, model in
          Table.with(context) { core in
            // The model is ours to free (V3).
            let text = model.map { contentModel($0.pointee) } ?? ""
            XML_FreeContentModel(core.parser, model)
            core.tell(.elementDeclaration(string(name), model: text))
          }
        })
    XML_SetAttlistDeclHandler(
      parser,
      !wanted.contains(.attributeDeclaration)
        ? nil
        : { context, element, name, type, value, isRequired in
          Table.with(context) {
            $0.tell(
              .attributeDeclaration(
                element: string(element), string(name), type: string(type), default: optional(value),
                isRequired: isRequired != 0))
          }
        })
  }

  private func setEntities(_ parser: XML_Parser) {
    XML_SetEntityDeclHandler(
      parser,
      !wanted.contains(.entityDeclaration)
        ? nil
        : { context, name, isParameter, value, count, _, systemID, publicID, notation in
          Table.with(context) {
            $0.tell(
              .entityDeclaration(
                XMLEntity(
                  string(name), isParameter: isParameter != 0, value: value.map { string($0, count) },
                  systemID: optional(systemID), publicID: optional(publicID), notation: optional(notation))))
          }
        })
    XML_SetUnparsedEntityDeclHandler(
      parser,
      !wanted.contains(.unparsedEntity)
        ? nil
        : { context, name, _, systemID, publicID, notation in
          Table.with(context) { core in
            let entity = XMLEntity(
              string(name), systemID: optional(systemID), publicID: optional(publicID), notation: optional(notation))
            // Where this handler is set expat does not call the one before.
            if core.handlers.contains(.entityDeclaration) { core.tell(.entityDeclaration(entity)) }
            core.tell(.unparsedEntity(entity))
          }
        })
    XML_SetNotationDeclHandler(
      parser,
      !wanted.contains(.notationDeclaration)
        ? nil
        : { context, name, _, systemID, publicID in
          Table.with(context) {
            $0.tell(.notationDeclaration(string(name), systemID: optional(systemID), publicID: optional(publicID)))
          }
        })
    XML_SetSkippedEntityHandler(
      parser,
      !wanted.contains(.skippedEntity)
        ? nil
        : { context, name, isParameter in
          Table.with(context) { $0.tell(.skippedEntity(string(name), isParameter: isParameter != 0)) }
        })
  }

  /// The handlers that want an answer. What is told meanwhile waits like everything else while the parser is paused; a
  /// question cannot.
  private func setQuestions(_ parser: XML_Parser) {
    XML_SetNotStandaloneHandler(
      parser,
      !wanted.contains(.notStandalone)
        ? nil
        : { context in
          Table.with(context, otherwise: status(false)) { status($0.proxy.shouldAcceptNotStandalone()) }
        })
    XML_SetUnknownEncodingHandler(
      parser,
      !wanted.contains(.unknownEncoding)
        ? nil
        : { context, name, info in
          Table.with(context, otherwise: status(false)) { core in
            guard let info, let encoding = core.proxy.encoding(named: string(name)) else { return status(false) }
            encoding.fill(info)
            return status(true)
          }
        }, context)
    XML_SetExternalEntityRefHandler(
      parser,
      !wanted.contains(.externalEntity)
        ? nil
        : { parser, name, _, systemID, publicID in
          // The first argument is the parser that has met the reference, which knows the context (C3).
          Table.with(headwater_xml_user_data(parser), otherwise: status(false)) { core in
            let entity = XMLEntity(
              name.map { String(cString: $0) } ?? "", isParameter: name == nil, systemID: optional(systemID),
              publicID: optional(publicID))
            guard !core.hasEnded, let bytes = core.proxy.content(of: entity) else { return status(true) }
            guard bytes.count <= Int32.max, let inner = XML_ExternalEntityParserCreate(parser, name, nil) else {
              return status(false)
            }
            return Int32(core.parse(bytes, in: inner).rawValue)
          }
        })
  }
}
