/*
 * The noise laws behind one handle. A draw takes a block of words, scans the
 * dials once, settles ties and combines the outcomes. Only settling takes a
 * time that depends on the values drawn. Words and outcomes are wiped.
 */
#include "noise/noise.h"

#include "base/alloc.h"
#include "base/base.h"
#include "base/error.h"
#include "noise/coin.h"
#include "noise/draw.h"
#include "random/rng.h"

/* ------------------------------------------------------------ drawing -- */

/* A block of words with what was read from them; wiped when done. */
struct block {
    uint64_t words[BLOCK * (DIALS_MAX + 1)];
    struct outcomes out;
    bool wide; /* an outcome may exceed 60 bits */
};

/* Wipes what up to n draws, of `stride` words each, have left. */
static void
wipe_block(struct block *b, size_t stride, size_t n)
{
    n = n < BLOCK ? n : BLOCK;
    wipe(b->words, n * stride * sizeof b->words[0]);
    outcomes_wipe(&b->out, n);
}

/*
 * Draws rows of n words, one row for each dial and `more` further rows, then
 * reads and settles the dials.
 */
static custos_status
read_block(const custos_noise *noise, custos_rng *rng, struct block *b,
           size_t more, size_t n)
{
    custos_status st =
        rng_words(rng, b->words, n * (noise->dials.count + more));
    uint64_t ties;

    if (st)
        return st;
    ties = noise->kernel->scan(&noise->dials, b->words, 0, n, &b->out);
    ct_open(&ties, sizeof ties);
    /* Only settling can make a top digit exceed 15. */
    b->wide = (noise->dials.count > DIGITS_LOW) | (ties != 0);
    for (; ties && !st; ties &= ties - 1) {
        size_t i = (size_t)__builtin_ctzll(ties);

        st = dials_settle(&noise->dials, rng, b->words, i, n, &b->out);
    }
    return st;
}

/*
 * Outcome i with its sign. Uses 64-bit arithmetic if 64 bits suffice, which
 * depends only on the public scale and on ties. No branch on the outcome.
 */
static inline i128
signed_outcome(const struct block *b, size_t i)
{
    const struct outcomes *o = &b->out;
    uint64_t below = o->sign[i] >> 1, some = (o->sign[i] & 1) | below;

    if (!b->wide) {
        uint64_t size = (o->low[i] + 1) & ((uint64_t)0 - some);

        return (int64_t)((size ^ ((uint64_t)0 - below)) + below);
    }
    return (i128)((outcome_size(o, i) ^ ((u128)0 - below)) + below);
}

static custos_status
draw_laplace(const custos_noise *noise, custos_rng *rng, i128 *out, size_t n)
{
    const size_t all = n;
    custos_status st = CUSTOS_OK;
    struct block b;

    while (n > 0 && !st) {
        size_t now = n < BLOCK ? n : BLOCK;

        st = read_block(noise, rng, &b, 0, now);
        for (size_t i = 0; i < now && !st; i++)
            out[i] = signed_outcome(&b, i);
        out += now;
        n -= now;
    }
    wipe_block(&b, noise->dials.count, all);
    return st;
}

static custos_status
draw_geometric(const custos_noise *noise, custos_rng *rng, i128 *out, size_t n)
{
    const size_t all = n;
    custos_status st = CUSTOS_OK;
    struct block b;

    while (n > 0 && !st) {
        size_t now = n < BLOCK ? n : BLOCK;

        st = read_block(noise, rng, &b, 0, now);
        for (size_t i = 0; i < now && !st; i++)
            out[i] = (i128)(((u128)b.out.high[i] << (4 * DIGITS_LOW)) +
                            b.out.low[i]);
        out += now;
        n -= now;
    }
    wipe_block(&b, noise->dials.count, all);
    return st;
}

/* Draws n proposals and decides which are accepted; *accepted is a mask. */
static custos_status
draw_proposals(const custos_noise *noise, custos_rng *rng, struct block *b,
               size_t n, uint64_t *accepted)
{
    const uint64_t *coins = b->words + noise->dials.count * n;
    custos_status st = read_block(noise, rng, b, 1, n);
    struct verdicts v;

    if (st)
        return st;
    v = noise->kernel->judge(&noise->gauss, &b->out, coins, 0, n);
    ct_open(&v, sizeof v);
    for (; v.undecided && !st; v.undecided &= v.undecided - 1) {
        size_t i = (size_t)__builtin_ctzll(v.undecided);
        unsigned yes = 0;

        st = gauss_settle(&noise->gauss, outcome_size(&b->out, i),
                          (word)coins[i], rng, &yes);
        v.accepted |= (uint64_t)yes << i;
    }
    *accepted = v.accepted;
    return st;
}

/*
 * Proposals are independent and identically distributed, and how many are made
 * at a time depends only on how many values are still wanted. So a kept value
 * is independent of its position (discrete-gaussian-by-rejection).
 */
