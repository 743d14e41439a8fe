// Written by wrap-library.
#pragma once

// Swift knows these types from its own modules.
#include <grp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <regex.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <termios.h>
#include <time.h>
#include <utime.h>

#include <sqlite3.h>
#include "values.h"

// Swift can't import these: global variables, variadic functions, and numbers that stand for functions.
static inline sqlite3_destructor_type wrap_SQLITE_STATIC(void) { return SQLITE_STATIC; }
static inline sqlite3_destructor_type wrap_SQLITE_TRANSIENT(void) { return SQLITE_TRANSIENT; }
