/*
 * Reading policies: the values of a good one, and edge cases.
 */
#include "base/sha256.h"
#include "policy/good.h"
#include "support/said.h"

static void
same(str got, const char *expected)
{
    assert_int_equal(got.len, strlen(expected));
    assert_memory_equal(got.ptr, expected, got.len);
}

static struct policy *
read_good(arena *a, const char *text)
{
    struct policy *p = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = policy_read(a, str_of(text), "policy.yaml", &p, &err);

    if (st)
        fail_msg("%s", err.said);
    return p;
}

static const char one_table[] = "tables: {t: {source: t.csv, unit: row,\n"
                                "  columns: {a: {type: integer}}}}\n";

static void
budgets_and_defaults(void **state)
{
    static const char small[] = "custos: 2\n"
                                "budget: {epsilon: 1/3}\n"
                                "tables: {t: {source: t.csv, unit: row,\n"
                                "  columns: {a: {type: integer}}}}\n";
    arena *a = arena_new(NULL, MEMORY);
    const struct policy *p = read_good(a, good);
    uint8_t id[SHA256_BYTES];

    (void)state;
    assert_int_equal(p->adjacency, CUSTOS_CHANGE_ONE);
    same(p->budget.epsilon, "1");
    same(p->budget.delta, "1e-7");
    assert_int_equal(p->budget.line, 3);
    assert_true(p->has_people && p->people == 1000000);
    same(p->default_epsilon, "0.1");
    same(p->max_epsilon, "0.5");
    same(p->query_delta, "1e-12");
    same(p->min_epsilon, "0.0001");
    /* a ten-thousandth of rho*(1, 1e-7/2) = 0.01347..., rounded up */
    assert_true(p->min_rho.len == 22 &&
                !strncmp(p->min_rho.ptr, "0.000001", 8));
    assert_int_equal(p->max_rho.len, 0); /* no prices in rho */
    assert_int_equal(p->max_failures, 3);
    assert_int_equal(p->max_overruns, 1);
    assert_int_equal(p->max_groups, 1000);
    assert_true(p->share_answers);
    same(p->text, good);
    sha256_of(good, strlen(good), id);
    assert_memory_equal(id, p->id, sizeof id);

    p = read_good(a, small);
    assert_int_equal(p->adjacency, CUSTOS_ADD_REMOVE);
    same(p->budget.delta, "0");
    same(p->default_epsilon, "1/30");
    same(p->max_epsilon, "1/3");
    same(p->query_delta, "0");
    same(p->min_epsilon, "1/30000");
    same(p->min_rho, "0");
    assert_int_equal(p->max_groups, 1 << 20);
    assert_int_equal(p->max_fanout, 1000);
    assert_false(p->has_people || p->share_answers);
    assert_int_equal(p->n_analysts, 0);
    assert_true(p->tables[0].unit_is_row);
    assert_int_equal(p->tables[0].rows_per_unit, 1);
    assert_int_equal(p->tables[0].groups_per_unit, 1);
    assert_int_equal(p->tables[0].rows_per_group, 1);
    assert_true(p->tables[0].max_rows == (uint64_t)1 << 40);
    assert_true(p->tables[0].columns[0].nullable);
    arena_free(a);
}

/* A stated number of rows is also the most. */
static void
exact_rows_are_the_most(void **state)
{
    arena *a = arena_new(NULL, MEMORY);
    const struct policy *p = read_good(
        a, "custos: 2\nadjacency: change-one\nbudget: {epsilon: 1}\n"
           "tables: {t: {source: t.csv, unit: row, exact_rows: 48842,\n"
           "             columns: {x: {type: integer}}}}\n");

    (void)state;
    assert_int_equal(p->tables[0].exact_rows, 48842);
    assert_int_equal(p->tables[0].max_rows, 48842);
    assert_true(p->tables[0].max_rows_given);
    assert_int_equal(read_good(a, good)->tables[1].exact_rows, 0);
    arena_free(a);
}

