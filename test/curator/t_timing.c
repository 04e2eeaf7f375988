/*
 * The timing battery: does the engine's time reveal whether a person is in the
 * data? Queries aim to be slow for one person (timing_query.h). Present and
 * absent persons alternate on one store; the ids of both are within the stored
 * range.
 *
 * With CUSTOS_LONG it measures (make timing-battery): the AUC over the times of
 * all 200 predicates must be in 0.5 +- 0.02. A predicate outside 0.5 +- 0.3
 * runs again, 1,000 times in each arm, and must then be in 0.5 +- 0.05. The
 * standard error is 0.065 for one predicate (40 runs in each arm), 0.0046 for
 * all (8,000), and 0.013 with 1,000 runs. The test also prints the mean of the
 * predicates' own AUCs, which shows differences of a few microseconds.
 *
 * Joins are measured but not judged: an engine does not join with an empty
 * side, so one person's row decides whether that work is done at all. The work
 * is bounded (theorem unit-work); the reply time hides it (THREATS.md).
 *
 * Without CUSTOS_LONG no times are judged: the queries run a few times, and the
 * statistics are checked on made-up times.
 */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "curator/shared_state.h"
#include "curator/timing_query.h"
#include "plan/plan.h"
#include "support/auc.h"
#include "support/hospital.h"
#include "support/support.h"
#include "support/stages.h"

enum {
    QUERIES = 200,
    JOINS = 40,
    RUNS_MOST = 1000,
    AGAIN = 1000,
    SQL_MOST = 1 << 14
};

static const char policy[] =
    "custos: 1\n"
    "budget: {epsilon: 1000000}\n"
    "query: {epsilon: 0.1}\n"
    "tables:\n"
    "  people:\n"
    "    source: people.csv\n"
    "    unit: id\n"
    "    columns:\n"
    "      id: {type: integer, nullable: false}\n"
    "      age: {type: integer, range: [0, 100], nullable: false}\n"
    "      city: {type: text}\n"
    "      weight: {type: real, range: [0, 200]}\n"
    "      born: {type: date, range: [1920-01-01, 2019-12-31]}\n"
    "      note: {type: text}\n"
    "  visits:\n"
    "    source: visits.csv\n"
    "    unit: person\n"
    "    rows_per_unit: 3\n"
    "    columns:\n"
    "      person: {type: integer, references: people.id}\n"
    "      cost: {type: integer, range: [0, 500]}\n"
    "  wards:\n"
    "    public: true\n"
    "    source: wards.csv\n"
    "    columns: {name: {type: text}, floor: {type: integer}}\n";

static struct test_store files;
static struct curator *curator;
static bool *present; /* by id, 1 to 2 * people */
static size_t people;
static uint64_t rng = 2;

static bool
is_long(void)
{
    return getenv("CUSTOS_LONG") != NULL;
}

/* ------------------------------------------------------------------ store -- */

/* A random half of the ids is present; all notes look alike. */
static void
fill(struct buf *persons, struct buf *visits, struct buf *wards)
{
    static const char *const cities[] = {"Oslo", "Rome", "Graz"};

    buf_add_text(persons, "id,age,city,weight,born,note\n");
    buf_add_text(visits, "person,cost\n");
    buf_add_text(wards, "name,floor\n");
    for (size_t id = 1; id <= 2 * people; id++) {
        present[id] = id == 1 || id == 2 * people || timing_draw(&rng, 2);
        if (!present[id])
            continue;
        buf_printf(persons, "%zu,%d,%s,%d.5,%d-06-15,", id,
                   (int)timing_draw(&rng, 100), cities[timing_draw(&rng, 3)],
                   (int)timing_draw(&rng, 199), 1920 + (int)(id % 99));
        for (int i = 0; i < 80; i++)
            buf_add_text(persons, "a");
        buf_add_text(persons, "\n");
        for (uint64_t i = timing_draw(&rng, 4); i > 0; i--)
            buf_printf(visits, "%zu,%d\n", id, (int)timing_draw(&rng, 500));
    }
    for (int i = 0; i < 20; i++)
        buf_printf(wards, "%s,%d\n", cities[i % 3], i);
}

