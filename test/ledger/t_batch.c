/*
 * Batches of charges: all of them or none, with the sums of single charges.
 */
#include "ledger/helpers.h"
#include "support/said.h"

struct batch {
    struct ledger_request requests[LEDGER_BATCH_MOST];
    struct charge charges[LEDGER_BATCH_MOST];
    struct receipt receipts[LEDGER_BATCH_MOST];
    size_t n;
};

static struct batch batch;

static void
batch_add(const char *who, const char *epsilon)
{
    size_t i = batch.n++;

    request_of(&batch.requests[i], &batch.charges[i], who, epsilon, 7);
}

static custos_status
post_batch(struct ledger *l, custos_err *err)
{
    struct ledger_job job = {.kind = LEDGER_CHARGES,
                             .request = batch.requests,
                             .n_requests = batch.n,
                             .receipts = batch.receipts,
                             .err = err};

    ledger_post(l, &job);
    return job.status;
}

/* ann has a budget of 0.5 and a window of 0.3 a day, bob neither. */
static struct ledger_terms
terms_of_batch(void)
{
    static const struct ledger_analyst both[] = {
        {.name = {"ann", 3},
         .has_budget = true,
         .budget = {{"0.5", 3}, {"0", 1}},
         .has_window = true,
         .window = {{"0.3", 3}, {"0", 1}},
         .window_days = 1},
        {.name = {"bob", 3}},
    };
    struct ledger_terms t = terms_of("1", "0");

    t.analysts = both;
    t.n_analysts = COUNT_OF(both);
    return t;
}

static struct ledger *
begin(struct place *p)
{
    struct ledger_terms t = terms_of_batch();
    struct ledger *l = place_begin(p);

    set_terms(l, &t);
    batch.n = 0;
    return l;
}

static uint64_t
last_row(struct ledger *l)
{
    struct receipt head;

    assert_int_equal(ledger_head(l, &head, NULL), CUSTOS_OK);
    return head.seq;
}

static void
assert_spent(struct ledger *l, const char *who, const char *epsilon)
{
    struct ledger_spent spent;

    assert_int_equal(ledger_spent(l, str_of(who), &spent, NULL), CUSTOS_OK);
    assert_string_equal(spent.epsilon, epsilon);
}