/* Constraints stay text here. */
static void
constraints_keep_their_lines(void **state)
{
    arena *a = arena_new(NULL, MEMORY);
    const struct policy_table *t =
        read_good(a, "custos: 2\nbudget: {epsilon: 1}\n"
                     "tables:\n  t:\n    source: t.csv\n    unit: row\n"
                     "    columns: {x: {type: integer, range: [0, 9]}}\n"
                     "    constraints:\n      - x > 1\n      - \"x < 8\"\n")
            ->tables;

    (void)state;
    assert_int_equal(t->n_constraints, 2);
    assert_string_equal(t->constraints[0].sql.ptr, "x > 1");
    assert_string_equal(t->constraints[1].sql.ptr, "x < 8");
    assert_int_equal(t->constraints[0].line, 9);
    assert_int_equal(t->constraints[1].line, 10);
    assert_int_equal(read_good(a, good)->tables[0].n_constraints, 0);
    arena_free(a);
}

/*
 * The owner may set the least prices, also to 0; a max_epsilon below the
 * default least price replaces it.
 */
static void
least_price_and_tripwire(void **state)
{
    arena *a = arena_new(NULL, MEMORY);
    const struct policy *p;
    char text[400];

    (void)state;
    snprintf(text, sizeof text,
             "custos: 2\nbudget: {epsilon: 2, delta: 1e-9}\n"
             "query: {min_epsilon: 0, min_rho: 1e-3, max_rho: 1e-3}\n"
             "tripwire: {failures: 5, overrun_rate: 0.0159}\n%s",
             one_table);
    p = read_good(a, text);
    same(p->min_epsilon, "0");
    same(p->min_rho, "1e-3");
    same(p->max_rho, "1e-3");
    assert_int_equal(p->max_failures, 5);
    assert_int_equal(p->max_overruns, 15);
    snprintf(text, sizeof text,
             "custos: 2\nbudget: {epsilon: 2}\nquery: {max_epsilon: 1e-5}\n"
             "tripwire: {overrun_rate: 1}\n%s",
             one_table);
    p = read_good(a, text);
    same(p->min_epsilon, "1e-5");
    assert_int_equal(p->max_failures, 3);
    assert_int_equal(p->max_overruns, 1000);
    arena_free(a);
}

static void
storage_has_defaults(void **state)
{
    arena *a = arena_new(NULL, MEMORY);
    const struct policy *p;
    char text[400];

    (void)state;
    snprintf(text, sizeof text, "custos: 2\nbudget: {epsilon: 2}\n%s",
             one_table);
    p = read_good(a, text);
    assert_int_equal(p->answer_days, 0);
    assert_int_equal(p->answer_bytes, 1 << 30);
    assert_int_equal(p->ledger_bytes, UINT64_C(1) << 33);
    assert_int_equal(p->ledger_minute_bytes, 1 << 28);
    snprintf(text, sizeof text,
             "custos: 2\nbudget: {epsilon: 2}\nstorage: {answer_days: 90,\n"
             "  answer_bytes: 1e6, ledger_bytes: 2000,\n"
             "  ledger_bytes_per_minute: 1000}\n%s",
             one_table);
    p = read_good(a, text);
    assert_int_equal(p->answer_days, 90);
    assert_int_equal(p->answer_bytes, 1000000);
    assert_int_equal(p->ledger_bytes, 2000);
    assert_int_equal(p->ledger_minute_bytes, 1000);
    arena_free(a);
}

