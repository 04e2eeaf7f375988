/*
 * The file of a synopsis: what was written is read, bit for bit, and answers the
 * same; damaged and hostile files are refused.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/said.h"
#include "support/support.h"
#include "support/synopsis_made.h"
#include "support/synth_sets.h"
#include "synopsis/codec.h"
#include "synth/infer.h"
#include "synth/rows.h"

#define UNIT ((amount)10000000000 * 10000000000) /* rho = 1 */

enum { PATH_BYTES = 64, BYTES_MAX = 1 << 22 };

static void
new_path(char path[PATH_BYTES])
{
    const char template[] = "/tmp/synopsis.XXXXXX";

    memcpy(path, template, sizeof template);
    assert_non_null(mkdtemp(path));
    strncat(path, "/f", 3);
}

static void
remove_path(char path[PATH_BYTES])
{
    unlink(path);
    *strrchr(path, '/') = '\0';
    rmdir(path);
}

static size_t
file_bytes(const char *path, char *into)
{
    FILE *f = fopen(path, "rb");
    size_t n;

    assert_non_null(f);
    n = fread(into, 1, BYTES_MAX, f);
    assert_true(n < BYTES_MAX);
    fclose(f);
    return n;
}

static void
file_put(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* All marginals of up to three columns are the same doubles. */
static void
check_same_answers(const struct model *a, const struct model *b)
{
    static double x[4096], y[4096];
    size_t n = 0;

    for (uint64_t bits = 1; bits < 1 << MADE_COLUMNS; bits++) {
        const struct colset set = {{bits, 0}};
        const size_t cells = domain_cells(&a->domain, set);

        if (colset_count(set) > 3 || cells > COUNT_OF(x))
            continue;
        assert_int_equal(model_marginal(a, set, 1 << 20, x, NULL), CUSTOS_OK);
        assert_int_equal(model_marginal(b, set, 1 << 20, y, NULL), CUSTOS_OK);
        assert_memory_equal(x, y, cells * sizeof *x);
        n++;
    }
    assert_true(n > 30);
}

static void
what_was_written_is_read(void **state)
{
    static char first[BYTES_MAX], second[BYTES_MAX];
    char path[PATH_BYTES], again[PATH_BYTES];

    (void)state;
    for (enum made_by by = MADE_BY_MST; by <= MADE_BY_TABLES; by++) {
        struct synopsis_made *m = synopsis_made_new(by, UNIT / 20, 5);
        arena *a = arena_new(NULL, (size_t)1 << 26);
        struct synopsis *s = NULL;
        uint16_t *rows[2];
        size_t n;

        new_path(path);
        new_path(again);
        assert_int_equal(synopsis_write(m->synopsis, path, NULL), CUSTOS_OK);
        assert_int_equal(synopsis_read(a, path, &s, NULL), CUSTOS_OK);
        assert_int_equal(synopsis_write(s, again, NULL), CUSTOS_OK);
        n = file_bytes(path, first);
        assert_int_equal(file_bytes(again, second), n);
        assert_memory_equal(first, second, n);
        check_same_answers(m->synopsis->model, s->model);
        for (size_t i = 0; i < 2; i++) {
            custos_rng *rng = test_rng_seeded(1);

            rows[i] = calloc(500 * MADE_COLUMNS, sizeof **rows);
            assert_non_null(rows[i]);
            assert_int_equal(model_rows(i ? s->model : m->synopsis->model, rng,
                                        500, rows[i], NULL),
                             CUSTOS_OK);
            test_rng_free(rng);
        }
        assert_memory_equal(rows[0], rows[1],
                            500 * MADE_COLUMNS * sizeof **rows);
        free(rows[0]);
        free(rows[1]);
        synopsis_close(s);
        arena_free(a);
        synopsis_made_free(m);
        remove_path(path);
        remove_path(again);
    }
}

static void
tables_alone_are_a_synopsis(void **state)
{
    struct synopsis_made *m = synopsis_made_new(MADE_BY_MST, UNIT / 20, 5);
    arena *a = arena_new(NULL, (size_t)1 << 26);
    struct synopsis *s = NULL, tables = *m->synopsis;
    char path[PATH_BYTES];

    (void)state;
    new_path(path);
    tables.model = NULL;
    tables.share = NULL;
    assert_int_equal(synopsis_write(&tables, path, NULL), CUSTOS_OK);
    assert_int_equal(synopsis_read(a, path, &s, NULL), CUSTOS_OK);
    assert_null(s->model);
    assert_null(s->share);
    assert_int_equal(s->released->n_tables, m->synopsis->released->n_tables);
    synopsis_close(s);
    arena_free(a);
    synopsis_made_free(m);
    remove_path(path);
}

static void
expect_refusal(const char *path, custos_status status, const char *part)
{
    arena *a = arena_new(NULL, (size_t)1 << 26);
    custos_err err = CUSTOS_ERR_INIT;
    struct synopsis *s = NULL;

    assert_int_equal(synopsis_read(a, path, &s, &err), status);
    assert_null(s);
    assert_non_null(strstr(err.said, part));
    arena_free(a);
}

static void
other_files_are_refused(void **state)
{
    struct synopsis_made *m = synopsis_made_new(MADE_BY_MST, UNIT / 20, 5);
    static char bytes[BYTES_MAX];
    char path[PATH_BYTES];
    custos_err err = CUSTOS_ERR_INIT;
    size_t n;

    (void)state;
    new_path(path);
    expect_refusal(path, CUSTOS_ENAME, "No such file");
    file_put(path, "hello", 5);
    expect_refusal(path, CUSTOS_ECORRUPT, "is not a synopsis");
    assert_int_equal(synopsis_write(m->synopsis, path, &err), CUSTOS_EIO);
    assert_non_null(strstr(err.said, "File exists"));
    file_put(path, "custos synopsis 2\n....", 22);
    expect_refusal(path, CUSTOS_ECORRUPT, "format");
    unlink(path);
    assert_int_equal(synopsis_write(m->synopsis, path, NULL), CUSTOS_OK);
    n = file_bytes(path, bytes);
    for (size_t i = 18; i < n; i += 1 + n / 50) {
        bytes[i] ^= 4;
        file_put(path, bytes, n);
        expect_refusal(path, CUSTOS_ECORRUPT, "checksum");
        bytes[i] ^= 4;
    }
    for (size_t cut = 18; cut < n; cut += 1 + n / 20) {
        file_put(path, bytes, cut);
        expect_refusal(path, CUSTOS_ECORRUPT, "checksum");
    }
    remove_path(path);
    expect_refusal("/tmp", CUSTOS_EIO, "not a file");
    synopsis_made_free(m);
}

/* With a right checksum, too, a synopsis is read whole and sound or not at all;
   memory stays in proportion. */
static void
hostile_bytes_are_refused(void **state)
{
    struct synopsis_made *m = synopsis_made_new(MADE_BY_AIM, UNIT / 20, 5);
    custos_err err = CUSTOS_ERR_INIT;
    struct synopsis *s = NULL;
    uint64_t seed = 4;
    struct buf b, again;
    size_t taken = 0;

    (void)state;
    buf_init(&b, NULL, BYTES_MAX);
    synopsis_pack(m->synopsis, &b);
    assert_false(b.failed);
    for (size_t i = 0; i < 3000; i++) {
        arena *a = arena_new(NULL, 24 * b.len + (1 << 20));
        const size_t at = synth_next(&seed) % (i % 2 ? 600 : b.len);
        const char was = b.ptr[at];
        const size_t len = i % 5 ? b.len : at;

        b.ptr[at] = (char)(was ^ (1 << synth_next(&seed) % 8));
        s = NULL;
        if (synopsis_unpack(a, (str){b.ptr, len}, &s, &err) == CUSTOS_OK) {
            taken++;
            buf_init(&again, NULL, BYTES_MAX);
            synopsis_pack(s, &again);
            assert_false(again.failed);
            buf_clear(&again);
            synopsis_close(s);
        } else {
            assert_true(err.code == CUSTOS_ECORRUPT ||
                        err.code == CUSTOS_EOVERFLOW);
            assert_null(s);
        }
        b.ptr[at] = was;
        arena_free(a);
    }
    assert_true(taken > 0 && taken < 3000);
    buf_clear(&b);
    synopsis_made_free(m);
}

enum { WIDE = 6, WIDE_CODES = 20 };

/* All pairs of six columns are few bytes, but make a model of 512 MB. */
static void
models_far_larger_than_their_files_are_refused(void **state)
{
    static double potentials[WIDE_CODES * WIDE_CODES];
    struct synopsis_made *m = synopsis_made_new(MADE_BY_MST, UNIT, 5);
    struct synopsis s = *m->synopsis, *got = NULL;
    struct schema wide = *s.schema;
    struct clique cliques[WIDE * WIDE];
    struct model model = {
        .total = 1, .cliques = cliques, .potentials = potentials};
    uint32_t size[WIDE];
    arena *a = arena_new(NULL, 1 << 26);
    custos_err err = CUSTOS_ERR_INIT;
    struct buf b;

    (void)state;
    wide.columns = arena_take(m->arena, WIDE, sizeof *wide.columns);
    assert_non_null(wide.columns);
    wide.n = WIDE;
    wide.domain = (struct domain){WIDE, size};
    for (size_t i = 0; i < WIDE; i++) {
        struct schema_column *c = &wide.columns[i];

        *c = s.schema->columns[MADE_AGE + 1];
        c->name.ptr = arena_copy(m->arena, str_of("abcdef"));
        c->name = (str){c->name.ptr + i, 1};
        c->place = i;
        c->n = size[i] = WIDE_CODES;
        c->cuts = arena_take(m->arena, WIDE_CODES + 1, sizeof *c->cuts);
        for (int k = 0; k <= WIDE_CODES; k++)
            c->cuts[k] = k;
        for (size_t k = 0; k < i; k++)
            cliques[model.n_cliques++] =
                (struct clique){.set = colset_or(colset_of(i), colset_of(k)),
                                .cells = COUNT_OF(potentials)};
    }
    s.schema = &wide;
    s.model = &model;
    s.share = NULL;
    s.n_workload = 0;
    assert_int_equal(released_new(m->arena, &wide.domain, &s.released, NULL),
                     CUSTOS_OK);
    buf_init(&b, NULL, BYTES_MAX);
    synopsis_pack(&s, &b);
    assert_true(!b.failed && b.len < 1 << 16);
    assert_int_equal(synopsis_unpack(a, (str){b.ptr, b.len}, &got, &err),
                     CUSTOS_EOVERFLOW);
    assert_non_null(strstr(err.said, "needs more than 320 MB"));
    buf_clear(&b);
    arena_free(a);
    synopsis_made_free(m);
}

/* What a terminal would obey is no name. */
static void
control_characters_are_refused(void **state)
{
    static const char *const names[] = {"\x1b[2J", "\x7f", "a\xc2\x9b[2J",
                                        "\xc2"};
    struct synopsis_made *m = synopsis_made_new(MADE_BY_MST, UNIT, 5);
    struct synopsis changed = *m->synopsis, *s = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t i = 0; i <= COUNT_OF(names); i++) {
        arena *a = arena_new(NULL, 1 << 26);
        struct buf b;

        changed.facts.version =
            str_of(i < COUNT_OF(names) ? names[i] : "\xc2\xa0");
        buf_init(&b, NULL, BYTES_MAX);
        synopsis_pack(&changed, &b);
        assert_int_equal(synopsis_unpack(a, (str){b.ptr, b.len}, &s, &err),
                         i < COUNT_OF(names) ? CUSTOS_ECORRUPT : CUSTOS_OK);
        if (i == COUNT_OF(names))
            synopsis_close(s);
        buf_clear(&b);
        arena_free(a);
    }
    synopsis_made_free(m);
}

