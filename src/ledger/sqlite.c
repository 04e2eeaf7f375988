/*
 * SQLite, configured so that what is committed survives a power cut.
 *
 *   synchronous=FULL       the log is synced before a commit returns
 *   psow=0                 a torn sector may damage its neighbours, so commits
 *                          are padded to whole sectors
 *   wal_autocheckpoint=0, NO_CKPT_ON_CLOSE: SQLite does not checkpoint by
 *                          itself, since checkpoints must hold the lock
 *   defensive, cell_size_check, trusted_schema=OFF: the file may be damaged
 */
#include "ledger/sqlite.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/base.h"
#include "base/error.h"

enum {
    STATEMENTS_MAX = 80,
    BUSY_WAIT_MS = 10000,
    URI_MAX = 3 * 4096 + 32,
};

struct db {
    custos_alloc alloc;
    sqlite3 *handle;
    int log_pages;
    struct {
        const char *sql;
        sqlite3_stmt *statement;
    } prepared[STATEMENTS_MAX];
    size_t n_prepared;
};

/* --------------------------------------------------------------- errors -- */

static custos_status
fail_code(sqlite3 *handle, int code, custos_err *err)
{
    custos_status st;

    switch (code & 0xff) {
    case SQLITE_FULL:
        st = custos_fail(err, CUSTOS_EIO,
                         "the disk is full: the ledger cannot be written, and "
                         "no private query is answered" HINT "free some space");
        break;
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        st = custos_fail(err, CUSTOS_EIO,
                         "the ledger cannot be opened for writing" HINT
                         "check that the store is not read-only and that you "
                         "own it");
        break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
        st = custos_fail(err, CUSTOS_ECORRUPT,
                         "the ledger is damaged: its pages are not those of a "
                         "ledger" HINT "restore a backup");
        break;
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
        st = custos_fail(err, CUSTOS_ECORRUPT,
                         "the ledger is damaged: a row contradicts another" HINT
                         "restore a backup");
        break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        st = custos_fail(err, CUSTOS_EBUSY,
                         "the ledger is in use by another process" HINT
                         "try again");
        break;
    case SQLITE_NOMEM:
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        break;
    case SQLITE_IOERR:
        st = custos_fail(err, CUSTOS_EIO,
                         "the disk failed while the ledger was read or "
                         "written");
        break;
    default:
        st = custos_fail(err, CUSTOS_EINTERNAL, "the ledger could not be used");
        break;
    }
    custos_note(err, "SQLite %d: %s", code,
                handle ? sqlite3_errmsg(handle) : sqlite3_errstr(code));
    return st;
}

static custos_status
status_of(struct db *d, int code, custos_err *err)
{
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW)
        return CUSTOS_OK;
    return fail_code(d->handle, code, err);
}

/* -------------------------------------------------------------- opening -- */

/* Writes "file:/a%20b?psow=0": every byte that is not in `plain` is escaped. */
static bool
uri_write(const char *path, char uri[URI_MAX])
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";
    size_t len = (size_t)snprintf(uri, URI_MAX, "file:");

    for (const char *p = path; *p; p++) {
        if (len + 16 > URI_MAX)
            return false;
        if (strchr(plain, *p))
            uri[len++] = *p;
        else
            len += (size_t)snprintf(uri + len, URI_MAX - len, "%%%02X",
                                    (unsigned)(unsigned char)*p);
    }
    snprintf(uri + len, URI_MAX - len, "?psow=0");
    return true;
}

static int
remember_log(void *db, sqlite3 *handle, const char *name, int pages)
{
    struct db *d = db;

    (void)handle;
    (void)name;
    d->log_pages = pages;
    return SQLITE_OK;
}

