/*
 * Compares one materialised column of the engine with what the planner claims
 * about the expression: its type, whether it can be NULL, its range. The
 * comparison is exact: a double counts as the rational number it is.
 */
#ifndef TEST_ENGINE_FACT_COMPARE_H
#define TEST_ENGINE_FACT_COMPARE_H

#include <math.h>

#include "engine/duckdb/duck.h"
#include "made.h"
#include "plan/type/fact.h"

/* Which part of a claim is false. FACT_ERROR: the engine failed. */
enum fact_fault {
    FACT_HOLDS,
    FACT_ERROR,
    FACT_TYPE,
    FACT_NULL,
    FACT_BELOW,
    FACT_ABOVE,
    FACT_NOT_FINITE,
    FACT_LONG,
};

static const char *const fact_fault_names[] = {
    "holds", "engine error", "other type",      "NULL that cannot be",
    "below", "above",        "NaN or infinite", "text too long",
};

/* What was observed in a column. */
struct fact_seen {
    bool any, null, nan, low_inf, high_inf;
    i128 least, most; /* whole numbers, dates; decimals in units of scale */
    double low, high; /* reals */
    size_t longest;   /* texts: bytes */
    enum column_type type;
    int scale;
};

static inline bool
fact_is_decimal(enum column_type type)
{
    return type == COLUMN_DECIMAL16 || type == COLUMN_DECIMAL32 ||
           type == COLUMN_DECIMAL64 || type == COLUMN_DECIMAL128;
}

static inline void
fact_see_real(struct fact_seen *s, double x)
{
    if (isnan(x)) {
        s->nan = true;
    } else if (isinf(x)) {
        s->low_inf |= x < 0;
        s->high_inf |= x > 0;
    } else {
        s->low = !s->any || x < s->low ? x : s->low;
        s->high = !s->any || x > s->high ? x : s->high;
        s->any = true;
    }
}

static inline void
fact_see(struct fact_seen *s, const struct column *c, size_t rows)
{
    s->type = c->type;
    s->scale = c->scale;
    for (size_t i = 0; i < rows; i++) {
        i128 n;

        if (c->type == COLUMN_NOTHING || column_is_null(c, i)) {
            s->null = true;
            continue;
        }
        if (c->type == COLUMN_F64) {
            fact_see_real(s, column_real(c, i));
            continue;
        }
        if (c->type == COLUMN_TEXT) {
            size_t len = column_text(c, i).len;

            s->longest = len > s->longest ? len : s->longest;
            s->any = true;
            continue;
        }
        n = column_whole(c, i);
        s->least = !s->any || n < s->least ? n : s->least;
        s->most = !s->any || n > s->most ? n : s->most;
        s->any = true;
    }
}

/* ----------------------------------------------------------------- types -- */

static inline bool
fact_is_wide(const struct expr *e)
{
    if (e->kind == EXPR_LITERAL && e->value.type == TYPE_INT)
        return e->value.n > INT64_MAX || e->value.n < INT64_MIN;
    return e->wide;
}

/* Whether it consists of literals only, so that the engine may fold it. */
static inline bool
fact_is_constant(const struct expr *e)
{
    if (e->kind == EXPR_COLUMN || e->kind == EXPR_IN_QUERY)
        return false;
    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i] && !fact_is_constant(e->args[i]))
            return false;
    return true;
}

/* The type that sql/duckdb.h promises. An expression of literals that is NULL
   has the type that the engine gives to a bare NULL. */
static inline bool
fact_type_holds(const struct expr *e, const struct fact_seen *s)
{
    bool exact = e->kind == EXPR_COLUMN || e->kind == EXPR_CAST ||
                 (e->kind == EXPR_LITERAL && e->value.type != TYPE_NULL);

    if (s->type == COLUMN_I32 && s->null && !s->any && fact_is_constant(e))
        return true;
    switch (e->type) {
    case TYPE_NULL: return true;
    case TYPE_BOOL: return s->type == COLUMN_BOOL;
    case TYPE_INT:
        return s->type == (fact_is_wide(e) ? COLUMN_I128 : COLUMN_I64);
    case TYPE_REAL: return s->type == COLUMN_F64;
    case TYPE_DECIMAL:
        return exact ? fact_is_decimal(s->type) : s->type == COLUMN_F64;
    case TYPE_TEXT: return s->type == COLUMN_TEXT;
    case TYPE_DATE: return s->type == COLUMN_DATE;
    case TYPE_TIMESTAMP: return s->type == COLUMN_TIMESTAMP;
    }
    return false;
}

