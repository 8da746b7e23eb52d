/* SPDX-License-Identifier: MIT */
/* `plymark setup`: the board before the first move. */
#include "cli/cli.h"
#include "core/board_text.h"
#include "core/fen.h"
#include "core/move.h"
#include "core/quote.h"
#include "rules/setup.h"

#include <stdio.h>
#include <string.h>

enum { KEY_CORNER = 256, KEY_CHESS960 };

struct setup_options {
    const char *text;
    bool chess960;
    struct pm_setup setup;
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct setup_options *options = state->input;
    switch (key) {
    case 'p':
        options->text = argument;
        return 0;
    case KEY_CORNER:
        if (strcmp(argument, "light") != 0 && strcmp(argument, "dark") != 0)
            cli_usage(state, "--corner is \"%s\": light or dark is needed", argument);
        options->setup.board_turned = strcmp(argument, "dark") == 0;
        return 0;
    case KEY_CHESS960:
        options->chess960 = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option argp_options[] = {
    {"position", 'p', "FEN|NAME", 0,
     "The pieces: a FEN, its first field alone, or a name that `plymark perft --help` lists "
     "(default: "
     "startpos)",
     0},
    {"corner", KEY_CORNER, "light|dark", 0,
     "The color of the square at each player's right hand (default: light)", 0},
    {"chess960", KEY_CHESS960, NULL, 0, "Any of the 960 start positions is right", 0},
    {0},
};

static const char *fen_of(const char *text)
{
    for (const struct pm_named_position *named = pm_named_positions; named->name != NULL; named++) {
        if (strcmp(named->name, text) == 0)
            return named->fen;
    }
    return text;
}

/* The pieces, and the side to move if there is a second field; the others say nothing of a set-up.
 */
static enum pm_status read_setup(const char *text, struct pm_setup *setup, struct pm_error *error)
{
    const enum pm_status status = pm_fen_read_board(text, setup->board, error);
    const char *const side = text + strcspn(text, " ") + strspn(text + strcspn(text, " "), " ");
    const size_t length = strcspn(side, " ");
    char quoted[PM_QUOTE_SIZE];
    if (status != PM_OK)
        return status;
    if (length > 1 || (length == 1 && *side != 'w' && *side != 'b'))
        return pm_fail(error, PM_ERROR_PARSE,
                       "FEN field 2 (side to move), column %zu: %s: must be \"w\" or \"b\"",
                       (size_t)(side - text) + 1, pm_quote(side, length, quoted));
    setup->side_to_move = *side == 'b' ? PM_BLACK : PM_WHITE;
    return PM_OK;
}

static unsigned count_pieces(const pm_piece board[], pm_piece piece)
{
    unsigned count = 0;
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++)
        count += board[square] == piece;
    return count;
}

/* "White: 16 pieces: 1 king, 1 queen, 2 rooks, 2 bishops, 2 knights, 8 pawns" */
static void print_pieces(const pm_piece board[], enum pm_color color)
{
    unsigned counts[PM_PIECE_TYPE_COUNT] = {0}, pieces = 0;
    for (unsigned type = PM_PAWN; type <= PM_KING; type++)
        pieces += counts[type] =
            count_pieces(board, pm_make_piece(color, (enum pm_piece_type)type));
    printf("%s: %u pieces:", pm_color_text(color), pieces);
    for (unsigned type = PM_KING; type >= PM_PAWN; type--)
        printf(" %u %s%s%s", counts[type], pm_piece_text((pm_piece)type),
               counts[type] == 1 ? "" : "s", type > PM_PAWN ? "," : "\n");
}

static void print_setup(const struct pm_setup *setup)
{
    struct pm_position position = {.en_passant = PM_NO_SQUARE,
                                   .side_to_move = (uint8_t)setup->side_to_move};
    char picture[PM_BOARD_TEXT_SIZE];
    memcpy(position.board, setup->board, sizeof position.board);
    fputs(pm_board_to_text(&position, NULL, 0, picture), stdout);
    printf("\nBoard: 64 squares, a %s square at each player's right hand\n",
           setup->board_turned ? "dark" : "light");
    print_pieces(setup->board, PM_WHITE);
    print_pieces(setup->board, PM_BLACK);
}

static int print_faults(const struct setup_options *options)
{
    struct pm_setup_fault faults[PM_SETUP_MAX_FAULTS];
    char text[PM_SETUP_TEXT_SIZE];
    const unsigned count = pm_setup_check(&options->setup, options->chess960, faults);
    for (unsigned i = 0; i < count; i++)
        printf("Fault: %s: %s\n", pm_setup_fault_text(&faults[i], text),
               pm_setup_consequence_text(pm_setup_consequence_of(&faults[i], 1)));
    if (count == 0 && options->chess960)
        printf("Chess960 start position %d of 0 to 959\n", pm_setup_number(options->setup.board));
    printf("%s: %s\n", count == 0 ? "Set up right" : "Consequence",
           pm_setup_consequence_text(pm_setup_consequence_of(faults, count)));
    return count == 0 ? CLI_EXIT_OK : CLI_EXIT_MISMATCH;
}

int cli_setup(int argc, char **argv)
{
    const struct argp_child children[] = {{&cli_common_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        .options = argp_options,
        .parser = parse_option,
        .doc = "Check the board and the pieces before the first move: faults, each with its "
               "consequence.\vExit code 1 if there is a fault.",
        .children = children};
    struct setup_options options = {.text = "startpos"};
    struct pm_error error;
    cli_parse(&argp, argc, argv, &options);
    if (read_setup(fen_of(options.text), &options.setup, &error) != PM_OK)
        return cli_fail("setup", &error);
    print_setup(&options.setup);
    return print_faults(&options);
}
