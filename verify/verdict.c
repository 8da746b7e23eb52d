/* SPDX-License-Identifier: MIT */
/* What a record means, and a failure in words: what all writers say alike. */
#include "core/fen.h"
#include "core/quote.h"
#include "verify/diagnose/diff.h"
#include "verify/internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

const char *pm_verify_end_text(enum pm_verify_end end)
{
    static const char *const texts[PM_VERIFY_END_COUNT] = {
        [PM_VERIFY_NOT_ENDED] = "not ended", [PM_VERIFY_FINISHED] = "finished",
        [PM_VERIFY_FAIL_FAST] = "fail-fast", [PM_VERIFY_INTERRUPTED] = "interrupted",
        [PM_VERIFY_BROKE_OFF] = "broke off",
    };
    return (unsigned)end < PM_VERIFY_END_COUNT ? texts[end] : "unknown end";
}

const char *pm_verify_verdict_text(enum pm_verify_verdict verdict)
{
    static const char *const texts[PM_VERIFY_VERDICT_COUNT] = {
        [PM_VERIFY_PASSED] = "pass",
        [PM_VERIFY_FAILED] = "fail",
        [PM_VERIFY_KNOWN] = "known",
        [PM_VERIFY_SKIPPED] = "skipped",
    };
    return (unsigned)verdict < PM_VERIFY_VERDICT_COUNT ? texts[verdict] : "unknown verdict";
}

const char *pm_verify_result_text(const struct pm_verify_report *report)
{
    if (report->wrong > 0)
        return "fail";
    if (report->end == PM_VERIFY_BROKE_OFF)
        return "error";
    if (report->end != PM_VERIFY_FINISHED)
        return "interrupted";
    for (size_t i = 0; i < report->case_count; i++)
        if (report->cases[i].rows > 0)
            return "pass";
    return "nothing";
}

/* ---- Verdicts ---- */

/* Why rows were not reached. */
static const char *why_stopped(const struct pm_verify_report *report)
{
    switch (report->end) {
    case PM_VERIFY_FINISHED:
        return "the program gave no answer too often";
    case PM_VERIFY_FAIL_FAST:
        return "--fail-fast";
    case PM_VERIFY_BROKE_OFF:
        return report->error;
    default:
        return "interrupted";
    }
}

__attribute__((format(printf, 2, 3))) static enum pm_verify_verdict
skip(char reason[PM_VERIFY_REASON_SIZE], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, PM_VERIFY_REASON_SIZE, format, arguments);
    va_end(arguments);
    return PM_VERIFY_SKIPPED;
}

/* Of what did not run at all though nothing stopped it. */
static enum pm_verify_verdict skip_left_out(uint64_t over_limit, uint64_t unsupported,
                                            uint64_t unreachable,
                                            char reason[PM_VERIFY_REASON_SIZE])
{
    if (over_limit > 0)
        return skip(reason, "over the node limit");
    if (unsupported > 0)
        return skip(reason, "unsupported: the generator can't take the position");
    return skip(reason, unreachable > 0 ? "unreachable: no game leads there" : "no row could run");
}

enum pm_verify_verdict pm_verify_case_verdict(const struct pm_verify_report *report,
                                              const struct pm_verify_case *result,
                                              char reason[PM_VERIFY_REASON_SIZE])
{
    reason[0] = '\0';
    if (result->wrong > 0)
        return PM_VERIFY_FAILED;
    if (result->skipped != NULL)
        return skip(reason, "%s", result->skipped);
    if (!result->has_run)
        return skip(reason, "not run: %s", why_stopped(report));
    if (result->rows_stopped > 0)
        return skip(reason, "not run to the end: %s after %" PRIu64 " of %" PRIu64 " rows",
                    why_stopped(report), result->rows, result->rows_total);
    if (result->known > 0) {
        skip(reason, "%" PRIu64 " known failures", result->known);
        return PM_VERIFY_KNOWN;
    }
    return result->rows > 0 ? PM_VERIFY_PASSED
                            : skip_left_out(result->rows_over_limit, result->rows_unsupported,
                                            result->rows_unreachable, reason);
}

