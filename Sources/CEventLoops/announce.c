// `Streams` knows nothing of loops, yet on the main thread a timer must find the main loop before anybody has touched it.
// Swift has no code that runs at load time; C has.
#include "event_loops.h"

/// In EventLoops, written in Swift.
extern void headwater_event_loops_announce(void);

__attribute__((constructor)) static void announce(void) { headwater_event_loops_announce(); }

void headwater_event_loops_link(void) {}
