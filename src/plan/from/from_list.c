/*
 * Tables separated by commas, with their conditions in WHERE. The order in
 * which they are written does not matter. The table joined next is one that a
 * condition of WHERE ties to those already joined; for two private tables the
 * condition must equate their units. If no table is tied, the next as written
 * is joined, and from_join.c decides whether that is allowed.
 *
 * Inner joins commute, so the order of joining could only change the order of
 * columns; names keep the order in which they were written.
 */
#include "plan/from/from.h"

struct list {
    struct relation **items;
    const struct from **at; /* item i is the right side of at[i], i > 0 */
    size_t *taken;          /* items in the order in which they were joined */
    bool *done;
    size_t n;
};

bool
from_is_list(const struct from *f)
{
    return f->kind == FROM_JOIN && !f->on && f->n_using == 0 && !f->outer;
}

/* --------------------------------------------------------------- ties -- */

/* Is every name in e one of a or of b? Sets *of_a if e has a name of a, and
   *of_b if it has one of b. */
static bool
names_span(const struct relation *a, const struct relation *b,
           const struct expr *e, bool *of_a, bool *of_b)
{
    size_t in_a = 0, in_b = 0;

    if (e->kind == EXPR_AGGREGATE || e->kind == EXPR_INTERVAL)
        return false;
    if (e->kind == EXPR_COLUMN) {
        names_find(a, e, &in_a);
        names_find(b, e, &in_b);
        *of_a = *of_a || in_a > 0;
        *of_b = *of_b || in_b > 0;
        return in_a + in_b > 0;
    }
    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i] && !names_span(a, b, e->args[i], of_a, of_b))
            return false;
    return true;
}

/* The key by which the column e of r identifies its unit, or NULL. */
static const void *
key_of(const struct relation *r, const struct expr *e)
{
    size_t n;
    const struct relation_name *found =
        e->kind == EXPR_COLUMN ? names_find(r, e, &n) : NULL;

    return found ? r->columns[found->slot].names : NULL;
}

static bool
equates_units(const struct relation *a, const struct relation *b,
              const struct expr *e)
{
    const void *x, *y;

    if (e->kind != EXPR_CALL || e->call != CALL_EQ)
        return false;
    x = key_of(a, e->args[0]);
    y = key_of(b, e->args[1]);
    if (!x || x != y) {
        x = key_of(a, e->args[1]);
        y = key_of(b, e->args[0]);
    }
    return x && x == y;
}

static bool
is_tie(const struct relation *a, const struct relation *b, const struct expr *e)
{
    bool of_a = false, of_b = false;

    if (!a->as->is_public && !b->as->is_public)
        return equates_units(a, b, e);
    return names_span(a, b, e, &of_a, &of_b) && of_a && of_b;
}

/* Steps of looking for a tie between two relations in one conjunct. */
static uint64_t
tie_steps(const struct relation *a, const struct relation *b,
          const struct expr *e)
{
    uint64_t steps = 1;

    if (e->kind == EXPR_COLUMN)
        return names_steps(a) + names_steps(b);
    for (size_t i = 0; i < e->n_args; i++)
        steps += e->args[i] ? tie_steps(a, b, e->args[i]) : 0;
    return steps;
}

/* The item to be joined next: the first that is tied to those joined, else the
   first that is not joined yet. If no steps remain, planning ends anyway. */
static size_t
next_item(struct work *w, const struct list *l, const struct relation *joined,
          const struct loose *loose)
{
    size_t first = 0;

    for (size_t i = l->n - 1; i > 0; i--)
        first = l->done[i] ? first : i;
    for (size_t i = first; i < l->n; i++)
        for (size_t k = 0; loose && !l->done[i] && k < loose->n; k++)
            if (loose->conjuncts[k] &&
                effort_take(
                    w->options->effort,
                    tie_steps(joined, l->items[i], loose->conjuncts[k])) &&
                is_tie(joined, l->items[i], loose->conjuncts[k]))
                return i;
    return first;
}

/* ---------------------------------------------------------------- all -- */

static custos_status
list_make(struct work *w, struct from *f, struct loose *loose, struct list *l)
{
    custos_status st = CUSTOS_OK;
    struct from *at = f;

    for (l->n = 1; from_is_list(at); at = at->left)
        l->n++;
    if (w->depth + l->n > FROM_DEPTH_MAX)
        return custos_fail_at(w->err, CUSTOS_EOVERFLOW, f->at,
                              "FROM has more than %d tables", FROM_DEPTH_MAX);
    l->items = arena_take(w->a, l->n, sizeof(struct relation *));
    l->at = arena_take(w->a, l->n, sizeof(struct from *));
    l->taken = arena_take(w->a, l->n, sizeof *l->taken);
    l->done = arena_take(w->a, l->n, sizeof *l->done);
    if (!l->items || !l->at || !l->taken || !l->done)
        return work_no_memory(w);
    l->at[0] = at;
    for (size_t i = l->n; --i > 0; f = f->left)
        l->at[i] = f;
    for (size_t i = 0; i < l->n && !st; i++)
        st = from_any(w, i ? l->at[i]->right : at, loose, &l->items[i]);
    return st;
}

/* Puts the names of r, now in the order of joining, into the written order. */
static custos_status
names_in_order(struct work *w, const struct list *l, struct relation *r)
{
    struct relation_name *names =
        arena_take(w->a, r->n_names + 1, sizeof *names);
    size_t n = 0;

    if (!names)
        return work_no_memory(w);
    for (size_t i = 0; i < l->n; i++) {
        size_t from = 0;

        for (size_t k = 0; l->taken[k] != i; k++)
            from += l->items[l->taken[k]]->n_names;
        for (size_t k = 0; k < l->items[i]->n_names; k++)
            names[n++] = r->names[from + k];
    }
    r->names = names;
    return CUSTOS_OK;
}

custos_status
from_list(struct work *w, struct from *f, struct loose *loose,
          struct relation **out)
{
    struct list l = {.n = 0};
    custos_status st = list_make(w, f, loose, &l);
    struct relation *joined;

    if (st)
        return st;
    joined = l.items[0];
    for (size_t k = 1; k < l.n && !st; k++) {
        size_t i = next_item(w, &l, joined, loose);

        l.taken[k] = i;
        l.done[i] = true;
        st = from_pair(w, l.at[i], loose, joined, l.items[i], &joined);
    }
    *out = joined;
    return st ? st : names_in_order(w, &l, joined);
}
