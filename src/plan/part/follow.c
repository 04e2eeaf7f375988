/*
 * Makes the plans that may follow a selecting plan, and copies what it has in
 * common with them.
 */
#include "plan/part/follow.h"

#include "base/error.h"
#include "plan/work.h"

static bool
set_theorems(arena *a, struct plan *p, const char *const *own, size_t n_own)
{
    size_t n, room = n_own;
    struct plan *const *next = plan_next(p, &n);

    for (size_t i = 0; i < n; i++)
        room += next[i]->n_theorems;
    p->n_theorems = 0;
    p->theorems = arena_take(a, room, sizeof *p->theorems);
    if (!p->theorems)
        return false;
    for (size_t i = 0; i < n_own; i++)
        plan_add_theorem(p, own[i]);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < next[i]->n_theorems; k++)
            plan_add_theorem(p, next[i]->theorems[k]);
    return true;
}

struct plan *
follow_new(arena *a, const struct stage *stage, const char *const *theorems,
           size_t n_theorems)
{
    struct plan *p = arena_take(a, 1, sizeof *p);
    struct stage *only = arena_take(a, 1, sizeof *only);

    if (!p || !only)
        return NULL;
    *p = *stage->next[stage->n_next - 1];
    *only = *stage;
    only->plan = p;
    p->stages = only;
    p->n_stages = 1;
    p->parts = NULL;
    p->n_parts = 0;
    p->space.selection = NULL;
    p->facts = NULL;
    p->n_remarks = 0;
    rat_init(&p->epsilon);
    rat_init(&p->rho);
    rat_init(&p->delta);
    rat_init(&p->delta_rho);
    return set_theorems(a, p, theorems, n_theorems) ? p : NULL;
}

custos_status
follow_plans_make(const struct follow_query *f, follow_one make, size_t most,
                  struct plan **plans, size_t *n, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    custos_err ignored = CUSTOS_ERR_INIT;

    while (*n < most && !st) {
        st = make(f, *n, &plans[*n], &ignored);
        if (!st)
            ++*n;
    }
    if (st == CUSTOS_ENOMEM)
        return custos_fail(err, st, "out of memory");
    return CUSTOS_OK;
}

void
follow_plans_free(struct plan **plans, size_t *n)
{
    while (*n > 0)
        plan_free(plans[--*n]);
}
