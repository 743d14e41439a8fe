import CExpat

/// The status code of expat for success or failure.
func status(_ isGood: Bool) -> Int32 {
  Int32(bitPattern: (isGood ? XML_STATUS_OK : XML_STATUS_ERROR).rawValue)
}

func string(_ text: UnsafePointer<XML_Char>?) -> String { text.map { String(cString: $0) } ?? "" }

/// Copies expat's array of alternating names and values, which a null pointer ends.
func pairs(_ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?) -> [XMLAttribute] {
  var pairs: [XMLAttribute] = []
  var next = attributes
  while let place = next, let name = place[0] {
    pairs.append(XMLAttribute(string(name), string(place[1])))
    next = place + 2
  }
  return pairs
}

/// Returns a content model in the syntax of a document type declaration.
func contentModel(_ model: XML_Content) -> String {
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
