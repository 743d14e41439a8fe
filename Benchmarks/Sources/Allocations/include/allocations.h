#pragma once
#include <stddef.h>

/// How many blocks of memory this thread has asked for so far.
size_t allocations_so_far(void);
