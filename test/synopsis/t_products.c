/*
 * Tables and synthetic rows: they have the columns, types and NULLs of the schema, and
 * nothing that it does not allow.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "store/file.h"
#include "support/said.h"
#include "support/support.h"
#include "support/synopsis_made.h"
#include "support/synth_sets.h"
#include "synopsis/synthetic.h"
#include "synopsis/tables.h"
#include "synopsis/value.h"
#include "synth/fit.h"

#define HUNDREDTH ((amount)10000000000 * 100000000) /* rho = 10^-2 */

enum { LINE_MAX_BYTES = 4096, CELLS = 8 };

/* ------------------------------------------------------------------ values -- */

static void
check_value(const struct schema_column *c, uint32_t code, enum code_end end,
            const char *want)
{
    struct datum d = code_value(c, code, end);
    struct buf b;

    buf_init(&b, NULL, 1 << 10);
    datum_write(&d, &b);
    assert_string_equal(buf_text(&b), want);
    buf_clear(&b);
}

static void
codes_become_values_of_their_type(void **state)
{
    i128 eighths[] = {-1, 0, 8, 13}, tens[] = {0, 1, 2};
    i128 days[] = {date_days(2026, 2, 27), date_days(2026, 3, 2)};
    struct datum prices[] = {{.type = TYPE_INT, .n = 3},
                             {.type = TYPE_DECIMAL, .scale = 1, .n = 35}};
    const struct schema_column real = {.type = TYPE_REAL,
                                       .coding = SCHEMA_CUTS,
                                       .n = 3,
                                       .cuts = eighths,
                                       .base = 2,
                                       .digits = 3,
                                       .nullable = true};
    const struct schema_column whole = {.type = TYPE_DECIMAL,
                                        .scale = 2,
                                        .coding = SCHEMA_CUTS,
                                        .n = 2,
                                        .cuts = tens,
                                        .base = 10,
                                        .digits = 1};
    const struct schema_column day = {
        .type = TYPE_DATE, .coding = SCHEMA_CUTS, .n = 1, .cuts = days};
    const struct schema_column price = {.type = TYPE_DECIMAL,
                                        .scale = 2,
                                        .coding = SCHEMA_VALUES,
                                        .n = 2,
                                        .values = prices};

    (void)state;
    check_value(&real, 0, CODE_FIRST, "-0.1"); /* -1/8: its shortest decimal */
    check_value(&real, 1, CODE_FIRST, "0");
    check_value(&real, 1, CODE_LAST, "0.9");
    check_value(&real, 2, CODE_LAST, "1.5");
    assert_int_equal(code_value(&real, 3, CODE_LAST).type, TYPE_NULL);
    check_value(&whole, 1, CODE_LAST, "0.10");
    check_value(&day, 0, CODE_FIRST, "2026-02-27");
    check_value(&day, 0, CODE_LAST, "2026-03-01");
    check_value(&price, 0, CODE_FIRST, "3.00");
    check_value(&price, 1, CODE_FIRST, "3.50");
    assert_true(column_is_single(&whole) && column_is_single(&price));
    assert_false(column_is_single(&real));
}

/* All values of a run are drawn, the ends by the ends of the words. */
static void
drawn_values_are_those_of_the_run(void **state)
{
    i128 cuts[] = {10, 13};
    const struct schema_column c = {.type = TYPE_INT,
                                    .coding = SCHEMA_CUTS,
                                    .n = 1,
                                    .cuts = cuts,
                                    .base = 10};

    (void)state;
    assert_int_equal(code_drawn(&c, 0, 0).n, 10);
    assert_int_equal(code_drawn(&c, 0, UINT64_MAX / 3).n, 10);
    assert_int_equal(code_drawn(&c, 0, UINT64_MAX / 3 + 1).n, 11);
    assert_int_equal(code_drawn(&c, 0, UINT64_MAX).n, 12);
}

/* ------------------------------------------------------------------- files -- */

static void
new_folder(char path[64])
{
    strcpy(path, "/tmp/products.XXXXXX");
    assert_non_null(mkdtemp(path));
}

/* A file as lines of cells: no made value has a comma or a quote. */
struct lines {
    FILE *f;
    char line[LINE_MAX_BYTES];
    char *cell[CELLS];
    size_t n;
};

static bool
next_line(struct lines *l)
{
    if (!fgets(l->line, sizeof l->line, l->f))
        return false;
    l->line[strcspn(l->line, "\n")] = '\0';
    l->n = 0;
    for (char *at = l->line; at;) {
        assert_true(l->n < CELLS);
        l->cell[l->n++] = at;
        at = strchr(at, ',');
        if (at)
            *at++ = '\0';
    }
    return true;
}

