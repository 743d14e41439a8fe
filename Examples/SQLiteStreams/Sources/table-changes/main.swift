// Prints the changes of a database as they happen: the stock of a small shop, which is observed, checked, and sorted.
import Delegates
import SQLiteStreams
import Streams

let database = try Database(CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : ":memory:")
let bag = DisposeBag()

try database.execute("CREATE TABLE IF NOT EXISTS stock (name TEXT UNIQUE, pieces INTEGER)")

// A stream of changes. The statement has returned, so the observer can query the database.
database.changes.observeNext { change in
  do throws(SQLiteError) {
    let rows = try database.query("SELECT name, pieces FROM stock WHERE rowid = ?", .integer(change.row))
    let text = rows.first.map { $0.map(\.description).joined(separator: ", ") } ?? "gone"
    print("  \(change.kind) \(change.table) \(change.row): \(text)")
  } catch {
    print("  failed:", error)
  }
}.dispose(in: bag)

// Counts the transactions with an operator.
database.commits.scan(0) { count, _ in count + 1 }.skip(1).observeNext { print("  commit \($0)") }
  .dispose(in: bag)
database.rollbacks.observeNext { print("  rolled back") }.dispose(in: bag)

// SQL calls a Swift closure as a function, and sorts with another one.
try database.function("shout", arguments: 1, isDeterministic: true) { arguments in
  guard case .text(let text) = arguments[0] else { return .null }
  return .text(text.uppercased())
}.dispose(in: bag)
try database.collation("LENGTH") { $0.count - $1.count }.dispose(in: bag)

// The commit hook returns a result, so it has one handler, which answers inside the statement.
var isOpen = true
try database.mayCommit.answer { isOpen }.dispose(in: bag)

func run(_ statement: String) {
  print(statement)
  do throws(SQLiteError) {
    for row in try database.query(statement) { print(" ", row.map(\.description).joined(separator: ", ")) }
  } catch {
    print("  failed:", error)
  }
}

run("INSERT OR IGNORE INTO stock VALUES ('apple', 3), ('fig', 12), ('banana', 7)")
run("UPDATE stock SET pieces = pieces - 1 WHERE name = 'fig'")
run("SELECT shout(name), pieces FROM stock ORDER BY name COLLATE LENGTH")
print("The shop closes.")
isOpen = false
run("DELETE FROM stock WHERE pieces < 100")
database.close()
