/*
 * The file's format. A new ledger is created under another name and renamed, so
 * that an existing file is always complete. The file is recognised by its
 * application id and format number. Older formats are migrated without touching
 * a row of the chain.
 *
 * Format 0 had only the chain. Format 1 added balances, which the migration
 * computes from the chain, and cached answers, which may be missing. Format 2
 * added credentials (table doors). Later format numbers exist so that older
 * programs refuse the file. Format 3 added an index for the rows of the
 * tripwire (older programs would charge a suspended analyst), format 4 a table
 * for tokens, and expiry (they would accept expired credentials), format 5 the
 * sizes of answers and of analysts' rows (they would not count them), format 6
 * the delta up to which rho holds (they would count the other one, and find the
 * hashes of rows that have it wrong).
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "ledger/inside.h"
#include "ledger/lock.h"
#include "ledger/replay.h"

enum { PATH_ROOM = 4200, APPLICATION = 0x43557374 };

static const char CHAIN[] =
    "CREATE TABLE chain (seq INTEGER PRIMARY KEY, time INTEGER NOT NULL,"
    " kind TEXT NOT NULL, who TEXT NOT NULL, query TEXT NOT NULL,"
    " plan TEXT NOT NULL, theorems TEXT NOT NULL, words TEXT NOT NULL,"
    " epsilon TEXT NOT NULL, rho TEXT NOT NULL, delta TEXT NOT NULL,"
    " data_version INTEGER NOT NULL, policy BLOB NOT NULL,"
    " version TEXT NOT NULL, hash BLOB NOT NULL) STRICT;"
    "CREATE TRIGGER chain_no_update BEFORE UPDATE ON chain BEGIN"
    " SELECT RAISE(ABORT, 'the chain is only ever added to'); END;"
    "CREATE TRIGGER chain_no_delete BEFORE DELETE ON chain BEGIN"
    " SELECT RAISE(ABORT, 'the chain is only ever added to'); END;"
    "PRAGMA application_id = 0x43557374;";

static const char BESIDE[] =
    "CREATE INDEX chain_who ON chain (who, time) WHERE kind = 'charge';"
    "CREATE INDEX chain_terms ON chain (seq) WHERE kind = 'terms';"
    "CREATE TABLE state (who TEXT PRIMARY KEY, epsilon TEXT NOT NULL,"
    " rho TEXT NOT NULL, delta TEXT NOT NULL, charges INTEGER NOT NULL,"
    " seq INTEGER NOT NULL REFERENCES chain (seq), mark BLOB NOT NULL) STRICT;"
    "CREATE TABLE answers (key BLOB PRIMARY KEY,"
    " seq INTEGER NOT NULL REFERENCES chain (seq), answer BLOB NOT NULL,"
    " mark BLOB NOT NULL) STRICT;";

static const char DOORS[] =
    "CREATE TABLE doors (name TEXT PRIMARY KEY,"
    " seq INTEGER NOT NULL REFERENCES chain (seq), verifier TEXT NOT NULL,"
    " token BLOB NOT NULL) STRICT;"
    "CREATE INDEX doors_token ON doors (token);";

static const char TRIPWIRE[] =
    "CREATE INDEX chain_tripwire ON chain (kind, who, seq)"
    " WHERE kind IN ('failure', 'overrun', 'resume');";

/* Migrates the table doors as format 2 made it; a new file runs this too. */
static const char TOKENS[] =
    "CREATE TABLE tokens (hash BLOB PRIMARY KEY, name TEXT NOT NULL,"
    " access INTEGER NOT NULL, seq INTEGER NOT NULL REFERENCES chain (seq),"
    " expires INTEGER NOT NULL) STRICT;"
    "CREATE INDEX tokens_name ON tokens (name, access, seq);"
    "INSERT OR IGNORE INTO tokens SELECT token, name, 0, seq, 0 FROM doors;"
    "DROP INDEX doors_token;"
    "ALTER TABLE doors DROP COLUMN token;"
    "ALTER TABLE doors ADD COLUMN expires INTEGER NOT NULL DEFAULT 0;";

/* Computes the sizes of what is already stored; sizes.c updates them later. */
static const char SIZES[] =
    "CREATE TABLE sizes (what TEXT NOT NULL, who TEXT NOT NULL,"
    " bytes INTEGER NOT NULL, PRIMARY KEY (what, who)) STRICT;"
    "CREATE INDEX answers_seq ON answers (seq);"
    "INSERT INTO sizes SELECT 'answers', '', sum(160 + length(answer))"
    " FROM answers HAVING count(*) > 0;"
    "INSERT INTO sizes SELECT 'rows', who, sum(400 + length(query) +"
    " length(plan) + length(theorems)) FROM chain WHERE kind = 'charge' AND"
    " who <> '' GROUP BY who;";

/* Rows and balances of earlier formats have one delta, which counts in both
   lanes: an empty text in a row, and two equal sums in a balance. */
