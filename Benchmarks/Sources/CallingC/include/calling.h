// A C library that calls back, as fast as it can.
#include <stdint.h>

typedef void (*calling_function)(void *context, int64_t value);

// Calls `count` times on the caller's thread.
void calling_loop(calling_function function, void *context, int64_t count);
// The same on a thread of its own, which is waited for by calling_join.
void calling_start(calling_function function, void *context, int64_t count);
void calling_join(void);
