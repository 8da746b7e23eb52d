/* SPDX-License-Identifier: MIT */
/* Drawings are read back as XML: every piece on its square, every mark where it belongs. */
#include "analyze/svg.h"
#include "tests/unit/view_at.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

enum { SQUARE = 100, MARGIN = 44 };

static struct pm_view view;

static xmlDoc *drawing_of(const struct pm_svg *svg)
{
    size_t size = 0;
    char *text = pm_svg_write(svg, &size);
    assert_non_null(text);
    assert_int_equal(size, strlen(text));
    xmlDoc *document = xmlReadMemory(text, (int)size, "drawing.svg", NULL, XML_PARSE_NONET);
    free(text);
    assert_non_null(document);
    return document;
}

static xmlNode *child_named(xmlNode *parent, const char *name, const char *class)
{
    for (xmlNode *child = parent->children; child != NULL; child = child->next) {
        xmlChar *value = xmlGetProp(child, (const xmlChar *)"class");
        const bool fits =
            class == NULL || (value != NULL && strcmp((const char *)value, class) == 0);
        xmlFree(value);
        if (child->type == XML_ELEMENT_NODE && fits && strcmp((const char *)child->name, name) == 0)
            return child;
    }
    return NULL;
}

static int number_of(xmlNode *node, const char *name)
{
    xmlChar *value = xmlGetProp(node, (const xmlChar *)name);
    assert_non_null(value);
    const int number = atoi((const char *)value);
    xmlFree(value);
    return number;
}

/* The square that a point of the drawing lies on. */
static pm_square square_at(int x, int y, bool flip)
{
    const int column = (x - MARGIN) / SQUARE, row = (y - MARGIN) / SQUARE;
    assert_true(column >= 0 && column < 8 && row >= 0 && row < 8);
    return pm_make_square((unsigned)(flip ? 7 - column : column), (unsigned)(flip ? row : 7 - row));
}

static pm_piece piece_of(xmlNode *use, enum pm_color color)
{
    static const char *const names[PM_PIECE_TYPE_COUNT] = {"",      "#pawn",  "#knight", "#bishop",
                                                           "#rook", "#queen", "#king"};
    xmlChar *href = xmlGetProp(use, (const xmlChar *)"href");
    assert_non_null(href);
    unsigned type = PM_PAWN;
    while (type < PM_KING && strcmp((const char *)href, names[type]) != 0)
        type++;
    assert_string_equal((const char *)href, names[type]);
    xmlFree(href);
    return pm_make_piece(color, (enum pm_piece_type)type);
}

static void read_pieces(xmlNode *root, enum pm_color color, bool flip, pm_piece board[])
{
    xmlNode *group = child_named(root, "g", color == PM_WHITE ? "white" : "black");
    assert_non_null(group);
    for (xmlNode *use = group->children; use != NULL; use = use->next) {
        if (use->type != XML_ELEMENT_NODE)
            continue;
        const int x = number_of(use, "x"), y = number_of(use, "y");
        board[square_at(x, y, flip)] = piece_of(use, color);
        assert_int_equal((x - MARGIN) % SQUARE, 0);
        assert_int_equal((y - MARGIN) % SQUARE, 0);
    }
}

/* The squares of a group's rectangles or circles as a set. */
static uint64_t marks(xmlNode *root, const char *class, const char *shape, bool flip)
{
    uint64_t set = 0;
    xmlNode *group = child_named(root, "g", class);
    const bool circle = strcmp(shape, "circle") == 0;
    if (group == NULL)
        return 0;
    for (xmlNode *mark = group->children; mark != NULL; mark = mark->next)
        if (mark->type == XML_ELEMENT_NODE && strcmp((const char *)mark->name, shape) == 0)
            set |= 1ULL << square_at(number_of(mark, circle ? "cx" : "x"),
                                     number_of(mark, circle ? "cy" : "y"), flip);
    return set;
}

static const struct {
    const char *fen, *move;
    const char *after; /* the FEN that is drawn */
    uint64_t last_move, king, checkers;
} rows[] = {
    {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e2e4",
     "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", 1ULL << 12 | 1ULL << 28, 0, 0},
    {"rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", "d8h4",
     "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", 1ULL << 59 | 1ULL << 31,
     1ULL << 4, 1ULL << 31},
    {"r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "e8c8", "2kr4/8/8/8/8/8/8/4K3 w - - 1 2",
     1ULL << 60 | 1ULL << 58, 0, 0},
    {"3k4/8/8/8/8/8/3B4/3RK3 w - - 0 1", "d2a5", "3k4/8/8/B7/8/8/8/3RK3 b - - 1 1",
     1ULL << 11 | 1ULL << 32, 1ULL << 59, 1ULL << 3 | 1ULL << 32},
};

static void check_drawing(size_t row, bool flip)
{
    struct pm_error error = {0};
    pm_piece board[PM_SQUARE_COUNT] = {0};
    view_at(&view, rows[row].fen);
    const struct pm_move move = view_move(&view, rows[row].move);
    assert_int_equal(pm_view_play(&view, move, &error), PM_OK);

    const struct pm_svg svg = {&view.position, &view.attacks, &move, flip};
    xmlDoc *document = drawing_of(&svg);
    xmlNode *root = xmlDocGetRootElement(document);
    xmlChar *title = xmlNodeGetContent(child_named(root, "title", NULL));
    assert_string_equal((const char *)title, rows[row].after);
    xmlFree(title);
    read_pieces(root, PM_WHITE, flip, board);
    read_pieces(root, PM_BLACK, flip, board);
    assert_memory_equal(board, view.position.board, sizeof board);
    assert_true(marks(root, "last-move", "rect", flip) == rows[row].last_move);
    assert_true(marks(root, "check", "rect", flip) == rows[row].king);
    assert_true(marks(root, "check", "circle", flip) == rows[row].checkers);
    xmlFreeDoc(document);
}

static void drawings(void **state)
{
    (void)state;
    for (size_t row = 0; row < LENGTH(rows); row++) {
        check_drawing(row, false);
        check_drawing(row, true);
    }
}

/* Nothing is marked that was not given; every id that is used is there. */
static void plain(void **state)
{
    static const char *const ids[] = {"pawn", "knight", "bishop", "rook", "queen", "king"};
    (void)state;
    view_at(&view, "4k3/8/8/8/8/8/8/K3R3 b - - 0 1");
    xmlDoc *document = drawing_of(&(struct pm_svg){.position = &view.position});
    xmlNode *root = xmlDocGetRootElement(document);
    assert_null(child_named(root, "g", "last-move"));
    assert_null(child_named(root, "g", "check"));
    xmlNode *drawing = child_named(child_named(root, "defs", NULL), "g", NULL);
    for (size_t i = 0; i < LENGTH(ids); i++, drawing = drawing->next) {
        while (drawing->type != XML_ELEMENT_NODE)
            drawing = drawing->next;
        xmlChar *id = xmlGetProp(drawing, (const xmlChar *)"id");
        assert_string_equal((const char *)id, ids[i]);
        xmlFree(id);
    }
    xmlFreeDoc(document);
}

static int open_view(void **state)
{
    (void)state;
    view_open(&view, "reference");
    return 0;
}

static int close_view(void **state)
{
    (void)state;
    pm_view_close(&view);
    xmlCleanupParser();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawings),
        cmocka_unit_test(plain),
    };
    return cmocka_run_group_tests(tests, open_view, close_view);
}
