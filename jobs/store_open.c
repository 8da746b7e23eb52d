/* SPDX-License-Identifier: MIT */
/* Making, opening and checking the database of a deep count. */
#include "core/fen.h"
#include "jobs/store.h"
#include "jobs/store_state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define APPLICATION_ID 0x506c796d /* "Plym" */
#define IN_MEMORY ":memory:"

/* Far behind the bytes that SQLite locks. */
#define LOCK_BYTE (INT64_MAX - 1)

#define QUOTED(text) #text
#define TEXT_OF(text) QUOTED(text)

static const char schema[] =
    "CREATE TABLE plan ("
    " id INTEGER PRIMARY KEY CHECK (id = 1),"
    " position TEXT NOT NULL,"
    " split TEXT NOT NULL,"
    " depth INTEGER NOT NULL,"
    " ply INTEGER NOT NULL,"
    " items INTEGER NOT NULL,"
    " created TEXT NOT NULL) STRICT;"
    "CREATE TABLE position (" /* the items of PM_SPLIT_POSITIONS */
    " item INTEGER PRIMARY KEY,"
    " position TEXT NOT NULL,"
    " multiplicity INTEGER NOT NULL,"
    " checksum INTEGER NOT NULL) STRICT;"
    "CREATE TABLE run ("
    " id INTEGER PRIMARY KEY,"
    " started TEXT NOT NULL,"
    " last_commit TEXT,"
    " seconds REAL,"
    " ended INTEGER NOT NULL DEFAULT 0," /* 1: in order */
    " version TEXT NOT NULL,"
    " kernel TEXT NOT NULL,"
    " revision TEXT NOT NULL,"
    " mode TEXT NOT NULL,"
    " threads INTEGER NOT NULL,"
    " seed TEXT NOT NULL,"
    " exact INTEGER NOT NULL,"
    " source TEXT NOT NULL," /* the file of an import */
    " environment TEXT NOT NULL,"
    " error_probability REAL,"
    " distinct_positions TEXT) STRICT;" /* "1 20 400": at each ply, 0 if not known */
    "CREATE TABLE result ("
    " item INTEGER PRIMARY KEY,"
    " nodes TEXT NOT NULL," /* decimal: up to 128 bits */
    " run INTEGER NOT NULL REFERENCES run,"
    " seconds REAL,"
    " error_probability REAL," /* of items that were counted each for itself */
    " finished TEXT NOT NULL,"
    " checksum INTEGER NOT NULL) STRICT;"
    "CREATE TABLE audit ("
    " id INTEGER PRIMARY KEY,"
    " item INTEGER NOT NULL,"
    " nodes TEXT NOT NULL,"
    " kernel TEXT NOT NULL,"
    " mode TEXT NOT NULL,"
    " seed TEXT NOT NULL,"
    " run INTEGER REFERENCES run,"
    " finished TEXT NOT NULL) STRICT;"
    "CREATE INDEX audit_item ON audit (item);"
    "CREATE VIEW last_audit AS"
    " SELECT audit.item, audit.nodes, audit.kernel, audit.mode, audit.seed, audit.finished,"
    "  result.nodes AS counted, run.kernel AS counted_by,"
    "  CASE audit.nodes WHEN result.nodes THEN 'agrees' ELSE 'disagrees' END AS verdict"
    " FROM audit JOIN result ON result.item = audit.item JOIN run ON run.id = result.run"
    " WHERE audit.id IN (SELECT max(id) FROM audit GROUP BY item);"
    "CREATE VIEW finished AS"
    " SELECT result.item, position.position, plan.depth - plan.ply AS depth, result.nodes,"
    "  position.multiplicity, run.kernel, run.mode, run.seed, run.source, result.seconds,"
    "  result.finished"
    " FROM result JOIN run ON run.id = result.run JOIN plan"
    "  LEFT JOIN position ON position.item = result.item;"
    "PRAGMA application_id = " TEXT_OF(APPLICATION_ID) ";"
                                                       "PRAGMA user_version = " TEXT_OF(
                                                           PM_STORE_SCHEMA) ";";

/* ---- Opening ---- */

static void destroy(struct pm_store *store)
{
    if (store == NULL)
        return;
    sqlite3_finalize(store->insert_result);
    sqlite3_finalize(store->select_result);
    sqlite3_close(store->database);
    /* Not before the database: closing drops SQLite's own locks on the file. */
    if (store->lock >= 0)
        close(store->lock);
    pthread_mutex_destroy(&store->mutex);
    free(store->known);
    free(store->path);
    free(store);
}