static custos_status
draw_gaussian(const custos_noise *noise, custos_rng *rng, i128 *out, size_t n)
{
    const size_t most = 2 * n;
    custos_status st = CUSTOS_OK;
    struct block b;

    while (n > 0 && !st) {
        size_t now = n < BLOCK / 2 ? n + n / 3 + 1 : BLOCK;
        uint64_t accepted = 0;

        st = draw_proposals(noise, rng, &b, now, &accepted);
        for (; accepted && n > 0 && !st; accepted &= accepted - 1, n--)
            *out++ = signed_outcome(&b, (size_t)__builtin_ctzll(accepted));
    }
    wipe_block(&b, noise->dials.count + 1, most);
    return st;
}

static custos_status
draw_bernoulli(const custos_noise *noise, custos_rng *rng, i128 *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool heads;
        custos_status st = coin_flip(rng, &noise->parameter, &heads);

        if (st)
            return st;
        out[i] = heads;
    }
    return CUSTOS_OK;
}

static custos_status
draw_bernoulli_exp(const custos_noise *noise, custos_rng *rng, i128 *out,
                   size_t n)
{
    static const uint64_t one = 1;

    for (size_t i = 0; i < n; i++) {
        uint8_t heads = 1;
        custos_status st = CUSTOS_OK;

        if (rat_sign(&noise->parameter) > 0)
            st = slope_flip(&noise->slope, rng, &one, 1, &heads);
        if (st)
            return st;
        out[i] = heads;
    }
    return CUSTOS_OK;
}

static custos_status
draw_uniform(const custos_noise *noise, custos_rng *rng, i128 *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t side;
        custos_status st;

        if (noise->sides == 0) /* all 2^64 of them */
            st = rng_words(rng, &side, 1);
        else
            st = die_roll(rng, noise->sides, &side);
        if (st)
            return st;
        out[i] = side;
    }
    return CUSTOS_OK;
}

custos_status
noise_draw(const custos_noise *noise, custos_rng *rng, i128 *out, size_t n)
{
    custos_status st = noise->draw(noise, rng, out, n);

    if (st)
        for (size_t i = 0; i < n; i++)
            out[i] = 0;
    return st;
}

/* ------------------------------------------------------------- making -- */

/* Fails with `sentence` unless low <= parameter <= high. */
static custos_status
check_range(const rat *parameter, const rat *low, const rat *high,
            const char *sentence, custos_err *err)
{
    if (rat_cmp(parameter, low) < 0 || rat_cmp(parameter, high) > 0)
        return custos_fail(err, CUSTOS_ERANGE, "%s", sentence);
    return CUSTOS_OK;
}

/* One row of the table of laws. */
struct law_row {
    custos_law law;
    int low, high; /* powers of two; -1000 means 0 */
    const char *out_of_range;
    draw_fn *draw;
};

static const struct law_row laws[] = {
    {CUSTOS_DISCRETE_LAPLACE, -20, 60,
     "scale must lie between 2^-20 and 2^60 (9.54e-7 and 1.15e18)",
     draw_laplace},
    {CUSTOS_TWO_SIDED_GEOMETRIC, -20, 60,
     "scale must lie between 2^-20 and 2^60 (9.54e-7 and 1.15e18)",
     draw_laplace},
    {CUSTOS_GEOMETRIC, -20, 60,
     "scale must lie between 2^-20 and 2^60 (9.54e-7 and 1.15e18)",
     draw_geometric},
    {CUSTOS_DISCRETE_GAUSSIAN, -40, 120,
     "sigma must lie between 2^-20 and 2^60 (9.54e-7 and 1.15e18)",
     draw_gaussian},
    {CUSTOS_BERNOULLI, -1000, 0, "p must lie between 0 and 1", draw_bernoulli},
    {CUSTOS_BERNOULLI_EXP, -1000, 20, "x must lie between 0 and 2^20 (1048576)",
     draw_bernoulli_exp},
    {CUSTOS_UNIFORM, 0, 64, "n must be a whole number between 1 and 2^64",
     draw_uniform},
};

static const struct law_row *
row_of(custos_law law)
{
    for (size_t i = 0; i < COUNT_OF(laws); i++)
        if (laws[i].law == law)
            return &laws[i];
    return NULL;
}

static custos_status
check_parameter(const struct law_row *row, const rat *parameter,
                custos_err *err)
{
    custos_status st;
    rat low, high;

    rat_init(&low);
    rat_init(&high);
    if (row->low != -1000)
        rat_set_pow2(&low, row->low);
    rat_set_pow2(&high, row->high);
    st = check_range(parameter, &low, &high, row->out_of_range, err);
    if (!st && row->law == CUSTOS_UNIFORM && !rat_is_whole(parameter))
        st = custos_fail(err, CUSTOS_ERANGE, "%s", row->out_of_range);
    rat_clear(&high);
    rat_clear(&low);
    return st;
}

