/* SPDX-License-Identifier: MIT */
/* From "the count is wrong" to "this move is wrong": walks two subjects by divides to the first
 * node at which they differ, and says which rule the difference is about. */
#ifndef PM_VERIFY_DIAGNOSE_DIFF_H
#define PM_VERIFY_DIAGNOSE_DIFF_H

#include "engines/subject.h"
#include "verify/diagnose/rule.h"

#include <stdatomic.h>
#include <stdio.h>

#define PM_DIFF_MAX_DEPTH 32

enum pm_diff_result {
    PM_DIFF_NONE,
    PM_DIFF_MOVES,  /* the move lists of a node differ */
    PM_DIFF_COUNT,  /* the moves are right one by one, and a count of the whole is not */
    PM_DIFF_FAILED, /* a subject gave no divide: hung, crashed … */
    PM_DIFF_RESULT_COUNT
};
const char *pm_diff_result_text(enum pm_diff_result result); /* "none", "moves" … */

enum pm_diff_side { PM_DIFF_A, PM_DIFF_B, PM_DIFF_SIDE_COUNT };

struct pm_diff_move {
    char text[8];
    unsigned times[PM_DIFF_SIDE_COUNT]; /* how often each subject lists it */
    bool legal;                         /* as the reference says */
    struct pm_rule_finding finding;
};

#define PM_DIFF_TEXT_SIZE 512

struct pm_diff {
    enum pm_diff_result result;
    char names[PM_DIFF_SIDE_COUNT][64];
    bool chess960;
    struct pm_position root;
    int depth;                      /* as asked for */
    bool wrong[PM_DIFF_SIDE_COUNT]; /* which subject the reference finds wrong */

    /* The node; the root if nothing differs. */
    struct pm_position node;
    struct pm_attacks attacks; /* of the node */
    struct pm_move path[PM_DIFF_MAX_DEPTH];
    unsigned path_length;
    int node_depth;                     /* plies left there */
    pm_count total[PM_DIFF_SIDE_COUNT]; /* what each counts there; the root's if nothing differs */

    /* PM_DIFF_MOVES, sorted by text. */
    struct pm_diff_move *moves;
    unsigned move_count;
    /* Set up anew from the node's FEN the wrong subject is right: its moves leave something wrong
     * behind. */
    bool vanishes_from_fen;
    /* What is wrong in the position that a kernel keeps: "castling right", "square" …; "" if
     * nothing is, or if no kernel can be asked. */
    char wrong_field[24];

    /* PM_DIFF_COUNT: the wrong subject's count of the whole, and the sum of its parts. */
    pm_count whole, parts;

    /* More that was found, a line each: a wrong position after a move of the path, a state that
     * perft() changed, and so on. */
    char notes[PM_DIFF_TEXT_SIZE];

    /* PM_DIFF_FAILED */
    enum pm_diff_side failed;
    enum pm_subject_failure failure;
    char failure_text[PM_DIFF_TEXT_SIZE];

    char *command; /* that shows it again, if the caller set it; freed with the rest */
};

struct pm_diff_config {
    struct pm_subject *subjects[PM_DIFF_SIDE_COUNT];
    const struct pm_kernel *reference; /* init() was called */
    const struct pm_position *position;
    bool chess960;
    int depth;               /* 1 … PM_DIFF_MAX_DEPTH */
    const atomic_bool *stop; /* may be NULL; looked at between divides */
};

/* Compares divides at depth 1, 2 … up to the depth asked for, so that the path is as short as can
 * be. PM_OK whatever differs: *diff says it. PM_ERROR_INTERRUPTED after stop. */
enum pm_status pm_diff_run(const struct pm_diff_config *config, struct pm_diff *diff,
                           struct pm_error *error);
void pm_diff_free(struct pm_diff *diff); /* in any state */

/* The rule of the first move that differs, or PM_RULE_UNKNOWN. */
enum pm_rule pm_diff_rule(const struct pm_diff *diff);

/* ---- Writers ---- */

/* "missing", "extra" or "doubled", of a move that differs as seen from one subject; NULL if it is
 * right. */
const char *pm_diff_fault_text(const struct pm_diff_move *move, enum pm_diff_side side);

#define PM_DIFF_FEN_SIZE 112
#define PM_DIFF_PATH_SIZE (PM_DIFF_MAX_DEPTH * 6 + 1)

/* The node's FEN, and the UCI moves that lead to it. Return text. */
const char *pm_diff_node_to_text(const struct pm_diff *diff, char text[PM_DIFF_FEN_SIZE]);
const char *pm_diff_path_to_text(const struct pm_diff *diff, char text[PM_DIFF_PATH_SIZE]);

/* Sets the command from the words that open the subjects; b is NULL if that is the reference.
 * `options` stand before them ("" if none). False if there is no memory. */
bool pm_diff_set_command(struct pm_diff *diff, const char *options, const char *a, const char *b);

/* Lines for a reader, each after so many blanks. */
void pm_diff_write_text(const struct pm_diff *diff, unsigned indentation, FILE *file);

/* One JSON object. */
enum pm_status pm_diff_write_json(const struct pm_diff *diff, FILE *file, struct pm_error *error);

#endif
