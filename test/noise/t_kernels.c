/*
 * AVX2 and portable code: the same outcomes, ties and verdicts from the same
 * words, for random words and for words planted on and beside every threshold.
 */
#include "noise/kernel.h"

#include <stdlib.h>

#include "noise/draw.h"
#include "noise/expfix.h"
#include "random/rng.h"
#include "support/ref.h"
#include "support/support.h"

#ifdef CUSTOS_HAVE_AVX2

static bool
has_avx2(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}

static uint64_t
next_word(custos_rng *rng)
{
    uint64_t w;

    assert_int_equal(rng_words(rng, &w, 1), CUSTOS_OK);
    return w;
}

static const char *const scales[] = {
    "1/1048576", "0.01", "1/3",  "1",    "7",
    "1000",      "1e6",  "1e12", "3e17", "1152921504606846976",
};

/* A random word, or one at or beside a cut of dial i, or an extreme. */
static uint64_t
some_word(const struct dials *d, size_t i, custos_rng *rng)
{
    uint64_t r = next_word(rng), cut = d->cut[i][r >> 8 & 15];

    switch (r & 7) {
    case 0: return cut;
    case 1: return cut + 1;
    case 2: return cut - 1;
    case 3: return r & 64 ? 0 : UINT64_MAX;
    default: return next_word(rng);
    }
}

static void
same_outcomes(const struct outcomes *a, const struct outcomes *b)
{
    assert_memory_equal(a->low, b->low, sizeof a->low);
    assert_memory_equal(a->high, b->high, sizeof a->high);
    assert_memory_equal(a->sign, b->sign, sizeof a->sign);
}

/* Scans a block from each draw on; the draws before that are not touched. */
static void
same_scan(const struct dials *d, size_t n, custos_rng *rng, uint64_t *ties)
{
    uint64_t words[BLOCK * DIALS_MAX], all = 0;

    for (size_t j = 0; j < d->count; j++)
        for (size_t k = 0; k < n; k++)
            words[j * n + k] = some_word(d, j, rng);
    for (size_t from = 0; from <= n; from++) {
        struct outcomes a, b;
        uint64_t mask;

        memset(&a, 0x5a, sizeof a);
        memset(&b, 0x5a, sizeof b);
        mask = dials_scan(d, words, from, n, &a);
        assert_true(mask == dials_scan_avx2(d, words, from, n, &b));
        if (from == 0)
            all = mask;
        assert_true(from == 64 ? mask == 0 : mask == all >> from << from);
        assert_true(n == 64 || mask >> n == 0);
        same_outcomes(&a, &b);
        for (size_t k = 0; k < BLOCK; k++)
            assert_true((a.sign[k] <= 2) == (k >= from && k < n));
    }
    *ties |= all;
}

static void
dials_read_the_same(void **state)
{
    custos_rng *rng = test_rng_seeded(4);

    (void)state;
    if (!has_avx2())
        skip();
    for (size_t s = 0; s < COUNT_OF(scales); s++)
        for (int shape = 0; shape < 2; shape++) {
            rat rate = ref_rat("1"), scale = ref_rat(scales[s]);
            uint64_t ties = 0;
            struct dials d;

            rat_div(&rate, &rate, &scale);
            assert_int_equal(
                dials_init(&d, shape ? DIALS_LAPLACE : DIALS_GEOMETRIC, &rate),
                CUSTOS_OK);
            for (size_t n = 1; n <= BLOCK; n++)
                same_scan(&d, n, rng, &ties);
            assert_true((uint32_t)ties == UINT32_MAX); /* in every lane */
            dials_clear(&d);
            rat_clear(&scale);
            rat_clear(&rate);
        }
    test_rng_free(rng);
}

/* Every cut of every dial, and the words beside it, in every lane. */
static void
every_cut_reads_the_same(void **state)
{
    rat rate = ref_rat("0.001");
    struct dials d;

    (void)state;
    if (!has_avx2())
        skip();
    assert_int_equal(dials_init(&d, DIALS_LAPLACE, &rate), CUSTOS_OK);
    for (size_t i = 0; i < d.count; i++)
        for (size_t c = 0; c < DIAL_CUTS; c++)
            for (uint64_t off = 0; off < 3; off++) {
                uint64_t words[4 * DIALS_MAX] = {0};
                struct outcomes a = {{0}, {0}, {0}}, b = a;

                for (size_t k = 0; k < 4; k++)
                    words[i * 4 + k] = d.cut[i][c] + off - 1;
                assert_true(dials_scan(&d, words, 0, 4, &a) ==
                            dials_scan_avx2(&d, words, 0, 4, &b));
                same_outcomes(&a, &b);
            }
    dials_clear(&d);
    rat_clear(&rate);
}

/* ------------------------------------------------------------ verdicts -- */

