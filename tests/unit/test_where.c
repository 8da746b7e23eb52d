/* SPDX-License-Identifier: MIT */
/* The filter's expressions: what they mean, and what each faulty one is told. */
#include "analyze/where.h"

#include "core/random.h"
#include "tests/unit/view_at.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static struct pm_view view;
static struct pm_facts facts;
static struct pm_record record = {
    .view = &view, .facts = &facts, .file = "a.epd", .line = 7, .id = "one"};

/* White in check by one queen, three legal moves; numbers that nothing else has. */
static int set_up(void **state)
{
    (void)state;
    view_open(&view, "magic");
    view_at(&view, "4k3/8/8/8/8/8/3PqP2/3RKR2 w - - 5 40");
    facts = (struct pm_facts){.legal = 3,
                              .captures = 1,
                              .checkers = 1,
                              .pinned = 0,
                              .best_exchange = -250,
                              .verdict = PM_VERDICT_OPEN,
                              .value = {12, 9},
                              .hanging = {0xF0, 1}};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pm_view_close(&view);
    return 0;
}

static bool passes(const char *text)
{
    struct pm_where *where;
    struct pm_error error;
    if (pm_where_compile(text, &where, &error) != PM_OK)
        fail_msg("%s: %s", text, error.text);
    const bool passed = pm_where_passes(where, &record);
    pm_where_free(where);
    return passed;
}

static void meanings(void **state)
{
    static const char *const holds[] = {
        "1",
        "check",
        " legal\t==3 ",
        "legal == 3.0",
        "legal<4&&check",
        "legal < 3 || check",
        "legal <= 3 && legal >= 3 && !(legal < 3) && !(legal > 3)",
        "legal != 4",
        "!pinned",
        "!!check",
        "exchange == -250",
        "-exchange == 250",
        "--legal == 3",
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "10 - 3 - 2 == 5", /* from the left */
        "12 / 3 / 2 == 2",
        "2 * 7 % 4 == 2",
        "7 / 2 == 3.5",
        "7 % 4 == 3",
        "-7 % 4 == -3",
        "7.5 % 2 == 1.5",
        "1 || 0 && 0", /* && binds closer */
        "!0 && 1",
        "!(0 && 1)",
        "(1 < 2) == 1",
        "(legal == 3) + (captures == 1) == 2",
        ".5 * 2 == 1",
        "1e2 == 100",
        "verdict == \"open\"",
        "verdict != 'stalemate'",
        "'open' == verdict",
        "side == \"w\" && side != 'b'",
        "id == \"one\"",
        "id != \"On\"",
        "fen == '4k3/8/8/8/8/8/3PqP2/3RKR2 w - - 5 40'",
        "fen == fen && id != fen",
        "'' != id",
        "line == 7 && game == 0 && ply == 0",
        "halfmove == 5 && fullmove == 40",
        "material == 3",
        "hanging_white == 4 && hanging_black == 1 && hanging == 5",
        /* Division by zero */
        "!(1 / 0 == 1)",
        "!(1 / 0 != 1)",
        "!(1 / pinned > 0) && !(1 / pinned <= 0)",
        "!(5 % 0)",
        "!(0 * (1 / 0) == 0)",
        "!(1 / 0)",
        "1 / 0 || 1",
        "!(1 / 0 && 1)",
        "pinned && 1 / pinned > 2 || check",
    };
    static const char *const fails[] = {
        "0",
        "!check",
        "pinned",
        "legal == 4",
        "0 && 1",
        "0 || 0",
        "-0",
        "legal != 3",
        "verdict == 'checkmate'",
        "id == 'ON'",
        "side == 'b'",
        "legal - 3",
        "1 / 0",
        "id == ''",
        "(0 || 1) && 0",
        "5 % 5",
        "!(legal == 3)",
        "0.0",
        "1 - 1 && 1 / 0",
        "id == 'one '",
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(holds); i++) {
        if (!passes(holds[i]))
            fail_msg("does not hold: %s", holds[i]);
    }
    for (size_t i = 0; i < LENGTH(fails); i++) {
        if (passes(fails[i]))
            fail_msg("holds: %s", fails[i]);
    }
}

