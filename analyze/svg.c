/* SPDX-License-Identifier: MIT */
#include "analyze/svg.h"

#include "core/bits.h"
#include "core/fen.h"

#include <stdio.h>
#include <stdlib.h>

/* Units: a square is 100 wide, and the board begins after a margin for the coordinates. */
enum { SQUARE = 100, MARGIN = 44, SIZE = 8 * SQUARE + 2 * MARGIN };

/* Pieces on a square of 100 units, y downwards. `body` is filled and outlined; `detail` lines have
 * the color that stands out from the body. */
struct drawing {
    const char *id, *body, *detail;
};

static const struct drawing pieces[PM_PIECE_TYPE_COUNT] = {
    [PM_PAWN] = {"pawn",
                 "M25 87V80Q25 74 34 71Q45 62 45 48H55Q55 62 66 71Q75 74 75 80V87Z"
                 "M50 20A14 14 0 1 1 50 48A14 14 0 1 1 50 20Z",
                 "M33 78H67"},
    [PM_KNIGHT] = {"knight",
                   "M30 87C28 70 47 64 49 53C43 58 39 58 36 64C33 69 22 66 20 58"
                   "C19 54 29 42 32 34C34 29 38 26 41 24L43 13L53 21C74 25 82 52 78 87Z",
                   "M37 80H70M43 34L44 35M26 57L27 57M58 30C66 38 69 52 68 66"},
    [PM_BISHOP] = {"bishop",
                   "M22 87Q22 77 40 77L38 64Q30 56 30 47Q32 32 50 21Q68 32 70 47Q70 56 62 64"
                   "L60 77Q78 77 78 87Z"
                   "M50 10A6 6 0 1 1 50 22A6 6 0 1 1 50 10Z",
                   "M50 35V55M41 44H59M39 68H61"},
    [PM_ROOK] = {"rook",
                 "M23 87V77H30L34 70V45L27 38V18H39V26H44V18H56V26H61V18H73V38L66 45V70L70 77"
                 "H77V87Z",
                 "M34 45H66M34 70H66"},
    [PM_QUEEN] = {"queen",
                  "M27 87V78L30 70L15 35L33 53L34 25L45 50L50 21L55 50L66 25L67 53L85 35L70 70"
                  "L73 78V87Z"
                  "M15 27A5 5 0 1 1 15 37A5 5 0 1 1 15 27Z"
                  "M34 17A5 5 0 1 1 34 27A5 5 0 1 1 34 17Z"
                  "M50 13A5 5 0 1 1 50 23A5 5 0 1 1 50 13Z"
                  "M66 17A5 5 0 1 1 66 27A5 5 0 1 1 66 17Z"
                  "M85 27A5 5 0 1 1 85 37A5 5 0 1 1 85 27Z",
                  "M33 69Q50 64 67 69M31 78Q50 73 69 78"},
    [PM_KING] = {"king",
                 "M27 87V78L31 70L20 44Q32 32 46 31V23H38V15H46V7H54V15H62V23H54V31Q68 32 80 44"
                 "L69 70L73 78V87Z",
                 "M33 69Q50 64 67 69M31 78Q50 73 69 78M50 58V42M36 47L41 58M64 47L59 58"},
};

/* Coordinates, drawn in a box of 16 by 24. */
static const char *const digits[8] = {
    "M3 6L9 1V23",
    "M2 6Q3 1 8 1Q14 1 14 7Q14 11 2 23H15",
    "M2 1H14L7 10Q14 10 14 16Q14 23 8 23Q3 23 2 19",
    "M11 23V1L1 16H15",
    "M14 1H4L3 11Q6 9 8 9Q14 9 14 16Q14 23 8 23Q3 23 2 19",
    "M12 1Q2 6 2 16Q2 23 8 23Q14 23 14 16Q14 10 8 10Q3 10 2 15",
    "M2 1H14Q7 11 6 23",
    "M8 1Q13 1 13 6Q13 11 8 11Q3 11 3 6Q3 1 8 1M8 11Q14 11 14 17Q14 23 8 23Q2 23 2 17Q2 11 8 11"};
