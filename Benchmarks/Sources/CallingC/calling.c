#include "calling.h"
#include <pthread.h>

void calling_loop(calling_function function, void *context, int64_t count) {
  for (int64_t i = 0; i < count; i++) function(context, i);
}

static pthread_t thread;
static calling_function thread_function;
static void *thread_context;
static int64_t thread_count;

static void *run(void *unused) {
  calling_loop(thread_function, thread_context, thread_count);
  return unused;
}

void calling_start(calling_function function, void *context, int64_t count) {
  thread_function = function;
  thread_context = context;
  thread_count = count;
  pthread_create(&thread, 0, run, 0);
}

void calling_join(void) { pthread_join(thread, 0); }
