// A C library that does with callbacks what libraries must not do, and what they rarely do. For tests only.
//
// Its own state is behind mutexes and atomics: what a sanitizer reports is not its fault.
#ifndef HOSTILE_H
#define HOSTILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*hostile_function)(void *context, int32_t value);
typedef void (*hostile_destroy)(void *context);
typedef int32_t (*hostile_question)(void *context, int32_t value);

// Calls that come once, or should (E1).
void hostile_call(hostile_function function, void *context, int32_t value);
void hostile_call_twice(hostile_function function, void *context, int32_t value);
void hostile_call_twice_at_once(hostile_function function, void *context);
void hostile_call_on_thread(hostile_function function, void *context, int32_t value);
int32_t hostile_ask(hostile_question function, void *context, int32_t value);
int32_t hostile_ask_on_thread(hostile_question function, void *context, int32_t value);
// Calls for as long as the answer is not 0, `limit` times at most; the number of calls (M5).
int32_t hostile_ask_until_no(hostile_question function, void *context, int32_t limit);

// An object with one slot (K1), which remembers what was in it before.
typedef struct hostile hostile;
hostile *hostile_new(void);
// Frees it: calls the destroy function of what is registered (E2).
void hostile_free(hostile *object);
// Registers and returns the context that was registered before (E4). The destroy function of that is not called.
void *hostile_replace(hostile *object, hostile_function function, void *context);
// Registers with a destroy function; that of what was registered before is called (E2).
void hostile_set(hostile *object, hostile_function function, void *context, hostile_destroy destroy);
// Calls what is registered.
void hostile_fire(hostile *object, int32_t value);
// Calls what was registered last before the present one, although it has been unregistered.
void hostile_fire_stale(hostile *object, int32_t value);
// The destroy function of what is registered, twice, and then a call.
void hostile_destroy_twice_and_fire(hostile *object);
// A registration that calls back `calls` times and then fails. With `destroys` it destroys the context, too (F2); without
// it is still the caller's (F1). Either way it remembers it for hostile_fire_stale.
int32_t hostile_set_fails(
    hostile *object, hostile_function function, void *context, hostile_destroy destroy, int32_t calls, bool destroys);

// An object that must not be called or freed from inside of its callback (N1, N2): it counts who does.
int32_t hostile_step(hostile *object, int32_t events);
int32_t hostile_query(hostile *object);
void hostile_free_unless_busy(hostile *object);
int32_t hostile_misuses(void);
int32_t hostile_objects(void);

// Threads that call without pause until they are stopped (T3, E7). They call at least once each, and go on calling with
// the context for `extra` calls after hostile_storm_unregister.
typedef struct hostile_storm hostile_storm;
hostile_storm *hostile_storm_start(hostile_function function, void *context, int32_t threads, int32_t extra);
// Waits until each thread has called `calls` times.
void hostile_storm_wait(hostile_storm *storm, int32_t calls);
// Returns at once, while calls are under way.
void hostile_storm_unregister(hostile_storm *storm);
// Waits for the threads; the number of calls they made.
int64_t hostile_storm_join(hostile_storm *storm);

// Several contexts in one call (C5), and the same again.
typedef void (*hostile_merged)(void **contexts, int32_t count);
void hostile_unlock(hostile_merged function, void **contexts, int32_t count);

// A table of functions with one data pointer (C6). Reads, closes, and reads again: the bytes read.
typedef struct {
  ptrdiff_t (*read)(void *context, uint8_t *buffer, size_t size);
  int32_t (*close)(void *context);
} hostile_table;
ptrdiff_t hostile_read_all(const hostile_table *table, void *context, uint8_t *buffer, size_t size);

// No user data at all (C7): one global function, called with a line that is the callee's to free (V3); NULL is the end (E5).
typedef void (*hostile_line_handler)(char *line);
void hostile_install(hostile_line_handler handler);
void hostile_line(const char *text);
// Calls the handler that was installed last before, although it has been replaced.
void hostile_stale_line(const char *text);

// A result that the library takes over: it measures the string and frees it (R4).
typedef char *(*hostile_completion)(void *context, const char *text);
int32_t hostile_complete(hostile_completion function, void *context, const char *text);
typedef char **(*hostile_completions)(void *context, const char *text);
int32_t hostile_complete_all(hostile_completions function, void *context, const char *text);

// A comparator (R3), while the call runs (E8); and then once more, although it has returned.
typedef int32_t (*hostile_comparator)(void *context, const int32_t *left, const int32_t *right);
void hostile_sort(int32_t *values, size_t count, hostile_comparator comparator, void *context);
int32_t hostile_compare_late(void);

// Fills a buffer from the callback (R5) until it gives nothing: the sum of the bytes.
typedef size_t (*hostile_source)(void *context, uint8_t *buffer, size_t size);
int64_t hostile_drain(hostile_source source, void *context);

// A library that logs through a variadic function (V5) ...
typedef void (*hostile_log)(void *context, const char *format, ...);
void hostile_work(hostile_log log, void *context);
// ... and the shim: the variadic function that formats, and calls one of fixed arity.
typedef struct {
  void (*function)(void *context, const char *message);
  void *context;
} hostile_log_target;
void hostile_format(void *target, const char *format, ...);
// What a Swift program calls.
void hostile_work_formatted(void (*function)(void *context, const char *message), void *context);
/// Forks a child that calls `child` and exits with status 3. Returns its status.
int hostile_fork_and_exit(void (*child)(void));
#endif
