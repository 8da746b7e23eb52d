/* SPDX-License-Identifier: MIT */
#include "engines/guest.h"

#include "core/quote.h"
#include "core/state.h"
#include "engines/guest_calls.h"
#include "engines/internal.h"
#include "engines/process.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PROCESSES = 256 };

struct pm_guest {
    struct pm_kernel kernel;
    struct pm_guest_hello hello;
    struct pm_subject_options options;
    char *word;
    pthread_mutex_t mutex; /* of all that follows */
    struct pm_process *idle[MAX_PROCESSES];
    int idle_count;
    uint32_t number; /* of calls */
    int time_outs, crashes;
    enum pm_status left_by; /* why it is called no more; PM_OK: it is */
    char cause[PM_GUEST_CAUSE_SIZE];
};

/* A kernel's functions have no context, so each guest has a set of its own. */
static struct pm_guest *guests[PM_GUEST_MAX];
static pthread_mutex_t guests_mutex = PTHREAD_MUTEX_INITIALIZER;

/* ---- Processes ---- */

static const char *const call_names[PM_GUEST_CALL_COUNT] = {
    "set_position", "get_position", "legal_moves", "play", "perft", "attacks", "key"};

static void note_cause(struct pm_guest *guest, const char *what, const char *function)
{
    pthread_mutex_lock(&guest->mutex);
    if (guest->cause[0] == '\0')
        snprintf(guest->cause, sizeof guest->cause, "%s at %s()", what, function);
    pthread_mutex_unlock(&guest->mutex);
}

/* The status of a call that got no answer; the process is used no more. */
static enum pm_status give_up(struct pm_guest *guest, struct pm_process *process,
                              enum pm_process_result result, const char *function)
{
    char what[PM_PROCESS_END_SIZE];
    enum pm_status status = PM_ERROR_CRASHED;
    if (result == PM_PROCESS_STOPPED)
        status = PM_ERROR_INTERRUPTED;
    else if (result == PM_PROCESS_LATE)
        status = PM_ERROR_HUNG;
    else
        pm_process_end_to_text(pm_process_wait(process), what);
    if (status == PM_ERROR_HUNG)
        snprintf(what, sizeof what, "no answer within %g s", guest->options.time_limit);
    pm_process_close(process);
    if (status == PM_ERROR_INTERRUPTED)
        return status;
    note_cause(guest, what, function);
    pthread_mutex_lock(&guest->mutex);
    guest->time_outs += status == PM_ERROR_HUNG;
    guest->crashes += status == PM_ERROR_CRASHED;
    if (guest->time_outs >= PM_GUEST_TIME_OUTS || guest->crashes >= PM_GUEST_CRASHES)
        guest->left_by = status;
    pthread_mutex_unlock(&guest->mutex);
    return status;
}

/* Starts one and hears what kernel it has. */
static enum pm_status start(struct pm_guest *guest, struct pm_process **process,
                            struct pm_guest_hello *hello, struct pm_error *error)
{
    const char *const extra[] = {"uci", "-k", guest->word, "--calls", NULL};
    char what[PM_PROCESS_END_SIZE];
    const enum pm_status status =
        pm_process_open(guest->options.host, extra, guest->options.stop, process, error);
    if (status != PM_OK)
        return status;
    const enum pm_process_result result = pm_process_read(
        *process, hello, sizeof *hello, pm_subject_deadline(guest->options.time_limit));
    if (result == PM_PROCESS_FINE && hello->magic == PM_GUEST_MAGIC && hello->status == PM_OK)
        return PM_OK;
    if (result == PM_PROCESS_FINE && hello->magic == PM_GUEST_MAGIC)
        pm_fail(error, hello->status, "%.*s", (int)sizeof hello->error.text - 1, hello->error.text);
    else if (result == PM_PROCESS_STOPPED)
        pm_fail(error, PM_ERROR_INTERRUPTED, "interrupted");
    else if (result == PM_PROCESS_LATE)
        pm_fail(error, PM_ERROR_HUNG, "%s: it was not loaded within %g s", guest->word,
                guest->options.time_limit);
    else
        pm_fail(error, PM_ERROR_CRASHED, "%s: %s while it was loaded", guest->word,
                pm_process_end_to_text(pm_process_wait(*process), what));
    const enum pm_status failed = error != NULL ? error->status : PM_ERROR_CRASHED;
    pm_process_close(*process);
    return failed;
}

