/*
 * Group commit: the same results as if each job were committed alone; if the
 * disk fails, every job of the group fails.
 */
#include "support/powercut_vfs.h"

#include "ledger/helpers.h"
#include "support/said.h"

enum { MOST = 150 };

/* Requests of a group; some are invalid, for various reasons. */
struct group {
    struct ledger_job jobs[MOST];
    struct ledger_request requests[MOST];
    struct charge charges[MOST];
    custos_err err[MOST];
    size_t n;
};

static struct group group;

static void
group_add(struct group *g, const char *who, const char *epsilon)
{
    size_t i = g->n++;

    g->err[i] = (custos_err)CUSTOS_ERR_INIT;
    request_of(&g->requests[i], &g->charges[i], who, epsilon, 5 + (int64_t)i);
    g->jobs[i] = (struct ledger_job){
        .kind = LEDGER_CHARGE, .request = &g->requests[i], .err = &g->err[i]};
    if (i > 0)
        g->jobs[i - 1].next = &g->jobs[i];
}

static void
group_fill(struct group *g, size_t n)
{
    static const char *const names[] = {"", "ann", "bob", "nobody"};
    static const char *const prices[] = {"0.01", "0.03", "0.002", "0.2"};

    memset(g, 0, sizeof *g);
    for (size_t i = 0; i < n; i++) {
        group_add(g, names[i % 4], prices[i % 3 + i / 7 % 2]);
        if (i % 11 == 5) /* under another policy */
            g->requests[i].policy[3] ^= 1;
        if (i % 13 == 6) {
            g->jobs[i].kind = LEDGER_ACT; /* "terms" is not an act */
            g->jobs[i].act = i % 2 ? "import" : "terms";
        }
    }
}

static struct ledger_terms
terms_of_two(void)
{
    static const struct ledger_analyst both[] = {
        {.name = {"ann", 3},
         .has_budget = true,
         .budget = {{"0.4", 3}, {"0", 1}}},
        {.name = {"bob", 3}},
    };
    struct ledger_terms t = terms_of("1", "0");

    t.analysts = both;
    t.n_analysts = COUNT_OF(both);
    return t;
}

/*
 * A group gets the same results and receipts as single jobs. Equal receipts
 * mean equal rows.
 */
static void
group_is_one_by_one(void **state)
{
    struct ledger_terms t = terms_of_two();
    size_t admitted = 0, refused = 0;
    struct ledger *one, *many;
    struct place p, q;

    (void)state;
    place_make(&p);
    place_make(&q);
    one = open_at(&p);
    many = open_at(&q);
    set_terms(one, &t);
    set_terms(many, &t);
    group_fill(&group, MOST);
    ledger_post(many, group.jobs);
    for (size_t i = 0; i < MOST; i++) {
        const struct ledger_job *j = &group.jobs[i];
        struct receipt r = {0};
        custos_err err = CUSTOS_ERR_INIT;
        custos_status st =
            j->kind == LEDGER_ACT
                ? ledger_act(one, j->act, j->words, j->who, j->now, &r, &err)
                : post_charge(one, j->request, &r, &err);

        assert_int_equal(st, j->status);
        assert_string_equal(err.said, group.err[i].said);
        assert_string_equal(err.hint, group.err[i].hint);
        if (!st)
            assert_memory_equal(&r, &j->receipt, sizeof r);
        admitted += st == CUSTOS_OK;
        refused += st == CUSTOS_ESPENT;
    }
    assert_true(admitted > 20 && refused > 20);
    assert_verifies(many, NULL);
    ledger_close(one);
    place_end(many, &p);
    place_remove(&q);
}

static void
group_exhausts_exactly(void **state)
{
    struct ledger_terms t = terms_of("1", "0");
    struct ledger *l;
    struct place p;

    (void)state;
    l = place_begin(&p);
    set_terms(l, &t);
    memset(&group, 0, sizeof group);
    for (size_t i = 0; i < 30; i++)
        group_add(&group, "", "0.1");
    ledger_post(l, group.jobs);
    for (size_t i = 0; i < 30; i++)
        assert_int_equal(group.jobs[i].status,
                         i < 10 ? CUSTOS_OK : CUSTOS_ESPENT);
    assert_balance(l, "", "1", "0");
    assert_verifies(l, &group.jobs[9].receipt);
    place_end(l, &p);
}

/*
 * Posts a group on a disk that fails at operation `at`. False if it did not
 * fail.
 */
static bool
fail_once(const struct place *p, size_t at)
{
    struct disk *d = disk_new(at);
    struct receipt last = {0};
    struct ledger *l = NULL;
    bool failed;

    assert_int_equal(ledger_open(p->path, p->lock, &l, NULL), CUSTOS_OK);
    disk_fail_at(d, at, 1, at % 2 ? DISK_EIO : DISK_FULL);
    group_fill(&group, 24);
    ledger_post(l, group.jobs);
    failed = group.jobs[0].status == CUSTOS_EIO;
    for (size_t i = 0; i < group.n; i++) {
        assert_int_equal(group.jobs[i].status == CUSTOS_EIO, failed);
        if (failed)
            assert_true(strlen(group.err[i].said) > 20);
        if (!group.jobs[i].status)
            last = group.jobs[i].receipt;
    }
    disk_fail_at(d, 0, 0, DISK_EIO); /* the disk works again */
    group_fill(&group, 24);
    ledger_post(l, group.jobs);
    for (size_t i = 0; i < group.n; i++)
        assert_int_not_equal(group.jobs[i].status, CUSTOS_EIO);
    assert_verifies(l, last.seq ? &last : NULL);
    ledger_close(l);
    disk_cut(d);
    disk_restart(d);
    assert_int_equal(ledger_open(p->path, p->lock, &l, NULL), CUSTOS_OK);
    assert_verifies(l, &group.jobs[0].receipt);
    ledger_close(l);
    disk_free(d);
    return failed;
}

static void
group_fault_is_of_all(void **state)
{
    struct ledger_terms t = terms_of_two();
    size_t failed = 0;
    struct ledger *l;
    struct place p;

    (void)state;
    l = place_begin(&p);
    set_terms(l, &t);
    ledger_close(l);
    for (size_t at = 1; at <= 24; at++)
        failed += fail_once(&p, at);
    assert_true(failed > 5);
    place_remove(&p);
}

/* If nothing is admitted, nothing is written or synced. */
static void
group_of_refusals_writes_nothing(void **state)
{
    struct ledger_terms t = terms_of("1", "0");
    struct ledger *l = NULL;
    struct place p;
    struct disk *d;
    size_t before;

    (void)state;
    l = place_begin(&p);
    set_terms(l, &t);
    ledger_close(l);
    d = disk_new(1);
    assert_int_equal(ledger_open(p.path, p.lock, &l, NULL), CUSTOS_OK);
    before = disk_operations(d);
    memset(&group, 0, sizeof group);
    for (size_t i = 0; i < 5; i++)
        group_add(&group, "", "2");
    ledger_post(l, group.jobs);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(group.jobs[i].status, CUSTOS_ESPENT);
    assert_int_equal(disk_operations(d), before);
    ledger_close(l);
    disk_free(d);
    place_remove(&p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(group_is_one_by_one),
        cmocka_unit_test(group_exhausts_exactly),
        cmocka_unit_test(group_fault_is_of_all),
        cmocka_unit_test(group_of_refusals_writes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
