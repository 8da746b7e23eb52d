/* SPDX-License-Identifier: MIT */
#include "rules/helpmate.h"

#include "core/bits.h"
#include "core/state.h"
#include "rules/material.h"
#include "rules/reach.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

enum { SCORES = 128, MEMOS = 512 };

/* Who picks the next position. */
enum guide { GUIDE_HUNT, GUIDE_OPEN, GUIDE_OLDEST, GUIDES, SCORED_GUIDES = GUIDE_OLDEST };

/* What tells positions apart. */
struct packed {
    uint64_t board[4]; /* four bits a square */
    uint8_t side_to_move;
    pm_square en_passant; /* only if an enemy pawn stands beside the pawn that passed */
    pm_square castling_rook[PM_COLOR_COUNT][PM_CASTLING_SIDE_COUNT];
    uint16_t unused; /* 0 */
};

struct node {
    struct packed position;
    struct pm_move move; /* that led here from `parent` */
    uint32_t parent;
    uint32_t next[SCORED_GUIDES]; /* of the same score */
    uint16_t ply;
    bool is_done; /* gone on from, or hopeless */
};

struct slot {
    uint32_t number; /* of a node, or NONE */
    uint32_t tag;    /* bits of its hash */
};

/* What rules/reach.h said of pieces that stand so, the kings apart. */
struct memo {
    struct packed pieces;           /* side to move 0 */
    uint64_t kings[PM_COLOR_COUNT]; /* its proof holds for kings on these squares; 0: no proof */
};

struct search {
    const struct pm_kernel *kernel;
    void *state;
    enum pm_color winner;
    struct node *nodes;
    uint32_t count, capacity;
    struct slot *table; /* open addressing, 2 * capacity slots, a power of two */
    struct memo *memos; /* by hash */
    uint32_t heads[SCORED_GUIDES][SCORES];
    unsigned lowest[SCORED_GUIDES]; /* no lower score has a node */
    uint32_t oldest;                /* all before it are done */
    uint32_t reach_cost;            /* of the proofs tried, in positions */
    unsigned reach_credit;          /* falls with each proof that failed */
    unsigned reach_skipped;
    uint64_t expanded[PM_COLOR_COUNT], moves[PM_COLOR_COUNT];
    bool is_cut; /* a line was not followed */
};

const char *pm_mate_chance_text(enum pm_mate_chance chance)
{
    static const char *const texts[PM_MATE_CHANCES] = {[PM_MATE_NOT_PROVED] = "not proved",
                                                       [PM_MATE_POSSIBLE] = "can mate",
                                                       [PM_MATE_IMPOSSIBLE] = "can't mate"};
    return chance < PM_MATE_CHANCES ? texts[chance] : "unknown";
}

/* ---- Positions ---- */

static enum pm_color other(enum pm_color color)
{
    return color == PM_WHITE ? PM_BLACK : PM_WHITE;
}

static void put(struct packed *packed, pm_square square, pm_piece piece)
{
    uint64_t *const word = &packed->board[square / 16];
    const unsigned shift = square % 16 * 4;
    *word = (*word & ~(15ULL << shift)) | (uint64_t)piece << shift;
}

static struct packed pack(const struct pm_position *position)
{
    struct packed packed = {.side_to_move = position->side_to_move,
                            .en_passant = position->en_passant};
    memcpy(packed.castling_rook, position->castling_rook, sizeof packed.castling_rook);
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++)
        put(&packed, square, position->board[square]);
    return packed;
}

static void unpack(const struct packed *packed, struct pm_position *position)
{
    for (unsigned square = 0; square < PM_SQUARE_COUNT; square++)
        position->board[square] = (pm_piece)(packed->board[square / 16] >> square % 16 * 4 & 15);
    position->side_to_move = packed->side_to_move;
    position->en_passant = packed->en_passant;
    memcpy(position->castling_rook, packed->castling_rook, sizeof position->castling_rook);
    position->halfmove_clock = 0;
    position->fullmove_number = 1;
}

