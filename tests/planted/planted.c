/* SPDX-License-Identifier: MIT */
#include "tests/planted/planted.h"

#include "core/position.h"
#include "core/random.h"

#include <string.h>

struct state {
    struct pm_position position;
    uint64_t leftover; /* in the key */
};

static const struct pm_kernel *base;
static enum pm_planted_bug bug;

const char *pm_planted_text(enum pm_planted_bug which)
{
    static const char *const texts[PM_PLANTED_COUNT] = {
        [PM_PLANTED_NONE] = "none",
        [PM_PLANTED_NO_KNIGHT_PROMOTION] = "no knight promotion",
        [PM_PLANTED_RIGHT_SURVIVES_CAPTURE] = "right survives capture of its rook",
        [PM_PLANTED_RIGHT_SURVIVES_MOVE] = "right survives move of its rook",
        [PM_PLANTED_ILLEGAL_EN_PASSANT] = "illegal en passant",
        [PM_PLANTED_NO_EN_PASSANT_EVASION] = "no en passant evasion",
        [PM_PLANTED_CASTLING_OUT_OF_CHECK] = "castling out of check",
        [PM_PLANTED_CASTLING_THROUGH_CHECK] = "castling through check",
        [PM_PLANTED_CASTLING_OVER_PIECE] = "castling over a piece",
        [PM_PLANTED_DOUBLED_MOVE] = "doubled move",
        [PM_PLANTED_PAWN_LEFT] = "en passant leaves the pawn",
        [PM_PLANTED_CLOCK_NOT_RESET] = "clock not reset",
        [PM_PLANTED_CLOCK_WRAPS] = "clock starts again at 0",
        [PM_PLANTED_STALE_EN_PASSANT] = "stale en passant square",
        [PM_PLANTED_REFUSES_NOTHING] = "refuses nothing",
        [PM_PLANTED_REFUSAL_CHANGES] = "refusal changes the state",
        [PM_PLANTED_WRONG_KIND] = "wrong kind",
        [PM_PLANTED_BULK_STALEMATE] = "bulk counts stalemate",
        [PM_PLANTED_LAST_SQUARE] = "make misses the last square",
        [PM_PLANTED_ROUND_TRIP] = "set_position forgets a right",
        [PM_PLANTED_PINNED] = "no pinned pieces",
        [PM_PLANTED_KEY_LEFTOVER] = "captured pieces stay in the key",
        [PM_PLANTED_KEY_SIDE] = "key without the side to move",
        [PM_PLANTED_KEY_CLOCK] = "key with the halfmove clock",
    };
    return texts[which];
}

/* ---- The base kernel, on neutral positions ---- */

struct scratch {
    _Alignas(64) unsigned char bytes[16384];
};

static struct pm_position without_ghosts(const struct pm_position *position)
{
    struct pm_position clean = *position;
    for (int color = 0; color < PM_COLOR_COUNT; color++)
        for (int side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
            pm_square *rook = &clean.castling_rook[color][side];
            if (*rook != PM_NO_SQUARE &&
                clean.board[*rook] != pm_make_piece((enum pm_color)color, PM_ROOK))
                *rook = PM_NO_SQUARE;
        }
    return clean;
}

/* Positions that a bug has spoilt have no moves: the base must never see them. */
static bool is_playable(const struct pm_position *position)
{
    return pm_position_check(position, NULL) == PM_FAULT_NONE;
}

static enum pm_status base_set(struct scratch *scratch, const struct pm_position *position)
{
    if (base->state_size > sizeof scratch->bytes)
        return PM_ERROR_UNSUPPORTED;
    return base->set_position(scratch->bytes, position);
}

static enum pm_status base_moves(const struct pm_position *position, struct pm_move moves[],
                                 unsigned *count)
{
    struct scratch scratch;
    const enum pm_status status = base_set(&scratch, position);
    return status == PM_OK ? base->legal_moves(scratch.bytes, moves, count) : status;
}

/* ---- Bugs in the list of moves ---- */

