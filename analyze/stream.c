/* SPDX-License-Identifier: MIT */
/* Each thread reads the next block of lines or games, analyzes it into the block's own buffer and
 * hands it in. Blocks go round in a ring; whoever hands in the one that is due to be written writes
 * it, and those behind it that are ready. So no thread waits for another before the ring is full.
 */
#include "analyze/stream.h"

#include "analyze/source.h"
#include "core/bits.h"
#include "core/clock.h"
#include "core/epd.h"
#include "core/fen.h"
#include "rules/san.h"

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS_PER_THREAD 4

/* A block with what became of it. */
struct task {
    struct pm_block block;
    bool is_ready;
    struct pm_buffer rows, complaints; /* complaints: lines, each with a NUL */
    struct pm_stream_totals totals;    /* its own part */
    enum pm_status status;             /* what ends the run behind these rows */
    struct pm_error error;
};

struct run {
    const struct pm_stream_config *config;
    const struct pm_field_list *fields;
    unsigned filter_parts, parts; /* of the facts: for the filter, for all */
    int threads;
    int *cpus;
    uint64_t start_ns;
    struct task *tasks; /* a ring */
    size_t task_count;

    pthread_mutex_t reading; /* guards: */
    struct pm_source *source;
    size_t read; /* tasks handed out */
    bool is_stopped;

    pthread_mutex_t writing; /* guards: */
    pthread_cond_t freed;
    bool is_writing; /* a thread is at it, without the lock: then `totals` and `error` are its */
    size_t written;
    struct pm_stream_totals *totals;
    struct pm_error *error;
    enum pm_status status;
    atomic_bool ended;
};

struct worker {
    struct run *run;
    struct pm_view view;
    struct pm_facts facts;
    struct pm_suite suite; /* the EPD line at work, if it has operations */
    struct task *task;
};

/* ---- One position ---- */

static enum pm_status out_of_memory(struct task *task)
{
    return task->status = pm_fail(&task->error, PM_ERROR_MEMORY, "out of memory");
}

/* The view's position becomes a row if it passes. */
static enum pm_status add_row(struct worker *worker, struct pm_record *record)
{
    const struct run *const run = worker->run;
    struct task *const task = worker->task;
    const struct pm_where *const where = run->config->where;
    uint64_t hash;
    record->view = &worker->view;
    record->facts = &worker->facts;
    task->totals.positions++;
    task->totals.warned += record->warnings != 0;
    task->totals.warnings |= record->warnings;
    if (where != NULL) {
        pm_facts_of(&worker->view, run->filter_parts, &worker->facts);
        if (!pm_where_passes(where, record))
            return PM_OK;
    }
    if (where == NULL || run->parts != run->filter_parts)
        pm_facts_of(&worker->view, run->parts, &worker->facts);
    if (pm_field_write(run->fields, record, run->config->format, &task->rows, &hash) != PM_OK)
        return out_of_memory(task);
    task->totals.checksum += hash;
    task->totals.passed++;
    return PM_OK;
}

/* Lines to be told. */
static enum pm_status add_complaint(struct task *task, const char *text)
{
    const size_t size = strlen(text) + 1;
    if (pm_buffer_reserve(&task->complaints, size) != PM_OK)
        return out_of_memory(task);
    memcpy(task->complaints.text + task->complaints.length, text, size);
    task->complaints.length += size;
    return PM_OK;
}

/* Notes a bad line or game. Anything but PM_OK if it ends the run. */
static enum pm_status complain(struct worker *worker, enum pm_status status, const char *text)
{
    struct task *const task = worker->task;
    task->totals.bad++;
    if (!worker->run->config->skip_bad)
        return task->status = pm_fail(&task->error, status, "%s", text);
    return add_complaint(task, text);
}

/* ---- Lines ---- */

