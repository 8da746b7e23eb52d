/* SPDX-License-Identifier: MIT */
#include "cli/verify_levels.h"

#include "cli/cli.h"
#include "core/cpu.h"
#include "core/fen.h"
#include "kernels/registry.h"
#include "perft/driver.h"
#include "perft/unique.h"

#define MEMORY ((uint64_t)256 << 20)

static const struct known {
    const char *fen;
    int depth;
    uint64_t nodes;
} known[] = {
    {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 6, 119060324},
    {"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 5, 193690690},
    {"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 7, 178633661},
    {"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 6, 71179139},
    {"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", 5, 8146062},
};
enum { KNOWN_COUNT = sizeof known / sizeof known[0] };

/* The first kernel that mode unique can use here. */
static const struct pm_kernel *find_expander(void)
{
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++)
        if ((*kernel)->expander != NULL && pm_kernel_missing(*kernel) == 0 &&
            (*kernel)->init() == PM_OK)
            return *kernel;
    return NULL;
}

/* One position, by keys and by whole positions. An exit code. */
static int check(struct pm_unique_job *job, const struct known *row)
{
    struct pm_position position;
    struct pm_error error;
    if (pm_fen_read(row->fen, PM_FEN_LENIENT, &position, NULL, &error) != PM_OK)
        return cli_fail("verify", &error);
    job->position = &position;
    job->depth = row->depth;
    job->plan = pm_unique_default_plan(row->depth);
    for (int exact = 0; exact < 2; exact++) {
        struct pm_unique_result result;
        char counted[PM_COUNT_TEXT_SIZE];
        job->exact = exact;
        if (pm_unique_run(job, &result, &error) != PM_OK)
            return cli_fail("verify", &error);
        if (result.nodes == row->nodes)
            continue;
        fprintf(stderr, "plymark verify: unique, level %s%s: depth %d of %s is %s, not %llu\n",
                job->level->name, exact ? ", exact" : "", row->depth, row->fen,
                pm_count_to_text(result.nodes, counted), (unsigned long long)row->nodes);
        return CLI_EXIT_MISMATCH;
    }
    return CLI_EXIT_OK;
}

static int check_level(struct pm_unique_job *job, FILE *out)
{
    const uint64_t missing = job->level->cpu_required & ~pm_cpu_features();
    char features[256];
    int code = CLI_EXIT_OK;
    if (missing != 0) {
        fprintf(out, "%-16s %-10s skipped: the machine lacks %s\n", "unique", job->level->name,
                pm_cpu_features_to_text(missing, features, sizeof features));
        return CLI_EXIT_OK;
    }
    for (int i = 0; i < KNOWN_COUNT && code == CLI_EXIT_OK; i++)
        code = check(job, &known[i]);
    if (code == CLI_EXIT_OK || code == CLI_EXIT_MISMATCH)
        fprintf(out, "%-16s %-10s %d positions by keys and by whole positions, with %s: %s\n",
                "unique", job->level->name, KNOWN_COUNT, job->kernel->name,
                code == CLI_EXIT_OK ? "right" : "WRONG");
    return code;
}

int cli_verify_levels(FILE *out)
{
    const struct pm_driver_config config = {.pin = {.policy = PM_PIN_NONE}, .threads = 1};
    struct pm_unique_job job = {
        .kernel = find_expander(), .memory = MEMORY, .seed = 1, .stop = cli_catch_interrupt()};
    struct pm_error error;
    int code = CLI_EXIT_OK;
    if (job.kernel == NULL) {
        fputs("unique           skipped: no kernel that runs here has an expander\n", out);
        return CLI_EXIT_OK;
    }
    if (pm_driver_open(&config, &job.driver, &error) != PM_OK)
        return cli_fail("verify", &error);
    for (job.level = pm_unique_levels; job.level->name != NULL; job.level++) {
        const int one = check_level(&job, out);
        code = code != CLI_EXIT_OK ? code : one;
    }
    pm_driver_close(job.driver);
    return code;
}
