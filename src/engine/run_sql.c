/*
 * Bounding by a predicate, in one aggregate query of the engine.
 *
 * Parts need sums of values v minus a centre c. Such a sum follows exactly from the
 * sum and the number n of the values; squares are summed after the subtraction:
 *
 *     sum(v - c) = sum(v) - c n      sum((v - c)^2), computed as it is written
 *
 * THEOREM  bounded-by-rank
 *   With `rank <= m` every unit has at most m rows in the exact numbers, and
 *   which rows these are depends on no other unit. If the unit is the row, it
 *   has one row. So a unit moves rows, values and sums by at most m times
 *   row_most in all cells together.
 * SOURCE   doc/proofs/rank-of-own-rows.md
 * NEEDS    ranks from rank-of-own-rows; every cell's numbers are sums over rows.
 * GIVES    x filled with the exact numbers; cells without rows are 0.
 * FAILS    CUSTOS_EENGINE, with one constant sentence.
 * TESTED   rank_equals_the_reference removing_a_unit_moves_little
 */
#include "base/ck.h"
#include "base/error.h"
#include "engine/import.h"
#include "engine/relation.h"
#include "engine/work.h"

custos_status
exact_init(struct exact *x, const struct plan *plan, custos_err *err)
{
    size_t n;

    *x = (struct exact){.cells = plan->cells, .n_parts = plan->n_parts};
    if (ck_mul_size(x->cells, x->n_parts, &n))
        x->values = calloc(n + 1, sizeof *x->values);
    if (!x->values)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    return CUSTOS_OK;
}

void
exact_clear(struct exact *x)
{
    if (x->values)
        wipe(x->values, x->cells * x->n_parts * sizeof *x->values);
    free(x->values);
    x->values = NULL;
}

void
work_sums(const struct plan *plan, const struct work_values *values,
          const char *units, struct buf *out)
{
    for (size_t i = 0; i < plan->n_parts; i++) {
        const struct part *p = &plan->parts[i];
        int v = values->part[i];

        switch (p->kind) {
        case PART_ROWS: buf_add_text(out, ", count(*), 0"); break;
        case PART_UNITS: buf_printf(out, ", %s, 0", units); break;
        case PART_VALUES: buf_printf(out, ", count(value_%d), 0", v); break;
        case PART_QUANTILES: buf_add_text(out, ", 0, 0"); break;
        case PART_DISTINCT:
            buf_printf(out, ", count(DISTINCT value_%d), 0", v);
            break;
        case PART_SUM:
            buf_printf(out, ", sum(value_%d), ", v);
            buf_printf(out, p->centre ? "count(value_%d)" : "0", v);
            break;
        case PART_SQUARES: /* a square is at most 2^48 (grid_lay) */
            buf_printf(out, ", sum(CAST(value_%d - ", v);
            work_whole(p->centre, out);
            buf_printf(out, " AS BIGINT) * CAST(value_%d - ", v);
            work_whole(p->centre, out);
            buf_add_text(out, " AS BIGINT)), 0");
            break;
        }
    }
    if (plan->selection)
        buf_printf(out, ", %s", units);
}

/* How many columns come before the sums: the keys, or one constant without keys. */
static size_t
key_columns(const struct plan *plan)
{
    return plan->n_keys ? plan->n_keys : 1;
}

bool
work_cell(const struct plan *plan, const struct duck_column *columns,
          size_t row, size_t *out)
{
    size_t cell = 0;

    for (size_t i = 0; i < plan->n_keys; i++) {
        const struct key *k = &plan->keys[i];
        i128 n = duck_null(&columns[i], row) ? (i128)k->n
                                             : duck_whole(&columns[i], row);

        if (n < 0 || n >= (i128)work_key_size(k))
            return false;
        cell = cell * work_key_size(k) + (size_t)n;
    }
    *out = cell;
    return cell < plan->cells;
}

/* Adds the sums of a result row to a cell. */
static void
add_row(const struct plan *plan, const struct duck_column *columns, size_t row,
        size_t cell, struct exact *x)
{
    for (size_t i = 0; i < plan->n_parts; i++) {
        const struct part *p = &plan->parts[i];
        const struct duck_column *c = &columns[key_columns(plan) + 2 * i];
        i128 *to = x->groups ? &x->groups->values[i][cell]
                             : &x->values[i * x->cells + cell];

        if (!duck_null(&c[0], row))
            *to += duck_whole(&c[0], row);
        if (p->kind == PART_SUM)
            *to -= p->centre * duck_whole(&c[1], row);
    }
}