/* Complains of a line in the words of a reader, whose "column N" goes to the front. */
static enum pm_status complain_of_line(struct worker *worker, uint64_t line, enum pm_status status,
                                       const char *words)
{
    struct pm_error error;
    int before = (int)strlen(words), after = before;
    unsigned column = 1;
    const char *const found = strstr(words, "column ");
    if (found != NULL && sscanf(found, "column %u%n", &column, &after) == 1) {
        before = (int)(found - words);
        after += before;
        while (before > 0 && (words[before - 1] == ' ' || words[before - 1] == ','))
            before--;
        if (before == 0 && words[after] == ':')
            after += 2;
    }
    pm_fail(&error, status, "%.200s:%llu:%u: %.*s%s", worker->task->block.name,
            (unsigned long long)line, column, before, words, &words[after]);
    return complain(worker, status, error.text);
}

/* As suites are read. */
static enum pm_status read_fen(const char *text, struct pm_position *position, unsigned *warnings,
                               struct pm_error *error)
{
    bool chess960;
    return pm_fen_read_either(text, position, &chess960, warnings, error);
}

static enum pm_status read_epd(struct worker *worker, const char *text, size_t length,
                               struct pm_position *position, struct pm_record *record,
                               struct pm_error *error)
{
    static const char lead[] = ":1: "; /* the suite reader's name and line of this text */
    const enum pm_status status = pm_suite_read_text("", text, length, &worker->suite, error);
    if (status != PM_OK) {
        memmove(error->text, error->text + sizeof lead - 1, strlen(error->text) - sizeof lead + 2);
        return status;
    }
    const struct pm_suite_entry *const entry = &worker->suite.entries[0];
    const char *const id = pm_suite_entry_opcode(entry, "id");
    *position = entry->position;
    record->warnings = entry->warnings;
    record->id = id != NULL ? id : "";
    return PM_OK;
}

static enum pm_status read_position(struct worker *worker, const char *text, size_t length,
                                    struct pm_position *position, struct pm_record *record,
                                    struct pm_error *error)
{
    const char *const nul = memchr(text, '\0', length);
    if (nul != NULL)
        return pm_fail(error, PM_ERROR_PARSE, "column %zu: a NUL byte: this is no text",
                       (size_t)(nul - text) + 1);
    const bool is_epd = worker->run->config->input != PM_STREAM_FEN;
    if (!is_epd || memchr(text, ';', length) == NULL) {
        const enum pm_status status = read_fen(text, position, &record->warnings, error);
        if (status == PM_OK || !is_epd)
            return status;
    }
    return read_epd(worker, text, length, position, record, error);
}

/* text[length] is a NUL. */
static enum pm_status analyze_line(struct worker *worker, uint64_t line, const char *text,
                                   size_t length)
{
    struct pm_position position;
    struct pm_error error;
    struct pm_record record = {.file = worker->task->block.name, .line = line, .id = ""};
    enum pm_status status = read_position(worker, text, length, &position, &record, &error);
    if (status == PM_OK)
        status = pm_view_place(&worker->view, &position, &error);
    status = status == PM_OK ? add_row(worker, &record)
                             : complain_of_line(worker, line, status, error.text);
    if (worker->suite.name != NULL)
        pm_suite_free(&worker->suite);
    return status;
}

/* Neither blank nor a comment. */
static bool has_text(const char *text, size_t length)
{
    return *text > '#' || (*text != '#' && strspn(text, " \t") < length);
}

static void analyze_lines(struct worker *worker)
{
    struct pm_block *const block = &worker->task->block;
    char *const end = block->text + block->to;
    uint64_t line = block->first;
    for (char *at = block->text + block->from; at < end; line++) {
        char *const newline = memchr(at, '\n', (size_t)(end - at));
        char *const stop = newline > at && newline[-1] == '\r' ? newline - 1 : newline;
        *stop = '\0';
        const size_t length = (size_t)(stop - at);
        if (has_text(at, length) && analyze_line(worker, line, at, length) != PM_OK) {
            block->next = line + 1;
            return;
        }
        at = newline + 1;
    }
}

/* ---- Games ---- */

