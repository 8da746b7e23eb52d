/* SPDX-License-Identifier: MIT */
#include "cli/game_print.h"

#include "core/escape.h"
#include "core/fen.h"
#include "core/move.h"
#include "core/quote.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *tag_of(const struct pm_game_report *report, const char *name)
{
    const char *value = pm_pgn_tag(report->game, name);
    return value == NULL ? "?" : value;
}

static char *write_fen(const struct pm_position *position, char fen[PM_FEN_SIZE])
{
    return pm_fen_write(position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_LEGAL, fen);
}

/* "after 12. Nf3", or "at the start". */
static char *moment(const struct pm_game_report *report, size_t ply, char *text, size_t size)
{
    char move[PM_GAME_MOVE_SIZE], escaped[4 * PM_GAME_MOVE_SIZE];
    if (ply == 0)
        snprintf(text, size, "at the start");
    else
        snprintf(text, size, "after %s",
                 pm_escape_copy(pm_game_move_text(report, ply, move), escaped, sizeof escaped));
    return text;
}
#define MOMENT_SIZE (4 * PM_GAME_MOVE_SIZE + 8)

/* The plies at which a position occurred, the first one first; returns their number. */
static size_t occurrences(const struct pm_history *history,
                          const struct pm_game_repetition *repetition, size_t **plies)
{
    *plies = malloc(repetition->count * sizeof **plies);
    if (*plies == NULL)
        return 0;
    size_t ply = repetition->last_ply;
    for (size_t i = repetition->count; i-- > 0; ply = pm_history_previous_ply(history, ply))
        (*plies)[i] = ply;
    return repetition->count;
}

void game_print_fault(FILE *out, const struct pm_game_report *report)
{
    char move[PM_GAME_MOVE_SIZE], fen[PM_FEN_SIZE];
    fprintf(out, "%" PRIu64 ":%u: game %" PRIu64 ": ", report->fault_line, report->fault_column,
            report->game->index);
    if (report->fault_move == NULL) {
        fprintf(out, "%s", report->fault_error.text);
        return;
    }
    pm_escape_text(out, pm_game_move_text(report, report->plies + 1, move));
    fprintf(out, ": %s; the position is %s", report->fault_error.text,
            write_fen(&report->last, fen));
}

/* ---- Text ---- */

static void print_result(FILE *out, const struct pm_game_report *report)
{
    const struct pm_game_result *result = &report->result;
    fprintf(out, "  result:     %s", pm_score_text(result->said));
    if (result->ending != PM_ENDING_UNKNOWN)
        fprintf(out, ", %s%s", pm_ending_text(result->ending),
                result->is_assumed ? " (assumed)" : "");
    if (result->contradictions == 0) {
        fputs(report->fault == PM_GAME_FINE ? "; nothing contradicts it\n" : "\n", out);
        return;
    }
    fputs("; CONTRADICTED:\n", out);
    for (unsigned bit = 1; bit <= result->contradictions; bit <<= 1)
        if (result->contradictions & bit)
            fprintf(out, "              %s\n", pm_contradiction_text((enum pm_contradiction)bit));
    fprintf(out, "              tag %s, move text %s, board %s: right is %s\n",
            pm_score_text(result->tag), pm_score_text(result->marker), pm_score_text(result->board),
            pm_score_text(result->right));
}

static void print_repetitions(FILE *out, const struct pm_game_report *report,
                              const struct pm_history *history)
{
    char fen[PM_FEN_SIZE];
    for (size_t i = 0; i < report->repetition_count; i++) {
        const struct pm_game_repetition *repetition = &report->repetitions[i];
        size_t *plies;
        const size_t count = occurrences(history, repetition, &plies);
        fprintf(out, "  repetition: %u times, at plies", repetition->count);
        for (size_t k = 0; k < count; k++)
            fprintf(out, "%s %zu", k == 0 ? "" : ",", plies[k]);
        fprintf(out, ": %s\n", write_fen(pm_history_position(history, repetition->last_ply), fen));
        free(plies);
    }
}

