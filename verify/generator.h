/* SPDX-License-Identifier: MIT */
/* Seeded positions: random games, and set-ups that aim at what is rare. A position depends on
 * nothing but the seed and its index, so any one of them can be made again alone, on any machine,
 * in any order, on any thread. */
#ifndef PM_VERIFY_GENERATOR_H
#define PM_VERIFY_GENERATOR_H

#include "core/board.h"
#include "core/kernel.h"
#include "core/status.h"

#include <stdbool.h>
#include <stdint.h>

/* What a position was made for. Position i has theme i % PM_THEME_COUNT: each gets its share. */
enum pm_theme {
    PM_THEME_GAME,                /* a random game from the start position */
    PM_THEME_GAME_960,            /* … from a Chess960 start */
    PM_THEME_GAME_NAMED,          /* … from Kiwipete and its like (pm_named_positions) */
    PM_THEME_FEW,                 /* up to eight pieces */
    PM_THEME_MIDDLE,              /* pieces anywhere, as many as in a game */
    PM_THEME_CROWDED,             /* up to 63 pieces */
    PM_THEME_QUEENS,              /* many queens */
    PM_THEME_PINS,                /* pinned pieces of each kind */
    PM_THEME_CHECK,               /* one checker */
    PM_THEME_DOUBLE_CHECK,        /* two or three checkers */
    PM_THEME_EN_PASSANT_RANK,     /* king, both pawns and a slider on one rank */
    PM_THEME_EN_PASSANT_FILE,     /* king, one of both pawns and a slider on one file */
    PM_THEME_EN_PASSANT_DIAGONAL, /* the same on a diagonal */
    PM_THEME_EN_PASSANT_EVASION,  /* in check, with a pawn to be taken en passant */
    PM_THEME_CASTLING,            /* attacks on and pieces between king and rook */
    PM_THEME_CASTLING_960,        /* the same anywhere; rook shields king, king and rook swap */
    PM_THEME_PROMOTION,           /* pawns about to promote, on castling rooks too */
    PM_THEME_STALEMATE,           /* hardly a move left */
    PM_THEME_COUNT
};

const char *pm_theme_text(enum pm_theme theme); /* "game", "double check" … */

struct pm_generator {
    uint64_t seed;
    const struct pm_kernel *mover; /* plays the games: the reference; init() was called */
};

struct pm_generated {
    struct pm_position position; /* passes pm_position_check() */
    enum pm_theme theme;
    bool chess960; /* its castling rights are beyond standard chess */
};

/* Makes position number `index`. PM_ERROR_MEMORY, or what the mover answers. */
enum pm_status pm_generate(const struct pm_generator *generator, uint64_t index,
                           struct pm_generated *generated);

#endif
