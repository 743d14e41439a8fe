// cmark.h --pkg-config libcmark
import CMark

let text = Array("# Title\n\nSome *text*.\n".utf8)
print(CMarkLibrary.markdownToHtml(text.span, options: 0) ?? "none", terminator: "")
let document = try Node.parseDocument(text.span, options: 0)
print(document.firstChild?.typeString ?? "none", document.firstChild?.headingLevel ?? 0)
let paragraph = try Node(type: .paragraph)
let word = try Node(type: .text)
try word.setLiteral("added")
try paragraph.appendChild(word)
try document.appendChild(paragraph)
print(document.renderHtml(0) ?? "none", terminator: "")
