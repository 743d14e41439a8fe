#pragma once
#include <stdio.h>
#include <readline/readline.h>
#include <readline/history.h>

// Swift 6 does not allow access to the global variables that configure readline. These functions set them.

/// Sets the files that readline reads and writes. NULL means standard input or output.
static inline void headwater_rl_set_streams(FILE *input, FILE *output) {
  rl_instream = input ? input : stdin;
  rl_outstream = output ? output : stdout;
}

/// Keeps readline from completing file names if the completion function, which calls this, returns no completions.
static inline void headwater_rl_end_completion(void) { rl_attempted_completion_over = 1; }

/// Keeps readline from handling signals.
static inline void headwater_rl_ignore_signals(void) {
  rl_catch_signals = 0;
  rl_catch_sigwinch = 0;
}

/// Returns the line that is being edited.
static inline const char *headwater_rl_line(void) { return rl_line_buffer; }

/// Prints `text` above the line that is being edited.
static inline void headwater_rl_print_above(const char *text) {
  rl_clear_visible_line();
  fprintf(rl_outstream, "%s\n", text);
  rl_on_new_line();
  rl_redisplay();
  fflush(rl_outstream);
}
