// What the concurrency runtime has to tell the main loop. Every symbol of the runtime is weak: a program that uses no
// concurrency may be linked without it.
#include "hooks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "event_loops.h"

#define SWIFT __attribute__((swiftcall))
#define WEAK __attribute__((weak))

/// In EventLoops, written in Swift.
extern void headwater_event_loops_serve_async_main(void);
extern void headwater_event_loops_jobs_ended(void);
extern uint8_t headwater_event_loops_job_priority(void *job);

// The runtime asks this hook, if it is set, to serve the main executor for the rest of the program.
typedef SWIFT void (*drain_main_queue)(void);
extern SWIFT void (*swift_task_asyncMainDrainQueue_hook)(drain_main_queue, void *) WEAK;

/// Whether the main thread's jobs are counted. An async main needs no count: it says itself when the program is over.
static atomic_int is_enabled = 1;

/// In CStreams: serves the main queue of a program without a loop.
extern SWIFT void headwater_serve_main_queue(drain_main_queue, void *) WEAK;

static SWIFT void serve_async_main(drain_main_queue original, void *unused) {
  (void)original;
  (void)unused;
  atomic_store(&is_enabled, 0);
  headwater_event_loops_serve_async_main();
}

#if defined(__linux__)
// A task of the main actor leaves the main thread when it resumes from a continuation, and for each function that runs on
// the global executor. A synchronous run() must not return meanwhile. So the jobs that the main thread gives to the global
// executor are counted, and those that such jobs give to it, until they have run. They run on libdispatch's global queues,
// by priority. The runtime does not ask the hook about a Task.yield on the global executor: that is not counted.
typedef SWIFT void (*enqueue_global)(void *job);
extern SWIFT void (*swift_task_enqueueGlobal_hook)(void *job, enqueue_global) WEAK;
extern SWIFT void swift_job_run(void *job, void *executor, uintptr_t implementation) WEAK;
extern void *dispatch_get_global_queue(intptr_t priority, uintptr_t flags) WEAK;
extern void dispatch_async_f(void *queue, void *context, void (*function)(void *)) WEAK;

static _Thread_local int is_counting;
/// Where the job goes that this thread gives to the global executor next, instead of there.
static _Thread_local void **captured;
static atomic_long jobs;
static atomic_int is_awaited;

int headwater_hold_jobs(void) {
  if (!is_counting || !atomic_load(&is_enabled)) return 0;
  atomic_fetch_add(&jobs, 1);
  return 1;
}

void headwater_release_jobs(void) {
  if (atomic_fetch_sub(&jobs, 1) == 1 && atomic_exchange(&is_awaited, 0)) headwater_event_loops_jobs_ended();
}

int headwater_count_jobs(int is_wanted) {
  int previous = is_counting;
  is_counting = is_wanted;
  return previous;
}

static void run_counted(void *job) {
  is_counting = 1;
  swift_job_run(job, NULL, 0);
  is_counting = 0;
  headwater_release_jobs();
}

static SWIFT void enqueue_counted(void *job, enqueue_global original) {
  if (captured) {
    *captured = job;
    captured = NULL;
    return;
  }
  void *queue = NULL;
  if (is_counting && atomic_load(&is_enabled))
    queue = dispatch_get_global_queue(headwater_event_loops_job_priority(job), 0);
  if (!queue) {
    original(job);
    return;
  }
  atomic_fetch_add(&jobs, 1);
  dispatch_async_f(queue, job, run_counted);
}

void headwater_begin_capture(void **job) {
  *job = NULL;
  captured = job;
}

void headwater_end_capture(void) { captured = NULL; }

int headwater_await_jobs(void) {
  atomic_store(&is_awaited, 1);
  if (atomic_load(&jobs) > 0) return 1;
  atomic_store(&is_awaited, 0);
  return 0;
}

static void install_counting(void) {
  if (!&swift_task_enqueueGlobal_hook || swift_task_enqueueGlobal_hook) return;
  if (!swift_job_run || !dispatch_get_global_queue || !dispatch_async_f) return;
  // This runs on the main thread.
  is_counting = 1;
  swift_task_enqueueGlobal_hook = enqueue_counted;
}
#else
int headwater_hold_jobs(void) { return 0; }
void headwater_release_jobs(void) {}
int headwater_count_jobs(int is_wanted) { return is_wanted; }
void headwater_begin_capture(void **job) { *job = NULL; }
void headwater_end_capture(void) {}
int headwater_await_jobs(void) { return 0; }
static void install_counting(void) {}
#endif

// The runtime asks this hook, if it is set, to end the program unless the thread belongs to the executor. A closure that is
// written on the main actor is isolated to it, also if a C library gets it and calls it on a thread of its own.
typedef struct {
  void *identity;
  uintptr_t implementation;
} executor_ref;
typedef SWIFT void (*check_isolated)(void *identity, uintptr_t implementation);
extern SWIFT void (*swift_task_checkIsolated_hook)(void *, uintptr_t, check_isolated) WEAK;
extern SWIFT executor_ref swift_task_getMainExecutor(void) WEAK;

static pthread_t main_thread;

static SWIFT void explain_isolation(void *identity, uintptr_t implementation, check_isolated original) {
  if (!pthread_equal(pthread_self(), main_thread) && identity == swift_task_getMainExecutor().identity)
    fputs("headwater: Code that is isolated to the main actor runs on another thread. If it is a closure that a C library "
          "calls, write { @Sendable ... in ... }. A OnceCallback or a ForeignCallback then runs it there; other adapters drop and "
          "count the call.\n",
          stderr);
  original(identity, implementation);
}

void headwater_install_hooks(void) {
  // This runs on the main thread.
  main_thread = pthread_self();
  if (&swift_task_checkIsolated_hook && !swift_task_checkIsolated_hook && swift_task_getMainExecutor)
    swift_task_checkIsolated_hook = explain_isolation;
  if (&swift_task_asyncMainDrainQueue_hook &&
      (!swift_task_asyncMainDrainQueue_hook || swift_task_asyncMainDrainQueue_hook == headwater_serve_main_queue))
    swift_task_asyncMainDrainQueue_hook = serve_async_main;
  install_counting();
}
