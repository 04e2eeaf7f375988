/*
 * The sparse vector technique. Values are compared with a threshold that was
 * shifted once, at random. Only the answer "above" costs anything, and it is
 * given at most c times. All quantities are integers, so the shifts in the
 * proof are integers too.
 *
 * `left` counts the remaining answers "above". No function raises it.
 *
 * THEOREM  sparse-vector-lattice
 *   Let queries be integers of sensitivity D. Draw r ~ dLaplace(D/e1) once,
 *   and v_i ~ dLaplace(2cD/e2) for each query (cD/e2 if monotone). Answering
 *   "above" iff q_i + v_i >= T_i + r, and stopping after c of them, is
 *   (e1 + e2)-DP; releasing each q_i found above with dLaplace(cD/e3) noise
 *   makes it (e1 + e2 + e3)-DP. Queries and thresholds may be adaptive.
 * SOURCE   Lyu, Su, Li 2017, arXiv:1603.01699, Algorithm 7 and its variant
 *          for monotonic queries, for continuous noise; on the lattice:
 *          doc/proofs/sparse-vector-lattice.md
 * NEEDS    D an integer; e1 + e2 <= epsilon, here equal; r is drawn once and
 *          never revealed; the noise of a released value is fresh.
 * GIVES    epsilon-DP, or (epsilon + value_epsilon)-DP with values. Time does
 *          not depend on the value or the answer.
 * FAILS    CUSTOS_ESPENT after c answers "above", which depends only on the
 *          answers. CUSTOS_EENTROPY, CUSTOS_EINTERNAL, CUSTOS_ETAKEN,
 *          CUSTOS_EINVAL, which depend only on coins and handles.
 * TESTED   law_sparse, sparse_keeps_epsilon, sparse_stops_after_c,
 *          sparse_values_follow_their_law, sparse_split_is_the_best
 */
#include "mech/sparse.h"

#include <string.h>

#include "base/alloc.h"
#include "base/ck.h"
#include "base/error.h"
#include "base/sized.h"
#include "mech/sealed.h"
#include "noise/noise.h"
#include "num/rat_round.h"

struct custos_sparse {
    custos_alloc alloc;
    custos_noise *query; /* for every comparison */
    custos_noise *value; /* for released values; NULL: none are released */
    i128 shift;          /* of all thresholds */
    uint32_t left;
    custos_sparse_facts facts;
    char epsilon[CUSTOS_NUMBER_MAX];
    char sensitivity[CUSTOS_NUMBER_MAX];
    char threshold_scale[CUSTOS_NUMBER_MAX];
    char query_scale[CUSTOS_NUMBER_MAX];
    char value_scale[CUSTOS_NUMBER_MAX];
};

void
sparse_scales_init(struct sparse_scales *s)
{
    rat_init(&s->epsilon);
    rat_init(&s->steps);
    rat_init(&s->threshold);
    rat_init(&s->query);
    rat_init(&s->value);
}

void
sparse_scales_clear(struct sparse_scales *s)
{
    rat_clear(&s->value);
    rat_clear(&s->query);
    rat_clear(&s->threshold);
    rat_clear(&s->steps);
    rat_clear(&s->epsilon);
}

/* floor(2^16 m^(2/3)), m < 2^34: the largest k with k^3 <= m^2 2^48. */
static uint64_t
two_thirds_power(uint64_t m)
{
    u128 limit = (u128)m * m << 48;
    uint64_t k = 0;

    for (int bit = 39; bit >= 0; bit--) {
        u128 more = k | (uint64_t)1 << bit;

        if (more * more * more <= limit)
            k = (uint64_t)more;
    }
    return k;
}

/*
 * e1 : e2 = 1 : m^(2/3), where m = 2c (monotone: c), is the best split; any
 * split is valid. The two add up to epsilon exactly.
 */
static void
scales_split(struct sparse_scales *s, uint64_t m)
{
    rat part;

    rat_init(&part);
    rat_set_i128(&part, ((i128)1 << 16) + two_thirds_power(m));
    rat_div(&part, &s->epsilon, &part);
    rat_set_i64(&s->query, 1 << 16, 1);
    rat_mul(&part, &part, &s->query); /* e1 */
    rat_div(&s->threshold, &s->steps, &part);
    rat_sub(&part, &s->epsilon, &part); /* e2 */
    rat_set_i128(&s->query, (i128)m);
    rat_mul(&s->query, &s->query, &s->steps);
    rat_div(&s->query, &s->query, &part);
    rat_clear(&part);
}

custos_status
sparse_scales_read(struct sparse_scales *s, const custos_sparse_options *o,
                   custos_err *err)
{
    custos_status st =
        rat_read_positive(o->epsilon, "epsilon", &s->epsilon, err);
    rat more;

    if (!st)
        st = rat_read_positive(o->sensitivity ? o->sensitivity : "1",
                               "sensitivity", &s->steps, err);
    if (st)
        return st;
    rat_ceil(&s->steps, &s->steps);
    scales_split(s, (uint64_t)o->answers *
                        (o->moves == CUSTOS_SCORES_MONOTONE ? 1 : 2));
    if (!o->value_epsilon)
        return CUSTOS_OK;
    rat_init(&more);
    st = rat_read_positive(o->value_epsilon, "value_epsilon", &more, err);
    if (!st) {
        rat_set_i64(&s->value, (int64_t)o->answers, 1);
        rat_mul(&s->value, &s->value, &s->steps);
        rat_div(&s->value, &s->value, &more);
        rat_add(&s->epsilon, &s->epsilon, &more);
    }
    rat_clear(&more);
    return st;
}