static void
open_lines(struct lines *l, const char *dir, const char *name)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s.csv", dir, name);
    l->f = fopen(path, "re");
    assert_non_null(l->f);
}

static void
tables_have_values_estimates_and_errors(void **state)
{
    struct synopsis_made *m = synopsis_made_new(MADE_BY_AIM, 30 * HUNDREDTH, 5);
    struct tables_list list;
    struct lines l;
    char dir[64];
    size_t rows = 0, nulls = 0;
    double sum = 0;

    (void)state;
    new_folder(dir);
    assert_int_equal(tables_write(m->synopsis, NULL, TABLES_UNBIASED, dir,
                                  m->arena, NULL, NULL, &list, NULL),
                     CUSTOS_OK);
    assert_int_equal(list.n, m->synopsis->n_workload + 1);
    assert_string_equal(list.files[8].name.ptr, "09-smoker-cost");
    open_lines(&l, dir, "09-smoker-cost");
    assert_true(next_line(&l));
    assert_int_equal(l.n, 5);
    assert_string_equal(l.cell[0], "smoker");
    assert_string_equal(l.cell[1], "cost_from");
    assert_string_equal(l.cell[2], "cost_to");
    assert_string_equal(l.cell[3], "estimate");
    assert_string_equal(l.cell[4], "standard_error");
    while (next_line(&l)) {
        if (rows == 0) {
            assert_string_equal(l.cell[0], "false");
            assert_string_equal(l.cell[1], "0.00");
            assert_string_equal(l.cell[2], "124.99");
        }
        nulls += l.cell[0][0] == '\0';
        sum += atof(l.cell[3]);
        rows++;
    }
    fclose(l.f);
    assert_int_equal(rows, 3 * 8);
    assert_int_equal(nulls, 8);
    assert_true(fabs(sum - MADE_ROWS) < 300);
    open_lines(&l, dir, "index");
    for (rows = 0; next_line(&l); rows++)
        assert_int_equal(l.n, 4);
    assert_int_equal(rows, m->synopsis->n_workload + 1);
    fclose(l.f);
    tree_remove(dir);
    synopsis_made_free(m);
}

/* Consistent tables agree on what they share, and are nowhere negative: with little
   budget, unbiased ones are both not. */
static void
check_consistent(enum made_by method, const char *estimates)
{
    static const char *const of_sex[] = {"01-sex-smoker", "02-sex-ward",
                                         "05-sex-cost"};
    struct synopsis_made *m = synopsis_made_new(method, HUNDREDTH / 10, 6);
    struct tables_list list;
    double women[3] = {0};
    char dir[64];

    new_folder(dir);
    assert_int_equal(tables_write(m->synopsis, NULL, TABLES_CONSISTENT, dir,
                                  m->arena, NULL, NULL, &list, NULL),
                     CUSTOS_OK);
    for (size_t i = 0; i < 3; i++) {
        struct lines l;

        open_lines(&l, dir, of_sex[i]);
        assert_true(next_line(&l));
        while (next_line(&l)) {
            assert_true(atof(l.cell[l.n - 2]) >= 0);
            assert_string_equal(l.cell[l.n - 1], "");
            if (!strcmp(l.cell[0], "female"))
                women[i] += atof(l.cell[l.n - 2]);
        }
        fclose(l.f);
        assert_true(fabs(women[i] - women[0]) < 1e-4);
        assert_string_equal(list.facts[i].estimates, estimates);
    }
    tree_remove(dir);
    synopsis_made_free(m);
}

static void
consistent_tables_agree(void **state)
{
    (void)state;
    check_consistent(MADE_BY_MST, "model");
    check_consistent(MADE_BY_AIM, "model");
    check_consistent(MADE_BY_TABLES, "non-negative");
}

/* A chain a-b-c whose b has to be eliminated: the model's table of a and c would take more
   cells on the way than there is room for, so it is in the index alone. */