static void print_claim(FILE *out, const struct pm_game_report *report, const char *what,
                        const struct pm_game_claim *claim)
{
    char text[MOMENT_SIZE];
    if (claim->ply == PM_NO_PLY)
        return;
    fprintf(out, "  claim:      %s, first %s", what, moment(report, claim->ply, text, sizeof text));
    fprintf(out, claim->move[0] == '\0' ? "\n" : ", by writing down %s\n", claim->move);
}

static void print_draws(FILE *out, const struct pm_game_report *report)
{
    char text[MOMENT_SIZE];
    print_claim(out, report, "threefold repetition", &report->threefold);
    print_claim(out, report, "fifty moves", &report->fifty);
    if (report->perpetual_ply != PM_NO_PLY)
        fprintf(out, "  perpetual:  %s checks without end, seen first %s\n",
                pm_color_text(report->perpetual_by),
                moment(report, report->perpetual_ply, text, sizeof text));
    if (report->automatic_ply == PM_NO_PLY)
        return;
    fprintf(out, "  automatic:  drawn %s: %s",
            moment(report, report->automatic_ply, text, sizeof text),
            pm_ending_text(report->automatic));
    if (report->automatic_ply < report->plies)
        fprintf(out, "; played on for %zu plies", report->plies - report->automatic_ply);
    if (report->before_automatic_draws && report->automatic != PM_ENDING_MATERIAL)
        fputs("; no law before July 2014", out);
    fputc('\n', out);
}

/* "file: game 3 (line 20): " */
static void print_title(FILE *out, const char *file, uint64_t index, uint64_t line)
{
    pm_escape_text(out, file);
    fprintf(out, ": game %" PRIu64 " (line %" PRIu64 "): ", index, line);
}

static void print_text(FILE *out, const char *file, const struct pm_game_report *report,
                       const struct pm_history *history)
{
    char fen[PM_FEN_SIZE], label[16];
    print_title(out, file, report->game->index, report->game->line);
    pm_escape_text(out, tag_of(report, "White"));
    fputs(" - ", out);
    pm_escape_text(out, tag_of(report, "Black"));
    fputs(report->chess960 ? ", Chess960\n" : "\n", out);
    if (report->fault == PM_GAME_FINE || report->fault_move != NULL)
        fprintf(out, "  moves:      %zu plies to %s\n", report->plies,
                write_fen(&report->last, fen));
    if (report->fault == PM_GAME_FINE) {
        fprintf(out, "  verdict:    %s: %s\n", pm_verdict_text(report->verdict), report->reason);
    } else {
        snprintf(label, sizeof label, "%s:", pm_game_fault_text(report->fault));
        fprintf(out, "  %-11s ", label);
        game_print_fault(out, report);
        fputc('\n', out);
    }
    print_result(out, report);
    print_repetitions(out, report, history);
    print_draws(out, report);
}

/* ---- TSV ---- */

static void print_field(FILE *out, const char *text)
{
    pm_escape_tsv(out, text);
    fputc('\t', out);
}

static void print_ply(FILE *out, size_t ply)
{
    if (ply == PM_NO_PLY)
        fputs("-\t", out);
    else
        fprintf(out, "%zu\t", ply);
}

static void print_contradictions(FILE *out, unsigned contradictions)
{
    static const char *const names[] = {"marker", "board",       "drawn",
                                        "time",   "termination", "unreadable"};
    const char *separator = "";
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if ((contradictions & 1U << i) == 0)
            continue;
        fprintf(out, "%s%s", separator, names[i]);
        separator = ",";
    }
    fputs(contradictions == 0 ? "-\t" : "\t", out);
}