/* Is the synopsis refused once it is written? */
static bool
is_refused(const struct synopsis *s)
{
    arena *a = arena_new(NULL, 1 << 26);
    struct synopsis *got = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    struct buf b;

    buf_init(&b, NULL, BYTES_MAX);
    synopsis_pack(s, &b);
    assert_false(b.failed);
    st = synopsis_unpack(a, (str){b.ptr, b.len}, &got, &err);
    assert_true(st == CUSTOS_OK || st == CUSTOS_ECORRUPT);
    synopsis_close(got);
    buf_clear(&b);
    arena_free(a);
    return st != CUSTOS_OK;
}

/* Facts are numbers and words, which a command that shows the price repeats. */
static void
facts_that_cannot_be_are_refused(void **state)
{
    static const char *const numbers[] = {"",   "x",  "1;id", "$(id)", "1e-9 ",
                                          ".5", "1.", "-1",   "1/",    "1/2/3"};
    static const uint64_t rows[] = {0, (UINT64_C(1) << 30) + 1,
                                    UINT64_C(1) << 40};
    struct synopsis_made *m = synopsis_made_new(MADE_BY_MST, UNIT, 5);
    struct synopsis s = *m->synopsis;

    (void)state;
    assert_false(is_refused(&s));
    s.facts.epsilon = str_of("infinity");
    s.facts.delta = str_of("1/3");
    assert_false(is_refused(&s));
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        s = *m->synopsis;
        s.facts.epsilon = str_of(numbers[i]);
        assert_true(is_refused(&s));
        s = *m->synopsis;
        s.facts.delta = str_of(numbers[i]);
        assert_true(is_refused(&s));
        s = *m->synopsis;
        s.facts.rho = str_of(numbers[i]);
        assert_true(is_refused(&s));
    }
    s = *m->synopsis;
    s.facts.rho = str_of("0");
    assert_true(is_refused(&s));
    s.facts.rho = str_of("0.5"); /* less than its tables */
    assert_true(is_refused(&s));
    s.facts.rho = str_of("infinity");
    assert_true(is_refused(&s));
    s = *m->synopsis;
    s.facts.adjacency = str_of("change-two");
    assert_true(is_refused(&s));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        s = *m->synopsis;
        s.facts.rows_per_unit = rows[i];
        assert_true(is_refused(&s));
    }
    synopsis_made_free(m);
}