static void add_move(struct pm_move moves[], unsigned *count, struct pm_move move)
{
    if (pm_move_index(moves, *count, &move) == *count)
        moves[(*count)++] = move;
}

/* Standard chess only: castlings that one of the conditions forbids, the others being met. */
static void add_castling(const struct pm_position *position, enum pm_castling_side side,
                         struct pm_move moves[], unsigned *count)
{
    const enum pm_color us = (enum pm_color)position->side_to_move;
    const enum pm_color them = us == PM_WHITE ? PM_BLACK : PM_WHITE;
    const pm_square king = us == PM_WHITE ? 4 : 60;
    const pm_square rook = side == PM_KINGSIDE ? king + 3 : king - 4;
    const pm_square over = side == PM_KINGSIDE ? king + 1 : king - 1;
    const pm_square target = side == PM_KINGSIDE ? king + 2 : king - 2;
    const bool checked = pm_position_is_attacked(position, king, them);
    const bool through = pm_position_is_attacked(position, over, them);
    const bool blocked = side == PM_QUEENSIDE && position->board[rook + 1] != PM_EMPTY;

    if (position->castling_rook[us][side] != rook ||
        position->board[king] != pm_make_piece(us, PM_KING) || position->board[over] != PM_EMPTY ||
        position->board[target] != PM_EMPTY || pm_position_is_attacked(position, target, them) ||
        checked != (bug == PM_PLANTED_CASTLING_OUT_OF_CHECK) ||
        through != (bug == PM_PLANTED_CASTLING_THROUGH_CHECK) ||
        blocked != (bug == PM_PLANTED_CASTLING_OVER_PIECE))
        return;
    add_move(moves, count, (struct pm_move){.from = king, .to = rook, .kind = PM_MOVE_CASTLING});
}

static void add_en_passants(const struct pm_position *position, struct pm_move moves[],
                            unsigned *count)
{
    const enum pm_color us = (enum pm_color)position->side_to_move;
    const int behind = us == PM_WHITE ? -8 : 8;
    for (int step = -1; step <= 1; step += 2) {
        const int file = (int)pm_file_of(position->en_passant) + step;
        const pm_square from = (pm_square)(position->en_passant + behind + step);
        if (file >= 0 && file < 8 && position->board[from] == pm_make_piece(us, PM_PAWN))
            add_move(moves, count,
                     (struct pm_move){
                         .from = from, .to = position->en_passant, .kind = PM_MOVE_EN_PASSANT});
    }
}

static pm_square find_king(const struct pm_position *position, enum pm_color color)
{
    pm_square square = 0;
    while (square < PM_SQUARE_COUNT && position->board[square] != pm_make_piece(color, PM_KING))
        square++;
    return square;
}

static bool is_in_check(const struct pm_position *position)
{
    const enum pm_color us = (enum pm_color)position->side_to_move;
    return pm_position_is_attacked(position, find_king(position, us),
                                   us == PM_WHITE ? PM_BLACK : PM_WHITE);
}

static bool is_forgotten(const struct pm_position *position, const struct pm_move *move)
{
    if (bug == PM_PLANTED_NO_KNIGHT_PROMOTION)
        return move->promotion == PM_KNIGHT;
    return bug == PM_PLANTED_NO_EN_PASSANT_EVASION && move->kind == PM_MOVE_EN_PASSANT &&
           is_in_check(position);
}

static void forget_moves(const struct pm_position *position, struct pm_move moves[],
                         unsigned *count)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < *count; i++)
        if (!is_forgotten(position, &moves[i]))
            moves[kept++] = moves[i];
    *count = kept;
}

