/*
 * Stochastic gradient descent with a step for each weight that shrinks as its
 * gradients add up (Duchi, Hazan, Singer 2011, AdaGrad), and a pull towards 0.
 */
#include "release/logistic.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "release/mix.h"

enum { BITS = 18, PASSES = 6, FEATURES_MAX = 1 << 14 };

static const double STEP = 0.1, PULL = 30; /* as of so many rows */

struct learner {
    double *weight, *sum; /* of a feature; of its squared gradients */
    uint32_t *feature;    /* of the row in hand */
    size_t n;
    double pull; /* towards 0, at each row */
};

static uint32_t
slot(uint64_t a, uint64_t b)
{
    return (uint32_t)(mix(a * UINT64_C(0x9e3779b97f4a7c15) + b + 1) >>
                      (64 - BITS));
}

/* A column's code and number in one. */
static uint64_t
key(const struct example *x, size_t column)
{
    return (uint64_t)column << 32 | x->of->codes[column][x->row];
}

static void
find_features(struct learner *l, const struct example *x)
{
    const size_t columns = x->of->columns, without = x->of->without;

    l->n = 0;
    l->feature[l->n++] = slot(0, 0); /* of every row */
    for (size_t a = 0; a < columns; a++) {
        if (a == without)
            continue;
        l->feature[l->n++] = slot(key(x, a) + 1, 0);
        for (size_t b = 0; b < a && l->n < FEATURES_MAX; b++)
            if (b != without)
                l->feature[l->n++] = slot(key(x, a) + 1, key(x, b) + 1);
    }
}

static double
chance_of(const struct learner *l)
{
    double sum = 0;

    for (size_t i = 0; i < l->n; i++)
        sum += l->weight[l->feature[i]];
    return 1 / (1 + exp(-sum));
}

static void
learn_from(struct learner *l, const struct example *x)
{
    double off;

    find_features(l, x);
    off = chance_of(l) - (x->label ? 1 : 0);
    for (size_t i = 0; i < l->n; i++) {
        const uint32_t f = l->feature[i];
        const double gradient = off + l->pull * l->weight[f];

        l->sum[f] += gradient * gradient;
        l->weight[f] -= STEP * gradient / sqrt(l->sum[f] + 1e-12);
    }
}

static void
shuffle(uint32_t *order, size_t n, uint64_t seed)
{
    for (size_t i = n; i > 1; i--) {
        const size_t k = (size_t)(mix(seed += 0x9e37) % i);
        const uint32_t last = order[i - 1];

        order[i - 1] = order[k];
        order[k] = last;
    }
}

custos_status
logistic_learn(const struct example *learn, size_t n_learn,
               const struct example *tested, size_t n_tested, double *chance,
               custos_err *err)
{
    const size_t slots = (size_t)1 << BITS;
    uint32_t *order = calloc(n_learn + 1, sizeof *order);
    struct learner l = {calloc(slots, sizeof *l.weight),
                        calloc(slots, sizeof *l.sum),
                        calloc(FEATURES_MAX + 2, sizeof *l.feature), 0,
                        PULL / (double)(n_learn + 1)};
    const bool all = order && l.weight && l.sum && l.feature;

    for (size_t i = 0; all && i < n_learn; i++)
        order[i] = (uint32_t)i;
    for (uint64_t pass = 0; all && pass < PASSES; pass++) {
        shuffle(order, n_learn, pass << 40);
        for (size_t i = 0; i < n_learn; i++)
            learn_from(&l, &learn[order[i]]);
    }
    for (size_t i = 0; all && i < n_tested; i++) {
        find_features(&l, &tested[i]);
        chance[i] = chance_of(&l);
    }
    free(order);
    free(l.weight);
    free(l.sum);
    free(l.feature);
    return all ? CUSTOS_OK : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

struct ranked {
    double chance;
    bool label;
};

static int
compare(const void *a, const void *b)
{
    const double x = ((const struct ranked *)a)->chance;
    const double y = ((const struct ranked *)b)->chance;

    return (x > y) - (x < y);
}

custos_status
logistic_area(const struct example *tested, const double *chance, size_t n,
              double *out, custos_err *err)
{
    struct ranked *r = calloc(n + 1, sizeof *r);
    double below = 0, pairs = 0, yes = 0, no = 0;

    if (!r)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < n; i++)
        r[i] = (struct ranked){chance[i], tested[i].label};
    qsort(r, n, sizeof *r, compare);
    for (size_t i = 0, end; i < n; i = end) {
        double y = 0, f = 0;

        for (end = i; end < n && r[end].chance <= r[i].chance; end++)
            *(r[end].label ? &y : &f) += 1;
        below += y * (no + f / 2); /* equal chances count half */
        yes += y;
        no += f;
    }
    pairs = yes * no;
    *out = pairs > 0 ? below / pairs : 0.5;
    free(r);
    return CUSTOS_OK;
}
