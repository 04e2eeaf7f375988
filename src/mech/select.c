/*
 * custos_select: makes a contest from the options, opens the scores and
 * applies the rule. Scores are multiples of a public unit, so sensitivity,
 * gaps and noise are integer numbers of steps, and nothing is rounded once the
 * scores are known.
 */
#include "mech/select.h"

#include "base/alloc.h"
#include "base/ck.h"
#include "base/error.h"
#include "base/sized.h"
#include "mech/sealed.h"
#include "noise/noise.h"
#include "num/rat_round.h"

/* What the options say, in numbers. */
struct select_terms {
    rat epsilon, unit;
    rat steps; /* the sensitivity in units, rounded up */
    rat rate;  /* epsilon / (k steps), where k = 2, or 1 for scores that all
                  move in the same direction */
};

static void
terms_init(struct select_terms *t)
{
    rat_init(&t->epsilon);
    rat_init(&t->unit);
    rat_init(&t->steps);
    rat_init(&t->rate);
}

static void
terms_clear(struct select_terms *t)
{
    rat_clear(&t->rate);
    rat_clear(&t->steps);
    rat_clear(&t->unit);
    rat_clear(&t->epsilon);
}

static custos_status
terms_read(struct select_terms *t, const custos_select_options *o,
           custos_err *err)
{
    custos_status st =
        rat_read_positive(o->epsilon, "epsilon", &t->epsilon, err);

    if (!st)
        st = rat_read_positive(o->sensitivity ? o->sensitivity : "1",
                               "sensitivity", &t->steps, err);
    if (!st)
        st = rat_read_positive(o->score_unit ? o->score_unit : "1",
                               "score_unit", &t->unit, err);
    if (st)
        return st;
    rat_div(&t->steps, &t->steps, &t->unit);
    rat_ceil(&t->steps, &t->steps);
    rat_set_i64(&t->rate, o->scores == CUSTOS_SCORES_MONOTONE ? 1 : 2, 1);
    rat_mul(&t->rate, &t->rate, &t->steps);
    rat_div(&t->rate, &t->epsilon, &t->rate);
    return CUSTOS_OK;
}

static custos_status
options_check(const custos_select_options *o, size_t n, custos_err *err)
{
    if ((unsigned)o->rule > CUSTOS_NOISY_MAX)
        return custos_fail(err, CUSTOS_EINVAL,
                           "rule must be one of the selection rules");
    if ((unsigned)o->scores > CUSTOS_SCORES_MONOTONE)
        return custos_fail(err, CUSTOS_EINVAL,
                           "scores must be general or monotone");
    if (n == 0)
        return custos_fail(err, CUSTOS_EINVAL,
                           "there must be at least one candidate");
    if (n > CUSTOS_SELECT_MAX)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "there must be at most 2^32 candidates");
    return CUSTOS_OK;
}

static void
contest_clear(struct contest *c)
{
    alloc_give(&c->alloc, c->heads, c->n, sizeof *c->heads);
    alloc_give(&c->alloc, c->weights, c->n, sizeof *c->weights);
    alloc_give(&c->alloc, c->gaps, c->n, sizeof *c->gaps);
    alloc_give(&c->alloc, c->drawn, c->n, sizeof *c->drawn);
    if (c->has_slope)
        slope_clear(&c->slope);
    custos_noise_free(c->noise);
    rat_clear(&c->rate);
}

/* Noisy max needs noise of scale 1 / rate; the other rules need a slope. */
static custos_status
contest_set_law(struct contest *c, custos_err *err)
{
    custos_status st;
    rat scale;

    if (c->rule != CUSTOS_NOISY_MAX) {
        st = slope_init(&c->slope, &c->rate);
        if (st)
            return custos_fail(err, st,
                               "epsilon over sensitivity must be below 2^64 "
                               "for each step of score_unit");
        c->has_slope = true;
        return CUSTOS_OK;
    }
    rat_init(&scale);
    rat_set_i64(&scale, 1, 1);
    rat_div(&scale, &scale, &c->rate);
    st = noise_new(&c->alloc, CUSTOS_DISCRETE_LAPLACE, &scale, &c->noise, err);
    rat_clear(&scale);
    if (st == CUSTOS_ERANGE)
        custos_fail(err, st,
                    "for noisy max epsilon over sensitivity must lie between "
                    "2^-60 and 2^20 for each step of score_unit");
    return st;
}

/*
 * Does everything that can fail and does not need the scores. On failure, c is
 * cleared.
 */
static custos_status
contest_init(struct contest *c, const custos_alloc *alloc,
             const custos_select_options *o, size_t n,
             struct select_terms *terms, custos_err *err)
{
    custos_status st;

