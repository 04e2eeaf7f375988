/*
 * How far one unit moves a part, over all groups together.
 *
 * THEOREM  part-add-remove
 *   A unit adds at most m rows to a part, each at most R in absolute value and
 *   to one group: the vector changes by at most m R in l1 and in l2. If a unit
 *   is counted once in each of at most g groups, the vector changes by at most
 *   min(g, cells) in l1 and by its root in l2.
 * SOURCE   doc/proofs/part-sensitivity.md
 * NEEDS    rank-bound or fold-bound, or the unit is the row (m = g = 1); the
 *          value of a row clamped to [lower, upper], NULL adding nothing.
 * GIVES    l1 and l2 squared, exactly the largest there is.
 * FAILS    cannot.
 * TESTED   sensitivity_is_the_largest_change
 *
 * THEOREM  part-change-one
 *   Let a row add a number in [a, b] or nothing; extend [a, b] to contain 0, so
 *   that a <= 0 <= b, and let R = max(-a, b). Replacing a unit moves one group
 *   by at most m (b - a). If there are several groups, it moves all of them by
 *   at most 2 m R in l1, and in l2 squared by the larger of (m (b - a))^2 and
 *   2 (m R)^2. A count of units: min(2 g, cells) in l1 and in l2 squared.
 * SOURCE   doc/proofs/part-sensitivity.md
 * NEEDS    as above.
 * GIVES    as above. Twice the square of add/remove would not do for values of
 *          both signs: (b - a)^2 is up to 4 R^2.
 * FAILS    cannot.
 * TESTED   sensitivity_is_the_largest_change
 *
 * THEOREM  part-rows-per-group
 *   Let a unit have at most r rows in a group, and at most M = min(m, r g) in
 *   all. Of the sums of n_k rows in group k the squares add up to at most
 *   R^2 L, L = floor(M/r) r^2 + (M mod r)^2, so a part that adds up rows moves
 *   by at most M R in l1 and R^2 L in l2 squared. If a unit is replaced: by
 *   2 M R and, with a row in [a, b] as above, 2 (a^2 + b^2) L. Distinct values
 *   move by min(r, D) in one group.
 * SOURCE   doc/proofs/group-bound.md
 * NEEDS    group-bound.
 * GIVES    l1 and l2 squared; under add/remove exactly the largest there is.
 * FAILS    cannot.
 * TESTED   sensitivity_with_rows_per_group
 *
 * THEOREM  part-distinct
 *   Removing one row lowers the number of distinct values of its group by 0 or
 *   1, adding one raises it by 0 or 1, and no other group changes. So m rows
 *   move distinct values no further than they move a count of rows: by m in l1
 *   and in l2. If a unit is replaced: by m in one group, and over several by
 *   2 m in l1 and 2 m^2 in l2 squared. If there are only D values, one group
 *   moves by no more than d = min(m, D), and all g groups by no more than
 *   s = min(m, g D): s in l1 and s d in l2 squared. If a unit is replaced: d
 *   and d^2 in one group, and over several 2 s and 2 s d.
 * SOURCE   doc/proofs/part-sensitivity.md
 * NEEDS    as above: rows are bounded before values are compared. D counts
 *          what the store can hold (domain), not the values of an expression.
 * GIVES    l1 and l2 squared, exactly the largest there is where the value can
 *          take 2 m values or more.
 * FAILS    cannot.
 * TESTED   distinct_values_move_by_one_a_row
 *          distinct_values_of_neighbours_differ_little
 */
#include "num/batch.h"
#include "plan/part/marginals.h"
#include "plan/part/running.h"
#include "plan/part/share.h"

static i128
least(i128 a, i128 b)
{
    return a < b ? a : b;
}

static void
set_units(bool change, struct part *part)
{
    i128 groups = (i128)part->space->groups * (change ? 2 : 1);

    rat_set_i128(&part->l1, least(groups, (i128)part->space->cells));
    rat_set(&part->l2_squared, &part->l1);
}

void
sensitivity_row_ends(const struct part *part, i128 *low, i128 *high)
{
    *low = 0;
    *high = 1;
    if (part->kind == PART_SQUARES)
        *high = part->row_most;
    if (part->kind == PART_SUM) {
        *low = least(part->lower - part->centre, 0);
        *high = part->upper - part->centre;
        if (*high < 0)
            *high = 0;
        if (*low == *high) /* always 0; but row_most is 1 */
            *high = 1;
    }
}

uint64_t
sensitivity_rows(const struct plan *p, const struct cell_space *s)
{
    u128 most = (u128)s->per_group * s->groups;

    return s->per_group > 0 && most < p->rows ? (uint64_t)most : p->rows;
}