static struct pm_process *take_idle(struct pm_guest *guest, uint32_t *number,
                                    enum pm_status *left_by)
{
    pthread_mutex_lock(&guest->mutex);
    struct pm_process *process =
        guest->idle_count > 0 && guest->left_by == PM_OK ? guest->idle[--guest->idle_count] : NULL;
    *number = ++guest->number;
    *left_by = guest->left_by;
    pthread_mutex_unlock(&guest->mutex);
    return process;
}

static void give_back(struct pm_guest *guest, struct pm_process *process)
{
    pthread_mutex_lock(&guest->mutex);
    const bool has_room = guest->idle_count < MAX_PROCESSES;
    if (has_room)
        guest->idle[guest->idle_count++] = process;
    pthread_mutex_unlock(&guest->mutex);
    if (!has_room)
        pm_process_close(process);
}

/* ---- Calls ---- */

/* What a call takes along and brings back; NULL: nothing. */
struct goods {
    const void *state; /* as it was */
    void *new_state;
    struct pm_move *moves;
};

static enum pm_process_result exchange(const struct pm_guest *guest, struct pm_process *process,
                                       const struct pm_guest_request *request,
                                       const struct goods *goods, struct pm_guest_reply *reply)
{
    const uint64_t deadline = pm_subject_deadline(guest->options.time_limit);
    const size_t size = pm_state_stride(&guest->kernel);
    enum pm_process_result result =
        pm_process_write_data(process, request, sizeof *request, deadline);
    if (result == PM_PROCESS_FINE && goods->state != NULL)
        result = pm_process_write_data(process, goods->state, size, deadline);
    if (result == PM_PROCESS_FINE)
        result = pm_process_read(process, reply, sizeof *reply, deadline);
    if (result != PM_PROCESS_FINE)
        return result;
    if (reply->magic != PM_GUEST_MAGIC || reply->number != request->number ||
        (unsigned)reply->status >= PM_STATUS_COUNT ||
        (goods->moves == NULL && reply->move_count > 0))
        return PM_PROCESS_TOO_MUCH;
    if (goods->new_state != NULL)
        result = pm_process_read(process, goods->new_state, size, deadline);
    if (result == PM_PROCESS_FINE && goods->moves != NULL && reply->move_count <= PM_MAX_MOVES)
        result = pm_process_read(process, goods->moves, reply->move_count * sizeof *goods->moves,
                                 deadline);
    return result;
}

static enum pm_status call(int slot, struct pm_guest_request *request, const struct goods *goods,
                           struct pm_guest_reply *reply)
{
    struct pm_guest *guest = guests[slot];
    const char *function = call_names[request->call];
    struct pm_guest_hello *hello = NULL;
    enum pm_status status;
    request->magic = PM_GUEST_MAGIC;
    struct pm_process *process = take_idle(guest, &request->number, &status);
    if (status != PM_OK)
        return status;
    if (process == NULL) {
        hello = malloc(sizeof *hello);
        status = hello != NULL ? start(guest, &process, hello, NULL) : PM_ERROR_MEMORY;
        free(hello);
        if (status != PM_OK)
            return status;
    }
    const enum pm_process_result result = exchange(guest, process, request, goods, reply);
    if (result == PM_PROCESS_TOO_MUCH) {
        note_cause(guest, "bytes that are no answer", function);
        pm_process_close(process);
        return PM_ERROR_MISMATCH;
    }
    if (result != PM_PROCESS_FINE)
        return give_up(guest, process, result, function);
    give_back(guest, process);
    return reply->status;
}

static enum pm_status set_position(int slot, void *state, const struct pm_position *position)
{
    struct pm_guest_request request;
    struct pm_guest_reply reply;
    memset(&request, 0, sizeof request);
    request.call = PM_GUEST_SET_POSITION;
    request.position = *position;
    return call(slot, &request, &(struct goods){.new_state = state}, &reply);
}

/* Calls that only look at a state. */
static enum pm_status look(int slot, enum pm_guest_call which, const void *state,
                           struct pm_guest_reply *reply)
{
    struct pm_guest_request request;
    memset(&request, 0, sizeof request);
    request.call = which;
    return call(slot, &request, &(struct goods){.state = state}, reply);
}

static enum pm_status get_position(int slot, const void *state, struct pm_position *position)
{
    struct pm_guest_reply reply;
    const enum pm_status status = look(slot, PM_GUEST_GET_POSITION, state, &reply);
    if (status == PM_OK)
        *position = reply.position;
    return status;
}

