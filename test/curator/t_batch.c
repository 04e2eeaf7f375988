/*
 * Batches: charged together or not at all, before data is read, and never at more
 * than their questions cost one by one.
 */
#include "curator/batch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/error.h"
#include "curator/answer.h"
#include "curator/executor.h"
#include "num/ival.h"
#include "support/hospital.h"
#include "support/support.h"

static const char policy[] =
    "custos: 1\n"
    "budget: {epsilon: 1}\n"
    "query: {epsilon: 0.1, max_epsilon: 1}\n"
    "tables:\n"
    "  people:\n"
    "    source: people.csv\n"
    "    unit: id\n"
    "    max_rows: 100\n"
    "    columns:\n"
    "      id: {type: integer, nullable: false}\n"
    "      age: {type: integer, range: [0, 100], nullable: false}\n"
    "  floors:\n"
    "    public: true\n"
    "    source: floors.csv\n"
    "    columns: {name: {type: text}, floor: {type: integer}}\n"
    "analysts:\n"
    "  ana: {}\n"
    "  bob: {budget: {epsilon: 0.3}}\n";

#define COUNT "SELECT count(*) FROM people"
#define SUM "SELECT sum(age) FROM people"
#define OLD "SELECT count(*) FROM people WHERE age > 60"
#define FLOORS "SELECT name FROM floors"

enum { ITEMS = 8 };

static struct test_store files;
static struct curator *c;
static struct ask_item items[BATCH_MOST + 1];
static struct ask_batch batch;

static int
begin(void **state)
{
    (void)state;
    test_rng_new_silent();
    test_store_write(&files, policy, "people.csv",
                     "id,age\n1,30\n2,40\n3,50\n4,70\n", "floors.csv",
                     "name,floor\nward,1\nsurgery,2\n", NULL);
    test_store_init(&files);
    c = test_open(&files);
    return 0;
}

static int
end(void **state)
{
    (void)state;
    ask_batch_clear(&batch);
    curator_close(c);
    c = NULL;
    test_store_remove(&files);
    return 0;
}

/* A batch of these texts, NULL last, each at this price. */
static void
batch_of(const char *const *texts, const char *epsilon)
{
    ask_batch_clear(&batch);
    memset(items, 0, sizeof items);
    batch = (struct ask_batch){.items = items};
    for (; texts[batch.n]; batch.n++)
        items[batch.n] = (struct ask_item){.sql = str_of(texts[batch.n]),
                                           .epsilon = str_of(epsilon)};
}

static custos_status
post(const char *who, custos_err *err)
{
    struct ask ask = {.who = str_of(who), .now = 1000};

    return curator_batch(c, &ask, &batch, err);
}

static void
must_post(const char *who)
{
    custos_err err = CUSTOS_ERR_INIT;

    if (post(who, &err))
        fail_msg("item %zu: %s (%s)", batch.at, err.said, err.noted);
}

static uint64_t
charges_of(const char *who)
{
    struct ledger_balance b;

    assert_int_equal(ledger_balance(curator_ledger(c), str_of(who), &b, NULL),
                     CUSTOS_OK);
    return b.charges;
}

/* Any two fit into the budget, but not all three. */
static void
a_batch_is_charged_as_a_whole(void **state)
{
    static const char *const three[] = {COUNT, SUM, OLD, NULL};
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    batch_of(three, "0.4");
    assert_int_equal(post("ana", &err), CUSTOS_ESPENT);
    assert_non_null(strstr(err.said, "needs epsilon 1.2, and 1 is left"));
    assert_int_equal(batch.at, batch.n);
    assert_int_equal(charges_of(""), 0);
    for (size_t i = 0; i < batch.n; i++)
        assert_null(items[i].answer);
    batch.n = 2;
    must_post("ana");
    assert_int_equal(charges_of("ana"), 2);
    assert_string_equal(batch.cost.epsilon, "0.8");
    assert_int_equal(test_whole(items[0].answer, 0, 0), 4);
    assert_int_equal(test_whole(items[1].answer, 0, 0), 190);
    assert_int_equal(items[1].answer->receipt.seq,
                     items[0].answer->receipt.seq + 1);
}

