// The C program that bench-loop compares with: the same workloads on libuv. Prints one number.
//   loop-c WORKLOAD [COUNT]
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

static double cpu(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

/// Returns the same pseudorandom numbers as the Swift program.
static uint64_t state = 1;
static uint64_t next_below(uint64_t bound) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (state >> 33) % bound;
}

static void check(int status, const char *call) {
  if (status < 0) {
    fprintf(stderr, "%s: %s\n", call, uv_strerror(status));
    exit(2);
  }
}

// Timers.

enum { timers = 1000000 };
static long total;

struct timeout {
  uv_timer_t timer;
  long number;
};

static void freed(uv_handle_t *handle) { free(handle); }

static void fired(uv_timer_t *timer) {
  total += ((struct timeout *)timer)->number;
  uv_close((uv_handle_t *)timer, freed);
}

static double timers_fire(void) {
  uv_loop_t *loop = uv_default_loop();
  double before = cpu(CLOCK_PROCESS_CPUTIME_ID);
  for (long number = 0; number < timers; number++) {
    struct timeout *timeout = malloc(sizeof *timeout);
    timeout->number = number;
    uv_timer_init(loop, &timeout->timer);
    uv_timer_start(&timeout->timer, fired, (next_below(1000000) + 999) / 1000, 0);
  }
  uv_run(loop, UV_RUN_DEFAULT);
  return (cpu(CLOCK_PROCESS_CPUTIME_ID) - before) / timers;
}

static double timers_cancel(void) {
  uv_loop_t *loop = uv_default_loop();
  struct timeout **pending = malloc(timers * sizeof *pending);
  double before = cpu(CLOCK_PROCESS_CPUTIME_ID);
  for (long number = 0; number < timers; number++) {
    struct timeout *timeout = malloc(sizeof *timeout);
    timeout->number = number;
    uv_timer_init(loop, &timeout->timer);
    uv_timer_start(&timeout->timer, fired, (30000000 + next_below(1000000) + 999) / 1000, 0);
    pending[number] = timeout;
  }
  for (long number = 0; number < timers; number++) uv_close((uv_handle_t *)pending[number], freed);
  uv_run(loop, UV_RUN_DEFAULT);
  return (cpu(CLOCK_PROCESS_CPUTIME_ID) - before) / timers;
}

// Posts: a list that a mutex protects, an allocation for each job, and one uv_async.

enum { posts = 2000000 };

struct job {
  struct job *next;
  void (*run)(long);
  long number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *first, **last = &first;
static uv_async_t async;
static uv_sem_t done;

static void add(long number) {
  if (number < 0) {
    uv_sem_post(&done);
    uv_close((uv_handle_t *)&async, NULL);
  } else {
    total += number;
  }
}

static void post(long number) {
  struct job *job = malloc(sizeof *job);
  job->next = NULL;
  job->run = add;
  job->number = number;
  pthread_mutex_lock(&lock);
  int was_empty = first == NULL;
  *last = job;
  last = &job->next;
  pthread_mutex_unlock(&lock);
  if (was_empty) uv_async_send(&async);
}

static void drain(uv_async_t *handle) {
  (void)handle;
  pthread_mutex_lock(&lock);
  struct job *job = first;
  first = NULL;
  last = &first;
  pthread_mutex_unlock(&lock);
  while (job) {
    struct job *next = job->next;
    job->run(job->number);
    free(job);
    job = next;
  }
}

static void *run_loop(void *loop) {
  uv_run(loop, UV_RUN_DEFAULT);
  return NULL;
}

static double post_capturing(void) {
  uv_loop_t *loop = uv_default_loop();
  uv_async_init(loop, &async, drain);
  uv_sem_init(&done, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, run_loop, loop);
  double before = cpu(CLOCK_MONOTONIC);
  for (long number = 0; number < posts; number++) post(number);
  post(-1);
  uv_sem_wait(&done);
  double taken = cpu(CLOCK_MONOTONIC) - before;
  pthread_join(thread, NULL);
  return taken / posts;
}

// TCP: 64 pairs with both ends on one loop, which send 64 bytes back and forth.

enum { pairs = 64, size = 64 };
static int tries;
static long round_trips;
static char reading[65536];
static uv_tcp_t listener;
static struct connection {
  uv_tcp_t tcp;
  int is_client;
} clients[pairs], servers[pairs];
/// A write and its bytes, which must live until they have been written. One for each write, as in libuv's examples.
struct writing {
  uv_write_t request;
  char message[];
};
static int accepted, connected;
static double echo_before;

static void closed_all(uv_handle_t *handle, void *context) {
  (void)context;
  if (!uv_is_closing(handle)) uv_close(handle, NULL);
}

static void wrote(uv_write_t *request, int status) {
  free(request);
  if (status != UV_ECANCELED) check(status, "uv_write");
}

static void send_back(struct connection *connection, const char *bytes, size_t count) {
  uv_buf_t buffer = uv_buf_init((char *)bytes, count);
  if (tries) {
    int written = uv_try_write((uv_stream_t *)&connection->tcp, &buffer, 1);
    if (written == (int)count) return;
    if (written < 0) written = 0;
    buffer = uv_buf_init((char *)bytes + written, count - written);
  }
  struct writing *writing = malloc(sizeof *writing + buffer.len);
  memcpy(writing->message, buffer.base, buffer.len);
  buffer.base = writing->message;
  uv_write(&writing->request, (uv_stream_t *)&connection->tcp, &buffer, 1, wrote);
}

static void allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
  (void)handle;
  (void)suggested;
  *buffer = uv_buf_init(reading, sizeof reading);
}

