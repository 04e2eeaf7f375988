/*
 * Partition selection. Tables are checked with 400 bits against the
 * inequalities of the definition and against its recursion; releases are
 * checked word by word.
 */
#include <math.h>
#include <stdlib.h>

#include <mpfr.h>

#include "base/alloc.h"
#include "base/base.h"
#include "mech/keys.h"
#include "support/support.h"

static custos_keys *
keys_make(custos_keys_rule rule, custos_adjacency adjacency, uint64_t per_unit,
          uint64_t min_units, const char *epsilon, const char *delta)
{
    custos_keys_options o = {.size = sizeof o,
                             .rule = rule,
                             .adjacency = adjacency,
                             .keys_per_unit = per_unit,
                             .min_units = min_units,
                             .epsilon = epsilon,
                             .delta = delta};
    custos_keys *k = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    if (custos_keys_new(NULL, &o, &k, &err))
        fail_msg("%s", err.said);
    return k;
}

static double
chance_of(const custos_keys *k, uint64_t units)
{
    custos_chance chance;
    double a, b;

    assert_int_equal(custos_keys_chance(k, &units, 1, &chance, NULL), 0);
    a = strtod(chance.low, NULL);
    b = strtod(chance.high, NULL);
    assert_true(a <= b && b <= a * (1 + 1e-12) + 1e-300);
    return b;
}

/* ------------------------------------------------------------- tables -- */

static const struct {
    const char *epsilon, *delta;
} points[] = {
    {"1", "1e-9"},    {"0.1", "1e-6"},  {"3", "0.25"},
    {"0.01", "1e-3"}, {"50", "1e-20"},  {"1000", "1e-9"},
    {"1/3", "1/7"},   {"0.001", "0.9"}, {"1e-3", "1e-12"},
};

/* x = an entry as a number. */
static void
entry_get(mpfr_t x, u128 entry)
{
    mpfr_set_ui(x, (uint64_t)(entry >> 64), MPFR_RNDN);
    mpfr_mul_2ui(x, x, 64, MPFR_RNDN);
    mpfr_add_ui(x, x, (uint64_t)entry, MPFR_RNDN);
    mpfr_div_2ui(x, x, KEYS_BITS, MPFR_RNDN);
}

/* next = min(e^eps pi + delta, 1 - e^-eps (1 - pi - delta), 1). */
static void
recursion(mpfr_t next, const mpfr_t pi, const mpfr_t eps, const mpfr_t delta)
{
    mpfr_t x;

    mpfr_init2(x, 400);
    mpfr_exp(next, eps, MPFR_RNDN);
    mpfr_mul(next, next, pi, MPFR_RNDN);
    mpfr_add(next, next, delta, MPFR_RNDN);
    mpfr_ui_sub(x, 1, pi, MPFR_RNDN);
    mpfr_sub(x, x, delta, MPFR_RNDN);
    mpfr_t shrink;
    mpfr_init2(shrink, 400);
    mpfr_neg(shrink, eps, MPFR_RNDN);
    mpfr_exp(shrink, shrink, MPFR_RNDN);
    mpfr_mul(x, x, shrink, MPFR_RNDN);
    mpfr_ui_sub(x, 1, x, MPFR_RNDN);
    mpfr_min(next, next, x, MPFR_RNDN);
    mpfr_set_ui(x, 1, MPFR_RNDN);
    mpfr_min(next, next, x, MPFR_RNDN);
    mpfr_clear(shrink);
    mpfr_clear(x);
}

/* What a test does with each step of a table. */
typedef void
step_fn(u128 from, bool last, u128 to, const mpfr_t eps, const mpfr_t delta);

static void
walk_tables(step_fn *step)
{
    custos_alloc alloc = alloc_or_default(NULL);

    for (size_t i = 0; i < (size_t)test_size(4, COUNT_OF(points)); i++) {
        struct keys_table t = {.count = 0};
        rat epsilon, delta;
        mpfr_t e, d;

        rat_init(&epsilon);
        rat_init(&delta);
        mpfr_inits2(400, e, d, (mpfr_ptr)0);
        assert_int_equal(rat_read(points[i].epsilon, "e", &epsilon, NULL), 0);
        assert_int_equal(rat_read(points[i].delta, "d", &delta, NULL), 0);
        mpfr_set_q(e, epsilon.q, MPFR_RNDN);
        mpfr_set_q(d, delta.q, MPFR_RNDN);
        assert_int_equal(keys_table_make(&alloc, &epsilon, &delta, &t, NULL),
                         0);
        assert_true(t.chance[0] == 0);
        for (size_t n = 0; n < t.count; n++)
            step(t.chance[n], n + 1 == t.count,
                 n + 1 < t.count ? t.chance[n + 1] : (u128)1 << KEYS_BITS, e,
                 d);
        keys_table_clear(&alloc, &t);
        rat_clear(&epsilon);
        rat_clear(&delta);
        mpfr_clears(e, d, (mpfr_ptr)0);
    }
}

