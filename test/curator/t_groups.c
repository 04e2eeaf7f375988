/*
 * Discovered groups, through the complete curator.
 */
#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "evaluate/evaluate.h"
#include "curator/opened.h"
#include "support/said.h"
#include "support/support.h"

enum { TEXT_MOST = 1 << 20 };

static const char policy[] =
    "custos: 1\n"
    "adjacency: add-remove\n"
    "budget: {epsilon: 1000, delta: 1e-3, n: 900}\n"
    "query: {epsilon: 2, max_epsilon: 10, delta: 1e-5, max_groups: 100}\n"
    "tables:\n"
    "  patients:\n"
    "    source: patients.csv\n"
    "    unit: id\n"
    "    columns:\n"
    "      id: {type: integer, nullable: false}\n"
    "      age: {type: integer, range: [0, 100], nullable: false}\n"
    "      diagnosis: {type: text}\n"
    "      income: {type: integer}\n"
    "      seen: {type: date}\n"
    "      ward: {type: text, values: [north, south]}\n"
    "  visits:\n"
    "    source: visits.csv\n"
    "    unit: patient\n"
    "    rows_per_unit: 3\n"
    "    groups_per_unit: 2\n"
    "    columns:\n"
    "      patient: {type: integer, references: patients.id}\n"
    "      cost: {type: decimal, scale: 2, range: [0, 100]}\n"
    "      reason: {type: text}\n"
    "analysts:\n"
    "  ana: {tables: {patients: [age, diagnosis]}}\n";

/* 200 have a cold, 300 the flu, 150 no diagnosis, and one has a secret. */
static const char *
diagnosis_of(int id)
{
    return id == 651 ? "secret" : id > 500 ? "" : id > 200 ? "flu" : "cold";
}

static int
begin(void **state)
{
    struct buf patients, visits;

    (void)state;
    buf_init(&patients, NULL, TEXT_MOST);
    buf_init(&visits, NULL, TEXT_MOST);
    buf_add_text(&patients, "id,age,diagnosis,income,seen,ward\n");
    buf_add_text(&visits, "patient,cost,reason\n");
    for (int i = 1; i <= 651; i++) {
        buf_printf(&patients, "%d,%d,%s,%d,2020-01-%02d,%s\n", i, i % 50,
                   diagnosis_of(i), i % 3 * 1000000000, 1 + i % 4,
                   i % 2 ? "north" : "south");
        for (int k = 0; k < 4; k++)
            buf_printf(&visits, "%d,%d.50,%s\n", i, i % 50,
                       k % 2 ? "pain" : "fever");
    }
    test_rng_new_silent();
    test_store_write(&files, policy, "patients.csv", buf_text(&patients),
                     "visits.csv", buf_text(&visits), NULL);
    buf_clear(&patients);
    buf_clear(&visits);
    open_store();
    return 0;
}

static void
is_text(const struct answer *a, size_t row, size_t column, const char *text)
{
    const struct datum *d = &a->cells[row * a->n_columns + column].value;

    if (!text) {
        assert_int_equal(d->type, TYPE_NULL);
        return;
    }
    assert_int_equal(d->type, TYPE_TEXT);
    assert_true(str_equal(d->text, str_of(text)));
}

/* ------------------------------------------------------------ what is shown -- */

static void
large_groups_are_shown(void **state)
{
    struct answer *a =
        test_ask(c, "",
                 "SELECT diagnosis, count(*), count(DISTINCT id), avg(age) "
                 "FROM patients GROUP BY diagnosis",
                 "");

    (void)state;
    assert_int_equal(a->n_rows, 3);
    is_text(a, 0, 0, "cold");
    is_text(a, 1, 0, "flu");
    is_text(a, 2, 0, NULL);
    for (size_t k = 1; k <= 2; k++) {
        assert_int_equal(test_whole(a, 0, k), 200);
        assert_int_equal(test_whole(a, 1, k), 300);
        assert_int_equal(test_whole(a, 2, k), 150);
    }
    assert_non_null(strstr(a->remarks.ptr, "small groups are not shown"));
    answer_free(a);
}

