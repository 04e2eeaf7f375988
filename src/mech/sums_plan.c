/*
 * Makes a handle for partial sums: which numbers get noise, how far one
 * element moves them, and how much noise that needs.
 *
 * THEOREM  sums-every-prefix
 *   One element changed by D changes each of at most n sums by D: l1
 *   sensitivity n D. Discrete Laplace noise of scale n D / epsilon on each sum
 *   is epsilon-DP.
 * SOURCE   laplace-discrete; Gaboardi, "DummySum", first example.
 * NEEDS    neighbours differ in one element, by at most an integer D.
 * GIVES    epsilon-DP for all n sums together.
 * FAILS    CUSTOS_EINVAL, CUSTOS_ETAKEN, CUSTOS_ENOMEM from the handles;
 *          CUSTOS_EENTROPY, CUSTOS_EINTERNAL from the coins.
 * TESTED   sums_noise_is_where_it_belongs, sums_scales_are_exact
 *
 * THEOREM  sums-every-element
 *   Noise of scale D / epsilon on each element is epsilon-DP (the elements'
 *   l1 sensitivity is D); sums of noisy elements are post-processing.
 * SOURCE   laplace-discrete; Gaboardi, "DummySum", second example.
 * NEEDS    as above.
 * GIVES    epsilon-DP for all n sums together.
 * FAILS    as sums-every-prefix.
 * TESTED   sums_noise_is_where_it_belongs, sums_scales_are_exact
 *
 * THEOREM  sums-binary-tree
 *   For t = 1 .. n let j be the number of trailing zeros of t, and let block t
 *   be the 2^j elements up to t. Each element is in at most
 *   L = floor(log2 n) + 1 blocks, so noise of scale L D / epsilon on the n
 *   block sums is epsilon-DP. The sum of the first t elements is a sum of as
 *   many blocks as t has one bits.
 * SOURCE   Chan, Shi, Song 2011, "Private and Continual Release of
 *          Statistics", the Binary Mechanism; Dwork, Naor, Pitassi,
 *          Rothblum 2010; in integers: doc/proofs/sums-binary-tree.md
 * NEEDS    as above.
 * GIVES    epsilon-DP for all n sums together.
 * FAILS    as sums-every-prefix.
 * TESTED   sums_noise_is_where_it_belongs, sums_scales_are_exact,
 *          sums_tree_blocks_cover
 *
 * THEOREM  sums-square-root
 *   Let C be lower triangular and Toeplitz with entries that are multiples of
 *   2^-m, and D an integer. C x is on the lattice 2^-m Z, and changing one
 *   element by D moves it by at most D |c| in l2, where c is the first column.
 *   Adding discrete Gaussian noise on that lattice with sigma from this
 *   sensitivity is (epsilon, delta)-DP, and so is anything computed from the
 *   result.
 * SOURCE   gauss-vector; Fichtenberger, Henzinger, Upadhyay 2022,
 *          arXiv:2202.11205, for the real matrix; rounded:
 *          doc/proofs/sums-square-root.md
 * NEEDS    as above; sigma in steps of 2^-m.
 * GIVES    (epsilon, delta)-DP for all n sums together.
 * FAILS    as sums-every-prefix.
 * TESTED   sums_noise_is_where_it_belongs, sums_root_squares_to_sums,
 *          sums_root_sensitivity_is_rounded
 */
#include <assert.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "mech/calibrate.h"
#include "base/sized.h"
#include "mech/sums.h"
#include "num/ival.h"
#include "num/rat_round.h"

static_assert(CUSTOS_SUMS_ROOT_MAX == FACTOR_MAX, "one limit");

enum { ROOT_BITS = 256 };

static const size_t n_max = (size_t)1 << 32;

static void
plan_init(struct sums_plan *p)
{
    rat_init(&p->epsilon);
    rat_init(&p->delta);
    rat_init(&p->sensitivity);
    rat_init(&p->steps);
    rat_init(&p->parameter);
}

static void
plan_clear(struct sums_plan *p)
{
    rat_clear(&p->parameter);
    rat_clear(&p->steps);
    rat_clear(&p->sensitivity);
    rat_clear(&p->delta);
    rat_clear(&p->epsilon);
}

