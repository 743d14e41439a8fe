// sqlite3.h --pkg-config sqlite3
// sqlite3_step fails=never
import SQLite

let database = try Sqlite3.open(":memory:")
let row: Int32 = 100
_ = try database.prepareV2("create table people (name text, born integer)", nByte: -1).ppStmt.step()
let insert = try database.prepareV2("insert into people values (?, ?)", nByte: -1).ppStmt
for (name, born) in [("Ada", 1815), ("Grace", 1906)] as [(String, Int64)] {
  try insert.bindText(1, name, -1)
  try insert.bindInt64(2, born)
  _ = insert.step()
  try insert.reset()
}
print("changes:", database.totalChanges, "last row:", database.lastInsertRowid())
let select = try database.prepareV2("select name, born from people order by born", nByte: -1).ppStmt
while select.step() == row { print(select.columnText(0) ?? "?", select.columnInt64(1)) }
do throws(SQLiteFailure) {
  _ = try database.prepareV2("selekt", nByte: -1)
} catch {
  print(error)
}
// Frees the statements first, because SQLite would refuse to close the database.
try database.close()
print("closed")
