// Threads that call. See the header.
#include "hostile.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct hostile_storm {
  hostile_function function;
  void *context;
  int32_t extra, count;
  atomic_bool is_unregistered;
  atomic_llong calls;
  pthread_t *threads;
  atomic_int *each;
};

typedef struct {
  hostile_storm *storm;
  int32_t index;
} worker;

static void *work(void *argument) {
  worker me = *(worker *)argument;
  free(argument);
  hostile_storm *storm = me.storm;
  int32_t number = 0, late = 0;
  while (late < storm->extra || !atomic_load(&storm->is_unregistered)) {
    if (atomic_load(&storm->is_unregistered)) late++;
    storm->function(storm->context, number++);
    atomic_fetch_add(&storm->calls, 1);
    atomic_fetch_add(&storm->each[me.index], 1);
    // Where threads are more than cores the others get their turn.
    sched_yield();
  }
  return NULL;
}

hostile_storm *hostile_storm_start(hostile_function function, void *context, int32_t threads, int32_t extra) {
  hostile_storm *storm = calloc(1, sizeof *storm);
  storm->function = function;
  storm->context = context;
  storm->extra = extra;
  storm->count = threads;
  storm->threads = calloc((size_t)threads, sizeof *storm->threads);
  storm->each = calloc((size_t)threads, sizeof *storm->each);
  for (int32_t i = 0; i < threads; i++) {
    worker *one = malloc(sizeof *one);
    *one = (worker){storm, i};
    pthread_create(&storm->threads[i], NULL, work, one);
  }
  return storm;
}

void hostile_storm_wait(hostile_storm *storm, int32_t calls) {
  for (int32_t i = 0; i < storm->count; i++) {
    while (atomic_load(&storm->each[i]) < calls) sched_yield();
  }
}

void hostile_storm_unregister(hostile_storm *storm) { atomic_store(&storm->is_unregistered, true); }

int64_t hostile_storm_join(hostile_storm *storm) {
  hostile_storm_unregister(storm);
  for (int32_t i = 0; i < storm->count; i++) pthread_join(storm->threads[i], NULL);
  int64_t calls = atomic_load(&storm->calls);
  free(storm->threads);
  free(storm->each);
  free(storm);
  return calls;
}
