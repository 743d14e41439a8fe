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

#include <microhttpd.h>
#include "daemon.h"
