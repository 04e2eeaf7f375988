/*
 * The report for the owner: its numbers, on rows whose numbers are known, and its files.
 */
#include "release/judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "release/logistic.h"
#include "release/private_report.h"
#include "store/file.h"
#include "support/support.h"
#include "support/synth_sets.h"

enum { COLUMNS = 3, ROWS = 20000 };

/* Columns a, b, c: 2, 4 and 40 codes; c is ordered. */
struct table {
    struct schema schema;
    struct schema_column columns[COLUMNS];
    struct datum values[40];
    uint32_t size[COLUMNS];
    size_t column[COLUMNS];
    uint16_t code[2][COLUMNS][ROWS];
    const uint16_t *read[2][COLUMNS];
    struct judge_rows rows[2];
    arena *a;
};

static struct table *
table_new(void)
{
    static const char *const names[] = {"a<b", "b", "c"};
    static const uint32_t sizes[] = {2, 4, 40};
    struct table *t = calloc(1, sizeof *t);

    assert_non_null(t);
    t->a = arena_new(NULL, (size_t)1 << 28);
    for (size_t k = 0; k < 40; k++)
        t->values[k] = (struct datum){.type = TYPE_INT, .n = (int)k};
    for (size_t c = 0; c < COLUMNS; c++) {
        t->columns[c] = (struct schema_column){.name = str_of(names[c]),
                                               .type = TYPE_INT,
                                               .ordered = c == 2,
                                               .n = sizes[c],
                                               .place = c,
                                               .values = t->values};
        t->size[c] = sizes[c];
        t->column[c] = c;
        t->read[0][c] = t->code[0][c];
        t->read[1][c] = t->code[1][c];
    }
    t->schema = (struct schema){.table = str_of("t"),
                                .columns = t->columns,
                                .n = COLUMNS,
                                .domain = {COLUMNS, t->size},
                                .column = t->column};
    t->rows[0] = (struct judge_rows){0, t->read[0]};
    t->rows[1] = (struct judge_rows){0, t->read[1]};
    return t;
}

static void
table_free(struct table *t)
{
    arena_free(t->a);
    free(t);
}

static void
add(struct table *t, int side, unsigned a, unsigned b, unsigned c)
{
    const size_t i = t->rows[side].n++;

    t->code[side][0][i] = (uint16_t)a;
    t->code[side][1][i] = (uint16_t)b;
    t->code[side][2][i] = (uint16_t)c;
}

/* b often says a, and c says b. */
static void
add_random(struct table *t, int side, uint64_t *seed)
{
    const unsigned a = (unsigned)(synth_next(seed) % 2);
    const unsigned b =
        synth_next(seed) % 4 ? a : (unsigned)(synth_next(seed) % 4);

    add(t, side, a, b, (unsigned)(10 * b + synth_next(seed) % 10));
}

static struct judgement
judged(struct table *t)
{
    struct judgement j;

    assert_int_equal(judge(&t->schema, &t->rows[0], &t->rows[1], SIZE_MAX, t->a,
                           NULL, NULL, &j, NULL),
                     CUSTOS_OK);
    return j;
}

static void
equal_rows_are_as_near_as_can_be(void **state)
{
    struct table *t = table_new();
    uint64_t seed = 1;
    struct judgement j;

    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        add_random(t, 0, &seed);
    memcpy(t->code[1], t->code[0], sizeof t->code[1]);
    t->rows[1].n = ROWS;
    j = judged(t);
    assert_true(j.score_pairs == 1000 && j.score_triples == 1000);
    assert_true(j.like_percent == 100 && j.matches == 1);
    assert_true(j.columns[0].l1 == 0 && j.pairs[0].l1 == 0);
    assert_true(fabs(j.told_apart - 0.5) < 0.03 && j.propensity < 0.005);
    assert_true(fabs(j.learnt_from_true - j.learnt_from_synthetic) < 0.02);
    table_free(t);
}

/* Four rows a side: the numbers by hand. */
static void
small_tables_have_the_numbers_of_the_definitions(void **state)
{
    struct table *t = table_new();
    struct judgement j;

    (void)state;
    add(t, 0, 0, 0, 0);
    add(t, 0, 0, 0, 0);
    add(t, 0, 0, 1, 0);
    add(t, 0, 1, 1, 0);
    add(t, 1, 0, 0, 0);
    add(t, 1, 0, 1, 0);
    add(t, 1, 0, 1, 0);
    add(t, 1, 1, 0, 0);
    j = judged(t);
    /* a: equal; b: (2, 2) against (2, 2); c: equal. a, b: (2, 1, 0, 1)/4 against
       (1, 2, 1, 0)/4. */
    assert_true(j.columns[0].l1 == 0);
    assert_true(colset_same(j.pairs[0].set, synth_set("ab")));
    assert_true(j.pairs[0].l1 == 1 && j.pairs[1].l1 == 0);
    assert_true(fabs(j.score_pairs - 500 * (2 - 1 / 3.0)) < 1e-9);
    assert_true(fabs(j.score_triples - 500) < 1e-9);
    /* 0 0 and 0 1 are true rows, 1 0 is not; of the unique ones, 0 1 and 1 1, one has
       an equal. */
    assert_true(j.matches == 0.75 && j.unique_matches == 0.5);
    table_free(t);
}

