// db.h --link db --thread caller --fails nonzero
// DB methods
// DBC methods
// DBT.data memory=inout[size]
// DB_open/1 memory=null
// DB_put/1 memory=null
// DB_get/1 memory=null
// DB_cursor/1 memory=null
// db_create/1 memory=null
import BerkeleyDB

func entry(_ text: String) -> Dbt {
  var entry = Dbt()
  entry.data = Array(text.utf8)
  return entry
}

let db = try Db(0)
try db.open(CommandLine.arguments[1] + "/places.db", nil, .btree, UInt32(BerkeleyDBConstant.create), 0o600)
for (key, value) in [("river", "Inn"), ("city", "Passau"), ("lake", "Chiemsee")] {
  var (key, value) = (entry(key), entry(value))
  try db.put(&key, &value, 0)
}
var key = entry("city")
var value = Dbt()
try db.get(&key, &value, 0)
print(String(decoding: value.data, as: UTF8.self))
let cursor = try db.cursor(0)
do throws(BerkeleyDBFailure) {
  while true {
    try cursor.get(&key, &value, UInt32(BerkeleyDBConstant.next))
    print(String(decoding: key.data, as: UTF8.self), String(decoding: value.data, as: UTF8.self))
  }
} catch {
  print(error)
}
try cursor.close()
try db.close()
