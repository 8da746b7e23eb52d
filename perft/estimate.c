/* SPDX-License-Identifier: MIT */
#include "perft/estimate.h"

#include "core/clock.h"
#include "core/fen.h"
#include "core/grow.h"
#include "core/mode.h"
#include "core/move.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/state.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Plies that are counted whole below the last positions. */
enum { WHOLE_PLIES = 3 };

/* A position of a thinned tree. */
struct member {
    double weight;  /* how many positions of the tree it stands for */
    double moves;   /* its legal moves … */
    double replies; /* … and the mean number of the opponent's after each */
};

struct population {
    unsigned char *states; /* one a member */
    struct member *members;
    size_t count;
};

/* A child before thinning. Its weight is still its parent's. */
struct candidate {
    struct member member;
    double stake; /* weight times promise: what the probability to be kept is in proportion to */
    uint32_t parent;
    struct pm_move move;
};

/* One thread's. */
struct sampler {
    const struct pm_estimate_job *job;
    enum pm_mode mode;
    size_t state_size; /* from one state to the next */
    unsigned char *played;
    struct population now, next;
    struct candidate *candidates;
    size_t count, capacity;
    bool thinned;
};

struct sample {
    bool done, thinned;
    double nodes;
    double counts;  /* two-ply counts in the whole tree, estimated … */
    double made;    /* … and made … */
    double seconds; /* … in so long, of CPU time */
};

/* What the threads share. */
struct run {
    const struct pm_estimate_job *job;
    unsigned char *root;
    struct member root_member;
    struct sampler *samplers; /* one a thread */
    struct sample *samples;
    uint64_t start_ns;
    _Atomic enum pm_status status;
};

/* ---- What a subtree promises ---- */

/* The leaves of a position's subtree are its legal moves times the numbers of moves that the two
 * sides have at the plies below. These are close to what they are now, and drift to what is usual:
 * a number known now counts in full the first time, with PERSISTENCE in the exponent the next, with
 * its square after that. 0.77 fits the start position, Kiwipete and random positions alike. */
#define PERSISTENCE 0.77

/* In check a side has few moves once, not for good: later ones are taken to be at least this part
 * of the mean after all moves that could have been played instead. */
#define RECOVERY 0.8

static double exponent(int plies)
{
    return (1 - pow(PERSISTENCE, plies)) / (1 - PERSISTENCE);
}

/* What holds for all positions of one ply. */
struct outlook {
    double own, replies; /* exponents */
};

static struct outlook outlook_at(int plies_left)
{
    return (struct outlook){.own = exponent((plies_left + 1) / 2) - 1,
                            .replies = exponent(plies_left / 2)};
}

/* The size of a subtree, but for a factor. */
static double promise_of(const struct member *member, const struct member *parent,
                         const struct outlook *outlook)
{
    const double usual = RECOVERY * parent->replies;
    return member->moves * pow(fmax(member->moves, usual), outlook->own) *
           pow(member->replies, outlook->replies);
}

/* ---- Thinning ---- */

static unsigned char *state_of(const struct sampler *sampler, const struct population *population,
                               size_t i)
{
    return population->states + i * sampler->state_size;
}

static struct candidate *new_candidate(struct sampler *sampler)
{
    struct candidate *candidates =
        pm_grown(sampler->candidates, &sampler->capacity, sampler->count + 1, sizeof *candidates);
    if (candidates == NULL)
        return NULL;
    sampler->candidates = candidates;
    return &sampler->candidates[sampler->count++];
}

static enum pm_status play_to(const struct sampler *sampler, void *child, size_t parent,
                              const struct pm_move *move)
{
    const struct pm_kernel *kernel = sampler->job->kernel;
    memcpy(child, state_of(sampler, &sampler->now, parent), kernel->state_size);
    return kernel->play(child, move);
}

/* Fills in what a position tells of its mobility. */
static enum pm_status look(const struct pm_kernel *kernel, enum pm_mode mode, const void *state,
                           struct member *member)
{
    uint64_t moves, leaves;
    enum pm_status status = kernel->perft(state, 1, mode, &moves);
    if (status == PM_OK)
        status = kernel->perft(state, 2, mode, &leaves);
    if (status != PM_OK)
        return status;
    member->moves = (double)moves;
    member->replies = moves > 0 ? (double)leaves / (double)moves : 0;
    return PM_OK;
}

/* A child without a leaf two plies below has none deeper: it is left out. */
static enum pm_status add_candidate(struct sampler *sampler, size_t parent,
                                    const struct pm_move *move, const struct outlook *outlook)
{
    const struct member *above = &sampler->now.members[parent];
    struct member member = {.weight = above->weight};
    enum pm_status status = play_to(sampler, sampler->played, parent, move);
    if (status == PM_OK)
        status = look(sampler->job->kernel, sampler->mode, sampler->played, &member);
    if (status != PM_OK || member.replies == 0)
        return status;

    struct candidate *candidate = new_candidate(sampler);
    if (candidate == NULL)
        return PM_ERROR_MEMORY;
    candidate->member = member;
    candidate->stake = member.weight * promise_of(&member, above, outlook);
    candidate->parent = (uint32_t)parent;
    candidate->move = *move;
    return PM_OK;
}