/* A table is in a file or in a named source; both have the same fields. */
static void
named_sources(void **state)
{
    static const char text[] =
        "custos: 2\nbudget: {epsilon: 2}\n"
        "sources:\n"
        "  archive: {engine: duckdb, file: data/a.db}\n"
        "  \"Other One\": {engine: duckdb, file: /b.db}\n"
        "  vault: {engine: duckdb, file: c.db, secret_file: c.key}\n"
        "tables:\n"
        "  t: {from: archive, unit: row, columns: {a: {type: integer}}}\n"
        "  u: {from: \"Other One\", source_table: \"U 2\", unit: row,\n"
        "      attach: true, columns: {a: {type: integer}}}\n"
        "  v: {source: archive.csv, unit: row, columns: {a: {type: text}}}\n";
    arena *a = arena_new(NULL, MEMORY);
    const struct policy *p = read_good(a, text);

    (void)state;
    assert_int_equal(p->n_sources, 3);
    same(p->sources[0].name, "archive");
    assert_int_equal(p->sources[0].engine, ENGINE_DUCKDB);
    same(p->sources[0].file, "data/a.db");
    assert_int_equal(p->sources[0].line, 4);
    assert_int_equal(p->sources[0].secret_file.len, 0);
    same(p->sources[2].secret_file, "c.key");
    assert_ptr_equal(policy_source_find(p, str_of("Other One")),
                     &p->sources[1]);
    assert_null(policy_source_find(p, str_of("other one")));
    for (size_t i = 0; i < 2; i++) {
        assert_ptr_equal(p->tables[i].from, &p->sources[i]);
        assert_int_equal(p->tables[i].source_kind, SOURCE_DUCKDB);
    }
    same(p->tables[0].source, "data/a.db");
    same(p->tables[0].source_table, "t");
    same(p->tables[1].source, "/b.db");
    same(p->tables[1].source_table, "U 2");
    assert_true(p->tables[1].attached);
    assert_null(p->tables[2].from);
    same(p->tables[2].source, "archive.csv");
    arena_free(a);
}

static void
tables_and_units(void **state)
{
    arena *a = arena_new(NULL, MEMORY);
    const struct policy *p = read_good(a, good);
    const struct policy_table *t = p->tables;
    const struct policy_column *key = NULL;

    (void)state;
    assert_int_equal(p->n_tables, 3);
    same(t[0].name, "patients");
    same(t[0].source, "patients.csv");
    same(t[0].comment, "who they are");
    assert_int_equal(t[0].source_kind, SOURCE_CSV);
    assert_false(t[0].is_public || t[0].unit_is_row || t[0].rows_given);
    assert_int_equal(t[0].unit_column, 0);
    assert_null(policy_unit_parent(p, &t[0], &key));
    same(t[1].source_table, "all visits");
    assert_int_equal(t[1].source_kind, SOURCE_DUCKDB);
    assert_int_equal(t[1].rows_per_unit, 20);
    assert_int_equal(t[1].groups_per_unit, 5);
    assert_int_equal(t[1].rows_per_group, 20);
    assert_int_equal(t[1].max_rows, 1000000000);
    assert_true(t[1].prefer_speed && t[1].rows_given);
    assert_ptr_equal(policy_unit_parent(p, &t[1], &key), &t[0]);
    assert_ptr_equal(key, &t[0].columns[0]);
    assert_true(t[2].is_public && t[2].attached);
    assert_true(t[2].facts.may_change && !t[2].facts.sorted &&
                !t[2].facts.keys_enforced && !t[2].facts.steps_stored);
    assert_true(t[0].facts.sorted && t[0].facts.keys_enforced &&
                t[0].facts.steps_stored && !t[0].facts.may_change);
    assert_int_equal(t[2].source_kind, SOURCE_PARQUET);
    assert_null(policy_unit_parent(p, &t[2], &key));
    assert_int_equal(t[1].line, 20);
    assert_ptr_equal(policy_table_find(p, str_of("visits")), &t[1]);
    assert_null(policy_table_find(p, str_of("Visits")));
    arena_free(a);
}

static void
columns_and_domains(void **state)
{
    arena *a = arena_new(NULL, MEMORY);
    const struct policy *p = read_good(a, good);
    const struct policy_column *c = p->tables[0].columns;

    (void)state;
    assert_int_equal(p->tables[0].n_columns, 3);
    assert_true(c[1].has_range && c[1].lower.n == 0 && c[1].upper.n == 120);
    assert_int_equal(c[2].n_values, 2); /* sorted */
    same(c[2].values[0].text, "Oslo");
    same(c[2].values[1].text, "Rome");
    assert_false(c[2].nullable);
    same(c[2].comment, "where");
    assert_int_equal(c[2].line, 18);
    c = p->tables[1].columns;
    same(c[0].references_table, "patients");
    same(c[0].references_column, "id");
    assert_int_equal(c[1].scale, 2);
    assert_true(c[1].lower.n == -50 && c[1].lower.scale == 2);
    assert_true(c[1].upper.n == 500000 && c[1].upper.scale == 2);
    assert_true(c[2].lower.n == 18262 && c[2].upper.n == 18627);
    same(c[3].name, "When");
    assert_false(c[3].has_range);
    assert_true(c[4].type == TYPE_REAL && c[4].lower.n == 25);
    assert_true(c[5].values[0].n == 1 && c[5].values[1].n == 3 &&
                c[5].values[2].n == 5);
    assert_ptr_equal(policy_column_find(&p->tables[1], str_of("When")), &c[3]);
    assert_null(policy_column_find(&p->tables[1], str_of("when")));
    arena_free(a);
}

