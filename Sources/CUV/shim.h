#pragma once
#include <errno.h>
#include <stdint.h>
#include <unistd.h>
#include <uv.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

/// Takes the count out of an eventfd, so that it is not readable any more.
static inline void headwater_read_count(int descriptor) {
  uint64_t count;
  ssize_t ignored = read(descriptor, &count, sizeof count);
  (void)ignored;
}

/// Names the calling thread, for debuggers and process lists.
static inline void headwater_name_thread(const char *name) {
#if defined(__linux__)
  prctl(PR_SET_NAME, name, 0, 0, 0);
#else
  (void)name;
#endif
}

// The main queue of libdispatch, for a loop that serves it on the main thread. Weak: without them the loop runs on,
// and says that it does not serve the main actor.
#if defined(__linux__)
extern int _dispatch_get_main_queue_handle_4CF(void) __attribute__((weak));
extern void _dispatch_main_queue_callback_4CF(void *) __attribute__((weak));

/// The descriptor that becomes readable when the main queue has work, or -1.
static inline int headwater_main_queue_descriptor(void) {
  if (!_dispatch_get_main_queue_handle_4CF || !_dispatch_main_queue_callback_4CF) return -1;
  return _dispatch_get_main_queue_handle_4CF();
}

/// Runs what waits in the main queue. Does nothing inside of itself.
static inline void headwater_drain_main_queue(void) {
  if (_dispatch_main_queue_callback_4CF) _dispatch_main_queue_callback_4CF((void *)0);
}
#else
static inline int headwater_main_queue_descriptor(void) { return -1; }
static inline void headwater_drain_main_queue(void) {}
#endif
