/*
 * How far a released quantile is from the exact one, counted in values.
 *
 * THEOREM  quantile-error
 *   Let quantile-cut draw a pivot of rate r and rank num/den among n values
 *   and w points. The cut is further than e from num n / den with probability
 *   at most 2 w (n+1) exp(-r den (e - 1/2)). A pivot of depth d is off by at
 *   most the sum of its own e and those of its d - 1 ancestors.
 * SOURCE   doc/proofs/quantile-tree.md, last section
 * NEEDS    n is at most `values`.
 * GIVES    a sum of d bounds e, each rounded up and exceeded with probability
 *          at most beta/d.
 * FAILS    CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE, from the parameters.
 * TESTED   quantile_error_covers quantile_error_is_the_formula
 */
#include "base/error.h"
#include "mech/quantile.h"
#include "num/ival_more.h"

enum { BITS = 192 };

/* r = ln(2 w (n+1) d / beta) / (rate den) + 1/2. */
static void
node_error(ival *r, const custos_quantile *q, const struct node *node,
           const rat *odds, uint64_t values)
{
    ival x;
    rat a, b;

    ival_init(&x, BITS);
    rat_init(&a);
    rat_init(&b);
    rat_set_i128(&a, 2 * ((i128)q->width + 1));
    rat_set_i128(&b, (i128)values + 1);
    rat_mul(&a, &a, &b);
    rat_mul(&a, &a, odds);
    ival_set_rat(r, &a);
    ival_log(r, r);
    rat_set_i128(&a, (i128)node->den);
    rat_mul(&a, &a, &node->slope.rate);
    ival_set_rat(&x, &a);
    ival_div(r, r, &x);
    rat_set_i64(&a, 1, 2);
    ival_set_rat(&x, &a);
    ival_add(r, r, &x);
    ival_clear(&x);
    rat_clear(&a);
    rat_clear(&b);
}

/*
 * The sum of errors of quantile i's node and its ancestors, at most `values`.
 */
static uint64_t
path_error(const custos_quantile *q, size_t i, const rat *odds, uint64_t values)
{
    size_t first = 0, last = q->ranks, middle;
    i128 sum = 0, part = 0;
    bool fits = true, certain = false;

    do {
        ival r;

        middle = first + (last - first) / 2;
        ival_init(&r, BITS);
        node_error(&r, q, &q->nodes[middle], odds, values);
        fits = ival_ceil_up(&r, &part, &certain) && part < (i128)values;
        sum += fits ? part : (i128)values;
        ival_clear(&r);
        if (i < middle)
            last = middle;
        else
            first = middle + 1;
    } while (i != middle);
    return sum < (i128)values ? (uint64_t)sum : values;
}

custos_status
custos_quantile_error(const custos_quantile *quantile, size_t i,
                      const char *beta, uint64_t values, uint64_t *off,
                      custos_err *err)
{
    const uint64_t most = ((uint64_t)1 << QUANTILE_CELLS_LOG2) - 1;
    custos_status st;
    rat b, odds;

    if (!quantile || !off || i >= quantile->ranks)
        return custos_fail(err, CUSTOS_EINVAL,
                           "quantile and off must not be NULL; i must be below "
                           "the number of ranks");
    rat_init(&b);
    rat_init(&odds);
    st = rat_read_open_unit(beta, "beta", &b, err);
    if (!st) {
        rat_set_i64(&odds, quantile->nodes[i].depth, 1);
        rat_div(&odds, &odds, &b);
        *off =
            path_error(quantile, i, &odds, values - 1 < most ? values : most);
    }
    rat_clear(&b);
    rat_clear(&odds);
    return st;
}