static void
analysts_and_grants(void **state)
{
    arena *a = arena_new(NULL, MEMORY);
    const struct policy *p = read_good(a, good);
    const struct policy_table *patients = &p->tables[0], *visits = patients + 1;
    const struct policy_analyst *ana = policy_analyst_find(p, str_of("ana"));
    const struct policy_analyst *bo = policy_analyst_find(p, str_of("bo"));
    const struct policy_analyst *cy = policy_analyst_find(p, str_of("cy"));
    const struct policy_analyst *di = policy_analyst_find(p, str_of("di"));

    (void)state;
    assert_true(ana && bo && cy && di);
    assert_null(policy_analyst_find(p, str_of("")));
    assert_true(ana->has_budget && ana->has_window);
    same(ana->budget.epsilon, "1/2");
    same(ana->window.epsilon, "0.1");
    same(ana->window.delta, "1e-8"); /* not given: the budget's */
    assert_int_equal(ana->window_days, 7);
    assert_false(bo->has_budget || bo->has_window);
    assert_true(policy_grants(p, ana, visits, &visits->columns[1]));
    assert_false(policy_grants(p, ana, visits, &visits->columns[0]));
    assert_true(policy_grants_table(p, ana, visits));
    assert_false(policy_grants_table(p, ana, patients));
    assert_false(policy_grants(p, ana, patients, &patients->columns[1]));
    assert_true(policy_grants(p, ana, &p->tables[2], &p->tables[2].columns[0]));
    assert_true(policy_grants(p, bo, patients, &patients->columns[2]));
    assert_false(policy_grants_table(p, bo, visits));
    assert_false(policy_grants_table(p, cy, patients)); /* [] grants nothing */
    assert_true(policy_grants_table(p, di, patients));
    assert_true(policy_grants(p, NULL, visits, &visits->columns[0]));
    arena_free(a);
}

/* --------------------------------------------------------- the edges -- */

static custos_status
read_text(const char *text, size_t len, custos_err *err)
{
    arena *a = arena_new(NULL, MEMORY);
    struct policy *p = NULL;
    custos_status st = policy_read(a, (str){text, len}, "policy.yaml", &p, err);

    arena_free(a);
    return st;
}

static void
empty_and_huge_files(void **state)
{
    enum { HUGE = (1 << 20) + 1 };
    char *huge = malloc(HUGE);
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_non_null(huge);
    memset(huge, ' ', HUGE);
    assert_int_equal(read_text("", 0, &err), CUSTOS_EPOLICY);
    assert_string_equal(whole_said(&err),
                        "policy.yaml, line 1: the file is empty");
    assert_int_equal(read_text("# x\n", 4, &err), CUSTOS_EPOLICY);
    assert_int_equal(read_text(NULL, 0, &err), CUSTOS_EPOLICY);
    assert_int_equal(read_text("a", 1, NULL), CUSTOS_EPOLICY);
    assert_int_equal(read_text(huge, HUGE, &err), CUSTOS_EPOLICY);
    assert_string_equal(whole_said(&err),
                        "policy.yaml, line 1: the file is larger "
                        "than 1048576 bytes");
    memcpy(huge, good, strlen(good)); /* just small enough */
    huge[strlen(good)] = '\n';
    assert_int_equal(read_text(huge, HUGE - 1, &err), CUSTOS_OK);
    free(huge);
}

static void
too_many_keys(void **state)
{
    struct buf b;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    buf_init(&b, NULL, 1 << 20);
    for (int i = 0; i <= 2000; i++)
        buf_printf(&b, "k%d: 1\n", i);
    assert_int_equal(read_text(buf_text(&b), b.len, &err), CUSTOS_EPOLICY);
    assert_string_equal(whole_said(&err),
                        "policy.yaml, line 2001: more than 2000 keys");
    buf_clear(&b);
}

