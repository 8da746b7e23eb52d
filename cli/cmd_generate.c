/* SPDX-License-Identifier: MIT */
/* `plymark generate`: random games and positions. Item i depends on nothing but the seed and i, so
 * threads make them in packs, which are written in order: the same bytes on any machine. */
#include "cli/cli.h"
#include "core/fen.h"
#include "core/parallel.h"
#include "kernels/registry.h"
#include "rules/random_game.h"
#include "verify/generator.h"
#include "verify/ordered_mover.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PACK_GAMES = 64, PACK_POSITIONS = 1024, BATCH = 32, DEFAULT_PLIES = 160, MAX_PLIES = 20000 };

struct generate_options {
    struct cli_kernels kernels;
    struct cli_threads threads;
    bool games;
    uint64_t count;
    struct pm_random_games rules;
    enum pm_theme themes[PM_THEME_COUNT];
    unsigned theme_count;
    bool is_plies_given, with_ids;
};

/* ---- Options ---- */

enum { KEY_SEED = 256, KEY_PLIES, KEY_THEMES, KEY_IDS };

/* Names on the command line are the themes' texts without blanks and commas. */
static char *theme_word(enum pm_theme theme, char word[64])
{
    size_t length = 0;
    for (const char *at = pm_theme_text(theme); *at != '\0' && length < 63; at++)
        if (*at == ' ')
            word[length++] = '-';
        else if (*at != ',')
            word[length++] = *at;
    word[length] = '\0';
    return word;
}

static void add_theme(struct generate_options *options, const char *name,
                      const struct argp_state *state)
{
    char word[64];
    for (unsigned theme = 0; theme < PM_THEME_COUNT; theme++) {
        if (strcmp(theme_word((enum pm_theme)theme, word), name) != 0)
            continue;
        for (unsigned i = 0; i < options->theme_count; i++)
            if (options->themes[i] == (enum pm_theme)theme)
                return;
        options->themes[options->theme_count++] = (enum pm_theme)theme;
        return;
    }
    cli_usage(state, "--themes: no theme is named \"%s\"; `plymark generate --help` lists them",
              name);
}

static void parse_themes(char *argument, struct generate_options *options,
                         const struct argp_state *state)
{
    for (char *name = strsep(&argument, ","); name != NULL; name = strsep(&argument, ","))
        add_theme(options, name, state);
}

static void check_options(struct generate_options *options, const struct argp_state *state)
{
    if (state->arg_num == 0)
        cli_usage(state, "what to make is missing: games or positions");
    if (options->count == 0)
        cli_usage(state, "the number is missing: -n N");
    if (options->games && (options->theme_count > 0 || options->with_ids))
        cli_usage(state, "--themes and --ids are for positions");
    if (!options->games && options->is_plies_given)
        cli_usage(state, "--plies is for games");
    if (options->kernels.count > 1)
        cli_usage(state, "--kernel names %d kernels: one is needed", options->kernels.count);
}

