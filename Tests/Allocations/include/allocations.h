#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/// Whether the functions below count: with glibc, and without a sanitizer.
bool allocations_are_counted(void);

/// How many blocks of memory the process has asked for so far. Exact when no other thread is at work.
size_t allocations_so_far(void);

/// How many blocks of memory this thread has asked for so far.
size_t allocations_so_far_here(void);

/// The usable bytes of all blocks that have not been given back. Exact when no other thread is at work.
ssize_t allocated_bytes(void);

/// The same for this thread: what others allocate and this one gives back counts against it.
ssize_t allocated_bytes_here(void);
