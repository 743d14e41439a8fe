#pragma once

/// Does nothing. Calling it keeps the linker from leaving out this target, which announces the main loop at load time.
void headwater_event_loops_link(void);
