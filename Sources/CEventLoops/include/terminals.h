#pragma once

/// A terminal that was set to another mode, and what it was like before.
struct headwater_terminal;

/// Counts one more handle that sets the terminal behind `descriptor`. The first one saves what the terminal is like. NULL if
/// that cannot be read. Calls of this function and of headwater_leave_terminal must not overlap.
struct headwater_terminal *headwater_use_terminal(int descriptor);

/// Counts one less. The last one puts back what was saved.
void headwater_leave_terminal(struct headwater_terminal *terminal);

/// Whether other handles set the same terminal.
int headwater_terminal_is_shared(const struct headwater_terminal *terminal);

/// Puts back what was saved of each terminal that is in use. A signal handler may call it.
void headwater_reset_terminals(void);
