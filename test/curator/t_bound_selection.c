/*
 * Bound selection, end to end: queries over tables without rows_per_unit, with
 * the noise off and on.
 */
#include "curator/bound_selection.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "curator/opened.h"
#include "engine/made.h"
#include "plan/part/bound_selection.h"
#include "sql/tree.h"
#include "support/said.h"
#include "support/support.h"

enum { UNITS = 400, TEXT_MOST = 1 << 22 };

/*
 * Unit u has 20 + u % 21 rows in v; x is 1 in the first of them and 0 in the
 * others.
 */
static const char policy[] =
    "custos: 1\n"
    "budget: {epsilon: 100, delta: 1e-3, n: 500}\n"
    "query: {epsilon: 1, delta: 1e-6}\n"
    "tables:\n"
    "  people:\n"
    "    source: people.csv\n"
    "    unit: id\n"
    "    columns:\n"
    "      id: {type: integer}\n"
    "      age: {type: integer, range: [0, 99]}\n"
    "  v:\n"
    "    source: v.csv\n"
    "    unit: who\n"
    "    columns:\n"
    "      who: {type: integer, references: people.id}\n"
    "      x: {type: integer, range: [0, 1]}\n"
    "      name: {type: text}\n"
    "      note: {type: text}\n"
    "  sides:\n"
    "    public: true\n"
    "    source: sides.csv\n"
    "    columns: {x: {type: integer}}\n";

static int
rows_of(int u)
{
    return 20 + u % 21;
}

static int
all_rows(void)
{
    int n = 0;

    for (int u = 0; u < UNITS; u++)
        n += rows_of(u);
    return n;
}

/*
 * The note is long and unique, so that notes have separate blocks in the store.
 */
static void
add_visit(struct buf *b, uint64_t *seed, int u, int k)
{
    buf_printf(b, "%d,%d,%s,", u, k == 0, k < 9 ? "a" : "b");
    for (int i = 0; i < 4; i++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        buf_printf(b, "%016llx", (unsigned long long)(*seed ^ *seed >> 31));
    }
    buf_add_text(b, "\n");
}

static int
begin(void **state)
{
    struct buf people, v;
    uint64_t seed = 1;

    (void)state;
    test_rng_new_silent();
    buf_init(&people, NULL, TEXT_MOST);
    buf_init(&v, NULL, TEXT_MOST);
    buf_add_text(&people, "id,age\n");
    buf_add_text(&v, "who,x,name,note\n");
    for (int u = 0; u < UNITS; u++) {
        buf_printf(&people, "%d,%d\n", u, u % 100);
        for (int k = 0; k < rows_of(u); k++)
            add_visit(&v, &seed, u, k);
    }
    assert_false(people.failed || v.failed);
    test_store_write(&files, policy, "people.csv", buf_text(&people), "v.csv",
                     buf_text(&v), "sides.csv", "x\n0\n0\n1\n", NULL);
    buf_clear(&people);
    buf_clear(&v);
    open_store();
    return 0;
}

static bool
says(const struct answer *a, const char *what)
{
    return strstr(a->remarks.ptr, what) != NULL;
}

/*
 * With the noise off and epsilon 1, the bound is the first that at most 48
 * units exceed. 152 units have more than 32 rows, none more than 40.
 */
