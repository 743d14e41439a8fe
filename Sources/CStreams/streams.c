#include "streams.h"

#include <stddef.h>

_Thread_local uintptr_t headwater_thread_domain = 0;

_Thread_local void *headwater_thread_subscriptions __attribute__((tls_model("initial-exec")));

#if defined(__linux__)
#include <poll.h>
#include <unistd.h>

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
