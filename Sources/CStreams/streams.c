#include "streams.h"

#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#if defined(__linux__)
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

_Thread_local uintptr_t headwater_thread_domain = 0;

_Thread_local void *headwater_thread_subscriptions __attribute__((tls_model("initial-exec")));

_Thread_local struct headwater_schedule headwater_thread_schedule __attribute__((tls_model("initial-exec")));

int headwater_tracing = 0;

#if defined(HEADWATER_TRACING)
// Before main, so that the first subscription is recorded, too.
__attribute__((constructor)) static void begin_tracing(void) {
  const char *target = getenv("HEADWATER_TRACE");
  headwater_set_tracing(target != NULL && target[0] != 0);
}
#endif

uint64_t headwater_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void headwater_get_thread_name(char name[16]) {
  name[0] = 0;
#if defined(__linux__)
  prctl(PR_GET_NAME, name, 0, 0, 0);
#endif
}

int headwater_traced_thread(_Bool *is_new) {
  static _Thread_local int number = 0;
  *is_new = number == 0;
#if defined(__linux__)
  if (number == 0) number = (int)syscall(SYS_gettid);
#else
  static int last = 0;
  if (number == 0) number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
#endif
  return number;
}

#if defined(__linux__)
#define SWIFT __attribute__((swiftcall))
#define WEAK __attribute__((weak))

// When an async main waits for the first time, the concurrency runtime calls dispatch_main(). That ends the main thread, and
// another thread serves the main actor from then on. What lives on the main actor is told apart by its thread, so the main
// thread serves the main queue instead. A program that has a loop lets the loop do that. Every symbol is weak: without them the
// runtime does what it did.
typedef SWIFT void (*drain_main_queue)(void);
extern SWIFT void (*swift_task_asyncMainDrainQueue_hook)(drain_main_queue, void *) WEAK;
extern int _dispatch_get_main_queue_handle_4CF(void) WEAK;
extern void _dispatch_main_queue_callback_4CF(void *) WEAK;

SWIFT void headwater_serve_main_queue(drain_main_queue original, void *unused) {
  (void)original;
  (void)unused;
  struct pollfd queue = {.fd = _dispatch_get_main_queue_handle_4CF(), .events = POLLIN};
  for (;;) {
    _dispatch_main_queue_callback_4CF(NULL);
    // The descriptor counts what has been added to the queue, and stays readable until it is read.
    uint64_t count;
    if (poll(&queue, 1, -1) > 0 && read(queue.fd, &count, sizeof count) < 0) continue;
  }
}

__attribute__((constructor)) static void serve_async_main(void) {
  if (!_dispatch_get_main_queue_handle_4CF || !_dispatch_main_queue_callback_4CF) return;
  if (&swift_task_asyncMainDrainQueue_hook && !swift_task_asyncMainDrainQueue_hook)
    swift_task_asyncMainDrainQueue_hook = headwater_serve_main_queue;
}
#endif
