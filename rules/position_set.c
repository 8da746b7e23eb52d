/* SPDX-License-Identifier: MIT */
/* Chained hashing: numbers instead of pointers, so that everything can move when it grows. */
#include "rules/position_set.h"

#include "core/position.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct link {
    uint64_t hash;
    uint32_t next; /* in the same chain, or NONE */
};

struct pm_position_set {
    struct pm_position *positions;
    struct link *links;
    size_t count, capacity;
    uint32_t *heads; /* twice `capacity`, a power of two */
};

static struct pm_position normal_form(const struct pm_position *position)
{
    struct pm_position normal = *position;
    pm_position_canonicalize(&normal);
    normal.halfmove_clock = 0;
    normal.fullmove_number = 1;
    return normal;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const struct pm_position *position)
{
    uint64_t words[8];
    uint32_t rights;
    memcpy(words, position->board, sizeof words);
    memcpy(&rights, position->castling_rook, sizeof rights);
    uint64_t hash = (uint64_t)rights << 16 | (uint64_t)position->side_to_move << 8 |
                    (uint64_t)position->en_passant;
    for (int i = 0; i < 8; i++)
        hash = mix(hash, words[i]);
    return hash;
}

static uint32_t *head_of(const struct pm_position_set *set, uint64_t hash)
{
    return &set->heads[hash & (2 * set->capacity - 1)];
}

static void link_in(struct pm_position_set *set, size_t number)
{
    uint32_t *head = head_of(set, set->links[number].hash);
    set->links[number].next = *head;
    *head = (uint32_t)number;
}

static bool grow(struct pm_position_set *set)
{
    const size_t capacity = set->capacity == 0 ? 256 : 2 * set->capacity;
    if (capacity > (size_t)NONE / 2)
        return false;
    struct pm_position *positions = realloc(set->positions, capacity * sizeof *positions);
    if (positions != NULL)
        set->positions = positions;
    struct link *links = realloc(set->links, capacity * sizeof *links);
    if (links != NULL)
        set->links = links;
    uint32_t *heads = malloc(2 * capacity * sizeof *heads);
    if (positions == NULL || links == NULL || heads == NULL) {
        free(heads);
        return false;
    }
    free(set->heads);
    set->heads = heads;
    set->capacity = capacity;
    memset(heads, 0xff, 2 * capacity * sizeof *heads); /* NONE everywhere */
    for (size_t number = 0; number < set->count; number++)
        link_in(set, number);
    return true;
}

struct pm_position_set *pm_position_set_create(void)
{
    struct pm_position_set *set = calloc(1, sizeof *set);
    if (set != NULL && grow(set))
        return set;
    pm_position_set_destroy(set);
    return NULL;
}

void pm_position_set_destroy(struct pm_position_set *set)
{
    if (set == NULL)
        return;
    free(set->positions);
    free(set->links);
    free(set->heads);
    free(set);
}

void pm_position_set_clear(struct pm_position_set *set)
{
    for (size_t number = 0; number < set->count; number++)
        *head_of(set, set->links[number].hash) = NONE;
    set->count = 0;
}

size_t pm_position_set_count(const struct pm_position_set *set)
{
    return set->count;
}

static size_t find_normal(const struct pm_position_set *set, const struct pm_position *normal,
                          uint64_t hash)
{
    uint32_t number = *head_of(set, hash);
    while (number != NONE &&
           (set->links[number].hash != hash || !pm_position_equal(&set->positions[number], normal)))
        number = set->links[number].next;
    return number == NONE ? PM_NOT_IN_SET : number;
}

size_t pm_position_set_find(const struct pm_position_set *set, const struct pm_position *position)
{
    const struct pm_position normal = normal_form(position);
    return find_normal(set, &normal, hash_of(&normal));
}

size_t pm_position_set_add(struct pm_position_set *set, const struct pm_position *position,
                           bool *is_new)
{
    const struct pm_position normal = normal_form(position);
    const uint64_t hash = hash_of(&normal);
    const size_t known = find_normal(set, &normal, hash);
    *is_new = known == PM_NOT_IN_SET;
    if (!*is_new)
        return known;
    if (set->count == set->capacity && !grow(set))
        return PM_NOT_IN_SET;
    set->positions[set->count] = normal;
    set->links[set->count].hash = hash;
    link_in(set, set->count);
    return set->count++;
}

const struct pm_position *pm_position_set_at(const struct pm_position_set *set, size_t number)
{
    return &set->positions[number];
}
