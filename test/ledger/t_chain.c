/*
 * The chain: any change of any column of any row is found, rows that differ
 * anywhere have different hashes, and a receipt reveals that a ledger is an
 * older copy.
 */
#include <sqlite3.h>

#include "ledger/chain.h"
#include "ledger/helpers.h"
#include "ledger/inside.h"
#include "support/said.h"

/* Runs SQL on the file, bypassing the ledger. */
static void
meddle(const struct place *p, const char *sql)
{
    sqlite3 *db = NULL;
    char *why = NULL;

    assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", sql, why);
    sqlite3_close(db);
}

static void
make(struct place *p, int charges, struct receipt *last)
{
    struct ledger_analyst ana = {.name = str_of("ana")};
    struct ledger_terms t = terms_of("1", "0");
    struct ledger *l;

    place_make(p);
    l = open_at(p);
    t.analysts = &ana;
    t.n_analysts = 1;
    set_terms(l, &t);
    for (int i = 0; i < charges; i++)
        assert_int_equal(
            charge_at(l, i % 2 ? "ana" : "", "0.1", 10, last, NULL), CUSTOS_OK);
    ledger_close(l);
}

/* Removes the triggers that would prevent the change. */
#define OPEN_UP "DROP TRIGGER chain_no_update; DROP TRIGGER chain_no_delete; "

