/*
 * Generated data: the same for the same seed; neighbours differ in exactly one
 * person; the import of the real command takes all of it.
 */
#include <stdio.h>
#include <string.h>

#include "audit/stranger/client.h"
#include "audit/stranger/data.h"
#include "audit/stranger/data_words.h"
#include "audit/stranger/server.h"
#include "support/support.h"

enum { CELLS_MAX = 20, CELL_MAX = 1 << 17, TABLES = 5 };

#define NO_REFERENCE .references_table = SCHEMA_NONE
#define INT_OF(x)                                                              \
    {                                                                          \
        .type = TYPE_INT, .n = (x)                                             \
    }

static const struct datum sexes[] = {{.type = TYPE_TEXT, .text = {"f", 1}},
                                     {.type = TYPE_TEXT, .text = {"m", 1}}};
static const struct datum wards[] = {
    {.type = TYPE_TEXT, .text = {"eyes, ears", 10}},
    {.type = TYPE_TEXT, .text = {"heart", 5}},
};

/* Every type, with and without range or list, nullable and not. */
static const struct schema_column people[] = {
    {.name = {"id", 2}, .type = TYPE_INT, NO_REFERENCE},
    {.name = {"sex", 3},
     .type = TYPE_TEXT,
     .values = sexes,
     .n_values = 2,
     NO_REFERENCE},
    {.name = {"age", 3},
     .type = TYPE_INT,
     .nullable = true,
     .has_range = true,
     .lower = INT_OF(0),
     .upper = INT_OF(120),
     NO_REFERENCE},
    {.name = {"income", 6}, .type = TYPE_INT, .nullable = true, NO_REFERENCE},
    {.name = {"weight", 6},
     .type = TYPE_REAL,
     .nullable = true,
     .has_range = true,
     .lower = INT_OF(0),
     .upper = INT_OF(400),
     NO_REFERENCE},
    {.name = {"score", 5}, .type = TYPE_REAL, .nullable = true, NO_REFERENCE},
    {.name = {"died", 4}, .type = TYPE_DATE, .nullable = true, NO_REFERENCE},
    {.name = {"seen", 4},
     .type = TYPE_TIMESTAMP,
     .nullable = true,
     NO_REFERENCE},
    {.name = {"smoker", 6}, .type = TYPE_BOOL, .nullable = true, NO_REFERENCE},
    {.name = {"note", 4},
     .type = TYPE_TEXT,
     .nullable = true,
     .text_max = 300,
     NO_REFERENCE},
};
static const struct schema_column visits[] = {
    {.name = {"number", 6}, .type = TYPE_TEXT, NO_REFERENCE}, /* a key */
    {.name = {"person", 6},
     .type = TYPE_INT,
     .references_table = 0,
     .references_column = 0},
    {.name = {"ward", 4},
     .type = TYPE_TEXT,
     .values = wards,
     .n_values = 2,
     .nullable = true,
     .references_table = 3,
     .references_column = 0},
    {.name = {"cost", 4},
     .type = TYPE_DECIMAL,
     .scale = 2,
     .nullable = true,
     .has_range = true,
     .lower = INT_OF(0),
     .upper = INT_OF(5000),
     NO_REFERENCE},
    {.name = {"day", 3},
     .type = TYPE_DATE,
     .nullable = true,
     .has_range = true,
     .lower = {.type = TYPE_DATE, .n = 18000},
     .upper = {.type = TYPE_DATE, .n = 19000},
     NO_REFERENCE},
};
/* Its unit is found by way of a visit. */
static const struct schema_column bills[] = {
    {.name = {"visit", 5},
     .type = TYPE_TEXT,
     .references_table = 1,
     .references_column = 0},
    {.name = {"sum", 3},
     .type = TYPE_DECIMAL,
     .scale = 3,
     .nullable = true,
     NO_REFERENCE},
};
static const struct schema_column ward_columns[] = {
    {.name = {"name", 4}, .type = TYPE_TEXT, NO_REFERENCE},
    {.name = {"beds", 4}, .type = TYPE_INT, .nullable = true, NO_REFERENCE},
};
static const struct schema_column tests[] = {
    {.name = {"result", 6}, .type = TYPE_BOOL, .nullable = true, NO_REFERENCE},
};
static const struct schema_table tables[TABLES] = {
    {.name = {"people", 6}, .columns = people, .n_columns = 10, .max_rows = 90},
    {.name = {"visits", 6},
     .unit_column = 1,
     .rows_per_unit = 3,
     .columns = visits,
     .n_columns = 5,
     .max_rows = 200},
    {.name = {"bills", 5}, .columns = bills, .n_columns = 2, .max_rows = 500},
    {.name = {"wards", 5},
     .is_public = true,
     .columns = ward_columns,
     .n_columns = 2},
    {.name = {"tests", 5},
     .unit_is_row = true,
     .columns = tests,
     .n_columns = 1,
     .max_rows = 300},
};

