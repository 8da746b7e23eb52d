/* SPDX-License-Identifier: MIT */
/* A position's report for a reader. */
#include "analyze/position_report.h"

#include "core/bits.h"
#include "core/board_text.h"
#include "core/fen.h"
#include "core/move.h"

#include <stdarg.h>

enum { LABEL_WIDTH = 12, LINE_WIDTH = 100 };

/* One "label  text" line; the label of a further line of the section is "". */
__attribute__((format(printf, 3, 4))) static void put(FILE *file, const char *label,
                                                      const char *format, ...)
{
    va_list arguments;
    fprintf(file, "%-*s", LABEL_WIDTH, label);
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fputc('\n', file);
}

static const char *uci(const struct pm_position_report *report, const struct pm_move *move,
                       char text[PM_MOVE_TEXT_SIZE])
{
    return pm_move_to_text(
        move, report->chess960 ? PM_CASTLING_TAKES_ROOK : PM_CASTLING_KING_TARGET, text);
}

/* "knight on f6" */
enum { PIECE_SIZE = 16 };
static const char *piece_on(const struct pm_position_report *report, pm_square square,
                            char text[PIECE_SIZE])
{
    char name[3];
    snprintf(text, PIECE_SIZE, "%s on %s", pm_piece_text(report->view->position.board[square]),
             pm_square_to_text(square, name));
    return text;
}

static void put_head(const struct pm_position_report *report, FILE *file)
{
    const struct pm_position *position = &report->view->position;
    char board[PM_BOARD_TEXT_SIZE], fen[PM_FEN_SIZE], text[PM_MOVE_TEXT_SIZE];
    fputs(pm_board_to_text(position, &report->view->attacks, 0, board), file);
    fputc('\n', file);
    put(file, "FEN", "%s", pm_fen_write(position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_LEGAL, fen));
    for (unsigned bit = 1; bit != 0; bit <<= 1)
        if (report->warnings & bit)
            put(file, "Warning", "%s", pm_fen_warning_text(bit));
    if (report->has_last_move)
        put(file, "Last move", "%s (%s)", report->last_move.san,
            uci(report, &report->last_move.move, text));
}

static void put_verdict(const struct pm_position_report *report, FILE *file)
{
    const unsigned clock = report->view->position.halfmove_clock;
    put(file, "To move", "%s", pm_color_text((enum pm_color)report->view->position.side_to_move));
    put(file, "Verdict", "%s: %s", pm_verdict_text(report->facts.verdict), report->reason);
    put(file, "Mate", "White %s, Black %s, by any series of moves",
        pm_mate_chance_text(report->chances[PM_WHITE]),
        pm_mate_chance_text(report->chances[PM_BLACK]));
    if (clock >= 100 && report->facts.verdict == PM_VERDICT_OPEN)
        put(file, "", "%u half-moves without capture or pawn move: %s", clock,
            clock >= 150 ? "the game is drawn" : "a draw may be claimed");
}

static void put_checks(const struct pm_position_report *report, FILE *file)
{
    char piece[PIECE_SIZE], enemy[PIECE_SIZE];
    const char *label = "Check";
    for (uint64_t rest = report->view->attacks.checkers; rest != 0; label = "")
        put(file, label, "by the %s", piece_on(report, (pm_square)pm_pop_lsb(&rest), piece));
    label = "Pinned";
    for (unsigned i = 0; i < report->pin_count; i++, label = "")
        put(file, label, "%s, by the %s", piece_on(report, report->pins[i].piece, piece),
            piece_on(report, report->pins[i].enemy, enemy));
}

static void put_answers(const struct pm_position_report *report, FILE *file)
{
    static const struct {
        enum pm_evasion evasion;
        const char *text;
    } ways[] = {{PM_EVASION_KING, "the king moves"},
                {PM_EVASION_CAPTURE, "the checker is taken"},
                {PM_EVASION_BLOCK, "a piece comes between"}};
    const char *label = "Answers";
    if (report->facts.checkers == 0)
        return;
    for (unsigned way = 0; way < sizeof ways / sizeof ways[0]; way++, label = "") {
        fprintf(file, "%-*s%s:", LABEL_WIDTH, label, ways[way].text);
        unsigned count = 0;
        for (unsigned i = 0; i < report->move_count; i++) {
            if (report->moves[i].evasion != ways[way].evasion)
                continue;
            fprintf(file, " %s", report->moves[i].san);
            count++;
        }
        fputs(count == 0 ? " no\n" : "\n", file);
    }
}

static void put_castling(const struct pm_position_report *report, FILE *file)
{
    static const char *const sides[PM_CASTLING_SIDE_COUNT] = {"O-O", "O-O-O"};
    static const char further[] = ";\n                                    ";
    const char *label = "Castling";
    for (int color = 0; color < PM_COLOR_COUNT; color++) {
        for (int side = 0; side < PM_CASTLING_SIDE_COUNT; side++, label = "") {
            unsigned obstacles = report->castling[color][side];
            fprintf(file, "%-*s%s %-5s ", LABEL_WIDTH, label, pm_color_text((enum pm_color)color),
                    sides[side]);
            fputs(obstacles == 0 ? "legal" : "impossible: ", file);
            for (const char *link = ""; obstacles != 0; obstacles &= obstacles - 1, link = further)
                fprintf(
                    file, "%s%s", link,
                    pm_castling_obstacle_text((enum pm_castling_obstacle)(obstacles & -obstacles)));
            fputc('\n', file);
        }
    }
}