static void print_row(FILE *out, const char *file, const struct pm_game_report *report)
{
    const struct pm_game_result *result = &report->result;
    char fen[PM_FEN_SIZE];
    print_field(out, file);
    fprintf(out, "%" PRIu64 "\t%" PRIu64 "\t", report->game->index, report->game->line);
    print_field(out, tag_of(report, "White"));
    print_field(out, tag_of(report, "Black"));
    fprintf(out, "%s\t%zu\t", report->chess960 ? "chess960" : "standard", report->plies);
    fprintf(out, "%s\t", report->fault == PM_GAME_FINE ? pm_verdict_text(report->verdict) : "-");
    fprintf(out, "%s\t%s\t%s\t%s\t", pm_score_text(result->tag), pm_score_text(result->marker),
            pm_score_text(result->board), pm_score_text(result->right));
    fprintf(out, "%s\t%s\t", pm_ending_text(result->ending), result->is_assumed ? "yes" : "no");
    print_contradictions(out, result->contradictions);
    fprintf(out, "%zu\t", report->repetition_count);
    print_ply(out, report->threefold.ply);
    print_ply(out, report->fifty.ply);
    print_ply(out, report->automatic_ply);
    fprintf(out, "%s\t",
            report->automatic_ply == PM_NO_PLY ? "-" : pm_ending_text(report->automatic));
    print_ply(out, report->perpetual_ply);
    fprintf(out, "%s\t",
            report->perpetual_ply == PM_NO_PLY ? "-" : pm_color_text(report->perpetual_by));
    fprintf(out, "%s\t", pm_game_fault_text(report->fault));
    if (report->fault == PM_GAME_FINE)
        fputs("-\t-\t", out);
    else
        fprintf(out, "%" PRIu64 "\t%u\t", report->fault_line, report->fault_column);
    fprintf(out, "%s\n",
            report->fault == PM_GAME_FINE || report->fault_move != NULL
                ? write_fen(&report->last, fen)
                : "-");
}

void game_print_header(FILE *out, enum game_format format)
{
    if (format == GAME_TSV)
        fputs("file\tgame\tline\twhite\tblack\tvariant\tplies\tverdict\ttag\tmarker\tboard\tright\t"
              "ending\tassumed\tcontradictions\trepetitions\tthreefold_ply\tfifty_ply\t"
              "automatic_ply\tautomatic\tperpetual_ply\tperpetual\tfault\tfault_line\t"
              "fault_column\tfen\n",
              out);
}

/* ---- JSON ---- */

/* What is not UTF-8, a path or a word of a game, is quoted. */
static void set_text(json_t *object, const char *key, const char *text)
{
    char quoted[PM_QUOTE_SIZE];
    json_t *string = json_string(text);
    json_object_set_new(
        object, key, string != NULL ? string : json_string(pm_quote(text, strlen(text), quoted)));
}

static void set_number(json_t *object, const char *key, uint64_t number)
{
    json_object_set_new(object, key, json_integer((json_int_t)number));
}

static void set_fen(json_t *object, const char *key, const struct pm_position *position)
{
    char fen[PM_FEN_SIZE];
    set_text(object, key, write_fen(position, fen));
}

/* `null` where the tag is missing. */
static void set_tag(json_t *object, const char *key, const struct pm_game_report *report,
                    const char *name)
{
    const char *value = pm_pgn_tag(report->game, name);
    if (value == NULL)
        json_object_set_new(object, key, json_null());
    else
        set_text(object, key, value);
}

static json_t *fault_json(const struct pm_game_report *report)
{
    json_t *fault = json_object();
    char move[PM_GAME_MOVE_SIZE];
    set_text(fault, "kind", pm_game_fault_text(report->fault));
    set_number(fault, "line", report->fault_line);
    set_number(fault, "column", report->fault_column);
    if (report->fault_move != NULL)
        set_text(fault, "move", pm_game_move_text(report, report->plies + 1, move));
    set_text(fault, "text", report->fault_error.text);
    return fault;
}

static json_t *result_json(const struct pm_game_result *result)
{
    json_t *object = json_object();
    json_t *contradictions = json_array();
    set_text(object, "tag", pm_score_text(result->tag));
    set_text(object, "marker", pm_score_text(result->marker));
    set_text(object, "board", pm_score_text(result->board));
    set_text(object, "right", pm_score_text(result->right));
    set_text(object, "ending", pm_ending_text(result->ending));
    json_object_set_new(object, "assumed", json_boolean(result->is_assumed));
    for (unsigned bit = 1; bit <= result->contradictions; bit <<= 1)
        if (result->contradictions & bit)
            json_array_append_new(contradictions,
                                  json_string(pm_contradiction_text((enum pm_contradiction)bit)));
    json_object_set_new(object, "contradictions", contradictions);
    return object;
}