    *c = (struct contest){
        .alloc = alloc_or_default(alloc), .rule = o->rule, .n = n};
    rat_init(&c->rate);
    st = terms_read(terms, o, err);
    rat_set(&c->rate, &terms->rate);
    if (!st)
        st = contest_set_law(c, err);
    if (st)
        goto out;
    st = CUSTOS_ENOMEM;
    if (c->rule == CUSTOS_NOISY_MAX) {
        c->drawn = alloc_take(&c->alloc, n, sizeof *c->drawn);
        if (c->drawn)
            st = CUSTOS_OK;
    } else {
        c->gaps = alloc_take(&c->alloc, n, sizeof *c->gaps);
        c->weights = alloc_take(&c->alloc, n, sizeof *c->weights);
        c->heads = alloc_take(&c->alloc, n, sizeof *c->heads);
        if (c->gaps && c->weights && c->heads)
            st = CUSTOS_OK;
    }
    if (st)
        custos_fail(err, st, "out of memory");
out:
    if (st)
        contest_clear(c);
    return st;
}

void
contest_set_gaps(struct contest *c, const i128 *scores)
{
    i128 best = scores[0];

    for (size_t i = 1; i < c->n; i++) {
        i128 more = mask_less_i128(best, scores[i]);

        best = (scores[i] & more) | (best & ~more);
    }
    /* Scores have 64 bits, so gaps are below 2^64. */
    for (size_t i = 0; i < c->n; i++)
        c->gaps[i] = (uint64_t)(best - scores[i]);
}

static custos_status
contest_pick(struct contest *c, custos_rng *rng, const i128 *scores,
             size_t *winner)
{
    switch (c->rule) {
    case CUSTOS_NOISY_MAX: return noisy_max_pick(c, rng, scores, winner);
    case CUSTOS_EXPONENTIAL: return exponential_pick(c, rng, scores, winner);
    default: return permute_flip_pick(c, rng, scores, winner);
    }
}

custos_status
custos_select(const custos_alloc *alloc, const custos_select_options *options,
              custos_rng *rng, custos_sealed *scores, size_t n, size_t *winner,
              custos_err *err)
{
    struct select_terms terms;
    custos_select_options o;
    struct contest c;
    i128 *values;
    size_t won = 0;
    custos_status st;

    if (!rng || !scores || !winner)
        return custos_fail(err, CUSTOS_EINVAL,
                           "rng, scores and winner must not be NULL");
    if (!options_read(&o, sizeof o, options))
        return custos_fail(err, CUSTOS_EINVAL,
                           "options must have their size set");
    st = options_check(&o, n, err);
    if (!st) /* before allocating memory for n candidates */
        st = sealed_check(scores, SEALED_INTS, n, err);
    if (st)
        return st;
    terms_init(&terms);
    st = contest_init(&c, alloc, &o, n, &terms, err);
    terms_clear(&terms);
    if (st)
        return st;
    st = sealed_open(scores, SEALED_INTS, n, &values, err);
    CUSTOS_REQUIRE(!st);
    st = contest_pick(&c, rng, values, &won);
    if (st)
        custos_fail(err, st, "%s", custos_status_words(st));
    else
        *winner = won;
    sealed_wipe(scores);
    contest_clear(&c);
    return st;
}

/* unit / rate, and the other facts of options that are in range. */
static void
facts_write(const struct select_terms *t, custos_select_rule rule,
            custos_select_facts *out)
{
    static const char *const theorems[] = {
        [CUSTOS_PERMUTE_AND_FLIP] = "permute-and-flip",
        [CUSTOS_EXPONENTIAL] = "exponential-by-inversion",
        [CUSTOS_NOISY_MAX] = "noisy-max-lattice",
    };
    custos_select_facts made = CUSTOS_SELECT_FACTS_INIT;
    rat x;

    rat_init(&x);
    rat_decimal(&t->epsilon, RAT_UP, made.epsilon);
    rat_mul(&x, &t->steps, &t->unit);
    rat_decimal(&x, RAT_UP, made.sensitivity);
    rat_div(&x, &t->unit, &t->rate);
    rat_decimal(&x, RAT_DOWN, made.scale);
    made.theorem = theorems[rule];
    rat_clear(&x);
    result_write(out, &made, sizeof made);
}

custos_status
custos_select_report(const custos_select_options *options,
                     custos_select_facts *out, custos_err *err)
{
    struct select_terms terms;
    custos_select_options o;
    struct contest c;
    custos_status st = result_check(out, err);

    if (st)
        return st;
    if (!options_read(&o, sizeof o, options))
        return custos_fail(err, CUSTOS_EINVAL,
                           "options must have their size set");
    st = options_check(&o, 1, err);
    if (st)
        return st;
    terms_init(&terms);
    st = contest_init(&c, NULL, &o, 1, &terms, err);
    if (!st) {
        facts_write(&terms, o.rule, out);
        contest_clear(&c);
    }
    terms_clear(&terms);
    return st;
}
