/* SPDX-License-Identifier: MIT */
/* A diff as lines for a reader and as JSON. */
#include "core/board_text.h"
#include "core/fen.h"
#include "core/move.h"
#include "core/quote.h"
#include "verify/diagnose/diff_json.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_MOVES = 6 };
_Static_assert(PM_DIFF_FEN_SIZE == PM_FEN_SIZE, "a FEN fits");
_Static_assert(PM_DIFF_PATH_SIZE == PM_DIFF_MAX_DEPTH * PM_MOVE_TEXT_SIZE + 1, "a path fits");

static const char *write_fen(const struct pm_diff *diff, const struct pm_position *position,
                             char fen[PM_FEN_SIZE])
{
    return pm_fen_write(position, diff->chess960 ? PM_FEN_SHREDDER : PM_FEN_XFEN,
                        PM_FEN_EN_PASSANT_AS_GIVEN, fen);
}

static const char *path_move(const struct pm_diff *diff, unsigned ply, char text[PM_MOVE_TEXT_SIZE])
{
    return pm_move_to_text(&diff->path[ply],
                           diff->chess960 ? PM_CASTLING_TAKES_ROOK : PM_CASTLING_KING_TARGET, text);
}

const char *pm_diff_node_to_text(const struct pm_diff *diff, char text[PM_DIFF_FEN_SIZE])
{
    return write_fen(diff, &diff->node, text);
}

const char *pm_diff_path_to_text(const struct pm_diff *diff, char path[PM_DIFF_PATH_SIZE])
{
    char *end = path;
    *end = '\0';
    for (unsigned i = 0; i < diff->path_length; i++) {
        char move[PM_MOVE_TEXT_SIZE];
        if (i > 0)
            *end++ = ' ';
        end = stpcpy(end, path_move(diff, i, move));
    }
    return path;
}

const char *pm_diff_fault_text(const struct pm_diff_move *move, enum pm_diff_side side)
{
    if (move->times[side] > 1)
        return "doubled";
    if (move->legal)
        return move->times[side] == 0 ? "missing" : NULL;
    return move->times[side] > 0 ? "extra" : NULL;
}

static void write_command(const struct pm_diff *diff, const char *options, const char *a,
                          const char *b, FILE *file)
{
    char fen[PM_FEN_SIZE];
    fprintf(file, "plymark diff%s", options);
    if (diff->chess960)
        fputs(" --chess960", file);
    fputs(" --lenient -p ", file);
    pm_shell_word(write_fen(diff, &diff->root, fen), file);
    fprintf(file, " -d %d ", diff->depth);
    pm_shell_word(a, file);
    if (b != NULL) {
        fputc(' ', file);
        pm_shell_word(b, file);
    }
}

bool pm_diff_set_command(struct pm_diff *diff, const char *options, const char *a, const char *b)
{
    size_t size = 0;
    FILE *file = open_memstream(&diff->command, &size);
    if (file == NULL)
        return false;
    write_command(diff, options, a, b, file);
    return fclose(file) == 0;
}

/* ---- Text ---- */

struct output {
    const struct pm_diff *diff;
    FILE *file;
    int indentation;
};

