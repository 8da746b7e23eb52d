/* SPDX-License-Identifier: MIT */
/* From a position that goes wrong to the smallest that still does. */
#include "verify/diagnose/minimize.h"

#include "core/fen.h"
#include "core/position.h"
#include "kernels/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct pm_kernel *reference;
static unsigned asked;

static int set_up(void **state)
{
    (void)state;
    reference = pm_kernel_find("reference");
    return reference != NULL && reference->init() == PM_OK ? 0 : -1;
}

static void expect(const char *from, int depth,
                   bool (*holds)(void *, const struct pm_position *, int), const char *to,
                   int to_depth)
{
    const struct pm_difference difference = {.holds = holds};
    struct pm_position position;
    char fen[PM_FEN_SIZE];
    asked = 0;
    assert_int_equal(pm_fen_read(from, 0, &position, NULL, NULL), PM_OK);
    assert_true(holds(NULL, &position, depth));
    assert_int_equal(pm_minimize(reference, &difference, &position, &depth), PM_OK);
    pm_fen_write(&position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_AS_GIVEN, fen);
    assert_string_equal(fen, to);
    assert_int_equal(depth, to_depth);
    assert_in_range(asked, 1, 5000);
}

static const char kiwipete[] =
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 7 9";

static bool always(void *context, const struct pm_position *position, int depth)
{
    (void)context;
    (void)depth;
    asked++;
    assert_int_equal(pm_position_check(position, NULL), PM_FAULT_NONE);
    return true;
}

static void all_that_can_go_goes(void **state)
{
    (void)state;
    /* One ply: no move is played, so the kings stand where they stood. */
    expect(kiwipete, 1, always, "4k3/8/8/8/8/8/8/4K3 w - - 0 1", 1);
}

static bool white_may_castle_kingside(void *context, const struct pm_position *position, int depth)
{
    (void)context;
    (void)depth;
    asked++;
    return position->castling_rook[PM_WHITE][PM_KINGSIDE] != PM_NO_SQUARE;
}

static void what_matters_stays(void **state)
{
    (void)state;
    expect(kiwipete, 1, white_may_castle_kingside, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", 1);
}

/* A pawn that has just passed another, found below the root. */
static bool en_passant_counts(void *context, const struct pm_position *position, int depth)
{
    struct pm_position canonical = *position;
    (void)context;
    asked++;
    pm_position_canonicalize(&canonical);
    return canonical.en_passant != PM_NO_SQUARE || depth > 1;
}

static void goes_down_the_tree(void **state)
{
    (void)state;
    /* 1. b2-b4, which both pawns may take; one of them is then too much. */
    expect("4k3/8/8/8/p1p5/8/1P1P4/4K3 w - - 0 1", 2, en_passant_counts,
           "4k3/8/8/8/1Pp5/8/8/4K3 b - b3 0 1", 1);
}

static bool has_line_to_h8(void *context, const struct pm_position *position, int depth)
{
    (void)context;
    (void)depth;
    asked++;
    return pm_position_is_attacked(position, pm_make_square(7, 7), PM_WHITE);
}

static void pieces_become_weaker(void **state)
{
    (void)state;
    expect("8/8/8/8/8/8/1Q6/K1k5 b - - 0 1", 1, has_line_to_h8, "8/8/8/8/8/8/1B6/K1k5 b - - 0 1",
           1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_can_go_goes),
        cmocka_unit_test(what_matters_stays),
        cmocka_unit_test(goes_down_the_tree),
        cmocka_unit_test(pieces_become_weaker),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