static void parse_what(const char *argument, struct generate_options *options,
                       const struct argp_state *state)
{
    options->games = strcmp(argument, "games") == 0;
    if (state->arg_num > 0)
        cli_usage(state, "\"%s\" is too much: games or positions is needed, once", argument);
    if (!options->games && strcmp(argument, "positions") != 0)
        cli_usage(state, "\"%s\" can't be made: games or positions is needed", argument);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct generate_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->kernels;
        state->child_inputs[1] = &options->threads;
        return 0;
    case 'n':
        options->count = (uint64_t)cli_number(state, "--number", argument, 1, INT64_MAX);
        return 0;
    case KEY_SEED:
        options->rules.seed = (uint64_t)cli_number(state, "--seed", argument, 0, INT64_MAX);
        return 0;
    case KEY_PLIES:
        options->rules.max_plies = (unsigned)cli_number(state, "--plies", argument, 1, MAX_PLIES);
        options->is_plies_given = true;
        return 0;
    case KEY_THEMES:
        parse_themes(argument, options, state);
        return 0;
    case KEY_IDS:
        options->with_ids = true;
        return 0;
    case ARGP_KEY_ARG:
        parse_what(argument, options, state);
        return 0;
    case ARGP_KEY_END:
        check_options(options, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The names of all themes for --help. */
static char *help_filter(int key, const char *text, void *input)
{
    char *filled = NULL, word[64];
    size_t size;
    (void)input;
    FILE *out = key == ARGP_KEY_HELP_POST_DOC ? open_memstream(&filled, &size) : NULL;
    if (out == NULL)
        return (char *)(uintptr_t)text;
    fputs(text, out);
    for (unsigned theme = 0; theme < PM_THEME_COUNT; theme++)
        fprintf(out, "%s%s", theme == 0 ? "" : ", ", theme_word((enum pm_theme)theme, word));
    fclose(out);
    return filled;
}

static void parse(int argc, char **argv, struct generate_options *options)
{
    static const struct argp_option own_options[] = {
        {"number", 'n', "N", 0, "How many", 0},
        {"seed", KEY_SEED, "S", 0, "The same seed makes the same bytes (default: 1)", 0},
        {"plies", KEY_PLIES, "N", 0,
         "Games: end them after so many plies without a result (default: 160)", 0},
        {"themes", KEY_THEMES, "NAME[,NAME...]", 0, "Positions: only of these themes", 0},
        {"ids", KEY_IDS, NULL, 0, "Positions: with an EPD id: theme, seed and index", 0},
        {0},
    };
    static const struct argp_child children[] = {{&cli_kernels_argp, 0, NULL, 0},
                                                 {&cli_threads_argp, 0, NULL, 0},
                                                 {&cli_common_argp, 0, NULL, 0},
                                                 {0}};
    static const struct argp argp = {
        .options = own_options,
        .parser = parse_option,
        .args_doc = "games|positions",
        .doc = "Make random games (PGN, any legal move with the same chance) or random positions "
               "(FEN lines, those of `plymark verify --random`).\vThemes: ",
        .children = children,
        .help_filter = help_filter};
    cli_parse(&argp, argc, argv, options);
    if (options->kernels.count == 0)
        options->kernels.kernels[options->kernels.count++] = pm_kernel_for_analysis();
}

/* ---- Packs ---- */

struct pack {
    char *text;
    size_t size;
    struct pm_error error;
};

struct run {
    const struct generate_options *options;
    struct pm_random_player **players; /* one a thread */
    const struct pm_kernel *mover;     /* plays what leads to positions */
    int threads;
};

/* Position number n of the chosen themes is one of those that all themes share. */
static uint64_t position_index(const struct generate_options *options, uint64_t n)
{
    if (options->theme_count == 0)
        return n;
    return n / options->theme_count * PM_THEME_COUNT +
           (uint64_t)options->themes[n % options->theme_count];
}

static enum pm_status write_position(const struct run *run, uint64_t n, FILE *out,
                                     struct pm_error *error)
{
    const struct pm_generator generator = {run->options->rules.seed, run->mover};
    const uint64_t index = position_index(run->options, n);
    struct pm_generated generated;
    char fen[PM_FEN_SIZE];
    const enum pm_status status = pm_generate(&generator, index, &generated);
    if (status != PM_OK)
        return pm_fail(error, status, "position %" PRIu64 ": %s", index, pm_status_text(status));
    /* After a game, kernels may keep or drop a square that no pawn may capture on; a set-up has it
     * for a trap. */
    const enum pm_fen_en_passant en_passant = generated.theme <= PM_THEME_GAME_NAMED
                                                  ? PM_FEN_EN_PASSANT_LEGAL
                                                  : PM_FEN_EN_PASSANT_AS_GIVEN;
    fputs(pm_fen_write(&generated.position, PM_FEN_XFEN, en_passant, fen), out);
    if (run->options->with_ids)
        fprintf(out, " ;id \"%s, seed %" PRIu64 ", index %" PRIu64 "\"",
                pm_theme_text(generated.theme), generator.seed, index);
    fputc('\n', out);
    return PM_OK;
}

static void fill(const struct run *run, struct pack *pack, int thread, uint64_t first,
                 uint64_t count)
{
    enum pm_status status = PM_OK;
    FILE *out = open_memstream(&pack->text, &pack->size);
    if (out == NULL) {
        pm_fail(&pack->error, PM_ERROR_MEMORY, "out of memory");
        return;
    }
    for (uint64_t i = first; i < first + count && status == PM_OK; i++)
        status = run->options->games
                     ? pm_random_game_write(run->players[thread], &run->options->rules, i, out,
                                            &pack->error)
                     : write_position(run, i, out, &pack->error);
    if (fclose(out) != 0 && status == PM_OK)
        pm_fail(&pack->error, PM_ERROR_MEMORY, "out of memory");
}

struct batch {
    const struct run *run;
    const atomic_bool *stop;
    uint64_t first, total, pack_size; /* games or positions */
    struct pack packs[BATCH];
};

static bool fill_one(void *context, size_t index, int thread)
{
    struct batch *batch = context;
    const uint64_t first = batch->first + index * batch->pack_size, left = batch->total - first;
    fill(batch->run, &batch->packs[index], thread, first,
         left < batch->pack_size ? left : batch->pack_size);
    return !*batch->stop;
}

/* Writes what was filled, up to the first error. Returns the exit code. */
static int write_batch(struct batch *batch, size_t count)
{
    int code = CLI_EXIT_OK;
    for (size_t i = 0; i < count; i++) {
        struct pack *pack = &batch->packs[i];
        if (pack->error.status != PM_OK && code == CLI_EXIT_OK)
            code = cli_fail("generate", &pack->error);
        if (code == CLI_EXIT_OK && pack->text != NULL && !*batch->stop)
            fwrite(pack->text, 1, pack->size, stdout);
        free(pack->text);
        *pack = (struct pack){0};
    }
    return code;
}

static int write_all(const struct run *run)
{
    struct batch batch = {.run = run,
                          .stop = cli_catch_interrupt(),
                          .total = run->options->count,
                          .pack_size = run->options->games ? PACK_GAMES : PACK_POSITIONS};
    int code = CLI_EXIT_OK;
    while (batch.first < batch.total && code == CLI_EXIT_OK && !*batch.stop) {
        const uint64_t packs = (batch.total - batch.first - 1) / batch.pack_size + 1;
        const size_t count = packs < BATCH ? (size_t)packs : BATCH;
        pm_parallel_for(count, run->threads, fill_one, &batch);
        code = write_batch(&batch, count);
        batch.first += count * batch.pack_size;
    }
    return *batch.stop ? CLI_EXIT_INTERRUPTED : code;
}

/* ---- The run ---- */

static enum pm_status open_run(struct run *run, struct pm_error *error)
{
    const struct generate_options *options = run->options;
    enum pm_status status = PM_OK;
    run->mover = pm_ordered_mover(options->kernels.kernels[0]);
    if (!options->games)
        return PM_OK;
    run->players = calloc((size_t)run->threads, sizeof(struct pm_random_player *));
    if (run->players == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    for (int i = 0; i < run->threads && status == PM_OK; i++)
        status = pm_random_player_create(options->kernels.kernels[0], &run->players[i], error);
    return status;
}

static void close_run(struct run *run)
{
    for (int i = 0; run->players != NULL && i < run->threads; i++)
        pm_random_player_destroy(run->players[i]);
    free(run->players);
}

int cli_generate(int argc, char **argv)
{
    struct generate_options options = {
        .threads = {.threads = 1},
        .rules = {.seed = 1, .max_plies = DEFAULT_PLIES},
    };
    struct pm_error error;
    parse(argc, argv, &options);
    int code = cli_kernels_ready(&options.kernels);
    if (code != CLI_EXIT_OK)
        return code;
    struct run run = {.options = &options};
    if (cli_thread_count(&options.threads, &run.threads, &error) != PM_OK ||
        open_run(&run, &error) != PM_OK)
        code = cli_fail("generate", &error);
    else
        code = write_all(&run);
    close_run(&run);
    return code;
}