enum pm_verify_verdict pm_verify_position_verdict(const struct pm_verify_report *report,
                                                  const struct pm_verify_case *result,
                                                  const struct pm_verify_position *position,
                                                  char reason[PM_VERIFY_REASON_SIZE])
{
    reason[0] = '\0';
    if (position->wrong > 0) {
        snprintf(reason, PM_VERIFY_REASON_SIZE, "%s", position->known ? "known failure" : "");
        return position->known ? PM_VERIFY_KNOWN : PM_VERIFY_FAILED;
    }
    if (result->skipped != NULL)
        return skip(reason, "%s", result->skipped);
    if (position->stopped > 0)
        return skip(reason, "not run%s: %s", position->right > 0 ? " to the end" : "",
                    why_stopped(report));
    return position->right > 0 ? PM_VERIFY_PASSED
                               : skip_left_out(position->over_limit, position->unsupported,
                                               position->unreachable, reason);
}

bool pm_verify_is_failure_of(const struct pm_verify_failure *failure,
                             const struct pm_verify_position *position)
{
    return failure->line == position->line;
}

/* ---- A failure in words ---- */

static const struct pm_diff_move *first_wrong_move(const struct pm_verify_failure *failure)
{
    const struct pm_diff *cause = failure->cause;
    for (unsigned i = 0; cause != NULL && i < cause->move_count; i++)
        if (pm_diff_fault_text(&cause->moves[i], PM_DIFF_A) != NULL)
            return &cause->moves[i];
    return NULL;
}

void pm_verify_write_headline(const struct pm_verify_failure *failure, FILE *file)
{
    const struct pm_diff_move *move = first_wrong_move(failure);
    fputs(failure->text, file);
    if (move != NULL)
        fprintf(file, "; %s %s: %s: %s", move->text, pm_diff_fault_text(move, PM_DIFF_A),
                pm_rule_text(move->finding.rule), move->finding.sentence);
}

static const char *level_of(enum pm_check check)
{
    return pm_check_mode(check) >= 0 || check == PM_CHECK_OUTSIDE || check == PM_CHECK_DISTINCT
               ? "counts"
               : pm_check_text(check);
}

void pm_verify_write_command(const struct pm_verify_case *result,
                             const struct pm_verify_failure *failure, FILE *file)
{
    if (failure->cause != NULL && failure->cause->command != NULL) {
        fputs(failure->cause->command, file);
        return;
    }
    fputs("plymark verify -k ", file);
    pm_shell_word(result->kernel, file);
    fprintf(file, " --level %s", level_of(result->check));
    if (result->check == PM_CHECK_RANDOM)
        fprintf(file, " --random %u --seed %" PRIu64, failure->line + 1, result->seed);
    if (result->word != NULL) {
        fputs(" -s ", file);
        pm_shell_word(result->word, file);
    }
    if (failure->id[0] != '\0' && result->check != PM_CHECK_RANDOM) {
        fputs(" --filter ", file);
        pm_shell_word(failure->id, file);
    }
}

static void write_counts(const struct pm_verify_failure *failure, int indentation, FILE *file)
{
    char expected[PM_COUNT_TEXT_SIZE], counted[PM_COUNT_TEXT_SIZE];
    if (failure->has_counts)
        fprintf(file, "%*sdepth %d: expected %s, counted %s\n", indentation, "", failure->depth,
                pm_count_to_text(failure->expected, expected),
                pm_count_to_text(failure->counted, counted));
}

static void write_rest(const struct pm_verify_case *result, const struct pm_verify_failure *failure,
                       int indentation, FILE *file)
{
    write_counts(failure, indentation, file);
    if (failure->cause != NULL)
        pm_diff_write_text(failure->cause, (unsigned)indentation, file);
    fprintf(file, "%*sagain: ", indentation, "");
    pm_verify_write_command(result, failure, file);
    fputc('\n', file);
}

void pm_verify_write_failure(const struct pm_verify_case *result,
                             const struct pm_verify_failure *failure, int indentation, bool in_full,
                             FILE *file)
{
    fprintf(file, "%*s%s/%s/%s", indentation, "", result->suite, pm_check_text(result->check),
            failure->name);
    if (failure->line > 0)
        fprintf(file, " (%s %u)", result->check == PM_CHECK_RANDOM ? "position" : "line",
                failure->line);
    fprintf(file, "\n%*s%s\n", indentation, "", failure->text);
    if (failure->fen[0] != '\0' && strcmp(failure->fen, failure->name) != 0)
        fprintf(file, "%*sFEN  %s\n", indentation, "", failure->fen);
    if (failure->path[0] != '\0')
        fprintf(file, "%*spath %s\n%*snode %s\n", indentation, "", failure->path, indentation, "",
                failure->node);
    if (in_full)
        write_rest(result, failure, indentation, file);
}
