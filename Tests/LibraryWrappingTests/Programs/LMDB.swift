// lmdb.h --pkg-config lmdb --thread caller
// mdb_put/key memory=in
// mdb_put/data memory=in
// mdb_get/key memory=in
// mdb_get/data memory=out
// mdb_cursor_get/key memory=out
// mdb_cursor_get/data memory=out
import LMDB

let environment = try Env()
try environment.open(CommandLine.arguments[1], flags: 0, mode: 0o600)
let writing = try environment.txnBegin(nil, flags: 0)
let database = try writing.dbiOpen(nil, flags: 0)
for (key, value) in [("river", "Inn"), ("city", "Passau")] {
  let (key, value) = (Array(key.utf8), Array(value.utf8))
  try writing.put(database, key: key.span, data: value.span, flags: 0)
}
let inner = try environment.txnBegin(writing, flags: 0)
let lake = Array("lake".utf8)
try inner.put(database, key: lake.span, data: lake.span, flags: 0)
inner.abort()
try writing.commit()

let reading = try environment.txnBegin(nil, flags: UInt32(LMDBConstant.rdonly))
let cursor = try reading.cursorOpen(database)
do {
  while true {
    let (key, data) = try cursor.get(.next)
    print(String(decoding: key, as: UTF8.self), String(decoding: data, as: UTF8.self))
  }
} catch { print(error) }
do { _ = try reading.get(database, key: lake.span) } catch { print(error.code == Int(LMDBConstant.notfound)) }