/* Each charge alone would be admitted, and all but the last together. */
static void
batch_is_admitted_as_a_whole(void **state)
{
    static const struct {
        const char *who, *epsilon, *says;
        size_t fit;
    } cases[] = {
        {"", "0.4", "the common budget", 2},
        {"bob", "0.3", "the common budget", 3},
        {"ann", "0.16", "your window of 1 day", 1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        custos_err err = CUSTOS_ERR_INIT;
        struct ledger *l;
        struct place p;
        uint64_t row;

        l = begin(&p);
        row = last_row(l);
        for (size_t k = 0; k <= cases[i].fit; k++)
            batch_add(cases[i].who, cases[i].epsilon);
        assert_int_equal(post_batch(l, &err), CUSTOS_ESPENT);
        assert_non_null(strstr(err.said, cases[i].says));
        assert_int_equal(last_row(l), row); /* nothing was written */
        assert_spent(l, cases[i].who, "0");
        batch.n--;
        assert_int_equal(post_batch(l, &err), CUSTOS_OK);
        for (size_t k = 0; k < batch.n; k++)
            assert_int_equal(batch.receipts[k].seq, row + k + 1);
        assert_verifies(l, &batch.receipts[batch.n - 1]);
        place_end(l, &p);
    }
}

/* The refusal tells the price of the whole batch. */
static void
batch_refusal_has_its_price(void **state)
{
    custos_err err = CUSTOS_ERR_INIT;
    struct ledger *l;
    struct place p;

    (void)state;
    l = begin(&p);
    for (int i = 0; i < 3; i++)
        batch_add("", "0.4");
    assert_int_equal(post_batch(l, &err), CUSTOS_ESPENT);
    assert_string_equal(err.said, "the common budget (of all analysts) does "
                                  "not suffice: this needs epsilon 1.2, and 1 "
                                  "is left");
    place_end(l, &p);
}

/* Would all charges of the batch be admitted one after the other? */
static bool
fits_one_by_one(struct ledger *l, const struct place *p)
{
    struct place other = *p;
    bool fits = true;
    struct ledger *copy;

    snprintf(other.path, sizeof other.path, "%s/copy.db", p->folder);
    assert_int_equal(ledger_copy(l, other.path, NULL), CUSTOS_OK);
    copy = open_at(&other);
    for (size_t i = 0; i < batch.n; i++) {
        struct receipt r;

        fits = fits && !post_charge(copy, &batch.requests[i], &r, NULL);
    }
    ledger_close(copy);
    unlink(other.path);
    return fits;
}

/*
 * Random batches: admitted if and only if the single charges are, with the same
 * rows.
 */
static void
batch_is_one_by_one(void **state)
{
    static const char *const names[] = {"", "ann", "bob"};
    static const char *const prices[] = {"0.01", "0.03", "0.002", "0.15"};
    struct ledger_terms t = terms_of_batch();
    size_t admitted = 0, refused = 0;
    struct ledger *many, *one;
    uint64_t seed = 5;
    struct place p, q;

    (void)state;
    many = begin(&p);
    one = place_begin(&q);
    set_terms(one, &t);
    for (int i = 0; i < 40; i++) {
        const char *who = names[i % 3];
        size_t n = 1 + (size_t)(seed >> 33) % 6;
        custos_status st;
        bool fits;

        batch.n = 0;
        for (size_t k = 0; k < n; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            batch_add(who, prices[(seed >> 40) % 4]);
            batch.requests[k].shared = *who && (seed >> 50) % 4 == 0;
        }
        fits = fits_one_by_one(many, &p);
        st = post_batch(many, NULL);
        assert_int_equal(st == CUSTOS_OK, fits);
        admitted += fits;
        refused += !fits;
        for (size_t k = 0; k < n && fits; k++) {
            struct receipt r;

            assert_int_equal(post_charge(one, &batch.requests[k], &r, NULL),
                             CUSTOS_OK);
            assert_memory_equal(&r, &batch.receipts[k], sizeof r);
        }
    }
    assert_true(admitted > 5 && refused > 5);
    assert_verifies(many, NULL);
    place_end(many, &p);
    place_end(one, &q);
}

/* Answers that others have paid for count in the analyst's own budget alone. */
static void
batch_of_shared_answers(void **state)
{
    custos_err err = CUSTOS_ERR_INIT;
    struct ledger *l;
    struct place p;

    (void)state;
    l = begin(&p);
    batch_add("bob", "0.9");
    batch_add("bob", "0.9");
    batch.requests[1].shared = true;
    assert_int_equal(post_batch(l, &err), CUSTOS_OK);
    assert_spent(l, "", "0.9");
    batch.n = 0;
    batch_add("ann", "0.2");
    batch_add("ann", "0.2");
    batch.requests[0].shared = batch.requests[1].shared = true;
    assert_int_equal(post_batch(l, &err), CUSTOS_ESPENT);
    assert_spent(l, "ann", "0");
    place_end(l, &p);
}

/* A limit on the size of an analyst's rows holds for all rows of a batch. */
static void
batch_growth_is_of_all(void **state)
{
    custos_err err = CUSTOS_ERR_INIT;
    struct ledger *l;
    struct place p;

    (void)state;
    l = begin(&p);
    for (int i = 0; i < 4; i++) {
        batch_add("bob", "0.01");
        batch.requests[i].max_bytes = 1800;
    }
    assert_int_equal(post_batch(l, &err), CUSTOS_EOVERFLOW);
    assert_spent(l, "bob", "0");
    batch.n = 3;
    assert_int_equal(post_batch(l, &err), CUSTOS_OK);
    place_end(l, &p);
}

/* One request under another policy refuses all. */
static void
batch_of_another_policy_is_refused(void **state)
{
    custos_err err = CUSTOS_ERR_INIT;
    struct ledger *l;
    struct place p;

    (void)state;
    l = begin(&p);
    batch_add("bob", "0.01");
    batch_add("bob", "0.01");
    batch.requests[0].policy[3] ^= 1;
    batch.requests[1].policy[3] ^= 1;
    assert_int_equal(post_batch(l, &err), CUSTOS_EPOLICY);
    assert_spent(l, "bob", "0");
    place_end(l, &p);
}

/* A refused batch does not affect the other jobs of its commit. */
static void
batch_is_refused_alone(void **state)
{
    struct ledger_request before, after;
    struct charge c, d;
    struct ledger_job jobs[3];
    struct ledger *l;
    struct place p;

    (void)state;
    l = begin(&p);
    request_of(&before, &c, "", "0.3", 7);
    request_of(&after, &d, "", "0.3", 7);
    batch_add("", "0.4");
    batch_add("", "0.4");
    jobs[0] = (struct ledger_job){
        .kind = LEDGER_CHARGE, .request = &before, .next = &jobs[1]};
    jobs[1] = (struct ledger_job){.kind = LEDGER_CHARGES,
                                  .request = batch.requests,
                                  .n_requests = batch.n,
                                  .receipts = batch.receipts,
                                  .next = &jobs[2]};
    jobs[2] = (struct ledger_job){.kind = LEDGER_CHARGE, .request = &after};
    ledger_post(l, jobs);
    assert_int_equal(jobs[0].status, CUSTOS_OK);
    assert_int_equal(jobs[1].status, CUSTOS_ESPENT);
    assert_int_equal(jobs[2].status, CUSTOS_OK);
    assert_spent(l, "", "0.6");
    assert_verifies(l, &jobs[2].receipt);
    place_end(l, &p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batch_is_admitted_as_a_whole),
        cmocka_unit_test(batch_refusal_has_its_price),
        cmocka_unit_test(batch_is_one_by_one),
        cmocka_unit_test(batch_of_shared_answers),
        cmocka_unit_test(batch_growth_is_of_all),
        cmocka_unit_test(batch_of_another_policy_is_refused),
        cmocka_unit_test(batch_is_refused_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