static struct schema
the_schema(custos_adjacency adjacency)
{
    struct schema s = {
        .adjacency = adjacency,
        .budget_epsilon = str_of("1"),
        .budget_delta = str_of("1e-6"),
        .query_epsilon = str_of("0.5"),
        .query_delta = str_of("1e-9"),
        .tables = tables,
        .n_tables = TABLES,
    };

    schema_raise_budget(&s);
    return s;
}

static struct generated
generate(custos_adjacency adjacency, uint64_t seed, size_t targets)
{
    struct schema schema = the_schema(adjacency);
    const struct data_options o = {
        .seed = seed, .people = 100, .targets = targets};
    struct generated g;

    assert_int_equal(data_make(&schema, &o, &g, NULL), CUSTOS_OK);
    return g;
}

/* --------------------------------------------------------------------- CSV -- */

struct row {
    char cell[CELLS_MAX][64]; /* cut */
    size_t n;
};

/* Reads one row; returns what follows it. */
static const char *
next_row(const char *s, const char *end, struct row *row)
{
    size_t len = 0;
    bool quoted = false;

    *row = (struct row){.n = 1};
    for (; s < end && (quoted || *s != '\n'); s++) {
        if (*s == '"') {
            quoted = !quoted;
        } else if (*s == ',' && !quoted) {
            row->n++;
            len = 0;
            assert_in_range(row->n, 1, CELLS_MAX);
        } else if (len + 1 < sizeof row->cell[0]) {
            row->cell[row->n - 1][len++] = *s;
        }
    }
    assert_true(s < end); /* the last row has its line break, too */
    return s + 1;
}

static size_t
count_rows(const struct buf *b, size_t columns)
{
    const char *s = b->ptr, *end = b->len ? s + b->len : s;
    struct row row;
    size_t n = 0;

    for (; s < end; n++) {
        s = next_row(s, end, &row);
        assert_int_equal(row.n, columns);
    }
    return n;
}

/* Does a row have this text in this column? */
static size_t
count_cell(const struct buf *b, size_t column, const char *text)
{
    const char *s = b->ptr, *end = b->len ? s + b->len : s;
    struct row row;
    size_t n = 0;

    while (s < end) {
        s = next_row(s, end, &row);
        n += !strcmp(row.cell[column], text);
    }
    return n;
}

/* ------------------------------------------------------------------- tests -- */

static void
test_a_seed_gives_the_same_bytes(void **state)
{
    struct generated a = generate(CUSTOS_ADD_REMOVE, 1, 2);
    struct generated b = generate(CUSTOS_ADD_REMOVE, 1, 2);
    struct generated c = generate(CUSTOS_ADD_REMOVE, 2, 2);
    struct buf x[TABLES], y[TABLES], z[TABLES];

    (void)state;
    for (int target = DATA_NOBODY; target < 2; target++) {
        assert_int_equal(data_write(&a, target, x, NULL), CUSTOS_OK);
        assert_int_equal(data_write(&b, target, y, NULL), CUSTOS_OK);
        assert_int_equal(data_write(&c, target, z, NULL), CUSTOS_OK);
        for (size_t t = 0; t < TABLES; t++) {
            assert_int_equal(x[t].len, y[t].len);
            assert_memory_equal(x[t].ptr, y[t].ptr, x[t].len);
            assert_true(x[t].len != z[t].len ||
                        memcmp(x[t].ptr, z[t].ptr, x[t].len) != 0);
            buf_clear(&x[t]);
            buf_clear(&y[t]);
            buf_clear(&z[t]);
        }
    }
    data_clear(&a);
    data_clear(&b);
    data_clear(&c);
}