/* Adds result rows to public cells; skips rows that are in no cell. */
static bool
collect_cells(const struct plan *plan, const struct duck_column *columns,
              size_t n, struct exact *x)
{
    size_t cell;

    for (size_t row = 0; row < n; row++)
        if (work_cell(plan, columns, row, &cell))
            add_row(plan, columns, row, cell, x);
    return true;
}

/* Adds result rows to discovered groups; their last column is the number of units. */
static bool
collect_groups(const struct plan *plan, const struct duck_column *columns,
               size_t n, struct exact *x)
{
    const struct duck_column *units =
        &columns[plan->n_keys + 2 * plan->n_parts];
    uint32_t rows[WORK_CHUNK_MOST] = {0};
    int32_t cell[WORK_CHUNK_MOST];

    if (n > WORK_CHUNK_MOST)
        return false;
    for (uint32_t row = 0; row < n; row++)
        rows[row] = row;
    if (!groups_find(x->groups, columns, rows, n, cell))
        return false;
    for (size_t row = 0; row < n; row++) {
        x->groups->units[cell[row]] += duck_whole(units, row);
        add_row(plan, columns, row, (size_t)cell[row], x);
    }
    return true;
}

custos_status
work_collect(const struct plan *plan, struct duck_connection *c,
             const char *sql, struct exact *x, custos_err *err)
{
    struct duck_column columns[DUCK_COLUMNS_MAX];
    struct duck_rows *rows = NULL;
    size_t n = 0;
    custos_status st;
    bool good = true;

    if (key_columns(plan) + 2 * plan->n_parts + 1 > DUCK_COLUMNS_MAX)
        return custos_fail(err, CUSTOS_EOVERFLOW, "too many sums in one query");
    st = duck_ask(c, sql, &rows, err);
    while (!st && good && !(st = duck_next(rows, &n, columns, err)) && n > 0)
        good =
            (x->groups ? collect_groups : collect_cells)(plan, columns, n, x);
    duck_rows_free(rows);
    if (!st && !good)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    return st;
}

void
sql_bounded(struct engine *e, const struct plan *plan,
            const struct work_values *values, struct buf *out)
{
    buf_add_text(out, plan->bounding == BOUND_RANK ? "SELECT t.unit AS unit"
                                                   : "SELECT 1 AS one");
    for (size_t i = 0; i < plan->n_keys; i++) {
        buf_add_text(out, ", ");
        work_key(plan, i, out);
        buf_printf(out, " AS key_%zu", i);
    }
    for (size_t i = 0; i < values->n; i++) {
        buf_add_text(out, ", ");
        work_value(plan, values->of[i], out);
        buf_printf(out, " AS value_%zu", i);
    }
    buf_add_text(out, " FROM ");
    relation_of_plan(e, plan, out);
    buf_add_text(out, " AS t WHERE ");
    if (plan->bounding == BOUND_RANK)
        buf_printf(out, "t.rank <= %llu", (unsigned long long)plan->rows);
    else
        buf_add_text(out, "true");
    work_conditions(plan, out);
}

custos_status
run_sql(struct engine *e, const struct plan *plan, struct exact *x,
        custos_err *err)
{
    struct work_values values;
    struct buf b;
    custos_status st = work_values(plan, &values, err);

    /* This predicate bounds a unit's groups only through its rows. A selection that
       relies on fewer groups is refused. */
    if (!st && plan->selection && plan->bounding == BOUND_RANK &&
        plan->groups < plan->rows)
        st = custos_fail(err, CUSTOS_EINTERNAL, "groups are not bounded");
    if (st)
        return st;
    buf_init(&b, NULL, SQL_MOST);
    relation_queries(e, plan, plan->n_queries, &b);
    buf_add_text(&b, "SELECT ");
    for (size_t i = 0; i < plan->n_keys; i++)
        buf_printf(&b, "%skey_%zu", i ? ", " : "", i);
    if (plan->n_keys == 0)
        buf_add_text(&b, "0");
    /* If each unit has one row, the number of rows is the number of units. */
    work_sums(plan, &values,
              plan->bounding == BOUND_RANK && plan->rows > 1
                  ? "count(DISTINCT unit)"
                  : "count(*)",
              &b);
    buf_add_text(&b, " FROM (");
    sql_bounded(e, plan, &values, &b);
    buf_add_text(&b, ")");
    for (size_t i = 0; i < plan->n_keys; i++)
        buf_printf(&b, "%skey_%zu", i ? ", " : " GROUP BY ", i);
    st = b.failed ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
                  : work_collect(plan, e->connections[0], buf_text(&b), x, err);
    buf_clear(&b);
    return st;
}
