// Objects and single calls. See the header.
#include "hostile.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int misuses, objects;

typedef struct {
  hostile_function function;
  void *context;
  hostile_destroy destroy;
} registration;

struct hostile {
  registration current, stale;
  bool is_busy;
};

void hostile_call(hostile_function function, void *context, int32_t value) { function(context, value); }

void hostile_call_twice(hostile_function function, void *context, int32_t value) {
  function(context, value);
  function(context, value);
}

typedef struct {
  hostile_function function;
  hostile_question question;
  void *context;
  int32_t value, answer;
  pthread_barrier_t *barrier;
} thread_call;

static void *run_call(void *argument) {
  thread_call *call = argument;
  if (call->barrier) pthread_barrier_wait(call->barrier);
  if (call->question) {
    call->answer = call->question(call->context, call->value);
  } else {
    call->function(call->context, call->value);
  }
  return NULL;
}

void hostile_call_twice_at_once(hostile_function function, void *context) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t threads[2];
  thread_call calls[2];
  for (int i = 0; i < 2; i++) {
    calls[i] = (thread_call){function, NULL, context, i, 0, &barrier};
    pthread_create(&threads[i], NULL, run_call, &calls[i]);
  }
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&barrier);
}

static int32_t call_on_thread(thread_call call) {
  pthread_t thread;
  pthread_create(&thread, NULL, run_call, &call);
  pthread_join(thread, NULL);
  return call.answer;
}

void hostile_call_on_thread(hostile_function function, void *context, int32_t value) {
  call_on_thread((thread_call){function, NULL, context, value, 0, NULL});
}

int32_t hostile_ask(hostile_question function, void *context, int32_t value) { return function(context, value); }

int32_t hostile_ask_on_thread(hostile_question function, void *context, int32_t value) {
  return call_on_thread((thread_call){NULL, function, context, value, 0, NULL});
}

int32_t hostile_ask_until_no(hostile_question function, void *context, int32_t limit) {
  int32_t count = 0;
  while (count < limit && function(context, count++)) {}
  return count;
}

hostile *hostile_new(void) {
  atomic_fetch_add(&objects, 1);
  return calloc(1, sizeof(hostile));
}

void hostile_free(hostile *object) {
  registration last = object->current;
  free(object);
  atomic_fetch_sub(&objects, 1);
  if (last.destroy) last.destroy(last.context);
}

static registration swap(hostile *object, registration next) {
  object->stale = object->current;
  object->current = next;
  return object->stale;
}

void *hostile_replace(hostile *object, hostile_function function, void *context) {
  return swap(object, (registration){function, context, NULL}).context;
}

void hostile_set(hostile *object, hostile_function function, void *context, hostile_destroy destroy) {
  registration previous = swap(object, (registration){function, context, destroy});
  if (previous.destroy) previous.destroy(previous.context);
}

static void fire(registration target, int32_t value) {
  if (target.function) target.function(target.context, value);
}

void hostile_fire(hostile *object, int32_t value) { fire(object->current, value); }
void hostile_fire_stale(hostile *object, int32_t value) { fire(object->stale, value); }

void hostile_destroy_twice_and_fire(hostile *object) {
  registration target = object->current;
  target.destroy(target.context);
  target.destroy(target.context);
  fire(target, -1);
}

int32_t hostile_set_fails(
    hostile *object, hostile_function function, void *context, hostile_destroy destroy, int32_t calls, bool destroys) {
  for (int32_t i = 0; i < calls; i++) function(context, i);
  if (destroys) destroy(context);
  object->stale = (registration){function, context, destroy};
  return -1;
}

int32_t hostile_step(hostile *object, int32_t events) {
  if (object->is_busy) return atomic_fetch_add(&misuses, 1), -1;
  object->is_busy = true;
  for (int32_t i = 0; i < events; i++) fire(object->current, i);
  object->is_busy = false;
  return events;
}

int32_t hostile_query(hostile *object) {
  if (object->is_busy) atomic_fetch_add(&misuses, 1);
  return object->is_busy ? -1 : 0;
}

void hostile_free_unless_busy(hostile *object) {
  if (object->is_busy) {
    atomic_fetch_add(&misuses, 1);
  } else {
    hostile_free(object);
  }
}

int32_t hostile_misuses(void) { return atomic_load(&misuses); }
int32_t hostile_objects(void) { return atomic_load(&objects); }