void
sensitivity_squares(const struct plan *p, const struct cell_space *s, rat *out)
{
    uint64_t rows = sensitivity_rows(p, s);
    uint64_t each =
        s->per_group > 0 && s->per_group < rows ? s->per_group : rows;
    rat x[2];

    rats_init(x, 2);
    rat_set_u64(&x[0], each);
    rat_set_u64(&x[1], rows / each * each); /* floor(M/r) r */
    rat_mul(out, &x[0], &x[1]);
    rat_set_u64(&x[0], rows % each);
    rat_mul(&x[0], &x[0], &x[0]);
    rat_add(out, out, &x[0]);
    rats_clear(x, 2);
}

/* If a unit is replaced, in several groups with at most r rows each: lowers l2
   squared to 2 (a^2 + b^2) L if that is less. */
static void
limit_change(const struct plan *p, i128 low, i128 high, struct part *part)
{
    rat x[3];

    rats_init(x, 3);
    rat_set_i128(&x[0], low);
    rat_mul(&x[0], &x[0], &x[0]);
    rat_set_i128(&x[1], high);
    rat_mul(&x[1], &x[1], &x[1]);
    rat_add(&x[0], &x[0], &x[1]);
    rat_add(&x[0], &x[0], &x[0]);
    sensitivity_squares(p, part->space, &x[2]);
    rat_mul(&x[0], &x[0], &x[2]);
    if (rat_cmp(&x[0], &part->l2_squared) < 0)
        rat_set(&part->l2_squared, &x[0]);
    rats_clear(x, 3);
}

static void
set_rows(const struct plan *p, bool change, struct part *part)
{
    i128 low, high;
    rat x[2];

    rats_init(x, 2);
    sensitivity_row_ends(part, &low, &high);
    rat_set_i128(&x[0], part->row_most);
    rat_mul(&x[1], &x[0], &x[0]);
    sensitivity_squares(p, part->space, &part->l2_squared);
    rat_mul(&part->l2_squared, &part->l2_squared, &x[1]); /* L R^2 */
    rat_set_u64(&x[1], sensitivity_rows(p, part->space));
    rat_mul(&x[0], &x[0], &x[1]); /* M R */
    rat_set(&part->l1, &x[0]);
    if (change) {
        rat span;

        rat_init(&span);
        rat_set_i128(&span, high - low);
        rat_mul(&span, &span, &x[1]); /* m (b - a) */
        rat_add(&part->l1, &x[0], &x[0]);
        rat_mul(&part->l2_squared, &x[0], &x[0]);
        rat_add(&part->l2_squared, &part->l2_squared, &part->l2_squared);
        if (part->space->cells == 1)
            rat_set(&part->l1, &span);
        rat_mul(&span, &span, &span);
        if (part->space->cells == 1 || rat_cmp(&span, &part->l2_squared) > 0)
            rat_set(&part->l2_squared, &span);
        rat_clear(&span);
        if (part->space->per_group > 0)
            limit_change(p, low, high, part);
    }
    rats_clear(x, 2);
}

static void
set_distinct(const struct plan *p, bool change, struct part *part)
{
    i128 rows = (i128)sensitivity_rows(p, part->space);
    i128 most = (i128)part->domain, one = rows, all;

    if (part->space->per_group > 0)
        one = least(one, (i128)part->space->per_group);
    one = most ? least(one, most) : one;
    all = one;
    if (part->space->cells >
        1) /* groups <= rows <= 2^31, and most below 2^63 */
        all = most ? least(rows, (i128)part->space->groups * most) : rows;
    rat_set_i128(&part->l1, all);
    rat_set_i128(&part->l2_squared, all * one);
    if (!change || part->space->cells == 1)
        return;
    rat_add(&part->l1, &part->l1, &part->l1);
    rat_add(&part->l2_squared, &part->l2_squared, &part->l2_squared);
}

/* Do neighbours differ in at most one group? Then a Gaussian is calibrated
   exactly. */
static bool
is_one_cell(const struct cell_space *s, bool change)
{
    return s->cells == 1 || (!change && s->groups == 1);
}

custos_status
sensitivity_make(struct work *w)
{
    struct plan *p = w->plan;
    bool change = w->policy->adjacency == CUSTOS_CHANGE_ONE;

    for (size_t i = 0; i < p->n_parts; i++) {
        struct part *part = &p->parts[i];

        CUSTOS_REQUIRE(part->space->groups >= 1);
        part->one_cell = is_one_cell(part->space, change);
        if (part->residual) {
            marginals_move(p, change, i);
            part->one_cell = false;
        } else if (part->running) {
            running_move(p, change, part);
            part->one_cell = false;
        } else if (part->kind == PART_SHARE)
            share_move(p, change, part);
        else if (part->kind == PART_UNITS)
            set_units(change, part);
        else if (part->kind == PART_DISTINCT)
            set_distinct(p, change, part);
        else
            set_rows(p, change, part);
    }
    return CUSTOS_OK;
}
