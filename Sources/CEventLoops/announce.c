// `Streams` knows nothing of loops, yet on the main thread a timer must find the main loop before the program has used it,
// and the main loop must serve an async main. Swift has no code that runs at load time; C has.
#include "event_loops.h"

#include "hooks.h"

/// In EventLoops, written in Swift.
extern void headwater_event_loops_announce(void);

__attribute__((constructor)) static void announce(void) {
  headwater_event_loops_announce();
  headwater_install_hooks();
}

void headwater_event_loops_link(void) {}