static enum pm_status complain_of_game(struct worker *worker, const struct pm_pgn_game *game,
                                       uint64_t line, unsigned column, enum pm_status status,
                                       const char *words)
{
    struct pm_error error;
    pm_fail(&error, status, "%.200s:%llu:%u: game %llu: %s", worker->task->block.name,
            (unsigned long long)line, column, (unsigned long long)game->index, words);
    return complain(worker, status, error.text);
}

/* The first position: what the FEN tag says, or that of every game. */
static enum pm_status set_up(struct worker *worker, const struct pm_pgn_game *game,
                             struct pm_record *record, struct pm_error *error)
{
    const char *const fen = pm_pgn_tag(game, "FEN");
    struct pm_position position;
    enum pm_status status =
        fen != NULL ? read_fen(fen, &position, &record->warnings, error)
                    : pm_fen_read_named("startpos", 0, &position, &record->warnings, error);
    if (status == PM_OK)
        status = pm_view_place(&worker->view, &position, error);
    return status;
}

/* Where the FEN tag stands. */
static const struct pm_pgn_tag *fen_tag(const struct pm_pgn_game *game)
{
    static const struct pm_pgn_tag none = {.line = 1, .column = 1};
    const struct pm_pgn_tag *const tag = pm_pgn_find_tag(game, "FEN");
    return tag != NULL ? tag : &none;
}

static enum pm_status play(struct worker *worker, const struct pm_pgn_move *word,
                           struct pm_error *error)
{
    struct pm_move move;
    if (pm_san_read(&worker->view, word->text, word->length, &move, error) != PM_SAN_OK)
        return PM_ERROR_ILLEGAL;
    return pm_view_follow(&worker->view, move, error);
}

static enum pm_status analyze_game(struct worker *worker, const struct pm_pgn_game *game)
{
    struct pm_error error;
    struct pm_record record = {
        .file = worker->task->block.name, .line = game->line, .game = game->index, .id = ""};
    enum pm_status status = set_up(worker, game, &record, &error);
    if (status != PM_OK)
        return complain_of_game(worker, game, fen_tag(game)->line, fen_tag(game)->column, status,
                                error.text);
    status = add_row(worker, &record);
    record.warnings = 0; /* they were the FEN's */
    for (size_t i = 0; i < game->move_count && status == PM_OK; i++) {
        const struct pm_pgn_move *const word = &game->moves[i];
        status = play(worker, word, &error);
        if (status != PM_OK)
            return complain_of_game(worker, game, word->line, word->column, status, error.text);
        record.line = word->line;
        record.ply++;
        status = add_row(worker, &record);
    }
    return status;
}

static void analyze_games(struct worker *worker)
{
    struct pm_block *const block = &worker->task->block;
    for (unsigned i = 0; i < block->game_count; i++) {
        const struct pm_block_game *const game = &block->games[i];
        enum pm_status status =
            game->notes != NULL ? add_complaint(worker->task, game->notes) : PM_OK;
        if (status == PM_OK && game->game != NULL)
            status = analyze_game(worker, game->game);
        else if (status == PM_OK && game->fault != NULL)
            status = complain(worker, PM_ERROR_PARSE, game->fault);
        if (status != PM_OK) {
            block->next = block->first + i + 1;
            return;
        }
    }
}

/* ---- Reading and writing in turn ---- */

/* Ends the run for all threads; the first reason is the one that is told. */
static void end_run(struct run *run, enum pm_status status, const struct pm_error *error)
{
    pthread_mutex_lock(&run->writing);
    if (run->status == PM_OK) {
        run->status = status;
        pm_fail(run->error, status, "%s", error->text);
    }
    atomic_store(&run->ended, true);
    pthread_cond_broadcast(&run->freed);
    pthread_mutex_unlock(&run->writing);
}

/* Waits until what the ring held there before is written. */
static struct task *wait_for_room(struct run *run)
{
    pthread_mutex_lock(&run->writing);
    while (run->read - run->written >= run->task_count && !atomic_load(&run->ended))
        pthread_cond_wait(&run->freed, &run->writing);
    pthread_mutex_unlock(&run->writing);
    return &run->tasks[run->read % run->task_count];
}