static uint64_t hash_of(const struct packed *packed)
{
    uint64_t words[sizeof *packed / 8], hash = 0;
    memcpy(words, packed, sizeof words);
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        hash = (hash ^ words[i]) * 0x9E3779B97F4A7C15U;
        hash ^= hash >> 32;
    }
    return hash;
}

static bool is_same(const struct packed *a, const struct packed *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void drop_castling(struct packed *packed, const struct pm_position *before,
                          const struct pm_move *move)
{
    const bool is_king = pm_type_of(before->board[move->from]) == PM_KING;
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++)
        for (unsigned side = 0; side < PM_CASTLING_SIDE_COUNT; side++) {
            pm_square *const rook = &packed->castling_rook[color][side];
            if (*rook == move->from || *rook == move->to ||
                (is_king && color == before->side_to_move))
                *rook = PM_NO_SQUARE;
        }
}

static bool is_beside_pawn(const struct pm_position *position, pm_square square,
                           enum pm_color color)
{
    const pm_piece pawn = pm_make_piece(color, PM_PAWN);
    return (pm_file_of(square) > 0 && position->board[square - 1] == pawn) ||
           (pm_file_of(square) < 7 && position->board[square + 1] == pawn);
}

/* Where the moved piece ends; of castling, the king. */
static pm_square target_of(const struct pm_move *move)
{
    if (move->kind != PM_MOVE_CASTLING)
        return move->to;
    return pm_make_square(move->to > move->from ? 6 : 2, pm_rank_of(move->from));
}

/* What a legal move makes of a position, given in both forms. */
static struct packed play(const struct packed *packed, const struct pm_position *before,
                          const struct pm_move *move)
{
    const enum pm_color us = (enum pm_color)before->side_to_move;
    const unsigned rank = pm_rank_of(move->from);
    const pm_square target = target_of(move);
    struct packed after = *packed;
    after.side_to_move = (uint8_t)other(us);
    after.en_passant = PM_NO_SQUARE;
    drop_castling(&after, before, move);
    put(&after, move->from, PM_EMPTY);
    if (move->kind == PM_MOVE_CASTLING) {
        put(&after, move->to, PM_EMPTY);
        put(&after, pm_make_square(pm_file_of(target) == 6 ? 5 : 3, rank),
            pm_make_piece(us, PM_ROOK));
    }
    if (move->kind == PM_MOVE_EN_PASSANT)
        put(&after, pm_make_square(pm_file_of(target), rank), PM_EMPTY);
    put(&after, target,
        move->promotion == PM_NO_PIECE_TYPE
            ? before->board[move->from]
            : pm_make_piece(us, (enum pm_piece_type)move->promotion));
    if (move->kind == PM_MOVE_DOUBLE_PUSH && is_beside_pawn(before, target, other(us)))
        after.en_passant = (pm_square)((move->from + target) / 2);
    return after;
}

/* ---- The set of positions ---- */

static struct slot *slot_of(const struct search *search, const struct packed *packed, uint64_t hash)
{
    const uint32_t mask = 2 * search->capacity - 1;
    for (uint32_t at = (uint32_t)hash & mask;; at = (at + 1) & mask) {
        struct slot *const slot = &search->table[at];
        if (slot->number == NONE || (slot->tag == (uint32_t)(hash >> 32) &&
                                     is_same(&search->nodes[slot->number].position, packed)))
            return slot;
    }
}

static void fill_slot(const struct search *search, uint32_t number)
{
    const struct packed *const packed = &search->nodes[number].position;
    const uint64_t hash = hash_of(packed);
    *slot_of(search, packed, hash) = (struct slot){.number = number, .tag = (uint32_t)(hash >> 32)};
}