static void
equal_questions_are_charged_once(void **state)
{
    static const char *const five[] = {
        COUNT, SUM, "select COUNT( * ) from people", FLOORS, OLD, NULL};
    char left[64], now[64];

    (void)state;
    answer_free(test_ask(c, "ana", SUM, "0.1"));
    batch_of(five, "0.1");
    must_post("ana");
    assert_int_equal(charges_of("ana"), 3); /* SUM, COUNT, OLD */
    assert_string_equal(batch.cost.epsilon, "0.2");
    assert_true(batch.is_charged);
    assert_false(items[0].answer->stored);
    assert_true(items[1].answer->stored);
    assert_true(items[2].answer->stored);
    assert_true(items[3].answer->is_public);
    assert_int_equal(items[3].answer->n_rows, 2);
    assert_false(items[4].answer->stored);
    assert_int_equal(test_whole(items[2].answer, 0, 0),
                     test_whole(items[0].answer, 0, 0));
    assert_memory_equal(&items[2].answer->receipt, &items[0].answer->receipt,
                        sizeof items[0].answer->receipt);
    test_left(c, "ana", left);
    batch_of(five, "0.1"); /* all is cached now */
    must_post("ana");
    assert_false(batch.is_charged);
    assert_string_equal(batch.cost.epsilon, "0");
    for (size_t i = 0; i < batch.n; i++)
        assert_true(items[i].answer->stored || items[i].answer->is_public);
    assert_string_equal(test_left(c, "ana", now), left);
}

/* The whole batch is rejected above the charge, and the item is named. */
static void
one_bad_item_rejects_all(void **state)
{
    static const struct {
        const char *bad;
        custos_status status;
    } cases[] = {
        {"SELECT count(*) FROM nowhere", CUSTOS_ENAME},
        {"SELECT count(*) FROM", CUSTOS_ESYNTAX},
        {"EXPLAIN " COUNT, CUSTOS_EUNSUPPORTED},
        {"DELETE FROM people", CUSTOS_EUNSUPPORTED},
        {"BEGIN", CUSTOS_EUNSUPPORTED},
    };
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *const texts[] = {COUNT, cases[i].bad, SUM, NULL};

        batch_of(texts, "0.1");
        assert_int_equal(post("ana", &err), cases[i].status);
        assert_int_equal(batch.at, 1);
    }
    batch.n = 0;
    assert_int_equal(post("ana", &err), CUSTOS_EINVAL);
    for (size_t i = 0; i <= BATCH_MOST; i++)
        items[i] = (struct ask_item){.sql = str_of(COUNT)};
    batch.n = BATCH_MOST + 1;
    assert_int_equal(post("ana", &err), CUSTOS_EOVERFLOW);
    assert_int_equal(post("eve", &err), CUSTOS_EOVERFLOW);
    batch.n = 1;
    assert_int_equal(post("eve", &err), CUSTOS_ENAME);
    assert_int_equal(charges_of(""), 0);
    batch.n = BATCH_MOST; /* the same question 64 times: one charge */
    must_post("ana");
    assert_int_equal(charges_of("ana"), 1);
}

static void
warnings_stop_a_batch_before_its_charge(void **state)
{
    static const char *const two[] = {
        COUNT, "SELECT count(*) FROM people WHERE age > 200", NULL};
    struct ask ask = {
        .who = str_of("ana"), .now = 1000, .warned = ask_reject_warned};
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    batch_of(two, "0.1");
    assert_int_equal(curator_batch(c, &ask, &batch, &err), CUSTOS_EINVAL);
    assert_int_equal(batch.at, 1);
    assert_non_null(strstr(err.said, "age > 200 is never true"));
    assert_int_equal(charges_of(""), 0);
    ask.warned = NULL;
    assert_int_equal(curator_batch(c, &ask, &batch, &err), CUSTOS_OK);
    assert_true(items[1].answer->warnings.len > 0);
}

/* ------------------------------------------------------------- explaining -- */

static void
explaining_a_batch_is_free(void **state)
{
    static const char *const four[] = {COUNT, SUM, COUNT, OLD, NULL};
    struct ask ask = {.who = str_of("bob"), .now = 1000};
    custos_err err = CUSTOS_ERR_INIT;
    char left[64];

    (void)state;
    answer_free(test_ask(c, "bob", SUM, "0.1"));
    batch_of(four, "0.1");
    assert_int_equal(curator_batch_explain(c, &ask, &batch, &err), CUSTOS_OK);
    assert_string_equal(batch.cost.epsilon, "0.2");
    assert_true(batch.forecast.can_pay);
    assert_string_equal(batch.forecast.after.epsilon, "0");
    assert_int_equal(charges_of("bob"), 1);
    assert_false(items[0].answer->forecast.stored);
    assert_true(items[1].answer->forecast.stored);
    assert_true(items[2].answer->forecast.stored);
    for (size_t i = 0; i < batch.n; i++)
        assert_true(items[i].answer->explained);
    batch_of(four, "0.1"); /* it costs what was said */
    must_post("bob");
    assert_string_equal(batch.cost.epsilon, "0.2");
    assert_string_equal(test_left(c, "bob", left), "0");
    batch_of(four, "0.15");
    assert_int_equal(curator_batch_explain(c, &ask, &batch, &err), CUSTOS_OK);
    assert_false(batch.forecast.can_pay);
    assert_int_equal(post("bob", &err), CUSTOS_ESPENT);
}

