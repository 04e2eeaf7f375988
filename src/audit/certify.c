/*
 * Certificates: counts of the finalists on fresh outputs, and their bounds.
 */
#include "audit/certify.h"

#include <math.h>
#include <stdio.h>

#include "audit/claim.h"
#include "audit/count.h"

enum { BARS = 40 };

static uint64_t
sum_inside(const struct finalist *f, const uint64_t *count, enum arm arm)
{
    const bool *inside = f->events.side[f->more].inside;
    uint64_t sum = 0;

    for (size_t k = 0; k < f->events.bins.n; k++)
        sum += inside[k] ? count[k * ARMS + arm] : 0;
    return sum;
}

/* Bars for the drawing: bins joined until each has its share of the outputs. A
   bar never joins bins inside the event with bins outside. */
static void
draw_bars(const struct finalist *f, const uint64_t *count, uint64_t n,
          struct finding *out)
{
    const bool *inside = f->events.side[f->more].inside;
    struct bar *bar = NULL;

    out->n_bars = 0;
    for (size_t k = 0; k < f->events.bins.n; k++) {
        double least, most;
        bool joins =
            bar && bar->in_event == inside[k] && bar->a + bar->b < 2 * n / BARS;

        bins_range(&f->events.bins, k, &least, &most);
        if (!joins) {
            if (out->n_bars == AUDIT_BARS_MAX)
                return;
            bar = &out->bars[out->n_bars++];
            *bar = (struct bar){.least = least, .in_event = inside[k]};
        }
        bar->most = most;
        bar->a += count[k * ARMS + f->more];
        bar->b += count[k * ARMS + !f->more];
    }
}

/* Puts what one finalist shows into the finding, if it is the best so far. */
static void
judge(const struct search *search, const struct suspicion *suspicion, size_t at,
      const uint64_t *count, struct finding *out)
{
    const struct finalist *f = &suspicion->finalist[at];
    uint64_t hits = sum_inside(f, count, f->more);
    uint64_t other = sum_inside(f, count, !f->more);
    struct bound b = bound_of_counts(hits, other, out->n, out->claim.delta,
                                     out->level / (double)suspicion->n);

    if (at > 0 && claim_refuted(&out->claim, &b) <= claim_found(out))
        return;
    out->epsilon = b.epsilon;
    out->mu = b.mu;
    out->rho = b.rho;
    out->p_low = b.p_low;
    out->other_high = b.other_high;
    out->hits = hits;
    out->other_hits = other;
    events_words(&f->events, f->more, out->event);
    statistic_name(&f->events.statistic, out->feature);
    out->pair = search->pairs[suspicion->pair];
    if (f->more == ARM_B) {
        struct data a = out->pair.a;

        out->pair.a = out->pair.b;
        out->pair.b = a;
    }
    draw_bars(f, count, out->n, out);
}

custos_status
certify(const struct search *search, const struct suspicion *suspicion,
        struct finding *out, custos_err *err)
{
    const struct events *events[FINALISTS_MAX];
    struct counting counting = {
        .target = search->target,
        .pair = &search->pairs[suspicion->pair],
        .events = events,
        .n = suspicion->n,
        .samples = out->n,
        .seed = search->seed + SEARCH_SEEDS,
        .parallel = search->parallel,
    };
    struct counts counts = {0};
    custos_status st;

    for (size_t i = 0; i < suspicion->n; i++)
        events[i] = &suspicion->finalist[i].events;
    st = count_outputs(&counting, &counts, err);
    for (size_t i = 0; i < suspicion->n && !st; i++)
        judge(search, suspicion, i, counts.count[i], out);
    counts_clear(&counts);
    return st;
}