static enum pm_status legal_moves(int slot, const void *state, struct pm_move *moves,
                                  unsigned *count)
{
    struct pm_guest_request request;
    struct pm_guest_reply reply;
    char what[64];
    memset(&request, 0, sizeof request);
    request.call = PM_GUEST_LEGAL_MOVES;
    *count = 0;
    const enum pm_status status =
        call(slot, &request, &(struct goods){.state = state, .moves = moves}, &reply);
    if (status == PM_OK && reply.move_count > PM_MAX_MOVES) {
        snprintf(what, sizeof what, "%u moves, more than the %d there can be", reply.move_count,
                 PM_MAX_MOVES);
        note_cause(guests[slot], what, "legal_moves");
        return PM_ERROR_MISMATCH;
    }
    if (status == PM_OK)
        *count = reply.move_count;
    return status;
}

static enum pm_status play(int slot, void *state, const struct pm_move *move)
{
    struct pm_guest_request request;
    struct pm_guest_reply reply;
    memset(&request, 0, sizeof request);
    request.call = PM_GUEST_PLAY;
    request.move = *move;
    return call(slot, &request, &(struct goods){.state = state, .new_state = state}, &reply);
}

static enum pm_status perft(int slot, const void *state, int depth, enum pm_mode mode,
                            uint64_t *nodes)
{
    struct pm_guest_request request;
    struct pm_guest_reply reply;
    memset(&request, 0, sizeof request);
    request.call = PM_GUEST_PERFT;
    request.depth = depth;
    request.mode = mode;
    const enum pm_status status = call(slot, &request, &(struct goods){.state = state}, &reply);
    if (status == PM_OK)
        *nodes = reply.nodes;
    return status;
}

static enum pm_status attacks(int slot, const void *state, struct pm_attacks *attacks)
{
    struct pm_guest_reply reply;
    const enum pm_status status = look(slot, PM_GUEST_ATTACKS, state, &reply);
    if (status == PM_OK)
        *attacks = reply.attacks;
    return status;
}

static enum pm_status key(int slot, const void *state, uint64_t *key)
{
    struct pm_guest_reply reply;
    const enum pm_status status = look(slot, PM_GUEST_KEY, state, &reply);
    if (status == PM_OK)
        *key = reply.nodes;
    return status;
}

static enum pm_status init(void)
{
    return PM_OK; /* it was initialized when it was loaded */
}

#define FUNCTIONS(slot)                                                                            \
    static enum pm_status set_position_##slot(void *state, const struct pm_position *position)     \
    {                                                                                              \
        return set_position(slot, state, position);                                                \
    }                                                                                              \
    static enum pm_status get_position_##slot(const void *state, struct pm_position *position)     \
    {                                                                                              \
        return get_position(slot, state, position);                                                \
    }                                                                                              \
    static enum pm_status legal_moves_##slot(const void *state, struct pm_move *moves,             \
                                             unsigned *count)                                      \
    {                                                                                              \
        return legal_moves(slot, state, moves, count);                                             \
    }                                                                                              \
    static enum pm_status play_##slot(void *state, const struct pm_move *move)                     \
    {                                                                                              \
        return play(slot, state, move);                                                            \
    }                                                                                              \
    static enum pm_status perft_##slot(const void *state, int depth, enum pm_mode mode,            \
                                       uint64_t *nodes)                                            \
    {                                                                                              \
        return perft(slot, state, depth, mode, nodes);                                             \
    }                                                                                              \
    static enum pm_status attacks_##slot(const void *state, struct pm_attacks *found)              \
    {                                                                                              \
        return attacks(slot, state, found);                                                        \
    }                                                                                              \
    static enum pm_status key_##slot(const void *state, uint64_t *found)                           \
    {                                                                                              \
        return key(slot, state, found);                                                            \
    }
#define SET(slot)                                                                                  \
    {                                                                                              \
        .init = init, .set_position = set_position_##slot, .get_position = get_position_##slot,    \
        .legal_moves = legal_moves_##slot, .play = play_##slot, .perft = perft_##slot,             \
        .attacks = attacks_##slot, .key = key_##slot                                               \
    }

FUNCTIONS(0)
FUNCTIONS(1)
FUNCTIONS(2)
FUNCTIONS(3)
FUNCTIONS(4)
FUNCTIONS(5)
FUNCTIONS(6)
FUNCTIONS(7)
static const struct pm_kernel sets[PM_GUEST_MAX] = {SET(0), SET(1), SET(2), SET(3),
                                                    SET(4), SET(5), SET(6), SET(7)};

