/*
 * Running counts: which cells they add up, and how. Of the strategies of
 * mech/running.h the one with the least mean variance over all sums is taken; a
 * choice by public facts, which costs nothing. A tree goes with Laplace noise,
 * where a row in L blocks costs L; the square root with Gaussian noise.
 */
#include "plan/part/running.h"

#include "mech/running.h"
#include "num/batch.h"
#include "plan/price/choose.h"

/* The most multiplications of one release by the square root, whose number is
   that of all cells times the length of a sequence. */
enum { ROOT_WORK = 1 << 27, LEVELS_MAX = 12, WEIGHT_LOG2 = 32 };

static size_t
key_size(const struct key *k)
{
    return k->n + k->null_group;
}

/* The keys of PARTITION BY, as bits. */
static uint32_t
partition_of(const struct expr *e)
{
    uint32_t keys = 0;

    for (size_t i = e->aggregate == AGG_RUNNING_ROWS; i < e->n_args; i++)
        keys |= (uint32_t)1 << e->args[i]->slot;
    return keys;
}

static custos_status
check_partition(struct work *w, const struct expr *e, size_t key)
{
    const struct plan *p = w->plan;
    uint32_t others =
        (((uint32_t)1 << p->space.n_keys) - 1) & ~((uint32_t)1 << key);

    if (partition_of(e) == others)
        return CUSTOS_OK;
    return custos_fail_at(
        w->err, CUSTOS_EUNSUPPORTED, e->at,
        p->space.n_keys == 1
            ? "a running count in order of %s cannot be divided by it" HINT
              "leave PARTITION BY out"
            : "a running count in order of %s needs all other keys of GROUP BY "
              "in PARTITION BY, and no more",
        work_text(w, p->space.keys[key].expr));
}

/* The key of the running count whose last value a total is. */
static custos_status
key_of_total(struct work *w, const struct expr *e, size_t *key)
{
    const struct plan *p = w->plan;

    for (size_t i = 0; i < p->n_aggregates; i++) {
        const struct expr *x = p->aggregates[i].expr;

        if (x->aggregate == AGG_RUNNING_ROWS &&
            partition_of(x) == partition_of(e)) {
            *key = (size_t)x->args[0]->slot;
            return CUSTOS_OK;
        }
    }
    return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, e->at,
                          "sum(count(*)) OVER without ORDER BY is the last of "
                          "the running counts, of which this query has "
                          "none" HINT
                          "add sum(count(*)) OVER (ORDER BY ...) with the same "
                          "PARTITION BY, or ask for count(*) without GROUP BY");
}

custos_status
running_part(struct work *w, size_t i, struct part *like)
{
    struct plan *p = w->plan;
    const struct expr *e = p->aggregates[i].expr;
    struct running *r = arena_take(w->a, 1, sizeof *r);
    size_t key = 0;
    custos_status st = CUSTOS_OK;

    if (!r)
        return work_no_memory(w);
    if (p->space.selection)
        return custos_fail_at(
            w->err, CUSTOS_EUNSUPPORTED, e->at,
            "a running count needs keys whose values are public, and these are "
            "found in the data" HINT "ask the owner for the values or a range "
            "of the column");
    if (e->aggregate == AGG_TOTAL_ROWS)
        st = key_of_total(w, e, &key);
    else
        key = (size_t)e->args[0]->slot;
    if (!st)
        st = check_partition(w, e, key);
    if (st)
        return st;
    r->n = key_size(&p->space.keys[key]);
    r->stride = 1;
    for (size_t k = key + 1; k < p->space.n_keys; k++)
        r->stride *= key_size(&p->space.keys[k]);
    if (r->n > RUNNING_MAX)
        return custos_fail_at(
            w->err, CUSTOS_EOVERFLOW, e->at,
            "a running count takes at most %d groups in "
            "order, and %s has %zu" HINT "group by something coarser",
            (int)RUNNING_MAX, work_text(w, p->space.keys[key].expr), r->n);
    like->running = r;
    return CUSTOS_OK;
}

bool
running_same(const struct part *a, const struct part *b)
{
    if (!a->running || !b->running)
        return !a->running && !b->running;
    return a->running->n == b->running->n &&
           a->running->stride == b->running->stride;
}

