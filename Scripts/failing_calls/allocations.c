// Preloaded into a program: lets the n-th allocation of libuv fail, and notes what libuv does then.
//
//   FAIL_ALLOCATION         the number of the allocation that fails; 0 for none
//   FAIL_ALLOCATION_RECORD  a file for the record below
//
// The allocator is replaced before main, so a program needs no code for this. Processes that the program starts are not
// affected.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct record {
  atomic_uint count;
  // Where the failed allocation was requested, and where libuv has ended the program. Each line names a function.
  char failed[2044];
  char ended[2048];
};

static struct record *record;
static unsigned failing;

// Writes the functions that are running. libuv's own names are not in its symbol table: then the line has an offset.
static void describe(char *text, size_t size) {
  void *frames[16];
  int count = backtrace(frames, 16);
  size_t length = 0;
  for (int i = 2; i < count && length < size; i++) {
    Dl_info info;
    if (!dladdr(frames[i], &info) || !info.dli_fname) continue;
    const char *file = strrchr(info.dli_fname, '/');
    file = file ? file + 1 : info.dli_fname;
    size_t offset = (size_t)((char *)frames[i] - (char *)info.dli_fbase);
    length += (size_t)snprintf(text + length, size - length, "%s+0x%zx %s\n", file, offset, info.dli_sname ? info.dli_sname : "");
  }
}

static bool allowed(void) {
  if (atomic_fetch_add(&record->count, 1) + 1 != failing) return true;
  describe(record->failed, sizeof record->failed);
  // libuv reports this one.
  errno = ENOMEM;
  return false;
}

static void *fail_malloc(size_t size) { return allowed() ? malloc(size) : NULL; }

static void *fail_calloc(size_t number, size_t size) { return allowed() ? calloc(number, size) : NULL; }

static void *fail_realloc(void *block, size_t size) { return allowed() ? realloc(block, size) : NULL; }

static bool is_libuv(void *address) {
  Dl_info info;
  return dladdr(address, &info) && info.dli_fname && strstr(info.dli_fname, "libuv");
}

// libuv ends the program with these two in some places.

__attribute__((noreturn)) void abort(void) {
  if (record && is_libuv(__builtin_return_address(0))) describe(record->ended, sizeof record->ended);
  void (*next)(void) = (void (*)(void))dlsym(RTLD_NEXT, "abort");
  next();
  __builtin_unreachable();
}

__attribute__((noreturn)) void __assert_fail(const char *text, const char *file, unsigned line, const char *function) {
  if (record && is_libuv(__builtin_return_address(0))) {
    snprintf(record->ended, sizeof record->ended, "assert in %s: %s\n", function, text);
  }
  fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, text);
  void (*next)(void) = (void (*)(void))dlsym(RTLD_NEXT, "abort");
  next();
  __builtin_unreachable();
}

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("FAIL_ALLOCATION_RECORD"), *number = getenv("FAIL_ALLOCATION");
  unsetenv("LD_PRELOAD");
  int (*replace)(void *, void *, void *, void *) = (int (*)(void *, void *, void *, void *))dlsym(RTLD_DEFAULT, "uv_replace_allocator");
  if (!path || !number || !replace) return;
  int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0 || ftruncate(descriptor, sizeof *record) != 0) return;
  void *map = mmap(NULL, sizeof *record, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (map == MAP_FAILED) return;
  failing = (unsigned)atoi(number);
  // The first call loads a library, which allocates.
  void *frame;
  backtrace(&frame, 1);
  record = map;
  replace(fail_malloc, fail_realloc, fail_calloc, free);
}
