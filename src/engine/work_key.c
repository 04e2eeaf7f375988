/*
 * Prints keys and conditions as engine text. A public key is printed as the index of
 * its value, a key from the data as the value itself.
 */
#include <stdlib.h>

#include "engine/key.h"
#include "engine/view.h"
#include "engine/work.h"
#include "plan/relation.h"
#include "sql/duckdb.h"

size_t
work_key_size(const struct key *k)
{
    return k->n + (k->null_group ? 1 : 0);
}

/*
 * Finds the index in a list of literals. Decimals are compared as doubles: the engine
 * would convert decimals of two scales to the larger scale, where one may not fit.
 */
static void
key_listed(const struct key *k, const char *e, struct buf *out)
{
    struct expr literal = {.kind = EXPR_LITERAL, .type = k->expr->type};
    bool decimal = k->expr->type == TYPE_DECIMAL;

    buf_printf(out, decimal ? "CASE CAST(%s AS DOUBLE)" : "CASE %s", e);
    for (size_t i = 0; i < k->n; i++) {
        literal.value = k->values[i];
        buf_add_text(out, decimal ? " WHEN CAST(" : " WHEN ");
        duckdb_print_expr(&literal, "t", out);
        buf_printf(out, decimal ? " AS DOUBLE) THEN %zu" : " THEN %zu", i);
    }
    buf_add_text(out, " END");
}

/* The number of decimal places with which all values of a decimal key are written. */
static int
label_scale(const struct key *k)
{
    int scale = 0;

    for (size_t i = 0; i < k->n; i++)
        if (k->values[i].scale > scale)
            scale = k->values[i].scale;
    return scale;
}

/* Prints the text by which a value is looked up; for a timestamp its microseconds. */
static void
label_value(const struct key *k, const char *e, struct buf *out)
{
    if (k->expr->type == TYPE_TIMESTAMP)
        buf_printf(out, "CAST(epoch_us(%s) AS VARCHAR)", e);
    else if (k->expr->type == TYPE_DECIMAL)
        buf_printf(out, "CAST(TRY_CAST(%s AS DECIMAL(38,%d)) AS VARCHAR)", e,
                   label_scale(k));
    else
        buf_printf(out, "CAST(%s AS VARCHAR)", e);
}

/* The same for a listed value. */
static void
label_text(const struct key *k, const struct datum *v, struct buf *out)
{
    struct datum d = *v;

    if (v->type == TYPE_TIMESTAMP)
        d.type = TYPE_INT;
    for (; k->expr->type == TYPE_DECIMAL && d.scale < label_scale(k); d.scale++)
        d.n *= 10; /* cannot overflow: values have few digits (evaluate.h) */
    datum_write(&d, out);
}

/* For many values: the engine finds a label of an ENUM by hashing. */
static void
key_labelled(const struct key *k, const char *e, struct buf *out)
{
    struct buf text;

    buf_add_text(out, "enum_code(TRY_CAST(");
    label_value(k, e, out);
    buf_add_text(out, " AS ENUM(");
    for (size_t i = 0; i < k->n; i++) {
        buf_init(&text, NULL, out->limit);
        label_text(k, &k->values[i], &text);
        buf_add_text(out, i ? ", " : "");
        duck_quote_text(out, (str){buf_text(&text), text.len});
        out->failed |= text.failed;
        buf_clear(&text);
    }
    buf_add_text(out, ")))");
}

static i128
whole_last(const struct key *k)
{
    return k->from + (i128)k->n - 1;
}

/* Are 64 bits enough? 128 bits cost the engine several times as much. */
static bool
whole_is_narrow(const struct key *k)
{
    return k->from >= INT64_MIN && whole_last(k) <= INT64_MAX;
}

static void
whole_literal(const struct key *k, i128 n, struct buf *out)
{
    char text[41];

    if (!whole_is_narrow(k)) {
        work_whole(n, out);
        return;
    }
    custos_int_write(n, text);
    buf_printf(out, "CAST('%s' AS BIGINT)", text);
}

/* Prints the index of a whole number among n numbers from k->from on, or NULL. */
static void
key_whole(const struct key *k, struct buf *out)
{
    bool narrow = whole_is_narrow(k) && !k->expr->wide;
    const char *type = narrow ? "BIGINT" : "HUGEINT";
    char from[41];

    custos_int_write(k->from, from);
    buf_add_text(out, narrow ? "whole_index(" : "whole_index(CAST(");
    duckdb_print_expr(k->expr, "t", out);
    buf_printf(out, "%s, CAST('%s' AS %s), CAST('%zu' AS %s))",
               narrow ? "" : " AS HUGEINT)", from, type, k->n, type);
}

