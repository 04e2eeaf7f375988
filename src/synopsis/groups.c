/* Goes through all combinations of values. */
#include "synopsis/groups.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "evaluate/evaluate.h"

enum { COMBINATIONS_MAX = 1 << 22, GROUPS_MAX = 1 << 16 };

#define HASH_PRIME 1099511628211U /* of FNV-1a */

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

/* ------------------------------------------------------- finding groups -- */

/*
 * The groups so far by a hash of their keys, in a table with open addresses: 1 plus
 * the number of the group, 0 for nothing. Each place is tried after the one before.
 */
enum { PLACES = 2 * GROUPS_MAX };

struct finder {
    struct question *q;
    struct reading *r;
    size_t room; /* of r->groups */
    uint32_t *places;
};

/* Numbers are equal by value, so what a scale adds must not count. */
static uint64_t
hash_datum(const struct datum *d, uint64_t hash)
{
    i128 n = d->n;

    if (d->type == TYPE_NULL)
        return hash * HASH_PRIME + 1;
    for (size_t i = 0; d->type == TYPE_TEXT && i < d->text.len; i++)
        hash = (hash ^ (unsigned char)d->text.ptr[i]) * HASH_PRIME;
    if (d->type == TYPE_TEXT)
        return hash * HASH_PRIME;
    for (int scale = d->scale;
         data_type_is_number(d->type) && scale > 0 && n % 10 == 0; scale--)
        n /= 10;
    hash = (hash ^ (uint64_t)n) * HASH_PRIME;
    return (hash ^ (uint64_t)(n >> 64)) * HASH_PRIME;
}

static size_t
hash_keys(const struct datum *keys, size_t n)
{
    uint64_t hash = 14695981039346656037U;

    for (size_t i = 0; i < n; i++)
        hash = hash_datum(&keys[i], hash);
    /* Keys that differ in high bits alone must not be neighbours (Stafford's mix). */
    hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9U;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111ebU;
    return (size_t)(hash ^ hash >> 31) % PLACES;
}

static int
keys_cmp(const struct datum *a, const struct datum *b, size_t n)
{
    int order = 0;

    for (size_t i = 0; i < n && !order; i++)
        order = datum_cmp(&a[i], &b[i]);
    return order;
}

static bool
make_room(struct finder *f)
{
    const size_t n = f->r->n_groups, room = n ? 2 * n : 8;
    struct group *to;

    if (n < f->room)
        return true;
    to = arena_take(f->q->a, room, sizeof *to);
    if (!to)
        return false;
    if (n)
        memcpy(to, f->r->groups, n * sizeof *to);
    f->r->groups = to;
    f->room = room;
    return true;
}

/* A group of these keys, of which it takes copies. */
static custos_status
add_group(struct finder *f, const struct datum *keys, custos_err *err)
{
    struct question *q = f->q;
    const size_t n_keys = q->plan->space.n_keys;
    struct group *g;

    if (f->r->n_groups == GROUPS_MAX)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "the answer has more than %d groups", GROUPS_MAX);
    if (!make_room(f))
        return no_memory(err);
    g = &f->r->groups[f->r->n_groups];
    g->keys = arena_take(q->a, n_keys + 1, sizeof *g->keys);
    if (!g->keys)
        return no_memory(err);
    for (size_t k = 0; k < n_keys; k++) {
        g->keys[k] = keys[k];
        if (keys[k].type != TYPE_TEXT)
            continue;
        g->keys[k].text.ptr = arena_copy(q->a, keys[k].text);
        if (!g->keys[k].text.ptr)
            return no_memory(err);
    }
    f->r->n_groups++;
    return CUSTOS_OK;
}

