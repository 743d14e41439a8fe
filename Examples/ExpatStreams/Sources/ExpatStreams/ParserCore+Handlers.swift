import CExpat
import Callbacks

extension ParserCore {
  /// Gives expat one function for each of its handlers; they share one context (C6).
  func installHandlers(_ context: UnsafeMutableRawPointer) {
    XML_SetUserData(parser, context)
    installElements()
    installDeclarations()
    installQuestions(context)
  }

  private func installElements() {
    XML_SetElementHandler(
      parser,
      { context, name, attributes in
        Table.with(context) { $0.tell(.startElement(string(name), pairs(attributes))) }
      },
      { context, name in Table.with(context) { $0.tell(.endElement(string(name))) } })
    XML_SetCharacterDataHandler(parser) { context, text, count in
      Table.with(context) { $0.tell(.characters(string(text, count))) }
    }
    XML_SetProcessingInstructionHandler(parser) { context, target, data in
      Table.with(context) { $0.tell(.processingInstruction(target: string(target), data: string(data))) }
    }
    XML_SetCommentHandler(parser) { context, text in Table.with(context) { $0.tell(.comment(string(text))) } }
    XML_SetCdataSectionHandler(
      parser,
      { context in Table.with(context) { $0.tell(.startCDATA) } },
      { context in Table.with(context) { $0.tell(.endCDATA) } })
    XML_SetNamespaceDeclHandler(
      parser,
      { context, prefix, uri in
        Table.with(context) { $0.tell(.startNamespace(prefix: optional(prefix), uri: optional(uri))) }
      },
      { context, prefix in Table.with(context) { $0.tell(.endNamespace(prefix: optional(prefix))) } })
    XML_SetDefaultHandlerExpand(parser) { context, text, count in
      Table.with(context) { $0.tell(.other(string(text, count))) }
    }
  }

  private func installDeclarations() {
    XML_SetXmlDeclHandler(parser) { context, version, encoding, standalone in
      Table.with(context) {
        $0.tell(
          .declaration(
            version: optional(version), encoding: optional(encoding),
            isStandalone: standalone < 0 ? nil : standalone != 0))
      }
    }
    XML_SetDoctypeDeclHandler(
      parser,
      { context, name, systemID, publicID, hasInternalSubset in
        Table.with(context) {
          $0.tell(
            .startDoctype(
              string(name), systemID: optional(systemID), publicID: optional(publicID),
              hasInternalSubset: hasInternalSubset != 0))
        }
      },
      { context in Table.with(context) { $0.tell(.endDoctype) } })
    XML_SetElementDeclHandler(parser) { context, name, model in
      Table.with(context) { core in
        // The model is ours to free (V3).
        let text = model.map { contentModel($0.pointee) } ?? ""
        XML_FreeContentModel(core.parser, model)
        core.tell(.elementDeclaration(string(name), model: text))
      }
    }
    XML_SetAttlistDeclHandler(parser) { context, element, name, type, value, isRequired in
      Table.with(context) {
        $0.tell(
          .attributeDeclaration(
            element: string(element), string(name), type: string(type), default: optional(value),
            isRequired: isRequired != 0))
      }
    }
    XML_SetEntityDeclHandler(parser) { context, name, isParameter, value, count, _, systemID, publicID, notation in
      Table.with(context) {
        $0.tell(
          .entityDeclaration(
            XMLEntity(
              string(name), isParameter: isParameter != 0, value: value.map { string($0, count) },
              systemID: optional(systemID), publicID: optional(publicID), notation: optional(notation))))
      }
    }
    XML_SetNotationDeclHandler(parser) { context, name, _, systemID, publicID in
      Table.with(context) {
        $0.tell(.notationDeclaration(string(name), systemID: optional(systemID), publicID: optional(publicID)))
      }
    }
    XML_SetSkippedEntityHandler(parser) { context, name, isParameter in
      Table.with(context) { $0.tell(.skippedEntity(string(name), isParameter: isParameter != 0)) }
    }
  }

  /// The handlers that want an answer. What is told meanwhile waits like everything else while the parser is paused; a
  /// question cannot.
  private func installQuestions(_ context: UnsafeMutableRawPointer) {
    XML_SetNotStandaloneHandler(parser) { context in
      Table.with(context, otherwise: status(false)) { status($0.acceptsNotStandalone()) }
    }
    XML_SetUnknownEncodingHandler(
      parser,
      { context, name, info in
        Table.with(context, otherwise: status(false)) { core in
          guard let info, let encoding = core.encoding(string(name)) else { return status(false) }
          encoding.fill(info)
          return status(true)
        }
      }, context)
    XML_SetExternalEntityRefHandler(parser) { parser, name, _, systemID, publicID in
      // The first argument is the parser that has met the reference, which knows the context (C3).
      Table.with(headwater_xml_user_data(parser), otherwise: status(false)) { core in
        let entity = XMLEntity(
          name.map { String(cString: $0) } ?? "", isParameter: name == nil, systemID: optional(systemID),
          publicID: optional(publicID))
        guard !core.hasEnded, let bytes = core.content(entity) else { return status(true) }
        guard bytes.count <= Int32.max else { return status(false) }
        // It has the handlers of the parser that it is made from, and their context.
        guard let child = XML_ExternalEntityParserCreate(parser, name, nil) else { return status(false) }
        defer { XML_ParserFree(child) }
        return bytes.withUnsafeBytes { bytes in
          let text = bytes.assumingMemoryBound(to: CChar.self)
          return Int32(XML_Parse(child, text.baseAddress, Int32(text.count), 1).rawValue)
        }
      }
    }
  }
}

/// Expat's word for yes or no.
private func status(_ isGood: Bool) -> Int32 {
  Int32(bitPattern: (isGood ? XML_STATUS_OK : XML_STATUS_ERROR).rawValue)
}

private func string(_ text: UnsafePointer<XML_Char>?) -> String { text.map { String(cString: $0) } ?? "" }

private func optional(_ text: UnsafePointer<XML_Char>?) -> String? { text.map { String(cString: $0) } }

private func string(_ text: UnsafePointer<XML_Char>?, _ count: Int32) -> String {
  String(decoding: UnsafeRawBufferPointer(start: text, count: Int(count)), as: UTF8.self)
}

/// Names and values in turn, up to a null pointer.
private func pairs(_ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?) -> [XMLAttribute] {
  var pairs: [XMLAttribute] = []
  var next = attributes
  while let place = next, let name = place[0] {
    pairs.append(XMLAttribute(string(name), string(place[1])))
    next = place + 2
  }
  return pairs
}

/// A content model as document types write it.
private func contentModel(_ model: XML_Content) -> String {
  let parts = (0..<Int(model.numchildren)).map { contentModel(model.children[$0]) }
  let text =
    switch model.type {
    case XML_CTYPE_EMPTY: "EMPTY"
    case XML_CTYPE_ANY: "ANY"
    case XML_CTYPE_MIXED: "(" + (["#PCDATA"] + parts).joined(separator: "|") + ")"
    case XML_CTYPE_CHOICE: "(" + parts.joined(separator: "|") + ")"
    case XML_CTYPE_SEQ: "(" + parts.joined(separator: ",") + ")"
    default: string(model.name)
    }
  return switch model.quant {
  case XML_CQUANT_OPT: text + "?"
  case XML_CQUANT_REP: text + "*"
  case XML_CQUANT_PLUS: text + "+"
  default: text
  }
}
