/*
 * Formats: a file of an older format is migrated without touching a row of the
 * chain, one of a newer format is rejected, and a file that is not a ledger is
 * not taken for a new ledger.
 */
#include <fcntl.h>
#include <sqlite3.h>

#include "ledger/credentials.h"
#include "ledger/helpers.h"
#include "ledger/replay.h"
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

/* All columns of all rows of the chain as in format 5, as one text. */
static void
dump(const struct place *p, struct buf *out)
{
    sqlite3 *db = open_raw(p);
    sqlite3_stmt *s = NULL;

    assert_int_equal(
        sqlite3_prepare_v2(
            db,
            "SELECT rowid, seq, time, kind, who, query, plan, theorems, words,"
            " epsilon, rho, delta, data_version, policy, version, hash FROM"
            " chain ORDER BY seq",
            -1, &s, NULL),
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

static const char NO_UPDATE[] =
    "CREATE TRIGGER chain_no_update BEFORE UPDATE ON chain BEGIN"
    " SELECT RAISE(ABORT, 'the chain is only ever added to'); END;";

static void
store_row(struct db *d, const struct ledger_row *row)
{
    struct query q;

    query_begin(&q, d,
                "UPDATE chain SET delta_rho = '', hash = ? WHERE seq = ?");
    query_put_bytes(&q, row->receipt.hash, sizeof row->receipt.hash);
    query_put_int(&q, (int64_t)row->seq);
    while (query_next(&q))
        ;
    assert_int_equal(query_end(&q, NULL), CUSTOS_OK);
}

/*
 * Makes all rows and balances what format 5 would have written: without a
 * delta_rho, in the chain and in its hashes. Sets *last to the last receipt.
 */
static void
make_old(const struct place *p, struct receipt *last)
{
    arena *a = arena_new(NULL, REPLAY_BYTES);
    struct receipt before = {0};
    struct db *d = NULL;
    struct ledger_row *rows;
    struct ledger *l = open_at(p);
    struct replay r;
    size_t n = 100;

    assert_int_equal(
        ledger_rows(l, 0, str_of(""), str_of(""), a, &rows, &n, NULL),
        CUSTOS_OK);
    ledger_close(l);
    assert_int_equal(db_open(p->path, DB_THERE, &d, NULL), CUSTOS_OK);
    assert_int_equal(db_begin(d, DB_WRITING, NULL), CUSTOS_OK);
    assert_int_equal(db_run(d, "DROP TRIGGER chain_no_update", NULL),
                     CUSTOS_OK);
    for (size_t i = 0; i < n; i++) {
        rows[i].delta_rho = (str){0};
        chain_hash(&rows[i], before.hash, rows[i].receipt.hash);
        store_row(d, &rows[i]);
        before = rows[i].receipt;
    }
    assert_int_equal(db_run(d, NO_UPDATE, NULL), CUSTOS_OK);
    assert_int_equal(replay_run(d, a, &r, NULL), CUSTOS_OK);
    for (struct tally *t = r.tallies; t; t = t->next)
        assert_int_equal(budgets_save(d, t->who, &t->sums, &t->row, NULL),
                         CUSTOS_OK);
    assert_int_equal(db_commit(d, NULL), CUSTOS_OK);
    db_close(d);
    arena_free(a);
    *last = before;
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
    make_old(p, last);
}

/* Before format 6 a charge had one delta. */
#define OLD_LANES                                                              \
    "ALTER TABLE chain DROP COLUMN delta_rho;"                                 \
    "ALTER TABLE state DROP COLUMN delta_rho;"

/* Before format 5 sizes were not counted. */
#define OLD_SIZES OLD_LANES "DROP TABLE sizes; DROP INDEX answers_seq;"

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

static custos_status
post_of(struct ledger *l, const struct charge *c, struct receipt *got)
{
    struct ledger_request r = {.who = str_of("ana"), .charge = c, .now = 5};

    memset(r.policy, 7, sizeof r.policy);
    return post_charge(l, &r, got, NULL);
}

/*
 * Format 5 had one delta for each charge. It counts in both lanes, in the stored
 * balances and when the chain is verified; new rows may have two. Rows, receipts
 * and stored answers stay as they were.
 */
static void
migrate_counts_old_deltas_in_both_lanes(void **state)
{
    struct charge c = charge_of("0.01", "2e-7"),
                  gauss = charge_of_lanes("0.01", "1e-7", "1e-5", "0"),
                  keys = charge_of_lanes("0.01", "1e-7", "1e-5", "1e-7"),
                  small = charge_of_lanes("0.01", "5e-8", "1e-5", "5e-8");
    struct ledger_spent spent;
    struct buf before, after;
    struct receipt last, got;
    struct ledger *l;
    struct place p;

    (void)state;
    make(&p, &last);
    l = open_at(&p);
    assert_int_equal(post_of(l, &c, &got), CUSTOS_OK); /* of 2.5e-7 */
    ledger_close(l);
    make_old(&p, &last);
    meddle(&p, OLD_LANES "PRAGMA user_version = 5;");
    buf_init(&before, NULL, 1 << 20);
    buf_init(&after, NULL, 1 << 20);
    dump(&p, &before);
    l = open_at(&p);
    assert_verifies(l, &last);
    for (int own = 0; own < 2; own++) {
        assert_int_equal(
            ledger_spent(l, str_of(own ? "ana" : ""), &spent, NULL), CUSTOS_OK);
        assert_string_equal(spent.delta, "0.0000002");
        assert_string_equal(spent.delta_rho, "0.0000002");
    }
    assert_int_equal(post_of(l, &keys, &got), CUSTOS_ESPENT);
    assert_int_equal(post_of(l, &gauss, &got), CUSTOS_OK);
    assert_int_equal(post_of(l, &small, &got), CUSTOS_OK);
    assert_int_equal(post_of(l, &small, &got), CUSTOS_ESPENT);
    assert_int_equal(ledger_spent(l, str_of(""), &spent, NULL), CUSTOS_OK);
    assert_string_equal(spent.delta, "0.00000035");
    assert_string_equal(spent.delta_rho, "0.00000025");
    assert_verifies(l, &last);
    ledger_close(l);
    dump(&p, &after);
    assert_true(after.len > before.len);
    assert_memory_equal(before.ptr, after.ptr, before.len);
    buf_clear(&before);
    buf_clear(&after);
    place_remove(&p);
}

/* Migration does not repair a balance that does not match its mark. */
static void
migrate_keeps_marks(void **state)
{
    struct receipt last;
    struct ledger *l;
    struct place p;

    (void)state;
    make(&p, &last);
    meddle(&p, OLD_LANES "UPDATE state SET delta = '0.1' WHERE who = 'ana';"
                         "PRAGMA user_version = 5;");
    l = open_at(&p);
    assert_int_equal(charge(l, "ana", "0.05"), CUSTOS_ECORRUPT);
    assert_int_equal(ledger_verify(l, NULL, &last, NULL), CUSTOS_ECORRUPT);
    place_end(l, &p);
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
    meddle(&p, "PRAGMA user_version = 7");
    assert_int_equal(ledger_open(p.path, p.lock, &l, &err),
                     CUSTOS_EUNSUPPORTED);
    assert_non_null(strstr(whole_said(&err), "format 7"));
    meddle(&p, "PRAGMA user_version = 6");
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
        cmocka_unit_test(migrate_counts_old_deltas_in_both_lanes),
        cmocka_unit_test(migrate_keeps_marks),
        cmocka_unit_test(migrate_stops_at_damage),
        cmocka_unit_test(migrate_refuses_newer),
        cmocka_unit_test(migrate_refuses_what_is_no_ledger),
        cmocka_unit_test(migrate_makes_all_or_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
