/* SPDX-License-Identifier: MIT */
#include "engines/uci_serve.h"

#include "core/fen.h"
#include "core/move.h"
#include "core/position.h"
#include "core/quote.h"
#include "core/state.h"
#include "engines/divide.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct pm_uci_server {
    const struct pm_kernel *kernel;
    enum pm_mode mode;
    int max_depth;
    bool chess960;
    bool has_position;
    int depth_limit; /* of one kernel call */
    void *state;     /* where the moves have led */
    void *next;      /* of the same size: a position that may yet be refused */
    struct pm_move moves[PM_MAX_MOVES];
    struct pm_divide divide;
};

enum pm_status pm_uci_server_open(const struct pm_kernel *kernel, enum pm_mode mode, int max_depth,
                                  struct pm_uci_server **server)
{
    struct pm_uci_server *opened = calloc(1, sizeof *opened);
    if (opened == NULL)
        return PM_ERROR_MEMORY;
    opened->kernel = kernel;
    opened->mode = pm_divide_mode(kernel, mode);
    opened->max_depth = max_depth;
    opened->state = pm_new_state(kernel);
    opened->next = pm_new_state(kernel);
    if (opened->state == NULL || opened->next == NULL) {
        pm_uci_server_close(opened);
        return PM_ERROR_MEMORY;
    }
    *server = opened;
    return PM_OK;
}

void pm_uci_server_close(struct pm_uci_server *server)
{
    if (server == NULL)
        return;
    free(server->state);
    free(server->next);
    free(server);
}

static const char blanks[] = " \t\r\n";

/* The next word of *rest, or "" at its end. Cuts it out with a NUL. */
static char *next_word(char **rest)
{
    char *word = *rest + strspn(*rest, blanks);
    char *end = word + strcspn(word, blanks);
    *rest = *end != '\0' ? end + 1 : end;
    *end = '\0';
    return word;
}

__attribute__((format(printf, 2, 3))) static void complain(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("info string error: ", out);
    vfprintf(out, format, arguments);
    fputc('\n', out);
    va_end(arguments);
}

static void tell_identity(const struct pm_uci_server *server, FILE *out)
{
    fprintf(out, "id name Plymark %s\nid author the Plymark contributors\n", server->kernel->name);
    if (server->kernel->capabilities & PM_CAN_CHESS960)
        fputs("option name UCI_Chess960 type check default false\n", out);
    fputs("uciok\n", out);
}

static void set_option(struct pm_uci_server *server, char *rest, FILE *out)
{
    const bool is_named = strcmp(next_word(&rest), "name") == 0;
    char quoted[PM_QUOTE_SIZE];
    char *name = next_word(&rest);
    const bool is_given = strcmp(next_word(&rest), "value") == 0;
    const char *value = next_word(&rest);
    const bool on = strcasecmp(value, "true") == 0;

    if (!is_named || strcasecmp(name, "UCI_Chess960") != 0 ||
        !(server->kernel->capabilities & PM_CAN_CHESS960))
        complain(out, "no option %s", pm_quote(name, strlen(name), quoted));
    else if (!is_given || (!on && strcasecmp(value, "false") != 0))
        complain(out, "UCI_Chess960 is true or false, not %s",
                 pm_quote(value, strlen(value), quoted));
    else
        server->chess960 = on;
}

/* Plays the moves, each a word, on server->next. */
static bool play_moves(struct pm_uci_server *server, char *rest, FILE *out)
{
    const struct pm_kernel *kernel = server->kernel;
    char quoted[PM_QUOTE_SIZE];
    for (char *word = next_word(&rest); *word != '\0'; word = next_word(&rest)) {
        unsigned count = 0;
        int index = -1;
        if (kernel->legal_moves(server->next, server->moves, &count) == PM_OK &&
            count <= PM_MAX_MOVES)
            index = pm_move_find(server->moves, count, word);
        if (index < 0 || kernel->play(server->next, &server->moves[index]) != PM_OK) {
            complain(out, "illegal move %s", pm_quote(word, strlen(word), quoted));
            return false;
        }
    }
    return true;
}