/* A size near 0, the limit, 2^60 or 2^64, or a random one. */
static void
some_size(const struct gauss *g, struct outcomes *o, size_t i, custos_rng *rng)
{
    uint64_t r = next_word(rng), off = r >> 8 & 3;
    u128 y = (u128)next_word(rng) * ((u128)g->limit + 1) >> 64;

    switch (r & 15) {
    case 0: y = off; break;
    case 1: y = (u128)g->limit + 2 - off; break;
    case 2: y = ((u128)1 << 64) + off; break;
    case 3: y = ((u128)1 << 64) - off - 1; break;
    case 4: y = ((u128)1 << 60) + 1 - off; break;
    case 5: y = next_word(rng); break;
    case 6: y = (u128)next_word(rng) << (r >> 16 & 31); break;
    default: break;
    }
    o->sign[i] = y == 0 ? 0 : 1 + (r >> 32 & 1);
    o->low[i] = (uint64_t)(y - 1) & UINT64_MAX >> 4;
    o->high[i] = (uint64_t)((y - 1) >> 60); /* for y = 0 any digits will do */
}

/* The coin, in units of 2^-63, from which portable code rejects proposal i. */
static uint64_t
turning_unit(const struct gauss *g, const struct outcomes *o, size_t i)
{
    struct outcomes one = {{o->low[i]}, {o->high[i]}, {o->sign[i]}};
    uint64_t lo = 0, hi = UINT64_C(1) << 63;

    while (lo < hi) {
        uint64_t mid = lo + (hi - lo) / 2, coin = mid << 1;
        struct verdicts v = gauss_judge(g, &one, &coin, 0, 1);

        if (v.accepted | v.undecided)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void
same_verdicts(const struct gauss *g, size_t n, custos_rng *rng,
              uint64_t *undecided)
{
    static const uint64_t offs[] = {0, 1, 2 * EXP_ERROR, 2 * EXP_ERROR + 1,
                                    EXP_ERROR};
    uint64_t coins[BLOCK];
    struct outcomes o;

    for (size_t i = 0; i < n; i++) {
        uint64_t r = next_word(rng);

        some_size(g, &o, i, rng);
        coins[i] = r % 4 ? next_word(rng) >> (r >> 8 & 31)
                         : (turning_unit(g, &o, i) - offs[(r >> 8) % 5]) << 1;
    }
    for (size_t from = 0; from <= n; from++) {
        struct verdicts a = gauss_judge(g, &o, coins, from, n);
        struct verdicts b = gauss_judge_avx2(g, &o, coins, from, n);
        uint64_t either = a.accepted | a.undecided;

        assert_true(a.accepted == b.accepted);
        assert_true(a.undecided == b.undecided);
        assert_true(from == 64 ? either == 0
                               : either >> from << from == either);
        *undecided |= a.undecided;
    }
}

static void
verdicts_are_the_same(void **state)
{
    const size_t rounds = getenv("CUSTOS_QUICK") ? 1 : 4;
    custos_rng *rng = test_rng_seeded(5);

    (void)state;
    if (!has_avx2())
        skip();
    for (size_t s = 0; s < COUNT_OF(scales); s++) {
        rat v = ref_rat(scales[s]);
        uint64_t undecided = 0;
        struct gauss g;

        rat_mul(&v, &v, &v);
        assert_int_equal(gauss_init(&g, &v), CUSTOS_OK);
        for (size_t k = 0; k < rounds; k++)
            for (size_t n = 1; n <= BLOCK; n++)
                same_verdicts(&g, n, rng, &undecided);
        assert_true((uint32_t)undecided == UINT32_MAX || rounds == 1);
        gauss_clear(&g);
        rat_clear(&v);
    }
    test_rng_free(rng);
}

/* --------------------------------------------------------- whole draws -- */

static void
draws_are_the_same(void **state)
{
    static const custos_law laws[] = {CUSTOS_DISCRETE_LAPLACE, CUSTOS_GEOMETRIC,
                                      CUSTOS_DISCRETE_GAUSSIAN};

    (void)state;
    if (!has_avx2())
        skip();
    for (size_t l = 0; l < COUNT_OF(laws); l++)
        for (size_t s = 0; s < COUNT_OF(scales); s++) {
            custos_noise *noise = NULL;
            custos_rng *one = test_rng_seeded(s), *two = test_rng_seeded(s);

            assert_int_equal(
                custos_noise_new(NULL, laws[l], scales[s], &noise, NULL),
                CUSTOS_OK);
            assert_string_equal(noise->kernel->name, "avx2");
            for (size_t n = 0; n < 200; n++) {
                i128 a[200], b[200];

                noise->kernel = kernel_best();
                assert_int_equal(noise_draw(noise, one, a, n), CUSTOS_OK);
                noise->kernel = &kernel_portable;
                assert_int_equal(noise_draw(noise, two, b, n), CUSTOS_OK);
                assert_memory_equal(a, b, n * sizeof a[0]);
                assert_int_equal(test_rng_used(one), test_rng_used(two));
            }
            test_rng_free(two);
            test_rng_free(one);
            custos_noise_free(noise);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dials_read_the_same),
        cmocka_unit_test(every_cut_reads_the_same),
        cmocka_unit_test(verdicts_are_the_same),
        cmocka_unit_test(draws_are_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else /* one kernel only */

static void
portable_is_the_best(void **state)
{
    (void)state;
    assert_ptr_equal(kernel_best(), &kernel_portable);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(portable_is_the_best)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
