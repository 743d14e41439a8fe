#pragma once

/// Does nothing. Calling it keeps the linker from leaving out this target, which announces the main loop at load time.
void headwater_event_loops_link(void);

/// Between the two calls, the first job that this thread would give to the global executor is put into *job instead: the
/// caller runs it. A task that resumes on the thread where it lives needs no other thread for that.
void headwater_begin_capture(void **job);
void headwater_end_capture(void);

/// Whether jobs still run elsewhere that the main thread has given away, itself or through such jobs. If so,
/// headwater_event_loops_jobs_ended is called when the last one has run, once.
int headwater_await_jobs(void);

/// Counts one more such job if the caller is such a job or the main thread, and says whether it did. The caller then calls
/// headwater_release_jobs once, on any thread.
int headwater_hold_jobs(void);
void headwater_release_jobs(void);

/// From now on, jobs that this thread gives away are counted, or not. Returns what was true before.
int headwater_count_jobs(int is_wanted);