/* a <= e^eps b + delta, up to 2^-390. */
static void
assert_within(const mpfr_t a, const mpfr_t b, const mpfr_t eps,
              const mpfr_t delta)
{
    mpfr_t x;

    mpfr_init2(x, 400);
    mpfr_exp(x, eps, MPFR_RNDU);
    mpfr_mul(x, x, b, MPFR_RNDU);
    mpfr_add(x, x, delta, MPFR_RNDU);
    assert_true(mpfr_lessequal_p(a, x));
    mpfr_clear(x);
}

static void
step_keeps_promise(u128 from, bool last, u128 to, const mpfr_t eps,
                   const mpfr_t delta)
{
    mpfr_t p, q, not_p, not_q;

    (void)last;
    mpfr_inits2(400, p, q, not_p, not_q, (mpfr_ptr)0);
    entry_get(p, from);
    entry_get(q, to);
    mpfr_ui_sub(not_p, 1, p, MPFR_RNDN);
    mpfr_ui_sub(not_q, 1, q, MPFR_RNDN);
    assert_true(from <= to);
    assert_within(q, p, eps, delta);
    assert_within(p, q, eps, delta);
    assert_within(not_q, not_p, eps, delta);
    assert_within(not_p, not_q, eps, delta);
    mpfr_clears(p, q, not_p, not_q, (mpfr_ptr)0);
}

static void
keys_table_keeps_its_promise(void **state)
{
    (void)state;
    walk_tables(step_keeps_promise);
}

/*
 * Each entry is below the recursion by less than 2^-119 (for epsilon up to 64);
 * the last step gives 1.
 */
static void
step_is_optimal(u128 from, bool last, u128 to, const mpfr_t eps,
                const mpfr_t delta)
{
    mpfr_t p, q, cut;

    mpfr_inits2(400, p, q, cut, (mpfr_ptr)0);
    entry_get(p, from);
    entry_get(cut, to);
    recursion(q, p, eps, delta);
    if (last) { /* up to the rounding of delta */
        mpfr_set_ui_2exp(p, 1, -118, MPFR_RNDN);
        mpfr_add(q, q, p, MPFR_RNDN);
        assert_true(mpfr_cmp_ui(q, 1) >= 0);
    } else {
        mpfr_sub(q, q, cut, MPFR_RNDN);
        assert_true(mpfr_sgn(q) >= 0);
        assert_true(mpfr_cmp_ui_2exp(q, 1, -119) < 0 ||
                    mpfr_cmp_ui(eps, 64) > 0);
    }
    mpfr_clears(p, q, cut, (mpfr_ptr)0);
}

static void
keys_table_is_optimal(void **state)
{
    (void)state;
    walk_tables(step_is_optimal);
}

/* A key is kept if the drawn number is below the chance, not if it is equal. */
static void
keys_law_of_the_table(void **state)
{
    custos_keys *k =
        keys_make(CUSTOS_KEYS_GEOMETRIC, CUSTOS_ADD_REMOVE, 1, 0, "1", "1e-6");
    const custos_keys_facts *f = custos_keys_report(k);

    (void)state;
    assert_int_equal(f->least, 1);
    assert_int_equal(f->threshold, 0);
    assert_string_equal(f->scale, "0");
    assert_string_equal(f->epsilon, "1");
    assert_string_equal(f->delta, "0.000001");
    assert_int_equal(f->certain, k->table.count);
    for (size_t n = 0; n <= f->certain; n++)
        for (int side = 0; side < 2; side++) {
            u128 p = n < f->certain ? k->table.chance[n] : (u128)1 << KEYS_BITS;
            u128 drawn = side ? p << 8 : (p << 8) - 1;
            uint64_t words[2] = {(uint64_t)(drawn >> 64), (uint64_t)drawn};
            custos_rng *rng = test_rng_taped(words, 2);
            int64_t count = (int64_t)n;
            custos_sealed *s = NULL;
            uint8_t kept = 7;

            if ((n == 0) == (side == 1) || n < f->certain) {
                if (n == 0 && side == 0)
                    words[0] = words[1] = 0; /* no number is below 0 */
                assert_int_equal(custos_seal_ints(NULL, &count, 1, &s, NULL),
                                 0);
                assert_int_equal(
                    custos_keys_release(k, rng, s, NULL, &kept, 1, NULL), 0);
                assert_int_equal(kept, side == 0 && n > 0);
                custos_sealed_free(s);
            }
            test_rng_free(rng);
        }
    custos_keys_free(k);
}

