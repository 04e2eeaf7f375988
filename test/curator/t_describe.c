/*
 * Descriptions and parameters, end to end: an answer has the columns that were
 * described, and describing changes nothing.
 */
#include "curator/describe.h"

#include <stdio.h>

#include "curator/answer.h"
#include "curator/opened.h"
#include "support/said.h"
#include "support/support.h"

static const char *const policy =
    "custos: 1\n"
    "budget: {epsilon: 10, delta: 1e-9}\n"
    "query: {epsilon: 0.1, delta: 1e-12}\n"
    "tables:\n"
    "  patients:\n"
    "    source: patients.csv\n"
    "    unit: id\n"
    "    rows_per_unit: 1\n"
    "    columns:\n"
    "      id: {type: integer, nullable: false}\n"
    "      age: {type: integer, range: [0, 100]}\n"
    "      city: {type: text, values: [Oslo, Rome]}\n"
    "      cost: {type: decimal, scale: 2, range: [0, 100]}\n"
    "      weight: {type: real, range: [0, 200]}\n"
    "      born: {type: date, range: ['1900-01-01', '2026-01-01']}\n"
    "      seen: {type: timestamp}\n"
    "  stays:\n" /* uses bound selection */
    "    source: patients.csv\n"
    "    unit: id\n"
    "    columns: {id: {type: integer}}\n"
    "  floors:\n"
    "    public: true\n"
    "    source: floors.csv\n"
    "    columns: {name: {type: text}, floor: {type: integer}}\n"
    "analysts:\n"
    "  ana: {tables: {patients: [age]}}\n";

static int
begin(void **state)
{
    (void)state;
    test_rng_new_silent();
    test_store_write(&files, policy, "patients.csv",
                     "id,age,city,cost,weight,born,seen\n"
                     "1,30,Rome,1.50,70,1990-01-01,2026-01-01 10:00:00\n"
                     "2,40,Oslo,2.25,80,1980-01-01,2026-01-02 10:00:00\n",
                     "floors.csv", "name,floor\nward,1\nsurgery,2\n", NULL);
    open_store();
    return 0;
}

static void
write_description(const struct description *d, struct buf *b)
{
    for (size_t i = 0; i < d->n_params; i++)
        buf_printf(b, "$%zu %s%s ", i + 1, data_type_name(d->params[i]),
                   d->lists[i] ? "[]" : "");
    buf_add_text(b, "->");
    for (size_t i = 0; i < d->n_columns; i++)
        buf_printf(b, " %.*s:%s%s", (int)d->columns[i].name.len,
                   d->columns[i].name.ptr, data_type_name(d->columns[i].type),
                   d->columns[i].is_key ? "*" : "");
}

/* The description as "$1 integer -> city:text* count:integer", or the error. */
static void
described(const char *who, const char *sql, const enum data_type *types,
          size_t n, const char *want)
{
    arena *a = arena_new(NULL, 1 << 26);
    struct ask ask = {.who = str_of(who),
                      .sql = str_of(sql),
                      .param_types = types,
                      .n_param_types = n};
    struct description d;
    custos_err err = CUSTOS_ERR_INIT;
    struct buf b;

    buf_init(&b, NULL, 1 << 16);
    if (curator_describe(c, &ask, a, &d, &err))
        buf_add_text(&b, err.said);
    else
        write_description(&d, &b);
    if (strcmp(buf_text(&b), want) != 0)
        fail_msg("%s\n  is  %s\n  not %s", sql, buf_text(&b), want);
    buf_clear(&b);
    arena_free(a);
}

#define P "SELECT count(*) FROM patients WHERE "