/* With force_delta a delta of 1/n is accepted. */
static void
delta_can_be_forced(void **state)
{
    static const char text[] =
        "custos: 2\n"
        "budget: {epsilon: 1, delta: 0.1, n: 10, force_delta: true}\n"
        "tables: {t: {source: t.csv, unit: 'row',\n"
        "  columns: {row: {type: integer}}}}\n";
    arena *a = arena_new(NULL, MEMORY);
    const struct policy *p = read_good(a, text);

    (void)state;
    assert_true(p->delta_forced);
    assert_false(p->tables[0].unit_is_row); /* the column, in quotes */
    arena_free(a);
}

/* Values just inside the limits. */
static void
limits_are_reached(void **state)
{
    static const char text[] =
        "custos: 2\n"
        "budget: {epsilon: 1e6, delta: 1e-36, n: 1099511627776}\n"
        "query: {epsilon: 1e-20, delta: 1e-36, max_groups: 1, max_fanout: 7}\n"
        "tables:\n"
        "  t: {source: t.CSV.GZ, unit: a, bound: after-where,\n"
        "      rows_per_unit: 2147483648, groups_per_unit: 2147483648,\n"
        "      rows_per_unit_and_group: 2147483648,\n"
        "      max_rows: 281474976710656, columns: {\n"
        "    a: {type: text, values: [null_, 'null', '~', '']},\n"
        "    b: {type: decimal, scale: 18, range: [-1.50, 1e17]},\n"
        "    c: {type: integer,\n"
        "        range: [-9223372036854775808, 9223372036854775807]}}}\n"
        "analysts: {a: {window: {epsilon: 1, days: 36500}}}\n";
    arena *a = arena_new(NULL, MEMORY);
    const struct policy *p = read_good(a, text);

    (void)state;
    assert_false(p->tables[0].prefer_speed);
    assert_int_equal(p->tables[0].source_kind, SOURCE_CSV);
    assert_int_equal(p->tables[0].rows_per_group, 2147483648);
    assert_int_equal(p->tables[0].columns[0].n_values, 4);
    assert_true(p->tables[0].columns[1].lower.n == -1500000000000000000);
    same(p->analysts[0].window.delta, "1e-36"); /* the common one */
    arena_free(a);
}

/* If a column is named row, `unit: row` is ambiguous and rejected. */
static void
row_is_not_guessed(void **state)
{
    static const char text[] = "custos: 2\n"
                               "budget: {epsilon: 1}\n"
                               "tables: {t: {source: t.csv, unit: row,\n"
                               "  columns: {row: {type: integer}}}}\n";
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(read_text(text, strlen(text), &err), CUSTOS_EPOLICY);
    assert_string_equal(whole_said(&err),
                        "policy.yaml, line 3: table 't' has a column "
                        "row: write \"row\" in quotes for it, or "
                        "rename it");
}

/* References to names with dots are found. */
static void
references_to_names_with_dots(void **state)
{
    static const char text[] =
        "custos: 2\n"
        "budget: {epsilon: 1}\n"
        "tables:\n"
        "  a: {source: a.csv, unit: \"b.c\",\n"
        "      columns: {\"b.c\": {type: integer}}}\n"
        "  \"a.b\": {source: b.csv, unit: x,\n"
        "      columns: {x: {type: integer, references: a.b.c},\n"
        "                y: {type: integer, references: a.b.x}}}\n";
    arena *a = arena_new(NULL, MEMORY);
    const struct policy *p = read_good(a, text);

    (void)state;
    same(p->tables[1].columns[0].references_table, "a");
    same(p->tables[1].columns[0].references_column, "b.c");
    same(p->tables[1].columns[1].references_table, "a.b");
    arena_free(a);
}

