// jansson.h --pkg-config jansson
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
