/* SPDX-License-Identifier: MIT */
/* What failures have in common: which rule is concerned in the trees of all of them, and in few of
 * those that passed. */
#ifndef PM_VERIFY_DIAGNOSE_CAUSES_H
#define PM_VERIFY_DIAGNOSE_CAUSES_H

#include "core/kernel.h"
#include "verify/diagnose/rule.h"

#include <stdatomic.h>
#include <stddef.h>

/* What a tree may contain: the case of a rule, and some things more. */
enum pm_feature {
    PM_FEATURE_ROOK_CAPTURE = PM_RULE_COUNT, /* of a rook with a castling right */
    PM_FEATURE_CHECKMATE,
    PM_FEATURE_STALEMATE,
    PM_FEATURE_CHESS960,    /* castling rooks or kings on other squares than in standard chess */
    PM_FEATURE_MANY_PIECES, /* more than a game allows */
    /* Any of several rules. */
    PM_FEATURE_EN_PASSANT,
    PM_FEATURE_BAD_EN_PASSANT, /* that leaves the king in check */
    PM_FEATURE_CASTLING,
    PM_FEATURE_BAD_CASTLING, /* with king and rook at home */
    PM_FEATURE_COUNT
};

/* A set of features. */
__extension__ typedef unsigned __int128 pm_features;
_Static_assert(PM_FEATURE_COUNT <= 128, "a set of features has 128 bits");
#define PM_FEATURE_BIT(feature) ((pm_features)1 << (feature))

/* "an illegal en passant capture …": what comes after "contain". */
const char *pm_feature_phrase(unsigned feature);

/* The features that a move under that rule brings: none for moves that no piece can make, since
 * they are possible everywhere. */
pm_features pm_features_of_rule(enum pm_rule rule);

/* A position that was tried `depth` plies deep. */
struct pm_cause_row {
    struct pm_position position;
    bool chess960;
    int depth;
    bool failed;
    pm_features features; /* filled by pm_causes_examine() */
};

/* Fills a row's features from the tree below it, by the reference kernel, depth by depth as long as
 * at most `limit` positions are visited. */
enum pm_status pm_causes_examine(const struct pm_kernel *reference, struct pm_cause_row *row,
                                 uint64_t limit);

struct pm_cause {
    unsigned feature;
    unsigned failed, failed_with; /* rows that failed, and those of them that contain the feature */
    unsigned passed, passed_with;
};

/* Counts one feature. */
struct pm_cause pm_causes_count(const struct pm_cause_row rows[], size_t count, unsigned feature);

/* The feature that separates best: all failures or nearly all have it, few of the others. False if
 * there is none that is more frequent among the failures. */
bool pm_causes_best(const struct pm_cause_row rows[], size_t count, struct pm_cause *best);

#define PM_CAUSE_TEXT_SIZE 256

/* "31 of 31 failures contain …, and 2 of 480 positions that passed". Returns text. */
char *pm_cause_to_text(const struct pm_cause *cause, char text[PM_CAUSE_TEXT_SIZE]);

#endif