/* Names in quotes, as in SQL; an unclosed quote is not a name. */
static void
references_to_names_in_quotes(void **state)
{
    static const char head[] =
        "custos: 2\n"
        "budget: {epsilon: 1}\n"
        "tables:\n"
        "  \"The Members\": {source: a.csv, unit: \"Member \\\"ID\\\".\",\n"
        "      columns: {\"Member \\\"ID\\\".\": {type: integer}}}\n"
        "  b: {source: b.csv, unit: x,\n"
        "      columns: {x: {type: integer, references: ";
    static const char *const right[] = {
        "The Members.\"Member \"\"ID\"\".\"",
        "'\"The Members\".\"Member \"\"ID\"\".\"'",
        "The Members.Member \"ID\".",
    };
    static const char *const wrong[] = {
        "'\"The Members.\"Member \"\"ID\"\".\"'",
        "The Members.\"Member \"ID\".\"",
        "The Members.\"Member \"\"ID\"\".\"\"",
        "The Members.\"\"",
        "The Members.\"",
    };
    char text[1024];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(right) + COUNT_OF(wrong); i++) {
        bool good_one = i < COUNT_OF(right);
        arena *a = arena_new(NULL, MEMORY);
        struct policy *p = NULL;

        snprintf(text, sizeof text, "%s%s}}}\n", head,
                 good_one ? right[i] : wrong[i - COUNT_OF(right)]);
        assert_int_equal(policy_read(a, str_of(text), "p.yaml", &p, NULL),
                         good_one ? CUSTOS_OK : CUSTOS_EPOLICY);
        if (good_one)
            same(p->tables[1].columns[0].references_column, "Member \"ID\".");
        arena_free(a);
    }
}

/*
 * The allocation of every block fails once. The arena is filled in advance by
 * increasing amounts, so that blocks end at every piece of the policy.
 */
static void
memory_fails(void **state)
{
    (void)state;
    for (size_t fill = 0; fill < 4096; fill += (size_t)test_size(512, 16)) {
        custos_status st = CUSTOS_ENOMEM;

        for (size_t n = 2; st == CUSTOS_ENOMEM; n++) {
            struct test_memory memory = {.fail_at = n};
            custos_alloc hooks = test_alloc(&memory);
            arena *a = arena_new(&hooks, MEMORY);
            struct policy *p = NULL;
            custos_err err = CUSTOS_ERR_INIT;

            if (fill > 0 && !arena_take(a, fill, 1)) {
                arena_free(a);
                continue;
            }
            st = policy_read(a, str_of(good), "policy.yaml", &p, &err);
            assert_true(st == CUSTOS_ENOMEM || st == CUSTOS_OK);
            assert_true(n > 4 || st == CUSTOS_ENOMEM);
            assert_true((st == CUSTOS_OK) == (p != NULL));
            arena_free(a);
            assert_int_equal(memory.live, 0);
        }
    }
}

/* The keys that a policy must have. */
static void
parts_that_are_missing(void **state)
{
    static const char *const texts[][2] = {
        {"custos: 2\nbudget: {epsilon: 1}\n", "there are no tables"},
        {"custos: 2\nbudget: {epsilon: 1}\ntables: {}\n",
         "a policy has 1 to 500 tables"},
        {"- custos\n", "a policy must be a map of keys to values"},
    };
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        assert_int_equal(read_text(texts[i][0], strlen(texts[i][0]), &err),
                         CUSTOS_EPOLICY);
        assert_non_null(strstr(whole_said(&err), texts[i][1]));
    }
}

/*
 * Every prefix, and every text with a byte missing, gives a policy or an error,
 * never a crash.
 */
static void
torn_files(void **state)
{
    static char text[sizeof good];
    size_t len = strlen(good);
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t i = 0; i < len; i += (size_t)test_size(31, 1)) {
        err.said[0] = '\0';
        if (read_text(good, i, &err))
            assert_true(err.said[0] != '\0');
        memcpy(text, good, i);
        memcpy(text + i, good + i + 1, len - i - 1);
        err.said[0] = '\0';
        if (read_text(text, len - 1, &err))
            assert_memory_equal(whole_said(&err), "policy.yaml, ", 13);
    }
}

#define VIEWS(views, analysts)                                                 \
    "custos: 2\n"                                                              \
    "budget: {epsilon: 1}\n"                                                   \
    "tables: {t: {source: t.csv, unit: row, columns: {a: {type: integer}}}}\n" \
    "views: " views "\n"                                                       \
    "analysts: " analysts "\n"