static bool grow(struct search *search)
{
    const uint32_t capacity = search->capacity == 0 ? 256 : 2 * search->capacity;
    struct node *const nodes = realloc(search->nodes, capacity * sizeof *nodes);
    if (nodes == NULL)
        return false;
    search->nodes = nodes;
    struct slot *const table = malloc(2 * (size_t)capacity * sizeof *table);
    if (table == NULL)
        return false;
    free(search->table);
    search->table = table;
    search->capacity = capacity;
    memset(table, 0xff, 2 * (size_t)capacity * sizeof *table); /* NONE everywhere */
    for (uint32_t number = 0; number < search->count; number++)
        fill_slot(search, number);
    return true;
}

/* Makes a position a node, unless it is one. False: no memory. */
static bool add(struct search *search, const struct packed *packed, uint32_t parent,
                const struct pm_move *move, bool *is_new)
{
    if (search->count == search->capacity && !grow(search))
        return false;
    const uint64_t hash = hash_of(packed);
    struct slot *const slot = slot_of(search, packed, hash);
    *is_new = slot->number == NONE;
    if (!*is_new)
        return true;
    *slot = (struct slot){.number = search->count, .tag = (uint32_t)(hash >> 32)};
    search->nodes[search->count] = (struct node){
        .position = *packed,
        .move = *move,
        .parent = parent,
        .ply = (uint16_t)(parent == NONE ? 0 : search->nodes[parent].ply + 1),
        .is_done = true,
    };
    search->count++;
    return true;
}

/* ---- Guides ---- */

/* What the scores of a position and its children come from. */
struct outlook {
    pm_square kings[PM_COLOR_COUNT];
    uint64_t pieces[PM_COLOR_COUNT]; /* the kings apart */
    uint64_t pawns;
    int ranks_to_go;      /* of the winner's pawn that is farthest on */
    int helpers;          /* the winner's pieces but pawns and king … */
    int helper_steps;     /* … and how far they are from the loser's king, in all */
    int major_pieces;     /* among them */
    int blocker_steps;    /* from the loser's king to its nearest piece, pawns apart */
    int enemy_pawns;      /* the loser's … */
    int enemy_pawn_steps; /* … and from the winner's king to the nearest */
    bool is_check;        /* by the winner's piece that has just moved */
};

static int steps(pm_square a, pm_square b)
{
    const int files = abs((int)pm_file_of(a) - (int)pm_file_of(b));
    const int ranks = abs((int)pm_rank_of(a) - (int)pm_rank_of(b));
    return files > ranks ? files : ranks;
}

static int lower(int a, int b)
{
    return a < b ? a : b;
}

static int ranks_to_go(pm_square square, enum pm_color color)
{
    return (int)(color == PM_WHITE ? 7 - pm_rank_of(square) : pm_rank_of(square));
}

/* Adds a piece to what the outlook says of each side. */
static void weigh(struct outlook *outlook, enum pm_color winner, pm_square square, pm_piece piece)
{
    const pm_square prey = outlook->kings[other(winner)];
    const bool is_pawn = pm_type_of(piece) == PM_PAWN;
    if (pm_color_of(piece) == winner && is_pawn) {
        outlook->ranks_to_go = lower(outlook->ranks_to_go, ranks_to_go(square, winner));
    } else if (pm_color_of(piece) == winner) {
        outlook->helpers++;
        outlook->helper_steps += steps(square, prey);
        outlook->major_pieces += pm_type_of(piece) >= PM_ROOK;
    } else if (is_pawn) {
        outlook->enemy_pawns++;
        outlook->enemy_pawn_steps =
            lower(outlook->enemy_pawn_steps, steps(square, outlook->kings[winner]));
    } else {
        outlook->blocker_steps = lower(outlook->blocker_steps, steps(square, prey));
    }
}

