/* SPDX-License-Identifier: MIT */
/* Searches the numbers of black_numbers.h and prints them. Not part of the program: build the
 * target find_black_magics, and run it as `find_black_magics SEED CANDIDATES >black_numbers.h`.
 *
 * Squares with the most occupancies come first. For each, CANDIDATES magic numbers are found at
 * random and put into the first place of the table where they fit over what is there; the one stays
 * that makes the table grow least, and of several the one that fills the fewest free entries. */
#include "kernels/sliders/magics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_SIZE = 1 << 18, WINDOW = 4096 };

static uint64_t table[TABLE_SIZE];
static unsigned high_water;

struct entry {
    unsigned index;
    uint64_t attacks;
};

/* A magic number of a square, and where its entries go. */
struct candidate {
    uint64_t factor;
    unsigned offset, end, new_entries, count;
    struct entry entries[WINDOW];
};

static bool collect(const struct problem *problem, unsigned shift, struct candidate *candidate)
{
    static uint64_t sets[WINDOW];
    memset(sets, 0, sizeof sets);
    candidate->count = 0;
    for (unsigned i = 0; i < problem->count; i++) {
        const uint64_t pieces = problem->occupancies[i] | ~problem->mask;
        const unsigned index = (unsigned)(pieces * candidate->factor >> shift);
        if (sets[index] != 0 && sets[index] != problem->attacks[i])
            return false;
        if (sets[index] == 0)
            candidate->entries[candidate->count++] = (struct entry){index, problem->attacks[i]};
        sets[index] = problem->attacks[i];
    }
    return true;
}

static bool fits(const struct candidate *candidate, unsigned offset)
{
    for (unsigned i = 0; i < candidate->count; i++) {
        const uint64_t there = table[offset + candidate->entries[i].index];
        if (there != 0 && there != candidate->entries[i].attacks)
            return false;
    }
    return true;
}

static void put_first(struct candidate *candidate)
{
    candidate->offset = candidate->end = candidate->new_entries = 0;
    while (!fits(candidate, candidate->offset))
        candidate->offset++;
    for (unsigned i = 0; i < candidate->count; i++) {
        const unsigned place = candidate->offset + candidate->entries[i].index;
        candidate->new_entries += table[place] == 0;
        if (place >= candidate->end)
            candidate->end = place + 1;
    }
    if (candidate->end < high_water)
        candidate->end = high_water;
}

static bool is_better(const struct candidate *a, const struct candidate *b)
{
    return a->end != b->end ? a->end < b->end : a->new_entries < b->new_entries;
}

/* A square of few occupancies does not need all the bits of an index. Here every piece's product
 * has some top bits at 0, so that the sums stay close together: the bits of the number that would
 * get there are left out. */
static uint64_t next_factor(const struct problem *problem, struct pm_random *random, unsigned bits)
{
    uint64_t factor = pm_random_next(random) & pm_random_next(random) & pm_random_next(random);
    const unsigned missing = bits - pm_popcount(problem->mask), spare = missing < 2 ? missing : 2;
    for (uint64_t pieces = problem->mask; pieces;) {
        const unsigned piece = pm_pop_lsb(&pieces);
        for (unsigned top = 0; top < spare; top++)
            factor &= ~(pm_bit(63 - top) >> piece);
    }
    return factor;
}

static void place(unsigned square, unsigned bits, bool is_rook, struct pm_random *random,
                  unsigned candidates, uint64_t *factor, unsigned *offset)
{
    static struct problem problem;
    static struct candidate best, candidate;
    state_problem(&problem, square, is_rook ? inner_rook_lines(square) : inner_bishop_lines(square),
                  is_rook ? walk_rook : walk_bishop);
    /* Large squares' numbers are rare. */
    if (problem.count > 1024)
        candidates = candidates * 1024 / problem.count / 8 + 1;
    for (unsigned found = 0; found < candidates; found++) {
        do
            candidate.factor = next_factor(&problem, random, bits);
        while (!collect(&problem, 64 - bits, &candidate));
        put_first(&candidate);
        if (found == 0 || is_better(&candidate, &best))
            best = candidate;
    }
    for (unsigned i = 0; i < best.count; i++)
        table[best.offset + best.entries[i].index] = best.entries[i].attacks;
    high_water = best.end;
    *factor = best.factor;
    *offset = best.offset;
}

static void place_all(bool is_rook, unsigned bits, struct pm_random *random, unsigned candidates,
                      uint64_t factors[64], unsigned offsets[64])
{
    for (unsigned wanted = bits; wanted >= 5; wanted--)
        for (unsigned square = 0; square < 64; square++) {
            const uint64_t mask = is_rook ? inner_rook_lines(square) : inner_bishop_lines(square);
            if (pm_popcount(mask) == wanted)
                place(square, bits, is_rook, random, candidates, &factors[square],
                      &offsets[square]);
        }
    fprintf(stderr, "%u entries\n", high_water);
}

static void print(const char *name, const uint64_t factors[64], const unsigned offsets[64])
{
    printf("static const struct black_number %s[64] = {\n", name);
    for (unsigned square = 0; square < 64; square++)
        printf("    {UINT64_C(0x%016llX), %u},\n", (unsigned long long)factors[square],
               offsets[square]);
    printf("};\n");
}

int main(int argc, char **argv)
{
    static uint64_t rook_factors[64], bishop_factors[64];
    static unsigned rook_offsets[64], bishop_offsets[64];
    struct pm_random random = {.state = argc > 1 ? strtoul(argv[1], NULL, 10) : 1};
    const unsigned candidates = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 100;
    place_all(true, 12, &random, candidates, rook_factors, rook_offsets);
    place_all(false, 9, &random, candidates, bishop_factors, bishop_offsets);
    printf("/* SPDX-License-Identifier: MIT */\n"
           "/* Made by find_black_magics %s %u: do not edit. */\n"
           "#ifndef PM_KERNELS_SLIDERS_BLACK_NUMBERS_H\n"
           "#define PM_KERNELS_SLIDERS_BLACK_NUMBERS_H\n\n#include <stdint.h>\n\n"
           "#define BLACK_SETS %u\n\n"
           "struct black_number {\n    uint64_t factor;\n    uint32_t offset;\n};\n\n",
           argc > 1 ? argv[1] : "1", candidates, high_water);
    print("black_rooks", rook_factors, rook_offsets);
    print("black_bishops", bishop_factors, bishop_offsets);
    puts("\n#endif");
    return 0;
}
