/* SPDX-License-Identifier: MIT */
#include "core/fields.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *write_member(const struct pm_field *field, const char *member)
{
    int integer;
    uint64_t count;
    double number;
    bool truth;
    switch (field->kind) {
    case PM_FIELD_TEXT:
        return json_string(member);
    case PM_FIELD_BOOL:
        memcpy(&truth, member, sizeof truth);
        return json_boolean(truth);
    case PM_FIELD_INT:
        memcpy(&integer, member, sizeof integer);
        return json_integer(integer);
    case PM_FIELD_COUNT:
        memcpy(&count, member, sizeof count);
        return json_integer((json_int_t)count);
    case PM_FIELD_NUMBER:
        memcpy(&number, member, sizeof number);
        return json_real(number);
    }
    return NULL;
}

json_t *pm_fields_write(const struct pm_field fields[], const void *base)
{
    json_t *object = json_object();
    for (const struct pm_field *field = fields; object != NULL && field->key != NULL; field++) {
        json_t *value = write_member(field, (const char *)base + field->offset);
        if (json_object_set_new(object, field->key, value) != 0) {
            json_decref(object);
            object = NULL;
        }
    }
    return object;
}

void pm_reader_reject(struct pm_reader *reader, const char *key, const json_t *seen,
                      const char *expected)
{
    if (reader->status != PM_OK)
        return;
    char *text =
        seen == NULL ? NULL : json_dumps(seen, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII);
    const bool is_long = text != NULL && strlen(text) > 60;
    reader->status =
        pm_fail(reader->error, PM_ERROR_PARSE, "%s: %s%s%s is %.60s%s: %s is needed", reader->file,
                reader->place, reader->place[0] != '\0' && key[0] != '\0' ? "." : "", key,
                text != NULL ? text : "missing", is_long ? "…" : "", expected);
    free(text);
}

static bool is_whole_number(const json_t *value, double minimum, double maximum)
{
    return json_is_integer(value) && (double)json_integer_value(value) >= minimum &&
           (double)json_integer_value(value) <= maximum;
}

static bool is_number(const json_t *value, double minimum, double maximum)
{
    return json_is_number(value) && json_number_value(value) >= minimum &&
           json_number_value(value) <= maximum;
}

static void read_text(struct pm_reader *reader, const struct pm_field *field, const json_t *value,
                      char *member)
{
    if (json_is_string(value) && json_string_length(value) < field->size) {
        memcpy(member, json_string_value(value), json_string_length(value) + 1);
        return;
    }
    char expected[64];
    snprintf(expected, sizeof expected, "a text of at most %zu bytes", field->size - 1);
    pm_reader_reject(reader, field->key, value, expected);
}

static void read_bool(struct pm_reader *reader, const struct pm_field *field, const json_t *value,
                      char *member)
{
    if (!json_is_boolean(value)) {
        pm_reader_reject(reader, field->key, value, "true or false");
        return;
    }
    const bool truth = json_is_true(value);
    memcpy(member, &truth, sizeof truth);
}

static void read_whole_number(struct pm_reader *reader, const struct pm_field *field,
                              const json_t *value, char *member)
{
    if (!is_whole_number(value, field->minimum, field->maximum)) {
        char expected[80];
        snprintf(expected, sizeof expected, "a whole number from %.0f to %.0f", field->minimum,
                 field->maximum);
        pm_reader_reject(reader, field->key, value, expected);
    } else if (field->kind == PM_FIELD_INT) {
        const int integer = (int)json_integer_value(value);
        memcpy(member, &integer, sizeof integer);
    } else {
        const uint64_t count = (uint64_t)json_integer_value(value);
        memcpy(member, &count, sizeof count);
    }
}

static void read_number(struct pm_reader *reader, const struct pm_field *field, const json_t *value,
                        char *member)
{
    if (!is_number(value, field->minimum, field->maximum)) {
        char expected[80];
        snprintf(expected, sizeof expected, "a number from %g to %g", field->minimum,
                 field->maximum);
        pm_reader_reject(reader, field->key, value, expected);
        return;
    }
    const double number = json_number_value(value);
    memcpy(member, &number, sizeof number);
}

void pm_fields_read(struct pm_reader *reader, const struct pm_field fields[], const json_t *object,
                    void *base)
{
    if (!json_is_object(object)) {
        pm_reader_reject(reader, "", object, "an object");
        return;
    }
    for (const struct pm_field *field = fields; field->key != NULL; field++) {
        const json_t *value = json_object_get(object, field->key);
        char *member = (char *)base + field->offset;
        if (value == NULL && field->is_optional)
            continue;
        switch (field->kind) {
        case PM_FIELD_TEXT:
            read_text(reader, field, value, member);
            break;
        case PM_FIELD_BOOL:
            read_bool(reader, field, value, member);
            break;
        case PM_FIELD_INT:
        case PM_FIELD_COUNT:
            read_whole_number(reader, field, value, member);
            break;
        case PM_FIELD_NUMBER:
            read_number(reader, field, value, member);
            break;
        }
    }
}

json_t *pm_reader_array(struct pm_reader *reader, const json_t *object, const char *key,
                        struct pm_range length)
{
    json_t *array = json_object_get(object, key);
    const size_t size = json_array_size(array);
    if (json_is_array(array) && size >= length.minimum && size <= length.maximum)
        return reader->status == PM_OK ? array : NULL;
    char expected[80];
    if (length.minimum == length.maximum)
        snprintf(expected, sizeof expected, "an array of %zu elements", length.minimum);
    else
        snprintf(expected, sizeof expected, "an array of %zu to %zu elements", length.minimum,
                 length.maximum);
    pm_reader_reject(reader, key, array, expected);
    return NULL;
}

void pm_reader_numbers(struct pm_reader *reader, const json_t *array, const char *key,
                       double minimum, double maximum, double values[])
{
    size_t index;
    json_t *value;
    json_array_foreach(array, index, value)
    {
        char element[64];
        snprintf(element, sizeof element, "%s[%zu]", key, index);
        const struct pm_field field = {.key = element, .minimum = minimum, .maximum = maximum};
        read_number(reader, &field, value, (char *)&values[index]);
    }
}

void pm_reader_integers(struct pm_reader *reader, const json_t *array, const char *key, int minimum,
                        int maximum, int values[])
{
    size_t index;
    json_t *value;
    json_array_foreach(array, index, value)
    {
        char element[64];
        snprintf(element, sizeof element, "%s[%zu]", key, index);
        const struct pm_field field = {
            .key = element, .kind = PM_FIELD_INT, .minimum = minimum, .maximum = maximum};
        read_whole_number(reader, &field, value, (char *)&values[index]);
    }
}

void pm_reader_enter(struct pm_reader *reader, const char *key, size_t index,
                     char outer[PM_PLACE_SIZE])
{
    memcpy(outer, reader->place, sizeof reader->place);
    const size_t length = strlen(reader->place);
    snprintf(reader->place + length, sizeof reader->place - length, "%s%s[%zu]",
             length > 0 ? "." : "", key, index);
}

void pm_reader_leave(struct pm_reader *reader, const char outer[PM_PLACE_SIZE])
{
    memcpy(reader->place, outer, sizeof reader->place);
}