static void
nothing_in_common_has_score_0(void **state)
{
    struct table *t = table_new();
    struct judgement j;

    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        add(t, 0, 0, i % 2, i % 10);
        add(t, 1, 1, 2 + i % 2, 30 + i % 10);
    }
    j = judged(t);
    assert_true(fabs(j.score_pairs) < 1e-9 && fabs(j.score_triples) < 1e-9);
    assert_true(j.like_percent <= 1 && j.matches == 0);
    assert_true(j.told_apart > 0.999 && j.propensity > 0.15);
    table_free(t);
}

/* A fresh sample of a tenth of the rows is like one of 10 percent; fixed seeds, and far
   from the next samples, 5 and 20 percent. */
static void
a_sample_is_like_one_of_its_size(void **state)
{
    struct table *t = table_new();
    uint64_t seed = 5;
    struct judgement j;

    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        add_random(t, 0, &seed);
    for (size_t i = 0; i < ROWS; i++)
        if (synth_next(&seed) % 10 == 0)
            add(t, 1, t->code[0][0][i], t->code[0][1][i], t->code[0][2][i]);
    j = judged(t);
    assert_true(j.like_percent > 7 && j.like_percent < 14);
    table_free(t);
}

/* Columns alone say nothing when only their dependence is lost: pairs do. */
static void
lost_dependence_is_told_apart(void **state)
{
    struct table *t = table_new();
    uint64_t seed = 6;
    struct judgement j;

    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        add_random(t, 0, &seed);
    for (size_t i = 0; i < ROWS; i++)
        add(t, 1, t->code[0][0][(i + 7) % ROWS], t->code[0][1][i],
            t->code[0][2][i]);
    j = judged(t);
    assert_true(j.columns[0].l1 == 0);
    assert_true(j.told_apart > 0.65 && j.propensity > 0.02);
    assert_int_equal(j.target, 0);
    assert_true(j.learnt_from_true > 0.75);
    assert_true(j.learnt_from_synthetic < 0.6);
    table_free(t);
}

static void
areas_are_those_of_the_ranks(void **state)
{
    const struct example x[] = {
        {.label = true}, {.label = false}, {.label = true}, {.label = false}};
    const double chance[] = {0.9, 0.5, 0.5, 0.1}, same[] = {1, 1, 1, 1};
    double area;

    (void)state;
    assert_int_equal(logistic_area(x, chance, 4, &area, NULL), CUSTOS_OK);
    assert_true(area == 3.5 / 4);
    assert_int_equal(logistic_area(x, same, 4, &area, NULL), CUSTOS_OK);
    assert_true(area == 0.5);
}

static void
no_rows_are_refused(void **state)
{
    struct table *t = table_new();
    struct judgement j;

    (void)state;
    add(t, 0, 0, 0, 0);
    assert_int_equal(judge(&t->schema, &t->rows[0], &t->rows[1], SIZE_MAX, t->a,
                           NULL, NULL, &j, NULL),
                     CUSTOS_EINVAL);
    table_free(t);
}

/* The page says what it is before all else, loads nothing, and only the owner may read
   it. */
static void
the_page_warns_and_is_for_the_owner_alone(void **state)
{
    static const char *const names[] = {"private-report.html",
                                        "private-report.json"};
    char folder[] = "/tmp/judge.XXXXXX", path[64];
    struct table *t = table_new();
    struct synthetic_rows synthetic;
    uint64_t seed = 7;
    struct stat st;
    str page;

    (void)state;
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < 500; i++) {
        add_random(t, 0, &seed);
        add_random(t, 1, &seed);
    }
    synthetic = (struct synthetic_rows){
        500, arena_take(t->a, 500 * COLUMNS, sizeof(uint16_t))};
    for (size_t c = 0; c < COLUMNS; c++)
        memcpy(synthetic.codes + 500 * c, t->code[1][c], 500 * 2);
    assert_int_equal(private_report_write(&t->schema, t->read[0], 500,
                                          &synthetic, SIZE_MAX, folder, NULL,
                                          NULL, NULL),
                     CUSTOS_OK);
    for (size_t i = 0; i < 2; i++) {
        const char *warning, *body;

        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0600);
        assert_int_equal(file_read(path, 1 << 20, t->a, &page, NULL),
                         CUSTOS_OK);
        warning = strstr(page.ptr, "NOT PRIVATE");
        body = strstr(page.ptr, i == 0 ? "<h1>" : "\"true_rows\"");
        assert_true(warning && body && warning < body);
        assert_null(strstr(page.ptr, "http"));
        assert_null(strstr(page.ptr, "<script"));
        assert_null(strstr(page.ptr, i == 0 ? "a<b" : "\x01"));
    }
    tree_remove(folder);
    table_free(t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_rows_are_as_near_as_can_be),
        cmocka_unit_test(small_tables_have_the_numbers_of_the_definitions),
        cmocka_unit_test(nothing_in_common_has_score_0),
        cmocka_unit_test(a_sample_is_like_one_of_its_size),
        cmocka_unit_test(lost_dependence_is_told_apart),
        cmocka_unit_test(areas_are_those_of_the_ranks),
        cmocka_unit_test(no_rows_are_refused),
        cmocka_unit_test(the_page_warns_and_is_for_the_owner_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