static void
key_period(const struct key *k, struct buf *out)
{
    buf_add_text(out, "whole_index(period_number(");
    duckdb_print_expr(key_in_period(k), "t", out);
    buf_printf(out, ", CAST('%d' AS BIGINT)), ", (int)k->period);
    whole_literal(k, k->from, out);
    buf_printf(out, ", CAST('%zu' AS BIGINT))", k->n);
}

/*
 * Is the key a column whose stored values are all within from..last? Then its index
 * is just the difference, and the engine knows that its range is small.
 */
static bool
key_is_bare(const struct plan *plan, const struct key *k)
{
    const struct policy_column *c;
    i128 lower, upper;

    if (k->kind != KEY_WHOLE || k->column < 0 || !whole_is_narrow(k) ||
        (plan->from && !plan->from->columns[k->column].stored))
        return false;
    c = &plan->table->columns[k->column];
    return c->type == TYPE_INT && view_steps(c, &lower, &upper) &&
           k->from <= lower && upper <= whole_last(k);
}

static void
key_private(const struct key *k, struct buf *out)
{
    struct buf value;

    buf_init(&value, NULL, out->limit);
    duckdb_print_expr(k->expr, "t", &value);
    key_print(k->expr->type, k->expr->wide, buf_text(&value), out);
    out->failed |= value.failed;
    buf_clear(&value);
}

void
work_key(const struct plan *plan, size_t index, struct buf *out)
{
    enum { FEW = 16 };
    const struct key *k = &plan->keys[index];
    struct buf e;

    if (k->kind == KEY_PRIVATE) {
        key_private(k, out);
        return;
    }
    if (k->kind == KEY_STORED) {
        buf_printf(out, "t.index_%d", k->column);
        return;
    }
    if (key_is_bare(plan, k)) {
        buf_printf(out, k->from ? "(t.column_%d - " : "t.column_%d", k->column);
        if (k->from)
            whole_literal(k, k->from, out);
        buf_add_text(out, k->from ? ")" : "");
        return;
    }
    if (k->kind == KEY_WHOLE) {
        key_whole(k, out);
        return;
    }
    if (k->kind == KEY_PERIOD) {
        key_period(k, out);
        return;
    }
    buf_init(&e, NULL, out->limit);
    duckdb_print_expr(k->expr, "t", &e);
    buf_add_text(out, "CAST(");
    if (k->n > FEW)
        key_labelled(k, buf_text(&e), out);
    else
        key_listed(k, buf_text(&e), out);
    buf_add_text(out, " AS INTEGER)");
    out->failed |= e.failed;
    buf_clear(&e);
}

/* Does every stored row have this key? True for a column that is not nullable: rows
   with NULL in it are not imported. */
static bool
key_is_there(const struct plan *plan, const struct key *k)
{
    return (k->kind == KEY_STORED || key_is_bare(plan, k)) &&
           !plan->table->columns[k->column].nullable;
}

/* Conditions use stored steps, but not on attached tables, which would have to compute
   the steps first. */
static void
print_where(const struct plan *plan, struct buf *out)
{
    const struct policy_table *t = plan->table;
    bool *stepped = calloc(t->n_columns + 1, sizeof *stepped);

    out->failed |= !stepped;
    for (size_t i = 0; stepped && i < t->n_columns; i++)
        stepped[i] = !t->attached && view_has_steps(&t->columns[i]) &&
                     (!plan->from || plan->from->columns[i].stored);
    duckdb_print_condition(plan->where, "t", stepped, out);
    free(stepped);
}

void
work_conditions(const struct plan *plan, struct buf *out)
{
    if (plan->where) {
        buf_add_text(out, " AND (");
        print_where(plan, out);
        buf_add_text(out, ")");
    }
    for (size_t i = 0; i < plan->n_keys; i++) {
        if (plan->keys[i].null_group || key_is_there(plan, &plan->keys[i]))
            continue;
        buf_add_text(out, " AND ");
        work_key(plan, i, out);
        buf_add_text(out, " IS NOT NULL");
    }
}
