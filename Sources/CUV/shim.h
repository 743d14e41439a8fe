#pragma once
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>
#if defined(__linux__)
#include <sys/epoll.h>
#include <sys/prctl.h>
#endif

/// Takes the count out of an eventfd, so that it is not readable any more.
static inline void headwater_read_count(int descriptor) {
  uint64_t count;
  ssize_t ignored = read(descriptor, &count, sizeof count);
  (void)ignored;
}

/// How many bytes of a TCP connection the peer's system has not acknowledged, the end included; 0 if the system cannot tell.
static inline int headwater_unacknowledged(int descriptor) {
  int count = 0;
  return ioctl(descriptor, TIOCOUTQ, &count) == 0 ? count : 0;
}

/// Whether a read would not block.
static inline int headwater_is_readable(int descriptor) {
  struct pollfd request = {.fd = descriptor, .events = POLLIN};
  return poll(&request, 1, 0) == 1;
}

/// What other threads did before they let go of memory has happened before it is written again.
static inline void headwater_acquire_fence(void) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }

/// Ignores SIGPIPE where it has its default action.
static inline void headwater_ignore_broken_pipes(void) {
  struct sigaction action;
  if (sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL) signal(SIGPIPE, SIG_IGN);
}

/// Whether a loop can be told when a descriptor is ready; it cannot for a file. libuv aborts when it finds that out itself.
static inline int headwater_is_watchable(uv_loop_t *loop, int descriptor) {
#if defined(__linux__)
  struct epoll_event event = {0};
  int epoll = uv_backend_fd(loop);
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0) return 0;
  epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event);
#endif
  return 1;
}

/// Has libuv measure how long the loop waits.
static inline int headwater_measure_idle_time(uv_loop_t *loop) { return uv_loop_configure(loop, UV_METRICS_IDLE_TIME); }

/// Closes a descriptor.
static inline void headwater_close(int descriptor) { close(descriptor); }

/// A stream socket that does not block and that child processes do not get.
static inline int headwater_socket(int family) {
#if defined(__linux__)
  // At once: another thread may start a process at any time, which would get it.
  return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
#else
  int descriptor = socket(family, SOCK_STREAM, 0);
  if (descriptor >= 0) {
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  }
  return descriptor;
#endif
}

#if defined(__linux__)
// Declared here: the feature macro that shows it breaks the import of Glibc.
extern int accept4(int, struct sockaddr *, socklen_t *, int);
#endif

/// Accepts a connection, as a descriptor that does not block and that child processes do not get.
static inline int headwater_accept(int descriptor, struct sockaddr *address, socklen_t *length) {
#if defined(__linux__)
  return accept4(descriptor, address, length, SOCK_CLOEXEC | SOCK_NONBLOCK);
#else
  int accepted = accept(descriptor, address, length);
  if (accepted >= 0) {
    fcntl(accepted, F_SETFD, FD_CLOEXEC);
    fcntl(accepted, F_SETFL, fcntl(accepted, F_GETFL) | O_NONBLOCK);
  }
  return accepted;
#endif
}

/// Reads and writes a word that several threads look at. Orders nothing else.
static inline uintptr_t headwater_load(const uintptr_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
static inline void headwater_store(uintptr_t *word, uintptr_t value) { __atomic_store_n(word, value, __ATOMIC_RELAXED); }

/// Has the processor load what will be needed soon.
static inline void headwater_prefetch(const void *address) { __builtin_prefetch(address); }

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
