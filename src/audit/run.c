/*
 * An audit: sizes from the options, the search, the certificate.
 */
#include <math.h>
#include <stdio.h>

#include "audit/certify.h"
#include "audit/claim.h"
#include "audit/clock.h"
#include "base/error.h"

enum {
    PROBE_SEEDS = 0x600000, /* of measurements, from the audit's seed on */
    SEARCH_LEAST = 128,
    SEARCH_GOOD = 1024, /* fewer often miss what a certificate would show */
    CERTIFICATE_LEAST = 256,
    SEARCH_MOST = 1 << 19,
    NUMBERS_MOST = 1 << 23, /* numbers of one arm in memory */
};

/* Of the seconds, for learning; the second if outputs are so slow that the first
   does not suffice for a good search. */
static const double search_share = 0.35, slow_share = 0.55;
static const double choose_share = 0.15; /* of what the certificate takes */

/* Seconds that one output of each arm takes, on all threads: the best of a few
   measurements, since a busy machine only makes it slower. */
static custos_status
measure_speed(const struct search *s, double *seconds, custos_err *err)
{
    bool slow = s->target->slow;
    size_t n =
        outputs_turn_size(s->target) * parallel_threads(s->parallel.threads);
    struct batch arms[ARMS] = {{0}};
    struct parallel p = s->parallel;
    custos_status st = CUSTOS_OK;

    p.progress = NULL;
    *seconds = HUGE_VAL;
    for (int arm = 0; arm < ARMS && !st; arm++)
        st = batch_new(&arms[arm], s->target, n, err);
    for (unsigned i = 0; i < (slow ? 2 : 4) && !st; i++) {
        double began = clock_seconds();

        st = outputs_draw(s->target, &s->pairs[0], s->seed + PROBE_SEEDS + i,
                          &p, arms, err);
        *seconds = fmin(*seconds, (clock_seconds() - began) / (double)n);
    }
    *seconds = fmax(*seconds, 1e-9);
    for (int arm = 0; arm < ARMS; arm++)
        batch_clear(&arms[arm]);
    return st;
}

static uint64_t
limit_search(const struct audit_target *target, double size)
{
    double most =
        fmin(SEARCH_MOST, (double)NUMBERS_MOST / (double)target->width);

    return (uint64_t)fmax(fmin(size, most), SEARCH_LEAST);
}

/* The largest search up to `most` that takes at most this many seconds, where
   learning from an output takes time for each number that it has. */
static uint64_t
search_in_seconds(const struct search *s, double seconds, uint64_t most)
{
    uint64_t size = most;
    double each = s->each;

    each += 3e-6 * (double)(2 + s->target->width) /
            parallel_threads(s->parallel.threads);

    while (size > SEARCH_LEAST &&
           (double)search_outputs(s->target, size, s->n_pairs) * each > seconds)
        size -= size / 4;
    return size > SEARCH_LEAST ? size : SEARCH_LEAST;
}

/* The search of an audit that has used some of its seconds. */
static uint64_t
search_size(const struct audit_options *o, const struct search *s, double used)
{
    uint64_t size = search_in_seconds(s, o->seconds * search_share - used,
                                      limit_search(s->target, INFINITY));
    uint64_t slow =
        search_in_seconds(s, o->seconds * slow_share - used, SEARCH_GOOD);

    return s->target->slow && size < slow ? slow : size;
}

/* Is there time for the least that an audit needs? Twice the seconds are. */
static custos_status
check_seconds(const struct audit_options *o, const struct search *s,
              custos_err *err)
{
    double outputs =
        (double)search_outputs(s->target, SEARCH_LEAST, s->n_pairs) +
        CERTIFICATE_LEAST;
    double least = s->each * outputs;

    if (least <= 2 * o->seconds + 2)
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_EINVAL,
                       "an output takes %.3g seconds, so that an audit of %zu "
                       "pairs takes at least %.0f seconds" HINT
                       "give it more seconds, or fewer pairs",
                       s->each, s->n_pairs, ceil(least));
}

/* What the search may expect of the certificate. */
static void
expect_certificate(const struct audit_options *o, struct search *s)
{
    s->goal.samples = (double)o->samples;
    if (o->seconds > 0) {
        double most =
            fmax(o->seconds * (1 - search_share) / s->each, CERTIFICATE_LEAST);

        s->goal.samples = o->samples ? fmin((double)o->samples, most) : most;
    }
    s->choose = (uint64_t)(s->goal.samples * choose_share);
}

/* How many outputs the search uses, and how many the certificate if the options
   say it. */