/* Keys of all types, alone and with public keys; sorted, NULL last. */
static void
keys_of_every_kind(void **state)
{
    struct answer *a = test_ask(c, "",
                                "SELECT income, count(*) FROM patients GROUP "
                                "BY income",
                                "");

    (void)state;
    assert_int_equal(a->n_rows, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(test_whole(a, i, 0), (int64_t)i * 1000000000);
        assert_int_equal(test_whole(a, i, 1), 217);
    }
    answer_free(a);
    a = test_ask(c, "",
                 "SELECT seen, ward, count(*) FROM patients WHERE age < 40 "
                 "GROUP BY seen, ward",
                 "");
    assert_int_equal(a->n_rows, 4); /* each day has one ward here */
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(a->cells[3 * i].value.type, TYPE_DATE);
        assert_int_equal(a->cells[3 * i].value.n,
                         date_days(2020, 1, 1) + (int64_t)i);
        is_text(a, i, 1, i % 2 ? "north" : "south");
    }
    answer_free(a);
    a = test_ask(c, "",
                 "SELECT lower(diagnosis) || '!' AS k, count(*) AS n FROM "
                 "patients GROUP BY 1 HAVING count(*) > 160 ORDER BY n DESC "
                 "LIMIT 1",
                 "");
    assert_int_equal(a->n_rows, 1);
    is_text(a, 0, 0, "flu!");
    answer_free(a);
}

/* Three rows of each unit, in both groups: bounding by fold. */
static void
parts_follow_the_choice(void **state)
{
    struct answer *a =
        test_ask(c, "",
                 "SELECT reason, count(*), count(DISTINCT patient), sum(cost) "
                 "FROM visits GROUP BY reason",
                 "");

    (void)state;
    assert_int_equal(a->n_rows, 2);
    is_text(a, 0, 0, "fever");
    is_text(a, 1, 0, "pain");
    assert_int_equal(test_whole(a, 0, 1) + test_whole(a, 1, 1), 3 * 651);
    assert_int_equal(test_whole(a, 0, 2), 651);
    assert_int_equal(test_whole(a, 1, 2), 651);
    answer_free(a);
}

/*
 * At least two people: without noise the optimal rule would show groups of one.
 */
#define AT_LEAST_TWO                                                           \
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(min_privacy_units_per_group = "  \
    "2) "

/*
 * Without an aggregate, only partition selection runs: in every way of
 * bounding, at the full price.
 */
static void
keys_alone_are_chosen(void **state)
{
    static const char *const queries[] = {
        AT_LEAST_TWO "diagnosis FROM patients GROUP BY diagnosis",
        AT_LEAST_TWO "DISTINCT diagnosis FROM patients",
        AT_LEAST_TWO "DISTINCT diagnosis FROM patients WHERE age < 60",
        AT_LEAST_TWO "DISTINCT p.diagnosis FROM visits v JOIN patients p ON "
                     "v.patient = p.id",
    };
    static const char *const both[] = {
        AT_LEAST_TWO "DISTINCT reason FROM visits",
        AT_LEAST_TWO "reason FROM visits WHERE cost < 90 GROUP BY reason",
    };
    struct answer *a;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(queries); i++) {
        a = test_ask(c, "", queries[i], "");
        assert_int_equal(a->n_rows, 3);
        is_text(a, 0, 0, "cold");
        is_text(a, 1, 0, "flu");
        is_text(a, 2, 0, NULL);
        assert_string_equal(a->epsilon.ptr, "2");
        assert_non_null(strstr(a->remarks.ptr, "small groups are not shown"));
        answer_free(a);
    }
    for (size_t i = 0; i < COUNT_OF(both); i++) {
        a = test_ask(c, "", both[i], "");
        assert_int_equal(a->n_rows, 2);
        is_text(a, 0, 0, "fever");
        is_text(a, 1, 0, "pain");
        answer_free(a);
    }
    /* Public values need no private query. */
    assert_int_equal(
        test_refused(c, "", "SELECT DISTINCT ward FROM patients", "", &err),
        CUSTOS_EUNSUPPORTED);
    assert_non_null(strstr(whole_said(&err), "north, south"));
}

/* A group of one person and a word that nobody has give the same answer. */
static void
suppressed_looks_like_absent(void **state)
{
    struct answer *a =
        test_ask(c, "",
                 "SELECT diagnosis, count(*) FROM patients WHERE diagnosis = "
                 "'secret' GROUP BY diagnosis",
                 "");
    struct answer *b =
        test_ask(c, "",
                 "SELECT diagnosis, count(*) FROM patients WHERE diagnosis = "
                 "'nobody' GROUP BY diagnosis",
                 "");

    (void)state;
    assert_int_equal(a->n_rows, 0);
    assert_int_equal(b->n_rows, 0);
    assert_true(str_equal(a->remarks, b->remarks));
    assert_true(str_equal(a->delta, b->delta));
    answer_free(a);
    answer_free(b);
}