/* --------------------------------------------- several keys of a unit -- */

/*
 * The hockey-stick divergence between keys shown with probabilities p and keys
 * shown with probabilities q.
 */
static double
divergence(double epsilon, const double *p, const double *q, size_t keys)
{
    double sum = 0;

    for (size_t set = 0; set < (size_t)1 << keys; set++) {
        double a = 1, b = 1;

        for (size_t i = 0; i < keys; i++) {
            a *= set >> i & 1 ? p[i] : 1 - p[i];
            b *= set >> i & 1 ? q[i] : 1 - q[i];
        }
        sum += fmax(0, a - exp(epsilon) * b);
    }
    return sum;
}

static void
keys_of_several_keep_the_promise(void **state)
{
    enum { UNITS = 12 };

    (void)state;
    for (int a = CUSTOS_ADD_REMOVE; a <= CUSTOS_CHANGE_ONE; a++)
        for (uint64_t per_unit = 1; per_unit <= 2; per_unit++) {
            custos_keys *k =
                keys_make(CUSTOS_KEYS_GEOMETRIC, (custos_adjacency)a, per_unit,
                          1, "1.5", "0.02");
            double chance[UNITS + 2], worst = 0;

            for (uint64_t n = 0; n < UNITS + 2; n++)
                chance[n] = chance_of(k, n);
            /* First keys that the unit leaves, then keys that it enters. */
            for (size_t i = 0; i < UNITS * UNITS * UNITS * UNITS; i++) {
                double p[4], q[4];
                size_t keys = 0, at = i;

                for (; keys < 2 * per_unit; keys++, at /= UNITS) {
                    size_t n = at % UNITS;
                    bool leaves = keys < per_unit;

                    if (!leaves && a == CUSTOS_ADD_REMOVE)
                        break;
                    p[keys] = chance[leaves ? n + 1 : n];
                    q[keys] = chance[leaves ? n : n + 1];
                }
                if (at > 0)
                    break;
                worst = fmax(worst, divergence(1.5, p, q, keys));
                worst = fmax(worst, divergence(1.5, q, p, keys));
            }
            assert_true(worst <= 0.02 + 1e-12);
            assert_true(worst > 0.009);
            custos_keys_free(k);
        }
}

/* ------------------------------------------------------------- chances -- */

static const custos_keys_rule rules[] = {
    CUSTOS_KEYS_GEOMETRIC, CUSTOS_KEYS_LAPLACE, CUSTOS_KEYS_GAUSSIAN};

static void
keys_floor_shifts_the_law(void **state)
{
    enum { N = 400 };

    (void)state;
    for (size_t r = 0; r < 3; r++) {
        custos_keys *a =
            keys_make(rules[r], CUSTOS_ADD_REMOVE, 1, 1, "2", "0.05");
        custos_keys *b =
            keys_make(rules[r], CUSTOS_ADD_REMOVE, 1, 5, "2", "0.05");
        const custos_keys_facts *f = custos_keys_report(a);
        const custos_keys_facts *g = custos_keys_report(b);
        custos_rng *rng = test_rng_seeded(41);
        custos_sealed *s = NULL;
        int64_t units[N];
        uint8_t kept[N];
        int seen = 0;

        assert_int_equal(g->least, f->least + 4);
        assert_int_equal(g->half, f->half + 4);
        assert_int_equal(g->certain, f->certain ? f->certain + 4 : 0);
        assert_int_equal(g->threshold, f->threshold ? f->threshold + 4 : 0);
        for (uint64_t n = 0; n < 20; n++)
            assert_true(chance_of(b, n) == (n < 4 ? 0 : chance_of(a, n - 4)));
        for (size_t i = 0; i < N; i++)
            units[i] = i % 2 ? 4 : 9;
        assert_int_equal(custos_seal_ints(NULL, units, N, &s, NULL), 0);
        assert_int_equal(custos_keys_release(b, rng, s, NULL, kept, N, NULL),
                         0);
        for (size_t i = 0; i < N; i++) {
            assert_true(kept[i] <= 1 && (i % 2 == 0 || !kept[i]));
            seen += kept[i];
        }
        assert_true(seen > N / 4);
        custos_sealed_free(s);
        custos_keys_free(a);
        custos_keys_free(b);
        test_rng_free(rng);
    }
}

