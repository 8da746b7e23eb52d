/* SPDX-License-Identifier: MIT */
/* Keys of children are made of what their moves change; a child's board is made when it is needed.
 * Only after a double push beside an enemy pawn must the board be asked whether the capture is
 * legal. */
#include "core/after_move.h"
#include "core/bits.h"
#include "perft/children.h"
#include "perft/walker.h"
#include "perft/zobrist.h"

#include <stdlib.h>

enum step_kind {
    STEP_PLAIN,
    STEP_DOUBLE_PUSH, /* with a legal en passant capture; else it is a plain one */
    STEP_PROMOTION,
    STEP_EN_PASSANT,
    STEP_CASTLING /* `to` is the rook's square */
};

struct step {
    uint8_t kind;
    uint8_t type; /* of the piece that moves; what a pawn becomes */
    pm_square from, to;
};

struct node {
    struct pm_bitboards board;
    uint64_t key;
    enum pm_color us;
    struct step steps[PM_MAX_MOVES]; /* to the children */
};

struct board_walker {
    struct pm_walker base;
    struct pm_zobrist zobrist;
    struct node nodes[PM_WALKER_PLIES];
};

/* What the children of one node are listed with. */
struct list {
    const struct pm_zobrist *zobrist;
    struct node *node;
    struct pm_walker_children *children;
    uint64_t key; /* the node's, without its en passant square */
};

static struct board_walker *board_walker(struct pm_walker *walker)
{
    return (struct board_walker *)walker;
}

PM_ALWAYS_INLINE void add(struct list *list, enum step_kind kind, enum pm_piece_type type,
                          unsigned from, unsigned to, uint64_t key)
{
    const unsigned child = list->children->count++;
    list->children->keys[child] = key;
    list->node->steps[child] = (struct step){
        .kind = (uint8_t)kind, .type = (uint8_t)type, .from = (pm_square)from, .to = (pm_square)to};
}

/* What capturing on a square takes out of the key: the piece, and its right if it is a rook. */
PM_ALWAYS_INLINE uint64_t key_of_captured(const struct list *list, unsigned square)
{
    const struct pm_bitboards *board = &list->node->board;
    const uint64_t set = pm_bit(square);
    const enum pm_piece_type type = pm_bitboards_type(board, set);
    return list->zobrist->piece[pm_opponent(list->node->us)][type][square] ^
           pm_zobrist_of_rights(list->zobrist, board->rights & PM_BACK_RANKS & set);
}

static void list_piece(struct list *list, const struct pm_piece_moves *moves)
{
    const struct pm_bitboards *board = &list->node->board;
    const enum pm_color us = list->node->us;
    const enum pm_piece_type type = (enum pm_piece_type)moves->type;
    const uint64_t *numbers = list->zobrist->piece[us][type];
    const uint64_t them = board->pieces[pm_opponent(us)];
    const uint64_t lost = board->rights & PM_BACK_RANKS &
                          (type == PM_KING ? pm_rank_set(us, 1) : pm_bit(moves->from));
    const uint64_t key =
        list->key ^ numbers[moves->from] ^ pm_zobrist_of_rights(list->zobrist, lost);
    for (uint64_t rest = moves->targets & ~them; rest; rest = pm_without_lsb(rest)) {
        const unsigned to = pm_lsb(rest);
        add(list, STEP_PLAIN, type, moves->from, to, key ^ numbers[to]);
    }
    for (uint64_t rest = moves->targets & them; rest; rest = pm_without_lsb(rest)) {
        const unsigned to = pm_lsb(rest);
        add(list, STEP_PLAIN, type, moves->from, to, key ^ numbers[to] ^ key_of_captured(list, to));
    }
}

static void list_promotions(struct list *list, unsigned from, unsigned to, uint64_t key)
{
    const struct pm_zobrist *zobrist = list->zobrist;
    const enum pm_color us = list->node->us;
    key ^= zobrist->piece[us][PM_PAWN][from];
    for (unsigned type = PM_KNIGHT; type <= PM_QUEEN; type++)
        add(list, STEP_PROMOTION, (enum pm_piece_type)type, from, to,
            key ^ zobrist->piece[us][type][to]);
}

static void list_pawns(struct list *list, enum pm_pawn_step step, uint64_t targets)
{
    const enum pm_color us = list->node->us;
    const uint64_t *numbers = list->zobrist->piece[us][PM_PAWN];
    for (uint64_t rest = targets; rest; rest = pm_without_lsb(rest)) {
        const uint64_t set = rest & -rest;
        const unsigned to = pm_lsb(rest), from = pm_lsb(pm_pawn_origin(us, step, set));
        const uint64_t key = list->key ^ (step == PM_STEP_PUSH ? 0 : key_of_captured(list, to));
        if (set & PM_BACK_RANKS)
            list_promotions(list, from, to, key);
        else
            add(list, STEP_PLAIN, PM_PAWN, from, to, key ^ numbers[from] ^ numbers[to]);
    }
}

static void list_double_pushes(struct list *list, const struct pm_expander *expander,
                               uint64_t targets)
{
    const enum pm_color us = list->node->us;
    for (uint64_t rest = targets; rest; rest = pm_without_lsb(rest)) {
        const unsigned to = pm_lsb(rest), from = us == PM_WHITE ? to - 16 : to + 16;
        struct pm_bitboards child;
        pm_after_double_push(&child, &list->node->board, us, pm_bit(from), pm_bit(to));
        pm_drop_idle_en_passant(expander, &child, pm_opponent(us));
        const uint64_t square = pm_en_passant_set(&child);
        add(list, square ? STEP_DOUBLE_PUSH : STEP_PLAIN, PM_PAWN, from, to,
            list->key ^ list->zobrist->double_push[us][to] ^
                pm_zobrist_of_rights(list->zobrist, square));
    }
}