static struct pm_store *new_store(const char *path, struct pm_error *error)
{
    struct pm_store *store = calloc(1, sizeof *store);
    char *copy = strdup(path);
    if (store == NULL || copy == NULL) {
        pm_fail(error, PM_ERROR_MEMORY, "out of memory for '%s'", path);
        free(copy);
        free(store);
        return NULL;
    }
    store->path = copy;
    store->lock = -1;
    pthread_mutex_init(&store->mutex, NULL);
    return store;
}

static enum pm_status fail_with_errno(const char *doing, const char *path, struct pm_error *error)
{
    return pm_fail(error, PM_ERROR_IO, "cannot %s '%s': %s", doing, path, strerror(errno));
}

/* A lock of our own, beside SQLite's: those of a writer that pauses would let a second one in. The
 * system takes it away with the process. */
static enum pm_status take_lock(struct pm_store *store, int flags, struct pm_error *error)
{
    struct flock range = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCK_BYTE, .l_len = 1};
    store->lock = open(store->path, O_RDWR | O_CLOEXEC | flags, 0666);
    if (store->lock < 0)
        return fail_with_errno("write", store->path, error);
    if (fcntl(store->lock, F_OFD_SETLK, &range) == 0)
        return PM_OK;
    if (errno == EAGAIN || errno == EACCES)
        return pm_fail(error, PM_ERROR_UNSUPPORTED,
                       "'%s' is in use: another process counts with it; --status shows how far it "
                       "is",
                       store->path);
    return fail_with_errno("lock", store->path, error);
}

static enum pm_status connect(struct pm_store *store, int flags, struct pm_error *error)
{
    const int code = sqlite3_open_v2(store->path, &store->database,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | flags, NULL);
    if (code != SQLITE_OK)
        return store->database != NULL ? pm_sql_fail(store, "open", error)
                                       : pm_fail(error, PM_ERROR_MEMORY, "out of memory");
    sqlite3_busy_timeout(store->database, 10000); /* a reader that recovers, a backup */
    return pm_sql_execute(store, "PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF", "open",
                          error);
}

static enum pm_status use_wal(struct pm_store *store, struct pm_error *error)
{
    return pm_sql_execute(store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", "write",
                          error);
}

static enum pm_status allocate_known(struct pm_store *store, struct pm_error *error)
{
    store->known = calloc((size_t)store->plan.items + 1, sizeof *store->known);
    return store->known != NULL
               ? PM_OK
               : pm_fail(error, PM_ERROR_MEMORY, "out of memory for '%s'", store->path);
}

static enum pm_status insert_plan(struct pm_store *store, struct pm_error *error)
{
    const struct pm_plan *plan = &store->plan;
    char fen[PM_FEN_SIZE], now[32];
    sqlite3_stmt *statement = NULL;
    enum pm_status status =
        pm_sql_prepare(store, "INSERT INTO plan VALUES (1, ?, ?, ?, ?, ?, ?)", &statement, error);
    if (status != PM_OK)
        return status;
    pm_sql_bind_text(statement, 1,
                     pm_fen_write(&plan->position, PM_FEN_XFEN, PM_FEN_EN_PASSANT_AS_GIVEN, fen));
    pm_sql_bind_text(statement, 2, pm_split_text(plan->split));
    sqlite3_bind_int(statement, 3, plan->depth);
    sqlite3_bind_int(statement, 4, plan->ply);
    sqlite3_bind_int64(statement, 5, plan->items);
    pm_sql_bind_text(statement, 6, pm_sql_now(now));
    return pm_sql_finish(store, statement, error);
}

static char *item_fen(const struct pm_items *items, uint32_t item, char fen[PM_FEN_SIZE])
{
    return pm_fen_write(pm_items_position(items, item), PM_FEN_XFEN, PM_FEN_EN_PASSANT_AS_GIVEN,
                        fen);
}

static enum pm_status insert_positions(struct pm_store *store, const struct pm_items *items,
                                       struct pm_error *error)
{
    char fen[PM_FEN_SIZE];
    sqlite3_stmt *statement = NULL;
    enum pm_status status =
        pm_sql_prepare(store, "INSERT INTO position VALUES (?, ?, ?, ?)", &statement, error);
    for (uint32_t item = 0; item < store->plan.items && status == PM_OK; item++) {
        const uint64_t multiplicity = pm_items_multiplicity(items, item);
        sqlite3_bind_int64(statement, 1, item);
        pm_sql_bind_text(statement, 2, item_fen(items, item, fen));
        sqlite3_bind_int64(statement, 3, (int64_t)multiplicity);
        sqlite3_bind_int64(statement, 4, pm_store_checksum(store, item, fen, multiplicity));
        status = pm_sql_run(store, statement, error);
    }
    sqlite3_finalize(statement);
    return status;
}

