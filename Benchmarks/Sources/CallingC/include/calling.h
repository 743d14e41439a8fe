// A C library that calls a callback as fast as it can.
#include <stdint.h>

typedef void (*calling_function)(void *context, int64_t value);

// Calls `function` `count` times on the calling thread.
void calling_loop(calling_function function, void *context, int64_t count);
// Calls `function` `count` times on a new thread. calling_join waits for that thread.
void calling_start(calling_function function, void *context, int64_t count);
void calling_join(void);