/* Each names the column and what would be right. */
static void faults(void **state)
{
    static const struct {
        const char *text;
        unsigned column;
        const char *words;
    } cases[] = {
        {"", 1, "the end: a number, a field"},
        {"   ", 4, "the end"},
        {"legal <", 8, "the end"},
        {"legal < && check", 9, "\"&\": a number, a field"},
        {"chek", 1, "is \"check\" meant?"},
        {"check && legl > 3", 10, "is \"legal\" meant?"},
        {"check and legal", 7, "\"and\": an operator is needed"},
        {"not check", 1, "not is !"},
        {"legal = 3", 7, "equality is written =="},
        {"check & legal", 7, "\"and\" is written &&"},
        {"check | legal", 7, "\"or\" is written ||"},
        {"legal 3", 7, "\"3\": an operator is needed"},
        {"(legal > 3", 1, "no closing parenthesis"},
        {"legal > 3)", 10, "no parenthesis is open"},
        {"(legal > 3 check)", 12, "an operator or ) is needed"},
        {"()", 2, "a number, a field"},
        {"1 < legal < 3", 11, "make no chain"},
        {"check == 1 == 1", 12, "make no chain"},
        {"verdict == \"checkmat\"", 12, "verdict is one of \"open\", \"checkmate\""},
        {"\"mate\" == verdict", 1, "verdict is one of"},
        {"side == 'white'", 9, "side is one of \"w\", \"b\""},
        {"verdict == checkmate", 12, "a text stands in quotes"},
        {"verdict == 1", 9, "verdict is a text"},
        {"legal == \"3\"", 7, "legal is a number"},
        {"verdict < \"open\"", 9, "by == and != alone"},
        {"verdict", 1, "a text can't be a condition"},
        {"'open'", 1, "\"'open'\": a text can't be a condition"},
        {"!verdict", 2, "a text can't be a condition"},
        {"check && verdict", 10, "a text can't be a condition"},
        {"verdict + 1 > 2", 1, "a text can't be reckoned with"},
        {"2 * id", 5, "a text can't be reckoned with"},
        {"-fen == 3", 2, "a text can't be a number"},
        {"id == \"one", 7, "no closing \""},
        {"id == 'one\"", 7, "no closing '"},
        {"3x > legal", 1, "a number is written like 3 or 2.5"},
        {"1.2.3", 1, "a number is written like"},
        {"0x10 == 16", 1, "a number is written like"},
        {"legal > 1e999", 9, "a number is written like"},
        {"legal >> 3", 8, "\">\": a number, a field"},
        {"legal => 3", 7, "equality is written =="},
        {"legal <> 3", 8, "a number, a field"},
        {"legal ! 3", 7, "an operator is needed"},
        {"legal > 3;", 10, "\";\": an operator is needed"},
        {"legal > $3", 9, "\"$\": a number, a field"},
        {"LEGAL > 3", 1, "no field has this name"},
        {"legal > 3 &&", 13, "the end"},
        {"legal > \xC3\xA9", 9, "\"\\xC3\": a number"},
        {"+3 == 3", 1, "\"+\": a number"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct pm_where *where = NULL;
        struct pm_error error = {0};
        char column[32];
        const enum pm_status status = pm_where_compile(cases[i].text, &where, &error);
        snprintf(column, sizeof column, "column %u: ", cases[i].column);
        if (status != PM_ERROR_ARGUMENT || where != NULL)
            fail_msg("%s was taken", cases[i].text);
        if (strncmp(error.text, column, strlen(column)) != 0 ||
            strstr(error.text, cases[i].words) == NULL || strchr(error.text, '\n') != NULL)
            fail_msg("%s: %s", cases[i].text, error.text);
    }
}

static void too_deep_or_long(void **state)
{
    static const struct {
        const char *piece, *end;
        const char *words;
    } cases[] = {{"(", "1", "nested more than"}, {"-", "1", "nested more than"},
                 {"!", "1", "nested more than"}, {"!(-(", "1", "nested more than"},
                 {"1+", "1", "too long"},        {"legal&&", "1", "too long"}};
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        static char text[200000];
        struct pm_where *where;
        struct pm_error error = {0};
        *text = '\0';
        char *at = text;
        for (unsigned repeat = 0; repeat < 20000; repeat++)
            at = stpcpy(at, cases[i].piece);
        strcpy(at, cases[i].end);
        assert_int_equal(pm_where_compile(text, &where, &error), PM_ERROR_ARGUMENT);
        if (strstr(error.text, cases[i].words) == NULL)
            fail_msg("%s: %s", cases[i].piece, error.text);
    }
}

