/*
 * Counts of public tables for the planner: the rows, and the most rows that share
 * a value of a column. They are facts of public data, the same for everyone; each
 * is counted when a plan first needs it. If two threads count the same fact at
 * once, they get the same result.
 */
#include "engine/statement/ask.h"
#include "engine/handle.h"

/* Counts rows; or for each value of a column, and takes the most. */
static struct select *
count_of(struct builder *b, size_t table, int column)
{
    const struct term *rows = term_aggregate(b, TERM_COUNT, NULL), *value;
    struct select *s = select_new(b, input_table(b, table)), *most;

    if (column == PLAN_ROWS_OF_TABLE) {
        select_add_bare(b, s, rows);
        return s;
    }
    value = term_name(b, NULL, "c%d", column);
    select_add(b, s, rows, "times");
    select_where(b, s, term_present(b, value));
    select_group(b, s, value);
    most = select_new(b, input_select(b, s));
    select_add_bare(
        b, most,
        term_call(b, TERM_COALESCE,
                  term_aggregate(b, TERM_MAX, term_name(b, NULL, "times")),
                  term_number(b, 0), NULL));
    return most;
}

bool
engine_count(void *ctx, size_t table, int column, uint64_t *out)
{
    struct engine *e = ctx;
    const struct policy_table *t = &e->policy->tables[table];
    _Atomic uint64_t *kept = &e->tables[table].counts[column + 1];
    uint64_t known = atomic_load(kept);
    custos_err quiet = CUSTOS_ERR_INIT;
    custos_status st;
    struct builder b;
    i128 n = 0;

    if (!t->is_public)
        return false;
    if (known > 0) {
        *out = known - 1;
        return true;
    }
    builder_init(&b, e);
    st = ask_whole(&b, count_of(&b, table, column), &n, &quiet);
    builder_clear(&b);
    if (st || n < 0)
        return false;
    atomic_store(kept, (uint64_t)n + 1);
    *out = (uint64_t)n;
    return true;
}