/* The kings' squares are given. */
static void weigh_all(struct outlook *outlook, enum pm_color winner,
                      const struct pm_position *position)
{
    outlook->ranks_to_go = outlook->blocker_steps = outlook->enemy_pawn_steps = 7;
    outlook->helpers = outlook->helper_steps = outlook->major_pieces = outlook->enemy_pawns = 0;
    for (uint64_t rest = outlook->pieces[PM_WHITE] | outlook->pieces[PM_BLACK]; rest != 0;) {
        const pm_square square = (pm_square)pm_pop_lsb(&rest);
        weigh(outlook, winner, square, position->board[square]);
    }
}

static struct outlook outlook_of(const struct pm_position *position, enum pm_color winner)
{
    struct outlook outlook = {0};
    for (pm_square square = 0; square < PM_SQUARE_COUNT; square++) {
        const pm_piece piece = position->board[square];
        if (pm_type_of(piece) == PM_KING)
            outlook.kings[pm_color_of(piece)] = square;
        else if (piece != PM_EMPTY)
            outlook.pieces[pm_color_of(piece)] |= pm_bit(square);
    }
    weigh_all(&outlook, winner, position);
    return outlook;
}

static bool is_between_free(const struct outlook *outlook, pm_square a, pm_square b, int step)
{
    const uint64_t pieces = outlook->pieces[PM_WHITE] | outlook->pieces[PM_BLACK];
    for (int square = a + step; square != b; square += step)
        if (pieces & pm_bit((unsigned)square))
            return false;
    return true;
}

static bool attacks(const struct outlook *outlook, pm_piece piece, pm_square from, pm_square to)
{
    const int files = (int)pm_file_of(to) - (int)pm_file_of(from);
    const int ranks = (int)pm_rank_of(to) - (int)pm_rank_of(from);
    const enum pm_piece_type type = pm_type_of(piece);
    const int far = steps(from, to);
    const bool is_diagonal = abs(files) == abs(ranks), is_straight = files == 0 || ranks == 0;
    if (type == PM_KNIGHT)
        return abs(files * ranks) == 2;
    if (type == PM_PAWN)
        return abs(files) == 1 && ranks == (pm_color_of(piece) == PM_WHITE ? 1 : -1);
    if ((type != PM_ROOK && is_diagonal) || (type != PM_BISHOP && is_straight))
        return is_between_free(outlook, from, to, (8 * ranks + files) / far);
    return false;
}

/* After a move. What it leaves behind is forgotten only if a king moved: guides may err. */
static struct outlook outlook_after(const struct outlook *before, enum pm_color winner,
                                    const struct pm_position *position, const struct pm_move *move)
{
    const enum pm_color us = (enum pm_color)position->side_to_move, them = other(us);
    const pm_piece piece = position->board[move->from], victim = position->board[move->to];
    const pm_square target = target_of(move);
    struct outlook after = *before;
    if (move->kind == PM_MOVE_CAPTURE) {
        after.pieces[them] &= ~pm_bit(target);
        after.enemy_pawns -= them != winner && pm_type_of(victim) == PM_PAWN;
    }
    if (pm_type_of(piece) == PM_KING) {
        after.kings[us] = target;
        weigh_all(&after, winner, position);
        return after;
    }
    const pm_piece placed = move->promotion == PM_NO_PIECE_TYPE
                                ? piece
                                : pm_make_piece(us, (enum pm_piece_type)move->promotion);
    after.pieces[us] = (after.pieces[us] & ~pm_bit(move->from)) | pm_bit(target);
    after.is_check = us == winner && attacks(&after, placed, target, after.kings[them]);
    if (us == winner && pm_type_of(piece) != PM_PAWN) {
        after.helper_steps +=
            steps(target, after.kings[them]) - steps(move->from, after.kings[them]);
        return after;
    }
    const int enemy_pawns = after.enemy_pawns;
    weigh(&after, winner, target, placed);
    after.enemy_pawns = enemy_pawns;
    return after;
}