static void list_en_passant(struct list *list, uint64_t captors)
{
    const enum pm_color us = list->node->us, them = pm_opponent(us);
    const uint64_t *numbers = list->zobrist->piece[us][PM_PAWN];
    const uint64_t target = pm_en_passant_set(&list->node->board);
    for (uint64_t rest = captors; rest; rest = pm_without_lsb(rest)) {
        const unsigned from = pm_lsb(rest), to = pm_lsb(target);
        const unsigned captured = pm_lsb(pm_forward(them, target));
        add(list, STEP_EN_PASSANT, PM_PAWN, from, to,
            list->key ^ numbers[from] ^ numbers[to] ^
                list->zobrist->piece[them][PM_PAWN][captured]);
    }
}

/* Rare enough for a key from scratch. */
static void list_castlings(struct list *list, uint64_t rooks)
{
    for (uint64_t rest = rooks; rest; rest = pm_without_lsb(rest)) {
        struct pm_bitboards child;
        pm_after_castling(&child, &list->node->board, list->node->us, rest & -rest);
        add(list, STEP_CASTLING, PM_KING, 0, pm_lsb(rest), pm_zobrist_key(list->zobrist, &child));
    }
}

static enum pm_status list_children(struct pm_walker *base, int ply)
{
    struct board_walker *walker = board_walker(base);
    const struct pm_expander *expander = base->kernel->expander;
    struct node *node = &walker->nodes[ply];
    struct list list = {
        .zobrist = &walker->zobrist,
        .node = node,
        .children = &base->children[ply],
        .key = node->key ^ pm_zobrist_of_rights(&walker->zobrist, pm_en_passant_set(&node->board)),
    };
    struct pm_expansion moves;
    list.children->count = 0;
    expander->expand(&node->board, node->us, &moves);
    for (unsigned i = 0; i < moves.piece_count; i++)
        list_piece(&list, &moves.pieces[i]);
    list_pawns(&list, PM_STEP_PUSH, moves.pushes);
    list_pawns(&list, PM_STEP_LEFT, moves.left_captures);
    list_pawns(&list, PM_STEP_RIGHT, moves.right_captures);
    list_double_pushes(&list, expander, moves.double_pushes);
    list_en_passant(&list, moves.en_passant_captors);
    list_castlings(&list, moves.castling_rooks);
    return PM_OK;
}

static enum pm_status descend(struct pm_walker *base, int ply, unsigned child)
{
    const struct node *node = &board_walker(base)->nodes[ply];
    struct node *next = &board_walker(base)->nodes[ply + 1];
    const struct step *step = &node->steps[child];
    const enum pm_piece_type type = (enum pm_piece_type)step->type;
    const uint64_t from = pm_bit(step->from), to = pm_bit(step->to);
    next->us = pm_opponent(node->us);
    next->key = base->children[ply].keys[child];
    switch ((enum step_kind)step->kind) {
    case STEP_PLAIN:
        pm_after_move(&next->board, &node->board, node->us, type, from, to);
        break;
    case STEP_DOUBLE_PUSH:
        pm_after_double_push(&next->board, &node->board, node->us, from, to);
        break;
    case STEP_PROMOTION:
        pm_after_promotion(&next->board, &node->board, node->us, type, from, to);
        break;
    case STEP_EN_PASSANT:
        pm_after_en_passant(&next->board, &node->board, node->us, from, to);
        break;
    case STEP_CASTLING:
        pm_after_castling(&next->board, &node->board, node->us, to);
        break;
    }
    return PM_OK;
}

static enum pm_status set_root(struct pm_walker *base, const void *state)
{
    struct board_walker *walker = board_walker(base);
    struct node *root = &walker->nodes[0];
    struct pm_position position;
    const enum pm_status status = base->kernel->get_position(state, &position);
    if (status != PM_OK)
        return status;
    root->us = (enum pm_color)position.side_to_move;
    root->board = pm_bitboards_of(&position);
    pm_drop_idle_en_passant(base->kernel->expander, &root->board, root->us);
    root->key = base->root_key = pm_zobrist_key(&walker->zobrist, &root->board);
    return PM_OK;
}

static enum pm_status count_two_plies(struct pm_walker *base, int ply, uint64_t *nodes)
{
    const struct node *node = &board_walker(base)->nodes[ply];
    *nodes = base->kernel->expander->count_two_plies(&node->board, node->us);
    return PM_OK;
}

static const struct pm_walker_kind board_walker_kind = {
    .set_root = set_root,
    .list = list_children,
    .descend = descend,
    .count_two_plies = count_two_plies,
};

struct pm_walker *pm_board_walker_create(const struct pm_kernel *kernel, uint64_t seed)
{
    struct board_walker *walker = aligned_alloc(_Alignof(struct board_walker), sizeof *walker);
    if (walker == NULL)
        return NULL;
    walker->base.kind = &board_walker_kind;
    walker->base.kernel = kernel;
    pm_zobrist_fill(&walker->zobrist, seed);
    return &walker->base;
}
