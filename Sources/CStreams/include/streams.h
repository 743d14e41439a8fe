#pragma once

#include <stdint.h>

#if !defined(__linux__)
#include <pthread.h>
#endif

/// Tells threads apart: a number that no other living thread has. On Linux one instruction, without a call.
static inline uintptr_t headwater_thread(void) {
#if defined(__linux__)
  return (uintptr_t)__builtin_thread_pointer();
#else
  return (uintptr_t)pthread_self();
#endif
}