/* The noise of a table is what its price buys, by the file's own facts. */
static void
noise_without_its_price_is_refused(void **state)
{
    static const amount prices[] = {0, UNIT * 1000000000000, 1, UNIT};
    struct synopsis_made *m = synopsis_made_new(MADE_BY_MST, UNIT, 5);
    struct released_table *t = &m->synopsis->released->tables[1];
    struct released_table was = *t;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(prices); i++) {
        t->rho = prices[i];
        assert_true(is_refused(m->synopsis));
        *t = was;
    }
    t->variance *= 1 + 1e-8;
    assert_true(is_refused(m->synopsis));
    t->variance = was.variance * (1 + 1e-10);
    assert_false(is_refused(m->synopsis));
    *t = was;
    m->synopsis->facts.rows_per_unit = 2;
    assert_true(is_refused(m->synopsis));
    m->synopsis->facts.rows_per_unit = 1;
    m->synopsis->facts.adjacency = str_of("change-one");
    assert_true(is_refused(m->synopsis));
    synopsis_made_free(m);
}

/* Residuals of the columns of `set`, each priced at UNIT/100 and so with the noise of
   theorem residual-marginals: for sex alone, n (n - 1) = 2. */
static void
residuals_are_read_once_each(void **state)
{
    int64_t values[2] = {5, -5};
    struct synopsis_made *m = synopsis_made_new(MADE_BY_MST, UNIT, 5);
    struct synopsis s = *m->synopsis;
    struct released_table t = {.kind = RELEASED_RESIDUAL,
                               .set = colset_of(MADE_SEX),
                               .rho = UNIT / 100,
                               .variance = 2 * 100 / 2,
                               .cells = 2,
                               .values = values};

    (void)state;
    s.model = NULL;
    s.share = NULL;
    assert_int_equal(
        released_new(m->arena, &s.schema->domain, &s.released, NULL),
        CUSTOS_OK);
    assert_int_equal(released_add(s.released, &t, NULL), CUSTOS_OK);
    assert_false(is_refused(&s));
    s.facts.adjacency = str_of("change-one"); /* twice 2 n/(n - 1) */
    assert_true(is_refused(&s));
    s.released->tables[0].variance = 4 * 2 * 100 / 2;
    assert_false(is_refused(&s));
    s.facts.adjacency = str_of("add-remove");
    s.released->tables[0].variance = 2 * 100 / 2;
    assert_int_equal(released_add(s.released, &t, NULL), CUSTOS_OK);
    assert_true(is_refused(&s));
    synopsis_made_free(m);
}