static custos_status
plan_read(struct sums_plan *p, const custos_sums_options *o, custos_err *err)
{
    const bool root = o->method == CUSTOS_SQUARE_ROOT;
    custos_status st =
        rat_read_positive(o->epsilon, "epsilon", &p->epsilon, err);

    if (!st)
        st = rat_read_positive(o->sensitivity ? o->sensitivity : "1",
                               "sensitivity", &p->sensitivity, err);
    if (!st)
        st = calibrate_check_epsilon(&p->epsilon, err);
    if (!st && (!rat_is_whole(&p->sensitivity) ||
                rat_log2_floor(&p->sensitivity) >= 64))
        st = custos_fail(err, CUSTOS_ERANGE,
                         "sensitivity must be a whole number below 2^64");
    if (!st && root)
        st = rat_read_open_unit(o->delta, "delta", &p->delta, err);
    else if (!st && o->delta)
        st = rat_read_delta(o->delta, "delta", &p->delta, err);
    if (!st && !root && rat_sign(&p->delta) > 0)
        st = custos_fail(err, CUSTOS_EINVAL,
                         "delta is for the square root only");
    return st;
}

static custos_status
options_check(const custos_sums_options *o, custos_err *err)
{
    if (o->method < CUSTOS_EVERY_PREFIX || o->method > CUSTOS_SQUARE_ROOT)
        return custos_fail(err, CUSTOS_EINVAL,
                           "unknown method of partial sums");
    if (o->elements == 0)
        return custos_fail(err, CUSTOS_EINVAL, "elements must be at least 1");
    if (o->elements > n_max)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "elements must be at most 2^32");
    if (o->method == CUSTOS_SQUARE_ROOT && o->elements > FACTOR_MAX)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "for the square root, elements must be at most "
                           "65536");
    return CUSTOS_OK;
}

/* How many of the noisy numbers contain one element. */
static int64_t
times_counted(const custos_sums *s)
{
    if (s->method == CUSTOS_EVERY_PREFIX)
        return (int64_t)s->n;
    if (s->method == CUSTOS_EVERY_ELEMENT)
        return 1;
    return 64 - __builtin_clzll(s->n); /* levels of the tree */
}

static custos_status
plan_laplace(custos_sums *s, struct sums_plan *p, custos_err *err)
{
    static const char *const theorems[] = {
        "sums-every-prefix", "sums-every-element", "sums-binary-tree"};
    custos_status st;

    rat_set_i64(&p->steps, times_counted(s), 1);
    rat_mul(&p->steps, &p->steps, &p->sensitivity);
    rat_div(&p->parameter, &p->steps, &p->epsilon);
    st = noise_new(&s->alloc, CUSTOS_DISCRETE_LAPLACE, &p->parameter, &s->noise,
                   err);
    if (st)
        return st;
    s->facts.law = CUSTOS_DISCRETE_LAPLACE;
    s->facts.theorem = theorems[s->method - CUSTOS_EVERY_PREFIX];
    rat_decimal(&p->parameter, RAT_DOWN, s->scale);
    rat_decimal(&p->steps, RAT_UP, s->sensitivity);
    snprintf(s->grid, sizeof s->grid, "1");
    return CUSTOS_OK;
}

/* Allocates and fills the root. */
static custos_status
root_new(custos_sums *s, custos_err *err)
{
    i128 *work = alloc_take(&s->alloc, s->n, sizeof *work);

    s->root = alloc_take(&s->alloc, s->n, sizeof *s->root);
    s->weights = alloc_take(&s->alloc, s->n, sizeof *s->weights);
    if (work && s->root && s->weights) {
        factor_fill(s->root, s->n);
        sums_weigh(s, work);
    }
    alloc_give(&s->alloc, work, s->n, sizeof *work);
    if (!work || !s->root || !s->weights)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    return CUSTOS_OK;
}