static void
types_come_from_what_stands_beside(void **state)
{
    static const struct {
        const char *sql, *want;
    } cases[] = {
        {"SELECT city, count(*), avg(age) AS a FROM patients GROUP BY city",
         "-> city:text* count:integer a:real"},
        {P "age = $1", "$1 integer -> count:integer"},
        {"SELECT count(*) FROM stays WHERE id > $1",
         "$1 integer -> count:integer"},
        {P "$1 < age", "$1 integer -> count:integer"},
        {P "born >= $1 AND born < $2", "$1 date $2 date -> count:integer"},
        {P "seen > $1", "$1 timestamp -> count:integer"},
        {P "city = $1", "$1 text -> count:integer"},
        {P "cost <= $1", "$1 decimal -> count:integer"},
        {P "weight BETWEEN $1 AND $2", "$1 real $2 real -> count:integer"},
        {P "age IN ($1, $2, 5)", "$1 integer $2 integer -> count:integer"},
        {P "age = ANY($1)", "$1 integer[] -> count:integer"},
        {P "city <> ALL($1) AND born = ANY($2)",
         "$1 text[] $2 date[] -> count:integer"},
        {P "age = ANY($1::int[])", "$1 integer[] -> count:integer"},
        {P "age = ANY(ARRAY[$1, 4])", "$1 integer -> count:integer"},
        {P "age + $1 > 5", "$1 integer -> count:integer"},
        {P "weight * $1 > 5", "$1 real -> count:integer"},
        {P "born + $1 > DATE '2000-01-01'", "$1 integer -> count:integer"},
        {P "$1", "$1 boolean -> count:integer"},
        {P "city LIKE $1", "$1 text -> count:integer"},
        {P "age = $1::int LIMIT $2", "$1 integer $2 integer -> count:integer"},
        {P "coalesce(city, $1) = 'x'", "$1 text -> count:integer"},
        {P "CASE WHEN age > $1 THEN $2 ELSE 0 END = 1",
         "$1 integer $2 integer -> count:integer"},
        {"SELECT count(*) + $1 AS n FROM patients", "$1 integer -> n:integer"},
        {"SELECT avg(age) * $1 AS n FROM patients", "$1 real -> n:real"},
        {"SELECT sum(cost) FROM patients HAVING count(*) > $1",
         "$1 integer -> sum:decimal"},
        {"SELECT percentile_cont($1) WITHIN GROUP (ORDER BY age) FROM patients",
         "$1 real -> percentile_cont:real"},
        {"SELECT sum(age, contribution_bounds_per_row => ($1, $2)) FROM "
         "patients",
         "$1 real $2 real -> sum:integer"},
        {"SELECT width_bucket(age, $1, $2, $3) AS b, count(*) FROM patients "
         "GROUP BY 1",
         "$1 real $2 real $3 integer -> b:integer* count:integer"},
        {"SELECT CASE WHEN age < $1 THEN 'a' ELSE 'b' END AS k, count(*) FROM "
         "patients GROUP BY 1",
         "$1 integer -> k:text* count:integer"},
        {"SELECT date_trunc($1, born) AS m, count(*) FROM patients GROUP BY m",
         "$1 text -> m:date* count:integer"},
        {"SELECT name FROM floors WHERE floor = $1", "$1 integer -> name:text"},
        {"SELECT name, $1 AS x FROM floors", "$1 text -> name:text x:text"},
        {"SELECT $1::int AS a, $2::date AS b FROM floors",
         "$1 integer $2 date -> a:integer b:date"},
        {"EXPLAIN SELECT count(*) FROM patients WHERE age > $1",
         "$1 integer -> plan:text"},
        {P "age = $3", "$1 text $2 text $3 integer -> count:integer"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        described("", cases[i].sql, NULL, 0, cases[i].want);
}

static void
the_client_may_declare_them(void **state)
{
    static const enum data_type real[] = {TYPE_REAL},
                                decimal[] = {TYPE_NULL, TYPE_DECIMAL};

    (void)state;
    described("", P "age = $1", real, 1, "$1 real -> count:integer");
    described("", "SELECT count(*) + $1 AS n FROM patients", real, 1,
              "$1 real -> n:real");
    described("", P "age > $1 AND age < $2", decimal, 2,
              "$1 integer $2 decimal -> count:integer");
    described("", P "age > $1", decimal, 2,
              "$1 integer $2 decimal -> count:integer");
}

static void
refusals_are_those_of_answers(void **state)
{
    (void)state;
    described("ana", P "age > $1", NULL, 0, "$1 integer -> count:integer");
    described("ana", P "city = $1", NULL, 0,
              "there is no column city in patients");
    described("bob", P "age > $1", NULL, 0,
              "no analyst named bob in the policy in force");
    described("", "SELECT count(*) FROM $1", NULL, 0,
              "syntax error at or near \"$1\"");
}

/* The answer with these values. */
static struct answer *
answered(const char *sql, const struct datum *values, size_t n)
{
    struct ask ask = {
        .sql = str_of(sql), .now = 1, .params = values, .n_params = n};
    struct answer *answer = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    if (curator_answer(c, &ask, &answer, &err))
        fail_msg("%s: %s (%s)", sql, err.said, err.noted);
    return answer;
}

static void
what_is_described_is_what_is_answered(void **state)
{
    static const struct datum v[] = {
        {.type = TYPE_INT, .n = 35},
        {.type = TYPE_TEXT, .text = {"Rome", 4}},
        {.type = TYPE_DATE, .n = 3652},
        {.type = TYPE_DECIMAL, .n = 200, .scale = 2},
        {.type = TYPE_NULL},
        {.type = TYPE_TEXT, .text = {"{Rome,Bern}", 11}},
        {.type = TYPE_TEXT, .text = {"{Rome,NULL}", 11}},
        {.type = TYPE_TEXT, .text = {"{}", 2}},
    };
    static const struct {
        const char *sql;
        size_t from, n;
        int64_t first;
    } cases[] = {
        {P "age > $1", 0, 1, 1},
        {P "city = $1", 1, 1, 1},
        {P "born >= $1", 2, 1, 2},
        {P "cost < $1", 3, 1, 1},
        {P "age > $1", 4, 1, 0},
        {P "age > $1 AND city = $2", 0, 2, 0},
        {P "city = ANY($1)", 5, 1, 1},
        {P "city <> ALL($1)", 5, 1, 1},
        {P "city <> ALL($1)", 6, 1, 0},
        {P "age = ANY($1)", 7, 1, 0},
        {P "age <> ALL($1)", 7, 1, 2},
        {"SELECT count(*) + $1 AS n FROM patients", 0, 1, 37},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        arena *a = arena_new(NULL, 1 << 26);
        struct ask ask = {.sql = str_of(cases[i].sql)};
        struct description d;
        custos_err err = CUSTOS_ERR_INIT;
        struct answer *answer =
            answered(cases[i].sql, v + cases[i].from, cases[i].n);

        assert_int_equal(curator_describe(c, &ask, a, &d, &err), CUSTOS_OK);
        assert_int_equal(d.n_columns, answer->n_columns);
        for (size_t k = 0; k < d.n_columns; k++) {
            assert_int_equal(d.columns[k].type, answer->columns[k].type);
            assert_true(str_equal(d.columns[k].name, answer->columns[k].name));
        }
        assert_int_equal(test_whole(answer, 0, 0), cases[i].first);
        answer_free(answer);
        arena_free(a);
    }
}

/*
 * The description has the error bar that the answer will have, or none if the
 * bar depends on released values.
 */
static void
the_bar_that_is_foretold_is_the_answers(void **state)
{
    static const char sql[] =
        "SELECT count(*) AS a, sum(age) AS b, count(DISTINCT id) AS c, "
        "variance(cost) AS d, count(*) + 1 AS e FROM patients";
    struct answer *answer = answered(sql, NULL, 0);
    arena *a = arena_new(NULL, 1 << 26);
    struct ask ask = {.sql = str_of(sql)};
    struct description d;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(curator_describe(c, &ask, a, &d, &err), CUSTOS_OK);
    for (size_t k = 0; k < d.n_columns; k++) {
        const struct answer_cell *cell = &answer->cells[k];

        assert_true(cell->has_bar);
        if (k >= 3) {
            assert_int_equal(d.columns[k].within.type, TYPE_NULL);
            continue;
        }
        assert_int_equal(d.columns[k].within.type, TYPE_INT);
        assert_true(d.columns[k].within.n > 0);
        assert_true(cell->high.n - cell->value.n == d.columns[k].within.n);
        assert_true(cell->value.n - cell->low.n == d.columns[k].within.n);
    }
    answer_free(answer);
    arena_free(a);
}

/* Describing charges nothing. */
static void
describing_touches_nothing(void **state)
{
    char before[64], after[64];

    (void)state;
    test_left(c, "", before);
    described("", P "weight > $1", NULL, 0, "$1 real -> count:integer");
    described("", "SELECT name FROM floors", NULL, 0, "-> name:text");
    assert_string_equal(before, test_left(c, "", after));
}

static void
ledger_has(const struct answer *answer, const char *query)
{
    arena *a = arena_new(NULL, 1 << 26);
    struct ledger_row *rows = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    size_t n = 1;

    assert_int_equal(ledger_rows(curator_ledger(c), answer->receipt.seq,
                                 str_of(""), str_of(""), a, &rows, &n, &err),
                     CUSTOS_OK);
    assert_true(str_equal(rows[0].query, str_of(query)));
    arena_free(a);
}

/* Parameter values are part of the answer key and of the text in the ledger. */
static void
values_are_part_of_the_question(void **state)
{
    struct datum one = {.type = TYPE_INT, .n = 50},
                 two = {.type = TYPE_INT, .n = 51};
    struct answer *a = answered(P "age > $1", &one, 1), *b, *d;

    (void)state;
    assert_false(a->stored);
    ledger_has(a, P "age > 50");
    b = answered(P "age > $1", &one, 1);
    assert_true(b->stored);
    d = test_ask(c, "", P "age > 50", "");
    assert_true(d->stored);
    answer_free(d);
    d = answered(P "age > $1", &two, 1);
    assert_false(d->stored);
    answer_free(a);
    answer_free(b);
    answer_free(d);
}

/*
 * Planning thousands of values for each of eleven bounds takes too many steps,
 * whether the question is explained, answered or described.
 */
static void
the_account_of_planning_is_one(void **state)
{
    enum { VALUES = 9000, EXPLAIN_LEN = sizeof "EXPLAIN " - 1 };
    arena *a = arena_new(NULL, 1 << 20);
    custos_err said[3] = {CUSTOS_ERR_INIT, CUSTOS_ERR_INIT, CUSTOS_ERR_INIT};
    struct answer *answer = NULL;
    struct ask ask = {.now = 1};
    struct description d;
    struct buf sql;

    (void)state;
    buf_init(&sql, NULL, 1 << 16);
    buf_add_text(&sql, "EXPLAIN SELECT count(*) FROM stays WHERE id IN (1");
    for (int i = 0; i < VALUES; i++)
        buf_printf(&sql, ",%d", i);
    buf_add_text(&sql, ")");
    assert_false(sql.failed);
    ask.sql = (str){sql.ptr, sql.len};
    assert_int_equal(curator_answer(c, &ask, &answer, &said[0]),
                     CUSTOS_EOVERFLOW);
    ask.sql = (str){sql.ptr + EXPLAIN_LEN, sql.len - EXPLAIN_LEN};
    assert_int_equal(curator_answer(c, &ask, &answer, &said[1]),
                     CUSTOS_EOVERFLOW);
    assert_int_equal(curator_describe(c, &ask, a, &d, &said[2]),
                     CUSTOS_EOVERFLOW);
    assert_non_null(strstr(whole_said(&said[0]), "too many steps"));
    for (size_t i = 1; i < COUNT_OF(said); i++) {
        assert_string_equal(said[0].said, said[i].said);
        assert_string_equal(said[0].hint, said[i].hint);
    }
    buf_clear(&sql);
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_come_from_what_stands_beside),
        cmocka_unit_test(the_client_may_declare_them),
        cmocka_unit_test(refusals_are_those_of_answers),
        cmocka_unit_test(what_is_described_is_what_is_answered),
        cmocka_unit_test(the_bar_that_is_foretold_is_the_answers),
        cmocka_unit_test(describing_touches_nothing),
        cmocka_unit_test(values_are_part_of_the_question),
        cmocka_unit_test(the_account_of_planning_is_one),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