static custos_status
find_group(struct finder *f, const struct datum *keys, struct group **out,
           custos_err *err)
{
    const size_t n_keys = f->q->plan->space.n_keys;
    size_t place = hash_keys(keys, n_keys);
    custos_status st;

    for (; f->places[place]; place = (place + 1) % PLACES) {
        struct group *g = &f->r->groups[f->places[place] - 1];

        if (keys_cmp(keys, g->keys, n_keys) == 0) {
            *out = g;
            return CUSTOS_OK;
        }
        if (!effort_take(f->q->effort, 1 + n_keys))
            return no_memory(err);
    }
    st = add_group(f, keys, err);
    if (st)
        return st;
    f->places[place] = (uint32_t)f->r->n_groups;
    *out = &f->r->groups[f->r->n_groups - 1];
    return CUSTOS_OK;
}

static int
group_cmp(const void *a, const void *b, void *n_keys)
{
    return keys_cmp(((const struct group *)a)->keys,
                    ((const struct group *)b)->keys, *(const size_t *)n_keys);
}

/* --------------------------------------------------------- combinations -- */

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
add_piece(struct finder *f, const struct scope *s, struct datum *keys,
          custos_err *err)
{
    struct question *q = f->q;
    struct reading *r = f->r;
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
    st = find_group(f, keys, &g, err);
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

/* The nodes that each combination evaluates. */
static size_t
nodes_of(const struct question *q, const struct reading *r)
{
    const struct plan *p = q->plan;
    size_t n = 1 + (p->where ? question_nodes(p->where) : 0);

    for (size_t k = 0; k < p->space.n_keys; k++)
        n += question_nodes(p->space.keys[k].expr);
    for (size_t i = 0; i < r->n_aggregates; i++)
        n += question_nodes(q->aggregates[r->aggregates[i]]);
    return n;
}

/* Refuses before it begins what would end without steps, or nearly so: a CASE need
   not evaluate all its nodes. */
static custos_status
check_combinations(const struct question *q, const struct reading *r,
                   custos_err *err)
{
    double n = 1;

    for (size_t i = 0; i < q->n_columns; i++)
        if (colset_has(r->set, q->columns[i].is->place))
            n *= (double)q->columns[i].n;
    if (n > COMBINATIONS_MAX)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "the question has more than %d combinations of "
                           "values" HINT "use fewer columns in it, or compare "
                           "them with constants",
                           COMBINATIONS_MAX);
    if (n * (double)nodes_of(q, r) > (double)q->effort->remaining) {
        effort_end(q->effort, EFFORT_OUT_OF_STEPS);
        return no_memory(err);
    }
    return CUSTOS_OK;
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

static custos_status
add_all(struct finder *f, custos_err *err)
{
    struct question *q = f->q;
    const struct plan *p = q->plan;
    const struct scope s = {
        .a = q->scratch, .effort = q->effort, .leaf = column_leaf, .ctx = q};
    struct datum *keys = arena_take(q->a, p->space.n_keys + 1, sizeof *keys);
    custos_status st = keys ? CUSTOS_OK : no_memory(err);
    struct group *g;

    if (st)
        return st;
    do {
        question_reset_scratch(q);
        st = add_piece(f, &s, keys, err);
    } while (!st && step(q, f->r));
    /* Without GROUP BY there is one group, though WHERE may keep nothing. */
    if (!st && p->space.n_keys == 0)
        st = find_group(f, keys, &g, err);
    return st;
}

custos_status
groups_make(struct question *q, struct reading *r, custos_err *err)
{
    struct finder f = {.q = q, .r = r};
    size_t n_keys = q->plan->space.n_keys;
    custos_status st = check_combinations(q, r, err);

    if (st)
        return st;
    f.places = calloc(PLACES, sizeof *f.places);
    st = f.places ? add_all(&f, err) : no_memory(err);
    free(f.places);
    if (st || r->n_groups == 0)
        return st;
    qsort_r(r->groups, r->n_groups, sizeof *r->groups, group_cmp, &n_keys);
    for (size_t i = 0; i < r->n_groups; i++)
        if (r->groups[i].n)
            qsort(r->groups[i].pieces, r->groups[i].n,
                  r->width * sizeof(double), piece_cmp);
    return CUSTOS_OK;
}