/* --------------------------------------------------------------- running -- */

/* An executor that counts its works, and what was charged when each began. It has
   a clock of its own: work takes the time that takes_us says. */
struct seen {
    size_t n, fails_at, delayed_at;
    int64_t now_us, takes_us[ITEMS];
    uint64_t charged[ITEMS];
    int64_t until[ITEMS], begin[ITEMS];
    enum work_time time[ITEMS];
    enum work_end end;
    int admitted, again;
    int64_t class_us, again_class_us;
};

static custos_status
await_nothing(void *ctx, const struct work *w, custos_err *err)
{
    (void)ctx;
    (void)w;
    (void)err;
    return CUSTOS_OK;
}

/* How work ends on the executor's clock, which it sets forward. */
static enum work_end
end_in_time(struct seen *s, const struct work *w, int64_t takes_us)
{
    if (w->begin_us && s->now_us >= w->begin_us)
        return WORK_DELAYED;
    s->now_us += takes_us;
    if (!w->until_us || s->now_us < w->until_us)
        return WORK_DONE;
    s->now_us = w->until_us;
    return WORK_OVERRUN;
}

static custos_status
run_seen(void *ctx, const struct work *w, struct answer **out,
         enum work_end *end, custos_err *err)
{
    struct seen *s = ctx;
    size_t i = s->n++;

    s->charged[i] = charges_of("ana");
    s->until[i] = w->until_us;
    s->begin[i] = w->begin_us;
    s->time[i] = w->time;
    *end = i == s->fails_at     ? s->end
           : i == s->delayed_at ? WORK_DELAYED
                                : end_in_time(s, w, s->takes_us[i]);
    if (*end != WORK_DONE)
        return custos_fail(err, CUSTOS_EENGINE, "%s",
                           custos_status_words(CUSTOS_EENGINE));
    if (answer_new(1, out, err))
        return CUSTOS_ENOMEM;
    (*out)->receipt = w->receipt;
    return CUSTOS_OK;
}

static int64_t
admit_seen(void *ctx, int64_t class_us)
{
    struct seen *s = ctx;

    assert_int_equal(s->n, 0); /* before any work */
    s->admitted++;
    s->class_us = class_us;
    return 5000000;
}

static int64_t
again_seen(void *ctx, int64_t class_us)
{
    struct seen *s = ctx;

    s->again++;
    s->again_class_us = class_us;
    return 9000000;
}

static custos_status
post_seen(struct seen *s, custos_err *err)
{
    const struct executor by = {
        .ctx = s, .await = await_nothing, .run = run_seen};
    struct ask ask = {.who = str_of("ana"),
                      .now = 1000,
                      .admit = admit_seen,
                      .again = again_seen,
                      .admit_ctx = s,
                      .allowance_us = 1000};
    custos_status st;

    curator_use(c, &by);
    st = curator_batch(c, &ask, &batch, err);
    curator_use(c, NULL);
    return st;
}

#define NEVER SIZE_MAX

static void
the_batch_is_charged_before_data_is_read(void **state)
{
    static const char *const three[] = {COUNT, SUM, OLD, NULL};
    struct seen s = {.fails_at = NEVER, .delayed_at = NEVER};
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    batch_of(three, "0.1");
    assert_int_equal(post_seen(&s, &err), CUSTOS_OK);
    assert_int_equal(s.n, 3);
    for (size_t i = 0; i < s.n; i++)
        assert_int_equal(s.charged[i], 3);
}

static int64_t
class_of(const char *sql)
{
    const char *const one[] = {sql, NULL};
    struct seen s = {.fails_at = NEVER, .delayed_at = NEVER};
    custos_err err = CUSTOS_ERR_INIT;

    batch_of(one, "0.0625");
    assert_int_equal(post_seen(&s, &err), CUSTOS_OK);
    return s.class_us;
}