static json_t *repetitions_json(const struct pm_game_report *report,
                                const struct pm_history *history)
{
    json_t *array = json_array();
    for (size_t i = 0; i < report->repetition_count; i++) {
        const struct pm_game_repetition *repetition = &report->repetitions[i];
        json_t *object = json_object();
        json_t *list = json_array();
        size_t *plies;
        const size_t count = occurrences(history, repetition, &plies);
        for (size_t k = 0; k < count; k++)
            json_array_append_new(list, json_integer((json_int_t)plies[k]));
        free(plies);
        set_fen(object, "fen", pm_history_position(history, repetition->last_ply));
        json_object_set_new(object, "plies", list);
        json_array_append_new(array, object);
    }
    return array;
}

static void set_claim(json_t *claims, const char *key, const struct pm_game_claim *claim)
{
    if (claim->ply == PM_NO_PLY)
        return;
    json_t *object = json_object();
    set_number(object, "ply", claim->ply);
    if (claim->move[0] != '\0')
        set_text(object, "move", claim->move);
    json_object_set_new(claims, key, object);
}

static void set_draws(json_t *game, const struct pm_game_report *report)
{
    json_t *claims = json_object();
    set_claim(claims, "threefold", &report->threefold);
    set_claim(claims, "fifty_moves", &report->fifty);
    json_object_set_new(game, "claims", claims);
    if (report->automatic_ply != PM_NO_PLY) {
        json_t *automatic = json_object();
        set_number(automatic, "ply", report->automatic_ply);
        set_text(automatic, "by", pm_ending_text(report->automatic));
        set_number(automatic, "played_on", report->plies - report->automatic_ply);
        json_object_set_new(automatic, "law",
                            json_boolean(!report->before_automatic_draws ||
                                         report->automatic == PM_ENDING_MATERIAL));
        json_object_set_new(game, "automatic", automatic);
    }
    if (report->perpetual_ply != PM_NO_PLY) {
        json_t *perpetual = json_object();
        set_number(perpetual, "ply", report->perpetual_ply);
        set_text(perpetual, "by", pm_color_text(report->perpetual_by));
        json_object_set_new(game, "perpetual", perpetual);
    }
}

static json_t *game_json(const char *file, const struct pm_game_report *report,
                         const struct pm_history *history)
{
    json_t *game = json_object();
    set_text(game, "file", file);
    set_number(game, "game", report->game->index);
    set_number(game, "line", report->game->line);
    set_tag(game, "white", report, "White");
    set_tag(game, "black", report, "Black");
    set_text(game, "variant", report->chess960 ? "chess960" : "standard");
    set_number(game, "plies", report->plies);
    if (report->fault != PM_GAME_FINE)
        json_object_set_new(game, "fault", fault_json(report));
    if (report->fault == PM_GAME_FINE || report->fault_move != NULL) {
        if (report->is_set_up)
            set_fen(game, "start", &report->start);
        set_fen(game, "fen", &report->last);
    }
    if (report->fault == PM_GAME_FINE) {
        set_text(game, "verdict", pm_verdict_text(report->verdict));
        set_text(game, "reason", report->reason);
    }
    json_object_set_new(game, "result", result_json(&report->result));
    json_object_set_new(game, "repetitions", repetitions_json(report, history));
    set_draws(game, report);
    return game;
}

static enum pm_status dump(FILE *out, json_t *object)
{
    char *text = json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII);
    json_decref(object);
    if (text == NULL)
        return PM_ERROR_MEMORY;
    pm_escape_json(out, text);
    fputc('\n', out);
    free(text);
    return PM_OK;
}

enum pm_status game_print(FILE *out, enum game_format format, const char *file,
                          const struct pm_game_report *report, const struct pm_history *history)
{
    if (format == GAME_JSON)
        return dump(out, game_json(file, report, history));
    if (format == GAME_TSV)
        print_row(out, file, report);
    else
        print_text(out, file, report, history);
    return PM_OK;
}

/* ---- Games that can't be read ---- */

static void print_unreadable_row(FILE *out, const char *file, const struct pm_pgn_fault *fault)
{
    print_field(out, file);
    fprintf(out, "%" PRIu64 "\t%" PRIu64, fault->index, fault->game_line);
    for (int i = 0; i < 19; i++) /* from white to perpetual */
        fputs("\t-", out);
    fprintf(out, "\tunreadable\t%" PRIu64 "\t%u\t-\n", fault->line, fault->column);
}

