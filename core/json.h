/* SPDX-License-Identifier: MIT */
/* Building JSON with jansson. Out of memory makes a NULL, and every container with a NULL in it
 * becomes one too, so callers need to look only once, at the end: pm_json_write() does. */
#ifndef PM_CORE_JSON_H
#define PM_CORE_JSON_H

#include "core/status.h"

#include <jansson.h>

/* Take over `value`; return the container, or NULL with all freed. */
json_t *pm_json_set(json_t *object, const char *key, json_t *value);
json_t *pm_json_append(json_t *array, json_t *value);

json_t *pm_json_reals(const double values[], int count);
json_t *pm_json_integers(const int values[], int count);

/* Takes over `root` and writes it so that the file holds either its old content or all of the new.
 * PM_ERROR_MEMORY if root is NULL. */
enum pm_status pm_json_write(json_t *root, const char *path, struct pm_error *error);

#endif