/* Reports scale and sensitivity in units of the elements. */
static void
root_facts(custos_sums *s, const struct sums_plan *p, const rat *sigma)
{
    const unsigned m = factor_bits(s->n);
    rat unit, number;
    ival l2;

    rat_init(&unit);
    rat_init(&number);
    ival_init(&l2, ROOT_BITS);
    rat_set_pow2(&unit, -(long)m);
    rat_mul(&number, sigma, &unit);
    rat_decimal(&number, RAT_DOWN, s->scale);
    ival_set_rat(&l2, &p->steps);
    ival_sqrt(&l2, &l2);
    ival_up(&l2, &number);
    rat_mul(&number, &number, &unit);
    rat_decimal(&number, RAT_UP, s->sensitivity);
    snprintf(s->grid, sizeof s->grid, "1/%lu", 1UL << m);
    s->facts.law = CUSTOS_DISCRETE_GAUSSIAN;
    s->facts.theorem = "sums-square-root";
    ival_clear(&l2);
    rat_clear(&number);
    rat_clear(&unit);
}

static custos_status
plan_root(custos_sums *s, struct sums_plan *p, custos_err *err)
{
    struct gauss_point point;
    custos_status st = root_new(s, err);
    rat sigma;

    if (st)
        return st;
    gauss_point_init(&point);
    rat_init(&sigma);
    rat_set_i128(&p->steps, (i128)factor_energy(s->root, s->n));
    rat_mul(&p->steps, &p->steps, &p->sensitivity);
    rat_mul(&p->steps, &p->steps, &p->sensitivity);
    rat_set(&point.epsilon, &p->epsilon);
    rat_set(&point.sensitivity_squared, &p->steps);
    st = calibrate_sigma(GAUSS_VECTOR, &point, &p->delta, &sigma, err);
    if (!st) { /* UNREACHABLE: failure; epsilon has been checked */
        rat_mul(&p->parameter, &sigma, &sigma);
        st = noise_new(&s->alloc, CUSTOS_DISCRETE_GAUSSIAN, &p->parameter,
                       &s->noise, err);
    }
    if (!st)
        root_facts(s, p, &sigma);
    rat_clear(&sigma);
    gauss_point_clear(&point);
    return st;
}

custos_status
custos_sums_new(const custos_alloc *alloc, const custos_sums_options *options,
                custos_sums **out, custos_err *err)
{
    custos_alloc hooks = alloc_or_default(alloc);
    custos_sums_options o;
    struct sums_plan p;
    custos_sums *s = NULL;
    custos_status st;

    if (!out || !options_read(&o, sizeof o, options))
        return custos_fail(err, CUSTOS_EINVAL,
                           "options must have their size set, and out must "
                           "not be NULL");
    st = options_check(&o, err);
    if (st)
        return st;
    plan_init(&p);
    st = plan_read(&p, &o, err);
    if (st)
        goto out;
    s = alloc_take(&hooks, 1, sizeof *s);
    if (!s) {
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        goto out;
    }
    s->alloc = hooks;
    s->method = o.method;
    s->n = o.elements;
    rat_decimal(&p.epsilon, RAT_UP, s->epsilon);
    rat_decimal(&p.delta, RAT_UP, s->delta);
    st = s->method == CUSTOS_SQUARE_ROOT ? plan_root(s, &p, err)
                                         : plan_laplace(s, &p, err);
    s->facts.epsilon = s->epsilon;
    s->facts.delta = s->delta;
    s->facts.scale = s->scale;
    s->facts.grid = s->grid;
    s->facts.sensitivity = s->sensitivity;
    if (!st)
        *out = s;
out:
    if (st)
        custos_sums_free(s);
    plan_clear(&p);
    return st;
}

void
custos_sums_free(custos_sums *sums)
{
    custos_alloc hooks;

    if (!sums)
        return;
    hooks = sums->alloc;
    alloc_give(&hooks, sums->weights, sums->n, sizeof *sums->weights);
    alloc_give(&hooks, sums->root, sums->n, sizeof *sums->root);
    custos_noise_free(sums->noise);
    alloc_give(&hooks, sums, 1, sizeof *sums);
}

const custos_facts *
custos_sums_facts(const custos_sums *sums)
{
    return sums ? &sums->facts : NULL;
}
