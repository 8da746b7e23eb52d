/* SPDX-License-Identifier: MIT */
/* What the subcommands share: exit codes, option groups (argp children), interruption, messages. */
#ifndef PM_CLI_CLI_H
#define PM_CLI_CLI_H

#include "core/board.h"
#include "core/kernel.h"
#include "core/status.h"
#include "core/topology.h"

#include <argp.h>
#include <stdatomic.h>
#include <stdbool.h>

enum cli_exit {
    CLI_EXIT_OK = 0,
    CLI_EXIT_MISMATCH = 1,    /* a wrong count or move set */
    CLI_EXIT_USAGE = 2,       /* bad option, FEN or file */
    CLI_EXIT_ENVIRONMENT = 3, /* out of memory, can't write, can't pin, kernel can't run here */
    CLI_EXIT_NOTHING = 77,    /* nothing of what was asked for can run here (CTest: skipped) */
    CLI_EXIT_INTERRUPTED = 130
};

/* A subcommand. run() gets argv[0] = "plymark NAME" and returns an exit code. */
struct cli_command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
};

int cli_analyze(int argc, char **argv);
int cli_perft(int argc, char **argv);
int cli_divide(int argc, char **argv);
int cli_verify(int argc, char **argv);
int cli_diff(int argc, char **argv);
int cli_estimate(int argc, char **argv);
int cli_bench(int argc, char **argv);
int cli_deep(int argc, char **argv);
int cli_micro(int argc, char **argv);
int cli_game(int argc, char **argv);
int cli_generate(int argc, char **argv);
int cli_rating(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_list(int argc, char **argv);
int cli_info(int argc, char **argv);
int cli_setup(int argc, char **argv);
int cli_uci(int argc, char **argv);
int cli_topo(int argc, char **argv);

/* A path of the running program, to start it again. */
#define CLI_THIS_PROGRAM "/proc/self/exe"

/* Parses with argp; usage errors print one line on stderr and exit with CLI_EXIT_USAGE. */
void cli_parse(const struct argp *argp, int argc, char **argv, void *input);

/* In a parser: one line on stderr, exit with CLI_EXIT_USAGE. */
#define cli_usage(state, ...) argp_failure((state), CLI_EXIT_USAGE, 0, __VA_ARGS__)

/* A whole number in min … max, or cli_usage(). `what` names the option: "--depth". */
long cli_number(const struct argp_state *state, const char *what, const char *text, long min,
                long max);

/* Option groups: put each into the children of a command's argp and its struct into child_inputs.
 */

/* --cpu-mask LIST; no input (NULL). */
extern const struct argp cli_common_argp;

#define CLI_MAX_KERNELS 64

/* -k, --kernel NAME[,NAME…], repeatable. */
struct cli_kernels {
    const struct pm_kernel *kernels[CLI_MAX_KERNELS];
    int count;
};
extern const struct argp cli_kernels_argp;

/* In a parser: no kernel has that name; says which may have been meant, and exits. */
void cli_refuse_kernel(const struct argp_state *state, const char *name);

/* Initializes the chosen kernels; all that were built in if none was chosen, less those that this
 * machine lacks features for, each named on stderr. Returns CLI_EXIT_OK, CLI_EXIT_ENVIRONMENT when
 * a kernel chosen by name can't run here, or CLI_EXIT_NOTHING when none is left. */
int cli_kernels_ready(struct cli_kernels *kernels);

/* -p, --position FEN|NAME, --chess960, --lenient. The start position if not given. */
struct cli_position {
    const char *text;
    unsigned options; /* enum pm_fen_option bits */
    struct pm_position position;
    bool chess960; /* write castling as king takes rook: asked for, or the position needs it */
};
extern const struct argp cli_position_argp;

/* Reads the text. Returns CLI_EXIT_OK or CLI_EXIT_USAGE after a line on stderr; warnings go there
 * too. */
int cli_position_ready(struct cli_position *position);

/* -t, --threads N|all and --pin core|thread|none|LIST. threads is 0 for "all that --pin gives". */
struct cli_threads {
    int threads; /* set the command's default before parsing */
    struct pm_pin pin;
};
extern const struct argp cli_threads_argp;

/* How many threads that means on a machine. */
int cli_threads_on(const struct cli_threads *threads, const struct pm_topology *topology);

/* The same on this machine, for commands that do not pin. */
enum pm_status cli_thread_count(const struct cli_threads *threads, int *count,
                                struct pm_error *error);

/* SIGINT and SIGTERM set the flag from now on; a second one ends the program at once. */
const atomic_bool *cli_catch_interrupt(void);

/* After so many seconds it is as if the user had interrupted, with a line that says why. */
void cli_limit_time(unsigned seconds);

/* Prints "plymark COMMAND: text" on stderr and returns the exit code that fits the status. */
int cli_fail(const char *command, const struct pm_error *error);

#endif
