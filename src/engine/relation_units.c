/*
 * Prints aggregates per unit as engine text. The unit is a key of every group, even
 * if the query groups by something finer. Sums are of whole numbers, so that neither
 * the order of rows nor another unit can change the last digit.
 */
#include "base/base.h"
#include "engine/relation.h"
#include "engine/view.h"
#include "engine/work.h"
#include "sql/duckdb.h"

/* Prints a sum of steps as a DOUBLE; up to 2^53, the number of steps is exact. */
static void
as_number(const struct part *v, const char *steps, struct buf *out)
{
    if (v->grid.base == 10 && v->grid.digits >= 0)
        buf_printf(out, "CAST(%s AS DOUBLE) / CAST('1e%d' AS DOUBLE)", steps,
                   v->grid.digits);
    else
        buf_printf(out, "CAST(%s AS DOUBLE) * pow(CAST(%d AS DOUBLE), %d)",
                   steps, v->grid.base, -v->grid.digits);
}

static const char *
function_of(enum aggregate a)
{
    return a == AGG_MIN ? "min(" : a == AGG_MAX ? "max(" : "sum(";
}

/* Prints sum, avg, min or max of numbers: in whole steps, within their limits. */
static void
print_steps(const struct relation *r, const struct expr *e,
            const struct part *v, const struct policy_column *c,
            struct buf *out)
{
    struct plan inner = {.from = r->left, .table = r->left->as};
    struct buf value, sum, number;

    buf_init(&value, NULL, out->limit);
    buf_init(&sum, NULL, out->limit);
    buf_init(&number, NULL, out->limit);
    work_value(&inner, v, &value);
    buf_printf(&sum, "%s%s)", function_of(e->aggregate), buf_text(&value));
    if (c->type == TYPE_INT && v->grid.digits == 0)
        buf_add_text(&number, buf_text(&sum));
    else
        as_number(v, buf_text(&sum), &number);
    if (e->aggregate == AGG_AVG)
        buf_printf(&number, " / count(%s)", buf_text(&value));
    relation_typed(c, buf_text(&number), out);
    out->failed |= value.failed || sum.failed || number.failed;
    buf_clear(&value);
    buf_clear(&sum);
    buf_clear(&number);
}

/* Prints a count of rows, values or distinct values, clamped to the range of c. */
static void
print_count(const struct expr *e, const struct policy_column *c,
            struct buf *out)
{
    struct buf count;

    buf_init(&count, NULL, out->limit);
    if (e->aggregate == AGG_COUNT_ROWS) {
        buf_add_text(&count, "count(*)");
    } else {
        buf_add_text(&count,
                     e->aggregate == AGG_COUNT ? "count(" : "count(DISTINCT ");
        duckdb_print_expr(e->args[0], "t", &count);
        buf_add_text(&count, ")");
    }
    relation_typed(c, buf_text(&count), out);
    out->failed |= count.failed;
    buf_clear(&count);
}

static void
print_aggregate(const struct relation *r, size_t i, struct buf *out)
{
    const struct expr *e = r->exprs[r->n_keys + i];
    const struct policy_column *c = &r->as->columns[r->n_keys + i];

    if (e->aggregate == AGG_COUNT_ROWS || e->aggregate == AGG_COUNT ||
        e->aggregate == AGG_COUNT_DISTINCT) {
        print_count(e, c, out);
        return;
    }
    if (data_type_is_number(e->args[0]->type)) {
        print_steps(r, e, &r->values[i], c, out);
        return;
    }
    buf_add_text(out, function_of(e->aggregate)); /* min or max of dates */
    duckdb_print_expr(e->args[0], "t", out);
    buf_add_text(out, ")");
}

void
relation_units(struct engine *e, const struct relation *r, struct buf *out)
{
    enum { FIRST_KEY = 3 };

    buf_printf(out, "(SELECT t.unit AS unit, %s AS rank",
               r->as->rows_per_unit == 1 ? "1" : "min(t.rank)");
    for (size_t i = 0; i < r->n_keys; i++) {
        buf_add_text(out, ", ");
        relation_computed(&r->as->columns[i], r->exprs[i], out);
        buf_printf(out, " AS column_%zu", i);
    }
    for (size_t i = 0; i < r->n_exprs - r->n_keys; i++) {
        buf_add_text(out, ", ");
        print_aggregate(r, i, out);
        buf_printf(out, " AS column_%zu", r->n_keys + i);
    }
    if (r->seeded)
        buf_add_text(out, ", min(t.seed) AS seed");
    buf_add_text(out, " FROM ");
    relation_print(e, r->left, out);
    buf_printf(out, " AS t WHERE t.rank <= %llu GROUP BY 1",
               relation_rows(r->left));
    for (size_t i = 0; i < r->n_keys; i++)
        buf_printf(out, ", %zu", FIRST_KEY + i);
    buf_add_text(out, ")");
}