static void spoil_moves(const struct pm_position *position, struct pm_move moves[], unsigned *count)
{
    switch (bug) {
    case PM_PLANTED_NO_KNIGHT_PROMOTION:
    case PM_PLANTED_NO_EN_PASSANT_EVASION:
        forget_moves(position, moves, count);
        break;
    case PM_PLANTED_CASTLING_OUT_OF_CHECK:
    case PM_PLANTED_CASTLING_THROUGH_CHECK:
    case PM_PLANTED_CASTLING_OVER_PIECE:
        add_castling(position, PM_KINGSIDE, moves, count);
        add_castling(position, PM_QUEENSIDE, moves, count);
        break;
    case PM_PLANTED_ILLEGAL_EN_PASSANT:
        if (position->en_passant != PM_NO_SQUARE)
            add_en_passants(position, moves, count);
        break;
    case PM_PLANTED_DOUBLED_MOVE:
        if (*count > 0 && moves[0].kind == PM_MOVE_CAPTURE) {
            moves[*count] = moves[0];
            (*count)++;
        }
        break;
    case PM_PLANTED_WRONG_KIND:
        for (unsigned i = 0; i < *count; i++)
            if (moves[i].kind == PM_MOVE_CAPTURE)
                moves[i].kind = PM_MOVE_QUIET;
        break;
    default:
        break;
    }
}

static enum pm_status planted_legal_moves(const void *state, struct pm_move moves[PM_MAX_MOVES],
                                          unsigned *count)
{
    const struct state *s = state;
    const struct pm_position position = without_ghosts(&s->position);
    *count = 0;
    if (!is_playable(&position))
        return PM_OK;
    const enum pm_status status = base_moves(&position, moves, count);
    if (status == PM_OK)
        spoil_moves(&position, moves, count);
    return status;
}

/* ---- Bugs in play() ---- */

/* Plays by hand what the base would refuse. */
static void force(struct pm_position *position, const struct pm_move *move)
{
    const enum pm_color us = (enum pm_color)position->side_to_move;
    const pm_piece piece = position->board[move->from];
    const bool kingside = move->to > move->from;
    const pm_square home = pm_make_square(0, pm_rank_of(move->from));

    position->board[move->from] = PM_EMPTY;
    if (move->kind == PM_MOVE_CASTLING) {
        position->board[move->to] = PM_EMPTY;
        position->board[home + (kingside ? 6 : 2)] = piece;
        position->board[home + (kingside ? 5 : 3)] = pm_make_piece(us, PM_ROOK);
        position->castling_rook[us][0] = position->castling_rook[us][1] = PM_NO_SQUARE;
    } else {
        position->board[move->to] =
            move->promotion != 0 ? pm_make_piece(us, (enum pm_piece_type)(move->promotion & 7))
                                 : piece;
    }
    if (move->kind == PM_MOVE_EN_PASSANT)
        position->board[pm_make_square(pm_file_of(move->to), pm_rank_of(move->from))] = PM_EMPTY;
    position->en_passant = PM_NO_SQUARE;
    position->side_to_move = us == PM_WHITE ? PM_BLACK : PM_WHITE;
    position->halfmove_clock =
        pm_type_of(piece) == PM_PAWN ? 0 : pm_clock_next(position->halfmove_clock);
    if (us == PM_BLACK)
        position->fullmove_number = pm_clock_next(position->fullmove_number);
}

static void keep_rights(const struct pm_position *before, struct pm_position *after,
                        enum pm_color color, pm_square square)
{
    for (int side = 0; side < PM_CASTLING_SIDE_COUNT; side++)
        if (before->castling_rook[color][side] == square)
            after->castling_rook[color][side] = square;
}

/* Rights without a rook last until the king moves. */
static void keep_ghosts(const struct pm_position *before, struct pm_position *after)
{
    for (int color = 0; color < PM_COLOR_COUNT; color++)
        for (int side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
            const pm_square rook = before->castling_rook[color][side];
            const pm_square king = find_king(before, (enum pm_color)color);
            if (rook != PM_NO_SQUARE && find_king(after, (enum pm_color)color) == king &&
                before->board[rook] != pm_make_piece((enum pm_color)color, PM_ROOK))
                after->castling_rook[color][side] = rook;
        }
}

static void spoil_position(const struct pm_position *before, const struct pm_move *move,
                           struct pm_position *after)
{
    const enum pm_color us = (enum pm_color)before->side_to_move;
    const enum pm_color them = us == PM_WHITE ? PM_BLACK : PM_WHITE;

