#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a number cast to a function pointer, which Swift does not import: "copy what I lend you".
static inline sqlite3_destructor_type headwater_sqlite_transient(void) { return SQLITE_TRANSIENT; }
