// libxml/parser.h libxml/tree.h libxml/xmlmemory.h --pkg-config libxml-2.0 --thread caller
import LibXML

func walk(_ node: Node, _ indent: String = "") {
  print(indent + (node.name ?? "?"), node.properties?.name ?? "")
  var child = node.firstElementChild
  while let element = child {
    walk(element, indent + "  ")
    child = element.nextElementSibling()
  }
}
let text = "<book year='2026'><title>One &amp; Two</title><page/></book>"
let doc = try Doc.parseMemory(Array(text.utf8).span)
if let root = doc.rootElement {
  walk(root)
  root.firstElementChild?.setContent("New")
  _ = root.setProp("year", value: "2027")
  _ = root.addChild(try Node.newText("the end"))
  let buffer = try Buffer()
  _ = buffer.nodeDump(doc, cur: root, level: 0, format: 0)
  print(buffer.content ?? "?")
}
do {
  _ = try Doc.readMemory(Array("<a><b></a>".utf8).span, url: nil, encoding: nil, options: 0x60)
} catch {
  print(error.function)
}