static bool is_stopped(const struct pm_estimate_job *job)
{
    return job->stop != NULL && atomic_load_explicit(job->stop, memory_order_relaxed);
}

/* In one order of moves whatever the kernel: then all kernels give the same estimate. */
static enum pm_status list_candidates(struct sampler *sampler, int plies_left)
{
    const struct outlook outlook = outlook_at(plies_left);
    sampler->count = 0;
    for (size_t parent = 0; parent < sampler->now.count; parent++) {
        struct pm_move moves[PM_MAX_MOVES];
        unsigned count = 0;
        enum pm_status status = sampler->job->kernel->legal_moves(
            state_of(sampler, &sampler->now, parent), moves, &count);
        if (is_stopped(sampler->job))
            status = PM_ERROR_INTERRUPTED;
        qsort(moves, count, sizeof moves[0], pm_move_compare);
        for (unsigned i = 0; i < count && status == PM_OK; i++)
            status = add_candidate(sampler, parent, &moves[i], &outlook);
        if (status != PM_OK)
            return status;
    }
    return PM_OK;
}

/* The stake from which on a candidate is kept for sure, such that `width` are kept on average: the
 * others are kept with the probability stake / threshold. Each round takes out those above the last
 * threshold, by which it falls or stays. */
static double threshold_for(const struct candidate candidates[], size_t count, size_t width)
{
    double threshold = INFINITY;
    for (;;) {
        double rest = 0;
        size_t sure = 0;
        for (size_t i = 0; i < count; i++) {
            if (candidates[i].stake >= threshold)
                sure++;
            else
                rest += candidates[i].stake;
        }
        const double next = sure < width ? rest / (double)(width - sure) : threshold;
        if (next >= threshold)
            return threshold;
        threshold = next;
    }
}

static enum pm_status keep(struct sampler *sampler, const struct candidate *candidate,
                           double weight)
{
    struct population *next = &sampler->next;
    struct member *member = &next->members[next->count];
    *member = candidate->member;
    member->weight = weight;
    return play_to(sampler, state_of(sampler, next, next->count++), candidate->parent,
                   &candidate->move);
}

/* Systematic sampling: one random number for all, and marks at equal distances along the laid-out
 * probabilities. That spreads what is kept over the tree, as neighbors in the list are siblings or
 * cousins. Rounding may bring one more than the width. */
static enum pm_status thin(struct sampler *sampler, struct pm_random *random)
{
    const size_t width = sampler->job->width;
    const bool all = sampler->count <= width;
    const double threshold = all ? 0 : threshold_for(sampler->candidates, sampler->count, width);
    double mark = (double)(pm_random_next(random) >> 11) * 0x1p-53;
    enum pm_status status = PM_OK;
    sampler->next.count = 0;
    sampler->thinned |= !all;
    for (size_t i = 0; i < sampler->count && status == PM_OK; i++) {
        const struct candidate *candidate = &sampler->candidates[i];
        if (candidate->stake >= threshold) {
            status = keep(sampler, candidate, candidate->member.weight);
            continue;
        }
        const double probability = candidate->stake / threshold;
        mark += probability;
        if (mark >= 1 && sampler->next.count <= width) {
            mark -= 1;
            status = keep(sampler, candidate, candidate->member.weight / probability);
        }
    }
    return status;
}

/* ---- One sample ---- */

static void start(struct sampler *sampler, const struct run *run)
{
    memcpy(sampler->now.states, run->root, run->job->kernel->state_size);
    sampler->now.members[0] = run->root_member;
    sampler->now.count = 1;
    sampler->thinned = false;
}

static enum pm_status descend(struct sampler *sampler, struct pm_random *random)
{
    for (int left = sampler->job->depth - 1; left >= WHOLE_PLIES; left--) {
        enum pm_status status = list_candidates(sampler, left);
        if (status == PM_OK)
            status = thin(sampler, random);
        if (status != PM_OK)
            return status;
        const struct population last = sampler->now;
        sampler->now = sampler->next;
        sampler->next = last;
    }
    return PM_OK;
}

