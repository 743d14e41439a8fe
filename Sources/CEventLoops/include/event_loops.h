#pragma once

/// Does nothing. Calling it keeps the linker from leaving out this target, which announces the main loop at load time.
void headwater_event_loops_link(void);

/// Between the two calls, the first job that this thread would give to the global executor is put into *job instead: the
/// caller runs it. A task that resumes on the thread where it lives needs no other thread for that.
void headwater_begin_capture(void **job);
void headwater_end_capture(void);

/// Whether the global executor still has jobs that the main thread has given to it, itself or through such jobs. If so,
/// headwater_event_loops_jobs_ended is called when the last one has run, once.
int headwater_await_jobs(void);
