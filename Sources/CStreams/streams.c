#include "streams.h"

_Thread_local uintptr_t headwater_thread_domain = 0;

_Thread_local void *headwater_thread_subscriptions __attribute__((tls_model("initial-exec")));
