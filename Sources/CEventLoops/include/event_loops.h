#pragma once

/// Does nothing. Calling it keeps the linker from leaving out this target, which announces the main loop at load time.
void headwater_event_loops_link(void);

/// Whether the global executor still has jobs that the main thread has given to it, itself or through such jobs. If so,
/// headwater_event_loops_jobs_ended is called when the last one has run, once.
int headwater_await_jobs(void);
