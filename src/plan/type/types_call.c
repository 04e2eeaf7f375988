/*
 * The types of calls, CASE and casts: what each takes and returns. One function
 * for each family of calls; the row of a call says which (sql/functions.def).
 */
#include "plan/type/types.h"

#include "plan/work.h"

enum { SCALE_MAX = TYPES_SCALE_MAX, DAYS_MAX = 10 * 1000 * 1000 };

static custos_status
refuse_type(struct work *w, const struct expr *e, const char *wants)
{
    return custos_fail_at(w->err, CUSTOS_EINVAL, e->at,
                          "expected %s here, but %s is of type %s", wants,
                          work_text(w, e), data_type_name(e->type));
}

/* A literal of unknown type gets this type; any other argument must have it. */
static custos_status
want_type(struct work *w, struct expr *e, enum data_type type,
          const char *words)
{
    if (e->kind == EXPR_LITERAL &&
        (e->value.type == TYPE_NULL || e->value.type == TYPE_TEXT))
        return adapt_literal(w, e, type, 0);
    return e->type == type ? CUSTOS_OK : refuse_type(w, e, words);
}

static custos_status
want_all(struct work *w, struct expr *e, enum data_type type, const char *words)
{
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < e->n_args && !st; i++)
        st = want_type(w, e->args[i], type, words);
    return st;
}

/* The type of an untyped number among the arguments of e: the widest type of
   the others if it is a parameter, else integer. */
static enum data_type
open_number(const struct expr *e, const struct expr *open)
{
    enum data_type most = TYPE_INT;

    for (size_t i = 0; i < e->n_args && open->param; i++)
        if (data_type_is_number(e->args[i]->type) && e->args[i]->type > most)
            most = e->args[i]->type;
    return most;
}

/* A text literal among numbers is read as a number. */
static custos_status
want_numbers(struct work *w, struct expr *e)
{
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < e->n_args && !st; i++) {
        struct expr *x = e->args[i];

        if (x->kind == EXPR_LITERAL && x->value.type == TYPE_TEXT)
            st = adapt_literal(w, x, TYPE_REAL, 0);
        else if (x->kind == EXPR_LITERAL && x->value.type == TYPE_NULL)
            st = adapt_literal(w, x, open_number(e, x), 0);
        else if (!data_type_is_number(x->type))
            st = refuse_type(w, x, "numbers");
    }
    return st;
}

/* ----------------------------------------------------------- arithmetic -- */

/* The scale that a sum, difference or product of exact numbers has. */
static int
result_scale(const struct expr *e)
{
    int scale = 0;

    for (size_t i = 0; i < e->n_args; i++) {
        const struct expr *x = e->args[i];
        int s = x->type == TYPE_DECIMAL ? fact_of(x)->scale : 0;

        if (e->call == CALL_MUL)
            scale += s;
        else if (s > scale)
            scale = s;
    }
    return scale;
}

/* A date without a range may be infinite: the engine would raise an error. */
static custos_status
no_days(struct work *w, const struct expr *e)
{
    return custos_fail_at(
        w->err, CUSTOS_EUNSUPPORTED, e->at,
        "arithmetic with %s needs a declared range of dates" HINT
        "ask the owner for one",
        work_text(w, e));
}

static custos_status
type_days(struct work *w, struct expr *a, struct expr *b)
{
    custos_status st = want_type(w, b, TYPE_DATE, "a date");

    if (!st && w->context == CONTEXT_ROWS &&
        fact_of(a)->known != KNOWN_DECLARED)
        st = no_days(w, a);
    if (!st && w->context == CONTEXT_ROWS &&
        fact_of(b)->known != KNOWN_DECLARED)
        st = no_days(w, b);
    return st;
}

static bool
is_day(const struct expr *e)
{
    return e->type == TYPE_DATE || e->type == TYPE_TIMESTAMP;
}

static custos_status
type_date_arithmetic(struct work *w, struct expr *e)
{
    struct expr *a = e->args[0], *b = e->args[1];
    const struct fact *days;
    struct expr *open = is_day(a) ? b : a;

    if (e->call == CALL_ADD && open->kind == EXPR_LITERAL &&
        open->type == TYPE_NULL) { /* NULL, or a parameter without a value */
        custos_status st = adapt_literal(w, open, TYPE_INT, 0);

        if (st)
            return st;
    }
    if (e->call == CALL_SUB && a->type == TYPE_DATE &&
        (b->type == TYPE_DATE ||
         (b->kind == EXPR_LITERAL && b->value.type == TYPE_TEXT))) {
        e->type = TYPE_INT;
        return type_days(w, a, b);
    }
    if (e->call == CALL_ADD && a->type == TYPE_INT && b->type == TYPE_DATE) {
        e->args[0] = b;
        e->args[1] = a;
        b = e->args[1];
        a = e->args[0];
    }
    if ((e->call != CALL_ADD && e->call != CALL_SUB) || a->type != TYPE_DATE ||
        b->type != TYPE_INT)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, e->at,
                              "with dates only date - date, date + days and "
                              "date - days are supported");
    days = fact_of(b);
    if (w->context == CONTEXT_ROWS && fact_of(a)->known != KNOWN_DECLARED)
        return no_days(w, a);
    if (rat_cmp_i64(&days->lower, -DAYS_MAX) < 0 ||
        rat_cmp_i64(&days->upper, DAYS_MAX) > 0)
        return custos_fail_at(w->err, CUSTOS_EOVERFLOW, b->at,
                              "the days added to a date need a range within "
                              "10 million");
    e->type = TYPE_DATE;
    return CUSTOS_OK;
}