static void put_en_passant(const struct pm_position_report *report, FILE *file)
{
    const struct pm_position *position = &report->view->position;
    const pm_square square = position->en_passant;
    char target[3], pawn[PIECE_SIZE], enemy[PIECE_SIZE];
    if (square == PM_NO_SQUARE)
        return;
    pm_square_to_text(square, target);
    if (report->en_passant_count == 0)
        put(file, "En passant", "on %s, but no pawn of %s stands beside the one that passed",
            target, pm_color_text((enum pm_color)position->side_to_move));
    for (unsigned i = 0; i < report->en_passant_count; i++) {
        const struct pm_piece_pair *pair = &report->en_passant[i];
        const char *label = i == 0 ? "En passant" : "";
        piece_on(report, pair->piece, pawn);
        if (pair->enemy == PM_NO_SQUARE)
            put(file, label, "on %s by the %s: legal", target, pawn);
        else
            put(file, label, "on %s by the %s: illegal, the %s would attack the king", target, pawn,
                piece_on(report, pair->enemy, enemy));
    }
}

static void put_material(const struct pm_position_report *report, FILE *file)
{
    const struct pm_facts *facts = &report->facts;
    for (int color = 0; color < PM_COLOR_COUNT; color++) {
        fprintf(file, "%-*s%s %3d: king", LABEL_WIDTH, color == PM_WHITE ? "Material" : "",
                pm_color_text((enum pm_color)color), facts->value[color]);
        for (unsigned type = PM_QUEEN; type >= PM_PAWN; type--)
            if (facts->pieces[color][type] != 0)
                fprintf(file, ", %u %s%s", facts->pieces[color][type],
                        pm_piece_text((pm_piece)type), facts->pieces[color][type] == 1 ? "" : "s");
        fputc('\n', file);
    }
    put(file, "", "balance %+d for White, phase %u of 24",
        facts->value[PM_WHITE] - facts->value[PM_BLACK], facts->phase);
}

static void put_hanging(const struct pm_position_report *report, FILE *file)
{
    char piece[PIECE_SIZE];
    const char *label = "Hanging";
    for (int color = 0; color < PM_COLOR_COUNT; color++) {
        for (uint64_t rest = report->facts.hanging[color]; rest != 0; label = "") {
            const pm_square square = (pm_square)pm_pop_lsb(&rest);
            put(file, label, "%s's %s: %s would win %.2f", pm_color_text((enum pm_color)color),
                piece_on(report, square, piece),
                pm_color_text(color == PM_WHITE ? PM_BLACK : PM_WHITE),
                report->at_stake[square] / 100.0);
        }
    }
}

/* Two maps beside each other. */
static void put_attacked(const struct pm_position_report *report, FILE *file)
{
    const struct pm_facts *facts = &report->facts;
    put(file, "Attacked", "by White: %-2u squares         by Black: %u squares",
        pm_popcount(facts->attacked[PM_WHITE]), pm_popcount(facts->attacked[PM_BLACK]));
    put(file, "Mobility", "%-2u                           %u", facts->mobility[PM_WHITE],
        facts->mobility[PM_BLACK]);
    for (unsigned rank = 8; rank-- > 0;) {
        fprintf(file, "%*s", LABEL_WIDTH, "");
        for (int color = 0; color < PM_COLOR_COUNT; color++) {
            fprintf(file, "%u", rank + 1);
            for (unsigned file_index = 0; file_index < 8; file_index++)
                fprintf(file, " %c",
                        facts->attacked[color] & pm_bit(pm_make_square(file_index, rank)) ? 'x'
                                                                                          : '.');
            fputs(color == PM_WHITE ? "            " : "\n", file);
        }
    }
    put(file, "", "  a b c d e f g h              a b c d e f g h");
}

/* "Nxe5    f3e5  +1.00"; quiet moves have a value only if they lose something. Returns the width.
 */
static int put_move(const struct pm_position_report *report,
                    const struct pm_reported_move *reported, FILE *file)
{
    char text[PM_MOVE_TEXT_SIZE];
    uci(report, &reported->move, text);
    if (reported->group > PM_GROUP_CAPTURE && reported->exchange == 0)
        return fprintf(file, "%-7s %s", reported->san, text);
    return fprintf(file, "%-7s %-5s %+6.2f", reported->san, text, reported->exchange / 100.0);
}

static void put_group(const struct pm_position_report *report, enum pm_move_group group, FILE *file)
{
    enum { CELL_WIDTH = 22, CELLS = (LINE_WIDTH - LABEL_WIDTH) / CELL_WIDTH };
    int count = 0, width = 0;
    for (unsigned i = 0; i < report->move_count; i++) {
        if (report->moves[i].group != group)
            continue;
        if (count % CELLS == 0)
            fprintf(file, "%s%-*s", count == 0 ? "" : "\n", LABEL_WIDTH,
                    count == 0 ? pm_move_group_text(group) : "");
        else
            fprintf(file, "%*s", CELL_WIDTH - width, "");
        width = put_move(report, &report->moves[i], file);
        count++;
    }
    if (count != 0)
        fputc('\n', file);
}

void pm_position_report_write_text(const struct pm_position_report *report, FILE *file)
{
    put_head(report, file);
    put_verdict(report, file);
    put_checks(report, file);
    put_answers(report, file);
    put_castling(report, file);
    put_en_passant(report, file);
    put_material(report, file);
    put_hanging(report, file);
    put_attacked(report, file);
    put(file, "Moves", "%u legal; %u give check, %u mate, %u stalemate", report->facts.legal,
        report->facts.checks, report->facts.mates, report->facts.stalemates);
    for (int group = 0; group < PM_GROUP_COUNT; group++)
        put_group(report, (enum pm_move_group)group, file);
}
