/* SPDX-License-Identifier: MIT */
/* Views of positions given as FEN, for the tests of the rules. */
#ifndef PM_TESTS_UNIT_VIEW_AT_H
#define PM_TESTS_UNIT_VIEW_AT_H

#include "core/epd.h"
#include "core/fen.h"
#include "core/move.h"
#include "kernels/registry.h"
#include "rules/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static inline void view_open(struct pm_view *view, const char *kernel_name)
{
    const struct pm_kernel *const kernel = pm_kernel_find(kernel_name);
    struct pm_error error;
    *view = (struct pm_view){0};
    assert_non_null(kernel);
    assert_int_equal(kernel->init(), PM_OK);
    if (pm_view_open(view, kernel, &error) != PM_OK)
        fail_msg("%s", error.text);
}

static inline void view_set(struct pm_view *view, const struct pm_position *position)
{
    struct pm_error error;
    if (pm_view_set(view, position, &error) != PM_OK)
        fail_msg("%s", error.text);
}

static inline void view_at(struct pm_view *view, const char *fen)
{
    struct pm_position position;
    struct pm_error error;
    if (pm_fen_read_named(fen, PM_FEN_LENIENT | PM_FEN_CHESS960, &position, NULL, &error) != PM_OK)
        fail_msg("%s: %s", fen, error.text);
    view_set(view, &position);
}

/* The legal move that UCI text names. */
static inline struct pm_move view_move(const struct pm_view *view, const char *uci)
{
    const int index = pm_move_find(view->moves, view->move_count, uci);
    if (index < 0)
        fail_msg("%s is not legal: the case itself is wrong", uci);
    return view->moves[index];
}

typedef void view_visitor(struct pm_view *view, void *context);

static inline void view_visit_children(struct pm_view *view, view_visitor *visit, void *context)
{
    const struct pm_position parent = view->position;
    struct pm_move moves[PM_MAX_MOVES];
    const unsigned count = view->move_count;
    for (unsigned i = 0; i < count; i++)
        moves[i] = view->moves[i];
    for (unsigned i = 0; i < count; i++) {
        struct pm_error error;
        if (pm_view_play(view, moves[i], &error) != PM_OK)
            fail_msg("%s", error.text);
        visit(view, context);
        view_set(view, &parent);
    }
}

/* Visits each position of a suite and, with `deep`, all one ply on. */
static inline void view_visit_suite(struct pm_view *view, const char *path, bool deep,
                                    view_visitor *visit, void *context)
{
    struct pm_suite suite = {0};
    struct pm_error error;
    if (pm_suite_read_file(path, &suite, &error) != PM_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < suite.entry_count; i++) {
        view_set(view, &suite.entries[i].position);
        visit(view, context);
        if (deep)
            view_visit_children(view, visit, context);
    }
    pm_suite_free(&suite);
}

#endif