static const char *const letters[8] = {
    "M13 8V23M13 15Q13 23 8 23Q2 23 2 15.500Q2 8 8 8Q13 8 13 15",
    "M3 1V23M3 15Q3 8 8 8Q14 8 14 15.500Q14 23 8 23Q3 23 3 15",
    "M13 11Q11 8 8 8Q2 8 2 15.500Q2 23 8 23Q11 23 13 20",
    "M13 1V23M13 15Q13 23 8 23Q2 23 2 15.500Q2 8 8 8Q13 8 13 15",
    "M2 15H14Q14 8 8 8Q2 8 2 15.500Q2 23 8 23Q12 23 13 20",
    "M13 2Q7 -1 7 6V23M3 9H12",
    "M13 8V24Q13 29 8 29Q4 29 3 27M13 15Q13 22 8 22Q2 22 2 15Q2 8 8 8Q13 8 13 15",
    "M3 1V23M3 14Q4 8 8 8Q13 8 13 13V23"};

/* The corner of a square on the drawing. */
struct place {
    int x, y;
};

static struct place place_of(const struct pm_svg *svg, pm_square square)
{
    const int column = (int)(svg->flip ? 7 - pm_file_of(square) : pm_file_of(square));
    const int row = (int)(svg->flip ? pm_rank_of(square) : 7 - pm_rank_of(square));
    return (struct place){MARGIN + SQUARE * column, MARGIN + SQUARE * row};
}

static void put_head(const struct pm_svg *svg, FILE *out)
{
    char fen[PM_FEN_SIZE];
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">\n"
            "<title>%s</title>\n<defs>\n",
            SIZE, SIZE, pm_fen_write(svg->position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_LEGAL, fen));
    for (int type = PM_PAWN; type <= PM_KING; type++)
        fprintf(out,
                "<g id=\"%s\"><path d=\"%s\"/><path d=\"%s\" fill=\"none\" "
                "stroke=\"currentColor\"/></g>\n",
                pieces[type].id, pieces[type].body, pieces[type].detail);
    fputs("</defs>\n", out);
}

static void put_board(FILE *out)
{
    fprintf(out,
            "<rect width=\"%d\" height=\"%d\" fill=\"#3d4a57\"/>\n"
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#edeff0\"/>\n"
            "<path fill=\"#8fa9bf\" d=\"",
            SIZE, SIZE, MARGIN, MARGIN, 8 * SQUARE, 8 * SQUARE);
    for (int row = 0; row < 8; row++)
        for (int column = 1 - row % 2; column < 8; column += 2)
            fprintf(out, "M%d %dh%dv%dh-%dz", MARGIN + SQUARE * column, MARGIN + SQUARE * row,
                    SQUARE, SQUARE, SQUARE);
    fputs("\"/>\n", out);
}

static void put_glyph(const char *path, int x, int y, FILE *out)
{
    fprintf(out, "<path transform=\"translate(%d %d)\" d=\"%s\"/>\n", x - 8, y - 12, path);
}

static void put_coordinates(const struct pm_svg *svg, FILE *out)
{
    fputs("<g fill=\"none\" stroke=\"#fff\" stroke-width=\"3\" stroke-linecap=\"round\" "
          "stroke-linejoin=\"round\">\n",
          out);
    for (unsigned i = 0; i < 8; i++) {
        const struct place place = place_of(svg, pm_make_square(i, i));
        put_glyph(letters[i], place.x + SQUARE / 2, SIZE - MARGIN / 2 - 2, out);
        put_glyph(digits[i], MARGIN / 2, place.y + SQUARE / 2, out);
    }
    fputs("</g>\n", out);
}