void
running_move(const struct plan *p, bool change, struct part *part)
{
    uint64_t l1 = 1;
    u128 l2_squared = 1;
    rat rows;

    if (part->running->weight) /* it has a strategy */
        running_sensitivity(part->running, &l1, &l2_squared);
    rat_init(&rows);
    rat_set_u64(&rows, p->rows);
    rat_set_u64(&part->l1, change ? 2 * l1 : l1);
    rat_mul(&part->l1, &part->l1, &rows);
    rat_set_i128(&part->l2_squared,
                 (i128)(change ? 2 * l2_squared : l2_squared));
    rat_mul(&part->l2_squared, &part->l2_squared, &rows);
    rat_mul(&part->l2_squared, &part->l2_squared, &rows);
    rat_clear(&rows);
    if (part->running->weight)
        part->grid = (struct grid){2, (int)running_bits(part->running)};
}

/* The least base, at least 2, whose `levels`th power is n or more. */
static size_t
base_of(size_t n, size_t levels)
{
    for (size_t base = 2;; base++) {
        size_t power = 1;

        for (size_t i = 0; i < levels && power < n; i++)
            power *= base;
        if (power >= n)
            return base;
    }
}

/* The tree of the least mean variance: Laplace noise grows with the levels,
   Gaussian noise with their root. */
static custos_status
best_tree(struct work *w, bool gauss, const struct running *of,
          struct running *best)
{
    u128 least = 0;

    for (size_t levels = 1; levels <= LEVELS_MAX; levels++) {
        struct running r;
        u128 error;

        if (!running_tree(w->a, of->n, of->stride, base_of(of->n, levels),
                          levels, &r))
            return work_no_memory(w);
        error = (u128)running_mean_weight(&r) * levels * (gauss ? 1 : levels);
        if (levels == 1 || error < least) {
            least = error;
            *best = r;
        }
    }
    return CUSTOS_OK;
}

/* The mean variance of the running sums, from the part's mechanism. */
static custos_status
mean_variance(struct work *w, const struct part *part, rat *out)
{
    custos_status st = rat_read_positive(custos_mech_facts(part->mech)->scale,
                                         "scale", out, w->err);
    rat x;

    rat_init(&x);
    rat_mul(out, out, out);
    rat_set_u64(&x, running_mean_weight(part->running));
    rat_mul(out, out, &x);
    rat_set_pow2(&x, (part->mech_kind == CUSTOS_LAPLACE) - WEIGHT_LOG2 -
                         2 * (long)running_bits(part->running));
    rat_mul(out, out, &x);
    rat_clear(&x);
    return st;
}

/* Takes the strategy r for a while: its mechanism, and its error. */
static custos_status
try_strategy(struct work *w, struct part *part, const struct running *r,
             rat *variance)
{
    bool change = w->policy->adjacency == CUSTOS_CHANGE_ONE;
    custos_status st;
    rat delta;

    rat_init(&delta);
    rat_set_i64(&delta, 1, w->plan->n_parts);
    rat_mul(&delta, &delta, &w->delta);
    *part->running = *r;
    running_move(w->plan, change, part);
    st = choose_part(w, part, &delta, 1, w->err);
    rat_clear(&delta);
    return st ? st : mean_variance(w, part, variance);
}

static custos_status
choose_strategy(struct work *w, struct part *part)
{
    bool change = w->policy->adjacency == CUSTOS_CHANGE_ONE;
    bool gauss = w->plan->in_rho, rooted = gauss || rat_sign(&w->delta) > 0;
    struct running tree, root = {.n = 0};
    custos_status st = best_tree(w, gauss, part->running, &tree);
    rat x[2];

    if (rooted && (uint64_t)part->space->cells * tree.n <= ROOT_WORK && !st &&
        !running_root(w->a, tree.n, tree.stride, &root))
        st = work_no_memory(w);
    if (st)
        return st;
    rats_init(x, 2);
    if (!gauss && root.n > 0) {
        st = try_strategy(w, part, &tree, &x[0]);
        if (!st)
            st = try_strategy(w, part, &root, &x[1]);
        if (!st && rat_cmp(&x[0], &x[1]) <= 0)
            root.n = 0;
        custos_mech_free(part->mech);
        part->mech = NULL;
    }
    rats_clear(x, 2);
    *part->running = root.n > 0 ? root : tree;
    running_move(w->plan, change, part);
    return st;
}

custos_status
running_choose(struct work *w)
{
    struct plan *p = w->plan;
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < p->n_parts && !st; i++) {
        uint64_t n = p->parts[i].running ? p->parts[i].running->n : 0;

        if (n == 0)
            continue;
        st = work_spend(w, n * n + 64 * n);
        if (!st)
            st = choose_strategy(w, &p->parts[i]);
    }
    return st;
}
