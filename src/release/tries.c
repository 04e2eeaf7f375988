#include "release/tries.h"

#include <stdlib.h>

#include "base/ck.h"
#include "base/error.h"
#include "evaluate/evaluate.h"
#include "plan/work.h"
#include "synopsis/value.h"

/* Memory for constants of a constraint. */
enum { CONSTANT_BYTES = 1 << 20 };

struct maker {
    arena *a;
    const struct constraint *c;
    const struct schema_column *codes;
    bool ordered[CONSTRAINT_COLUMNS_MAX]; /* not all values are tried */
    size_t n_ordered;
    i128 *at; /* steps of the columns that are ordered: where runs begin */
    size_t n_at, room;
    custos_err *err;
};

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* ----------------------------------------------------------- comparisons -- */

static bool
is_constant(const struct expr *e)
{
    bool all = e->kind != EXPR_COLUMN;

    for (size_t i = 0; all && i < e->n_args; i++)
        all = !e->args[i] || is_constant(e->args[i]);
    return all;
}

/* A comparison of bare columns and constants. */
static bool
is_plain(const struct expr *e)
{
    bool all = evaluate_compares(e);

    for (size_t i = 0; all && i < e->n_args; i++)
        all = e->args[i]->kind == EXPR_COLUMN || is_constant(e->args[i]);
    return all;
}

/* Does e do no more with the column than compare it? */
static bool
only_compares(const struct expr *e, size_t column)
{
    bool all = e->kind != EXPR_COLUMN || (size_t)e->slot != column;

    if (is_plain(e))
        return true;
    for (size_t i = 0; all && i < e->n_args; i++)
        all = !e->args[i] || only_compares(e->args[i], column);
    return all;
}

static size_t
number_of(const struct constraint *c, const struct expr *e)
{
    size_t i = 0;

    while (c->columns[i] != (size_t)e->slot)
        i++;
    return i;
}

/* ------------------------------------------------------- where runs begin -- */

static custos_status
add_step(struct maker *m, i128 step)
{
    i128 *at;

    if (m->n_at == m->room) {
        m->room = 4 * m->room + 64;
        at = arena_take(m->a, m->room, sizeof *at);
        if (!at)
            return no_memory(m->err);
        if (m->n_at > 0)
            memcpy(at, m->at, m->n_at * sizeof *at);
        m->at = at;
    }
    m->at[m->n_at++] = step;
    return CUSTOS_OK;
}

/* The last step that is not above the value; false if it is not of the type. */
static bool
step_of(const struct schema_column *c, const struct datum *d, i128 *out)
{
    bool found;
    rat x, unit;

    if (!data_type_is_number(c->type)) {
        *out = d->n;
        return d->type == c->type;
    }
    if (!data_type_is_number(d->type))
        return false;
    rat_init(&x);
    rat_init(&unit);
    rat_set_i128(&x, d->n);
    grid_step((struct grid){10, d->scale}, &unit);
    rat_mul(&x, &x, &unit);
    grid_step((struct grid){c->base, c->digits}, &unit);
    rat_div(&x, &x, &unit);
    found = rat_floor_i128(&x, out);
    rat_clear(&x);
    rat_clear(&unit);
    return found;
}

static custos_status
add_value(struct maker *m, const struct schema_column *like,
          const struct datum *d)
{
    i128 step;

    return step_of(like, d, &step) ? add_step(m, step) : CUSTOS_OK;
}

static custos_status
add_constant(struct maker *m, const struct schema_column *like,
             const struct expr *e)
{
    const struct scope s = {.a = arena_new(NULL, CONSTANT_BYTES)};
    custos_status st = CUSTOS_OK;
    struct value v;

    if (!s.a || !evaluate(&s, e, &v))
        st = no_memory(m->err);
    else
        st = add_value(m, like, &v.datum);
    arena_free(s.a);
    return st;
}

/* The ends of the runs of a column, or each of its values. */
static custos_status
add_column(struct maker *m, const struct schema_column *like,
           const struct schema_column *c)
{
    custos_status st = CUSTOS_OK;

    for (uint32_t k = 0; !st && k < c->n; k++) {
        struct datum first = code_value(c, k, CODE_FIRST);
        struct datum last = code_value(c, k, CODE_LAST);

        st = add_value(m, like, &first);
        if (!st)
            st = add_value(m, like, &last);
    }
    return st;
}

/* What ordered columns are compared with, below e. */
static custos_status
add_compared(struct maker *m, const struct schema_column *like,
             const struct expr *e)
{
    custos_status st = CUSTOS_OK;
    bool plain = is_plain(e), ordered = false;

    for (size_t i = 0; plain && i < e->n_args; i++)
        ordered = ordered || (e->args[i]->kind == EXPR_COLUMN &&
                              m->ordered[number_of(m->c, e->args[i])]);
    for (size_t i = 0; !st && i < e->n_args; i++) {
        const struct expr *x = e->args[i];

        if (!x || (plain && !ordered))
            continue;
        if (!plain)
            st = add_compared(m, like, x);
        else if (x->kind == EXPR_COLUMN)
            st = add_column(m, like, &m->codes[number_of(m->c, x)]);
        else
            st = add_constant(m, like, x);
    }
    return st;
}