/* Are the rows of a person in these tables those of one unit, and nobody else's?
   The keys of visits are unique, so a bill has the unit of one visit. */
static void
check_apart(const struct generated *g, const struct buf *own[TABLES])
{
    const struct buf *others = &g->tables[0].others;
    struct row person, row;
    const char *s, *end;

    next_row(own[0]->ptr, own[0]->ptr + own[0]->len, &person);
    assert_int_equal(count_rows(own[0], 10), 1);
    assert_int_equal(count_cell(others, 0, person.cell[0]), 0);
    assert_int_equal(count_cell(&g->tables[1].others, 1, person.cell[0]), 0);
    s = own[1]->ptr;
    end = s + own[1]->len;
    assert_true(count_rows(own[1], 5) >= 3);
    while (s < end) {
        s = next_row(s, end, &row);
        assert_string_equal(row.cell[1], person.cell[0]);
        assert_int_equal(count_cell(own[1], 0, row.cell[0]), 1);
        assert_int_equal(count_cell(&g->tables[1].others, 0, row.cell[0]), 0);
        assert_int_equal(count_cell(&g->tables[2].others, 0, row.cell[0]), 0);
    }
    s = own[2]->ptr;
    end = s + own[2]->len;
    assert_true(s < end);
    while (s < end) {
        s = next_row(s, end, &row);
        assert_int_equal(count_cell(own[1], 0, row.cell[0]), 1);
    }
    assert_int_equal(own[3]->len, 0); /* public */
    assert_int_equal(count_rows(own[4], 1), 1);
}

static void
test_neighbours_differ_in_one_person(void **state)
{
    const custos_adjacency adjacencies[] = {CUSTOS_ADD_REMOVE,
                                            CUSTOS_CHANGE_ONE};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct generated g = generate(adjacencies[i], 3, 2);
        const struct buf *own[TABLES], *instead[TABLES];

        for (int k = 0; k < 2; k++) {
            struct buf with[TABLES], without[TABLES];

            assert_int_equal(data_write(&g, k, with, NULL), CUSTOS_OK);
            assert_int_equal(data_write(&g, DATA_NOBODY, without, NULL),
                             CUSTOS_OK);
            for (size_t t = 0; t < TABLES; t++) {
                const struct data_table *d = &g.tables[t];
                size_t common = d->head.len + d->others.len;

                own[t] = &d->target[k];
                instead[t] = &d->substitute;
                assert_int_equal(with[t].len, common + own[t]->len);
                assert_int_equal(without[t].len,
                                 common + (i ? instead[t]->len : 0));
                assert_memory_equal(with[t].ptr, without[t].ptr, common);
                if (own[t]->len)
                    assert_memory_equal(with[t].ptr + common, own[t]->ptr,
                                        own[t]->len);
                assert_in_range(
                    count_rows(&with[t], tables[t].n_columns), 2,
                    1 + (tables[t].max_rows ? tables[t].max_rows : 24));
                buf_clear(&with[t]);
                buf_clear(&without[t]);
            }
            check_apart(&g, own);
            if (i)
                check_apart(&g, instead);
        }
        data_clear(&g);
    }
}

/* Words are about every row of the person, in every table that has one; whatever
   the values are, they are one line. */