static void
consistent_tables_that_are_too_large_are_left_out(void **state)
{
    static const uint32_t size[3] = {300, 300, 300};
    static double values[300 * 300];
    const struct measurement ab = {synth_set("ab"), 1, values, NULL},
                             bc = {synth_set("bc"), 1, values, NULL};
    const struct colset sets[] = {synth_set("ac"), synth_set("ab")};
    arena *a = arena_new(NULL, 1 << 24);
    struct schema_column c[3];
    size_t place[3] = {0, 1, 2};
    struct schema schema = {str_of("t"), c, 3, {3, size}, place};
    struct synopsis s = {.schema = &schema, .workload = sets, .n_workload = 2};
    const struct fit_options fit = {1, 1, 1};
    struct fit_facts facts;
    struct tables_list list;
    i128 cuts[301];
    char dir[64];

    (void)state;
    new_folder(dir);
    for (size_t k = 0; k <= 300; k++)
        cuts[k] = (i128)k;
    for (size_t k = 0; k < COUNT_OF(values); k++)
        values[k] = 1;
    for (size_t i = 0; i < 3; i++)
        c[i] = (struct schema_column){.name = str_of("n"),
                                      .type = TYPE_INT,
                                      .coding = SCHEMA_CUTS,
                                      .n = 300,
                                      .place = i,
                                      .cuts = cuts,
                                      .base = 10};
    s.model = model_new(NULL, &schema.domain);
    assert_non_null(s.model);
    assert_int_equal(released_new(a, &schema.domain, &s.released, NULL),
                     CUSTOS_OK);
    assert_int_equal(model_add(s.model, &ab, NULL), CUSTOS_OK);
    assert_int_equal(model_add(s.model, &bc, NULL), CUSTOS_OK);
    assert_int_equal(model_build(s.model, NULL), CUSTOS_OK);
    assert_int_equal(model_fit(s.model, &fit, &facts, NULL), CUSTOS_OK);
    assert_int_equal(tables_write(&s, NULL, TABLES_CONSISTENT, dir, a, NULL,
                                  NULL, &list, NULL),
                     CUSTOS_OK);
    assert_int_equal(list.n, 2); /* one of them is the index */
    assert_string_equal(list.facts[0].estimates, "too large to be written");
    assert_string_equal(list.facts[1].estimates, "model");
    tree_remove(dir);
    model_free(s.model);
    arena_free(a);
}

/* Names of columns that meet those of a table's own columns. */
static void
names_in_a_file_differ(void **state)
{
    arena *a = arena_new(NULL, 1 << 16);
    struct table_column c[] = {{.name = str_of("estimate")},
                               {.name = str_of("Estimate_")},
                               {.name = str_of("estimate")}};

    (void)state;
    assert_true(table_names_differ(a, c, 3));
    assert_string_equal(c[2].name.ptr, "estimate__");
    arena_free(a);
}

/* ---------------------------------------------------------- synthetic rows -- */

/* Is the value at least this many steps? */
static bool
is_from(const struct schema_column *c, const struct datum *d, i128 steps)
{
    const struct datum cut = {.type = c->type, .scale = c->digits, .n = steps};

    return datum_cmp(d, &cut) >= 0;
}

/* Is the text a value of the column, or NULL? Returns its code. */
static uint32_t
code_of(const struct schema_column *c, const char *text)
{
    struct datum d;

    if (*text == '\0') {
        assert_true(c->nullable);
        return c->n;
    }
    assert_true(datum_read(c->type, str_of(text), &d));
    if (c->type == TYPE_DECIMAL)
        assert_int_equal(strlen(strchr(text, '.')), 1 + c->scale);
    for (uint32_t k = 0; k < c->n; k++) {
        if (c->coding == SCHEMA_VALUES && !datum_cmp(&d, &c->values[k]))
            return k;
        if (c->coding == SCHEMA_CUTS && is_from(c, &d, c->cuts[k]) &&
            !is_from(c, &d, c->cuts[k + 1]))
            return k;
    }
    fail_msg("%s is no value of %.*s", text, (int)c->name.len, c->name.ptr);
    return 0;
}

/* Says that no row but every third one, from the second on, satisfies the rules. */
static custos_status
settle_some(void *ctx, const struct synthetic_rows *rows, size_t row,
            struct datum *values, custos_rng *rng, bool *holds, custos_err *err)
{
    size_t *calls = ctx;

