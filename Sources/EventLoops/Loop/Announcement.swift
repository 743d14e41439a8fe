import CEventLoops
import CUV
import Streams

/// Called when the program is loaded. Streams find the main loop and the package's own loop through it, even if the
/// program has used neither yet.
@_cdecl("headwater_event_loops_announce")
func announceLoops() {
  keepLibraryUntilExit()
  HomeThread.setLoops(
    LoopProvider(
      mainScheduler: { Loop.main.scheduler },
      mainHome: { Loop.main.mailbox },
      shared: { Queue.shared.mailbox }))
}

/// Keeps `exit` from destroying libuv's thread pool and signal pipe while the threads of loops still run.
///
/// Those threads would abort the program, and a job of the pool that never returns would keep the program from ending.
/// libuv's destructor runs once only; here it has nothing to release yet.
private func keepLibraryUntilExit() { uv_library_shutdown() }

/// Called by the concurrency runtime when the main function of an async program suspends for the first time.
@_cdecl("headwater_event_loops_serve_async_main")
func serveAsyncMain() { Loop.serveAsyncMain() }

/// Called on any thread when the global executor has run all jobs that the main thread gave to it.
@_cdecl("headwater_event_loops_jobs_ended")
func jobsEnded() {
  _ = MainQueue.mailbox.post {
    guard let loop = MainQueue.mailbox.loop else { return }
    loop.service.awaitsJobs = false
    loop.updateReference()
  }
}

/// The priority of a job of the concurrency runtime, which is libdispatch's quality of service.
@_cdecl("headwater_event_loops_job_priority")
func jobPriority(_ job: UnsafeMutableRawPointer) -> UInt8 { unsafeBitCast(job, to: UnownedJob.self).priority.rawValue }

/// Refers to the code that calls the functions above, so that it is linked.
func linkAnnouncement() { headwater_event_loops_link() }
