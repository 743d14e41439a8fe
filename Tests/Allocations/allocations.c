// Counts by wrapping glibc's allocator: the symbols of the executable take precedence over those of the library.
// With a sanitizer, which wraps the allocator itself, or with another C library, nothing is counted.
#include "allocations.h"

#include <stdatomic.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif

#if defined(__GLIBC__) && !defined(SANITIZED)
#include <malloc.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

// Each thread has its own counter, because an atomic addition would cost as much as a small allocation.
struct counter {
  size_t blocks;
  ssize_t bytes;
};

enum { limit = 4096 };
static struct counter counters[limit];
static atomic_size_t threads;
static __thread struct counter *own;
// Of this thread alone: threads share the others when there have been more of them than counters.
static __thread struct counter here;

static struct counter *counter(void) {
  if (!own) own = &counters[atomic_fetch_add(&threads, 1) % limit];
  return own;
}

static void *counted(void *block) {
  struct counter *mine = counter();
  ssize_t bytes = (ssize_t)malloc_usable_size(block);
  mine->blocks++;
  mine->bytes += bytes;
  here.blocks++;
  here.bytes += bytes;
  return block;
}

bool allocations_are_counted(void) { return true; }

size_t allocations_so_far(void) {
  size_t sum = 0;
  for (size_t i = 0; i < limit && i < atomic_load(&threads); i++) sum += counters[i].blocks;
  return sum;
}

size_t allocations_so_far_here(void) { return here.blocks; }

ssize_t allocated_bytes_here(void) { return here.bytes; }

ssize_t allocated_bytes(void) {
  ssize_t sum = 0;
  for (size_t i = 0; i < limit && i < atomic_load(&threads); i++) sum += counters[i].bytes;
  return sum;
}

static void release(void *block) {
  ssize_t bytes = (ssize_t)malloc_usable_size(block);
  counter()->bytes -= bytes;
  here.bytes -= bytes;
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }

void *calloc(size_t number, size_t size) { return counted(__libc_calloc(number, size)); }

void *realloc(void *block, size_t size) {
  release(block);
  return counted(__libc_realloc(block, size));
}

void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

int posix_memalign(void **block, size_t alignment, size_t size) {
  void *memory = counted(__libc_memalign(alignment, size));
  if (!memory) return 12;
  *block = memory;
  return 0;
}

void free(void *block) {
  release(block);
  __libc_free(block);
}

#else

bool allocations_are_counted(void) { return false; }
size_t allocations_so_far(void) { return 0; }
size_t allocations_so_far_here(void) { return 0; }
ssize_t allocated_bytes(void) { return 0; }
ssize_t allocated_bytes_here(void) { return 0; }

#endif
