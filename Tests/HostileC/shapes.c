// Tables, lines, results and buffers. See the header.
#include "hostile.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hostile_unlock(hostile_merged function, void **contexts, int32_t count) {
  function(contexts, count);
  function(contexts, count);
}

ptrdiff_t hostile_read_all(const hostile_table *table, void *context, uint8_t *buffer, size_t size) {
  ptrdiff_t total = 0, count;
  while ((count = table->read(context, buffer + total, size - (size_t)total)) > 0) total += count;
  table->close(context);
  table->close(context);
  // Answers -1, or the file is not closed.
  return table->read(context, buffer, size) == -1 ? total : -2;
}

static hostile_line_handler handler, stale_handler;

void hostile_install(hostile_line_handler next) {
  stale_handler = handler;
  handler = next;
}

static void send_line(hostile_line_handler target, const char *text) {
  if (target) target(text ? strdup(text) : NULL);
}

void hostile_line(const char *text) { send_line(handler, text); }
void hostile_stale_line(const char *text) { send_line(stale_handler, text); }

int32_t hostile_complete(hostile_completion function, void *context, const char *text) {
  char *result = function(context, text);
  int32_t length = result ? (int32_t)strlen(result) : -1;
  free(result);
  return length;
}

int32_t hostile_complete_all(hostile_completions function, void *context, const char *text) {
  char **results = function(context, text);
  int32_t length = 0;
  for (char **result = results; *result; result++) {
    length += (int32_t)strlen(*result);
    free(*result);
  }
  free(results);
  return length;
}

static hostile_comparator last_comparator;
static void *last_context;

void hostile_sort(int32_t *values, size_t count, hostile_comparator comparator, void *context) {
  last_comparator = comparator;
  last_context = context;
  for (size_t i = 1; i < count; i++) {
    for (size_t j = i; j > 0 && comparator(context, &values[j], &values[j - 1]) < 0; j--) {
      int32_t value = values[j];
      values[j] = values[j - 1];
      values[j - 1] = value;
    }
  }
}

int32_t hostile_compare_late(void) {
  int32_t values[2] = {1, 2};
  return last_comparator(last_context, &values[0], &values[1]);
}

int64_t hostile_drain(hostile_source source, void *context) {
  uint8_t buffer[7];
  int64_t sum = 0;
  size_t count;
  while ((count = source(context, buffer, sizeof buffer)) > 0) {
    for (size_t i = 0; i < count; i++) sum += buffer[i];
  }
  return sum;
}

void hostile_work(hostile_log log, void *context) {
  log(context, "%s: %d of %d", "working", 1, 2);
  log(context, "100%%");
}

void hostile_format(void *target, const char *format, ...) {
  char message[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  const hostile_log_target *log = target;
  log->function(log->context, message);
}

void hostile_work_formatted(void (*function)(void *context, const char *message), void *context) {
  hostile_log_target target = {function, context};
  hostile_work(hostile_format, &target);
}
