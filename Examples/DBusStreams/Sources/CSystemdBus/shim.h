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

#include <systemd/sd-bus.h>

// Swift can't import these: global variables, variadic functions, and numbers that stand for functions.
static inline int wrap_sd_bus_message_new_method_errorf(sd_bus_message *a0, sd_bus_message **a1, const char *a2, const char *value) { return (sd_bus_message_new_method_errorf)(a0, a1, a2, "%s", value ? value : ""); }
static inline int wrap_sd_bus_message_new_method_errnof(sd_bus_message *a0, sd_bus_message **a1, int a2, const char *value) { return (sd_bus_message_new_method_errnof)(a0, a1, a2, "%s", value ? value : ""); }