/* The thread's own time, which other programs do not lengthen. */
static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static enum pm_status count_whole(struct sampler *sampler, struct sample *sample)
{
    const struct pm_estimate_job *job = sampler->job;
    const int depth = job->depth < WHOLE_PLIES ? job->depth : WHOLE_PLIES;
    const double start = cpu_seconds();
    *sample = (struct sample){.thinned = sampler->thinned};
    for (size_t i = 0; i < sampler->now.count; i++) {
        const struct member *member = &sampler->now.members[i];
        uint64_t leaves = 1;
        enum pm_status status = PM_OK;
        if (depth > 0)
            status = job->kernel->perft(state_of(sampler, &sampler->now, i), depth, sampler->mode,
                                        &leaves);
        if (is_stopped(job))
            status = PM_ERROR_INTERRUPTED;
        if (status != PM_OK)
            return status;
        sample->nodes += member->weight * (double)leaves;
        sample->counts += member->weight * member->moves;
        sample->made += member->moves;
    }
    sample->seconds = cpu_seconds() - start;
    sample->done = true;
    return PM_OK;
}

static uint64_t seed_of(uint64_t seed, size_t index)
{
    struct pm_random by_seed = {seed};
    struct pm_random by_both = {pm_random_next(&by_seed) ^ index};
    return pm_random_next(&by_both);
}

static bool is_time_up(const struct run *run, size_t index)
{
    return run->job->seconds > 0 && index + 1 >= PM_ESTIMATE_MIN_SAMPLES &&
           pm_clock_seconds_since(run->start_ns) >= run->job->seconds;
}

/* One sample is enough if nothing is thinned. */
static bool take_sample(void *context, size_t index, int thread)
{
    struct run *run = context;
    struct sampler *sampler = &run->samplers[thread];
    struct sample *sample = &run->samples[index];
    struct pm_random random = {seed_of(run->job->seed, index)};
    start(sampler, run);
    enum pm_status status = descend(sampler, &random);
    if (status == PM_OK)
        status = count_whole(sampler, sample);
    if (status != PM_OK)
        atomic_store(&run->status, status);
    return status == PM_OK && sample->thinned && !is_time_up(run, index);
}

/* ---- The estimate ---- */

/* The number that Student's distribution with so many degrees of freedom exceeds with a probability
 * of 2.5 %: M. Abramowitz and I. A. Stegun, "Handbook of mathematical functions", 26.7.5; right to
 * 0.03 % from 7 on. */
static double student(double freedom)
{
    const double x = 1.959963984540054, x3 = x * x * x, x5 = x3 * x * x, x7 = x5 * x * x;
    const double g1 = (x3 + x) / 4;
    const double g2 = (5 * x5 + 16 * x3 + 3 * x) / 96;
    const double g3 = (3 * x7 + 19 * x5 + 17 * x3 - 15 * x) / 384;
    return x + (g1 + (g2 + g3 / freedom) / freedom) / freedom;
}

/* Student's interval alone held the perft for 94.8 % of 2260 seeds (start position, depths 7 to
 * 15). Widened by a quarter it held it at one depth for no more than 18 of 20. */
#define WIDENING 1.4

/* What is known after the samples up to the first that was not ended. */
static void evaluate(const struct run *run, struct pm_estimate *estimate)
{
    const struct sample *samples = run->samples;
    double made = 0, seconds = 0, squares = 0;
    unsigned n = 0;
    *estimate = (struct pm_estimate){.exact = !samples[0].thinned};
    for (; n < run->job->samples && samples[n].done && !(n > 0 && estimate->exact); n++) {
        estimate->nodes += samples[n].nodes;
        estimate->two_ply_counts += samples[n].counts;
        made += samples[n].made;
        seconds += samples[n].seconds;
    }
    estimate->samples = n;
    estimate->nodes /= n;
    estimate->two_ply_counts /= n;
    estimate->two_ply_seconds = made > 0 ? seconds / made : 0;
    for (unsigned i = 0; i < n; i++)
        squares += pow(samples[i].nodes - estimate->nodes, 2);
    const double half = n > 1 ? WIDENING * student(n - 1) * sqrt(squares / (n - 1) / n) : 0;
    estimate->low = fmax(0, estimate->nodes - half);
    /* Where all that was kept is barren, there is nothing to judge the rest by. */
    estimate->high = estimate->nodes > 0 || estimate->exact ? estimate->nodes + half : INFINITY;
    estimate->seconds = pm_clock_seconds_since(run->start_ns);
}

static bool is_enough(const struct run *run)
{
    if (run->samples[0].done && !run->samples[0].thinned)
        return true;
    for (unsigned i = 0; i < PM_ESTIMATE_MIN_SAMPLES; i++)
        if (!run->samples[i].done)
            return false;
    return true;
}

double pm_estimate_relative_error(const struct pm_estimate *estimate)
{
    if (estimate->exact)
        return 0;
    return (estimate->high - estimate->low) / 2 / estimate->nodes;
}

double pm_estimate_tree_seconds(const struct pm_estimate *estimate, int threads)
{
    return estimate->two_ply_counts * estimate->two_ply_seconds / threads;
}