static uint64_t around(pm_square square)
{
    const uint64_t set = pm_bit(square);
    const uint64_t row =
        set | (set >> 1 & ~0x8080808080808080U) | (set << 1 & ~0x0101010101010101U);
    return (row | row << 8 | row >> 8) & ~set;
}

static unsigned within(int score)
{
    return score < 0 ? 0 : score >= SCORES ? SCORES - 1 : (unsigned)score;
}

static void score(const struct outlook *outlook, enum pm_color winner,
                  unsigned scores[SCORED_GUIDES])
{
    const pm_square prey = outlook->kings[other(winner)], king = outlook->kings[winner];
    const int file = (int)pm_file_of(prey), rank = (int)pm_rank_of(prey);
    const int corner = lower(file, 7 - file) + lower(rank, 7 - rank);
    const int freedom =
        (int)pm_popcount(around(prey) & ~outlook->pieces[other(winner)] & ~around(king));
    const bool has_major = outlook->major_pieces > 0;
    const int hunt = 5 * freedom + (has_major ? 1 : 5) * corner +
                     2 * lower(steps(king, prey) - 2, 8) +
                     (outlook->helpers > 0 ? outlook->helper_steps / outlook->helpers : 50) +
                     (has_major ? 0 : 2 * outlook->blocker_steps) - (outlook->is_check ? 12 : 0);
    scores[GUIDE_HUNT] = within(hunt);
    scores[GUIDE_OPEN] = within(8 * outlook->enemy_pawns + outlook->enemy_pawn_steps +
                                (has_major ? hunt / 2 : 20 + 10 * outlook->ranks_to_go));
}

static void enqueue(struct search *search, uint32_t number, const struct outlook *outlook)
{
    unsigned scores[SCORED_GUIDES];
    score(outlook, search->winner, scores);
    for (unsigned guide = 0; guide < SCORED_GUIDES; guide++) {
        uint32_t *const head = &search->heads[guide][scores[guide]];
        search->nodes[number].next[guide] = *head;
        *head = number;
        if (scores[guide] < search->lowest[guide])
            search->lowest[guide] = scores[guide];
    }
    search->nodes[number].is_done = false;
}

static uint32_t take_oldest(struct search *search)
{
    while (search->oldest < search->count && search->nodes[search->oldest].is_done)
        search->oldest++;
    return search->oldest < search->count ? search->oldest : NONE;
}

/* The newest of those with the lowest score. */
static uint32_t take_scored(struct search *search, unsigned guide)
{
    for (unsigned *queue = &search->lowest[guide]; *queue < SCORES; ++*queue) {
        uint32_t *const head = &search->heads[guide][*queue];
        while (*head != NONE && search->nodes[*head].is_done)
            *head = search->nodes[*head].next[guide];
        if (*head != NONE)
            return *head;
    }
    return NONE;
}

/* NONE if all is done. */
static uint32_t take_next(struct search *search, uint64_t turn)
{
    const unsigned guide = (unsigned)(turn % GUIDES);
    const uint32_t number =
        guide == GUIDE_OLDEST ? take_oldest(search) : take_scored(search, guide);
    if (number != NONE)
        search->nodes[number].is_done = true;
    return number;
}

/* ---- Proofs on the way ---- */

static unsigned count_pieces(const struct outlook *outlook)
{
    return pm_popcount(outlook->pieces[PM_WHITE] | outlook->pieces[PM_BLACK]) + 2;
}

/* Whether one side has few moves on average. */
static bool is_cramped(const struct search *search)
{
    for (unsigned color = 0; color < PM_COLOR_COUNT; color++)
        if (search->moves[color] <= 6 * search->expanded[color])
            return true;
    return false;
}

/* Proofs take two thirds of the time at most, a fifth in positions so free that one is unlikely;
 * where they keep failing, one in sixteen is tried. */
static bool reach_pays(struct search *search)
{
    const uint32_t share = is_cramped(search) ? 2 * search->count : search->count / 4;
    return search->reach_cost <= 100 + share &&
           (search->reach_credit > 0 || ++search->reach_skipped % 16 == 0);
}

