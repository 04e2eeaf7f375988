/*
 * What is left, as one number: the largest pure charge that still fits. By
 * halving on admissions themselves, so that it is admitted, and one unit more
 * is not, whichever lane pays.
 */
#include "account/filter.h"

#include "base/base.h"

/* Whether a charge of e units of epsilon would be admitted. */
static bool
fits(const struct filter *f, amount e)
{
    struct filter copy = *f;
    struct charge c;
    rat epsilon, none;

    rat_init(&epsilon);
    rat_init(&none);
    amount_to_rat(e, AMOUNT_LOSS, &epsilon);
    charge_of_price(&epsilon, NULL, &none, &c);
    rat_clear(&epsilon);
    rat_clear(&none);
    return filter_admit(&copy, &c, NULL) == CUSTOS_OK;
}

amount
filter_left_epsilon(const struct filter *f)
{
    amount low = amount_left(f->limit[0], f->sum[0]), high = f->limit[0];

    CUSTOS_REQUIRE(f->kind == CUSTOS_FILTER_PURE ||
                   f->kind == CUSTOS_FILTER_BEST);
    if (f->delta_sum > f->delta_limit)
        return 0;
    if (f->kind == CUSTOS_FILTER_PURE || f->sum[1] > f->limit[1])
        return low;
    /* The lane of rho may have room for more than that of epsilon. */
    for (; fits(f, high); high *= 2)
        low = high;
    while (low < high) {
        amount middle = low + (high - low) / 2 + 1;

        if (fits(f, middle))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}