    keep_ghosts(before, after);
    switch (bug) {
    case PM_PLANTED_RIGHT_SURVIVES_CAPTURE:
        if (move->kind == PM_MOVE_CAPTURE)
            keep_rights(before, after, them, move->to);
        break;
    case PM_PLANTED_RIGHT_SURVIVES_MOVE:
        if (move->kind != PM_MOVE_CASTLING)
            keep_rights(before, after, us, move->from);
        break;
    case PM_PLANTED_ILLEGAL_EN_PASSANT:
        if (move->kind == PM_MOVE_DOUBLE_PUSH)
            after->en_passant = (pm_square)((move->from + move->to) / 2);
        break;
    case PM_PLANTED_PAWN_LEFT:
        if (move->kind == PM_MOVE_EN_PASSANT)
            after->board[pm_make_square(pm_file_of(move->to), pm_rank_of(move->from))] =
                pm_make_piece(them, PM_PAWN);
        break;
    case PM_PLANTED_CLOCK_NOT_RESET:
        if (move->kind == PM_MOVE_CAPTURE)
            after->halfmove_clock = (uint16_t)(before->halfmove_clock + 1);
        break;
    case PM_PLANTED_CLOCK_WRAPS:
        after->fullmove_number =
            (uint16_t)(before->fullmove_number + (before->side_to_move == PM_BLACK));
        break;
    case PM_PLANTED_STALE_EN_PASSANT:
        if (after->en_passant == PM_NO_SQUARE)
            after->en_passant = before->en_passant;
        break;
    default:
        break;
    }
}

static bool is_listed(const struct state *state, const struct pm_move *move)
{
    struct pm_move moves[PM_MAX_MOVES];
    unsigned count = 0;
    return planted_legal_moves(state, moves, &count) == PM_OK &&
           pm_move_index(moves, count, move) < count;
}

static enum pm_status refuse(struct state *state, const struct pm_move *move)
{
    if (bug == PM_PLANTED_REFUSAL_CHANGES)
        state->position.side_to_move ^= 1;
    if (bug != PM_PLANTED_REFUSES_NOTHING)
        return PM_ERROR_ILLEGAL;
    force(&state->position, move);
    return PM_OK;
}

static enum pm_status planted_play(void *state, const struct pm_move *move)
{
    struct state *s = state;
    struct scratch scratch;
    const struct pm_position before = s->position;
    const struct pm_position clean = without_ghosts(&before);

    if (!is_listed(s, move))
        return refuse(s, move);
    enum pm_status status = base_set(&scratch, &clean);
    if (status == PM_OK)
        status = base->play(scratch.bytes, move);
    if (status == PM_OK)
        status = base->get_position(scratch.bytes, &s->position);
    if (status == PM_ERROR_ILLEGAL) {
        force(&s->position, move);
        status = PM_OK;
    }
    spoil_position(&before, move, &s->position);
    if (bug == PM_PLANTED_KEY_LEFTOVER && move->kind == PM_MOVE_CAPTURE)
        s->leftover ^= before.board[move->to];
    return status;
}

/* ---- The rest of the contract ---- */

static enum pm_status planted_init(void)
{
    return base->init();
}

static enum pm_status planted_set_position(void *state, const struct pm_position *position)
{
    struct state *s = state;
    *s = (struct state){.position = *position};
    if (bug == PM_PLANTED_ROUND_TRIP)
        s->position.castling_rook[PM_BLACK][PM_QUEENSIDE] = PM_NO_SQUARE;
    return PM_OK;
}

static enum pm_status planted_get_position(const void *state, struct pm_position *position)
{
    const struct state *s = state;
    *position = s->position;
    return PM_OK;
}

static bool is_missed(enum pm_mode mode, int depth, const struct pm_move *move)
{
    return bug == PM_PLANTED_LAST_SQUARE && mode == PM_MODE_MAKE && depth == 1 && move->to == 63;
}

