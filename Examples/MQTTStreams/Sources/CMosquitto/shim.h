// Written by wrap-callbacks.
#pragma once
#include <mosquitto.h>

// Swift knows these types from its own modules.
#include <netdb.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
