/* SPDX-License-Identifier: MIT */
#include "cli/game_suite.h"

#include "core/fen.h"
#include "core/parallel.h"
#include "core/position.h"
#include "core/state.h"
#include "rules/position_set.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PACK = 256 }; /* positions counted between two writes */

struct line {
    uint64_t nodes[PM_KERNEL_MAX_DEPTH];
    int depth;
    struct pm_error error;
};

struct game_suite {
    struct game_suite_config config;
    struct pm_position_set *positions;
    size_t written; /* of `positions` */
    struct line lines[PACK];
};

struct game_suite *game_suite_create(const struct game_suite_config *config)
{
    struct game_suite *suite = calloc(1, sizeof *suite);
    if (suite == NULL)
        return NULL;
    suite->config = *config;
    suite->positions = pm_position_set_create();
    if (suite->positions != NULL)
        return suite;
    game_suite_destroy(suite);
    return NULL;
}

void game_suite_destroy(struct game_suite *suite)
{
    if (suite == NULL)
        return;
    pm_position_set_destroy(suite->positions);
    free(suite);
}

size_t game_suite_positions(const struct game_suite *suite)
{
    return pm_position_set_count(suite->positions);
}

static enum pm_status count(const struct pm_kernel *kernel, const struct pm_position *position,
                            int depth, uint64_t nodes[], struct pm_error *error)
{
    const enum pm_mode mode =
        kernel->capabilities & PM_CAN_MODE(PM_MODE_BULK) ? PM_MODE_BULK : PM_MODE_MAKE;
    void *state = pm_new_state(kernel);
    if (state == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    enum pm_status status = kernel->set_position(state, position);
    for (int d = 1; d <= depth && status == PM_OK; d++)
        status = kernel->perft(state, d, mode, &nodes[d - 1]);
    free(state);
    return status == PM_OK
               ? PM_OK
               : pm_fail(error, status, "kernel %s: %s", kernel->name, pm_status_text(status));
}

static void count_line(const struct game_suite_config *config, const struct pm_position *position,
                       struct line *line)
{
    const struct pm_kernel *other = config->witness != NULL ? config->witness : config->reference;
    const int limit = pm_kernel_depth_limit(position);
    uint64_t again[PM_KERNEL_MAX_DEPTH];
    char fen[PM_FEN_SIZE];
    line->depth = config->depth < limit ? config->depth : limit;
    const int checked = config->witness == NULL && line->depth > 2 ? 2 : line->depth;
    enum pm_status status = count(config->kernel, position, line->depth, line->nodes, &line->error);
    if (status == PM_OK)
        status = count(other, position, checked, again, &line->error);
    for (int d = 0; d < checked && status == PM_OK; d++)
        if (again[d] != line->nodes[d])
            status = pm_fail(&line->error, PM_ERROR_MISMATCH,
                             "depth %d: %s counts %" PRIu64 ", %s %" PRIu64 ": %s", d + 1,
                             config->kernel->name, line->nodes[d], other->name, again[d],
                             pm_fen_write(position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_LEGAL, fen));
}

static void write_line(FILE *out, const struct pm_position *position, const struct line *line)
{
    char fen[PM_FEN_SIZE];
    fputs(pm_fen_write(position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_LEGAL, fen), out);
    for (int d = 0; d < line->depth; d++)
        fprintf(out, " ;D%d %" PRIu64, d + 1, line->nodes[d]);
    fputc('\n', out);
}

static bool count_one(void *context, size_t index, int thread)
{
    struct game_suite *suite = context;
    struct line *line = &suite->lines[index];
    (void)thread;
    line->error = (struct pm_error){0};
    count_line(&suite->config, pm_position_set_at(suite->positions, suite->written + index), line);
    return true;
}

static enum pm_status write_pack(struct game_suite *suite, size_t pack, FILE *out,
                                 struct pm_error *error)
{
    pm_parallel_for(pack, suite->config.threads, count_one, suite);
    for (size_t i = 0; i < pack; i++) {
        const struct line *line = &suite->lines[i];
        if (line->error.status != PM_OK) {
            *error = line->error;
            return error->status;
        }
        write_line(out, pm_position_set_at(suite->positions, suite->written + i), line);
    }
    suite->written += pack;
    return PM_OK;
}

enum pm_status game_suite_add(struct game_suite *suite, const struct pm_history *history, FILE *out,
                              struct pm_error *error)
{
    enum pm_status status = PM_OK;
    bool is_new;
    for (size_t ply = 0; ply < pm_history_length(history); ply++)
        if (pm_position_set_add(suite->positions, pm_history_position(history, ply), &is_new) ==
            PM_NOT_IN_SET)
            return pm_fail(error, PM_ERROR_MEMORY, "out of memory after %zu distinct positions",
                           game_suite_positions(suite));
    while (status == PM_OK && game_suite_positions(suite) - suite->written >= PACK)
        status = write_pack(suite, PACK, out, error);
    return status;
}

enum pm_status game_suite_finish(struct game_suite *suite, FILE *out, struct pm_error *error)
{
    return write_pack(suite, game_suite_positions(suite) - suite->written, out, error);
}
