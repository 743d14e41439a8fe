// tidy/tidy.h --pkg-config tidy --thread caller --fails negative
import Tidy

let document = try TidyDocObject()
for option in ["quiet", "show-warnings"] { try document.optParseValue(option, val: option == "quiet" ? "yes" : "no") }
_ = try document.parseString("<title>Test</title><p>Hello <b>world<p>Again")
_ = try document.cleanAndRepair()
print("warnings:", document.warningCount > 0)
func walk(_ node: TidyNodeObject, _ indent: String = "") {
  print(indent + (node.name ?? "text"))
  var child = node.child
  while let current = child {
    walk(current, indent + "  ")
    child = current.next()
  }
}
if let body = document.body { walk(body) }