static json_t *unreadable_json(const char *file, const struct pm_pgn_fault *place, const char *text)
{
    json_t *game = json_object();
    json_t *fault = json_object();
    set_text(game, "file", file);
    set_number(game, "game", place->index);
    set_number(game, "line", place->game_line);
    set_text(fault, "kind", "unreadable");
    set_number(fault, "line", place->line);
    set_number(fault, "column", place->column);
    set_text(fault, "text", text);
    json_object_set_new(game, "fault", fault);
    return game;
}

enum pm_status game_print_unreadable(FILE *out, enum game_format format, const char *file,
                                     const struct pm_pgn_fault *fault, const char *text)
{
    if (format == GAME_JSON)
        return dump(out, unreadable_json(file, fault, text));
    if (format == GAME_TSV) {
        print_unreadable_row(out, file, fault);
    } else {
        print_title(out, file, fault->index, fault->game_line);
        fprintf(out, "\n  unreadable: %s\n", text);
    }
    return PM_OK;
}

/* ---- Totals ---- */

void game_totals_add(struct game_totals *totals, const struct pm_game_report *report)
{
    totals->games++;
    totals->plies += report->plies;
    totals->faults[report->fault]++;
    totals->scores[report->result.said]++;
    if (report->fault == PM_GAME_FINE)
        totals->endings[report->result.ending]++;
    totals->contradictory += report->result.contradictions != 0;
    totals->repetitions += report->repetition_count > 0;
    totals->threefold += report->threefold.ply != PM_NO_PLY;
    totals->fifty += report->fifty.ply != PM_NO_PLY;
    totals->automatic += report->automatic_ply != PM_NO_PLY;
    totals->played_on += report->automatic_ply < report->plies;
    totals->perpetual += report->perpetual_ply != PM_NO_PLY;
}

typedef void (*put_total)(void *out, const char *group, const char *name, uint64_t number);

static void each_total(const struct game_totals *totals, put_total put, void *out)
{
    put(out, "games", "read", totals->games);
    put(out, "games", "unreadable", totals->unreadable);
    put(out, "games", "plies", totals->plies);
    put(out, "games", "contradicted results", totals->contradictory);
    for (int i = 0; i < PM_GAME_FAULT_COUNT; i++)
        put(out, "moves", pm_game_fault_text((enum pm_game_fault)i), totals->faults[i]);
    for (int i = 0; i < PM_SCORE_COUNT; i++)
        put(out, "result", pm_score_text((enum pm_score)i), totals->scores[i]);
    for (int i = 0; i < PM_ENDING_COUNT; i++)
        put(out, "ending", pm_ending_text((enum pm_ending)i), totals->endings[i]);
    put(out, "games with", "a position three times", totals->repetitions);
    put(out, "games with", "a claim by repetition", totals->threefold);
    put(out, "games with", "a claim by fifty moves", totals->fifty);
    put(out, "games with", "checks without end", totals->perpetual);
    put(out, "games with", "an automatic draw", totals->automatic);
    put(out, "games with", "an automatic draw played on", totals->played_on);
}

static void put_text(void *out, const char *group, const char *name, uint64_t number)
{
    if (number > 0 || strcmp(group, "games") == 0)
        fprintf(out, "%-10s %-28s %12" PRIu64 "\n", group, name, number);
}

static void put_row(void *out, const char *group, const char *name, uint64_t number)
{
    fprintf(out, "%s\t%s\t%" PRIu64 "\n", group, name, number);
}

static void put_json(void *out, const char *group, const char *name, uint64_t number)
{
    json_t *object = json_object_get(out, group);
    if (object == NULL) {
        object = json_object();
        json_object_set_new(out, group, object);
    }
    set_number(object, name, number);
}

enum pm_status game_totals_print(FILE *out, enum game_format format,
                                 const struct game_totals *totals)
{
    if (format == GAME_JSON) {
        json_t *object = json_object();
        each_total(totals, put_json, object);
        return dump(out, object);
    }
    if (format == GAME_TSV)
        fputs("group\tname\tnumber\n", out);
    each_total(totals, format == GAME_TSV ? put_row : put_text, out);
    return PM_OK;
}
