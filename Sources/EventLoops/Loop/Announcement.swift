import CEventLoops
import Streams

/// Called when the program is loaded: time-based operators that are observed on the main thread use the main loop's clock,
/// also before the loop has been touched.
@_cdecl("headwater_event_loops_announce")
func announceMainLoop() { HomeThread.setMainScheduler { Loop.main.scheduler } }

/// Refers to the code that calls the function above, so that it is linked.
func linkAnnouncement() { headwater_event_loops_link() }
