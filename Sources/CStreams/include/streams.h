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

/// What `headwater_domain` reads. Initial-exec, so that reading it is no call.
extern _Thread_local uintptr_t headwater_thread_domain __attribute__((tls_model("initial-exec")));

/// The number of the isolation domain that owns the calling thread: the main thread, or that of a loop; 0 if none does. A
/// number is never given a second time, while `headwater_thread` is another thread's once this one has ended. One load.
static inline uintptr_t headwater_domain(void) { return headwater_thread_domain; }

/// Whether another domain than `domain` owns the calling thread, or none; false for 0, which is no domain.
static inline _Bool headwater_is_outside(uintptr_t domain) { return domain != headwater_thread_domain && domain != 0; }

static inline void headwater_set_domain(uintptr_t number) { headwater_thread_domain = number; }

/// What `headwater_open_subscriptions` reads.
extern _Thread_local void *headwater_thread_subscriptions __attribute__((tls_model("initial-exec")));

/// The table of the subscriptions in the domain that owns the calling thread; null on the main thread, whose domain never
/// closes, and where there is no domain. One load.
static inline void *headwater_open_subscriptions(void) { return headwater_thread_subscriptions; }

static inline void headwater_set_open_subscriptions(void *table) { headwater_thread_subscriptions = table; }

/// What `headwater_is_tracing` reads.
extern int headwater_tracing;

/// Whether the program is being recorded. Only code that is built with the trait Tracing asks. One load.
static inline _Bool headwater_is_tracing(void) { return __atomic_load_n(&headwater_tracing, __ATOMIC_RELAXED) != 0; }

static inline void headwater_set_tracing(_Bool is_on) { __atomic_store_n(&headwater_tracing, is_on, __ATOMIC_RELAXED); }

/// What a thread does next with state that threads share, for `headwater_pass`.
enum headwater_step { HEADWATER_ACCESSES, HEADWATER_LOCKS, HEADWATER_UNLOCKED };

/// The scheduler of a test that runs one thread at a time, for each thread that it runs.
struct headwater_schedule {
  void (*pass)(void *context, const void *object, enum headwater_step step);
  void (*wait)(void *context, void *object, _Bool (*is_over)(void *object));
  void *context;
};
extern _Thread_local struct headwater_schedule headwater_thread_schedule __attribute__((tls_model("initial-exec")));

/// Lets other threads run before `step`, if a test schedules the calling thread. Only debug builds call it.
static inline void headwater_pass(const void *object, enum headwater_step step) {
  if (headwater_thread_schedule.pass) headwater_thread_schedule.pass(headwater_thread_schedule.context, object, step);
}

/// Lets other threads run until `is_over` returns true, before a wait that ends then, if a test schedules the calling thread. Only
/// debug builds call it.
static inline void headwater_wait(void *object, _Bool (*is_over)(void *object)) {
  if (headwater_thread_schedule.wait) headwater_thread_schedule.wait(headwater_thread_schedule.context, object, is_over);
}

static inline void headwater_set_schedule(struct headwater_schedule schedule) { headwater_thread_schedule = schedule; }

/// Nanoseconds of the monotonic clock.
uint64_t headwater_clock(void);

/// The name of the calling thread. Empty if the system has none.
void headwater_get_thread_name(char name[16]);

/// The system's number of the calling thread. `*is_new` is set if the thread asks for the first time.
int headwater_traced_thread(_Bool *is_new);