/*
 * The fraction of keys kept is the reported chance within 5 standard
 * deviations, in 12 cases of 20000 draws (with a fresh seed, each case would
 * raise a false alarm with probability 1e-6). Released counts are at least the
 * threshold.
 */
static void
keys_chance_is_the_law(void **state)
{
    enum { N = 20000 };
    static int64_t units[N], counts[N];
    static uint8_t kept[N];
    custos_rng *rng = test_rng_seeded(42);
    int n = test_size(500, N);

    (void)state;
    for (size_t r = 0; r < 3; r++) {
        custos_keys *k =
            keys_make(rules[r], CUSTOS_ADD_REMOVE, 1, 1, "1", "0.1");
        const custos_keys_facts *f = custos_keys_report(k);

        assert_int_equal(f->rule, rules[r]);
        assert_true(chance_of(k, 0) == 0);
        assert_true(chance_of(k, f->half) >= 0.5);
        assert_true(chance_of(k, f->half - 1) < 0.5);
        assert_true(r > 0 || chance_of(k, f->certain) == 1);
        assert_true(r > 0 || chance_of(k, f->certain - 1) < 1);
        assert_true(r > 0 || chance_of(k, f->certain + 1) == 1);
        assert_true(chance_of(k, UINT64_C(1) << 62) == 1);
        /* Without Gaussian noise, a key with one unit has chance delta. */
        if (r < 2)
            assert_true(fabs(chance_of(k, 1) / strtod(f->delta, NULL) - 1) <
                        1e-12);
        for (uint64_t u = 1; u <= 4; u++) {
            double p = chance_of(k, u), seen = 0;
            custos_sealed *s = NULL;

            for (int i = 0; i < n; i++)
                units[i] = (int64_t)u;
            assert_int_equal(custos_seal_ints(NULL, units, (size_t)n, &s, NULL),
                             0);
            assert_int_equal(custos_keys_release(k, rng, s, r ? counts : NULL,
                                                 kept, (size_t)n, NULL),
                             0);
            for (int i = 0; i < n; i++) {
                seen += kept[i];
                if (r)
                    assert_true(kept[i] ? counts[i] >= f->threshold
                                        : counts[i] == 0);
            }
            assert_true(fabs(seen - n * p) <= 5 * sqrt(n * p * (1 - p)));
            custos_sealed_free(s);
        }
        custos_keys_free(k);
    }
    test_rng_free(rng);
}

static void
keys_units_is_least(void **state)
{
    static const char *const chances[] = {"1e-9", "0.5", "0.95", "0.999999"};
    custos_keys *k;
    static const uint64_t few[2] = {0, 1};
    custos_chance two[2];
    uint64_t units = 9;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t r = 0; r < 3; r++) {
        k = keys_make(rules[r], CUSTOS_CHANGE_ONE, 2, 3, "1", "1e-6");
        for (size_t c = 0; c < COUNT_OF(chances); c++) {
            double p = strtod(chances[c], NULL);

            assert_int_equal(custos_keys_units(k, chances[c], &units, &err), 0);
            assert_true(chance_of(k, units) >= p);
            assert_true(chance_of(k, units - 1) < p);
        }
        assert_int_equal(custos_keys_units(k, "1", &units, &err),
                         CUSTOS_ERANGE);
        custos_keys_free(k);
    }
    k = keys_make(CUSTOS_KEYS_LAPLACE, CUSTOS_ADD_REMOVE, 1,
                  (UINT64_C(1) << 62) - 1, "1", "0.1");
    assert_int_equal(custos_keys_units(k, "0.9", &units, &err), CUSTOS_ERANGE);
    assert_int_equal(custos_keys_units(NULL, "0.9", &units, &err), 1);
    assert_int_equal(custos_keys_units(k, "0.9", NULL, &err), 1);
    assert_int_equal(custos_keys_chance(NULL, few, 2, two, &err), 1);
    assert_int_equal(custos_keys_chance(k, NULL, 2, two, &err), 1);
    assert_int_equal(custos_keys_chance(k, few, 2, NULL, &err), 1);
    assert_int_equal(custos_keys_chance(k, NULL, 0, NULL, &err), 0);
    custos_keys_free(k);
    /* A chance too small to write has an upper bound above 0. */
    k = keys_make(CUSTOS_KEYS_GAUSSIAN, CUSTOS_ADD_REMOVE, 1, 1, "1", "1e-350");
    assert_int_equal(custos_keys_chance(k, few, 2, two, &err), 0);
    assert_string_equal(two[0].high, "0"); /* nobody holds the key */
    assert_string_equal(two[1].low, "0");
    assert_true(strlen(two[1].high) > 4);
    assert_null(custos_keys_report(NULL));
    custos_keys_free(k);
}

