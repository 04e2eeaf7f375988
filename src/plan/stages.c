/*
 * Divides what a plan releases into stages. For each space: its selection, if its
 * groups are discovered, then the parts over it, which one pass over the rows
 * computes. Parts over the same space stand side by side, so that a space has its
 * stages once and its groups are selected once.
 */
#include "plan/work.h"

/* How many parts from `at` on are over the same space. */
static size_t
count_alike(const struct plan *p, size_t at)
{
    size_t n = 1;

    while (at + n < p->n_parts && p->parts[at + n].space == p->parts[at].space)
        n++;
    return n;
}

static void
add_space(struct plan *p, const struct cell_space *space, size_t first,
          size_t n)
{
    for (size_t i = 0; i < p->n_stages; i++)
        CUSTOS_REQUIRE(p->stages[i].space != space);
    if (space->selection)
        p->stages[p->n_stages++] =
            (struct stage){.kind = STAGE_GROUPS, .plan = p, .space = space};
    p->stages[p->n_stages++] = (struct stage){.kind = STAGE_VALUES,
                                              .plan = p,
                                              .space = space,
                                              .parts = p->parts + first,
                                              .first = first,
                                              .n_parts = n};
}

custos_status
stages_make(struct work *w)
{
    struct plan *p = w->plan;

    p->stages = arena_take(w->a, 2 * p->n_parts + 2, sizeof *p->stages);
    if (!p->stages)
        return work_no_memory(w);
    if (p->n_parts == 0) /* the groups alone */
        add_space(p, &p->space, 0, 0);
    for (size_t i = 0, n; i < p->n_parts; i += n) {
        n = count_alike(p, i);
        add_space(p, p->parts[i].space, i, n);
    }
    return CUSTOS_OK;
}

size_t
plan_values(const struct plan *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_parts; i++)
        n += p->parts[i].space->cells;
    return n;
}
