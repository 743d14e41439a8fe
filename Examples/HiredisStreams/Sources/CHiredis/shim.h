#pragma once
// hiredis.h uses struct timeval and does not include its header.
#include <sys/time.h>
#include <hiredis/hiredis.h>
#include <hiredis/async.h>