static int
begin(void **state)
{
    struct buf persons, visits, wards;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    people = is_long() ? 200000 : 500;
    present = calloc(2 * people + 1, sizeof *present);
    assert_non_null(present);
    test_rng_new_seeded(5);
    buf_init(&persons, NULL, (size_t)1 << 28);
    buf_init(&visits, NULL, (size_t)1 << 28);
    buf_init(&wards, NULL, 1 << 16);
    fill(&persons, &visits, &wards);
    test_store_write(&files, policy, "people.csv", buf_text(&persons),
                     "visits.csv", buf_text(&visits), "wards.csv",
                     buf_text(&wards), NULL);
    test_store_init(&files);
    buf_clear(&persons);
    buf_clear(&visits);
    buf_clear(&wards);
    if (curator_open(files.store, &curator, &err) ||
        curator_refresh(curator, &err))
        fail_msg("%s (%s)", err.said, err.noted);
    return 0;
}

static int
end(void **state)
{
    (void)state;
    curator_close(curator);
    test_store_remove(&files);
    free(present);
    return 0;
}

/* ------------------------------------------------------------------- runs -- */

static uint64_t
now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static size_t
draw_id(bool there)
{
    size_t id;

    do
        id = 1 + timing_draw(&rng, 2 * people);
    while (present[id] != there);
    return id;
}

static void
write_sql(const char *query, size_t id, struct buf *out)
{
    for (; *query; query++)
        if (*query == '@')
            buf_printf(out, "%zu", id);
        else
            buf_add(out, query, 1);
}

static custos_status
plan_query(const char *query, size_t id, arena *a, struct plan **out,
           custos_err *err)
{
    struct plan_known known = {.ctx = curator->engine, .count = engine_count};
    struct plan_options options = {.known = &known};
    struct query *q = NULL;
    custos_status st;
    struct buf sql;

    buf_init(&sql, NULL, SQL_MOST);
    write_sql(query, id, &sql);
    st = sql_read(a, str_of(buf_text(&sql)), &q, err);
    if (!st)
        st = plan_make(a, q, curator_policy(curator), &options, out, err);
    buf_clear(&sql);
    return st;
}

/* The engine's time for one person, in ns, without planning. */
static uint64_t
time_query(const char *query, size_t id)
{
    arena *a = arena_new(NULL, (size_t)1 << 26);
    custos_sealed **parts;
    struct plan *p = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    uint64_t begun, took;

    assert_non_null(a);
    if (plan_query(query, id, a, &p, &err))
        fail_msg("%s\n%s", query, err.said);
    parts = arena_take(a, p->n_parts + 1, sizeof(custos_sealed *));
    assert_non_null(parts);
    if (engine_prepare(curator->engine, p, &err))
        fail_msg("%s\n%s (%s)", query, err.said, err.noted);
    begun = now_ns();
    if (engine_run(curator->engine, stage_values(p), parts, &err))
        fail_msg("%s\n%s (%s)", query, err.said, err.noted);
    took = now_ns() - begun;
    engine_unprepare(curator->engine);
    for (size_t i = 0; i < p->n_parts; i++)
        custos_sealed_free(parts[i]);
    plan_free(p);
    arena_free(a);
    return took;
}

/* Two more times of a query, one for each arm, in random order. */
static void
time_pair(const char *query, struct auc_time *out)
{
    bool first = timing_draw(&rng, 2) == 0;

    for (size_t i = 0; i < 2; i++) {
        bool there = first == (i == 0);

        out[i] = (struct auc_time){time_query(query, draw_id(there)), there};
    }
}

/* ---------------------------------------------------------------- battery -- */

typedef void (*make_query)(uint64_t *rng, struct buf *out);

static char queries[QUERIES][SQL_MOST / 4];
static struct auc_time times[QUERIES][2 * RUNS_MOST];

/* n different queries that the planner accepts. */
static void
make_queries(make_query make, size_t n)
{
    size_t tries = 0;

    for (size_t made = 0; made < n; tries++) {
        arena *a = arena_new(NULL, (size_t)1 << 26);
        struct plan *p = NULL;
        custos_err err = CUSTOS_ERR_INIT;
        struct buf b;
        bool seen = false;

        assert_true(a && tries < 20 * QUERIES);
        buf_init(&b, NULL, sizeof queries[0]);
        make(&rng, &b);
        for (size_t i = 0; i < made; i++)
            seen = seen || !strcmp(queries[i], buf_text(&b));
        if (!b.failed && !seen && !plan_query(buf_text(&b), 1, a, &p, &err))
            snprintf(queries[made++], sizeof queries[0], "%s", buf_text(&b));
        plan_free(p);
        buf_clear(&b);
        arena_free(a);
    }
}

