/*
 * Bars of quotients of released values, and of sums and differences, which are
 * quotients by 1. One noise is bounded by its own tail, two by the points of
 * the coarser one, more by smooth laws (tail.h).
 */
#include <assert.h>
#include <math.h>

#include "curator/bar_search.h"
#include "curator/bars.h"
#include "curator/tail.h"

#define ROUNDING 4e-15 /* relative to the summed magnitudes */
#define FAR 1e6        /* spreads from the middle to where the search ends */

/* Rounding: no noise that matters is more scales away from 0. */
#define REACH 40

static_assert((int)BAR_TERMS_MAX <= (int)TAIL_SMOOTH_MAX,
              "a quotient has more noises than a tail can have");

struct quotient {
    const struct bar_term *terms;
    size_t n;
    double above, below;
    struct tail pair; /* of two noises: terms[first] + k terms[1 - first] */
    size_t first;
};

/* An upper bound on P[sum of factors[i] N_i >= x]. */
static double
terms_above(const struct quotient *q, const double *factors, double x)
{
    struct bar_law laws[BAR_TERMS_MAX];
    double used[BAR_TERMS_MAX];
    size_t n = 0;

    for (size_t i = 0; i < q->n; i++)
        if (factors[i] > 0) {
            laws[n] = q->terms[i].law;
            used[n++] = factors[i];
        }
    if (n == 0 || !(x > 0))
        return x > 0 ? 0 : 1;
    if (n == 1)
        return tail_of(laws[0], x / used[0]);
    if (n == 2 && q->n == 2)
        return tail_above(&q->pair, factors[1 - q->first] / factors[q->first],
                          x / factors[q->first]);
    return tail_many_above(laws, used, n, x);
}

static double
ask_quotient(const void *ctx, double side, double a)
{
    const struct quotient *q = ctx;
    double size = fabs(q->above) + fabs(a * q->below);
    double factors[BAR_TERMS_MAX];

    for (size_t i = 0; i < q->n; i++) {
        const struct bar_term *t = &q->terms[i];

        factors[i] = fabs(t->above - a * t->below);
        size += (fabs(t->above) + fabs(a * t->below)) * REACH * t->law.scale;
    }
    return terms_above(q, factors,
                       side * (a * q->below - q->above) - ROUNDING * size);
}

static bool
terms_are_sound(const struct quotient *q)
{
    bool sound = isfinite(q->above) && isfinite(q->below) && q->below > 0;

    for (size_t i = 0; i < q->n; i++) {
        const struct bar_term *t = &q->terms[i];

        sound = sound && isfinite(t->above) && isfinite(t->below) &&
                isfinite(t->law.scale) && t->law.scale > 0;
    }
    return sound;
}

/* An upper bound on the probability that noise alone makes the denominator
   negative (rho in doc/proofs/bars-ratio.md). */
static double
sign_is_noise(const struct quotient *q)
{
    double factors[BAR_TERMS_MAX];

    for (size_t i = 0; i < q->n; i++)
        factors[i] = fabs(q->terms[i].below);
    return terms_above(q, factors, q->below);
}

static double
spread_of(const struct quotient *q, double middle)
{
    double sum = 0;

    for (size_t i = 0; i < q->n; i++)
        sum = hypot(sum, (q->terms[i].above - middle * q->terms[i].below) *
                             q->terms[i].law.scale);
    return 2.5 * sum / q->below;
}

bool
bar_quotient(const struct bar_term *terms, size_t n, double above, double below,
             double beta, struct bar *out)
{
    double sign = below < 0 ? -1 : 1, middle = above / below, level;
    struct quotient q = {terms, n, sign * above, sign * below, .first = 0};
    struct bar_search search = {ask_quotient, &q, 0};
    double one = 1;
    struct bar limits;

    if (n > BAR_TERMS_MAX || !terms_are_sound(&q))
        return false;
    if (n == 2) {
        q.first = terms[1].law.scale > terms[0].law.scale;
        tail_init(&q.pair, &terms[q.first].law, &one, &one, 1,
                  terms[1 - q.first].law);
    }
    level = beta / 2 - sign_is_noise(&q);
    if (!(level > 0))
        return false;
    search.spread = fmax(spread_of(&q, middle), 1e-12 * fabs(middle));
    limits = (struct bar){middle - FAR * search.spread,
                          middle + FAR * search.spread};
    *out = bar_search(&search, level, (struct bar){middle, middle}, limits);
    return out->low > limits.low && out->high < limits.high;
}
