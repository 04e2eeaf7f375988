/*
 * A level of the tree of ranks looks at the ways to cut its values that are near
 * enough to the wanted position (cut_steps): at no more than that in each node, and
 * at no more than the level has values. Then each value finds its place among the
 * edges by halving, each rank of a group goes over all edges, and limits are computed
 * once for all groups.
 */
#include "plan/cost/quantile_work.h"

#include "mech/quantile_box.h"
#include "plan/from/from.h"

enum {
    KEEP_PS = 40000,        /* new memory for one value: 64 to 100 bytes */
    HALVING_PS = 1200,      /* one value halves what is left of the edges */
    LIMIT_PS = 2500,        /* a step for the limits of ends */
    RANK_PS = 20000000,     /* a quantile of a group: draws, noise, ends ... */
    RANK_PAIR_PS = 1000000, /* ... whose edges all ranks of the group share */
};

/* How many ways to cut values all nodes of all groups look at. */
static uint64_t
steps_of(const custos_quantile *q, uint64_t rows, uint64_t groups)
{
    uint64_t all = 0;

    for (uint32_t level = 1; level <= q->facts.levels; level++) {
        uint64_t near = 0, most = from_times(rows, q->boxed ? 2 : 1);

        for (size_t i = 0; i < q->ranks; i++)
            if (q->nodes[i].depth == level) {
                near = from_plus(near, cut_steps(q, &q->nodes[i]));
                most = from_plus(most, from_times(groups, 2));
            }
        near = from_times(groups, near);
        all = from_plus(all, near < most ? near : most);
    }
    return all;
}

uint64_t
quantile_work(const struct part_quantiles *q, uint64_t rows, uint64_t groups,
              uint64_t levels, uint64_t row_ps)
{
    /* A step takes up to 4/3 of the time of a row. */
    uint64_t ps =
        from_times(steps_of(q->draws, rows, groups), row_ps + row_ps / 3);
    uint64_t rank = RANK_PS + q->n * (uint64_t)RANK_PAIR_PS, halvings = 0;

    ps = from_plus(ps, from_times(from_times(groups, q->n), rank));
    ps = from_plus(ps, from_times(rows, KEEP_PS));
    if (!q->counts)
        return ps;
    while (box_counts(q->n) >> halvings)
        halvings++;
    ps = from_plus(ps, from_times(rows, halvings * HALVING_PS));
    return from_plus(
        ps, from_times(from_times(levels, box_limit_steps(q->n)), LIMIT_PS));
}