/* One time of the reply, fixed before data is read, for all: the sum of the
   class times and of the allowances between them. */
static void
a_batch_replies_once(void **state)
{
    static const char *const three[] = {COUNT, SUM, OLD, NULL};
    struct seen s = {.fails_at = NEVER, .delayed_at = NEVER};
    int64_t sum = class_of(COUNT) + class_of(SUM) + class_of(OLD) + 2 * 1000;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    batch_of(three, "0.1");
    assert_int_equal(post_seen(&s, &err), CUSTOS_OK);
    assert_int_equal(s.admitted, 1);
    assert_int_equal(s.class_us, sum);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(s.until[i], i < 2 ? s.begin[i + 1] : 5000000);
        assert_int_equal(s.time[i], sum > ASK_LONG_US ? WORK_LONG : WORK_SHORT);
        if (i > 0)
            assert_true(s.begin[i] > s.begin[i - 1]);
        assert_non_null(items[i].answer->kept); /* stored when it leaves */
    }
    assert_true(s.begin[2] < s.until[2]);
    batch_of(three, "0.1");
    must_post("ana"); /* not stored yet, so charged */
    assert_true(batch.is_charged);
}

static uint64_t
overruns_of(const char *who)
{
    struct ledger_tripwire t;
    custos_err err = CUSTOS_ERR_INIT;

    assert_int_equal(ledger_tripwire(curator_ledger(c), str_of(who), &t, &err),
                     CUSTOS_OK);
    return t.overruns;
}

/* If no work of the batch could begin in time, it is tried once more, with a later
   reply. */
static void
a_delayed_batch_is_tried_again(void **state)
{
    static const char *const three[] = {OLD, COUNT, SUM, NULL};
    struct seen s = {.fails_at = NEVER, .delayed_at = 0};
    int64_t sum = class_of(COUNT) + class_of(SUM) + 1000;
    custos_err err = CUSTOS_ERR_INIT;
    uint64_t row;

    (void)state;
    answer_free(test_ask(c, "ana", OLD, "0.1")); /* so it does not run */
    batch_of(three, "0.1");
    assert_int_equal(post_seen(&s, &err), CUSTOS_OK);
    assert_int_equal(s.n, 3);
    assert_int_equal(s.again, 1);
    assert_int_equal(s.again_class_us, sum);
    assert_true(s.until[0] < 5000000);
    assert_int_equal(s.until[1] - s.until[0], 4000000);
    assert_int_equal(s.until[1], s.begin[2]);
    assert_int_equal(s.until[2], 9000000);
    s = (struct seen){.fails_at = 1, .delayed_at = 0, .end = WORK_DELAYED};
    batch_of(three, "0.05"); /* delayed twice: it has read no data */
    assert_int_equal(post_seen(&s, &err), CUSTOS_EENGINE);
    assert_int_equal(s.n, 2);
    assert_int_equal(s.again, 1);
    assert_int_equal(curator_tripped(c, &row), TRIP_NONE);
    assert_int_equal(overruns_of("ana"), 0);
}

/* The time of the reply does not depend on how long an item took: one that takes
   the time of the next is killed, counted, and ends the batch. */
static void
a_slow_item_is_an_overrun(void **state)
{
    static const char *const three[] = {COUNT, SUM, OLD, NULL};
    struct seen s = {.fails_at = NEVER, .delayed_at = NEVER};
    custos_err err = CUSTOS_ERR_INIT;
    int64_t begin[3], until;
    uint64_t row, first;

    (void)state;
    batch_of(three, "0.05");
    assert_int_equal(post_seen(&s, &err), CUSTOS_OK);
    memcpy(begin, s.begin, sizeof begin);
    until = s.until[2];
    first = items[2].answer->receipt.seq + 1;
    s = (struct seen){
        .fails_at = NEVER, .delayed_at = NEVER, .takes_us = {begin[1] + 1}};
    batch_of(three, "0.1");
    assert_int_equal(post_seen(&s, &err), CUSTOS_EENGINE);
    assert_string_equal(err.said, custos_status_words(CUSTOS_EENGINE));
    assert_int_equal(s.n, 1);
    assert_int_equal(s.again, 0);
    assert_int_equal(batch.at, 0);
    assert_int_equal(curator_tripped(c, &row), TRIP_OVERRUN);
    assert_int_equal(row, first);
    assert_int_equal(overruns_of("ana"), 1);
    s = (struct seen){
        .fails_at = NEVER, /* each up to its limit: in time */
        .delayed_at = NEVER,
        .takes_us = {begin[1] - 1, begin[2] - begin[1], until - begin[2]}};
    batch_of(three, "0.11");
    assert_int_equal(post_seen(&s, &err), CUSTOS_OK);
    assert_int_equal(s.again, 0);
    assert_int_equal(overruns_of("ana"), 1);
}

