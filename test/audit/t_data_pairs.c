/*
 * Pairs of data sets: every generated pair consists of neighbours, and files of
 * pairs are read or refused with the line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "audit/data_pairs.h"

static struct data_pairs p;

static int
compare(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;

    return a < b ? -1 : a > b;
}

/* How many rows of a are not in b, as multisets. */
static size_t
rows_missing(const struct data *a, const struct data *b)
{
    double x[100], y[100];
    size_t missing = 0, j = 0;

    memcpy(x, a->value, a->n * sizeof *x);
    memcpy(y, b->value, b->n * sizeof *y);
    qsort(x, a->n, sizeof *x, compare);
    qsort(y, b->n, sizeof *y, compare);
    for (size_t i = 0; i < a->n; i++) {
        while (j < b->n && y[j] < x[i])
            j++;
        if (j < b->n && y[j] == x[i])
            j++;
        else
            missing++;
    }
    return missing;
}

static void
generated_pairs_are_neighbours(void **state)
{
    static const size_t rows[] = {1, 2, 3, 10};
    struct data_pairs_options o = {-3, 7, CUSTOS_ADD_REMOVE, rows, 4};
    custos_err err = CUSTOS_ERR_INIT;
    bool has_empty = false, moved_order = false;

    (void)state;
    for (int way = 0; way < 2; way++) {
        o.adjacency = way ? CUSTOS_CHANGE_ONE : CUSTOS_ADD_REMOVE;
        assert_int_equal(data_pairs_make(&o, &p, &err), CUSTOS_OK);
        assert_true(p.n >= 8);
        for (size_t i = 0; i < p.n; i++) {
            const struct pair *q = &p.pair[i];

            assert_int_equal(rows_missing(&q->a, &q->b), 1);
            assert_int_equal(rows_missing(&q->b, &q->a), way);
            for (size_t k = 0; k < q->a.n; k++)
                assert_true(q->a.value[k] >= -3 && q->a.value[k] <= 7);
            has_empty = has_empty || !q->b.n;
            moved_order =
                moved_order || (q->b.n > 2 && q->b.value[0] > q->b.value[1]);
        }
        data_pairs_clear(&p);
    }
    assert_true(has_empty && moved_order);
    o.low = o.high = 1; /* one value: what differs is the number of rows */
    o.adjacency = CUSTOS_ADD_REMOVE;
    assert_int_equal(data_pairs_make(&o, &p, &err), CUSTOS_OK);
    assert_int_equal(p.n, 4);
    data_pairs_clear(&p);
}

static custos_status
read_pairs(const char *text, custos_err *err)
{
    return data_pairs_read(str_of(text), &p, err);
}

static void
files_are_read(void **state)
{
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(
        read_pairs("# mine\n1\n-2.5e3\r\n\n 0x10 \n--\n\n4\n\n--\n3\n\n", &err),
        CUSTOS_OK);
    assert_int_equal(p.n, 3);
    assert_int_equal(p.pair[0].a.n, 2);
    assert_true(p.pair[0].a.value[1] == -2500 && p.pair[0].b.value[0] == 16);
    assert_int_equal(p.pair[1].a.n, 0); /* an empty data set */
    assert_int_equal(p.pair[1].b.n, 1);
    assert_int_equal(p.pair[2].a.n, 1);
    assert_int_equal(p.pair[2].b.n, 0);
    data_pairs_clear(&p);
    assert_int_equal(read_pairs("1\n\n2", &err), CUSTOS_OK);
    assert_int_equal(p.n, 1);
    data_pairs_clear(&p);
    assert_int_equal(read_pairs("1\n\n2\n--\n", &err), CUSTOS_OK);
    assert_int_equal(p.n, 1);
    data_pairs_clear(&p);
}

static void
wrong_files_are_refused(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "one data set"},
        {"1\n2\n", "line 2: the pair has one data set"},
        {"1\n--\n2\n\n3\n", "line 2: the pair has one data set"},
        {"1\n\n2\n\n3\n", "line 5: a third data set"},
        {"1\n\nx\n", "line 3: 'x' is not a number"},
        {"1 2\n\n3\n", "line 1: '1 2' is not a number"},
    };
    char *many = calloc(1, 4 * DATA_PAIRS_MAX + 5);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        custos_err err = CUSTOS_ERR_INIT;

        assert_int_equal(read_pairs(cases[i].text, &err), CUSTOS_EPARSE);
        assert_non_null(strstr(err.said, cases[i].says));
        assert_int_equal(p.n, 0);
    }
    assert_non_null(many);
    for (size_t i = 0; i <= DATA_PAIRS_MAX; i++)
        memcpy(many + 4 * i, "\n--\n", 4);
    assert_int_equal(read_pairs(many, NULL), CUSTOS_EPARSE);
    free(many);
}

static void
data_sets_are_described(void **state)
{
    double many[100];
    char text[200];

    (void)state;
    for (size_t i = 0; i < 100; i++)
        many[i] = 0.5;
    data_describe(&(struct data){many, 0}, text, sizeof text);
    assert_string_equal(text, "{}");
    data_describe(&(struct data){many, 2}, text, sizeof text);
    assert_string_equal(text, "{0.5, 0.5}");
    many[0] = 0x1p53 - 1; /* neighbours must look different */
    many[1] = 0.1 + 0x1p-56;
    data_describe(&(struct data){many, 2}, text, sizeof text);
    assert_string_equal(text, "{9007199254740991, 0.10000000000000002}");
    many[0] = many[1] = 0.5;
    data_describe(&(struct data){many, 100}, text, sizeof text);
    assert_string_equal(text, "{0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, "
                              "0.5, 0.5, 0.5, ... 88 more}");
    data_describe(&(struct data){many, 100}, text, 10); /* no room */
    assert_int_equal(strlen(text), 9);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_pairs_are_neighbours),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(data_sets_are_described),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