static void
the_same_groups_again_are_free(void **state)
{
    static const char sql[] = "SELECT diagnosis, sum(age) FROM patients GROUP "
                              "BY diagnosis";
    struct answer *a = test_ask(c, "", sql, "");
    char before[64], after[64];
    struct answer *b;

    (void)state;
    test_left(c, "", before);
    b = test_ask(c, "", sql, "");
    assert_string_equal(before, test_left(c, "", after));
    assert_true(b->stored && !a->stored);
    assert_int_equal(a->n_rows, b->n_rows);
    for (size_t i = 0; i < a->n_rows * a->n_columns; i++)
        assert_true(a->cells[i].value.type == b->cells[i].value.type &&
                    (a->cells[i].value.type == TYPE_NULL ||
                     !datum_cmp(&a->cells[i].value, &b->cells[i].value)));
    answer_free(a);
    answer_free(b);
}

/* --------------------------------------------------------------- delta -- */

enum { LONE = 40000 };

/* Groups of one person each, with real noise. */
static struct answer *
ask_lone(const char *sql, const char *adjacency, const char *delta)
{
    static char text[4096];
    struct test_store lone;
    struct buf rows;
    struct answer *a;
    struct curator *with = NULL;

    snprintf(
        text, sizeof text,
        "custos: 1\nadjacency: %s\n"
        "budget: {epsilon: 1000, delta: 0.9}\n"
        "query: {epsilon: 1, delta: %s}\n"
        "tables:\n  t:\n    source: t.csv\n    unit: id\n    rows_per_unit: 1\n"
        "    columns:\n      id: {type: integer}\n"
        "      name: {type: text}\n      x: {type: integer,\n"
        "          range: [0, 1]}\n",
        adjacency, delta);
    buf_init(&rows, NULL, TEXT_MOST);
    buf_add_text(&rows, "id,name,x\n");
    for (int i = 0; i < LONE; i++)
        buf_printf(&rows, "%d,n%d,1\n", i, i);
    assert_false(rows.failed);
    test_store_write(&lone, text, "t.csv", buf_text(&rows), NULL);
    buf_clear(&rows);
    test_store_init(&lone);
    test_rng_new_seeded(20261116);
    with = test_open(&lone);
    a = test_ask(with, "", sql, "");
    curator_close(with);
    test_store_remove(&lone);
    test_rng_new_silent();
    return a;
}

/*
 * The number of groups shown is binomial: LONE groups of one person, each shown
 * with the probability delta that is charged. With fresh seeds, 6 deviations
 * would give a false alarm once in 10^8 runs; the seed is fixed.
 */
static void
count_lone(const char *sql, const char *adjacency, const char *delta, double p)
{
    struct answer *a = ask_lone(sql, adjacency, delta);
    double n = (double)a->n_rows, mean = LONE * p;

    print_message("# %zu of %d shown, %.1f expected (%s)\n", a->n_rows, LONE,
                  mean, sql);
    assert_true(mean > 50);
    assert_true(fabs(n - mean) <= 6 * sqrt(mean * (1 - p)));
    answer_free(a);
}

static void
lone_groups_come_out_with_delta(void **state)
{
    struct answer *a;

    (void)state;
    /* The optimal rule uses exactly the requested delta. */
    count_lone("SELECT name, sum(x) FROM t GROUP BY name", "add-remove", "0.01",
               0.01);
    count_lone("SELECT DISTINCT name FROM t", "add-remove", "0.01", 0.01);
    /*
     * Under change-one a person leaves one group and enters another: each
     * gets half of delta. (A sum would take half of it for Gaussian noise.)
     */
    count_lone("SELECT DISTINCT name FROM t", "change-one", "0.01", 0.005);
    /* A threshold has a delta of its own, the one charged. */
    a = ask_lone("SELECT name, count(*) FROM t GROUP BY name", "add-remove",
                 "0.01");
    count_lone("SELECT name, count(*) FROM t GROUP BY name", "add-remove",
               "0.01", strtod(a->delta.ptr, NULL));
    answer_free(a);
}

/*
 * Every group has one person and is shown by luck; 95 % of the error bars still
 * contain 1.
 */