/* In each round, times every query for a present and an absent person. */
static void
time_queries(size_t n, size_t runs)
{
    for (size_t k = 0; k < runs; k++)
        for (size_t i = 0; i < n; i++)
            time_pair(queries[i], &times[i][2 * k]);
}

/* The AUC of all times together, and the mean of the queries' own AUCs. */
static double
auc_of_all(size_t n, size_t runs, double *mean)
{
    static struct auc_time all[QUERIES * 2 * 40];

    assert_true(n * 2 * runs <= COUNT_OF(all));
    *mean = 0;
    for (size_t i = 0; i < n; i++) {
        memcpy(all + i * 2 * runs, times[i], 2 * runs * sizeof *all);
        *mean += auc_of(times[i], 2 * runs);
    }
    *mean /= (double)n;
    return auc_of(all, n * 2 * runs);
}

static size_t
judge_again(size_t i)
{
    double auc;

    for (size_t k = 0; k < AGAIN; k++)
        time_pair(queries[i], &times[i][2 * k]);
    auc = auc_of(times[i], 2 * (size_t)AGAIN);
    print_message("# again: %.4f %s\n", auc, queries[i]);
    return fabs(auc - 0.5) > 0.05;
}

static void
presence_is_not_in_the_time(void **state)
{
    size_t runs = is_long() ? 40 : 1, wrong = 0;
    double all, mean;

    (void)state;
    make_queries(timing_predicate, QUERIES);
    time_queries(QUERIES, runs);
    all = auc_of_all(QUERIES, runs, &mean);
    assert_true(all >= 0 && all <= 1);
    if (!is_long())
        return;
    for (size_t i = 0; i < QUERIES; i++) {
        double auc = auc_of(times[i], 2 * runs);

        if (fabs(auc - 0.5) <= 0.3)
            continue;
        print_message("# %.3f %s\n", auc, queries[i]);
        wrong += judge_again(i);
    }
    print_message("bench: presence_auc %.4f auc\nbench: presence_auc_mean %.4f "
                  "auc\nbench: presence_predicates_seen %zu predicates\n",
                  all, mean, wrong);
    assert_true(fabs(all - 0.5) <= 0.02);
    assert_int_equal(wrong, 0);
}

static void
joins_are_measured(void **state)
{
    size_t runs = is_long() ? 40 : 1;
    double all, mean;

    (void)state;
    make_queries(timing_join, JOINS);
    time_queries(JOINS, runs);
    all = auc_of_all(JOINS, runs, &mean);
    assert_true(all >= 0 && all <= 1 && mean >= 0 && mean <= 1);
    print_message("bench: presence_auc_joins %.4f auc\nbench: "
                  "presence_auc_joins_mean %.4f auc\n",
                  all, mean);
}

/* ------------------------------------------------------------- statistics -- */

static void
auc_is_that_of_its_definition(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        struct auc_time t[40];
        double pairs = 0, n = 0;
        size_t size = 2 + timing_draw(&rng, 38);

        for (size_t i = 0; i < size; i++)
            t[i] = (struct auc_time){timing_draw(&rng, 10),
                                     i == 0 || (i > 1 && timing_draw(&rng, 2))};
        for (size_t i = 0; i < size; i++)
            for (size_t k = 0; k < size; k++)
                if (t[i].second && !t[k].second) {
                    pairs += t[i].time > t[k].time    ? 1
                             : t[i].time == t[k].time ? 0.5
                                                      : 0;
                    n++;
                }
        assert_true(fabs(auc_of(t, size) - pairs / n) < 1e-12);
    }
}

static void
auc_sees_what_there_is(void **state)
{
    struct auc_time t[2000];

    (void)state;
    for (size_t i = 0; i < 2000; i++)
        t[i] = (struct auc_time){1000 + timing_draw(&rng, 100), i % 2};
    assert_true(fabs(auc_of(t, 2000) - 0.5) < 0.06);
    for (size_t i = 0; i < 2000; i++)
        t[i].time += t[i].second ? 20 : 0;
    assert_true(fabs(auc_of(t, 2000) - 0.68) < 0.06); /* 1 - 0.8^2 / 2 */
    for (size_t i = 0; i < 2000; i++)
        t[i].time += t[i].second ? 100 : 0;
    assert_true(auc_of(t, 2000) > 0.999);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auc_is_that_of_its_definition),
        cmocka_unit_test(auc_sees_what_there_is),
        cmocka_unit_test(presence_is_not_in_the_time),
        cmocka_unit_test(joins_are_measured),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