static custos_status
type_arithmetic(struct work *w, struct expr *e)
{
    custos_status st;
    enum data_type most = TYPE_INT;

    if (e->n_args == 2 && (is_day(e->args[0]) || is_day(e->args[1])))
        return type_date_arithmetic(w, e);
    st = want_numbers(w, e);
    if (st)
        return st;
    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i]->type > most)
            most = e->args[i]->type;
    if (e->call == CALL_MOD && most != TYPE_INT)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, e->at,
                              "%% takes whole numbers");
    if (e->call == CALL_DIV && most == TYPE_DECIMAL)
        most = TYPE_REAL;
    e->type = most;
    fact_of(e)->scale = most == TYPE_DECIMAL ? result_scale(e) : 0;
    return CUSTOS_OK;
}

/* floor, ceil and round give whole numbers if these are sure to fit. */
static custos_status
type_rounding(struct work *w, struct expr *e)
{
    custos_status st = want_numbers(w, e);
    struct fact *f = fact_of(e);
    const struct fact *x;

    if (st)
        return st;
    x = fact_of(e->args[0]);
    e->type = e->args[0]->type;
    f->scale = x->scale;
    if (e->n_args == 2) { /* round(x, digits) */
        const struct expr *d = e->args[1];

        if (d->kind != EXPR_LITERAL || d->value.type != TYPE_INT ||
            d->value.n < 0 || d->value.n > SCALE_MAX)
            return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, d->at,
                                  "round takes a number of digits from 0 to "
                                  "%d",
                                  SCALE_MAX);
        if (d->value.n < f->scale)
            f->scale = (int)d->value.n;
        return CUSTOS_OK;
    }
    if (x->known == KNOWN_DECLARED && types_within_bits(x, 62))
        e->type = TYPE_INT;
    if (e->type == TYPE_DECIMAL)
        f->scale = 0;
    return CUSTOS_OK;
}

static custos_status
type_real(struct work *w, struct expr *e)
{
    e->type = TYPE_REAL;
    return want_numbers(w, e);
}

static custos_status
type_sign(struct work *w, struct expr *e)
{
    e->type = TYPE_INT;
    return want_numbers(w, e);
}

/* -------------------------------------------------------------- the rest -- */

static custos_status
want_day(struct work *w, struct expr *x)
{
    custos_status st = CUSTOS_OK;

    if (x->kind == EXPR_LITERAL && !is_day(x))
        st = want_type(w, x, TYPE_TIMESTAMP, "a date or a timestamp");
    if (!st && !is_day(x))
        st = refuse_type(w, x, "a date or a timestamp");
    return st;
}

static custos_status
type_date_part(struct work *w, struct expr *e)
{
    e->type = TYPE_INT;
    return want_day(w, e->args[0]);
}

static custos_status
type_truncation(struct work *w, struct expr *e)
{
    custos_status st = want_day(w, e->args[0]);

    e->type = e->args[0]->type;
    if (!st && e->call == CALL_TRUNC_HOUR && e->type == TYPE_DATE)
        st = custos_fail_at(w->err, CUSTOS_EINVAL, e->at,
                            "a date has no hours to truncate to");
    return st;
}

static custos_status
type_bucket(struct work *w, struct expr *e)
{
    custos_status st = want_numbers(w, e);
    const struct expr *n;

    if (st)
        return st;
    if (e->n_args != 4)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, e->at,
                              "width_bucket takes a value, two bounds and a "
                              "number of buckets");
    n = e->args[3];
    for (size_t i = 1; i < 4; i++)
        if (fact_of(e->args[i])->known != KNOWN_DECLARED ||
            rat_cmp(&fact_of(e->args[i])->lower, &fact_of(e->args[i])->upper) !=
                0)
            return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, e->args[i]->at,
                                  "the bounds and the number of buckets are "
                                  "written as numbers");
    if (rat_cmp(&fact_of(e->args[1])->lower, &fact_of(e->args[2])->lower) == 0)
        return custos_fail_at(w->err, CUSTOS_EINVAL, e->args[2]->at,
                              "the bounds of width_bucket must differ");
    if (n->type != TYPE_INT || rat_cmp_i64(&fact_of(n)->lower, 1) < 0 ||
        rat_cmp_i64(&fact_of(n)->lower, 1 << 30) > 0)
        return custos_fail_at(w->err, CUSTOS_EINVAL, n->at,
                              "the number of buckets is a whole number from 1 "
                              "to 2^30");
    e->type = TYPE_INT;
    return CUSTOS_OK;
}