static void
verify_finds_every_change(void **state)
{
    static const struct {
        const char *sql, *says;
    } cases[] = {
        {OPEN_UP "UPDATE chain SET time = 11 WHERE seq = 4", "row 4 is not"},
        {OPEN_UP "UPDATE chain SET kind = 'Charge' WHERE seq = 3", "row 3"},
        {OPEN_UP "UPDATE chain SET who = 'bo' WHERE seq = 4", "row 4 is not"},
        {OPEN_UP "UPDATE chain SET query = query || ' ' WHERE seq = 3",
         "row 3"},
        {OPEN_UP "UPDATE chain SET plan = '' WHERE seq = 3", "row 3"},
        {OPEN_UP "UPDATE chain SET theorems = 'x' WHERE seq = 3", "row 3"},
        {OPEN_UP "UPDATE chain SET words = replace(words, 'budget 1 ',"
                 " 'budget 9 ') WHERE seq = 2",
         "row 2"},
        {OPEN_UP "UPDATE chain SET epsilon = '0.01' WHERE seq = 5", "row 5"},
        {OPEN_UP "UPDATE chain SET rho = '0' WHERE seq = 5", "row 5"},
        {OPEN_UP "UPDATE chain SET delta = '0.5' WHERE seq = 5", "row 5"},
        {OPEN_UP "UPDATE chain SET delta_rho = '' WHERE seq = 5", "row 5"},
        {OPEN_UP "UPDATE chain SET delta_rho = '0.5' WHERE seq = 5", "row 5"},
        {OPEN_UP "UPDATE chain SET delta_rho = '0' WHERE seq = 2", "row 2"},
        {OPEN_UP "UPDATE chain SET data_version = 2 WHERE seq = 5", "row 5"},
        {OPEN_UP "UPDATE chain SET policy = zeroblob(32) WHERE seq = 5",
         "row 5"},
        {OPEN_UP "UPDATE chain SET policy = x'07' WHERE seq = 5", "row 5"},
        {OPEN_UP "UPDATE chain SET version = '9' WHERE seq = 5", "row 5"},
        {OPEN_UP "UPDATE chain SET hash = zeroblob(32) WHERE seq = 5", ""},
        {OPEN_UP "DELETE FROM chain WHERE seq = 3", "row 3 is missing"},
        {OPEN_UP "UPDATE chain SET seq = 60 WHERE seq = 6", ""},
        {OPEN_UP "DELETE FROM chain WHERE seq = 6", ""},
        {OPEN_UP "INSERT INTO chain SELECT 7, time, kind, who, query, plan,"
                 " theorems, words, '0', rho, delta, data_version, policy,"
                 " version, hash, delta_rho FROM chain WHERE seq = 6",
         ""},
        {"UPDATE state SET epsilon = '0.1' WHERE who = ''", "balance"},
        {"UPDATE state SET rho = '0' WHERE who = 'ana'", "balance"},
        {"UPDATE state SET delta = '1' WHERE who = ''", "balance"},
        {"UPDATE state SET delta_rho = '1' WHERE who = ''", "balance"},
        {"UPDATE state SET delta_rho = '' WHERE who = 'ana'", "balance"},
        {"UPDATE state SET charges = 1 WHERE who = ''", "balance"},
        {"UPDATE state SET mark = zeroblob(32) WHERE who = 'ana'", "balance"},
        {"DELETE FROM state WHERE who = 'ana'", "balance"},
        {"INSERT INTO state SELECT 'bo', epsilon, rho, delta, charges, seq,"
         " mark, delta_rho FROM state WHERE who = 'ana'",
         "balances"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct receipt last, head;
        custos_err err = CUSTOS_ERR_INIT;
        struct ledger *l = NULL;
        custos_status st;
        struct place p;

        make(&p, 4, &last);
        meddle(&p, cases[i].sql);
        st = ledger_open(p.path, p.lock, &l, &err);
        if (!st)
            st = ledger_verify(l, NULL, &head, &err);
        if (st != CUSTOS_ECORRUPT || !strstr(whole_said(&err), cases[i].says))
            fail_msg("%s: %d %s", cases[i].sql, (int)st, err.said);
        place_end(l, &p);
    }
}

/*
 * Nothing is charged if the balance, the last row or the terms were tampered
 * with.
 */
static void
charge_stops_at_damage(void **state)
{
    static const char *const cases[] = {
        "UPDATE state SET epsilon = '0.1' WHERE who = ''",
        "DELETE FROM state WHERE who = ''",
        OPEN_UP "DELETE FROM chain WHERE seq = 6",
        OPEN_UP "UPDATE chain SET hash = zeroblob(32) WHERE seq = 6",
        OPEN_UP "UPDATE chain SET words = replace(words, 'budget 1 ',"
                " 'budget 9 ') WHERE seq = 2",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct receipt last;
        custos_err err = CUSTOS_ERR_INIT;
        struct ledger *l;
        struct place p;

        make(&p, 4, &last);
        meddle(&p, cases[i]);
        l = open_at(&p);
        assert_int_equal(charge_at(l, "", "0.1", 9, NULL, &err),
                         CUSTOS_ECORRUPT);
        place_end(l, &p);
    }
}

/* Appends a charge of 0.1 without asking whether it is admitted. */
static custos_status
step_unasked(struct ledger *l, void *arg, custos_err *err)
{
    str who = *(const str *)arg;
    struct charge c = charge_of("0.1", "0");
    char rho[AMOUNT_TEXT_MAX];
    struct ledger_row row;
    struct sums own;
    custos_status st = budgets_load(l->db, who, &own, err);

    memset(&row, 0, sizeof row);
    amount_write(c.rho, AMOUNT_LOSS, rho);
    row.kind = str_of("charge");
    row.who = who;
    row.epsilon = str_of("0.1");
    row.rho = str_of(rho);
    row.delta = str_of("0");
    return st ? st : ledger_append(l, &row, &c, &own, err);
}

/* Rows that follow each other do not suffice: verification admits each charge
   again, to the common budget and to the analyst's own. */
static void
verify_admits_every_charge_again(void **state)
{
    static const struct {
        const char *common, *own, *who;
    } cases[] = {{"0.3", NULL, ""}, {"0.3", "9", "ana"}, {"9", "0.3", "ana"}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct ledger_analyst ana = {.name = str_of("ana")};
        struct ledger_terms t = terms_of(cases[i].common, "0");
        str who = str_of(cases[i].who);
        struct receipt head;
        custos_err err = CUSTOS_ERR_INIT;
        struct ledger *l;
        struct place p;

        l = place_begin(&p);
        if (cases[i].own) {
            ana.has_budget = true;
            ana.budget =
                (struct ledger_budget){str_of(cases[i].own), str_of("0")};
        }
        t.analysts = &ana;
        t.n_analysts = 1;
        set_terms(l, &t);
        for (int k = 0; k < 3; k++)
            assert_ok(ledger_write(l, step_unasked, &who, &err), &err);
        assert_verifies(l, NULL);
        assert_ok(ledger_write(l, step_unasked, &who, &err), &err);
        assert_int_equal(ledger_verify(l, NULL, &head, &err), CUSTOS_ECORRUPT);
        assert_non_null(strstr(whole_said(&err), "spends more"));
        place_end(l, &p);
    }
}

static void
chain_is_only_added_to(void **state)
{
    struct receipt last;
    sqlite3 *db = NULL;
    struct place p;

    (void)state;
    make(&p, 2, &last);
    assert_int_equal(sqlite3_open(p.path, &db), SQLITE_OK);
    assert_int_not_equal(
        sqlite3_exec(db, "DELETE FROM chain", NULL, NULL, NULL), SQLITE_OK);
    assert_int_not_equal(
        sqlite3_exec(db, "UPDATE chain SET who = ''", NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
    place_remove(&p);
}

/* Moving a byte from one field to the next gives another hash, and so does
   another row before. */
static void
chain_encoding_is_injective(void **state)
{
    enum { TEXTS = 11, ROWS = 4 * TEXTS + 6 };
    uint8_t hash[ROWS][LEDGER_HASH_BYTES], before[LEDGER_HASH_BYTES] = {0};
    size_t n = 0;

    (void)state;
    for (int i = 0; i < TEXTS; i++)
        for (int k = 0; k < 4; k++) {
            static const char *const texts[] = {"a", "ab", "b", "\0"};
            struct ledger_row r;
            str *fields[TEXTS] = {&r.kind,     &r.who,     &r.query,    &r.plan,
                                  &r.theorems, &r.words,   &r.epsilon,  &r.rho,
                                  &r.delta,    &r.version, &r.delta_rho};

            memset(&r, 0, sizeof r);
            *fields[i] = (str){texts[k], k == 1 ? 2 : 1};
            chain_hash(&r, before, hash[n++]);
        }
    for (int k = 0; k < 6; k++) {
        struct ledger_row r;

        memset(&r, 0, sizeof r);
        r.seq = k == 0;
        r.time = k == 1;
        r.data_version = k == 2;
        r.policy[31] = k == 3;
        before[31] = k == 4;
        chain_hash(&r, before, hash[n++]);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            assert_memory_not_equal(hash[i], hash[k], sizeof hash[i]);
}

/*
 * The hashes that /v1/openapi.json describes, of the same row without and with
 * a delta_rho, computed by another program: the first is that of formats 0 to 5
 * and must never change.
 */
static void
chain_hash_is_as_documented(void **state)
{
    static const char *const want[] = {
        "171fb41866ac76e5c2940db890ddcf60f59817dd24b6f8331ae70b42078bde57",
        "3ef0886694be970ed455e3321a2277acdc31b9ad77e52de3ec12479806d8e314"};
    struct ledger_row r = {
        .seq = 17,
        .time = -5,
        .kind = str_of("charge"),
        .who = str_of("ana"),
        .query = str_of("SELECT 1"),
        .plan = str_of("plan"),
        .theorems = str_of("laplace-discrete"),
        .epsilon = str_of("0.1"),
        .rho = str_of("0.005"),
        .delta = str_of("0.000001"),
        .data_version = 3,
        .version = str_of("0.1.0"),
    };
    uint8_t before[LEDGER_HASH_BYTES];
    char text[RECEIPT_TEXT_MAX];

    (void)state;
    memset(r.policy, 7, sizeof r.policy);
    for (uint8_t i = 0; i < sizeof before; i++)
        before[i] = i;
    r.receipt.seq = r.seq;
    for (int i = 0; i < 2; i++) {
        if (i == 1)
            r.delta_rho = str_of("0");
        chain_hash(&r, before, r.receipt.hash);
        receipt_write(&r.receipt, text);
        assert_string_equal(text + strlen("17:"), want[i]);
    }
}

/* A receipt reveals a restored backup, even after new rows were added to it. */
static void
verify_older_than_receipt(void **state)
{
    struct receipt early, late, head;
    struct ledger *l;
    custos_err err = CUSTOS_ERR_INIT;
    struct place p;
    char copy[ROOM + 32];

    (void)state;
    make(&p, 3, &early);
    snprintf(copy, sizeof copy, "%s/copy.db", p.folder);
    l = open_at(&p);
    assert_int_equal(ledger_copy(l, copy, &err), CUSTOS_OK);
    assert_int_equal(ledger_copy(l, copy, &err), CUSTOS_EIO); /* exists */
    assert_int_equal(charge_at(l, "", "0.1", 20, &late, NULL), CUSTOS_OK);
    assert_verifies(l, &early);
    assert_verifies(l, &late);
    ledger_close(l);
    assert_int_equal(ledger_open(copy, p.lock, &l, &err), CUSTOS_OK);
    assert_verifies(l, &early);
    assert_int_equal(ledger_verify(l, &late, &head, &err), CUSTOS_ENAME);
    assert_non_null(strstr(whole_said(&err), "older than this receipt"));
    assert_int_equal(charge_at(l, "", "0.1", 21, NULL, NULL), CUSTOS_OK);
    assert_int_equal(ledger_verify(l, &late, &head, &err), CUSTOS_ENAME);
    assert_non_null(strstr(whole_said(&err), "another chain"));
    assert_verifies(l, &early);
    place_end(l, &p);
}

static void
receipts_as_text(void **state)
{
    static const char *const bad[] = {
        "", ":", "1", "1:", "x:00", "-1:00", "01:00", "99999999999999999999:00",
    };
    char text[RECEIPT_TEXT_MAX], spoiled[RECEIPT_TEXT_MAX];
    struct receipt r = {.seq = UINT64_MAX}, got;

    (void)state;
    for (size_t i = 0; i < sizeof r.hash; i++)
        r.hash[i] = (uint8_t)(i * 37);
    receipt_write(&r, text);
    assert_true(receipt_read(str_of(text), &got));
    assert_memory_equal(&r.hash, &got.hash, sizeof r.hash);
    assert_true(got.seq == r.seq);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        snprintf(spoiled, sizeof spoiled, "%s", bad[i]);
        assert_false(receipt_read(str_of(spoiled), &got));
    }
    memcpy(spoiled, text, sizeof text);
    spoiled[25] = 'G';
    assert_false(receipt_read(str_of(spoiled), &got));
    assert_false(receipt_read((str){text, strlen(text) - 1}, &got));
    text[0] = '9'; /* exceeds 64 bits */
    assert_false(receipt_read(str_of(text), &got));
}

/*
 * Rows are found by analyst and by theorem; theorem names match as whole words.
 */
static void
rows_of_a_recall(void **state)
{
    arena *a = arena_new(NULL, 1 << 20);
    struct ledger_row *rows;
    struct receipt last;
    struct ledger *l;
    struct place p;
    size_t n = 100;

    (void)state;
    make(&p, 5, &last);
    l = open_at(&p);
    assert_int_equal(ledger_act(l, "import", str_of("version 2"), str_of(""),
                                30, &last, NULL),
                     CUSTOS_OK);
    assert_int_equal(
        ledger_act(l, "charge", str_of(""), str_of(""), 30, &last, NULL),
        CUSTOS_EINVAL);
    assert_int_equal(
        ledger_rows(l, 0, str_of(""), str_of(""), a, &rows, &n, NULL),
        CUSTOS_OK);
    assert_int_equal(n, 8);
    assert_true(str_equal(rows[0].kind, str_of("open")));
    assert_true(str_equal(rows[1].kind, str_of("terms")));
    assert_true(str_equal(rows[7].kind, str_of("import")));
    assert_true(str_equal(rows[7].words, str_of("version 2")));
    assert_memory_equal(rows[7].receipt.hash, last.hash, sizeof last.hash);
    assert_true(str_equal(rows[2].epsilon, str_of("0.1")));
    n = 100;
    assert_int_equal(
        ledger_rows(l, 0, str_of("ana"), str_of(""), a, &rows, &n, NULL),
        CUSTOS_OK);
    assert_int_equal(n, 2);
    n = 100;
    assert_int_equal(ledger_rows(l, 0, str_of(""), str_of("stability-count"), a,
                                 &rows, &n, NULL),
                     CUSTOS_OK);
    assert_int_equal(n, 5);
    n = 100;
    assert_int_equal(
        ledger_rows(l, 0, str_of(""), str_of("stability"), a, &rows, &n, NULL),
        CUSTOS_OK);
    assert_int_equal(n, 0);
    n = 2;
    assert_int_equal(
        ledger_rows(l, 4, str_of(""), str_of(""), a, &rows, &n, NULL),
        CUSTOS_OK);
    assert_int_equal(n, 2);
    assert_int_equal(rows[1].seq, 5);
    ledger_close(l);
    arena_free(a);
    place_remove(&p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verify_finds_every_change),
        cmocka_unit_test(charge_stops_at_damage),
        cmocka_unit_test(verify_admits_every_charge_again),
        cmocka_unit_test(chain_is_only_added_to),
        cmocka_unit_test(chain_encoding_is_injective),
        cmocka_unit_test(chain_hash_is_as_documented),
        cmocka_unit_test(verify_older_than_receipt),
        cmocka_unit_test(receipts_as_text),
        cmocka_unit_test(rows_of_a_recall),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