/* So is one that ended so late that the next could not begin. */
static void
a_late_item_is_an_overrun_of_the_one_before(void **state)
{
    static const char *const four[] = {COUNT, COUNT, SUM, OLD, NULL};
    struct seen s = {.fails_at = NEVER, .delayed_at = 1};
    custos_err err = CUSTOS_ERR_INIT;
    uint64_t row;

    (void)state;
    batch_of(four, "0.1");
    assert_int_equal(post_seen(&s, &err), CUSTOS_EENGINE);
    assert_int_equal(s.n, 2); /* OLD never ran */
    assert_int_equal(s.again, 0);
    assert_int_equal(batch.at, 2);
    assert_int_equal(curator_tripped(c, &row), TRIP_OVERRUN);
    assert_int_equal(row, items[0].answer->receipt.seq);
    assert_int_equal(overruns_of("ana"), 1);
}

static void
a_failed_item_ends_the_batch(void **state)
{
    static const char *const three[] = {COUNT, SUM, OLD, NULL};
    struct seen s = {.fails_at = 1, .delayed_at = NEVER, .end = WORK_FAILED};
    custos_err err = CUSTOS_ERR_INIT;
    uint64_t row;

    (void)state;
    batch_of(three, "0.1");
    assert_int_equal(post_seen(&s, &err), CUSTOS_EENGINE);
    assert_string_equal(err.said, custos_status_words(CUSTOS_EENGINE));
    assert_int_equal(batch.at, 1);
    assert_int_equal(s.n, 2);               /* the third never ran */
    assert_int_equal(charges_of("ana"), 3); /* and nothing is refunded */
    assert_int_equal(curator_tripped(c, &row), TRIP_FAILURE);
    assert_non_null(items[0].answer);
    assert_null(items[2].answer);
    curator_store_batch(c, &batch); /* as when the reply leaves */
    ask_batch_clear(&batch);
    batch.n = 1; /* what was ready is free */
    must_post("ana");
    assert_true(items[0].answer->stored);
    batch_of(three, "0.2"); /* the analyst is suspended */
    assert_int_equal(post("ana", &err), CUSTOS_EDENIED);
}

/* --------------------------------------------------------------- workers -- */

static const char towns[] =
    "custos: 1\n"
    "budget: {epsilon: 1000, delta: 0.001}\n"
    "query: {epsilon: 0.5, max_epsilon: 2, delta: 1e-6,\n"
    "        max_groups: 100, max_planning_steps: 6000000}\n"
    "tables:\n"
    "  trips:\n"
    "    source: trips.csv\n"
    "    unit: id\n"
    "    rows_per_unit: 16\n"
    "    max_rows: 100\n"
    "    columns:\n"
    "      id: {type: integer, nullable: false}\n"
    "      town: {type: text, nullable: false}\n"
    "      km: {type: integer, range: [0, 100], nullable: false}\n"
    "analysts:\n"
    "  ana: {}\n";

#define TOWNS                                                                  \
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 16) "   \
    "town, sum(km) FROM trips WHERE km > %zu GROUP BY town"

static int
begin_towns(void **state)
{
    (void)state;
    test_rng_new_silent();
    test_store_write(&files, towns, "trips.csv", "id,town,km\n1,Graz,30\n",
                     NULL);
    test_store_init(&files);
    c = test_open(&files);
    return 0;
}

static custos_status
run_in_worker(void *ctx, const struct work *w, struct answer **out,
              enum work_end *end, custos_err *err)
{
    custos_status st = curator_work(ctx, w, out, err);

    *end = st ? WORK_FAILED : WORK_DONE;
    return st;
}

/* The worker makes each plan with all steps; the batch with those that are left
   after the items before. */
