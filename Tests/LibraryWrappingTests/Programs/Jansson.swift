// jansson.h --pkg-config jansson
// json_load_callback_t(buffer) memory=out[buflen:result]
import Jansson

var problem = JsonError()
let person = try Json.loads(
  #"{"name": "Ada", "born": 1815, "machines": ["difference", "analytical"]}"#, flags: 0, error: &problem)
print(person.objectGet("name")?.stringValue ?? "?", person.objectGet("born")?.integerValue ?? 0)
let machines = person.objectGet("machines")
for index in 0..<(machines?.arraySize ?? 0) { print("-", machines?.arrayGet(index)?.stringValue ?? "?") }
try person.objectSet("died", value: Json.integer(1852))
try machines?.arrayAppend(Json.string("poetry"))
print(String(decoding: person.dumpb(upTo: 200, flags: 0), as: UTF8.self))
do {
  _ = try Json.loads("[1, 2", flags: 0, error: &problem)
} catch {
  print("not JSON in line", problem.line)
}
var rest = Array(#"{"title": "Notes"}"#.utf8)
let read = try JanssonLibrary.loadCallback(0, error: &problem) { room in
  // The size of a page does not matter: the text comes in pieces.
  let piece = Array(rest.prefix(min(room, 5)))
  rest.removeFirst(piece.count)
  return piece
}
var written = ""
try read.dumpCallback(0) { text in
  written += text
  return 0
}
print(written)
