/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include "core/cpu.h"
#include "core/fen.h"
#include "core/nearest.h"
#include "core/position.h"
#include "core/quote.h"
#include "kernels/registry.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cli_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    argp_err_exit_status = CLI_EXIT_USAGE;
    argp_parse(argp, argc, argv, 0, NULL, input);
}

long cli_number(const struct argp_state *state, const char *what, const char *text, long min,
                long max)
{
    char *end;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno == ERANGE || value < min || value > max)
        cli_usage(state, "%s is \"%s\": a whole number from %ld to %ld is needed", what, text, min,
                  max);
    return value;
}

/* --cpu-mask */

static error_t parse_common(int key, char *argument, struct argp_state *state)
{
    struct pm_error error;
    if (key != 'M')
        return ARGP_ERR_UNKNOWN;
    if (pm_cpu_mask(argument, &error) != PM_OK)
        cli_usage(state, "--cpu-mask: %s", error.text);
    return 0;
}

static const struct argp_option common_options[] = {
    {"cpu-mask", 'M', "FEATURES", 0,
     "Do as if the CPU lacked these features (bmi2,avx2…, or all); also taken from the environment "
     "variable PLYMARK_CPU_MASK",
     90},
    {0},
};
const struct argp cli_common_argp = {.options = common_options, .parser = parse_common};

/* -k */

static void add_kernel(struct cli_kernels *kernels, const struct pm_kernel *kernel,
                       const struct argp_state *state)
{
    for (int i = 0; i < kernels->count; i++)
        if (kernels->kernels[i] == kernel)
            return;
    if (kernels->count == CLI_MAX_KERNELS)
        cli_usage(state, "--kernel: more than %d kernels", CLI_MAX_KERNELS);
    kernels->kernels[kernels->count++] = kernel;
}

void cli_refuse_kernel(const struct argp_state *state, const char *name)
{
    char best[64] = "", question[96] = "", quoted[PM_QUOTE_SIZE];
    unsigned distance = UINT_MAX;
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++)
        pm_nearest(name, (*kernel)->name, &distance, best, sizeof best);
    if (best[0] != '\0')
        snprintf(question, sizeof question, "did you mean %s? ", best);
    cli_usage(state, "--kernel: no kernel is named %s; %s`plymark list` shows them",
              pm_quote(name, strlen(name), quoted), question);
}

static void add_named(struct cli_kernels *kernels, const char *name, const struct argp_state *state)
{
    const struct pm_kernel *named[PM_KERNELS_MAX];
    const int count = pm_kernels_named(name, named);
    if (count == 0)
        cli_refuse_kernel(state, name);
    for (int i = 0; i < count; i++)
        add_kernel(kernels, named[i], state);
}

static error_t parse_kernels(int key, char *argument, struct argp_state *state)
{
    if (key != 'k')
        return ARGP_ERR_UNKNOWN;
    char *rest = argument;
    for (char *name = strsep(&rest, ","); name != NULL; name = strsep(&rest, ","))
        add_named(state->input, name, state);
    return 0;
}

static const struct argp_option kernels_options[] = {
    {"kernel", 'k', "NAME[,NAME...]", 0,
     "Kernels to use (default: all that run here, less the families, such as sliders)", 10},
    {0},
};
const struct argp cli_kernels_argp = {.options = kernels_options, .parser = parse_kernels};

static enum pm_status make_ready(const struct pm_kernel *kernel)
{
    struct pm_error error;
    const enum pm_status status = pm_kernel_ready(kernel, &error);
    if (status != PM_OK)
        fprintf(stderr, "plymark: %s\n", error.text);
    return status;
}

/* Keeps those that run here. */
static int make_all_ready(struct cli_kernels *kernels)
{
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++) {
        if (pm_kernel_has_family(*kernel) || kernels->count == CLI_MAX_KERNELS)
            continue;
        const enum pm_status status = make_ready(*kernel);
        if (status != PM_OK && status != PM_ERROR_UNSUPPORTED)
            return CLI_EXIT_ENVIRONMENT;
        if (status == PM_OK)
            kernels->kernels[kernels->count++] = *kernel;
    }
    return kernels->count > 0 ? CLI_EXIT_OK : CLI_EXIT_NOTHING;
}

int cli_kernels_ready(struct cli_kernels *kernels)
{
    int missing = 0, failed = 0;
    if (kernels->count == 0)
        return make_all_ready(kernels);
    for (int i = 0; i < kernels->count; i++) {
        const enum pm_status status = make_ready(kernels->kernels[i]);
        missing += status == PM_ERROR_UNSUPPORTED;
        failed += status != PM_OK;
    }
    if (missing == kernels->count)
        return CLI_EXIT_NOTHING;
    return failed > 0 ? CLI_EXIT_ENVIRONMENT : CLI_EXIT_OK;
}

/* -p */

enum { KEY_CHESS960 = 256, KEY_LENIENT, KEY_PIN };

