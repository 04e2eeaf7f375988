/*
 * Groups that come from the data, through the whole path.
 */
#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "support/hospital.h"
#include "support/support.h"

enum { TEXT_MOST = 1 << 20 };

static const char policy[] =
    "custos: 1\n"
    "adjacency: add-remove\n"
    "budget: {epsilon: 1000, delta: 1e-3, n: 900}\n"
    "query: {epsilon: 2, max_epsilon: 10, delta: 1e-4, max_groups: 100}\n"
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

static struct test_store files;
static struct curator *c;

/* 200 with a cold, 300 with the flu, 150 without a word, one with a secret. */
static const char *
diagnosis_of(int id)
{
    return id == 651 ? "secret" : id > 500 ? "" : id > 200 ? "flu" : "cold";
}

static int
begin(void **state)
{
    struct buf patients, visits;
    custos_err err;

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
    test_store_init(&files);
    if (curator_open(files.store, &c, &err))
        fail_msg("%s (%s)", err.said, err.noted);
    return 0;
}

static int
end(void **state)
{
    (void)state;
    curator_close(c);
    c = NULL;
    test_store_remove(&files);
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

static void
large_groups_are_shown(void **state)
{
    struct answer *a =
        test_ask(c, "",
                 "SELECT diagnosis, count(*), count(DISTINCT id), avg(age) "
                 "FROM patients GROUP BY diagnosis",
                 "");

    (void)state;
    for (size_t i = 0; i < a->n_rows; i++)
        print_message("%zu: %lld\n", i, (long long)test_whole(a, i, 1));
    print_message("%s\n", a->remarks.ptr);
    assert_int_equal(a->n_rows, 3);
    is_text(a, 0, 0, "cold");
    is_text(a, 1, 0, "flu");
    is_text(a, 2, 0, NULL);
    answer_free(a);
    a = test_ask(c, "",
                 "EXPLAIN SELECT reason, count(*), count(DISTINCT patient), "
                 "sum(cost) FROM visits GROUP BY reason",
                 "");
    for (size_t i = 0; i < a->n_rows; i++)
        print_message("%s\n", a->cells[i].value.text.ptr);
    answer_free(a);
    a = test_ask(c, "",
                 "SELECT reason, count(*), count(DISTINCT patient), sum(cost) "
                 "FROM visits GROUP BY reason",
                 "");
    for (size_t i = 0; i < a->n_rows; i++)
        print_message("%zu: %lld\n", i, (long long)test_whole(a, i, 1));
    answer_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_groups_are_shown),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