static void clear_task(struct task *task)
{
    pm_block_clear(&task->block);
    task->rows.length = task->complaints.length = 0;
    task->totals = (struct pm_stream_totals){0};
    task->status = PM_OK;
}

/* Called with `reading` held. NULL: nothing more is to be done. */
static struct task *read_task(struct run *run)
{
    const atomic_bool *const stop = run->config->stop;
    bool got;
    struct task *const task = wait_for_room(run);
    run->is_stopped = run->is_stopped || (stop != NULL && atomic_load(stop));
    if (run->is_stopped || atomic_load(&run->ended))
        return NULL;
    clear_task(task);
    /* What can't be read ends the run behind what was: a task of its own stands in for it. */
    task->status = pm_source_read(run->source, &task->block, &got, &task->error);
    if (task->status != PM_OK)
        task->block.next = 0;
    else if (!got)
        return NULL;
    run->read++;
    return task;
}

static struct task *take_task(struct run *run)
{
    pthread_mutex_lock(&run->reading);
    struct task *const task = read_task(run);
    pthread_mutex_unlock(&run->reading);
    return task;
}

static void add_totals(struct run *run, const struct task *task)
{
    struct pm_stream_totals *const totals = run->totals;
    totals->positions += task->totals.positions;
    totals->passed += task->totals.passed;
    totals->bad += task->totals.bad;
    totals->warned += task->totals.warned;
    totals->warnings |= task->totals.warnings;
    totals->checksum += task->totals.checksum;
    totals->bytes += task->block.bytes;
    totals->seconds = pm_clock_seconds_since(run->start_ns);
    if (task->block.next > 0) {
        totals->file = task->block.file;
        totals->next = task->block.next;
    }
}

static void write_task(struct run *run, struct task *task)
{
    const struct pm_stream_config *const config = run->config;
    struct pm_error error;
    enum pm_status status = PM_OK;
    if (task->rows.length > 0)
        status = config->write(config->context, task->rows.text, task->rows.length, &error);
    if (status != PM_OK) {
        end_run(run, status, &error);
        return;
    }
    for (size_t at = 0; at < task->complaints.length; at += strlen(&task->complaints.text[at]) + 1)
        config->complain(config->context, &task->complaints.text[at]);
    add_totals(run, task);
    if (config->progress != NULL)
        config->progress(config->context, run->totals);
    if (task->status != PM_OK)
        end_run(run, task->status, &task->error);
}

static void hand_in(struct run *run, struct task *task)
{
    pthread_mutex_lock(&run->writing);
    task->is_ready = true;
    struct task *due = &run->tasks[run->written % run->task_count];
    while (due->is_ready && !run->is_writing && !atomic_load(&run->ended)) {
        run->is_writing = true;
        pthread_mutex_unlock(&run->writing);
        write_task(run, due);
        pthread_mutex_lock(&run->writing);
        run->is_writing = false;
        due->is_ready = false;
        due = &run->tasks[++run->written % run->task_count];
        pthread_cond_signal(&run->freed);
    }
    pthread_mutex_unlock(&run->writing);
}

static void work(struct worker *worker)
{
    struct task *task;
    while ((task = take_task(worker->run)) != NULL) {
        worker->task = task;
        if (task->status == PM_OK && task->block.game_count > 0)
            analyze_games(worker);
        else if (task->status == PM_OK)
            analyze_lines(worker);
        hand_in(worker->run, task);
    }
}

static void run_thread(struct run *run, int index)
{
    struct worker worker = {.run = run};
    struct pm_error error;
    enum pm_status status = pm_pin_this_thread(run->config->topology, run->cpus[index], &error);
    if (status == PM_OK)
        status = pm_view_open(&worker.view, run->config->kernel, &error);
    if (status == PM_OK)
        work(&worker);
    else
        end_run(run, status, &error);
    pm_view_close(&worker.view);
}