static int
set_up(struct db *d)
{
    static const char pragmas[] = "PRAGMA synchronous=FULL;"
                                  "PRAGMA fullfsync=1;"
                                  "PRAGMA checkpoint_fullfsync=1;"
                                  "PRAGMA foreign_keys=ON;"
                                  "PRAGMA cell_size_check=ON;"
                                  "PRAGMA trusted_schema=OFF;"
                                  "PRAGMA wal_autocheckpoint=0;";
    sqlite3 *h = d->handle;
    int code;

    sqlite3_extended_result_codes(h, 1);
    sqlite3_busy_timeout(h, BUSY_WAIT_MS);
    sqlite3_db_config(h, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_db_config(h, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    code = sqlite3_exec(h, pragmas, NULL, NULL, NULL);
    sqlite3_wal_hook(h, remember_log, d); /* after the pragma, which would
                                             remove it */
    return code;
}

/* Sets WAL mode, and checks that SQLite accepted it. */
static int
check_mode(struct db *d)
{
    sqlite3_stmt *s = NULL;
    int code =
        sqlite3_prepare_v2(d->handle, "PRAGMA journal_mode=WAL", -1, &s, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_step(s);
    if (code == SQLITE_ROW)
        code = strcmp((const char *)sqlite3_column_text(s, 0), "wal") == 0
                   ? SQLITE_OK
                   : SQLITE_CANTOPEN;
    sqlite3_finalize(s);
    return code;
}

custos_status
db_open(const char *path, enum db_opening how, struct db **out, custos_err *err)
{
    custos_alloc hooks = alloc_or_default(NULL);
    int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
                SQLITE_OPEN_PRIVATECACHE |
                (how == DB_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
    char uri[URI_MAX];
    custos_status st;
    struct db *d;
    int code;

    if (!uri_write(path, uri))
        return custos_fail(err, CUSTOS_EINVAL,
                           "the path of the ledger is too long");
    d = alloc_take(&hooks, 1, sizeof *d);
    if (!d)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    d->alloc = hooks;
    code = sqlite3_open_v2(uri, &d->handle, flags, NULL);
    if (code == SQLITE_OK)
        code = set_up(d);
    if (code == SQLITE_OK && how == DB_THERE)
        code = check_mode(d);
    st = status_of(d, code, err);
    if (st)
        db_close(d);
    else
        *out = d;
    return st;
}

void
db_close(struct db *d)
{
    custos_alloc hooks;

    if (!d)
        return;
    for (size_t i = 0; i < d->n_prepared; i++)
        sqlite3_finalize(d->prepared[i].statement);
    sqlite3_close(d->handle);
    hooks = d->alloc;
    alloc_give(&hooks, d, 1, sizeof *d);
}

custos_status
db_run(struct db *d, const char *sql, custos_err *err)
{
    return status_of(d, sqlite3_exec(d->handle, sql, NULL, NULL, NULL), err);
}

/* ---------------------------------------------------------- maintenance -- */

int64_t
db_changes(const struct db *d)
{
    return sqlite3_total_changes64(d->handle);
}

int
db_log_pages(const struct db *d)
{
    return d->log_pages;
}

custos_status
db_checkpoint(struct db *d, enum db_checkpoint how, custos_err *err)
{
    int mode = how == DB_EMPTY_LOG ? SQLITE_CHECKPOINT_TRUNCATE
                                   : SQLITE_CHECKPOINT_PASSIVE;
    int code = sqlite3_wal_checkpoint_v2(d->handle, NULL, mode, NULL, NULL);

    if (code == SQLITE_OK)
        d->log_pages = 0;
    return status_of(d, code, err);
}

custos_status
db_check(struct db *d, custos_err *err)
{
    sqlite3_stmt *s = NULL;
    int code =
        sqlite3_prepare_v2(d->handle, "PRAGMA integrity_check", -1, &s, NULL);
    custos_status st = CUSTOS_OK;

    if (code == SQLITE_OK)
        code = sqlite3_step(s);
    if (code == SQLITE_ROW) {
        const char *said = (const char *)sqlite3_column_text(s, 0);

        if (!said || strcmp(said, "ok") != 0) {
            st = fail_code(NULL, SQLITE_CORRUPT, err);
            custos_note(err, "integrity_check: %s", said ? said : "");
        }
    } else {
        st = status_of(d, code, err);
    }
    sqlite3_finalize(s);
    return st;
}

custos_status
db_copy(struct db *d, const char *path, custos_err *err)
{
    sqlite3_backup *backup = NULL;
    struct db *to = NULL;
    custos_status st = db_open(path, DB_NEW, &to, err);
    int code = SQLITE_OK;

    if (st)
        return st;
    backup = sqlite3_backup_init(to->handle, "main", d->handle, "main");
    if (backup) {
        sqlite3_backup_step(backup, -1);
        code = sqlite3_backup_finish(backup);
    } else {
        code = sqlite3_errcode(to->handle);
    }
    st = status_of(to, code, err);
    db_close(to);
    return st;
}

/* -------------------------------------------------------------- queries -- */

/* Finds a prepared statement by the address of its literal, so that each is
   prepared once. */
static sqlite3_stmt *
statement_for(struct db *d, const char *sql, int *code)
{
    sqlite3_stmt *s = NULL;

    for (size_t i = 0; i < d->n_prepared; i++)
        if (d->prepared[i].sql == sql)
            return d->prepared[i].statement;
    CUSTOS_REQUIRE(d->n_prepared < STATEMENTS_MAX);
    *code = sqlite3_prepare_v3(d->handle, sql, -1, SQLITE_PREPARE_PERSISTENT,
                               &s, NULL);
    if (*code == SQLITE_OK) {
        d->prepared[d->n_prepared].sql = sql;
        d->prepared[d->n_prepared++].statement = s;
    }
    return s;
}

void
query_begin(struct query *q, struct db *d, const char *sql)
{
    q->db = d;
    q->code = SQLITE_OK;
    q->put = 0;
    q->statement = statement_for(d, sql, &q->code);
    if (q->code == SQLITE_OK)
        sqlite3_reset(q->statement);
}

void
query_put_int(struct query *q, int64_t x)
{
    if (q->code == SQLITE_OK)
        q->code = sqlite3_bind_int64(q->statement, ++q->put, x);
}

void
query_put_text(struct query *q, str text)
{
    if (q->code == SQLITE_OK)
        q->code = sqlite3_bind_text64(q->statement, ++q->put,
                                      text.len ? text.ptr : "", text.len,
                                      SQLITE_STATIC, SQLITE_UTF8);
}

void
query_put_bytes(struct query *q, const void *ptr, size_t len)
{
    if (q->code == SQLITE_OK)
        q->code = sqlite3_bind_blob64(q->statement, ++q->put, len ? ptr : "",
                                      len, SQLITE_STATIC);
}

bool
query_next(struct query *q)
{
    int code;

    if (q->code != SQLITE_OK)
        return false;
    code = sqlite3_step(q->statement);
    if (code == SQLITE_ROW)
        return true;
    if (code != SQLITE_DONE)
        q->code = code;
    return false;
}

int64_t
query_int(struct query *q, int column)
{
    return sqlite3_column_int64(q->statement, column);
}

str
query_bytes(struct query *q, int column)
{
    const void *ptr = sqlite3_column_blob(q->statement, column);
    int len = sqlite3_column_bytes(q->statement, column);

    return ptr ? (str){ptr, (size_t)len} : (str){"", 0};
}

bool
query_fixed(struct query *q, int column, void *out, size_t len)
{
    str bytes = query_bytes(q, column);

    if (bytes.len != len)
        return false;
    memcpy(out, bytes.ptr, len);
    return true;
}

custos_status
query_end(struct query *q, custos_err *err)
{
    custos_status st = status_of(q->db, q->code, err);

    if (q->statement) {
        sqlite3_reset(q->statement);
        sqlite3_clear_bindings(q->statement);
    }
    return st;
}

/* --------------------------------------------------------- transactions -- */

/* Every charge has two transactions and every question one, so that these too
   are prepared once. */
static custos_status
run_prepared(struct db *d, const char *sql, custos_err *err)
{
    struct query q;

    query_begin(&q, d, sql);
    (void)query_next(&q);
    return query_end(&q, err);
}

custos_status
db_begin(struct db *d, enum db_transaction how, custos_err *err)
{
    return how == DB_WRITING ? run_prepared(d, "BEGIN IMMEDIATE", err)
                             : run_prepared(d, "BEGIN", err);
}

custos_status
db_commit(struct db *d, custos_err *err)
{
    return run_prepared(d, "COMMIT", err);
}

void
db_rollback(struct db *d)
{
    if (!sqlite3_get_autocommit(d->handle))
        (void)run_prepared(d, "ROLLBACK", NULL);
}
