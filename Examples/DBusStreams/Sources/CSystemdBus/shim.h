// Written by wrap-callbacks.
#pragma once
#include <systemd/sd-bus.h>

// Swift knows these types from its own modules.
#include <grp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <termios.h>
#include <time.h>