    (void)rows;
    (void)values;
    (void)rng;
    *holds = row % 3 == 1;
    ++*calls;
    return row < 30 ? CUSTOS_OK
                    : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* Such a row is written again in place of those that follow and have no values; those
   before the first are left out, and rows are numbered as they are written. */
static void
rows_that_satisfy_no_rules_are_not_written(void **state)
{
    struct synopsis_made *m = synopsis_made_new(MADE_BY_MST, 30 * HUNDREDTH, 7);
    size_t calls = 0, n = 0, changes = 0;
    const struct synthetic_rules rules = {settle_some, &calls};
    struct synthetic_rows rows;
    struct table_file file;
    custos_err err = CUSTOS_ERR_INIT;
    char dir[64], before[512] = "";
    struct lines l;

    (void)state;
    new_folder(dir);
    assert_int_equal(synthetic_draw(m->synopsis, m->rng, 30, &rows, NULL),
                     CUSTOS_OK);
    assert_int_equal(synthetic_write(m->synopsis, &rows, &rules, m->rng, dir,
                                     m->arena, NULL, NULL, &file, NULL),
                     CUSTOS_OK);
    assert_int_equal(calls, 30);
    open_lines(&l, dir, "synthetic");
    assert_true(next_line(&l));
    for (; next_line(&l); n++) {
        char row[512] = "";

        assert_int_equal(atol(l.cell[0]), n + 1);
        for (size_t i = 1; i < l.n; i++) {
            strncat(row, l.cell[i], sizeof row - strlen(row) - 1);
            strncat(row, ",", sizeof row - strlen(row) - 1);
        }
        if (n % 3 != 0)
            assert_string_equal(row, before);
        changes += strcmp(row, before) != 0;
        memcpy(before, row, sizeof before);
    }
    assert_int_equal(n, 29);
    assert_true(changes > 5 && changes <= 10);
    synthetic_free(&rows);
    tree_remove(dir);
    new_folder(dir);
    assert_int_equal(synthetic_draw(m->synopsis, m->rng, 31, &rows, NULL),
                     CUSTOS_OK);
    assert_int_equal(synthetic_write(m->synopsis, &rows, &rules, m->rng, dir,
                                     m->arena, NULL, NULL, &file, &err),
                     CUSTOS_ENOMEM);
    synthetic_free(&rows);
    tree_remove(dir);
    synopsis_made_free(m);
}

/* Columns that number the rows do so in every type. */
static void
numbers_have_the_type_of_the_column(void **state)
{
    static const struct {
        enum data_type type;
        int scale;
        uint64_t number;
        const char *text;
    } cases[] = {
        {TYPE_INT, 0, 1, "1"},
        {TYPE_TEXT, 0, 1073741824, "1073741824"},
        {TYPE_REAL, 0, 12, "12"},
        {TYPE_DECIMAL, 2, 123, "1.23"},
        {TYPE_DECIMAL, 38, 1, "0.00000000000000000000000000000000000001"},
        {TYPE_BOOL, 0, 1, "true"},
        {TYPE_BOOL, 0, 2, "false"},
        {TYPE_DATE, 0, 1, "1970-01-02"},
        {TYPE_DATE, 0, DATE_LAST, "9999-12-31"},
        {TYPE_DATE, 0, DATE_LAST + 1, "1970-01-01"},
        {TYPE_TIMESTAMP, 0, 61, "1970-01-01 00:01:01"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct schema_column c = {.type = cases[i].type,
                                        .scale = cases[i].scale,
                                        .coding = SCHEMA_NUMBER};
        const struct datum d = numbered_value(&c, cases[i].number);
        struct buf b;

        buf_init(&b, NULL, 1 << 10);
        datum_write(&d, &b);
        assert_string_equal(buf_text(&b), cases[i].text);
        buf_clear(&b);
    }
}

/*
 * Every row of the file is one of the drawn rows, in order, in the schema's types. The
 * last digits of ages are uniform: chi-square, a false alarm in 10^-6 of seeds.
 */
static void
synthetic_rows_fit_the_schema(void **state)
{
    struct synopsis_made *m = synopsis_made_new(MADE_BY_MST, 30 * HUNDREDTH, 7);
    const struct schema *s = m->synopsis->schema;
    struct synthetic_rows rows;
    struct table_file file;
    uint64_t digits[10] = {0};
    double expected[10];
    struct lines l;
    char dir[64];
    size_t n = 0;

    (void)state;
    new_folder(dir);
    assert_int_equal(
        synthetic_draw(m->synopsis, m->rng, SYNTHETIC_ROWS_NOISY, &rows, NULL),
        CUSTOS_OK);
    assert_int_equal(rows.n, nearbyint(m->synopsis->model->total));
    assert_int_equal(synthetic_write(m->synopsis, &rows, NULL, m->rng, dir,
                                     m->arena, NULL, NULL, &file, NULL),
                     CUSTOS_OK);
    open_lines(&l, dir, "synthetic");
    assert_true(next_line(&l));
    assert_int_equal(l.n, s->n);
    for (size_t i = 0; i < s->n; i++)
        assert_string_equal(l.cell[i], s->columns[i].name.ptr);
    for (; next_line(&l); n++) {
        assert_int_equal(atol(l.cell[0]), n + 1);
        for (size_t i = 1; i < s->n; i++)
            assert_int_equal(code_of(&s->columns[i], l.cell[i]),
                             rows.codes[s->columns[i].place * rows.n + n]);
        digits[atol(l.cell[1 + MADE_AGE]) % 10]++;
    }
    assert_int_equal(n, rows.n);
    for (size_t k = 0; k < 10; k++)
        expected[k] = (double)n / 10;
    assert_true(test_chi_square_p(digits, expected, 10) > 1e-6);
    fclose(l.f);
    synthetic_free(&rows);
    tree_remove(dir);
    synopsis_made_free(m);
}

/* Merged codes come back by their shares, and only they change: the rare ward has
   rows, and each column's counts are near the released ones. */
static void
merged_codes_are_drawn_by_their_shares(void **state)
{
    struct synopsis_made *m = synopsis_made_new(MADE_BY_MST, HUNDREDTH / 4, 11);
    const struct domain *d = &m->synopsis->schema->domain;
    const struct released_coding *now = released_now(m->synopsis->released);
    struct synthetic_rows rows;
    size_t merged = 0;

    (void)state;
    assert_int_equal(synthetic_draw(m->synopsis, m->rng, 100000, &rows, NULL),
                     CUSTOS_OK);
    for (size_t c = 0; c < d->n; c++) {
        double *want = calloc(d->size[c], sizeof *want);
        double *got = calloc(d->size[c], sizeof *got);

        merged += now->domain.size[c] < d->size[c];
        assert_int_equal(
            estimate_consistent(m->synopsis, colset_of(c), want, NULL),
            CUSTOS_OK);
        for (size_t i = 0; i < rows.n; i++)
            got[rows.codes[c * rows.n + i]]++;
        for (uint32_t k = 0; k < d->size[c]; k++)
            assert_true(fabs(got[k] / (double)rows.n -
                             want[k] / m->synopsis->model->total) < 0.008);
        free(want);
        free(got);
    }
    assert_true(merged > 0);
    synthetic_free(&rows);
    synopsis_made_free(m);
}

static void
failures_are_told(void **state)
{
    struct synopsis_made *m = synopsis_made_new(MADE_BY_MST, 30 * HUNDREDTH, 7);
    custos_rng *rng = test_rng_failing(1, 50);
    custos_err err = CUSTOS_ERR_INIT;
    struct synthetic_rows rows;
    struct table_file file;
    struct model *model = m->synopsis->model;
    char dir[64];

    (void)state;
    new_folder(dir);
    assert_int_equal(synthetic_draw(m->synopsis, rng, 1000, &rows, &err),
                     CUSTOS_EENTROPY);
    assert_int_equal(
        synthetic_draw(m->synopsis, m->rng, (size_t)1 << 40, &rows, &err),
        CUSTOS_EOVERFLOW);
    m->synopsis->model = NULL;
    assert_int_equal(synthetic_draw(m->synopsis, m->rng, 10, &rows, &err),
                     CUSTOS_EINVAL);
    m->synopsis->model = model;
    assert_int_equal(synthetic_draw(m->synopsis, m->rng, 10, &rows, &err),
                     CUSTOS_OK);
    assert_int_equal(synthetic_write(m->synopsis, &rows, NULL, rng, dir,
                                     m->arena, NULL, NULL, &file, &err),
                     CUSTOS_EENTROPY);
    /* The file is there. */
    assert_int_equal(synthetic_write(m->synopsis, &rows, NULL, m->rng, dir,
                                     m->arena, NULL, NULL, &file, &err),
                     CUSTOS_EIO);
    tree_remove(dir);
    assert_int_equal(synthetic_write(m->synopsis, &rows, NULL, m->rng, dir,
                                     m->arena, NULL, NULL, &file, &err),
                     CUSTOS_EIO);
    synthetic_free(&rows);
    test_rng_free(rng);
    synopsis_made_free(m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_become_values_of_their_type),
        cmocka_unit_test(drawn_values_are_those_of_the_run),
        cmocka_unit_test(tables_have_values_estimates_and_errors),
        cmocka_unit_test(consistent_tables_agree),
        cmocka_unit_test(consistent_tables_that_are_too_large_are_left_out),
        cmocka_unit_test(names_in_a_file_differ),
        cmocka_unit_test(synthetic_rows_fit_the_schema),
        cmocka_unit_test(rows_that_satisfy_no_rules_are_not_written),
        cmocka_unit_test(numbers_have_the_type_of_the_column),
        cmocka_unit_test(merged_codes_are_drawn_by_their_shares),
        cmocka_unit_test(failures_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
