/*
 * Keys that are whole numbers: stored columns, ranges narrower than the
 * column's, expressions. Every way of bounding is compared with counts that the
 * test asks the engine for one by one.
 */
#include "made.h"
#include "support/stages.h"

enum { KEYS = 2, LEAST = -3, CELLS_MOST = 200 };

static const char POLICY[] =
    "custos: 1\nbudget: {epsilon: 1}\ntables:\n"
    "  v:\n    source: v.csv\n    unit: who\n    rows_per_unit: 99\n"
    "    columns:\n"
    "      who: {type: integer}\n"
    "      n: {type: integer, range: [3, 9]}\n"
    "      m: {type: integer, range: [-3, 4], nullable: false}\n"
    "      big: {type: integer, range: [9223372036854775800, "
    "9223372036854775807]}\n";

static void
write_rows(const struct made *m)
{
    struct buf b;

    buf_init(&b, NULL, 1 << 20);
    buf_add_text(&b, "who,n,m,big\n");
    for (int i = 0; i < 500; i++)
        if (i % 11 == 0)
            buf_printf(&b, "%d,,%d,\n", i % 7, i % 13 - 5);
        else
            buf_printf(&b, "%d,%d,%d,922337203685477580%d\n", i % 7, i % 10,
                       i % 13 - 5, i % 8);
    made_file(m, "v.csv", buf_text(&b));
    buf_clear(&b);
}

struct asked {
    struct expr exprs[KEYS], left[KEYS], one;
    struct expr *args[KEYS][2];
    struct key keys[KEYS];
    struct part rows;
    struct plan plan;
};

/*
 * Adds a key: the values from .. from + n - 1 of a column, or of the column
 * plus 1.
 */
static void
add_key(struct asked *q, const struct made *m, int column, i128 from, size_t n,
        bool plus_one)
{
    size_t i = q->plan.space.n_keys++;
    struct expr *e = &q->exprs[i];

    *e = (struct expr){.kind = EXPR_COLUMN, .slot = column, .type = TYPE_INT};
    if (plus_one) {
        q->left[i] = *e;
        q->args[i][0] = &q->left[i];
        q->args[i][1] = &q->one;
        *e = (struct expr){.kind = EXPR_CALL,
                           .call = CALL_ADD,
                           .type = TYPE_INT,
                           .args = q->args[i],
                           .n_args = 2};
    }
    q->keys[i] = (struct key){
        .expr = e,
        .kind = KEY_WHOLE,
        .column = plus_one ? -1 : column,
        .from = from,
        .n = n,
        .null_group = m->policy->tables[0].columns[column].nullable};
    q->plan.space.keys = q->keys;
    q->plan.space.cells *= n + q->keys[i].null_group;
}

static void
ask(struct asked *q, const struct made *m)
{
    memset(q, 0, sizeof *q);
    q->one = (struct expr){.kind = EXPR_LITERAL,
                           .type = TYPE_INT,
                           .value = {.type = TYPE_INT, .n = 1}};
    q->rows.kind = PART_ROWS;
    q->plan = (struct plan){.policy = m->policy,
                            .table = &m->policy->tables[0],
                            .rows = 99,
                            .space = {.cells = 1, .groups = 99},
                            .parts = &q->rows,
                            .n_parts = 1};
}

/*
 * Prints the condition that key i has its value number `index`, in the engine's
 * SQL.
 */
static void
print_is(const struct asked *q, size_t i, size_t index, struct buf *out)
{
    const struct key *k = &q->keys[i];
    int column = k->column < 0 ? q->left[i].slot : k->column;
    char from[41], last[41], value[41], e[64];

    snprintf(e, sizeof e, "CAST(c%d AS HUGEINT) + %d", column, k->column < 0);
    custos_int_write(k->from, from);
    custos_int_write(k->from + (i128)k->n - 1, last);
    custos_int_write(k->from + (i128)index, value);
    if (index == k->n)
        buf_printf(out, " AND (c%d IS NULL OR %s NOT BETWEEN %s AND %s)",
                   column, e, from, last);
    else
        buf_printf(out, " AND %s = %s", e, value);
}

static void
check(struct made *m, struct asked *q)
{
    static const enum bounding ways[] = {BOUND_RANK, BOUND_FOLD, BOUND_GENERAL};
    i128 want[CELLS_MOST], all = 0;
    struct exact x;
    struct buf b;

    assert_true(q->plan.space.cells <= CELLS_MOST);
    for (size_t cell = 0; cell < q->plan.space.cells; cell++) {
        size_t rest = cell;

        buf_init(&b, NULL, 1 << 16);
        buf_add_text(&b, "SELECT count(*) FROM t0 WHERE true");
        for (size_t i = q->plan.space.n_keys; i-- > 0;) {
            size_t n = q->keys[i].n + q->keys[i].null_group;

            print_is(q, i, rest % n, &b);
            rest /= n;
        }
        assert_int_equal(duck_ask_whole(duck_of(m->engine)->connections[0],
                                        buf_text(&b), &want[cell], &m->err),
                         CUSTOS_OK);
        all += want[cell];
        buf_clear(&b);
    }
    assert_true(all > 100);
    for (size_t w = 0; w < COUNT_OF(ways); w++) {
        q->plan.space.bounding = ways[w];
        assert_int_equal(exact_init(&x, STAGE_OF(&q->plan), &m->err),
                         CUSTOS_OK);
        assert_int_equal(
            ways[w] == BOUND_RANK
                ? run_sql(m->engine, STAGE_OF(&q->plan), &x, &m->err)
            : ways[w] == BOUND_FOLD
                ? run_fold(m->engine, STAGE_OF(&q->plan), &x, &m->err)
                : run_general(m->engine, STAGE_OF(&q->plan), &x, &m->err),
            CUSTOS_OK);
        for (size_t cell = 0; cell < q->plan.space.cells; cell++)
            assert_true(x.values[cell] == want[cell]);
        exact_clear(&x);
    }
}

static void
whole_keys_find_their_cells(void **state)
{
    struct asked q;
    struct made m;

    (void)state;
    made_folder(&m);
    write_rows(&m);
    made_ready(&m, POLICY);

    ask(&q, &m); /* the column as it is: from 3 on, with a group for NULL */
    add_key(&q, &m, 1, 3, 7, false);
    check(&m, &q);
    ask(&q, &m); /* no NULL group; begins below 0 */
    add_key(&q, &m, 2, LEAST, 8, false);
    check(&m, &q);
    ask(&q, &m); /* fewer values than the column has: others are outside */
    add_key(&q, &m, 1, 4, 3, false);
    check(&m, &q);
    ask(&q, &m);
    add_key(&q, &m, 2, LEAST + 1, 5, false);
    check(&m, &q);
    ask(&q, &m); /* the end of 64 bits, and beyond it */
    add_key(&q, &m, 3, (i128)INT64_MAX - 7, 8, false);
    check(&m, &q);
    ask(&q, &m);
    add_key(&q, &m, 3, (i128)INT64_MAX - 6, 8, false);
    check(&m, &q);
    ask(&q, &m); /* expressions */
    add_key(&q, &m, 1, 4, 7, true);
    add_key(&q, &m, 2, LEAST + 1, 8, true);
    check(&m, &q);
    ask(&q, &m); /* two columns */
    add_key(&q, &m, 2, LEAST, 8, false);
    add_key(&q, &m, 1, 3, 7, false);
    check(&m, &q);
    made_close(&m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_keys_find_their_cells),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