static void
test_neighbours_have_words(void **state)
{
    struct schema schema = the_schema(CUSTOS_ADD_REMOVE);

    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct generated g =
            generate(seed % 2 ? CUSTOS_CHANGE_ONE : CUSTOS_ADD_REMOVE, seed, 2);
        char part[80];
        struct buf words;

        for (int k = DATA_NOBODY; k < 2; k++) {
            size_t rows = 0, said;

            buf_init(&words, NULL, 1 << 14);
            said = data_words(&schema, &g, k, &words);
            for (size_t t = 0; t < TABLES; t++) {
                const struct buf *own =
                    k >= 0 ? &g.tables[t].target[k] : &g.tables[t].substitute;
                size_t n = count_rows(own, tables[t].n_columns);

                snprintf(part, sizeof part, "%zu row%s in %s: (%s ", n,
                         n == 1 ? "" : "s", tables[t].name.ptr,
                         tables[t].columns[0].name.ptr);
                if (n && (k >= 0 || seed % 2))
                    assert_non_null(strstr(buf_text(&words), part));
                rows += k >= 0 || seed % 2 ? n : 0;
            }
            assert_int_equal(said, rows);
            assert_false(words.failed);
            assert_int_equal(strlen(buf_text(&words)), words.len);
            assert_null(strpbrk(buf_text(&words), "\n\t\r"));
            buf_clear(&words);
        }
        data_clear(&g);
    }
}

/* NULL and '' differ, quotes are undone, and what is long is cut. */
static void
test_words_of_values(void **state)
{
    static const struct schema_column columns[] = {
        {.name = {"id", 2}, .type = TYPE_INT, NO_REFERENCE},
        {.name = {"a", 1}, .type = TYPE_TEXT, NO_REFERENCE},
        {.name = {"b", 1}, .type = TYPE_TEXT, NO_REFERENCE},
    };
    static const struct schema_table table = {
        .name = {"t", 1}, .columns = columns, .n_columns = 3};
    const struct schema schema = {.tables = &table, .n_tables = 1};
    struct data_table rows = {.head = {.len = 0}};
    struct generated g = {.tables = &rows, .n_tables = 1, .n_targets = 1};
    struct buf words;

    (void)state;
    buf_init(&rows.target[0], NULL, 1 << 10);
    buf_add_text(&rows.target[0],
                 "7,\"\",\n"
                 "7,\"say \"\"hi\"\", x\ny\",\"aaaaaaaaaaaaaaaaaaaaaaaaa\"\n"
                 "7,1,2\n");
    buf_init(&words, NULL, 1 << 10);
    assert_int_equal(data_words(&schema, &g, 0, &words), 3);
    assert_string_equal(
        buf_text(&words),
        "the same people and target person 1, who has 3 rows in t: (id 7, a "
        "'', b NULL), (id 7, a 'say \"hi\", x?y', b "
        "'aaaaaaaaaaaaaaaaaaaaaaaa...') and 1 more");
    buf_clear(&words);
    buf_clear(&rows.target[0]);
}

/* Values outside the domain are the point. */
static void
test_extremes_are_there(void **state)
{
    enum { SEEDS = 20 };
    struct generated g[SEEDS];
    static const struct {
        size_t column;
        const char *text;
    } seen[] = {
        {1, "f"},         {1, "NULL"},   {2, "0"},          {2, "121"},
        {2, "-1"},        {2, ""},       {3, "1e18"},       {5, "NaN"},
        {5, "-inf"},      {5, "5e-324"}, {6, "0001-01-01"}, {6, "infinity"},
        {7, "-infinity"}, {8, "2"},
    };

    size_t nuls = 0;

    (void)state;
    for (uint64_t k = 0; k < SEEDS; k++) {
        const struct buf *b =
            &(g[k] = generate(CUSTOS_ADD_REMOVE, k, 1)).tables[0].others;

        nuls += memmem(b->ptr, b->len, "a\0b", 3) != NULL;
    }
    assert_true(nuls > 0);
    for (size_t i = 0; i < COUNT_OF(seen); i++) {
        size_t n = 0;

        for (size_t k = 0; k < SEEDS; k++)
            n += count_cell(&g[k].tables[0].others, seen[i].column,
                            seen[i].text);
        if (!n)
            fail_msg("no '%s' in column %zu", seen[i].text, seen[i].column);
    }
    for (size_t k = 0; k < SEEDS; k++)
        data_clear(&g[k]);
}