/* On how many lines a position of that ply is reached, on average, from the start position. */
static double recurrence_at(int ply)
{
    static const double known[] = {1,     1,     1,     1.660, 2.737, 5.916,
                                   12.64, 33.15, 86.01, 265.6, 812.3, 2889};
    enum { LAST = sizeof known / sizeof known[0] - 1 };
    const double growth = 3.3; /* by then */
    if (ply <= LAST)
        return ply > 0 ? known[ply] : 1;
    return known[LAST] * pow(growth, ply - LAST);
}

double pm_estimate_unique_seconds(const struct pm_estimate *estimate, int depth, int threads)
{
    const double dearer = 1.4; /* measured: 1.3 to 1.5 */
    return dearer * pm_estimate_tree_seconds(estimate, threads) / recurrence_at(depth - 2);
}

/* ---- Memory ---- */

static void free_population(struct population *population)
{
    free(population->states);
    free(population->members);
}

static void free_sampler(struct sampler *sampler)
{
    free(sampler->played);
    free_population(&sampler->now);
    free_population(&sampler->next);
    free(sampler->candidates);
}

static bool allocate_population(struct population *population, const struct pm_kernel *kernel,
                                size_t count)
{
    population->states = pm_new_states(kernel, count);
    population->members = calloc(count, sizeof population->members[0]);
    return population->states != NULL && population->members != NULL;
}

static bool allocate_sampler(struct sampler *sampler, const struct pm_estimate_job *job)
{
    const size_t room = (size_t)job->width + 1;
    sampler->job = job;
    sampler->mode = pm_mode_fastest(job->kernel);
    sampler->state_size = pm_state_stride(job->kernel);
    sampler->played = pm_new_state(job->kernel);
    sampler->capacity = room * 8;
    sampler->candidates = malloc(sampler->capacity * sizeof sampler->candidates[0]);
    return allocate_population(&sampler->now, job->kernel, room) &&
           allocate_population(&sampler->next, job->kernel, room) && sampler->played != NULL &&
           sampler->candidates != NULL;
}

static enum pm_status fail(const struct run *run, enum pm_status status, struct pm_error *error)
{
    char fen[PM_FEN_SIZE];
    switch (status) {
    case PM_ERROR_INTERRUPTED:
        return pm_fail(error, status, "interrupted before there were %u samples",
                       PM_ESTIMATE_MIN_SAMPLES);
    case PM_ERROR_MEMORY:
        return pm_fail(error, status, "out of memory for a width of %u on %d threads",
                       run->job->width, run->job->threads);
    default:
        return pm_fail(
            error, status, "%s: %s at %s", run->job->kernel->name, pm_status_text(status),
            pm_fen_write(run->job->position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_AS_GIVEN, fen));
    }
}

/* Samples on all threads, once there is memory. */
static enum pm_status take_samples(struct run *run)
{
    const struct pm_estimate_job *job = run->job;
    for (int i = 0; i < job->threads; i++)
        if (!allocate_sampler(&run->samplers[i], job))
            return PM_ERROR_MEMORY;
    run->root = pm_new_state(job->kernel);
    if (run->root == NULL)
        return PM_ERROR_MEMORY;
    enum pm_status status = job->kernel->set_position(run->root, job->position);
    if (status == PM_OK)
        status = look(job->kernel, run->samplers[0].mode, run->root, &run->root_member);
    if (status != PM_OK)
        return status;
    pm_parallel_for(job->samples, job->threads, take_sample, run);
    return atomic_load(&run->status);
}

enum pm_status pm_estimate_run(const struct pm_estimate_job *job, struct pm_estimate *estimate,
                               struct pm_error *error)
{
    assert(job->depth >= 0 && job->depth <= PM_ESTIMATE_MAX_DEPTH);
    assert(job->width >= 1 && job->width <= PM_ESTIMATE_MAX_WIDTH && job->threads >= 1);
    assert(job->samples >= PM_ESTIMATE_MIN_SAMPLES && job->samples <= PM_ESTIMATE_MAX_SAMPLES);
    struct run run = {
        .job = job,
        .samplers = calloc((size_t)job->threads, sizeof run.samplers[0]),
        .samples = calloc(job->samples, sizeof run.samples[0]),
        .root_member = {.weight = 1},
        .start_ns = pm_clock_ns(),
    };
    enum pm_status status = PM_ERROR_MEMORY;
    if (run.samplers != NULL && run.samples != NULL)
        status = take_samples(&run);
    if (status == PM_OK || (status == PM_ERROR_INTERRUPTED && is_enough(&run))) {
        evaluate(&run, estimate);
        status = PM_OK;
    } else {
        status = fail(&run, status, error);
    }
    for (int i = 0; run.samplers != NULL && i < job->threads; i++)
        free_sampler(&run.samplers[i]);
    free(run.samplers);
    free(run.samples);
    free(run.root);
    return status;
}
