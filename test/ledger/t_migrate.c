/*
 * Formats: a file of an older format is migrated without touching a row of the
 * chain, one of a newer format is rejected, and a file that is not a ledger is
 * not taken for a new ledger.
 */
#include <fcntl.h>
#include <sqlite3.h>

#include "ledger/credentials.h"
#include "ledger/helpers.h"
#include "support/said.h"

static sqlite3 *
open_raw(const struct place *p)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
    return db;
}

static void
meddle(const struct place *p, const char *sql)
{
    sqlite3 *db = open_raw(p);

    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* All columns of all rows of the chain, as one text. */
static void
dump(const struct place *p, struct buf *out)
{
    sqlite3 *db = open_raw(p);
    sqlite3_stmt *s = NULL;

    assert_int_equal(
        sqlite3_prepare_v2(db, "SELECT rowid, * FROM chain ORDER BY seq", -1,
                           &s, NULL),
        SQLITE_OK);
    while (sqlite3_step(s) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(s); i++) {
            buf_add(out, sqlite3_column_blob(s, i),
                    (size_t)sqlite3_column_bytes(s, i));
            buf_add_text(out, "|");
        }
    sqlite3_finalize(s);
    sqlite3_close(db);
}

static void
make(struct place *p, struct receipt *last)
{
    struct ledger_analyst ana = {.name = str_of("ana")};
    struct ledger_terms t = terms_of("1", "1e-6");
    struct ledger *l;

    place_make(p);
    l = open_at(p);
    t.analysts = &ana;
    t.n_analysts = 1;
    set_terms(l, &t);
    for (int i = 0; i < 6; i++)
        assert_int_equal(
            charge_at(l, i % 2 ? "ana" : "", "0.05", 5, last, NULL), CUSTOS_OK);
    ledger_close(l);
}

/* Before format 5 sizes were not counted. */
#define OLD_SIZES "DROP TABLE sizes; DROP INDEX answers_seq;"

static void
migrate_touches_no_row(void **state)
{
    struct buf before, after;
    struct receipt last;
    struct ledger *l;
    struct place p;

    (void)state;
    make(&p, &last);
    /* Format 0: the chain alone. */
    meddle(&p, OLD_SIZES
           "DROP TABLE tokens; DROP TABLE doors; DROP TABLE state; DROP "
           "TABLE answers; DROP "
           "INDEX chain_who;"
           "DROP INDEX chain_terms; DROP INDEX chain_tripwire;"
           "PRAGMA user_version = 0;");
    buf_init(&before, NULL, 1 << 20);
    buf_init(&after, NULL, 1 << 20);
    dump(&p, &before);
    l = open_at(&p);
    assert_verifies(l, &last);
    assert_balance(l, "", "0.3", "0.7");
    assert_int_equal(charge(l, "ana", "0.05"), CUSTOS_OK);
    ledger_close(l);
    dump(&p, &after);
    assert_false(before.failed || after.failed);
    assert_true(before.len > 500 && after.len > before.len);
    assert_memory_equal(before.ptr, after.ptr, before.len);
    buf_clear(&before);
    buf_clear(&after);
    place_remove(&p);
}

/* Format 1 had no credentials (table doors). */
static void
migrate_adds_doors(void **state)
{
    struct ledger_credential credential;
    struct receipt last;
    struct ledger *l;
    struct place p;

    (void)state;
    make(&p, &last);
    meddle(&p, OLD_SIZES
           "DROP TABLE tokens; DROP TABLE doors; DROP INDEX chain_tripwire;"
           "PRAGMA user_version = 1;");
    l = open_at(&p);
    assert_verifies(l, &last);
    assert_int_equal(
        ledger_credential_find(l, str_of("ana"), &credential, NULL),
        CUSTOS_ENAME);
    place_end(l, &p);
}

/* The table doors as in formats 2 and 3. */
#define OLD_DOORS                                                              \
    OLD_SIZES                                                                  \
    "DROP TABLE tokens; DROP TABLE doors;"                                     \
    "CREATE TABLE doors (name TEXT PRIMARY KEY, seq INTEGER NOT NULL"          \
    " REFERENCES chain (seq), verifier TEXT NOT NULL, token BLOB NOT "         \
    "NULL)"                                                                    \
    " STRICT; CREATE INDEX doors_token ON doors (token);"

/* Format 2 had no index of the tripwire's rows. */
static void
migrate_adds_the_tripwire(void **state)
{
    struct receipt last;
    struct ledger *l;
    struct place p;

    (void)state;
    make(&p, &last);
    meddle(&p,
           "DROP INDEX chain_tripwire;" OLD_DOORS "PRAGMA user_version = 2;");
    l = open_at(&p);
    assert_verifies(l, &last);
    assert_int_equal(charge(l, "ana", "0.05"), CUSTOS_OK);
    assert_int_equal(ledger_act(l, "failure", str_of("charge 4: engine"),
                                str_of("ana"), 9, &last, NULL),
                     CUSTOS_OK);
    assert_int_equal(charge(l, "ana", "0.05"), CUSTOS_EDENIED);
    assert_verifies(l, &last);
    place_end(l, &p);
}

/* Format 3 had one token for each name, in table doors; nothing expired. */
static void
migrate_keeps_doors(void **state)
{
    struct ledger_credential credential;
    struct ledger_token token;
    struct receipt last;
    struct ledger *l;
    struct place p;
    uint8_t hash[LEDGER_TOKEN_BYTES];

    (void)state;
    make(&p, &last);
    meddle(
        &p, OLD_DOORS
        "INSERT INTO doors VALUES ('ana', 3, 'SCRAM-1',"
        " x'abababababababababababababababababababababababababababababababab');"
        "INSERT INTO doors VALUES ('', 4, '',"
        " x'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd');"
        "PRAGMA user_version = 3;");
    l = open_at(&p);
    assert_verifies(l, &last);
    assert_int_equal(
        ledger_credential_find(l, str_of("ana"), &credential, NULL), CUSTOS_OK);
    assert_int_equal(credential.seq, 3);
    assert_string_equal(credential.verifier, "SCRAM-1");
    assert_int_equal(credential.expires, 0);
    memset(hash, 0xab, sizeof hash);
    assert_int_equal(ledger_token_find(l, hash, &token, NULL), CUSTOS_OK);
    assert_string_equal(token.name, "ana");
    assert_int_equal(token.seq, 3);
    assert_int_equal(token.expires, 0);
    assert_int_equal(token.access, LEDGER_ACCESS_FULL);
    memset(hash, 0xcd, sizeof hash);
    assert_int_equal(ledger_token_find(l, hash, &token, NULL), CUSTOS_OK);
    assert_string_equal(token.name, "");
    assert_int_equal(charge(l, "ana", "0.05"), CUSTOS_OK);
    ledger_close(l);
    l = open_at(&p); /* migrated only once */
    assert_int_equal(ledger_token_find(l, hash, &token, NULL), CUSTOS_OK);
    place_end(l, &p);
}

/* A size, read from the file itself. */
static int64_t
size_of(const struct place *p, const char *sql)
{
    sqlite3 *db = open_raw(p);
    sqlite3_stmt *s = NULL;
    int64_t n = -1;

    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
    if (sqlite3_step(s) == SQLITE_ROW)
        n = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    sqlite3_close(db);
    return n;
}

/*
 * Format 4 had no sizes: migration counts existing rows and answers like new
 * ones.
 */
static void
migrate_counts_sizes(void **state)
{
    static const char rows[] = "SELECT bytes FROM sizes WHERE what = 'rows' "
                               "AND who = 'ana'";
    static const char answers[] =
        "SELECT bytes FROM sizes WHERE what = 'answers'";
    const uint8_t key[32] = {1};
    struct receipt last;
    struct ledger *l;
    struct place p;
    int64_t was_rows, was_answers;

    (void)state;
    make(&p, &last);
    l = open_at(&p);
    assert_int_equal(post_answer(l, key, &last, str_of("12345"), NULL),
                     CUSTOS_OK);
    ledger_close(l);
    was_rows = size_of(&p, rows);
    was_answers = size_of(&p, answers);
    assert_true(was_rows > 1200 && was_answers == 165);
    meddle(&p, OLD_SIZES "PRAGMA user_version = 4;");
    l = open_at(&p);
    assert_verifies(l, &last);
    ledger_close(l);
    assert_int_equal(size_of(&p, rows), was_rows);
    assert_int_equal(size_of(&p, answers), was_answers);
    place_remove(&p);
}

/* A damaged chain of format 0 is not migrated. */
static void
migrate_stops_at_damage(void **state)
{
    struct receipt last;
    struct ledger *l;
    custos_err err = CUSTOS_ERR_INIT;
    struct place p;

    (void)state;
    make(&p, &last);
    meddle(&p, OLD_SIZES
           "DROP TABLE tokens; DROP TABLE doors; DROP TABLE state; DROP "
           "TABLE answers; DROP "
           "INDEX chain_who;"
           "DROP INDEX chain_terms; DROP TRIGGER chain_no_update;"
           "UPDATE chain SET epsilon = '0' WHERE seq = 5;"
           "PRAGMA user_version = 0;");
    assert_int_equal(ledger_open(p.path, p.lock, &l, &err), CUSTOS_ECORRUPT);
    assert_non_null(strstr(whole_said(&err), "row 5"));
    place_remove(&p);
}

static void
migrate_refuses_newer(void **state)
{
    struct receipt last;
    struct ledger *l;
    custos_err err = CUSTOS_ERR_INIT;
    struct place p;

    (void)state;
    make(&p, &last);
    meddle(&p, "PRAGMA user_version = 6");
    assert_int_equal(ledger_open(p.path, p.lock, &l, &err),
                     CUSTOS_EUNSUPPORTED);
    assert_non_null(strstr(whole_said(&err), "format 6"));
    meddle(&p, "PRAGMA user_version = 5");
    l = open_at(&p);
    assert_verifies(l, &last);
    place_end(l, &p);
}

/*
 * A file that was emptied, replaced, or deleted while its log remains never
 * becomes a new, unspent ledger.
 */
static void
migrate_refuses_what_is_no_ledger(void **state)
{
    char log[ROOM + 32];
    struct receipt last;
    struct ledger *l;
    struct place p;
    FILE *f;

    (void)state;
    make(&p, &last);
    assert_int_equal(truncate(p.path, 0), 0);
    snprintf(log, sizeof log, "%s-wal", p.path);
    unlink(log);
    assert_int_equal(ledger_open(p.path, p.lock, &l, NULL), CUSTOS_ECORRUPT);
    f = fopen(p.path, "wb");
    assert_non_null(f);
    for (int i = 0; i < 1000; i++)
        fputs("this is no ledger\n", f);
    fclose(f);
    assert_int_equal(ledger_open(p.path, p.lock, &l, NULL), CUSTOS_ECORRUPT);
    unlink(p.path);
    meddle(&p, "CREATE TABLE chain (seq INTEGER)");
    assert_int_equal(ledger_open(p.path, p.lock, &l, NULL), CUSTOS_ECORRUPT);
    place_remove(&p);

    make(&p, &last);
    snprintf(log, sizeof log, "%s-wal", p.path);
    assert_int_equal(access(log, F_OK), 0);
    unlink(p.path);
    assert_int_equal(ledger_open(p.path, p.lock, &l, NULL), CUSTOS_ECORRUPT);
    place_remove(&p);
}

/* The unfinished ledger that a killed process left behind does no harm. */
static void
migrate_makes_all_or_nothing(void **state)
{
    char half[ROOM + 32];
    struct ledger *l;
    struct stat st;
    struct place p;
    FILE *f;

    (void)state;
    place_make(&p);
    snprintf(half, sizeof half, "%s.new", p.path);
    f = fopen(half, "wb");
    assert_non_null(f);
    fputs("half", f);
    fclose(f);
    l = open_at(&p);
    assert_verifies(l, NULL);
    assert_int_not_equal(access(half, F_OK), 0);
    assert_int_equal(stat(p.path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    place_end(l, &p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(migrate_touches_no_row),
        cmocka_unit_test(migrate_adds_doors),
        cmocka_unit_test(migrate_adds_the_tripwire),
        cmocka_unit_test(migrate_keeps_doors),
        cmocka_unit_test(migrate_counts_sizes),
        cmocka_unit_test(migrate_stops_at_damage),
        cmocka_unit_test(migrate_refuses_newer),
        cmocka_unit_test(migrate_refuses_what_is_no_ledger),
        cmocka_unit_test(migrate_makes_all_or_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
