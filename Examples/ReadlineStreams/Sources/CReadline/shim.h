#pragma once
#include <stdio.h>
#include <readline/readline.h>
#include <readline/history.h>

// Readline is set up through global variables, which Swift 6 does not let anybody touch.

/// Has readline read from and write to these files; NULL stands for standard input and output.
static inline void headwater_rl_set_streams(FILE *input, FILE *output) {
  rl_instream = input ? input : stdin;
  rl_outstream = output ? output : stdout;
}

/// Has `function` give the completions, and nobody else; NULL has readline complete file names again.
static inline void headwater_rl_set_completion(rl_completion_func_t *function) {
  rl_attempted_completion_function = function;
}

/// For the completion function: file names are not tried when it has none.
static inline void headwater_rl_end_completion(void) { rl_attempted_completion_over = 1; }

/// Leaves signals to the program.
static inline void headwater_rl_ignore_signals(void) {
  rl_catch_signals = 0;
  rl_catch_sigwinch = 0;
}

/// What has been typed of the line.
static inline const char *headwater_rl_line(void) { return rl_line_buffer; }

/// Writes a line above the one that is being edited.
static inline void headwater_rl_print_above(const char *text) {
  rl_clear_visible_line();
  fprintf(rl_outstream, "%s\n", text);
  rl_on_new_line();
  rl_redisplay();
  fflush(rl_outstream);
}