/* Notes may hold several lines. */
static void put_lines(const struct output *output, const char *text)
{
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        fprintf(output->file, "%*s%.*s\n", output->indentation, "", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void put_head(const struct output *output)
{
    const struct pm_diff *diff = output->diff;
    const char *a = diff->names[PM_DIFF_A], *b = diff->names[PM_DIFF_B];
    fprintf(output->file, "%*s", output->indentation, "");
    switch (diff->result) {
    case PM_DIFF_NONE:
        fprintf(output->file, "No difference: %s and %s agree up to depth %d.\n", a, b,
                diff->depth);
        break;
    case PM_DIFF_MOVES:
        fprintf(output->file, "%s and %s list different moves after %u %s.\n", a, b,
                diff->path_length, diff->path_length == 1 ? "ply" : "plies");
        break;
    case PM_DIFF_COUNT:
        fprintf(output->file,
                "The bug vanishes when one zooms in: each move of the node is right by itself, the "
                "count of them all is not.\n");
        break;
    case PM_DIFF_FAILED:
        fprintf(output->file, "%s %s, asked for depth %d: %s\n", diff->names[diff->failed],
                pm_subject_failure_text(diff->failure), diff->node_depth, diff->failure_text);
        break;
    case PM_DIFF_RESULT_COUNT:
        break;
    }
}

static void put_counts(const struct output *output)
{
    const struct pm_diff *diff = output->diff;
    char a[PM_COUNT_TEXT_SIZE], b[PM_COUNT_TEXT_SIZE];
    pm_count_to_grouped_text(diff->total[PM_DIFF_A], a);
    pm_count_to_grouped_text(diff->total[PM_DIFF_B], b);
    fprintf(output->file, "%*scount depth %d: %s %s, %s %s\n", output->indentation, "",
            diff->node_depth, diff->names[PM_DIFF_A], a, diff->names[PM_DIFF_B], b);
}

static void put_whole(const struct output *output)
{
    const struct pm_diff *diff = output->diff;
    char whole[PM_COUNT_TEXT_SIZE], parts[PM_COUNT_TEXT_SIZE];
    for (int side = 0; side < PM_DIFF_SIDE_COUNT; side++)
        if (diff->wrong[side])
            fprintf(output->file, "%*swrong %s: %s at depth %d for the whole, %s for its parts\n",
                    output->indentation, "", diff->names[side],
                    pm_count_to_grouped_text(diff->whole, whole), diff->node_depth,
                    pm_count_to_grouped_text(diff->parts, parts));
}

static void put_moves_of(const struct output *output, enum pm_diff_side side)
{
    const struct pm_diff *diff = output->diff;
    unsigned count = 0;
    for (unsigned i = 0; i < diff->move_count; i++) {
        const struct pm_diff_move *move = &diff->moves[i];
        const char *fault = pm_diff_fault_text(move, side);
        if (fault == NULL || count++ >= MAX_MOVES)
            continue;
        fprintf(output->file, "%*s%-5s %s in %s\n%*s      %s: %s\n", output->indentation, "",
                move->text, fault, diff->names[side], output->indentation, "",
                pm_rule_text(move->finding.rule), move->finding.sentence);
    }
    if (count > MAX_MOVES)
        fprintf(output->file, "%*sand %u more in %s\n", output->indentation, "", count - MAX_MOVES,
                diff->names[side]);
}

static void put_moves(const struct output *output)
{
    const struct pm_diff *diff = output->diff;
    put_moves_of(output, PM_DIFF_A);
    put_moves_of(output, PM_DIFF_B);
    if (diff->vanishes_from_fen && diff->wrong_field[0] == '\0')
        put_lines(output, "Set up from the FEN of the node alone the moves are right: a move of "
                          "the path leaves something wrong behind.");
}

/* Of what gave no answer the board says nothing. */
static void put_board(const struct output *output)
{
    const struct pm_diff *diff = output->diff;
    char board[PM_BOARD_TEXT_SIZE];
    if (diff->result != PM_DIFF_FAILED)
        fprintf(output->file, "\n%s\n",
                pm_board_to_text(&diff->node, &diff->attacks, (unsigned)output->indentation + 2,
                                 board));
}

static void put_node(const struct output *output)
{
    const struct pm_diff *diff = output->diff;
    char fen[PM_FEN_SIZE], path[PM_DIFF_PATH_SIZE];
    if (diff->path_length > 0)
        fprintf(output->file, "%*spath  %s\n", output->indentation, "",
                pm_diff_path_to_text(diff, path));
    fprintf(output->file, "%*sFEN   %s\n", output->indentation, "",
            pm_diff_node_to_text(diff, fen));
    put_board(output);
}

void pm_diff_write_text(const struct pm_diff *diff, unsigned indentation, FILE *file)
{
    const struct output output = {.diff = diff, .file = file, .indentation = (int)indentation};
    put_head(&output);
    if (diff->result == PM_DIFF_NONE)
        put_counts(&output);
    else
        put_node(&output);
    if (diff->wrong_field[0] != '\0')
        put_lines(&output, diff->notes);
    if (diff->result == PM_DIFF_MOVES) {
        put_moves(&output);
        put_counts(&output);
    }
    if (diff->result == PM_DIFF_COUNT)
        put_whole(&output);
    if (diff->wrong_field[0] == '\0')
        put_lines(&output, diff->notes);
}

/* ---- JSON ---- */

json_t *pm_count_json(pm_count count)
{
    char text[PM_COUNT_TEXT_SIZE];
    if (count <= INT64_MAX)
        return json_integer((json_int_t)count);
    return json_string(pm_count_to_text(count, text));
}

/* Whatever bytes a program wrote, they become a string. */
static json_t *string_json(const char *text)
{
    char *clean = strdup(text);
    for (char *c = clean; c != NULL && *c != '\0'; c++)
        if (*c != '\n' && (*c < ' ' || *c > '~'))
            *c = '?';
    json_t *json = clean != NULL ? json_string(clean) : NULL;
    free(clean);
    return json;
}

static json_t *move_json(const struct pm_diff *diff, const struct pm_diff_move *move,
                         enum pm_diff_side side)
{
    return json_pack("{s:o, s:s, s:o, s:b, s:s, s:o}", "move", string_json(move->text), "fault",
                     pm_diff_fault_text(move, side), "subject", string_json(diff->names[side]),
                     "legal", move->legal, "rule", pm_rule_text(move->finding.rule), "reason",
                     string_json(move->finding.sentence));
}

static json_t *moves_json(const struct pm_diff *diff)
{
    json_t *moves = json_array();
    for (int side = 0; side < PM_DIFF_SIDE_COUNT; side++)
        for (unsigned i = 0; i < diff->move_count; i++)
            if (pm_diff_fault_text(&diff->moves[i], (enum pm_diff_side)side) != NULL)
                json_array_append_new(moves,
                                      move_json(diff, &diff->moves[i], (enum pm_diff_side)side));
    return moves;
}

/* The moves that subject A lacks, or gives though they are illegal. */
static json_t *faults_json(const struct pm_diff *diff, const char *fault)
{
    json_t *moves = json_array();
    for (unsigned i = 0; i < diff->move_count; i++) {
        const char *found = pm_diff_fault_text(&diff->moves[i], PM_DIFF_A);
        if (found != NULL && strcmp(found, fault) == 0)
            json_array_append_new(moves, string_json(diff->moves[i].text));
    }
    return moves;
}

static json_t *path_json(const struct pm_diff *diff)
{
    json_t *path = json_array();
    for (unsigned i = 0; i < diff->path_length; i++) {
        char text[PM_MOVE_TEXT_SIZE];
        json_array_append_new(path, json_string(path_move(diff, i, text)));
    }
    return path;
}

static json_t *wrong_json(const struct pm_diff *diff)
{
    json_t *wrong = json_array();
    for (int side = 0; side < PM_DIFF_SIDE_COUNT; side++)
        if (diff->wrong[side])
            json_array_append_new(wrong, string_json(diff->names[side]));
    return wrong;
}

json_t *pm_diff_json(const struct pm_diff *diff)
{
    char root[PM_FEN_SIZE], node[PM_FEN_SIZE];
    json_t *object = json_pack(
        "{s:s, s:o, s:o, s:o, s:s, s:b, s:i, s:s, s:o, s:i, s:o, s:o, s:o, s:b, s:s, s:o}",
        "result", pm_diff_result_text(diff->result), "a", string_json(diff->names[PM_DIFF_A]), "b",
        string_json(diff->names[PM_DIFF_B]), "wrong", wrong_json(diff), "position",
        write_fen(diff, &diff->root, root), "chess960", diff->chess960, "depth", diff->depth, "fen",
        write_fen(diff, &diff->node, node), "path", path_json(diff), "node_depth", diff->node_depth,
        "count_a", pm_count_json(diff->total[PM_DIFF_A]), "count_b",
        pm_count_json(diff->total[PM_DIFF_B]), "moves", moves_json(diff), "vanishes_from_fen",
        diff->vanishes_from_fen, "wrong_field", diff->wrong_field, "notes",
        string_json(diff->notes));
    if (object != NULL && diff->result == PM_DIFF_MOVES) {
        json_object_set_new(object, "missing", faults_json(diff, "missing"));
        json_object_set_new(object, "extra", faults_json(diff, "extra"));
        json_object_set_new(object, "doubled", faults_json(diff, "doubled"));
        json_object_set_new(object, "rule", json_string(pm_rule_text(pm_diff_rule(diff))));
    }
    if (object != NULL && diff->command != NULL)
        json_object_set_new(object, "command", string_json(diff->command));
    if (object != NULL && diff->result == PM_DIFF_COUNT) {
        json_object_set_new(object, "whole", pm_count_json(diff->whole));
        json_object_set_new(object, "parts", pm_count_json(diff->parts));
    }
    if (object != NULL && diff->result == PM_DIFF_FAILED) {
        json_object_set_new(object, "failed", string_json(diff->names[diff->failed]));
        json_object_set_new(object, "failure", json_string(pm_subject_failure_text(diff->failure)));
        json_object_set_new(object, "failure_text", string_json(diff->failure_text));
    }
    return object;
}

enum pm_status pm_diff_write_json(const struct pm_diff *diff, FILE *file, struct pm_error *error)
{
    json_t *json = pm_diff_json(diff);
    if (json == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "no JSON could be made of the difference");
    const bool written = json_dumpf(json, file, JSON_INDENT(2)) == 0 && fputc('\n', file) != EOF &&
                         fflush(file) == 0;
    json_decref(json);
    return written ? PM_OK : pm_fail(error, PM_ERROR_IO, "the JSON could not be written");
}