static void
lucky_groups_have_honest_bars(void **state)
{
    struct answer *a = ask_lone("SELECT name, count(*) AS n FROM t GROUP BY "
                                "name",
                                "add-remove", "0.05");
    size_t held = 0;

    (void)state;
    assert_true(a->n_rows > 500);
    for (size_t i = 0; i < a->n_rows; i++) {
        const struct answer_cell *x = &a->cells[2 * i + 1];

        assert_true(x->has_bar && x->value.n > 1);
        held +=
            datum_cmp(&x->low, &(struct datum){.type = TYPE_INT, .n = 1}) <= 0;
    }
    assert_true(held >= a->n_rows * 94 / 100 && held < a->n_rows);
    answer_free(a);
}

/* ------------------------------------------------------------ quantiles -- */

/*
 * Groups of 400 people: x is 30 in a, 60 or more in b and c, NULL in d. One
 * more person is alone in a group.
 */
static void
write_spread(struct buf *rows)
{
    buf_add_text(rows, "id,name,x\n");
    for (int i = 0; i < 1600; i++) {
        static const char *const names[] = {"a", "b", "c", "d"};

        buf_printf(rows, "%d,%s,", i, names[i % 4]);
        if (i % 4 < 3)
            buf_printf(rows, "%d", i % 4 == 0 ? 30 : 60 + i / 4 % 10);
        buf_add_text(rows, "\n");
    }
    buf_add_text(rows, "9999,secret,5\n");
}

/*
 * Groups are selected first; then each has quantiles of its own values, with
 * error bars.
 */
static void
chosen_groups_have_quantiles(void **state)
{
    static const char *const froms[] = {"t", "t WHERE id >= 0",
                                        "t JOIN u ON t.id = u.id",
                                        "(SELECT name, x FROM t) AS s"};
    static const char text[] =
        "custos: 1\nbudget: {epsilon: 1000, delta: 0.1}\n"
        "query: {epsilon: 50, max_epsilon: 100, delta: 1e-6}\n"
        "tables:\n  t:\n    source: t.csv\n    unit: id\n"
        "    rows_per_unit: 2\n    groups_per_unit: 1\n"
        "    columns:\n      id: {type: integer}\n"
        "      name: {type: text}\n"
        "      x: {type: integer, range: [0, 100]}\n"
        "  u:\n    source: t.csv\n    unit: id\n    columns:\n"
        "      id: {type: integer}\n";
    struct test_store files_of;
    struct curator *with = NULL;
    struct buf rows;

    (void)state;
    buf_init(&rows, NULL, TEXT_MOST);
    write_spread(&rows);
    test_store_write(&files_of, text, "t.csv", buf_text(&rows), NULL);
    buf_clear(&rows);
    test_store_init(&files_of);
    test_rng_new_seeded(7);
    with = test_open(&files_of);
    for (size_t f = 0; f < COUNT_OF(froms); f++) {
        char sql[256];
        struct answer *a;

        snprintf(sql, sizeof sql,
                 "SELECT name, median(x), max(x), count(x) FROM %s GROUP BY "
                 "name",
                 froms[f]);
        a = test_ask(with, "", sql, "");
        assert_int_equal(a->n_rows, 4);
        for (size_t i = 0; i < 3; i++) {
            int64_t n = test_whole(a, i, 3);
            double median;

            is_text(a, i, 0, (const char *[]){"a", "b", "c"}[i]);
            assert_true(n > 390 && n < 410);
            median = datum_double(&a->cells[4 * i + 1].value);
            if (i == 0 ? median != 30 : median < 60 || median >= 70)
                fail_msg("%s: %zu: %g", sql, i, median);
            assert_true(datum_double(&a->cells[4 * i + 2].value) >= median);
            assert_true(a->cells[4 * i + 1].has_bar);
            assert_true(a->cells[4 * i + 2].has_bar);
        }
        is_text(a, 3, 0, "d");
        answer_free(a);
    }
    curator_close(with);
    test_store_remove(&files_of);
    test_rng_new_silent();
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_groups_are_shown),
        cmocka_unit_test(keys_of_every_kind),
        cmocka_unit_test(parts_follow_the_choice),
        cmocka_unit_test(keys_alone_are_chosen),
        cmocka_unit_test(suppressed_looks_like_absent),
        cmocka_unit_test(the_same_groups_again_are_free),
        cmocka_unit_test(lone_groups_come_out_with_delta),
        cmocka_unit_test(chosen_groups_have_quantiles),
        cmocka_unit_test(lucky_groups_have_honest_bars),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
