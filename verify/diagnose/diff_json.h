/* SPDX-License-Identifier: MIT */
/* The record of a difference, alike in `plymark diff --json` and in the reports of `plymark
 * verify`.
 */
#ifndef PM_VERIFY_DIAGNOSE_DIFF_JSON_H
#define PM_VERIFY_DIAGNOSE_DIFF_JSON_H

#include "verify/diagnose/diff.h"

#include <jansson.h>

/* NULL if there is no memory. */
json_t *pm_diff_json(const struct pm_diff *diff);

/* A number, or a string if it is over 2^63 - 1. */
json_t *pm_count_json(pm_count count);

#endif
