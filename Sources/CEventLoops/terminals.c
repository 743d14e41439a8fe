#include "terminals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

struct headwater_terminal {
  struct headwater_terminal *next;
  dev_t device;
  /// A descriptor of its own, which lasts longer than those of the handles.
  int descriptor;
  int users;
  /// True while `descriptor` and `before` may be read by a signal handler.
  atomic_bool is_saved;
  struct termios before;
};

/// Entries are used again and never freed, so a signal handler can walk the list at any time.
static _Atomic(struct headwater_terminal *) terminals;

struct headwater_terminal *headwater_use_terminal(int descriptor) {
  struct stat status;
  struct termios before;
  if (fstat(descriptor, &status) != 0 || tcgetattr(descriptor, &before) != 0) return NULL;
  struct headwater_terminal *unused = NULL;
  for (struct headwater_terminal *each = atomic_load(&terminals); each; each = each->next) {
    if (each->users == 0) {
      unused = each;
    } else if (each->device == status.st_rdev) {
      each->users++;
      return each;
    }
  }
  int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) return NULL;
  struct headwater_terminal *terminal = unused ? unused : calloc(1, sizeof *terminal);
  if (!terminal) {
    close(copy);
    return NULL;
  }
  terminal->device = status.st_rdev;
  terminal->descriptor = copy;
  terminal->before = before;
  terminal->users = 1;
  atomic_store(&terminal->is_saved, true);
  if (!unused) {
    terminal->next = atomic_load(&terminals);
    atomic_store(&terminals, terminal);
  }
  return terminal;
}

void headwater_leave_terminal(struct headwater_terminal *terminal) {
  if (--terminal->users > 0) return;
  tcsetattr(terminal->descriptor, TCSANOW, &terminal->before);
  atomic_store(&terminal->is_saved, false);
  close(terminal->descriptor);
}

int headwater_terminal_is_shared(const struct headwater_terminal *terminal) { return terminal->users > 1; }

void headwater_reset_terminals(void) {
  int error = errno;
  for (struct headwater_terminal *each = atomic_load(&terminals); each; each = each->next) {
    if (atomic_load(&each->is_saved)) tcsetattr(each->descriptor, TCSANOW, &each->before);
  }
  errno = error;
}