static error_t parse_position(int key, char *argument, struct argp_state *state)
{
    struct cli_position *position = state->input;
    switch (key) {
    case 'p':
        position->text = argument;
        return 0;
    case KEY_CHESS960:
        position->options |= PM_FEN_CHESS960;
        position->chess960 = true;
        return 0;
    case KEY_LENIENT:
        position->options |= PM_FEN_LENIENT;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option position_options[] = {
    {"position", 'p', "FEN|NAME", 0,
     "Position: a FEN, or startpos, kiwipete, cpw3, cpw4, cpw5, cpw6 (default: startpos)", 20},
    {"chess960", KEY_CHESS960, NULL, 0, "Castling from any files; written as king takes rook", 20},
    {"lenient", KEY_LENIENT, NULL, 0,
     "Accept incomplete FENs and positions that no game reaches, with a warning", 20},
    {0},
};
const struct argp cli_position_argp = {.options = position_options, .parser = parse_position};

static void say_warnings(unsigned warnings)
{
    for (unsigned bit = 1; bit != 0; bit <<= 1)
        if (warnings & bit)
            fprintf(stderr, "plymark: warning: %s\n", pm_fen_warning_text(bit));
}

int cli_position_ready(struct cli_position *position)
{
    struct pm_error error;
    unsigned warnings = 0;
    if (position->text == NULL)
        position->text = "startpos";
    if (pm_fen_read_named(position->text, position->options, &position->position, &warnings,
                          &error) != PM_OK) {
        fprintf(stderr, "plymark: %s\n", error.text);
        return CLI_EXIT_USAGE;
    }
    say_warnings(warnings);
    if (!pm_position_is_standard(&position->position))
        position->chess960 = true;
    return CLI_EXIT_OK;
}

/* -t and --pin */

static error_t parse_threads(int key, char *argument, struct argp_state *state)
{
    struct cli_threads *threads = state->input;
    struct pm_error error;
    switch (key) {
    case 't':
        threads->threads = strcmp(argument, "all") == 0
                               ? 0
                               : (int)cli_number(state, "--threads", argument, 1, 4096);
        return 0;
    case KEY_PIN:
        if (pm_pin_read(argument, &threads->pin, &error) != PM_OK)
            cli_usage(state, "--pin: %s", error.text);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option threads_options[] = {
    {"threads", 't', "N|all", 0, "Threads (all: as many as --pin has places)", 30},
    {"pin", KEY_PIN, "POLICY", 0,
     "core: one thread a core before SMT siblings; thread: siblings together; none; or a CPU list "
     "such as 0,2,4-7 (default: core)",
     30},
    {0},
};
const struct argp cli_threads_argp = {.options = threads_options, .parser = parse_threads};

/* Interruption */

static atomic_bool interrupted;

static void on_signal(int signal_number)
{
    if (atomic_exchange(&interrupted, true)) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
}

const atomic_bool *cli_catch_interrupt(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &interrupted;
}

/* Text from outside shall not steer the terminal: control characters, those of one byte and those
 * of two in UTF-8, are written as \xNN. */
static void put_safely(const char *text, FILE *file)
{
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        const bool is_wide_control = c[0] == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0;
        if (*c >= ' ' && *c != 0x7F && !is_wide_control)
            fputc(*c, file);
        else
            fprintf(file, "\\x%02X", *c);
    }
}

static void on_alarm(int number)
{
    static const char text[] = "plymark: the time budget is used up\n";
    (void)number;
    atomic_store(&interrupted, true);
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        return;
}

void cli_limit_time(unsigned seconds)
{
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    alarm(seconds);
}

int cli_fail(const char *command, const struct pm_error *error)
{
    fprintf(stderr, "plymark %s: ", command);
    put_safely(error->text, stderr);
    fputc('\n', stderr);
    switch (error->status) {
    case PM_OK:
        return CLI_EXIT_OK;
    case PM_ERROR_MISMATCH:
        return CLI_EXIT_MISMATCH;
    case PM_ERROR_ARGUMENT:
    case PM_ERROR_PARSE:
    case PM_ERROR_POSITION:
    case PM_ERROR_ILLEGAL:
        return CLI_EXIT_USAGE;
    case PM_ERROR_INTERRUPTED:
        return CLI_EXIT_INTERRUPTED;
    default:
        return CLI_EXIT_ENVIRONMENT;
    }
}

int cli_threads_on(const struct cli_threads *threads, const struct pm_topology *topology)
{
    return threads->threads > 0 ? threads->threads
                                : pm_pin_default_threads(topology, &threads->pin);
}

enum pm_status cli_thread_count(const struct cli_threads *threads, int *count,
                                struct pm_error *error)
{
    struct pm_topology *topology = NULL;
    *count = threads->threads;
    if (*count > 0)
        return PM_OK;
    const enum pm_status status = pm_topology_open(&topology, error);
    if (status == PM_OK)
        *count = cli_threads_on(threads, topology);
    pm_topology_close(topology);
    return status;
}