static custos_status
type_substring(struct work *w, struct expr *e)
{
    custos_status st = want_type(w, e->args[0], TYPE_TEXT, "text");

    for (size_t i = 1; i < e->n_args && !st; i++)
        st = want_type(w, e->args[i], TYPE_INT, "whole numbers");
    e->type = TYPE_TEXT;
    return st;
}

static custos_status
type_like(struct work *w, struct expr *e)
{
    e->type = TYPE_BOOL;
    return want_all(w, e, TYPE_TEXT, "text");
}

/* COALESCE, LEAST, GREATEST, NULLIF: one type in, the same out. */
static custos_status
type_choice(struct work *w, struct expr *e)
{
    const struct expr *x = e->args[0], *last = e->args[e->n_args - 1];

    if (x->kind != EXPR_LITERAL && x->type != TYPE_TEXT &&
        last->kind == EXPR_LITERAL && last->value.type == TYPE_TEXT &&
        last->value.text.len == 0) /* concat(x) is read as coalesce(x, '') */
        return custos_fail_at(w->err, CUSTOS_EINVAL, x->at,
                              "%s is of type %s, but '' beside it is text" HINT
                              "write CAST(%s AS text)",
                              work_text(w, x), data_type_name(x->type),
                              work_text(w, x));
    return adapt_all(w, e->args, e->n_args, 0, 1, &e->type, &fact_of(e)->scale);
}

custos_status
types_comparison(struct work *w, struct expr *e)
{
    enum data_type type;
    int scale;

    e->type = TYPE_BOOL;
    return adapt_all(w, e->args, e->n_args, 0, 1, &type, &scale);
}

/* ----------------------------------------------------------------- rows -- */

static custos_status
type_logic(struct work *w, struct expr *e)
{
    e->type = TYPE_BOOL;
    return want_all(w, e, TYPE_BOOL, "a condition");
}

/* IS NULL and IS NOT NULL take values of any type. */
static custos_status
type_test(struct work *w, struct expr *e)
{
    (void)w;
    e->type = TYPE_BOOL;
    return CUSTOS_OK;
}

static custos_status
type_text(struct work *w, struct expr *e)
{
    e->type = TYPE_TEXT;
    return want_all(w, e, TYPE_TEXT, "text");
}

static custos_status
type_length(struct work *w, struct expr *e)
{
    e->type = TYPE_INT;
    return want_all(w, e, TYPE_TEXT, "text");
}

static const struct {
    custos_status (*type)(struct work *w, struct expr *e);
} rules[N_CALLS] = {
#define ROW(id, ...) [CALL_##id] = {__VA_ARGS__},
#define TYPES(rule) rule
#include "sql/functions.def"
};

custos_status
types_call(struct work *w, struct expr *e)
{
    return rules[e->call].type(w, e);
}

/* CASE: conditions at even indices except the last, results at the others. */
custos_status
types_case(struct work *w, struct expr *e)
{
    struct expr **results;
    custos_status st = CUSTOS_OK;
    size_t n = 0;

    results = arena_take(w->a, e->n_args, sizeof(struct expr *));
    if (!results)
        return work_no_memory(w);
    for (size_t i = 0; i + 1 < e->n_args && !st; i += 2)
        st = want_type(w, e->args[i], TYPE_BOOL, "a condition");
    for (size_t i = 1; i < e->n_args; i += 2)
        results[n++] = e->args[i];
    if (e->n_args % 2 == 1)
        results[n++] = e->args[e->n_args - 1];
    if (!st)
        st = adapt_all(w, results, n, 0, 1, &e->type, &fact_of(e)->scale);
    return st;
}

custos_status
types_cast(struct work *w, struct expr *e)
{
    const struct expr *x = e->args[0];
    enum data_type from = x->type, to = e->cast_to;
    bool day = from == TYPE_DATE || from == TYPE_TIMESTAMP;

    e->type = to;
    fact_of(e)->scale = to == TYPE_DECIMAL ? e->cast_scale : 0;
    if (from == to || from == TYPE_NULL || from == TYPE_TEXT ||
        to == TYPE_TEXT ||
        (data_type_is_number(from) && data_type_is_number(to)) ||
        (day && (to == TYPE_DATE || to == TYPE_TIMESTAMP)) ||
        (from == TYPE_BOOL && to == TYPE_INT) ||
        (from == TYPE_INT && to == TYPE_BOOL))
        return CUSTOS_OK;
    return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, e->at,
                          "there is no cast from %s to %s",
                          data_type_name(from), data_type_name(to));
}