/* Dials of ratio exp(-1/scale). */
static custos_status
make_dials(custos_noise *noise, enum dials_shape shape, const rat *scale)
{
    custos_status st;
    rat rate;

    rat_init(&rate);
    rat_set_i64(&rate, 1, 1);
    rat_div(&rate, &rate, scale);
    st = dials_init(&noise->dials, shape, &rate);
    rat_clear(&rate);
    return st;
}

static custos_status
make_gaussian(custos_noise *noise, const rat *variance)
{
    custos_status st = gauss_init(&noise->gauss, variance);
    rat scale;

    if (st) /* UNREACHABLE: see gauss_init */
        return st;
    rat_init(&scale);
    rat_set_i128(&scale, (i128)noise->gauss.t);
    st = make_dials(noise, DIALS_LAPLACE, &scale);
    rat_clear(&scale);
    if (st) /* UNREACHABLE: see dials_init */
        gauss_clear(&noise->gauss);
    return st;
}

/* Makes what the law needs besides its parameter. */
static custos_status
make_tables(custos_noise *noise)
{
    const rat *parameter = &noise->parameter;

    switch (noise->law) { /* UNREACHABLE: any other law; row_of knows all */
    case CUSTOS_DISCRETE_LAPLACE:
    case CUSTOS_TWO_SIDED_GEOMETRIC:
        return make_dials(noise, DIALS_LAPLACE, parameter);
    case CUSTOS_GEOMETRIC: return make_dials(noise, DIALS_GEOMETRIC, parameter);
    case CUSTOS_DISCRETE_GAUSSIAN: return make_gaussian(noise, parameter);
    case CUSTOS_BERNOULLI_EXP:
        return rat_sign(parameter) > 0 ? slope_init(&noise->slope, parameter)
                                       : CUSTOS_OK;
    case CUSTOS_UNIFORM:
        if (!rat_floor_u64(parameter, &noise->sides))
            noise->sides = 0;
        return CUSTOS_OK;
    case CUSTOS_BERNOULLI: break;
    }
    return CUSTOS_OK;
}

custos_status
noise_new(const custos_alloc *alloc, custos_law law, const rat *parameter,
          custos_noise **out, custos_err *err)
{
    const custos_alloc hooks = alloc_or_default(alloc);
    const struct law_row *row = row_of(law);
    custos_noise *noise;
    custos_status st;

    if (!row)
        return custos_fail(err, CUSTOS_EINVAL, "unknown noise law");
    st = check_parameter(row, parameter, err);
    if (st)
        return st;
    noise = alloc_take(&hooks, 1, sizeof *noise);
    if (!noise)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    noise->alloc = hooks;
    noise->law = law;
    noise->draw = row->draw;
    noise->kernel = kernel_best();
    rat_init(&noise->parameter);
    rat_set(&noise->parameter, parameter);
    st = make_tables(noise);
    if (st) {
        rat_clear(&noise->parameter);
        alloc_give(&hooks, noise, 1, sizeof *noise);
        return custos_fail(err, st, "%s", row->out_of_range);
    }
    *out = noise;
    return CUSTOS_OK;
}

void
custos_noise_free(custos_noise *noise)
{
    custos_alloc hooks;

    if (!noise)
        return;
    if (noise->dials.count > 0)
        dials_clear(&noise->dials);
    if (noise->law == CUSTOS_DISCRETE_GAUSSIAN)
        gauss_clear(&noise->gauss);
    if (noise->law == CUSTOS_BERNOULLI_EXP && rat_sign(&noise->parameter) > 0)
        slope_clear(&noise->slope);
    rat_clear(&noise->parameter);
    hooks = noise->alloc;
    alloc_give(&hooks, noise, 1, sizeof *noise);
}

custos_law
noise_law(const custos_noise *noise)
{
    return noise->law;
}

const rat *
noise_parameter(const custos_noise *noise)
{
    return &noise->parameter;
}

/* ------------------------------------------------------------- public -- */

custos_status
custos_noise_new(const custos_alloc *alloc, custos_law law,
                 const char *parameter, custos_noise **out, custos_err *err)
{
    const char *name = law == CUSTOS_DISCRETE_GAUSSIAN ? "sigma"
                       : law == CUSTOS_BERNOULLI       ? "p"
                       : law == CUSTOS_BERNOULLI_EXP   ? "x"
                       : law == CUSTOS_UNIFORM         ? "n"
                                                       : "scale";
    custos_status st;
    rat value;

    if (!out)
        return custos_fail(err, CUSTOS_EINVAL, "out must not be NULL");
    rat_init(&value);
    st = rat_read(parameter, name, &value, err);
    if (!st && law == CUSTOS_DISCRETE_GAUSSIAN) {
        if (rat_sign(&value) < 0)
            st = custos_fail(err, CUSTOS_ERANGE, "sigma must be above 0");
        rat_mul(&value, &value, &value);
    }
    if (!st)
        st = noise_new(alloc, law, &value, out, err);
    rat_clear(&value);
    return st;
}