static enum pm_status check_empty(struct pm_store *store, struct pm_error *error)
{
    int64_t tables = 0;
    const enum pm_status status =
        pm_sql_number(store, "SELECT count(*) FROM sqlite_schema", &tables, error);
    if (status == PM_OK && tables != 0)
        return pm_fail(error, PM_ERROR_ARGUMENT, "'%s' is there already", store->path);
    return status;
}

/* In one transaction, with a rollback journal: either all is there, or the file is empty. */
static enum pm_status create(struct pm_store *store, const struct pm_items *items,
                             struct pm_error *error)
{
    enum pm_status status = connect(store, SQLITE_OPEN_CREATE, error);
    if (status == PM_OK)
        status = pm_store_begin(store, error);
    if (status == PM_OK)
        status = check_empty(store, error);
    if (status == PM_OK)
        status = pm_sql_execute(store, schema, "write", error);
    if (status == PM_OK)
        status = insert_plan(store, error);
    if (status == PM_OK && store->plan.split == PM_SPLIT_POSITIONS)
        status = insert_positions(store, items, error);
    if (status == PM_OK)
        status = pm_store_commit_locked(store, error);
    else if (store->database != NULL)
        pm_store_roll_back(store);
    return status == PM_OK ? use_wal(store, error) : status;
}

enum pm_status pm_store_create(const char *path, const struct pm_plan *plan,
                               const struct pm_items *items, struct pm_store **result,
                               struct pm_error *error)
{
    const bool is_file = strcmp(path, IN_MEMORY) != 0;
    const bool is_new = is_file && access(path, F_OK) != 0;
    struct pm_store *store = new_store(path, error);
    if (store == NULL)
        return PM_ERROR_MEMORY;
    store->plan = *plan;
    enum pm_status status = pm_store_set_plan_checksum(store, error);
    if (status == PM_OK)
        status = allocate_known(store, error);
    if (status == PM_OK && is_file)
        status = take_lock(store, O_CREAT, error);
    if (status == PM_OK) {
        status = create(store, items, error);
        if (status != PM_OK && is_new)
            unlink(path);
    }
    if (status != PM_OK) {
        destroy(store);
        return status;
    }
    *result = store;
    return PM_OK;
}

