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

#include "editor.h"
#include <readline/readline.h>
#include <readline/history.h>

// Swift can't import these: global variables, variadic functions, and numbers that stand for functions.
static inline void wrap_set_rl_attempted_completion_function(__typeof__(rl_attempted_completion_function) function) { rl_attempted_completion_function = function; }