static const char LANES[] =
    "ALTER TABLE chain ADD COLUMN delta_rho TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE state ADD COLUMN delta_rho TEXT NOT NULL DEFAULT '';"
    "UPDATE state SET delta_rho = delta;";

static const char FORMAT[] = "PRAGMA user_version = 6;";

/* --------------------------------------------------------------- making -- */

static void
remove_all(const char *path)
{
    static const char *const ends[] = {"", "-journal", "-wal", "-shm"};
    char name[PATH_ROOM];

    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        unlink(name);
    }
}

static custos_status
create_tables(const char *path, custos_err *err)
{
    struct db *d = NULL;
    custos_status st = db_open(path, DB_NEW, &d, err);

    if (!st)
        st = db_begin(d, DB_WRITING, err);
    if (!st)
        st = db_run(d, CHAIN, err);
    if (!st)
        st = db_run(d, BESIDE, err);
    if (!st)
        st = db_run(d, LANES, err);
    if (!st)
        st = db_run(d, DOORS, err);
    if (!st)
        st = db_run(d, TRIPWIRE, err);
    if (!st)
        st = db_run(d, TOKENS, err);
    if (!st)
        st = db_run(d, SIZES, err);
    if (!st)
        st = db_run(d, FORMAT, err);
    if (!st)
        st = db_commit(d, err);
    if (!st)
        st = db_run(d, "PRAGMA journal_mode=WAL", err);
    if (!st)
        st = db_checkpoint(d, DB_EMPTY_LOG, err);
    db_close(d);
    return st;
}

custos_status
ledger_make(const char *path, custos_err *err)
{
    char half[PATH_ROOM], log[PATH_ROOM];
    custos_status st;

    static_assert(LEDGER_FORMAT == 6, "FORMAT writes the number");
    snprintf(log, sizeof log, "%s-wal", path);
    if (access(log, F_OK) == 0)
        return custos_fail(err, CUSTOS_ECORRUPT,
                           "the ledger is damaged: its log exists but its file "
                           "does not" HINT "restore a backup");
    snprintf(half, sizeof half, "%s.new", path);
    remove_all(half);
    st = file_make(half, err);
    if (!st)
        st = create_tables(half, err);
    if (!st && rename(half, path) != 0)
        st = custos_fail(err, CUSTOS_EIO,
                         "the ledger's new file cannot be renamed");
    if (!st)
        st = folder_sync(path, err);
    remove_all(half); /* after a success too: removes the log, which is empty */
    return st;
}

/* ------------------------------------------------------------ migrating -- */

static custos_status
read_number(struct db *d, const char *sql, int64_t *out, custos_err *err)
{
    struct query q;

    query_begin(&q, d, sql);
    *out = query_next(&q) ? query_int(&q, 0) : 0;
    return query_end(&q, err);
}

/* From format 0: computes the balances from the chain. */
static custos_status
add_up(struct db *d, custos_err *err)
{
    arena *a = arena_new(NULL, REPLAY_BYTES);
    struct replay r;
    custos_status st;

    if (!a)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    memset(&r, 0, sizeof r);
    st = replay_run(d, a, &r, err);
    for (struct tally *t = r.tallies; !st && t; t = t->next)
        st = budgets_save(d, t->who, &t->sums, &t->row, err);
    arena_free(a);
    return st;
}

static custos_status
migrate_from(int64_t format, struct db *d, custos_err *err)
{
    custos_status st = db_begin(d, DB_WRITING, err);

    if (!st && format == 0)
        st = db_run(d, BESIDE, err);
    if (!st)
        st = db_run(d, LANES, err);
    if (!st && format == 0)
        st = add_up(d, err);
    if (!st && format < 2)
        st = db_run(d, DOORS, err);
    if (!st && format < 3)
        st = db_run(d, TRIPWIRE, err);
    if (!st && format < 4)
        st = db_run(d, TOKENS, err);
    if (!st && format < 5)
        st = db_run(d, SIZES, err);
    if (!st)
        st = db_run(d, FORMAT, err);
    if (!st)
        st = db_commit(d, err);
    if (st)
        db_rollback(d);
    return st;
}

custos_status
ledger_migrate(struct db *d, custos_err *err)
{
    int64_t application = 0, format = 0;
    custos_status st =
        read_number(d, "SELECT application_id FROM pragma_application_id",
                    &application, err);

    if (!st)
        st = read_number(d, "SELECT user_version FROM pragma_user_version",
                         &format, err);
    if (st)
        return st;
    if (application != APPLICATION)
        return custos_fail(err, CUSTOS_ECORRUPT,
                           "the ledger's file is not a ledger");
    if (format >= 0 && format < LEDGER_FORMAT)
        return migrate_from(format, d, err);
    if (format != LEDGER_FORMAT)
        return custos_fail(err, CUSTOS_EUNSUPPORTED,
                           "the ledger has format %" PRId64 ", this custos "
                           "knows formats up to %d" HINT "use a newer custos",
                           format, (int)LEDGER_FORMAT);
    return CUSTOS_OK;
}