static void got(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
  struct connection *connection = (struct connection *)stream;
  if (count < 0) exit(3);
  if (connection->is_client && --round_trips <= 0) {
    uv_walk(stream->loop, closed_all, NULL);
    return;
  }
  send_back(connection, buffer->base, count);
}

static void start_if_ready(void) {
  if (accepted < pairs || connected < pairs) return;
  echo_before = cpu(CLOCK_PROCESS_CPUTIME_ID);
  char message[size];
  memset(message, 'x', size);
  for (int index = 0; index < pairs; index++) send_back(&clients[index], message, size);
}

static void did_connect(uv_connect_t *request, int status) {
  check(status, "uv_tcp_connect");
  uv_tcp_nodelay((uv_tcp_t *)request->handle, 1);
  uv_read_start(request->handle, allocate, got);
  connected++;
  start_if_ready();
}

static void did_listen(uv_stream_t *stream, int status) {
  check(status, "uv_listen");
  uv_tcp_t *tcp = &servers[accepted].tcp;
  uv_tcp_init(stream->loop, tcp);
  check(uv_accept(stream, (uv_stream_t *)tcp), "uv_accept");
  uv_tcp_nodelay(tcp, 1);
  uv_read_start((uv_stream_t *)tcp, allocate, got);
  accepted++;
  start_if_ready();
}

static double echo(long count, int tries_first) {
  uv_loop_t *loop = uv_default_loop();
  tries = tries_first;
  round_trips = count;
  struct sockaddr_in address;
  uv_ip4_addr("127.0.0.1", 0, &address);
  uv_tcp_init(loop, &listener);
  check(uv_tcp_bind(&listener, (struct sockaddr *)&address, 0), "uv_tcp_bind");
  check(uv_listen((uv_stream_t *)&listener, 511, did_listen), "uv_listen");
  int length = sizeof address;
  uv_tcp_getsockname(&listener, (struct sockaddr *)&address, &length);
  static uv_connect_t requests[pairs];
  for (int index = 0; index < pairs; index++) {
    clients[index].is_client = 1;
    uv_tcp_init(loop, &clients[index].tcp);
    check(uv_tcp_connect(&requests[index], &clients[index].tcp, (struct sockaddr *)&address, did_connect), "connect");
  }
  uv_run(loop, UV_RUN_DEFAULT);
  return (cpu(CLOCK_PROCESS_CPUTIME_ID) - echo_before) / count;
}

// Connections that another thread opens and closes: the processor time of the loop's thread for each.

static long accepting;
static double accept_before;

static void freed_accepted(uv_handle_t *handle) {
  if (--accepting == 0) uv_close((uv_handle_t *)&listener, NULL);
  free(handle);
}

static void got_end(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
  (void)buffer;
  if (count < 0) uv_close((uv_handle_t *)stream, freed_accepted);
}

static void did_accept(uv_stream_t *stream, int status) {
  check(status, "uv_listen");
  uv_tcp_t *tcp = malloc(sizeof *tcp);
  uv_tcp_init(stream->loop, tcp);
  check(uv_accept(stream, (uv_stream_t *)tcp), "uv_accept");
  uv_read_start((uv_stream_t *)tcp, allocate, got_end);
}

struct visits {
  struct sockaddr_in address;
  long count;
};

static void *visit(void *context) {
  struct visits *visits = context;
  for (long index = 0; index < visits->count; index++) {
    int client = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(client, (struct sockaddr *)&visits->address, sizeof visits->address) != 0) exit(4);
    // Avoids TIME_WAIT, because thousands of such sockets would use up the ports.
    struct linger linger = {1, 0};
    char byte;
    shutdown(client, SHUT_WR);
    if (read(client, &byte, 1) > 0) exit(5);
    setsockopt(client, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    close(client);
  }
  return NULL;
}

static double accept_close(long count) {
  uv_loop_t *loop = uv_default_loop();
  accepting = count;
  struct visits visits = {.count = count};
  uv_ip4_addr("127.0.0.1", 0, &visits.address);
  uv_tcp_init(loop, &listener);
  check(uv_tcp_bind(&listener, (struct sockaddr *)&visits.address, 0), "uv_tcp_bind");
  check(uv_listen((uv_stream_t *)&listener, 511, did_accept), "uv_listen");
  int length = sizeof visits.address;
  uv_tcp_getsockname(&listener, (struct sockaddr *)&visits.address, &length);
  pthread_t thread;
  pthread_create(&thread, NULL, visit, &visits);
  accept_before = cpu(CLOCK_THREAD_CPUTIME_ID);
  uv_run(loop, UV_RUN_DEFAULT);
  double taken = (cpu(CLOCK_THREAD_CPUTIME_ID) - accept_before) / count;
  pthread_join(thread, NULL);
  return taken;
}

int main(int count, char **arguments) {
  const char *name = count > 1 ? arguments[1] : "";
  long times = count > 2 ? atol(arguments[2]) : 200000;
  double result;
  if (!strcmp(name, "timers-fire")) result = timers_fire();
  else if (!strcmp(name, "timers-cancel")) result = timers_cancel();
  else if (!strcmp(name, "post-capturing")) result = post_capturing();
  else if (!strcmp(name, "echo")) result = echo(times, 0);
  else if (!strcmp(name, "echo-try")) result = echo(times, 1);
  else if (!strcmp(name, "accept")) result = accept_close(count > 2 ? times : 20000);
  else return 64;
  printf("%f\n", result);
  return 0;
}