/* Declared values are such as a policy declares, and a terminal shows. */
static void
values_that_cannot_be_are_refused(void **state)
{
    const i128 far = (i128)1 << 126;
    const struct {
        enum data_type type;
        struct datum value;
        bool good;
    } cases[] = {
        {TYPE_TEXT, {.type = TYPE_TEXT, .text = str_of("\x1b[2J")}, false},
        {TYPE_TEXT, {.type = TYPE_TEXT, .text = str_of("a\xc2\x9b")}, false},
        {TYPE_TEXT, {.type = TYPE_TEXT, .text = str_of("a\nb")}, false},
        {TYPE_TEXT, {.type = TYPE_TEXT, .text = str_of("\xff")}, false},
        {TYPE_TEXT, {.type = TYPE_TEXT, .text = str_of("Köln")}, true},
        {TYPE_BOOL, {.type = TYPE_BOOL, .n = 2}, false},
        {TYPE_BOOL, {.type = TYPE_BOOL, .n = -1}, false},
        {TYPE_DATE, {.type = TYPE_DATE, .n = DATE_LAST + 1}, false},
        {TYPE_DATE, {.type = TYPE_DATE, .n = DATE_FIRST - 1}, false},
        {TYPE_DATE, {.type = TYPE_DATE, .n = DATE_LAST}, true},
        {TYPE_TIMESTAMP, {.type = TYPE_TIMESTAMP, .n = far}, false},
        {TYPE_TIMESTAMP, {.type = TYPE_TIMESTAMP, .n = 5}, true},
        {TYPE_INT, {.type = TYPE_INT, .n = -far - far}, false},
        {TYPE_INT, {.type = TYPE_INT, .n = far}, false},
        {TYPE_INT, {.type = TYPE_DECIMAL, .n = 1, .scale = 37}, false},
        {TYPE_INT, {.type = TYPE_INT, .n = -7}, true},
    };
    struct synopsis_made *m = synopsis_made_new(MADE_BY_MST, UNIT, 5);
    struct schema_column *c = &m->synopsis->schema->columns[1];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct datum was = c->values[1];

        c->type = cases[i].type;
        c->values[0].type = cases[i].type;
        c->values[1] = cases[i].value;
        if (is_refused(m->synopsis) == cases[i].good)
            fail_msg("case %zu", i);
        c->type = c->values[0].type = TYPE_TEXT;
        c->values[1] = was;
    }
    synopsis_made_free(m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(tables_alone_are_a_synopsis),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(models_far_larger_than_their_files_are_refused),
        cmocka_unit_test(control_characters_are_refused),
        cmocka_unit_test(hostile_bytes_are_refused),
        cmocka_unit_test(facts_that_cannot_be_are_refused),
        cmocka_unit_test(noise_without_its_price_is_refused),
        cmocka_unit_test(residuals_are_read_once_each),
        cmocka_unit_test(values_that_cannot_be_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
