/*
 * Reads expressions over aggregates as quotients of linear forms. What is not
 * one (products of aggregates, CASE, rounding) keeps the interval arithmetic of
 * evaluate/.
 */
#include "curator/quotient.h"

#include <math.h>

#include "curator/tail.h"
#include "sql/aggregates.h"

/* ---------------------------------------------------------- linear forms -- */

static struct linear
linear_constant(double x)
{
    return (struct linear){.constant = x};
}

static bool
linear_add(struct linear *to, size_t part, double factor)
{
    size_t i = 0;

    while (i < to->n && to->terms[i].part != part)
        i++;
    if (i == to->n) {
        if (to->n == BAR_TERMS_MAX)
            return false;
        to->terms[to->n++] = (struct linear_term){part, 0};
    }
    to->terms[i].factor += factor;
    return true;
}

/* *to += scale * x. */
static bool
linear_add_all(struct linear *to, double scale, const struct linear *x)
{
    to->constant += scale * x->constant;
    for (size_t i = 0; i < x->n; i++)
        if (!linear_add(to, x->terms[i].part, scale * x->terms[i].factor))
            return false;
    return true;
}

/* The product of two forms, one of which must be a constant. */
static bool
linear_multiply(const struct linear *a, const struct linear *b,
                struct linear *out)
{
    *out = linear_constant(0);
    if (a->n == 0)
        return linear_add_all(out, a->constant, b);
    return b->n == 0 && linear_add_all(out, b->constant, a);
}

/* ------------------------------------------------------------- quotients -- */

struct fraction {
    struct linear above, below;
};

static bool
read_fraction(const struct plan *p, const struct expr *e, struct fraction *out);

/* A part whose bar is that of its noise alone. */
static bool
part_is_plain(const struct plan *p, int part)
{
    return part >= 0 && !p->parts[part].served && !p->parts[part].running &&
           p->parts[part].domain == 0 && !p->marginals;
}

static bool
read_aggregate(const struct plan *p, const struct expr *e, struct linear *out)
{
    const struct plan_aggregate *f = &p->aggregates[e->slot];
    enum aggregate_family family = aggregates[f->kind].family;
    double step;

    *out = linear_constant(0);
    if (family == FAMILY_COUNT)
        return part_is_plain(p, f->rows) && linear_add(out, (size_t)f->rows, 1);
    if (family != FAMILY_SUM || !part_is_plain(p, f->sum))
        return false;
    step = step_of_grid(p->parts[f->sum].grid);
    if (f->counted)
        *out = linear_constant(step * (double)p->parts[f->sum].centre *
                               (double)p->known_rows);
    return linear_add(out, (size_t)f->sum, step) &&
           (f->rows < 0 ||
            (part_is_plain(p, f->rows) &&
             linear_add(out, (size_t)f->rows,
                        step * (double)p->parts[f->sum].centre)));
}

/* a + sign * b, where that is linear in the released parts above and below. */
static bool
add_fractions(const struct fraction *a, double sign, const struct fraction *b,
              struct fraction *out)
{
    struct linear left, right;

    if (!linear_multiply(&a->above, &b->below, &left) ||
        !linear_multiply(&b->above, &a->below, &right) ||
        !linear_multiply(&a->below, &b->below, &out->below))
        return false;
    out->above = left;
    return linear_add_all(&out->above, sign, &right);
}

static bool
multiply_fractions(const struct linear *above_a, const struct linear *below_a,
                   const struct linear *above_b, const struct linear *below_b,
                   struct fraction *out)
{
    return linear_multiply(above_a, above_b, &out->above) &&
           linear_multiply(below_a, below_b, &out->below);
}

static bool
read_call(const struct plan *p, const struct expr *e, struct fraction *out)
{
    const struct fraction zero = {linear_constant(0), linear_constant(1)};
    struct fraction a, b;

    if (e->call == CALL_NEG)
        return read_fraction(p, e->args[0], &a) &&
               add_fractions(&zero, -1, &a, out);
    if (e->call == CALL_NULLIF) /* where it is NULL, there is no bar at all */
        return e->args[1]->kind == EXPR_LITERAL &&
               read_fraction(p, e->args[0], out);
    if (e->n_args != 2 || !read_fraction(p, e->args[0], &a) ||
        !read_fraction(p, e->args[1], &b))
        return false;
    if (e->call == CALL_ADD || e->call == CALL_SUB)
        return add_fractions(&a, e->call == CALL_ADD ? 1 : -1, &b, out);
    if (e->call == CALL_MUL)
        return multiply_fractions(&a.above, &a.below, &b.above, &b.below, out);
    return e->call == CALL_DIV && e->type != TYPE_INT && /* that truncates */
           multiply_fractions(&a.above, &a.below, &b.below, &b.above, out);
}