static void put_last_move(const struct pm_svg *svg, FILE *out)
{
    const struct pm_move *move = svg->last_move;
    const bool castles = move->kind == PM_MOVE_CASTLING;
    const pm_square to =
        !castles ? move->to : pm_make_square(move->to > move->from ? 6 : 2, pm_rank_of(move->from));
    const struct place places[2] = {place_of(svg, move->from), place_of(svg, to)};
    fputs("<g class=\"last-move\" fill=\"#f2c230\" fill-opacity=\"0.65\">\n", out);
    for (int i = 0; i < 2; i++)
        fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", places[i].x,
                places[i].y, SQUARE, SQUARE);
    fputs("</g>\n", out);
}

static pm_square king_of(const struct pm_position *position)
{
    pm_square square = 0;
    while (position->board[square] != pm_make_piece((enum pm_color)position->side_to_move, PM_KING))
        square++;
    return square;
}

/* The king's square is filled, the checkers' are ringed. */
static void put_check(const struct pm_svg *svg, FILE *out)
{
    const struct place king = place_of(svg, king_of(svg->position));
    fprintf(out,
            "<g class=\"check\" fill=\"none\" stroke=\"#e5484d\" stroke-width=\"7\">\n"
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#e5484d\" "
            "stroke=\"none\"/>\n",
            king.x, king.y, SQUARE, SQUARE);
    for (uint64_t rest = svg->attacks->checkers; rest != 0;) {
        const struct place place = place_of(svg, (pm_square)pm_pop_lsb(&rest));
        fprintf(out, "<circle cx=\"%d\" cy=\"%d\" r=\"46\"/>\n", place.x + SQUARE / 2,
                place.y + SQUARE / 2);
    }
    fputs("</g>\n", out);
}

static void put_pieces(const struct pm_svg *svg, enum pm_color color, FILE *out)
{
    const char *fill = color == PM_WHITE ? "#fff" : "#2a2a2a";
    const char *line = color == PM_WHITE ? "#1a1a1a" : "#0d0d0d";
    const char *detail = color == PM_WHITE ? "#1a1a1a" : "#e8e8e8";
    fprintf(out,
            "<g class=\"%s\" fill=\"%s\" stroke=\"%s\" color=\"%s\" stroke-width=\"4\" "
            "stroke-linecap=\"round\" stroke-linejoin=\"round\">\n",
            color == PM_WHITE ? "white" : "black", fill, line, detail);
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++) {
        const pm_piece piece = svg->position->board[square];
        if (piece == PM_EMPTY || pm_color_of(piece) != color)
            continue;
        const struct place place = place_of(svg, square);
        fprintf(out, "<use href=\"#%s\" x=\"%d\" y=\"%d\"/>\n", pieces[pm_type_of(piece)].id,
                place.x, place.y);
    }
    fputs("</g>\n", out);
}

static void put_side_to_move(const struct pm_svg *svg, FILE *out)
{
    const bool white = svg->position->side_to_move == PM_WHITE;
    const int center = white != svg->flip ? SIZE - MARGIN - SQUARE / 2 : MARGIN + SQUARE / 2;
    fprintf(out,
            "<circle cx=\"%d\" cy=\"%d\" r=\"13\" fill=\"%s\" stroke=\"#fff\" "
            "stroke-width=\"3\"/>\n",
            SIZE - MARGIN / 2, center, white ? "#fff" : "#111");
}

char *pm_svg_write(const struct pm_svg *svg, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (out == NULL)
        return NULL;
    put_head(svg, out);
    put_board(out);
    put_coordinates(svg, out);
    put_side_to_move(svg, out);
    if (svg->last_move != NULL)
        put_last_move(svg, out);
    if (svg->attacks != NULL && svg->attacks->checkers != 0)
        put_check(svg, out);
    put_pieces(svg, PM_WHITE, out);
    put_pieces(svg, PM_BLACK, out);
    fputs("</svg>\n", out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