static unsigned parts_of(const char *text)
{
    struct pm_where *where;
    struct pm_error error;
    if (pm_where_compile(text, &where, &error) != PM_OK)
        fail_msg("%s: %s", text, error.text);
    const unsigned parts = pm_where_parts(where);
    pm_where_free(where);
    return parts;
}

static void parts(void **state)
{
    (void)state;
    assert_int_equal(parts_of("1"), 0);
    assert_int_equal(parts_of("line > 3 && id == 'x' || fen != ''"), 0);
    assert_int_equal(parts_of("legal > 3"), PM_FACTS_MOVES);
    assert_int_equal(parts_of("0 && mates || phase > 3"), PM_FACTS_CHECKS | PM_FACTS_MATERIAL);
    assert_int_equal(parts_of("!(hanging > 1) && verdict == 'open'"),
                     PM_FACTS_EXCHANGE | PM_FACTS_VERDICT);
}

/* ---- Random expressions against a plain reckoning beside their making ---- */

struct maker {
    struct pm_random random;
    char *at, *end;
};

static void put(struct maker *maker, const char *text)
{
    const size_t length = strlen(text);
    assert_true((size_t)(maker->end - maker->at) > length);
    memcpy(maker->at, text, length + 1);
    maker->at += length;
}

static bool truth(double value)
{
    return !isnan(value) && value != 0;
}

static double apply(const char *operator, double a, double b)
{
    const bool undefined = isnan(a) || isnan(b);
    if (strcmp(operator, "||") == 0)
        return truth(a) || truth(b);
    if (strcmp(operator, "&&") == 0)
        return truth(a) && truth(b);
    if (strcmp(operator, "==") == 0)
        return !undefined && a == b;
    if (strcmp(operator, "!=") == 0)
        return !undefined && a != b;
    if (strcmp(operator, "<=") == 0)
        return !undefined && a <= b;
    if (strcmp(operator, ">=") == 0)
        return !undefined && a >= b;
    switch (*operator) {
    case '<':
        return !undefined && a < b;
    case '>':
        return !undefined && a > b;
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return b == 0 ? NAN : a / b;
    default:
        return b == 0 ? NAN : fmod(a, b);
    }
}

/* Writes an expression, each operation in parentheses, and returns its value. */
static double make(struct maker *maker, unsigned depth)
{
    static const char *const operators[] = {"||", "&&", "==", "!=", "<=", ">=", "<",
                                            ">",  "+",  "-",  "*",  "/",  "%"};
    static const struct {
        const char *text;
        double value;
    } leaves[] = {{"legal", 3}, {"captures", 1}, {"pinned", 0}, {"exchange", -250},
                  {"2", 2},     {"0", 0},        {"1.5", 1.5},  {"(id == 'one')", 1}};
    if (depth == 0) {
        const unsigned leaf = pm_random_below(&maker->random, LENGTH(leaves));
        put(maker, leaves[leaf].text);
        return leaves[leaf].value;
    }
    const unsigned kind = pm_random_below(&maker->random, LENGTH(operators) + 2);
    put(maker, "(");
    double value;
    if (kind < LENGTH(operators)) {
        const double left = make(maker, depth - 1);
        put(maker, pm_random_below(&maker->random, 2) ? " " : "");
        put(maker, operators[kind]);
        put(maker, pm_random_below(&maker->random, 2) ? " " : "");
        value = apply(operators[kind], left, make(maker, depth - 1));
    } else {
        const bool is_not = kind == LENGTH(operators);
        put(maker, is_not ? "!" : "-");
        const double operand = make(maker, depth - 1);
        value = is_not ? !truth(operand) : -operand;
    }
    put(maker, ")");
    return value;
}

static void random_expressions(void **state)
{
    (void)state;
    unsigned held = 0;
    for (uint64_t seed = 0; seed < 20000; seed++) {
        char text[2048];
        struct maker maker = {.random = {seed}, .at = text, .end = text + sizeof text};
        const double value = make(&maker, (unsigned)(seed % 5));
        if (passes(text) != truth(value))
            fail_msg("seed %" PRIu64 ": %s is %g", seed, text, value);
        held += truth(value);
    }
    assert_in_range(held, 5000, 15000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meanings),           cmocka_unit_test(faults),
        cmocka_unit_test(too_deep_or_long),   cmocka_unit_test(parts),
        cmocka_unit_test(random_expressions),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