static int
by_step(const void *a, const void *b)
{
    const i128 *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* From each place on, as many steps as there are ordered columns; each once. */
static custos_status
widen(struct maker *m)
{
    const size_t had = m->n_at;
    custos_status st = CUSTOS_OK;
    size_t n = 0;

    for (size_t i = 0; i < had; i++)
        for (size_t k = 1; !st && k <= m->n_ordered; k++)
            st = add_step(m, m->at[i] + (i128)k);
    if (st)
        return st;
    qsort(m->at, m->n_at, sizeof *m->at, by_step);
    for (size_t i = 0; i < m->n_at; i++)
        if (i == 0 || m->at[i] != m->at[n - 1])
            m->at[n++] = m->at[i];
    m->n_at = n;
    return CUSTOS_OK;
}

/* ------------------------------------------------------------ all columns -- */

/* Columns with runs of several values are ordered, if all of them are compared only
   and have one grid. */
static void
find_ordered(struct maker *m)
{
    const struct schema_column *first = NULL;
    bool all = true;

    for (size_t i = 0; i < m->c->n_columns; i++) {
        const struct schema_column *c = &m->codes[i];

        m->ordered[i] = !column_is_single(c);
        if (!m->ordered[i])
            continue;
        first = first ? first : c;
        m->n_ordered++;
        all = all && only_compares(m->c->is, m->c->columns[i]) &&
              c->type == first->type && c->base == first->base &&
              c->digits == first->digits;
    }
    if (!all) {
        memset(m->ordered, 0, sizeof m->ordered);
        m->n_ordered = 0;
    }
}

/* How many values column i is tried on, if it is not ordered: all that it has. */
static size_t
count_values(const struct schema_column *c)
{
    i128 steps;

    if (c->coding == SCHEMA_VALUES)
        return schema_codes(c);
    steps = c->cuts[c->n] - c->cuts[0] + (c->nullable ? 1 : 0);
    return steps < TRIES_MAX ? (size_t)steps : TRIES_MAX + 1;
}

static custos_status
fail_too_many(custos_err *err)
{
    return custos_fail(
        err, CUSTOS_EOVERFLOW,
        "it has more than %d combinations of values" HINT
        "name fewer columns in it; of a column with a long range "
        "and of others of its type, only comparisons are simple "
        "enough",
        (int)TRIES_MAX);
}

/* The values of steps, in the order of steps. */
static void
add_steps(const struct maker *m, size_t i, struct tried *to, size_t *n)
{
    const struct schema_column *c = &m->codes[i];
    size_t at = 0;

    for (uint32_t k = 0; k < c->n; k++) {
        i128 s = c->cuts[k];

        if (!m->ordered[i]) {
            for (; s < c->cuts[k + 1]; s++)
                to[(*n)++] = (struct tried){step_value(c, s), k};
            continue;
        }
        while (at < m->n_at && m->at[at] < s)
            at++;
        for (; at < m->n_at && m->at[at] < c->cuts[k + 1]; at++)
            to[(*n)++] = (struct tried){step_value(c, m->at[at]), k};
    }
}

static custos_status
add_tries(struct maker *m, size_t i, struct tries *out)
{
    const struct schema_column *c = &m->codes[i];
    const size_t most = m->ordered[i] ? m->n_at + 1 : count_values(c);

    if (most > TRIES_MAX)
        return fail_too_many(m->err);
    out->of[i] = arena_take(m->a, most + 1, sizeof *out->of[i]);
    if (!out->of[i])
        return no_memory(m->err);
    if (c->coding == SCHEMA_CUTS)
        add_steps(m, i, out->of[i], &out->n[i]);
    for (uint32_t k = 0; c->coding == SCHEMA_VALUES && k < c->n; k++)
        out->of[i][out->n[i]++] =
            (struct tried){code_value(c, k, CODE_FIRST), k};
    if (c->nullable)
        out->of[i][out->n[i]++] = (struct tried){{.type = TYPE_NULL}, c->n};
    if (!ck_mul_size(out->all, out->n[i], &out->all) || out->all > TRIES_MAX)
        return fail_too_many(m->err);
    return CUSTOS_OK;
}

custos_status
tries_make(arena *a, const struct constraint *c,
           const struct schema_column *codes, struct tries *out,
           custos_err *err)
{
    struct maker m = {.a = a, .c = c, .codes = codes, .err = err};
    custos_status st = CUSTOS_OK;
    size_t first = 0;

    *out = (struct tries){.all = 1};
    find_ordered(&m);
    while (first < c->n_columns && !m.ordered[first])
        first++;
    if (m.n_ordered > 0) {
        st = add_compared(&m, &codes[first], c->is);
        if (!st)
            st = widen(&m);
    }
    for (size_t i = 0; !st && i < c->n_columns; i++)
        st = add_tries(&m, i, out);
    return st;
}
