/*
 * Learning events: bins in the order of their likelihood ratio, or from one end.
 */
#include "audit/event.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum {
    EVENT_BINS = 256,
    SORTED_MOST = 1 << 18, /* values that bins are learned from */
};

/* A set of bins must promise so much more than one end of the statistic: it
   has more ways to be wrong, and is harder to understand. */
static const double simplicity = 1.03;

/* One bin while an event is chosen. */
struct choice {
    size_t bin;
    double order;         /* the log ratio that was learned */
    uint64_t hits, other; /* of the arm to be likelier, and of the other */
};

void
events_clear(struct events *e)
{
    statistic_clear(&e->statistic);
    bins_clear(&e->bins);
    free(e->order);
    for (int arm = 0; arm < ARMS; arm++)
        free(e->side[arm].inside);
    *e = (struct events){0};
}

void
events_count(const struct events *e, const struct batch arms[ARMS],
             uint64_t *count)
{
    for (int arm = 0; arm < ARMS; arm++)
        for (size_t i = 0; i < arms[arm].n; i++) {
            double x = statistic_value(&e->statistic, &arms[arm], i);

            count[bins_find(&e->bins, x) * ARMS + (size_t)arm]++;
        }
}

/*
 * The bound to expect of a certificate, from counts among n outputs; below 0 if
 * there will be none. What is uncertain in these counts is held against the
 * event, since it is the best of many: all the more if its two counts hardly
 * differ. An event that nearly always occurs shows nothing.
 */
static double
expected_bound(double hits, double other, double n,
               const struct event_goal *goal)
{
    double z = goal->deviations, N = goal->samples, spare = 1.5;
    bool differ = (hits - other) * (hits - other) > 11 * (hits + other);
    double p = (hits - spare * sqrt(hits)) / n;
    double q = (other + spare * sqrt(other) + (differ ? 0.7 : 4)) / n;

    if (q > 0.95)
        return -1;
    p -= z * sqrt(fmax(p, 0) / N);
    q += z * sqrt(q / N) + z * z / (2 * N);
    if (goal->unit == CLAIM_MU)
        return p > 0 ? bound_normal_quantile(p) - bound_normal_quantile(q) : -1;
    if (goal->unit == CLAIM_RHO)
        return p - goal->delta > q ? bound_rho(p - goal->delta, q) : -1;
    return p > goal->delta ? log((p - goal->delta) / q) : -1;
}

/* What an event promises: a bound, or else to differ at all, between -1 and 0. */
static double
promise_of_counts(double hits, double other, double n,
                  const struct event_goal *goal)
{
    double bound = expected_bound(hits, other, n, goal);
    double deviations = (hits - other) / sqrt(hits + other + 1);

    return bound > 0 ? bound : -1 / (1 + fmax(deviations, 0));
}

static int
by_order(const void *a, const void *b)
{
    double x = ((const struct choice *)a)->order;
    double y = ((const struct choice *)b)->order;

    return (x < y) - (x > y);
}

/* Takes the first choices that promise most together, if that is more than what
   the side promises already. */
static void
try_prefixes(struct side *side, const struct choice *choices, size_t bins,
             double n, const struct event_goal *goal, enum event_shape shape)
{
    uint64_t hits = 0, other = 0;
    size_t take = 0;

    for (size_t k = 0; k + 1 < bins; k++) {
        double bound;

        hits += choices[k].hits;
        other += choices[k].other;
        bound = promise_of_counts((double)hits, (double)other, n, goal);
        if (shape == EVENT_SET && bound > 0)
            bound /= simplicity;
        if (bound > side->promise) {
            side->promise = bound;
            take = k + 1;
        }
    }
    if (!take)
        return;
    side->shape = shape;
    memset(side->inside, 0, bins * sizeof *side->inside);
    for (size_t k = 0; k < take; k++)
        side->inside[choices[k].bin] = true;
}

static void
reverse(struct choice *choices, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        struct choice c = choices[i];

        choices[i] = choices[n - 1 - i];
        choices[n - 1 - i] = c;
    }
}

/* Chooses the bins of the event that is likelier in arm `more`. */
static void
choose_bins(struct events *e, enum arm more, const uint64_t *count, double n,
            struct choice *choices, const struct event_goal *goal)
{
    struct side *side = &e->side[more];
    size_t bins = e->bins.n;