/* Makes one law; a scale out of range gets a message about the options. */
static custos_status
law_new(const custos_sparse *s, const rat *scale, custos_noise **out,
        custos_err *err)
{
    custos_status st =
        noise_new(&s->alloc, CUSTOS_DISCRETE_LAPLACE, scale, out, err);

    if (st == CUSTOS_ERANGE)
        custos_fail(err, st,
                    "answers times sensitivity over epsilon must lie within "
                    "the noise scales 2^-20 to 2^60");
    return st;
}

/* Makes the laws, and draws the shift of all thresholds. */
static custos_status
laws_new(custos_sparse *s, const custos_sparse_options *o,
         const struct sparse_scales *scales, custos_rng *rng, custos_err *err)
{
    custos_noise *threshold = NULL;
    custos_status st = law_new(s, &scales->threshold, &threshold, err);

    if (!st)
        st = law_new(s, &scales->query, &s->query, err);
    if (!st && o->value_epsilon)
        st = law_new(s, &scales->value, &s->value, err);
    if (st)
        goto out;
    st = noise_draw(threshold, rng, &s->shift, 1);
    if (st)
        custos_fail(err, st, "%s", custos_status_words(st));
out:
    custos_noise_free(threshold);
    return st;
}

static void
write_facts(custos_sparse *s, const struct sparse_scales *scales)
{
    rat_decimal(&scales->epsilon, RAT_UP, s->epsilon);
    rat_decimal(&scales->steps, RAT_UP, s->sensitivity);
    rat_decimal(&scales->threshold, RAT_DOWN, s->threshold_scale);
    rat_decimal(&scales->query, RAT_DOWN, s->query_scale);
    rat_decimal(&scales->value, RAT_DOWN, s->value_scale);
    s->facts = (custos_sparse_facts){.epsilon = s->epsilon,
                                     .sensitivity = s->sensitivity,
                                     .threshold_scale = s->threshold_scale,
                                     .query_scale = s->query_scale,
                                     .value_scale = s->value_scale,
                                     .theorem = "sparse-vector-lattice",
                                     .answers = s->left};
}

const custos_sparse_facts *
custos_sparse_report(const custos_sparse *sparse)
{
    return sparse ? &sparse->facts : NULL;
}

custos_status
custos_sparse_new(const custos_alloc *alloc,
                  const custos_sparse_options *options, custos_rng *rng,
                  custos_sparse **out, custos_err *err)
{
    custos_alloc hooks = alloc_or_default(alloc);
    struct sparse_scales scales;
    custos_sparse_options o;
    custos_sparse *s = NULL;
    custos_status st;

    if (!rng || !out || !options_read(&o, sizeof o, options))
        return custos_fail(err, CUSTOS_EINVAL,
                           "options must have their size set, rng and out "
                           "must not be NULL");
    if (o.answers == 0)
        return custos_fail(err, CUSTOS_EINVAL, "answers must be at least 1");
    if ((unsigned)o.moves > CUSTOS_SCORES_MONOTONE)
        return custos_fail(err, CUSTOS_EINVAL,
                           "moves must be general or monotone");
    sparse_scales_init(&scales);
    st = sparse_scales_read(&scales, &o, err);
    if (st)
        goto out;
    s = alloc_take(&hooks, 1, sizeof *s);
    if (!s) {
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        goto out;
    }
    s->alloc = hooks;
    s->left = o.answers;
    write_facts(s, &scales);
    st = laws_new(s, &o, &scales, rng, err);
    if (!st)
        *out = s;
out:
    if (st)
        custos_sparse_free(s);
    sparse_scales_clear(&scales);
    return st;
}

void
custos_sparse_free(custos_sparse *sparse)
{
    custos_alloc hooks;

    if (!sparse)
        return;
    custos_noise_free(sparse->value);
    custos_noise_free(sparse->query);
    hooks = sparse->alloc;
    alloc_give(&hooks, sparse, 1, sizeof *sparse);
}

uint32_t
custos_sparse_left(const custos_sparse *sparse)
{
    return sparse ? sparse->left : 0;
}

/*
 * Both draws are made before the seal is opened and whatever the answer is, so
 * neither a failure nor the time reveals it.
 */
custos_status
custos_sparse_ask(custos_sparse *sparse, custos_rng *rng, custos_sealed *sealed,
                  int64_t threshold, bool *above, int64_t *value,
                  custos_err *err)
{
    i128 *exact, noise[2] = {0, 0}, passed;
    custos_status st;

    if (!sparse || !rng || !sealed || !above || (sparse->value && !value))
        return custos_fail(err, CUSTOS_EINVAL,
                           "sparse, rng, sealed, above and value must not be "
                           "NULL");
    if (sparse->left == 0)
        return custos_fail(err, CUSTOS_ESPENT,
                           "all answers of this sparse vector are used up");
    st = noise_draw(sparse->query, rng, &noise[0], 1);
    if (!st && sparse->value)
        st = noise_draw(sparse->value, rng, &noise[1], 1);
    if (st) {
        custos_fail(err, st, "%s", custos_status_words(st));
        goto out;
    }
    st = sealed_open(sealed, SEALED_INTS, 1, &exact, err);
    if (st)
        goto out;
    passed = sat_add_i128(exact[0], noise[0]) >=
             sat_add_i128(threshold, sparse->shift);
    sparse->left -= (uint32_t)passed;
    *above = (bool)passed;
    if (sparse->value)
        *value = (int64_t)(clamp_i128(sat_add_i128(exact[0], noise[1]),
                                      INT64_MIN, INT64_MAX) &
                           -passed);
    sealed_wipe(sealed);
out:
    wipe(noise, sizeof noise);
    return st;
}
