/*
 * The history of spending: exact at every point, in one currency, thinned to at
 * most a given number of points, the first and the last among them. Also
 * verification that continues from a receipt.
 */
#include <sqlite3.h>
#include <string.h>

#include "ledger/helpers.h"
#include "support/said.h"

enum { MEMORY = 1 << 24 };

static struct ledger_history
history_of(struct ledger *l, const char *who, size_t most, arena *a)
{
    struct ledger_history h;
    custos_err err = CUSTOS_ERR_INIT;

    assert_ok(ledger_history(l, str_of(who), most, a, &h, &err), &err);
    assert_true(h.n <= most);
    return h;
}

static void
assert_point(const struct ledger_history *h, size_t i, uint64_t seq,
             int64_t time, const char *spent)
{
    assert_true(i < h->n);
    assert_int_equal(h->points[i].seq, seq);
    assert_int_equal(h->points[i].time, time);
    assert_string_equal(h->points[i].spent, spent);
}

/* Makes n charges in one group. The first charge of a ledger is its row 3. */
static void
charge_many(struct ledger *l, size_t n, const char *epsilon)
{
    struct ledger_job *jobs = calloc(n, sizeof *jobs);
    struct ledger_request r;
    struct charge c;

    assert_non_null(jobs);
    request_of(&r, &c, "", epsilon, 5000);
    for (size_t i = 0; i < n; i++)
        jobs[i] = (struct ledger_job){.kind = LEDGER_CHARGE,
                                      .request = &r,
                                      .next = i + 1 < n ? &jobs[i + 1] : NULL};
    ledger_post(l, jobs);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(jobs[i].status, CUSTOS_OK);
    free(jobs);
}

/* The points of a thinned history are points of the full one. */
static void
history_is_thinned_evenly(void **state)
{
    struct ledger_terms t = terms_of("1000", "0");
    arena *a = arena_new(NULL, MEMORY);
    struct place p;
    struct ledger *l;

    (void)state;
    l = place_begin(&p);
    set_terms(l, &t);
    assert_int_equal(history_of(l, "", 2, a).n, 0);
    for (size_t n = 1; n <= 130; n += n < 20 ? 1 : 37) {
        struct ledger_history all;

        charge_many(l, n < 20 || n == 20 ? 1 : 37, "0.1");
        all = history_of(l, "", 1000, a);
        for (size_t most = 2; most < 40; most++) {
            struct ledger_history h = history_of(l, "", most, a);
            uint64_t step = h.n > 2 ? h.points[1].seq - h.points[0].seq : 1;

            assert_true(all.n <= most ? h.n == all.n : h.n * 2 >= most);
            assert_int_equal(h.points[0].seq, 3);
            assert_int_equal(h.points[h.n - 1].seq, all.points[all.n - 1].seq);
            for (size_t i = 0; i < h.n; i++) {
                size_t at = (size_t)h.points[i].seq - 3;

                assert_true(i + 1 == h.n || at == i * step);
                assert_point(&h, i, all.points[at].seq, 5000,
                             all.points[at].spent);
            }
        }
    }
    place_end(l, &p);
    arena_free(a);
}

static void
history_adds_exactly(void **state)
{
    struct ledger_terms t = terms_of("1", "0");
    arena *a = arena_new(NULL, MEMORY);
    struct ledger_history h;
    struct place p;
    struct ledger *l;

    (void)state;
    l = place_begin(&p);
    set_terms(l, &t);
    for (int i = 0; i < 10; i++)
        assert_int_equal(charge_at(l, "", "0.1", 10 + i, NULL, NULL), 0);
    assert_int_equal(charge(l, "", "0.1"), CUSTOS_ESPENT);
    h = history_of(l, "", 400, a);
    assert_int_equal(h.n, 10);
    assert_point(&h, 0, 3, 10, "0.1");
    assert_point(&h, 2, 5, 12, "0.3");
    assert_point(&h, 9, 12, 19, "1");
    assert_string_equal(h.limit, "1");
    /* The limit is the current one. */
    t.budget.epsilon = str_of("2.5");
    set_terms(l, &t);
    h = history_of(l, "", 400, a);
    assert_string_equal(h.limit, "2.5");
    assert_int_equal(h.n, 10);
    place_end(l, &p);
    arena_free(a);
}

