// expat.h --pkg-config expat --thread caller
import Expat
import Headwater

let parser = try Parser(encoding: nil)
let bag = DisposeBag()
parser.comments().observeNext { print("comment:", $0 ?? "?") }.dispose(in: bag)
parser.characterData().filter { $0 != "\n" }.observeNext { print("text:", $0) }.dispose(in: bag)
for part in ["<book><!-- dra", "ft --><title>Streams", "</title>\n</book>"] {
  try parser.parse(Array(part.utf8).span, isFinal: part.hasSuffix("</book>") ? 1 : 0)
}
bag.dispose()
let broken = try Parser(encoding: nil)
do throws(ExpatFailure) {
  try broken.parse(Array("<a></b>".utf8).span, isFinal: 1)
} catch {
  print(error, broken.errorCode == .tagMismatch, "in line", broken.currentLineNumber)
}