/* Is e a quotient of linear forms? */
static bool
read_fraction(const struct plan *p, const struct expr *e, struct fraction *out)
{
    *out = (struct fraction){linear_constant(0), linear_constant(1)};
    if (!data_type_is_number(e->type))
        return false;
    switch (e->kind) {
    case EXPR_LITERAL:
        out->above.constant = datum_double(&e->value);
        return e->value.type != TYPE_NULL && isfinite(out->above.constant);
    case EXPR_AGGREGATE: return read_aggregate(p, e, &out->above);
    case EXPR_CALL: return read_call(p, e, out);
    case EXPR_CAST: /* to a decimal it would round */
        return e->type == TYPE_REAL && read_fraction(p, e->args[0], out);
    default: return false;
    }
}

static bool
is_quotient(const struct plan *p, const struct expr *e, struct quotient *out)
{
    bool whole =
        e->kind == EXPR_CALL && e->call == CALL_DIV && e->type == TYPE_INT;
    struct fraction f, a, b;

    if ((e->kind != EXPR_CALL && e->kind != EXPR_CAST) ||
        plan_aggregates(p, e) < 2)
        return false;
    if (whole ? !read_fraction(p, e->args[0], &a) ||
                    !read_fraction(p, e->args[1], &b) ||
                    !multiply_fractions(&a.above, &a.below, &b.below, &b.above,
                                        &f)
              : !read_fraction(p, e, &f))
        return false;
    *out = (struct quotient){e, f.above, f.below, whole};
    return f.above.n + f.below.n <= BAR_TERMS_MAX;
}

/* ------------------------------------------------------------ expressions -- */

static size_t
count_nodes(const struct expr *e)
{
    size_t n = 1;

    for (size_t i = 0; i < e->n_args; i++)
        n += e->args[i] ? count_nodes(e->args[i]) : 0;
    return n;
}

static void
collect(const struct plan *p, const struct expr *e, struct quotients *out,
        bool *loose)
{
    if (is_quotient(p, e, &out->list[out->n])) {
        out->n++;
        return;
    }
    if (e->kind == EXPR_AGGREGATE)
        loose[e->slot] = true;
    for (size_t i = 0; i < e->n_args && e->kind != EXPR_AGGREGATE; i++)
        if (e->args[i])
            collect(p, e->args[i], out, loose);
}

bool
quotients_find(arena *a, const struct plan *p, const struct expr *e,
               struct quotients *out)
{
    bool *loose = arena_take(a, p->n_aggregates + 1, sizeof *loose);
    size_t most = plan_aggregates(p, e);

    *out = (struct quotients){.level = most};
    if (most < 2)
        return loose != NULL;
    out->list = arena_take(a, count_nodes(e) + 1, sizeof *out->list);
    if (!loose || !out->list)
        return false;
    collect(p, e, out, loose);
    out->level = out->n;
    for (size_t i = 0; i < p->n_aggregates; i++)
        out->level += loose[i];
    if (out->level > most) /* one bar for each aggregate is better */
        *out = (struct quotients){.level = most};
    return true;
}

/* The value of a form, and its factors as those of terms. */
static double
place_form(const struct linear *form, const struct released *r, size_t cell,
           const struct bars *bars, bool below, struct bar_term *terms,
           size_t *parts, size_t *n)
{
    double sum = form->constant;

    for (size_t i = 0; i < form->n; i++) {
        size_t part = form->terms[i].part, k = 0;

        sum += form->terms[i].factor * (double)r->values[part][cell];
        while (k < *n && parts[k] != part)
            k++;
        if (k == *n) {
            terms[k] = (struct bar_term){.law = bars->laws[part]};
            parts[(*n)++] = part;
        }
        *(below ? &terms[k].below : &terms[k].above) = form->terms[i].factor;
    }
    return sum;
}

void
quotient_narrow(const struct quotient *q, const struct released *r,
                const struct bars *bars, size_t cell, size_t level,
                struct value *v)
{
    struct bar_term terms[BAR_TERMS_MAX];
    size_t parts[BAR_TERMS_MAX], n = 0;
    double above =
        place_form(&q->above, r, cell, bars, false, terms, parts, &n);
    double below = place_form(&q->below, r, cell, bars, true, terms, parts, &n);
    struct bar bar;

    v->certainty = UNCERTAIN;
    if (!bar_quotient(terms, n, above, below, bars_miss(bars, level), &bar)) {
        if (v->datum.type == TYPE_REAL)
            v->datum = datum_of_double(bar_leading(datum_double(&v->datum)));
        return;
    }
    v->certainty = BARRED;
    v->low = q->whole ? trunc(bar.low) : bar.low;
    v->high = q->whole ? trunc(bar.high) : bar.high;
}
