#pragma once
// For struct timeval, which hiredis.h leaves to others.
#include <sys/time.h>
#include <hiredis/hiredis.h>
#include <hiredis/async.h>
