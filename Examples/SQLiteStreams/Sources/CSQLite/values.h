// Functions of SQLite that Swift can't call as they are: bytes that SQLite copies, and the statements of a script.
#pragma once
#include <sqlite3.h>

// A null pointer would stand for NULL, and not for an empty value.
static inline int sqlite3_bind_bytes(sqlite3_stmt *statement, int index, const void *bytes, size_t size) {
  return sqlite3_bind_blob64(statement, index, size ? bytes : "", size, SQLITE_TRANSIENT);
}
static inline void sqlite3_result_bytes(sqlite3_context *context, const void *bytes, size_t size) {
  sqlite3_result_blob64(context, size ? bytes : "", size, SQLITE_TRANSIENT);
}
// Prepares the statement at an offset of a script. SQLITE_DONE means that only white space and comments follow.
static inline int sqlite3_prepare_next(
    sqlite3 *database, const char *script, int offset, sqlite3_stmt **statement, int *end) {
  const char *tail = script;
  int code = sqlite3_prepare_v2(database, script + offset, -1, statement, &tail);
  *end = (int)(tail - script);
  return code == SQLITE_OK && !*statement ? SQLITE_DONE : code;
}
