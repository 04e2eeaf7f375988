/*
 * What remains, as one number: the largest pure charge that still fits. If
 * there are two lanes, a bisection on admission itself finds it. So this charge
 * is admitted, and no lane admits one that is a unit larger.
 */
#include "account/filter.h"

#include <math.h>

#include "base/base.h"

/* Whether a charge of e units of epsilon would be admitted. */
static bool
is_admitted(const struct filter *f, amount e)
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

/*
 * Roughly the epsilon whose rho, epsilon tanh(epsilon / 2), is r units. Only a
 * starting point: is_admitted decides what is returned.
 */
static amount
guess_epsilon(amount r)
{
    double unit = 1e20, rho = (double)r / unit;
    double low = 0, high = fmax(rho / 0.76, sqrt(rho / 0.38));

    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;

        *(middle * tanh(middle / 2) < rho ? &low : &high) = middle;
    }
    return low < 1e18 ? (amount)(low * unit) : 0;
}

/* What a lane has room for; nothing if its deltas are past their limit. */
static amount
lane_left(const struct filter *f, size_t lane)
{
    return f->delta_sum[lane] > f->delta_limit
               ? 0
               : amount_left(f->limit[lane], f->sum[lane]);
}

amount
filter_left_epsilon(const struct filter *f)
{
    amount low = lane_left(f, 0), high, step;

    CUSTOS_REQUIRE(f->kind == CUSTOS_FILTER_PURE ||
                   f->kind == CUSTOS_FILTER_BEST);
    if (f->kind == CUSTOS_FILTER_PURE || f->sum[1] > f->limit[1] ||
        f->delta_sum[1] > f->delta_limit)
        return low;
    /* The rho lane may have room for a larger charge than the epsilon lane. */
    high = guess_epsilon(lane_left(f, 1));
    step = (high >> 48) + 1;
    if (high > low + step && is_admitted(f, high - step))
        low = high - step;
    for (high = low + 1; is_admitted(f, high); high += step, step *= 2)
        low = high;
    while (low < high) {
        amount middle = low + (high - low) / 2 + 1;

        if (is_admitted(f, middle))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

bool
filter_left_in_rho(const struct filter *f, amount left)
{
    return left > lane_left(f, 0);
}