static bool reach_proves(struct search *search, const struct packed *packed,
                         const struct outlook *outlook, uint64_t kings[PM_COLOR_COUNT])
{
    const unsigned pieces = count_pieces(outlook);
    struct pm_position position;
    unpack(packed, &position);
    search->reach_cost += 4 + pieces * pieces / 8;
    const bool is_proof = pm_reach_cannot_mate(&position, search->winner, kings);
    if (is_proof)
        search->reach_credit += 8;
    else
        search->reach_credit -= search->reach_credit > 0;
    return is_proof;
}

/* A proof for pieces that stand so holds for all squares that it lets the kings reach. */
static bool is_beyond_reach(struct search *search, const struct packed *packed,
                            const struct outlook *outlook)
{
    const pm_square *const kings = outlook->kings;
    struct memo memo = {.pieces = *packed};
    memo.pieces.side_to_move = 0;
    put(&memo.pieces, kings[PM_WHITE], PM_EMPTY);
    put(&memo.pieces, kings[PM_BLACK], PM_EMPTY);
    struct memo *const known = &search->memos[hash_of(&memo.pieces) % MEMOS];
    if (is_same(&known->pieces, &memo.pieces))
        return (known->kings[PM_WHITE] & pm_bit(kings[PM_WHITE])) != 0 &&
               (known->kings[PM_BLACK] & pm_bit(kings[PM_BLACK])) != 0;
    if (!reach_pays(search))
        return false;
    if (!reach_proves(search, packed, outlook, memo.kings))
        memo.kings[PM_WHITE] = memo.kings[PM_BLACK] = 0;
    *known = memo;
    return memo.kings[PM_WHITE] != 0;
}

static bool is_beyond_material(const struct search *search, const struct packed *packed)
{
    struct pm_position position;
    unpack(packed, &position);
    return pm_material_cannot_mate(&position, search->winner);
}

/* Asked where a move changed for ever what can be reached, and near the root, where it may be
 * that a king left a square to which it can't come back. */
static bool is_hopeless(struct search *search, const struct packed *packed,
                        const struct outlook *outlook, const struct pm_position *before,
                        const struct pm_move *move, unsigned ply)
{
    const bool is_capture = move->kind == PM_MOVE_CAPTURE || move->kind == PM_MOVE_EN_PASSANT;
    if ((is_capture || move->promotion != PM_NO_PIECE_TYPE) && is_beyond_material(search, packed))
        return true;
    return (ply <= 2 || move->kind == PM_MOVE_CASTLING || pm_view_resets_clock(before, move)) &&
           is_beyond_reach(search, packed, outlook);
}

/* ---- Search ---- */

static bool add_children(struct search *search, uint32_t number, const struct pm_position *position,
                         const struct pm_move *moves, unsigned count)
{
    const struct packed packed = search->nodes[number].position;
    const unsigned ply = search->nodes[number].ply + 1U;
    const struct outlook outlook = outlook_of(position, search->winner);
    for (unsigned i = 0; i < count; i++) {
        const struct packed child = play(&packed, position, &moves[i]);
        bool is_new;
        if (!add(search, &child, number, &moves[i], &is_new))
            return false;
        if (!is_new)
            continue;
        const struct outlook after = outlook_after(&outlook, search->winner, position, &moves[i]);
        if (!is_hopeless(search, &child, &after, position, &moves[i], ply))
            enqueue(search, search->count - 1, &after);
    }
    return true;
}

enum step { STEP_ON, STEP_MATE, STEP_FAILED };