static void
few_steps_refuse_before_the_charge(void **state)
{
    struct work_limits limits = {.spill = files.folder,
                                 .memory_bytes = (uint64_t)1 << 30};
    struct work_snapshot of;
    struct curator *works = NULL;
    struct executor by = {.await = await_nothing, .run = run_in_worker};
    char sql[BATCH_MOST][256];
    struct ask ask = {.who = str_of("ana"), .now = 1000};
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = CUSTOS_OK;
    size_t n;

    (void)state;
    answer_free(test_ask(c, "ana", "SELECT count(*) FROM trips", "0.5"));
    of = curator_snapshot(c);
    assert_int_equal(curator_open_work(files.store, &of, &limits, &works, &err),
                     CUSTOS_OK);
    by.ctx = works;
    curator_use(c, &by);
    for (n = 8; n <= BATCH_MOST && !st; n += 2) {
        uint64_t before = charges_of("ana");

        ask_batch_clear(&batch);
        memset(items, 0, sizeof items);
        batch = (struct ask_batch){.items = items, .n = n};
        for (size_t i = 0; i < n; i++) {
            snprintf(sql[i], sizeof sql[i], TOWNS, i);
            items[i] = (struct ask_item){.sql = str_of(sql[i]),
                                         .epsilon = str_of("0.5")};
        }
        st = curator_batch(c, &ask, &batch, &err);
        if (st && (st != CUSTOS_EOVERFLOW || charges_of("ana") != before))
            fail_msg("item %zu of %zu: %s", batch.at, n, err.said);
        for (size_t i = 0; i < n && !st; i++)
            assert_non_null(items[i].answer);
        curator_store_batch(c, &batch);
    }
    assert_int_equal(st, CUSTOS_EOVERFLOW); /* or no steps were few */
    assert_true(n > 8);
    curator_use(c, NULL);
    curator_close(works);
}

/* ----------------------------------------------------------- concurrency -- */

enum { THREADS = 4, TIMES = 8 };

struct asker {
    pthread_t thread;
    struct curator *c;
    int from, admitted, refused, wrong;
};

/* Asks batches of two different questions that nobody else asks. */
static void *
ask_batches(void *arg)
{
    struct asker *k = arg;

    for (int i = 0; i < TIMES; i++) {
        struct ask_item two[2] = {{.sql = str_of(COUNT)}, {.sql = str_of(SUM)}};
        struct ask_batch b = {.items = two, .n = 2};
        struct ask ask = {.who = str_of("ana"), .now = 1000};
        custos_err err = CUSTOS_ERR_INIT;
        char epsilon[32];
        custos_status st;

        snprintf(epsilon, sizeof epsilon, "0.03%04d", k->from + i);
        two[0].epsilon = two[1].epsilon = str_of(epsilon);
        st = curator_batch(k->c, &ask, &b, &err);
        k->admitted += !st;
        k->refused += st == CUSTOS_ESPENT;
        k->wrong += st && st != CUSTOS_ESPENT;
        ask_batch_clear(&b);
    }
    ival_forget_caches();
    return NULL;
}

static void
concurrent_batches_never_split(void **state)
{
    struct asker askers[THREADS] = {0};
    int admitted = 0, refused = 0;
    struct receipt head;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (int i = 0; i < THREADS; i++) {
        askers[i].from = i * TIMES;
        assert_int_equal(curator_share(c, &askers[i].c, &err), CUSTOS_OK);
        assert_int_equal(
            pthread_create(&askers[i].thread, NULL, ask_batches, &askers[i]),
            0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(askers[i].thread, NULL);
        assert_int_equal(askers[i].wrong, 0);
        admitted += askers[i].admitted;
        refused += askers[i].refused;
        curator_close(askers[i].c);
    }
    assert_true(admitted > 0 && refused > 0);
    assert_int_equal(charges_of("ana"), 2 * (uint64_t)admitted);
    assert_int_equal(ledger_verify(curator_ledger(c), NULL, &head, &err),
                     CUSTOS_OK);
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(a_batch_is_charged_as_a_whole),
        TEST(equal_questions_are_charged_once),
        TEST(one_bad_item_rejects_all),
        TEST(warnings_stop_a_batch_before_its_charge),
        TEST(explaining_a_batch_is_free),
        TEST(the_batch_is_charged_before_data_is_read),
        TEST(a_batch_replies_once),
        TEST(a_delayed_batch_is_tried_again),
        TEST(a_slow_item_is_an_overrun),
        TEST(a_late_item_is_an_overrun_of_the_one_before),
        TEST(a_failed_item_ends_the_batch),
        cmocka_unit_test_setup_teardown(few_steps_refuse_before_the_charge,
                                        begin_towns, end),
        TEST(concurrent_batches_never_split),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