static void
test_targets_take_hints(void **state)
{
    const char *sql = "SELECT count(*) FROM visits v JOIN people p ON 1.5 = x2 "
                      "WHERE ward = 'heart' AND age < 44 AND day = '2021-11-05";
    struct schema schema = the_schema(CUSTOS_ADD_REMOVE);
    str hints[DATA_HINTS_MAX];
    struct data_options o = {.seed = 1, .people = 10, .targets = 16};
    struct generated g;
    size_t near = 0, hearts = 0;

    (void)state;
    o.hints = hints;
    o.n_hints = data_hints_of(sql, hints);
    assert_int_equal(o.n_hints, 4);
    assert_true(str_equal(hints[0], str_of("1.5")));
    assert_true(str_equal(hints[1], str_of("heart")));
    assert_true(str_equal(hints[2], str_of("44")));
    assert_true(str_equal(hints[3], str_of("2021-11-05")));
    assert_int_equal(data_hints_of("''", hints), 1);
    assert_int_equal(hints[0].len, 0);
    o.n_hints = data_hints_of(sql, hints);
    assert_int_equal(data_make(&schema, &o, &g, NULL), CUSTOS_OK);
    for (size_t k = 0; k < 16; k++) {
        const struct data_table *d = g.tables;

        near += count_cell(&d[0].target[k], 2, "43") +
                count_cell(&d[0].target[k], 2, "44") +
                count_cell(&d[0].target[k], 2, "45");
        hearts += count_cell(&d[1].target[k], 2, "heart") > 0;
    }
    assert_true(near >= 5 && hearts >= 8);
    data_clear(&g);
}

/* Every cell that is generated is one that init can read, or declares lost. */
static void
test_the_import_takes_it(void **state)
{
    const struct stranger_options options = {.program = getenv("CUSTOS"),
                                             .clock = CLOCK_NONE};
    int seeds = test_size(1, 4);

    (void)state;
    assert_non_null(options.program);
    for (int seed = 10; seed < 10 + seeds; seed++) {
        struct schema schema = the_schema(CUSTOS_CHANGE_ONE);
        struct generated g = generate(CUSTOS_CHANGE_ONE, (uint64_t)seed, 2);
        struct stranger_server server = {0};
        struct buf csv[TABLES];
        str texts[TABLES];
        struct client client;
        struct reply r;
        custos_err err = CUSTOS_ERR_INIT;

        assert_int_equal(data_write(&g, seed % 2, csv, &err), CUSTOS_OK);
        for (size_t t = 0; t < TABLES; t++)
            texts[t] = (str){csv[t].ptr, csv[t].len};
        if (stranger_start(&schema, texts, &options, &server, &err))
            fail_msg("seed %d: %s", seed, err.said);
        assert_int_equal(
            client_open(server.port, 0, server.password, &client, &err),
            CUSTOS_OK);
        assert_int_equal(
            client_set_price(&client, PRICE_EPSILON, 1000, 1, &err), CUSTOS_OK);
        if (client_do(&client,
                      "SELECT count(*) FROM bills b JOIN visits v ON b.visit = "
                      "v.number JOIN people p ON v.person = p.id",
                      &r, &err))
            fail_msg("%s", err.said);
        assert_true(reply_number(&r, 0, 0) > 20);
        client_close(&client);
        stranger_stop(&server);
        for (size_t t = 0; t < TABLES; t++)
            buf_clear(&csv[t]);
        data_clear(&g);
    }
}

int
main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(test_a_seed_gives_the_same_bytes),
        cmocka_unit_test(test_neighbours_differ_in_one_person),
        cmocka_unit_test(test_neighbours_have_words),
        cmocka_unit_test(test_words_of_values),
        cmocka_unit_test(test_extremes_are_there),
        cmocka_unit_test(test_targets_take_hints),
        cmocka_unit_test(test_the_import_takes_it),
    };

    return cmocka_run_group_tests(all, NULL, NULL);
}