/* ---- The whole ---- */

static enum pm_status choose_fields(struct run *run, struct pm_field_list *defaults,
                                    struct pm_error *error)
{
    run->fields = run->config->fields;
    if (run->fields == NULL) {
        const bool is_pgn = pm_source_is_pgn(run->source);
        const enum pm_status status = pm_field_list_read(
            is_pgn ? pm_field_default_game_names : pm_field_default_names, defaults, error);
        if (status != PM_OK)
            return status;
        run->fields = defaults;
    }
    run->filter_parts = run->config->where != NULL ? pm_where_parts(run->config->where) : 0;
    run->parts = run->fields->parts | run->filter_parts;
    return PM_OK;
}

static enum pm_status write_names(const struct run *run, struct pm_error *error)
{
    const struct pm_stream_config *const config = run->config;
    struct pm_buffer names = {0};
    enum pm_status status = PM_OK;
    if (!config->names)
        return PM_OK;
    if (pm_field_write_names(run->fields, config->format, &names) != PM_OK)
        status = pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    else if (names.length > 0)
        status = config->write(config->context, names.text, names.length, error);
    free(names.text);
    return status;
}

static enum pm_status make_ready(struct run *run, struct pm_field_list *defaults)
{
    const struct pm_stream_config *const config = run->config;
    run->threads = config->threads != 0 ? config->threads
                                        : pm_pin_default_threads(config->topology, &config->pin);
    run->task_count = (size_t)run->threads * BLOCKS_PER_THREAD;
    run->tasks = calloc(run->task_count, sizeof *run->tasks);
    run->cpus = calloc((size_t)run->threads, sizeof *run->cpus);
    if (run->tasks == NULL || run->cpus == NULL)
        return pm_fail(run->error, PM_ERROR_MEMORY, "out of memory");
    enum pm_status status =
        pm_pin_assign(config->topology, &config->pin, run->threads, run->cpus, run->error);
    if (status == PM_OK)
        status = pm_source_open(config, &run->source, run->error);
    if (status == PM_OK)
        status = choose_fields(run, defaults, run->error);
    run->totals->bytes_all =
        status == PM_OK && config->progress != NULL ? pm_source_size(run->source) : 0;
    return status == PM_OK ? write_names(run, run->error) : status;
}

static enum pm_status run_all(struct run *run)
{
    const struct pm_stream_config *const config = run->config;
#pragma omp parallel num_threads(run->threads)
    run_thread(run, omp_get_thread_num());
    if (run->cpus[0] >= 0)
        pm_unpin_this_thread(config->topology);
    run->totals->seconds = pm_clock_seconds_since(run->start_ns);
    if (run->status == PM_OK && run->is_stopped)
        return pm_fail(run->error, PM_ERROR_INTERRUPTED, "interrupted");
    return run->status;
}

static void free_run(struct run *run)
{
    for (size_t i = 0; run->tasks != NULL && i < run->task_count; i++) {
        pm_block_free(&run->tasks[i].block);
        free(run->tasks[i].rows.text);
        free(run->tasks[i].complaints.text);
    }
    free(run->tasks);
    free(run->cpus);
    pm_source_close(run->source);
}

enum pm_status pm_stream_run(const struct pm_stream_config *config, struct pm_stream_totals *totals,
                             struct pm_error *error)
{
    struct pm_field_list defaults;
    struct pm_error ignored;
    *totals = (struct pm_stream_totals){.next = config->start};
    struct run run = {
        .config = config,
        .start_ns = pm_clock_ns(),
        .reading = PTHREAD_MUTEX_INITIALIZER,
        .writing = PTHREAD_MUTEX_INITIALIZER,
        .freed = PTHREAD_COND_INITIALIZER,
        .totals = totals,
        .error = error != NULL ? error : &ignored,
    };
    enum pm_status status = make_ready(&run, &defaults);
    if (status == PM_OK)
        status = run_all(&run);
    free_run(&run);
    return status;
}