/* A grant of a view is not a grant of its table, and vice versa. */
static void
views_and_grants(void **state)
{
    arena *a = arena_new(NULL, MEMORY);
    const struct policy *p = read_good(
        a, VIEWS("{v: {sql: SELECT a FROM t, comment: b}, \"W 1\": {sql: x}}",
                 "{ana: {tables: [v]}, bo: {tables: {t: all, \"W 1\": all}}, "
                 "cy: {}, di: {tables: []}}"));
    const struct policy_view *v = policy_view_find(p, str_of("v"));
    const struct policy_analyst *who = p->analysts;

    (void)state;
    assert_int_equal(p->n_views, 2);
    assert_ptr_equal(v, &p->views[0]);
    same(v->sql, "SELECT a FROM t");
    same(v->comment, "b");
    assert_int_equal(v->line, 4);
    assert_null(policy_view_find(p, str_of("t")));
    assert_true(policy_grants_view(p, NULL, v));
    assert_true(policy_grants_view(p, &who[0], v));
    assert_false(policy_grants_view(p, &who[0], v + 1));
    assert_false(policy_grants_table(p, &who[0], p->tables));
    assert_false(policy_grants_view(p, &who[1], v));
    assert_true(policy_grants_view(p, &who[1], v + 1));
    assert_true(policy_grants_view(p, &who[2], v));
    assert_false(policy_grants_view(p, &who[3], v));
    arena_free(a);
}

static void
mistakes_in_views(void **state)
{
    static const struct {
        const char *text, *said;
    } wrong[] = {
        {VIEWS("1", "{}"), "line 4: views must"},
        {VIEWS("{v: 1}", "{}"), "line 4: a view must be a map"},
        {VIEWS("{v: {}}", "{}"), "line 4: view 'v' has no query"},
        {VIEWS("{v: {sql: ''}}", "{}"), "line 4: sql"},
        {VIEWS("{v: {sql: x, sqll: x}}", "{}"), "no key 'sqll'"},
        {VIEWS("{t: {sql: x}}", "{}"), "there is already a table 't'"},
        {VIEWS("{V: {sql: x}}", "{}"), "line 4"},
        {VIEWS("{v: {sql: x}}", "{ana: {tables: {v: [a]}}}"),
         "line 5: view 'v' can only be granted as a whole"},
        {VIEWS("{v: {sql: x}}", "{ana: {tables: [v, v]}}"),
         "line 5: view 'v' is granted twice"},
        {VIEWS("{v: {sql: x}}", "{ana: {tables: [w]}}"),
         "no table or view 'w'"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        arena *a = arena_new(NULL, MEMORY);
        struct policy *p = NULL;
        custos_err err = CUSTOS_ERR_INIT;

        if (policy_read(a, str_of(wrong[i].text), "policy.yaml", &p, &err) !=
                CUSTOS_EPOLICY ||
            !strstr(whole_said(&err), wrong[i].said))
            fail_msg("%s: %s", wrong[i].said, err.said);
        arena_free(a);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budgets_and_defaults),
        cmocka_unit_test(exact_rows_are_the_most),
        cmocka_unit_test(constraints_keep_their_lines),
        cmocka_unit_test(least_price_and_tripwire),
        cmocka_unit_test(storage_has_defaults),
        cmocka_unit_test(named_sources),
        cmocka_unit_test(tables_and_units),
        cmocka_unit_test(columns_and_domains),
        cmocka_unit_test(analysts_and_grants),
        cmocka_unit_test(views_and_grants),
        cmocka_unit_test(mistakes_in_views),
        cmocka_unit_test(empty_and_huge_files),
        cmocka_unit_test(too_many_keys),
        cmocka_unit_test(delta_can_be_forced),
        cmocka_unit_test(limits_are_reached),
        cmocka_unit_test(row_is_not_guessed),
        cmocka_unit_test(references_to_names_with_dots),
        cmocka_unit_test(references_to_names_in_quotes),
        cmocka_unit_test(parts_that_are_missing),
        cmocka_unit_test(memory_fails),
        cmocka_unit_test(torn_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
