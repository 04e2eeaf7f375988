/* Goes through all combinations of values. */
#include "synopsis/groups.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "evaluate/evaluate.h"

enum { COMBINATIONS_MAX = 1 << 22, GROUPS_MAX = 1 << 16 };

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

static bool
column_leaf(void *ctx, const struct expr *e, struct value *out)
{
    const struct question *q = ctx;

    for (size_t i = 0; i < q->n_columns; i++)
        if (e->kind == EXPR_COLUMN && q->columns[i].slot == e->slot) {
            const struct question_column *c = &q->columns[i];

            *out = (struct value){.datum = c->values[c->at].datum};
            return true;
        }
    return false; /* UNREACHABLE: every column was looked for */
}

static int
keys_cmp(const struct datum *a, const struct datum *b, size_t n)
{
    int order = 0;

    for (size_t i = 0; i < n && !order; i++)
        order = datum_cmp(&a[i], &b[i]);
    return order;
}

/* The group of these keys, in its place among those before it. */
static custos_status
find_group(struct question *q, struct reading *r, const struct datum *keys,
           struct group **out, custos_err *err)
{
    const size_t n_keys = q->plan->space.n_keys;
    size_t low = 0, high = r->n_groups;

    while (low < high) {
        const size_t mid = (low + high) / 2;
        const int order = keys_cmp(keys, r->groups[mid].keys, n_keys);

        if (order == 0) {
            *out = &r->groups[mid];
            return CUSTOS_OK;
        }
        if (order < 0)
            high = mid;
        else
            low = mid + 1;
    }
    if (r->n_groups == GROUPS_MAX)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "the answer has more than %d groups", GROUPS_MAX);
    memmove(&r->groups[low + 1], &r->groups[low],
            (r->n_groups - low) * sizeof *r->groups);
    r->groups[low] = (struct group){
        .keys = arena_take(q->a, n_keys + 1, sizeof *r->groups[low].keys)};
    if (!r->groups[low].keys)
        return no_memory(err);
    memcpy(r->groups[low].keys, keys, n_keys * sizeof *keys);
    r->n_groups++;
    *out = &r->groups[low];
    return CUSTOS_OK;
}

static double *
take_piece(const struct question *q, const struct reading *r, struct group *g)
{
    if (g->n == g->room) {
        const size_t room = g->room ? 2 * g->room : 4;
        double *to = arena_take(q->a, room * r->width, sizeof *to);

        if (!to)
            return NULL;
        if (g->n)
            memcpy(to, g->pieces, g->n * r->width * sizeof *to);
        g->pieces = to;
        g->room = room;
    }
    return &g->pieces[g->n++ * r->width];
}

/* A number for a value: of a date its day, of a timestamp its microsecond. */
static double
number_of(const struct datum *d)
{
    switch (d->type) {
    case TYPE_NULL: return (double)NAN;
    case TYPE_INT:
    case TYPE_DECIMAL:
    case TYPE_REAL: return datum_double(d);
    default: return (double)d->n;
    }
}

/* Adds the current combination to its group. */
static custos_status
add_piece(struct question *q, struct reading *r, const struct scope *s,
          struct datum *keys, custos_err *err)
{
    const struct plan *p = q->plan;
    size_t cell = 0;
    double share = 1, *piece;
    struct group *g;
    struct value v;
    custos_status st;

    if (p->where) {
        if (!evaluate(s, p->where, &v))
            return no_memory(err);
        if (v.datum.type == TYPE_NULL || !v.datum.n)
            return CUSTOS_OK;
    }
    for (size_t k = 0; k < p->space.n_keys; k++) {
        if (!evaluate(s, p->space.keys[k].expr, &v))
            return no_memory(err);
        keys[k] = v.datum;
    }
    st = find_group(q, r, keys, &g, err);
    if (st)
        return st;
    piece = take_piece(q, r, g);
    if (!piece)
        return no_memory(err);
    for (size_t i = 0; i < q->n_columns; i++) {
        const struct question_column *c = &q->columns[i];

        if (!colset_has(r->set, c->is->place))
            continue;
        cell = cell * schema_codes(c->is) + c->values[c->at].code;
        share *= c->values[c->at].share;
    }
    piece[PIECE_CELL] = (double)cell;
    piece[PIECE_SHARE] = share;
    for (size_t i = 0; i < r->n_aggregates; i++) {
        const struct expr *e = q->aggregates[r->aggregates[i]];

        piece[PIECE_VALUES + i] = 1;
        if (e->n_args == 0)
            continue;
        if (!evaluate(s, e->args[0], &v))
            return no_memory(err);
        piece[PIECE_VALUES + i] = number_of(&v.datum);
    }
    return CUSTOS_OK;
}

static int
piece_cmp(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static custos_status
check_combinations(const struct question *q, const struct reading *r,
                   custos_err *err)
{
    double n = 1;

    for (size_t i = 0; i < q->n_columns; i++)
        if (colset_has(r->set, q->columns[i].is->place))
            n *= (double)q->columns[i].n;
    return n <= COMBINATIONS_MAX
               ? CUSTOS_OK
               : custos_fail(err, CUSTOS_EOVERFLOW,
                             "the question has more than %d combinations of "
                             "values" HINT
                             "use fewer columns in it, or compare "
                             "them with constants",
                             COMBINATIONS_MAX);
}

/* The next combination; false after the last. */
static bool
step(struct question *q, const struct reading *r)
{
    for (size_t i = q->n_columns; i-- > 0;) {
        if (!colset_has(r->set, q->columns[i].is->place))
            continue;
        if (++q->columns[i].at < q->columns[i].n)
            return true;
        q->columns[i].at = 0;
    }
    return false;
}

custos_status
groups_make(struct question *q, struct reading *r, custos_err *err)
{
    const struct plan *p = q->plan;
    const struct scope s = {.a = q->a, .leaf = column_leaf, .ctx = q};
    struct datum *keys = arena_take(q->a, p->space.n_keys + 1, sizeof *keys);
    custos_status st = check_combinations(q, r, err);
    struct group *g;

    r->groups = arena_take(q->a, GROUPS_MAX + 1, sizeof *r->groups);
    if (!keys || !r->groups)
        return no_memory(err);
    do {
        if (!st && question_is_stopped(q))
            st = question_fail_stopped(err);
        if (!st)
            st = add_piece(q, r, &s, keys, err);
    } while (!st && step(q, r));
    /* Without GROUP BY there is one group, though WHERE may keep nothing. */
    if (!st && p->space.n_keys == 0)
        st = find_group(q, r, keys, &g, err);
    for (size_t i = 0; i < r->n_groups; i++)
        if (r->groups[i].n)
            qsort(r->groups[i].pieces, r->groups[i].n,
                  r->width * sizeof(double), piece_cmp);
    return st;
}
