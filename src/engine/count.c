/*
 * Counts of public tables for the planner: the rows, and the most rows that share
 * a value of a column. They are facts of public data, the same for everyone; each
 * is counted when a plan first needs it. If two threads count the same fact at
 * once, they get the same result.
 */
#include "engine/import.h"
#include "engine/open.h"

bool
engine_count(void *ctx, size_t table, int column, uint64_t *out)
{
    struct engine *e = ctx;
    const struct policy_table *t = &e->data->policy->tables[table];
    const char *from = e->data->tables[table].from;
    _Atomic uint64_t *kept = &e->data->tables[table].counts[column + 1];
    uint64_t known = atomic_load(kept);
    custos_err quiet = CUSTOS_ERR_INIT;
    custos_status st;
    struct buf b;
    i128 n = 0;

    if (!t->is_public)
        return false;
    if (known > 0) {
        *out = known - 1;
        return true;
    }
    buf_init(&b, NULL, SQL_MOST);
    if (column == PLAN_ROWS_OF_TABLE)
        buf_printf(&b, "SELECT count(*) FROM %s", from);
    else
        buf_printf(&b,
                   "SELECT coalesce(max(times), 0) FROM (SELECT count(*) AS "
                   "times FROM "
                   "%s WHERE c%d IS NOT NULL GROUP BY c%d)",
                   from, column, column);
    st = b.failed ? CUSTOS_ENOMEM
                  : duck_ask_whole(e->connections[0], buf_text(&b), &n, &quiet);
    buf_clear(&b);
    if (st || n < 0)
        return false;
    atomic_store(kept, (uint64_t)n + 1);
    *out = (uint64_t)n;
    return true;
}