/* A shared answer counts only for the later asker, not in the common sum. */
static void
history_counts_shared_answers_once(void **state)
{
    struct ledger_analyst who[] = {{.name = str_of("ana")},
                                   {.name = str_of("bo")}};
    struct ledger_terms t = terms_of("3", "0");
    arena *a = arena_new(NULL, MEMORY);
    struct ledger_request r;
    struct ledger_history h;
    struct receipt receipt;
    custos_err err = CUSTOS_ERR_INIT;
    struct charge c;
    struct place p;
    struct ledger *l;

    (void)state;
    l = place_begin(&p);
    who[1].has_budget = true;
    who[1].budget = (struct ledger_budget){str_of("2"), str_of("0")};
    t.analysts = who;
    t.n_analysts = COUNT_OF(who);
    set_terms(l, &t);
    assert_int_equal(charge_at(l, "ana", "0.5", 10, NULL, NULL), 0);
    request_of(&r, &c, "bo", "0.5", 11);
    r.shared = true;
    assert_ok(post_charge(l, &r, &receipt, &err), &err);
    assert_int_equal(charge_at(l, "bo", "0.25", 12, NULL, NULL), 0);
    h = history_of(l, "", 400, a);
    assert_int_equal(h.n, 2);
    assert_point(&h, 0, 3, 10, "0.5");
    assert_point(&h, 1, 5, 12, "0.75");
    h = history_of(l, "bo", 400, a);
    assert_int_equal(h.n, 2);
    assert_point(&h, 0, 4, 11, "0.5");
    assert_point(&h, 1, 5, 12, "0.75");
    assert_true(h.limited);
    assert_string_equal(h.limit, "2");
    h = history_of(l, "ana", 400, a);
    assert_int_equal(h.n, 1);
    assert_false(h.limited);
    assert_string_equal(h.currency, "epsilon");
    assert_int_equal(ledger_history(l, str_of("nobody"), 400, a, &h, &err),
                     CUSTOS_ENAME);
    place_end(l, &p);
    arena_free(a);
}

/* All points are in one currency, the one in which the balance is given. */
static void
history_has_one_currency(void **state)
{
    struct ledger_analyst ana = {.name = str_of("ana")};
    struct ledger_terms t = terms_of("1", "1e-6");
    arena *a = arena_new(NULL, MEMORY);
    struct ledger_request r;
    struct ledger_balance b;
    struct ledger_history h;
    struct receipt receipt;
    custos_err err = CUSTOS_ERR_INIT;
    struct charge c;
    struct place p;
    struct ledger *l;

    (void)state;
    l = place_begin(&p);
    t.analysts = &ana;
    t.n_analysts = 1;
    set_terms(l, &t);
    charge_many(l, 100, "0.01");
    assert_string_equal(history_of(l, "", 400, a).currency, "epsilon");
    charge_many(l, 1, "0.01");
    h = history_of(l, "", 400, a);
    assert_int_equal(ledger_balance(l, str_of(""), &b, &err), CUSTOS_OK);
    assert_string_equal(h.currency, "rho");
    assert_string_equal(h.limit, b.facts.limit);
    assert_string_equal(h.points[h.n - 1].spent, b.facts.spent);
    assert_true(strtod(h.points[0].spent, NULL) < 0.0001);
    /*
     * Gaussian noise has no epsilon: an analyst without a budget of their own
     * sees rho.
     */
    request_of(&r, &c, "ana", "0.001", 6000);
    c = charge_of_rho("0.0001");
    assert_ok(post_charge(l, &r, &receipt, &err), &err);
    h = history_of(l, "ana", 400, a);
    assert_string_equal(h.currency, "rho");
    assert_false(h.limited);
    assert_point(&h, 0, 104, 6000, "0.0001");
    place_end(l, &p);
    arena_free(a);
}

static void
meddle(const struct place *p, const char *sql)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* Rows before the receipt's are not checked again; all later ones are. */
static void
verify_goes_on_from_a_receipt(void **state)
{
    static const struct {
        const char *sql;
        custos_status status;
        const char *says;
    } cases[] = {
        {"SELECT 1", CUSTOS_OK, ""},
        {"UPDATE chain SET query = '' WHERE seq = 4", CUSTOS_OK, ""},
        {"UPDATE chain SET query = '' WHERE seq = 6", CUSTOS_ECORRUPT,
         "row 6 is not"},
        {"UPDATE chain SET query = '' WHERE seq = 7", CUSTOS_ECORRUPT,
         "row 7 is not"},
        {"DELETE FROM chain WHERE seq = 6", CUSTOS_ECORRUPT,
         "row 6 is missing"},
        {"UPDATE chain SET hash = zeroblob(32) WHERE seq = 5", CUSTOS_ENAME,
         "another chain"},
        {"DELETE FROM chain WHERE seq > 4", CUSTOS_ENAME, "older"},
    };
    struct ledger_terms t = terms_of("1", "0");

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct receipt from, last, head;
        custos_err err = CUSTOS_ERR_INIT;
        struct ledger *l;
        struct place p;
        custos_status st;

        l = place_begin(&p);
        set_terms(l, &t);
        for (int k = 0; k < 5; k++)
            assert_int_equal(
                charge_at(l, "", "0.1", 10, k < 3 ? &from : &last, NULL), 0);
        meddle(&p, "DROP TRIGGER chain_no_update;"
                   "DROP TRIGGER chain_no_delete");
        meddle(&p, cases[i].sql);
        st = ledger_verify_after(l, &from, &head, &err);
        if (st != cases[i].status ||
            (st && !strstr(whole_said(&err), cases[i].says)))
            fail_msg("%s: %d %s", cases[i].sql, (int)st, err.said);
        if (!st)
            assert_memory_equal(&head, &last, sizeof head);
        place_end(l, &p);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(history_is_thinned_evenly),
        cmocka_unit_test(history_adds_exactly),
        cmocka_unit_test(history_counts_shared_answers_once),
        cmocka_unit_test(history_has_one_currency),
        cmocka_unit_test(verify_goes_on_from_a_receipt),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
