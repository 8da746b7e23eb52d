/* SPDX-License-Identifier: MIT */
#include "core/json.h"

#include "core/file.h"

#include <stdlib.h>
#include <string.h>

json_t *pm_json_set(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) == 0)
        return object;
    json_decref(object);
    return NULL;
}

json_t *pm_json_append(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) == 0)
        return array;
    json_decref(array);
    return NULL;
}

json_t *pm_json_reals(const double values[], int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        array = pm_json_append(array, json_real(values[i]));
    return array;
}

json_t *pm_json_integers(const int values[], int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        array = pm_json_append(array, json_integer(values[i]));
    return array;
}

enum pm_status pm_json_write(json_t *root, const char *path, struct pm_error *error)
{
    char *text = root == NULL ? NULL : json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(root);
    if (text == NULL)
        return pm_fail(error, PM_ERROR_MEMORY, "out of memory for '%s'", path);
    const size_t length = strlen(text);
    text[length] = '\n'; /* in the place of the NUL, which is not written */
    const enum pm_status status = pm_file_write(path, text, length + 1, error);
    free(text);
    return status;
}