static void
the_race_takes_the_first_bound_that_few_pass(void **state)
{
    int all = all_rows(), squares = 0;

    for (int u = 0; u < UNITS; u++)
        squares += rows_of(u) * rows_of(u);
    const struct {
        const char *sql, *bound;
        int64_t value;
    } asked[] = {
        {"SELECT count(*) FROM v", "at most 64 rows of each who count", all},
        {"SELECT sum(x) FROM v", "at most 64 rows", UNITS},
        {"SELECT count(*) FROM v WHERE x = 1", "at most 1 row of", UNITS},
        {"SELECT count(*) FROM v WHERE name = 'a'", "at most 16 rows",
         9 * UNITS},
        {"SELECT count(*) FROM v WHERE who < 24", "at most 1 row of", 24},
        {"SELECT count(*) FROM v JOIN people ON who = id", "at most 64 rows of",
         all},
        {"SELECT count(*) FROM v JOIN sides ON v.x = sides.x",
         "at most 128 pairs", 2 * all - UNITS},
        {"SELECT count(*) FROM v a JOIN v b ON a.who = b.who",
         "at most 64 rows of v", squares},
        {"SELECT count(*) FROM (SELECT who FROM v UNION ALL SELECT id FROM "
         "people) u",
         "at most 64 rows of v and 1 row of people", all + UNITS},
        {"SELECT sum(n) FROM (SELECT who, count(*) AS n FROM v GROUP BY who) u",
         "at most 64 rows of v", all},
        {"SELECT count(distinct x) FROM v", "at most 64 rows", 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct answer *a = test_ask(c, "", asked[i].sql, "1");

        if (test_whole(a, 0, 0) != asked[i].value || !says(a, asked[i].bound) ||
            !says(a, "this bound was chosen from the data, for an epsilon of "
                     "0.25"))
            fail_msg("%s: %lld not %lld\n%s", asked[i].sql,
                     (long long)test_whole(a, 0, 0), (long long)asked[i].value,
                     a->remarks.ptr);
        answer_free(a);
    }
}

/* Discovered groups, and quantiles, after a bound selection. */
static void
any_query_may_follow(void **state)
{
    struct answer *a =
        test_ask(c, "", "SELECT name, count(*) FROM v GROUP BY name", "4");

    (void)state;
    assert_int_equal(a->n_rows, 2);
    assert_int_equal(test_whole(a, 0, 1), 9 * UNITS);
    assert_int_equal(test_whole(a, 1, 1), all_rows() - 9 * UNITS);
    answer_free(a);
    /* If each unit counts once, no bound selection is needed. */
    a = test_ask(c, "", "SELECT count(distinct who) FROM v", "1");
    assert_int_equal(test_whole(a, 0, 0), UNITS);
    assert_false(says(a, "chosen"));
    answer_free(a);
    /* Nor if the query itself has a bound. */
    a = test_ask(c, "",
                 "SELECT WITH DIFFERENTIAL_PRIVACY "
                 "OPTIONS(max_rows_contributed = 10) count(*) FROM v",
                 "1");
    assert_int_equal(test_whole(a, 0, 0), 10 * UNITS);
    assert_false(says(a, "chosen"));
    answer_free(a);
    test_rng_new_seeded(3); /* quantiles need coins */
    reopen();
    a = test_ask(c, "", "SELECT median(x) FROM v", "4");
    assert_true(says(a, "at most 64 rows"));
    answer_free(a);
}

/*
 * With noise the count is near the truth (one row of each unit would be 3 % of
 * it). The price is charged once, and asking again is free.
 */
static void
a_race_is_one_charge(void **state)
{
    static const char sql[] = "SELECT count(*) FROM v";
    struct answer *a, *b;
    char left[64];

    (void)state;
    test_rng_new_seeded(5);
    reopen();
    a = test_ask(c, "", "EXPLAIN SELECT count(*) FROM v", "1");
    assert_true(a->explained);
    answer_free(a);
    assert_string_equal(test_left(c, "", left), "100");
    a = test_ask(c, "", sql, "1");
    assert_string_equal(test_left(c, "", left), "99");
    assert_true(str_equal(a->epsilon, str_of("1")));
    assert_true(fabs((double)test_whole(a, 0, 0) - all_rows()) <=
                0.05 * all_rows());
    assert_true(a->cells[0].has_bar);
    b = test_ask(c, "", sql, "1");
    assert_true(b->stored);
    assert_int_equal(test_whole(a, 0, 0), test_whole(b, 0, 0));
    assert_true(str_equal(a->remarks, b->remarks));
    assert_string_equal(test_left(c, "", left), "99");
    answer_free(a);
    answer_free(b);
}

/*
 * The bound selection reads ranks, which the engine has read before; the query
 * after it reads the damaged part of the file.
 */
static void
what_fails_after_a_race_stays_paid(void **state)
{
    char path[128], left[64];
    struct stat is;
    custos_err err = CUSTOS_ERR_INIT;
    int fd;

    (void)state;
    answer_free(test_ask(c, "", "SELECT count(*) FROM v", "1"));
    snprintf(path, sizeof path, "%s/data/1.duckdb", files.store);
    fd = open(path, O_WRONLY);
    assert_true(fd >= 0 && fstat(fd, &is) == 0);
    for (off_t at = 3 * 4096; at < is.st_size; at += 512) {
        char zeros[512] = {0};

        assert_true(pwrite(fd, zeros, sizeof zeros, at) == sizeof zeros);
    }
    assert_int_equal(close(fd), 0);
    assert_int_equal(
        test_refused(c, "", "SELECT count(distinct note) FROM v", "1", &err),
        CUSTOS_EENGINE);
    assert_string_equal(whole_said(&err), custos_status_words(CUSTOS_EENGINE));
    assert_string_equal(test_left(c, "", left), "98");
}

/* ------------------------------------------------------------------- law -- */

/* above[j]: how many units have more than 2^j rows. */
static void
law_open(struct made *m, const int *above, int n)
{
    static const char law[] =
        "custos: 1\nbudget: {epsilon: 100}\nquery: {epsilon: 1}\ntables:\n"
        "  v:\n    source: v.csv\n    unit: who\n    columns:\n"
        "      who: {type: integer}\n";
    struct buf b;

    made_folder(m);
    buf_init(&b, NULL, TEXT_MOST);
    buf_add_text(&b, "who\n");
    for (int u = 0; u < UNITS; u++) {
        int rows = 1;

        for (int j = 0; j < n; j++)
            rows += u < above[j] ? 1 << j : 0;
        for (int k = 0; k < rows; k++)
            buf_printf(&b, "%d\n", u);
    }
    assert_false(b.failed);
    made_file(m, "v.csv", buf_text(&b));
    buf_clear(&b);
    made_ready(m, law);
}

/* How often, in `runs` bound selections, the chosen bound is below 2^j. */
static int
law_below(struct made *m, int j, int runs)
{
    custos_rng *rng = NULL;
    struct plan *p = NULL;
    const struct plan *taken;
    struct query *q = NULL;
    int n = 0;

    test_rng_new_seeded(77);
    assert_int_equal(custos_rng_new(&rng, &m->err), CUSTOS_OK);
    assert_int_equal(
        sql_read(m->a, str_of("SELECT count(*) FROM v"), &q, &m->err),
        CUSTOS_OK);
    assert_int_equal(plan_make(m->a, q, m->policy, NULL, &p, &m->err),
                     CUSTOS_OK);
    assert_true(plan_bound_selection(p) && plan_bound_selection(p)->few == 48 &&
                plan_bound_selection(p)->most == 112);
    for (int i = 0; i < runs; i++) {
        assert_int_equal(
            bound_selection_run(m->engine, rng, p, &taken, &m->err), CUSTOS_OK);
        n += taken->rows < (uint64_t)1 << j;
    }
    plan_free(p);
    custos_rng_free(rng);
    test_rng_new_silent();
    return n;
}

/* Both statements of theorem bound-race about its noise. */
static void
few_units_have_more_than_the_bound(void **state)
{
    static const int many[] = {200, 150, 113, 60, 30, 10}, none[] = {0};
    int runs = test_size(150, 1000), early, late;
    struct made m;

    (void)state;
    law_open(&m, many, 6);
    early = law_below(&m, 3, runs); /* 1, 2, 4: 113 or more units exceed each */
    made_close(&m);
    law_open(&m, none, 1);
    late = runs - law_below(&m, 1, runs); /* no unit has 2 rows */
    made_close(&m);
    print_message("# %d races: %d too early, %d too late\n", runs, early, late);
    assert_true(early <= runs / 20);
    assert_true(late <= runs / 50); /* 0.5 % by the exact law */
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(the_race_takes_the_first_bound_that_few_pass),
        TEST(any_query_may_follow),
        TEST(a_race_is_one_charge),
        TEST(what_fails_after_a_race_stays_paid),
        cmocka_unit_test(few_units_have_more_than_the_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