static custos_status
choose_sizes(const struct audit_options *o, struct search *s, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    if (o->seconds > 0)
        st = measure_speed(s, &s->each, err);
    if (!st && o->seconds > 0)
        st = check_seconds(o, s, err);
    if (st)
        return st;
    if (o->search)
        s->size = limit_search(s->target, (double)o->search);
    else if (o->seconds > 0)
        s->size = search_size(o, s, 0);
    else
        s->size = limit_search(s->target, (double)o->samples / 4);
    expect_certificate(o, s);
    return CUSTOS_OK;
}

/*
 * Searches. On a busy machine the speed that was measured at first can be far too
 * low, and the search too small: as long as one of twice the size fits into the
 * time for it, that one is made, too, and only its suspicion counts.
 */
static custos_status
search_enough(const struct audit_options *o, struct search *s, double began,
              struct suspicion *out, custos_err *err)
{
    for (;;) {
        double from = clock_seconds(), now;
        custos_status st = search_run(s, out, err);
        uint64_t size;

        if (st || !s->target->slow || o->search || !(o->seconds > 0))
            return st;
        now = clock_seconds();
        s->each = (now - from) / (double)s->drawn;
        size = search_size(o, s, now - began);
        if (size < 2 * s->size)
            return CUSTOS_OK;
        suspicion_clear(out);
        s->size = size;
        s->drawn = 0;
        s->parallel.from = fmin((now - began) / o->seconds, s->parallel.to);
        expect_certificate(o, s);
    }
}

/* Outputs for the certificate, fixed before the first of them is drawn. */
static uint64_t
certificate_size(const struct audit_options *o, const struct search *s,
                 double left)
{
    double n =
        fmax(0.95 * left / s->each, fmax((double)s->choose, CERTIFICATE_LEAST));

    if (o->seconds <= 0)
        return o->samples;
    return o->samples && (double)o->samples < n ? o->samples : (uint64_t)n;
}

static void
name_finding(const struct audit_target *target, const struct claim *claim,
             const struct search *s, const struct audit_options *o,
             struct finding *out)
{
    *out = (struct finding){.claim = *claim,
                            .level = o->level,
                            .pairs = s->n_pairs,
                            .seed = o->seed,
                            .pair = s->pairs[0]};
    snprintf(out->target, sizeof out->target, "%s", target->name);
    snprintf(out->event, sizeof out->event, "no event differs");
}

static custos_status
check_options(const struct audit_target *target, size_t n_pairs,
              const struct audit_options *o, custos_err *err)
{
    if (!n_pairs)
        return custos_fail(err, CUSTOS_EINVAL, "no pair of neighbours given");
    if (target->width < 1 || target->width > AUDIT_WIDTH_MAX)
        return custos_fail(err, CUSTOS_EINVAL,
                           "an output must have 1 to %d numbers",
                           AUDIT_WIDTH_MAX);
    if (!(o->level > 0 && o->level < 1))
        return custos_fail(err, CUSTOS_EINVAL,
                           "level must be above 0 and below 1");
    if (!o->samples && !(o->seconds > 0))
        return custos_fail(err, CUSTOS_EINVAL,
                           "no samples and no seconds given");
    return CUSTOS_OK;
}

custos_status
audit_run(const struct audit_target *target, const struct claim *claim,
          const struct pair *pairs, size_t n_pairs,
          const struct audit_options *o, struct finding *out, custos_err *err)
{
    struct search s = {
        .target = target,
        .pairs = pairs,
        .n_pairs = n_pairs,
        .seed = o->seed,
        .goal = {.delta = claim->delta,
                 .unit = claim_unit(claim),
                 .deviations =
                     -bound_normal_quantile(o->level / 2 / FINALISTS_MAX)},
        .parallel = {.threads = o->threads,
                     .progress = o->progress,
                     .progress_context = o->context,
                     .stage = "searching",
                     .from = 0,
                     .to = search_share},
    };
    struct suspicion suspicion = {0};
    double began = clock_seconds();
    custos_status st = check_options(target, n_pairs, o, err);

    if (!st)
        st = choose_sizes(o, &s, err);
    if (st)
        return st;
    name_finding(target, claim, &s, o, out);
    st = search_enough(o, &s, began, &suspicion, err);
    out->search = s.size;
    out->finalists = suspicion.n;
    out->n = certificate_size(o, &s, o->seconds - (clock_seconds() - began));
    s.parallel.stage = "certifying";
    s.parallel.from = search_share;
    s.parallel.to = 1;
    if (!st && suspicion.n)
        st = certify(&s, &suspicion, out, err);
    suspicion_clear(&suspicion);
    out->seconds = clock_seconds() - began;
    out->refuted = claim_found(out) > claim_amount(claim);
    return st;
}