/* ----------------------------------------------------------- interface -- */

static void
keys_refuse(void **state)
{
    static const struct {
        custos_keys_options o;
        custos_status st;
    } rows[] = {
        {{.rule = 0, .adjacency = 1, .epsilon = "1", .delta = ".1"}, 1},
        {{.rule = 5, .adjacency = 1, .epsilon = "1", .delta = "0.1"}, 1},
        {{.rule = 1, .adjacency = 0, .epsilon = "1", .delta = "0.1"}, 1},
        {{.rule = 1, .adjacency = 1, .delta = "0.1"}, 2},
        {{.rule = 1, .adjacency = 1, .epsilon = "1"}, 2},
        {{.rule = 1, .adjacency = 1, .epsilon = "0", .delta = "0.1"}, 3},
        {{.rule = 1, .adjacency = 1, .epsilon = "1", .delta = "0"}, 3},
        {{.rule = 1, .adjacency = 1, .epsilon = "1", .delta = "1"}, 3},
        {{.rule = 1, .adjacency = 1, .epsilon = "1", .delta = "1e-40"}, 3},
        {{.rule = 1, .adjacency = 1, .epsilon = "1e-5", .delta = "1e-9"}, 3},
        {{.rule = 2, .adjacency = 1, .epsilon = "1e-19", .delta = "1e-9"}, 3},
        {{.rule = 3, .adjacency = 1, .epsilon = "1e-19", .delta = "1e-30"}, 3},
        {{.rule = 3, .adjacency = 1, .epsilon = "1e-30", .delta = "1e-9"}, 3},
        {{.rule = 3,
          .adjacency = 1,
          .keys_per_unit = 257,
          .epsilon = "1",
          .delta = "1e-9"},
         3},
        {{.rule = 1,
          .adjacency = 1,
          .keys_per_unit = UINT64_MAX,
          .epsilon = "1",
          .delta = "0.1"},
         3},
        {{.rule = 1,
          .adjacency = 1,
          .min_units = UINT64_MAX,
          .epsilon = "1",
          .delta = "0.1"},
         3},
        {{.rule = 2,
          .adjacency = 1,
          .min_units = (UINT64_C(1) << 62) - 1,
          .epsilon = "3e-18",
          .delta = "1e-9"},
         3},
    };
    custos_keys_options good = {.size = sizeof good,
                                .rule = 1,
                                .adjacency = 1,
                                .epsilon = "1",
                                .delta = "0.1"};
    custos_keys *k = NULL;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        custos_keys_options o = rows[i].o;
        custos_err err = CUSTOS_ERR_INIT;

        o.size = sizeof o;
        assert_int_equal(custos_keys_new(NULL, &o, &k, &err), rows[i].st);
        assert_null(k);
        assert_true(err.said[0] != '\0');
    }
    assert_int_equal(custos_keys_new(NULL, NULL, &k, NULL), 1);
    assert_int_equal(custos_keys_new(NULL, &good, NULL, NULL), 1);
    good.size = 3;
    assert_int_equal(custos_keys_new(NULL, &good, &k, NULL), 1);
    custos_keys_free(NULL);
}