static enum step go_on_from(struct search *search, uint32_t number)
{
    struct pm_move moves[PM_MAX_MOVES];
    struct pm_position position;
    struct pm_attacks attacks;
    unsigned count = 0;
    unpack(&search->nodes[number].position, &position);
    if (search->kernel->set_position(search->state, &position) != PM_OK ||
        search->kernel->legal_moves(search->state, moves, &count) != PM_OK)
        return STEP_FAILED;
    search->expanded[position.side_to_move]++;
    search->moves[position.side_to_move] += count;
    if (count == 0) {
        if (position.side_to_move == search->winner)
            return STEP_ON;
        if (search->kernel->attacks(search->state, &attacks) != PM_OK)
            return STEP_FAILED;
        return attacks.checkers != 0 ? STEP_MATE : STEP_ON;
    }
    if (search->nodes[number].ply == PM_HELPMATE_PLIES) {
        search->is_cut = true;
        return STEP_ON;
    }
    return add_children(search, number, &position, moves, count) ? STEP_ON : STEP_FAILED;
}

static void tell_line(const struct search *search, uint32_t number, struct pm_helpmate *helpmate)
{
    helpmate->chance = PM_MATE_POSSIBLE;
    helpmate->proof = PM_PROOF_SEARCH;
    helpmate->plies = search->nodes[number].ply;
    for (unsigned ply = helpmate->plies; ply-- > 0; number = search->nodes[number].parent)
        helpmate->line[ply] = search->nodes[number].move;
}

static void run(struct search *search, struct pm_helpmate_limits limits,
                struct pm_helpmate *helpmate)
{
    bool is_judged = false; /* whether it goes on to the second limit */
    for (uint64_t turn = 0;; turn++) {
        const uint32_t number = take_next(search, turn);
        if (number == NONE) {
            if (search->is_cut)
                return;
            helpmate->chance = PM_MATE_IMPOSSIBLE;
            helpmate->proof = PM_PROOF_SEARCH;
            return;
        }
        const uint64_t cost = (uint64_t)search->count + search->reach_cost;
        if (cost >= limits.open && !is_judged) {
            is_judged = true;
            if (!is_cramped(search))
                return;
        }
        if (is_judged && cost >= limits.cramped)
            return;
        const enum step step = go_on_from(search, number);
        if (step == STEP_MATE)
            tell_line(search, number, helpmate);
        if (step != STEP_ON)
            return;
    }
}

static bool start(struct search *search, const struct pm_position *position)
{
    const struct packed packed = pack(position);
    const struct outlook outlook = outlook_of(position, search->winner);
    bool is_new;
    search->state = pm_new_state(search->kernel);
    search->memos = calloc(MEMOS, sizeof *search->memos);
    if (search->state == NULL || search->memos == NULL ||
        !add(search, &packed, NONE, &(struct pm_move){0}, &is_new))
        return false;
    enqueue(search, 0, &outlook);
    return true;
}

void pm_helpmate_find(const struct pm_view *view, enum pm_color color,
                      struct pm_helpmate_limits limits, struct pm_helpmate *helpmate)
{
    struct search search = {
        .kernel = view->kernel, .winner = color, .lowest = {SCORES, SCORES}, .reach_credit = 64};
    uint64_t kings[PM_COLOR_COUNT];
    memset(search.heads, 0xff, sizeof search.heads); /* NONE everywhere */
    helpmate->chance = PM_MATE_NOT_PROVED;
    helpmate->proof = PM_PROOF_NONE;
    helpmate->plies = 0;
    if (pm_material_cannot_mate(&view->position, color)) {
        helpmate->chance = PM_MATE_IMPOSSIBLE;
        helpmate->proof = PM_PROOF_MATERIAL;
    } else if (pm_reach_cannot_mate(&view->position, color, kings)) {
        helpmate->chance = PM_MATE_IMPOSSIBLE;
        helpmate->proof = PM_PROOF_REACH;
    } else if (start(&search, &view->position)) {
        run(&search, limits, helpmate);
    }
    helpmate->positions = search.count;
    free(search.state);
    free(search.memos);
    free(search.nodes);
    free(search.table);
}
