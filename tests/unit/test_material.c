/* SPDX-License-Identifier: MIT */
/* verify/suites/rules_material.tsv, as it stands and with colors exchanged. */
#include "rules/material.h"

#include "core/position.h"
#include "rules/verdict.h"
#include "tests/unit/view_at.h"

#include <stdio.h>
#include <string.h>

static const char table_path[] = PM_SOURCE_DIR "/verify/suites/rules_material.tsv";

enum column { CASE, FEN, VERDICT, CANNOT_MATE, COLUMN_COUNT = 8 };

typedef void row_visitor(char *columns[COLUMN_COUNT]);

static void split(char *line, char *columns[COLUMN_COUNT])
{
    char *rest = line;
    line[strcspn(line, "\n")] = '\0';
    for (unsigned i = 0; i < COLUMN_COUNT; i++) {
        columns[i] = strsep(&rest, "\t");
        assert_non_null(columns[i]);
    }
    assert_null(rest);
}

static void visit_rows(row_visitor *visit)
{
    FILE *const table = fopen(table_path, "r");
    char line[1024], *columns[COLUMN_COUNT];
    unsigned rows = 0;
    assert_non_null(table);
    while (fgets(line, sizeof line, table) != NULL) {
        if (line[0] == '#' || strncmp(line, "case\t", 5) == 0)
            continue;
        split(line, columns);
        visit(columns);
        rows++;
    }
    fclose(table);
    assert_true(rows >= 16);
}

static void check_material(const struct pm_position *position, const char *name,
                           const char *cannot_mate, bool insufficient)
{
    if (pm_material_cannot_mate(position, PM_WHITE) != (cannot_mate[0] != '-') ||
        pm_material_cannot_mate(position, PM_BLACK) != (cannot_mate[1] != '-'))
        fail_msg("%s: cannot mate is not %s", name, cannot_mate);
    assert_int_equal(pm_material_is_insufficient(position), insufficient);
}

static void material_row(char *columns[COLUMN_COUNT])
{
    struct pm_position position;
    struct pm_error error;
    const char *const cannot_mate = columns[CANNOT_MATE];
    const char exchanged[] = {cannot_mate[1], cannot_mate[0], '\0'};
    const bool both = strcmp(cannot_mate, "WB") == 0;
    if (pm_fen_read(columns[FEN], 0, &position, NULL, &error) != PM_OK)
        fail_msg("%s", error.text);
    check_material(&position, columns[CASE], cannot_mate, both);
    position = pm_position_mirror(&position);
    check_material(&position, columns[CASE], exchanged, both);
}

static struct pm_view view;

static void check_verdict(const char *name, const char *wanted)
{
    const enum pm_verdict thorough = pm_verdict_of(&view, true);
    const enum pm_verdict quick = pm_verdict_of(&view, false);
    if (strcmp(pm_verdict_text(thorough), wanted) != 0)
        fail_msg("%s: %s, not %s", name, pm_verdict_text(thorough), wanted);
    assert_int_equal(quick, thorough == PM_VERDICT_DEAD_POSITION ? PM_VERDICT_OPEN : thorough);
}

static void verdict_row(char *columns[COLUMN_COUNT])
{
    view_at(&view, columns[FEN]);
    check_verdict(columns[CASE], columns[VERDICT]);
    const struct pm_position mirror = pm_position_mirror(&view.position);
    view_set(&view, &mirror);
    check_verdict(columns[CASE], columns[VERDICT]);
}

static void material(void **state)
{
    (void)state;
    visit_rows(material_row);
}

/* Every kernel that tells attacks gives the same verdicts. */
static void verdicts(void **state)
{
    (void)state;
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++) {
        if ((*kernel)->attacks == NULL || pm_kernel_missing(*kernel) != 0)
            continue;
        view_open(&view, (*kernel)->name);
        visit_rows(verdict_row);
        pm_view_close(&view);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(material), cmocka_unit_test(verdicts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