static bool set_up(struct pm_uci_server *server, const char *fen, char *moves, FILE *out)
{
    const unsigned options = PM_FEN_LENIENT | (server->chess960 ? PM_FEN_CHESS960 : 0U);
    struct pm_position position;
    struct pm_error error;
    if (pm_fen_read_named(fen, options, &position, NULL, &error) != PM_OK) {
        complain(out, "%s", error.text);
        return false;
    }
    const enum pm_status status = server->kernel->set_position(server->next, &position);
    if (status == PM_ERROR_UNSUPPORTED) {
        fprintf(out, "info string refused: %s can't take this position\n", server->kernel->name);
        return false;
    }
    if (status != PM_OK) {
        complain(out, "%s can't take this position: %s", server->kernel->name,
                 pm_status_text(status));
        return false;
    }
    server->depth_limit = pm_kernel_depth_limit(&position);
    return play_moves(server, moves, out);
}

/* The word "moves" in rest, cut off there; the words after it, or "". */
static char *cut_moves(char *rest)
{
    for (char *found = strstr(rest, "moves"); found != NULL; found = strstr(found + 1, "moves")) {
        const bool begins = found == rest || strchr(blanks, found[-1]) != NULL;
        if (!begins || (found[5] != '\0' && strchr(blanks, found[5]) == NULL))
            continue;
        *found = '\0';
        return found + 5;
    }
    return rest + strlen(rest);
}

static void set_position(struct pm_uci_server *server, char *rest, FILE *out)
{
    char *moves = cut_moves(rest);
    const char *kind = next_word(&rest);
    server->has_position = false;
    if (strcmp(kind, "startpos") != 0 && strcmp(kind, "fen") != 0) {
        complain(out, "position needs startpos or fen");
        return;
    }
    if (!set_up(server, kind[0] == 's' ? "startpos" : rest, moves, out))
        return;
    memcpy(server->state, server->next, server->kernel->state_size);
    server->has_position = true;
}

static void tell_divide(const struct pm_divide *divide, FILE *out)
{
    char nodes[PM_COUNT_TEXT_SIZE];
    for (unsigned i = 0; i < divide->count; i++)
        fprintf(out, "%s: %s\n", divide->entries[i].text,
                pm_count_to_text(divide->entries[i].nodes, nodes));
    fprintf(out, "\nNodes searched: %s\n\n", pm_count_to_text(divide->total, nodes));
}

static void go(struct pm_uci_server *server, char *rest, FILE *out)
{
    struct pm_error error;
    const bool is_perft = strcmp(next_word(&rest), "perft") == 0;
    char quoted[PM_QUOTE_SIZE];
    char *end;
    const char *text = next_word(&rest);
    errno = 0;
    const long depth = strtol(text, &end, 10);
    if (!is_perft)
        complain(out, "only go perft N is known");
    else if (end == text || *end != '\0' || errno != 0 || depth < 1 || depth > server->max_depth)
        complain(out, "the depth is %s: 1 to %d is needed", pm_quote(text, strlen(text), quoted),
                 server->max_depth);
    else if (!server->has_position)
        complain(out, "there is no position");
    else if (pm_divide_make(server->kernel, server->mode, server->state, (int)depth,
                            server->depth_limit, server->chess960, &server->divide,
                            &error) != PM_OK)
        complain(out, "%s", error.text);
    else
        tell_divide(&server->divide, out);
}

static bool obey(struct pm_uci_server *server, char *rest, FILE *out)
{
    char quoted[PM_QUOTE_SIZE];
    const char *word = next_word(&rest);
    if (strcmp(word, "quit") == 0)
        return false;
    if (strcmp(word, "uci") == 0)
        tell_identity(server, out);
    else if (strcmp(word, "isready") == 0)
        fputs("readyok\n", out);
    else if (strcmp(word, "setoption") == 0)
        set_option(server, rest, out);
    else if (strcmp(word, "position") == 0)
        set_position(server, rest, out);
    else if (strcmp(word, "go") == 0)
        go(server, rest, out);
    else if (*word != '\0' && strcmp(word, "ucinewgame") != 0 && strcmp(word, "stop") != 0)
        complain(out, "unknown command %s", pm_quote(word, strlen(word), quoted));
    return true;
}

bool pm_uci_serve_line(struct pm_uci_server *server, const char *line, FILE *out)
{
    char *copy = strdup(line);
    if (copy == NULL) {
        complain(out, "out of memory");
        return true;
    }
    const bool goes_on = obey(server, copy, out);
    free(copy);
    return goes_on;
}

enum pm_status pm_uci_serve(struct pm_uci_server *server, FILE *in, FILE *out)
{
    char *line = NULL;
    size_t size = 0;
    bool goes_on = true;
    while (goes_on && getline(&line, &size, in) >= 0) {
        goes_on = pm_uci_serve_line(server, line, out);
        if (fflush(out) != 0)
            break;
    }
    free(line);
    return ferror(out) ? PM_ERROR_IO : PM_OK;
}
