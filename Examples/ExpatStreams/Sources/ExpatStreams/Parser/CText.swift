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

/// Returns a content model in the syntax of a document type declaration. A document can nest it as deeply as it likes,
/// so this has no recursion.
func contentModel(_ model: XML_Content) -> String {
  var text = ""
  var open: [(model: XML_Content, next: Int)] = []
  begin(model)
  while let (model, next) = open.last {
    if next == Int(model.numchildren) {
      open.removeLast()
      end(model)
      continue
    }
    open[open.count - 1].next += 1
    if next > 0 || model.type == XML_CTYPE_MIXED { text += model.type == XML_CTYPE_SEQ ? "," : "|" }
    begin(model.children[next])
  }
  return text

  func begin(_ model: XML_Content) {
    switch model.type {
    case XML_CTYPE_EMPTY: text += "EMPTY"
    case XML_CTYPE_ANY: text += "ANY"
    case XML_CTYPE_MIXED: text += "(#PCDATA"
    case XML_CTYPE_CHOICE, XML_CTYPE_SEQ: text += "("
    default: text += string(model.name)
    }
    open.append((model, 0))
  }

  func end(_ model: XML_Content) {
    if [XML_CTYPE_MIXED, XML_CTYPE_CHOICE, XML_CTYPE_SEQ].contains(model.type) { text += ")" }
    switch model.quant {
    case XML_CQUANT_OPT: text += "?"
    case XML_CQUANT_REP: text += "*"
    case XML_CQUANT_PLUS: text += "+"
    default: break
    }
  }
}