/* ---------------------------------------------------------------- ranges -- */

/* The least or the greatest value seen, exactly. */
static inline void
fact_end(const struct fact_seen *s, bool most, rat *out)
{
    rat ten;

    if (s->type == COLUMN_F64) {
        mpq_set_d(out->q, most ? s->high : s->low);
        return;
    }
    rat_set_i128(out, most ? s->most : s->least);
    rat_init(&ten);
    rat_set_i64(&ten, 10, 1);
    for (int i = 0; fact_is_decimal(s->type) && i < s->scale; i++)
        rat_div(out, out, &ten);
    rat_clear(&ten);
}

static inline enum fact_fault
fact_range_fault(const struct fact *f, const struct fact_seen *s)
{
    bool whole = s->type == COLUMN_I64 || s->type == COLUMN_I128;
    bool floor = fact_has_floor(f) || (whole && f->known == KNOWN_TYPE);
    bool ceiling = fact_has_ceiling(f) || (whole && f->known == KNOWN_TYPE);
    enum fact_fault fault = FACT_HOLDS;
    rat end;

    if ((ceiling && (s->nan || s->high_inf)) || (floor && s->low_inf))
        return FACT_NOT_FINITE;
    if (!s->any || (!floor && !ceiling))
        return FACT_HOLDS;
    rat_init(&end);
    fact_end(s, false, &end);
    if (floor && rat_cmp(&end, &f->lower) < 0)
        fault = FACT_BELOW;
    fact_end(s, true, &end);
    if (!fault && ceiling && rat_cmp(&end, &f->upper) > 0)
        fault = FACT_ABOVE;
    rat_clear(&end);
    return fault;
}

static inline bool
fact_has_order(const struct expr *e)
{
    enum data_type t = e->type;

    return data_type_is_number(t) || t == TYPE_DATE || t == TYPE_TIMESTAMP;
}

static inline enum fact_fault
fact_compare(const struct expr *e, const struct fact_seen *s)
{
    const struct fact *f = fact_of(e);

    if (!fact_type_holds(e, s))
        return FACT_TYPE;
    if (s->null && !f->nullable)
        return FACT_NULL;
    if (s->type == COLUMN_TEXT && s->longest > e->text_max)
        return FACT_LONG;
    return fact_has_order(e) ? fact_range_fault(f, s) : FACT_HOLDS;
}

/* "[0, 1] not null, seen [0, 1.5]", for people. */
static inline void
fact_describe(const struct expr *e, const struct fact_seen *s, struct buf *out)
{
    const struct fact *f = fact_of(e);
    rat end;

    rat_init(&end);
    buf_printf(out, "%s%s claimed ", data_type_name(e->type),
               fact_is_wide(e) ? " wide" : "");
    if (f->known != KNOWN_NOTHING || f->floor || f->ceiling) {
        buf_add_text(out, "[");
        rat_write(&f->lower, out);
        buf_add_text(out, ", ");
        rat_write(&f->upper, out);
        buf_printf(out, "] known=%d ", (int)f->known);
    }
    buf_add_text(out, f->nullable ? "nullable" : "not null");
    buf_printf(out, "; seen type %d", (int)s->type);
    if (s->any && s->type != COLUMN_TEXT) {
        buf_add_text(out, " [");
        fact_end(s, false, &end);
        rat_write(&end, out);
        buf_add_text(out, ", ");
        fact_end(s, true, &end);
        rat_write(&end, out);
        buf_add_text(out, "]");
    }
    buf_printf(out, "%s%s%s", s->null ? " NULL" : "", s->nan ? " NaN" : "",
               s->low_inf || s->high_inf ? " infinity" : "");
    rat_clear(&end);
}

#endif