bool pm_store_exists(const char *path)
{
    sqlite3 *database = NULL;
    sqlite3_stmt *statement = NULL;
    bool is_empty = access(path, F_OK) != 0;
    if (!is_empty && strcmp(path, IN_MEMORY) != 0 &&
        sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(database, "SELECT count(*) FROM sqlite_schema", -1, &statement, NULL) ==
            SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        is_empty = sqlite3_column_int(statement, 0) == 0;
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return !is_empty;
}

static enum pm_status check_identity(struct pm_store *store, struct pm_error *error)
{
    int64_t id = 0, version = 0;
    enum pm_status status = pm_sql_number(store, "PRAGMA application_id", &id, error);
    if (status == PM_OK)
        status = pm_sql_number(store, "PRAGMA user_version", &version, error);
    if (status != PM_OK)
        return status;
    if (id != APPLICATION_ID)
        return pm_fail(error, PM_ERROR_PARSE,
                       "'%s' is no database of a deep count: its application id is %" PRId64,
                       store->path, id);
    if (version != PM_STORE_SCHEMA)
        return pm_fail(error, PM_ERROR_PARSE,
                       "'%s' has schema %" PRId64 ", this program knows %d: it was made by another "
                       "version of Plymark",
                       store->path, version, PM_STORE_SCHEMA);
    return PM_OK;
}

static enum pm_status check_integrity(struct pm_store *store, struct pm_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum pm_status status = pm_sql_query(store, "PRAGMA quick_check(1)", &statement, error);
    const char *text = pm_sql_text(statement, 0);
    if (status == PM_OK && strcmp(text, "ok") != 0) {
        const char *line_end = strrchr(text, '\n'); /* of "*** in database main ***" */
        status = pm_sql_fail_code(store->path, SQLITE_CORRUPT,
                                  line_end != NULL ? line_end + 1 : text, "read", error);
    }
    sqlite3_finalize(statement);
    return status;
}

static enum pm_status read_plan_row(struct pm_store *store, sqlite3_stmt *statement,
                                    struct pm_error *error)
{
    static const char *const names[] = {"position", "split", "depth", "ply", "items"};
    char line[PM_FEN_SIZE + 16];
    struct pm_error why;
    enum pm_status status = PM_OK;
    for (int i = 0; i < 5 && status == PM_OK; i++) {
        snprintf(line, sizeof line, "%s %.*s", names[i], PM_FEN_SIZE, pm_sql_text(statement, i));
        status = pm_plan_read_line(&store->plan, line, &why);
    }
    if (status == PM_OK)
        status = pm_plan_check(&store->plan, "its plan", &why);
    return status == PM_OK ? PM_OK
                           : pm_sql_fail_code(store->path, SQLITE_CORRUPT, why.text, "read", error);
}

static enum pm_status read_plan(struct pm_store *store, struct pm_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum pm_status status = pm_sql_prepare(
        store, "SELECT position, split, depth, ply, items FROM plan", &statement, error);
    if (status == PM_OK && sqlite3_step(statement) != SQLITE_ROW)
        status = pm_sql_fail_code(store->path, SQLITE_CORRUPT, "it has no plan", "read", error);
    if (status == PM_OK)
        status = read_plan_row(store, statement, error);
    sqlite3_finalize(statement);
    return status == PM_OK ? pm_store_set_plan_checksum(store, error) : status;
}

static enum pm_status open_file(struct pm_store *store, enum pm_store_access access,
                                struct pm_error *error)
{
    const bool writes = access == PM_STORE_WRITE;
    enum pm_status status = writes ? take_lock(store, 0, error) : PM_OK;
    if (status == PM_OK)
        status = connect(store, 0, error); /* to read, too: who closes last tidies up */
    if (status == PM_OK)
        status = check_identity(store, error);
    if (status == PM_OK)
        status = check_integrity(store, error);
    if (status == PM_OK)
        status = read_plan(store, error);
    if (status == PM_OK)
        status = allocate_known(store, error);
    if (status == PM_OK)
        status = pm_store_read_known(store, error);
    if (status == PM_OK && writes)
        status = use_wal(store, error);
    return status;
}

enum pm_status pm_store_open(const char *path, enum pm_store_access access,
                             struct pm_store **result, struct pm_error *error)
{
    struct pm_store *store = new_store(path, error);
    if (store == NULL)
        return PM_ERROR_MEMORY;
    const enum pm_status status = open_file(store, access, error);
    if (status != PM_OK) {
        destroy(store);
        return status;
    }
    *result = store;
    return PM_OK;
}

enum pm_status pm_store_close(struct pm_store *store, struct pm_error *error)
{
    const enum pm_status status = store != NULL && store->failure.status == PM_OK
                                      ? pm_store_commit_locked(store, error)
                                      : PM_OK;
    destroy(store);
    return status;
}

const struct pm_plan *pm_store_plan(const struct pm_store *store)
{
    return &store->plan;
}

/* ---- The positions that are items ---- */

static enum pm_status check_position(struct pm_store *store, sqlite3_stmt *statement,
                                     const struct pm_items *items, struct pm_error *error)
{
    char fen[PM_FEN_SIZE];
    const int64_t item = sqlite3_column_int64(statement, 0);
    const char *text = pm_sql_text(statement, 1);
    const uint64_t multiplicity = (uint64_t)sqlite3_column_int64(statement, 2);
    if (item < 0 || item >= store->plan.items ||
        sqlite3_column_int64(statement, 3) !=
            pm_store_checksum(store, (uint32_t)item, text, multiplicity))
        return pm_store_damaged(store, (uint32_t)item, "position", text, error);
    if (strcmp(text, item_fen(items, (uint32_t)item, fen)) != 0 ||
        multiplicity != pm_items_multiplicity(items, (uint32_t)item))
        return pm_fail(error, PM_ERROR_MISMATCH,
                       "'%s', item %" PRId64 ": \"%s\", reached in %" PRIu64
                       " ways, was found when it was made; now it is \"%s\", in %" PRIu64,
                       store->path, item, text, multiplicity, fen,
                       pm_items_multiplicity(items, (uint32_t)item));
    return PM_OK;
}

enum pm_status pm_store_check_items(struct pm_store *store, const struct pm_items *items,
                                    struct pm_error *error)
{
    sqlite3_stmt *statement = NULL;
    uint32_t count = 0;
    pthread_mutex_lock(&store->mutex);
    enum pm_status status = pm_sql_prepare(
        store, "SELECT item, position, multiplicity, checksum FROM position", &statement, error);
    while (pm_sql_next(store, statement, &status, error)) {
        status = check_position(store, statement, items, error);
        count++;
    }
    if (status == PM_OK && count != store->plan.items)
        status =
            pm_sql_fail_code(store->path, SQLITE_CORRUPT, "positions are missing", "read", error);
    sqlite3_finalize(statement);
    pthread_mutex_unlock(&store->mutex);
    return status;
}