static void
keys_release_refuses(void **state)
{
    enum { N = 100 };
    custos_keys *table =
        keys_make(CUSTOS_KEYS_GEOMETRIC, CUSTOS_ADD_REMOVE, 1, 1, "1", "0.1");
    custos_keys *laplace =
        keys_make(CUSTOS_KEYS_LAPLACE, CUSTOS_ADD_REMOVE, 1, 1, "1", "0.1");
    int64_t units[N] = {5, 6}, counts[N] = {77};
    uint8_t kept[N] = {7, 7};
    custos_rng *rng = test_rng_seeded(1);
    custos_sealed *s = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(custos_seal_ints(NULL, units, N, &s, NULL), 0);
    assert_int_equal(custos_keys_release(NULL, rng, s, NULL, kept, N, &err), 1);
    assert_int_equal(custos_keys_release(table, NULL, s, NULL, kept, N, &err),
                     1);
    assert_int_equal(custos_keys_release(table, rng, NULL, NULL, kept, N, &err),
                     1);
    assert_int_equal(custos_keys_release(table, rng, s, NULL, NULL, N, &err),
                     1);
    assert_int_equal(custos_keys_release(table, rng, s, counts, kept, N, &err),
                     1);
    assert_int_equal(custos_keys_release(table, rng, s, NULL, kept, 99, &err),
                     1);
    assert_int_equal(
        custos_keys_release(laplace, rng, s, counts, kept, N, &err), 0);
    assert_int_equal(
        custos_keys_release(laplace, rng, s, counts, kept, N, &err),
        CUSTOS_ETAKEN);
    custos_sealed_free(s);
    custos_keys_free(table);
    custos_keys_free(laplace);
    test_rng_free(rng);
}

/* Extreme counts saturate; negative counts are treated as 0. */
static void
keys_at_the_ends(void **state)
{
    static const int64_t units[] = {INT64_MIN, -1, 0, INT64_MAX};

    (void)state;
    for (size_t r = 0; r < 3; r++) {
        custos_keys *k =
            keys_make(rules[r], CUSTOS_ADD_REMOVE, 0, 0, "1", "0.5");
        custos_rng *rng = test_rng_seeded(43);
        custos_sealed *s = NULL;
        int64_t counts[4];
        uint8_t kept[4];

        assert_int_equal(custos_seal_ints(NULL, units, 4, &s, NULL), 0);
        assert_int_equal(
            custos_keys_release(k, rng, s, r ? counts : NULL, kept, 4, NULL),
            0);
        assert_true(!kept[0] && !kept[1] && !kept[2] && kept[3]);
        if (r)
            assert_true(counts[3] > INT64_MAX - 1000 && counts[0] == 0);
        custos_sealed_free(s);
        custos_keys_free(k);
        test_rng_free(rng);
    }
}

/*
 * Every allocation fails once, and the random words run out at once or after
 * 130 words; nothing is leaked or released.
 */
static void
keys_survive_faults(void **state)
{
    (void)state;
    for (size_t r = 0; r < 3; r++) {
        custos_keys_options o = {.size = sizeof o,
                                 .rule = rules[r],
                                 .adjacency = CUSTOS_ADD_REMOVE,
                                 .epsilon = "1",
                                 .delta = "0.1"};
        custos_status st = CUSTOS_ENOMEM;
        custos_keys *k = NULL;
        int64_t units[100] = {5};

        for (size_t fail = 1; st; fail++) {
            struct test_memory memory = {.fail_at = fail};
            custos_alloc alloc = test_alloc(&memory);

            k = NULL;
            st = custos_keys_new(&alloc, &o, &k, NULL);
            assert_true(st == CUSTOS_OK || st == CUSTOS_ENOMEM);
            assert_true((k != NULL) == (st == CUSTOS_OK));
            custos_keys_free(k);
            assert_int_equal(memory.live, 0);
        }
        assert_int_equal(custos_keys_new(NULL, &o, &k, NULL), 0);
        for (size_t words = 0; words <= 130; words += 130) {
            custos_rng *rng = test_rng_failing(9, words);
            custos_sealed *s = NULL;
            uint8_t kept[100] = {7};

            assert_int_equal(custos_seal_ints(NULL, units, 100, &s, NULL), 0);
            assert_int_equal(
                custos_keys_release(k, rng, s, NULL, kept, 100, NULL),
                CUSTOS_EENTROPY);
            assert_int_equal(kept[0], 7);
            custos_sealed_free(s);
            test_rng_free(rng);
        }
        custos_keys_free(k);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_table_keeps_its_promise),
        cmocka_unit_test(keys_table_is_optimal),
        cmocka_unit_test(keys_law_of_the_table),
        cmocka_unit_test(keys_of_several_keep_the_promise),
        cmocka_unit_test(keys_floor_shifts_the_law),
        cmocka_unit_test(keys_chance_is_the_law),
        cmocka_unit_test(keys_units_is_least),
        cmocka_unit_test(keys_refuse),
        cmocka_unit_test(keys_release_refuses),
        cmocka_unit_test(keys_at_the_ends),
        cmocka_unit_test(keys_survive_faults),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