    for (size_t k = 0; k < bins; k++)
        choices[k] = (struct choice){
            .bin = k,
            .order = more == ARM_A ? e->order[k] : -e->order[k],
            .hits = count[k * ARMS + more],
            .other = count[k * ARMS + !more],
        };
    side->promise = -1;
    if (!e->bins.names) {
        try_prefixes(side, choices, bins, n, goal, EVENT_LOWER);
        reverse(choices, bins);
        try_prefixes(side, choices, bins, n, goal, EVENT_UPPER);
    }
    qsort(choices, bins, sizeof *choices, by_order);
    try_prefixes(side, choices, bins, n, goal, EVENT_SET);
}

custos_status
events_choose(struct events *e, const uint64_t *count, uint64_t n,
              const struct event_goal *goal, custos_err *err)
{
    struct choice *choices = calloc(e->bins.n, sizeof *choices);

    if (!choices)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (int arm = 0; arm < ARMS; arm++)
        choose_bins(e, (enum arm)arm, count, (double)n, choices, goal);
    free(choices);
    return CUSTOS_OK;
}

/* Learns the bins from both arms together. */
static custos_status
learn_bins(struct events *e, const struct batch arms[ARMS], custos_err *err)
{
    size_t step = ARMS * arms[ARM_A].n / SORTED_MOST + 1, n = 0;
    double *values = calloc(ARMS * (arms[ARM_A].n / step + 1), sizeof *values);
    custos_status st;

    if (!values)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (int arm = 0; arm < ARMS; arm++)
        for (size_t i = 0; i < arms[arm].n; i += step)
            values[n++] = statistic_value(&e->statistic, &arms[arm], i);
    st = bins_learn(&e->bins, values, n, EVENT_BINS,
                    statistic_is_name(&e->statistic), err);
    free(values);
    return st;
}

/* Learns the order of the bins, then chooses by other outputs. */
static custos_status
learn_and_choose(struct events *e, const struct batch learn[ARMS],
                 const struct batch choose[ARMS], const struct event_goal *goal,
                 custos_err *err)
{
    size_t bins = e->bins.n;
    uint64_t *count = calloc(bins * ARMS, sizeof *count);
    custos_status st = CUSTOS_OK;

    e->order = calloc(bins, sizeof *e->order);
    e->side[ARM_A].inside = calloc(bins, sizeof(bool));
    e->side[ARM_B].inside = calloc(bins, sizeof(bool));
    if (count && e->order && e->side[ARM_A].inside && e->side[ARM_B].inside) {
        events_count(e, learn, count);
        for (size_t k = 0; k < bins; k++)
            e->order[k] = log(((double)count[k * ARMS] + 1) /
                              ((double)count[k * ARMS + 1] + 1));
        memset(count, 0, bins * ARMS * sizeof *count);
        events_count(e, choose, count);
        st = events_choose(e, count, choose[ARM_A].n, goal, err);
    } else {
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    free(count);
    return st;
}

/* Keeps, for each arm, an output of the bin that is likelier there than any
   other. */
static void
keep_examples(struct events *e, const struct batch arms[ARMS])
{
    for (int arm = 0; arm < ARMS; arm++) {
        double sign = arm == ARM_A ? 1 : -1;
        size_t best = 0;

        for (size_t k = 1; k < e->bins.n; k++)
            if (sign * e->order[k] > sign * e->order[best])
                best = k;
        for (size_t i = 0; i < arms[arm].n; i++)
            if (bins_find(&e->bins, statistic_value(&e->statistic, &arms[arm],
                                                    i)) == best) {
                struct example *x = &e->side[arm].example;

                x->n = arms[arm].length[i];
                memcpy(x->number, arms[arm].number + i * arms[arm].width,
                       arms[arm].width * sizeof *x->number);
                break;
            }
    }
}

custos_status
events_learn(struct events *out, const struct statistic *statistic,
             const struct batch learn[ARMS], const struct batch choose[ARMS],
             const struct event_goal *goal, custos_err *err)
{
    struct events e = {.statistic = *statistic};
    custos_status st = statistic_learn(&e.statistic, learn, err);

    if (!st)
        st = learn_bins(&e, learn, err);
    if (!st)
        st = learn_and_choose(&e, learn, choose, goal, err);
    if (!st && e.statistic.part[0].feature.kind == FEATURE_WHOLE)
        keep_examples(&e, learn);
    if (st)
        events_clear(&e);
    *out = e;
    return st;
}