/* ---- Opening ---- */

static void describe(struct pm_guest *guest, int slot)
{
    struct pm_guest_hello *hello = &guest->hello;
    guest->kernel = sets[slot];
    guest->kernel.abi = PM_KERNEL_ABI;
    guest->kernel.struct_size = sizeof guest->kernel;
    guest->kernel.name = hello->name;
    guest->kernel.family = hello->family[0] != '\0' ? hello->family : NULL;
    guest->kernel.lineage = hello->lineage;
    guest->kernel.technique = hello->technique;
    guest->kernel.summary = hello->summary;
    guest->kernel.reference = hello->reference;
    guest->kernel.revision = hello->revision;
    guest->kernel.cpu_required = hello->cpu_required;
    guest->kernel.cpu_slow = hello->cpu_slow;
    guest->kernel.capabilities = hello->capabilities;
    guest->kernel.state_size = hello->state_size;
    guest->kernel.state_align = hello->state_align;
    if (!hello->has_attacks)
        guest->kernel.attacks = NULL;
    if (!hello->has_key)
        guest->kernel.key = NULL;
}

/* Also learns from another guest of the same plug-in that it is called no more. */
static int take_slot(struct pm_guest *guest)
{
    int slot = 0;
    pthread_mutex_lock(&guests_mutex);
    for (int i = 0; i < PM_GUEST_MAX; i++)
        if (guests[i] != NULL && strcmp(guests[i]->word, guest->word) == 0 &&
            guests[i]->left_by != PM_OK) {
            guest->left_by = guests[i]->left_by;
            memcpy(guest->cause, guests[i]->cause, sizeof guest->cause);
        }
    while (slot < PM_GUEST_MAX && guests[slot] != NULL)
        slot++;
    if (slot < PM_GUEST_MAX)
        guests[slot] = guest;
    pthread_mutex_unlock(&guests_mutex);
    return slot;
}

static enum pm_status settle(struct pm_guest *guest, struct pm_error *error)
{
    struct pm_error cause = {0};
    struct pm_process *process;
    enum pm_status status = start(guest, &process, &guest->hello, &cause);
    if (status != PM_OK)
        return pm_fail(error,
                       status == PM_ERROR_CRASHED || status == PM_ERROR_HUNG ? PM_ERROR_UNSUPPORTED
                                                                             : status,
                       "%s", cause.text);
    guest->idle[guest->idle_count++] = process;
    const int slot = take_slot(guest);
    if (slot == PM_GUEST_MAX)
        return pm_fail(error, PM_ERROR_UNSUPPORTED, "more than %d plug-ins", PM_GUEST_MAX);
    describe(guest, slot);
    return PM_OK;
}

enum pm_status pm_guest_open(const char *path, const struct pm_subject_options *options,
                             struct pm_guest **guest, struct pm_error *error)
{
    struct pm_guest *opened = calloc(1, sizeof *opened);
    if (opened == NULL || asprintf(&opened->word, "so:%s", path) < 0) {
        free(opened);
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    }
    opened->options = *options;
    pthread_mutex_init(&opened->mutex, NULL);
    const enum pm_status status = settle(opened, error);
    if (status == PM_OK)
        *guest = opened;
    else
        pm_guest_close(opened);
    return status;
}

void pm_guest_close(struct pm_guest *guest)
{
    if (guest == NULL)
        return;
    pthread_mutex_lock(&guests_mutex);
    for (int slot = 0; slot < PM_GUEST_MAX; slot++)
        if (guests[slot] == guest)
            guests[slot] = NULL;
    pthread_mutex_unlock(&guests_mutex);
    for (int i = 0; i < guest->idle_count; i++)
        pm_process_close(guest->idle[i]);
    pthread_mutex_destroy(&guest->mutex);
    free(guest->word);
    free(guest);
}

const struct pm_kernel *pm_guest_kernel(const struct pm_guest *guest)
{
    return &guest->kernel;
}

char *pm_guest_cause(struct pm_guest *guest, char text[PM_GUEST_CAUSE_SIZE])
{
    pthread_mutex_lock(&guest->mutex);
    memcpy(text, guest->cause, PM_GUEST_CAUSE_SIZE);
    pthread_mutex_unlock(&guest->mutex);
    return text;
}