static enum pm_status count(const struct state *state, int depth, enum pm_mode mode,
                            uint64_t *nodes)
{
    struct pm_move moves[PM_MAX_MOVES];
    unsigned move_count = 0;
    enum pm_status status = planted_legal_moves(state, moves, &move_count);

    if (bug == PM_PLANTED_BULK_STALEMATE && mode == PM_MODE_BULK && depth == 1 && move_count == 0)
        move_count = 1;
    if (depth == 1 && mode == PM_MODE_BULK) {
        *nodes += move_count;
        return status;
    }
    for (unsigned i = 0; i < move_count && status == PM_OK; i++) {
        struct state child = *state;
        status = planted_play(&child, &moves[i]);
        if (depth == 1)
            *nodes += !is_missed(mode, depth, &moves[i]);
        else if (status == PM_OK)
            status = count(&child, depth - 1, mode, nodes);
    }
    return status;
}

static enum pm_status planted_perft(const void *state, int depth, enum pm_mode mode,
                                    uint64_t *nodes)
{
    uint64_t total = 0;
    if (depth < 1 || depth > PM_KERNEL_MAX_DEPTH)
        return PM_ERROR_ARGUMENT;
    if (mode != PM_MODE_MAKE && mode != PM_MODE_BULK)
        return PM_ERROR_UNSUPPORTED;
    const enum pm_status status = count(state, depth, mode, &total);
    if (status == PM_OK)
        *nodes = total;
    return status;
}

static enum pm_status planted_attacks(const void *state, struct pm_attacks *attacks)
{
    const struct state *s = state;
    struct scratch scratch;
    const struct pm_position clean = without_ghosts(&s->position);
    *attacks = (struct pm_attacks){0};
    if (!is_playable(&clean))
        return PM_OK;
    enum pm_status status = base_set(&scratch, &clean);
    if (status == PM_OK)
        status = base->attacks(scratch.bytes, attacks);
    if (status == PM_OK && bug == PM_PLANTED_PINNED)
        attacks->pinned = 0;
    return status;
}

static uint64_t mix(uint64_t key, uint64_t part)
{
    struct pm_random random = {.state = key ^ part};
    return pm_random_next(&random);
}

static enum pm_status planted_key(const void *state, uint64_t *key)
{
    const struct state *s = state;
    struct pm_position position = without_ghosts(&s->position);
    pm_position_canonicalize(&position);
    *key = mix(bug == PM_PLANTED_KEY_SIDE ? 0 : position.side_to_move, position.en_passant);
    for (int color = 0; color < PM_COLOR_COUNT; color++)
        for (int side = 0; side < PM_CASTLING_SIDE_COUNT; side++)
            *key = mix(*key, position.castling_rook[color][side]);
    for (int square = 0; square < PM_SQUARE_COUNT; square++)
        *key = mix(*key, position.board[square]);
    if (bug == PM_PLANTED_KEY_CLOCK)
        *key = mix(*key, position.halfmove_clock);
    *key ^= s->leftover;
    return PM_OK;
}

static struct pm_kernel planted = {
    .abi = PM_KERNEL_ABI,
    .struct_size = sizeof(struct pm_kernel),
    .name = "planted",
    .technique = "a wrapped kernel with one bug",
    .summary = "Shows that the harness rejects wrong kernels.",
    .reference = "none",
    .revision = "test",
    .state_size = sizeof(struct state),
    .state_align = _Alignof(struct state),
    .init = planted_init,
    .set_position = planted_set_position,
    .get_position = planted_get_position,
    .legal_moves = planted_legal_moves,
    .play = planted_play,
    .perft = planted_perft,
    .key = planted_key,
};

const struct pm_kernel *pm_planted(const struct pm_kernel *wrapped, enum pm_planted_bug which)
{
    base = wrapped;
    bug = which;
    planted.lineage = base->lineage;
    planted.cpu_required = base->cpu_required;
    planted.capabilities = base->capabilities & ~(uint32_t)PM_IS_REFERENCE;
    planted.attacks = base->attacks != NULL ? planted_attacks : NULL;
    return &planted;
}
