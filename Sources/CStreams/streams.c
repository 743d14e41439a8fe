#include "streams.h"

_Thread_local uintptr_t headwater_thread_domain = 0;
