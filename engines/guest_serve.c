/* SPDX-License-Identifier: MIT */
#include "core/state.h"
#include "engines/guest.h"
#include "engines/guest_calls.h"
#include "engines/internal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool read_all(int file, void *data, size_t size)
{
    char *at = data;
    while (size > 0) {
        const ssize_t count = read(file, at, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        at += count;
        size -= (size_t)count;
    }
    return true;
}

static bool write_all(int file, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        const ssize_t count = write(file, at, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        at += count;
        size -= (size_t)count;
    }
    return true;
}

/* Memory that ends where a page begins that can't be touched. It is never given back. */
static void *new_fenced(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t room = (size + page - 1) / page * page;
    char *memory =
        mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + room, page, PROT_NONE) != 0)
        return NULL;
    return memory + room - size;
}

static void copy_text(char *target, size_t size, const char *text)
{
    snprintf(target, size, "%s", text != NULL ? text : "");
}

static void introduce(const struct pm_kernel *kernel, struct pm_guest_hello *hello)
{
    hello->cpu_required = kernel->cpu_required;
    hello->cpu_slow = kernel->cpu_slow;
    hello->capabilities = kernel->capabilities;
    hello->state_size = kernel->state_size;
    hello->state_align = kernel->state_align;
    hello->has_attacks = kernel->attacks != NULL;
    hello->has_key = kernel->key != NULL;
    copy_text(hello->name, sizeof hello->name, kernel->name);
    copy_text(hello->family, sizeof hello->family, kernel->family);
    copy_text(hello->lineage, sizeof hello->lineage, kernel->lineage);
    copy_text(hello->technique, sizeof hello->technique, kernel->technique);
    copy_text(hello->summary, sizeof hello->summary, kernel->summary);
    copy_text(hello->reference, sizeof hello->reference, kernel->reference);
    copy_text(hello->revision, sizeof hello->revision, kernel->revision);
}

struct host {
    const struct pm_kernel *kernel;
    int out;
    void *state;
    size_t state_size;
    struct pm_move *moves;
};

static void call(const struct host *host, const struct pm_guest_request *request,
                 struct pm_guest_reply *reply)
{
    const struct pm_kernel *kernel = host->kernel;
    unsigned count = 0;
    switch (request->call) {
    case PM_GUEST_SET_POSITION:
        reply->status = kernel->set_position(host->state, &request->position);
        break;
    case PM_GUEST_GET_POSITION:
        reply->status = kernel->get_position(host->state, &reply->position);
        break;
    case PM_GUEST_LEGAL_MOVES:
        reply->status = kernel->legal_moves(host->state, host->moves, &count);
        reply->move_count = count;
        break;
    case PM_GUEST_PLAY:
        reply->status = kernel->play(host->state, &request->move);
        break;
    case PM_GUEST_PERFT:
        reply->status = kernel->perft(host->state, request->depth, request->mode, &reply->nodes);
        break;
    case PM_GUEST_ATTACKS:
        reply->status = kernel->attacks(host->state, &reply->attacks);
        break;
    case PM_GUEST_KEY:
        reply->status = kernel->key(host->state, &reply->nodes);
        break;
    case PM_GUEST_CALL_COUNT:
        break;
    }
}

/* False when the other side is gone. */
static bool answer(const struct host *host)
{
    struct pm_guest_request request;
    struct pm_guest_reply reply;
    if (!read_all(STDIN_FILENO, &request, sizeof request) || request.magic != PM_GUEST_MAGIC ||
        (request.call != PM_GUEST_SET_POSITION &&
         !read_all(STDIN_FILENO, host->state, host->state_size)))
        return false;
    memset(&reply, 0, sizeof reply);
    reply.magic = PM_GUEST_MAGIC;
    reply.number = request.number;
    call(host, &request, &reply);
    const bool has_state = request.call == PM_GUEST_SET_POSITION || request.call == PM_GUEST_PLAY;
    const size_t moves = reply.move_count <= PM_MAX_MOVES ? reply.move_count : 0;
    return write_all(host->out, &reply, sizeof reply) &&
           (!has_state || write_all(host->out, host->state, host->state_size)) &&
           (moves == 0 || write_all(host->out, host->moves, moves * sizeof *host->moves));
}

int pm_guest_serve(const char *path)
{
    static struct pm_guest_hello hello = {.magic = PM_GUEST_MAGIC};
    struct host host = {.out = dup(STDOUT_FILENO)};
    void *library = NULL;
    if (host.out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) /* a plug-in may print */
        return 3;
    hello.status = pm_plugin_open(path, &library, &host.kernel, &hello.error);
    if (hello.status == PM_OK) {
        introduce(host.kernel, &hello);
        host.state_size = pm_state_stride(host.kernel);
        host.state = new_fenced(host.state_size);
        host.moves = new_fenced(PM_MAX_MOVES * sizeof *host.moves);
        if (host.state == NULL || host.moves == NULL)
            hello.status = pm_fail(&hello.error, PM_ERROR_MEMORY, "out of memory");
    }
    bool goes_on = write_all(host.out, &hello, sizeof hello) && hello.status == PM_OK;
    while (goes_on)
        goes_on = answer(&host);
    _exit(0); /* what a plug-in does at the end is no affair of ours */
}
