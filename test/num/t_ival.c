/*
 * Intervals contain the exact results: every operation at low precision against
 * the same at high precision, on random points and at the edges.
 */
#include "num/ival.h"
#include "num/ival_more.h"

#include "base/base.h"
#include "random/rng.h"
#include "support/ref.h"
#include "support/support.h"

enum { LOW = 70, ROUNDS = 2000 };

static uint64_t
next_word(custos_rng *rng)
{
    uint64_t w;

    assert_int_equal(rng_words(rng, &w, 1), CUSTOS_OK);
    return w;
}

/* A point of either sign and any size between 2^-40 and 2^6. */
static void
some_point(mpfr_t x, custos_rng *rng)
{
    mpfr_set_ui(x, next_word(rng) | 1, MPFR_RNDN);
    mpfr_div_2ui(x, x, 58 + next_word(rng) % 46, MPFR_RNDN);
    if (next_word(rng) & 1)
        mpfr_neg(x, x, MPFR_RNDN);
}

/* An interval around x: tight, or with ends further away. */
static void
around(ival *a, const mpfr_t x, custos_rng *rng)
{
    mpfr_t off;

    mpfr_init2(off, REF_BITS);
    mpfr_abs(off, x, MPFR_RNDN);
    mpfr_div_2ui(off, off, 1 + next_word(rng) % 80, MPFR_RNDN);
    mpfr_sub(off, x, off, MPFR_RNDD);
    mpfr_set(a->lo, next_word(rng) & 1 ? x : off, MPFR_RNDD);
    mpfr_sub(off, x, off, MPFR_RNDU);
    mpfr_add(off, x, off, MPFR_RNDU);
    mpfr_set(a->hi, next_word(rng) & 1 ? x : off, MPFR_RNDU);
    mpfr_clear(off);
}

static void
contains(const ival *a, const mpfr_t x)
{
    assert_true(mpfr_lessequal_p(a->lo, x));
    assert_true(mpfr_lessequal_p(x, a->hi));
}

typedef void unary(ival *, const ival *);
typedef int unary_ref(mpfr_t, const mpfr_t, mpfr_rnd_t);

enum domain { ANY, ABOVE_0, ABOVE_MINUS_1 };

static const struct {
    unary *op;
    unary_ref *ref;
    enum domain domain;
} unaries[] = {
    {ival_neg, mpfr_neg, ANY},       {ival_exp, mpfr_exp, ANY},
    {ival_expm1, mpfr_expm1, ANY},   {ival_tanh, mpfr_tanh, ANY},
    {ival_erfc, mpfr_erfc, ANY},     {ival_log, mpfr_log, ABOVE_0},
    {ival_sqrt, mpfr_sqrt, ABOVE_0}, {ival_log1p, mpfr_log1p, ABOVE_MINUS_1},
};

static void
functions_contain_their_values(void **state)
{
    custos_rng *rng = test_rng_seeded(1);
    mpfr_t x, y;
    ival a, r;

    (void)state;
    mpfr_init2(x, REF_BITS);
    mpfr_init2(y, REF_BITS);
    ival_init(&a, LOW);
    ival_init(&r, LOW);
    for (size_t f = 0; f < COUNT_OF(unaries); f++)
        for (int i = 0; i < ROUNDS / 4; i++) {
            some_point(x, rng);
            if (unaries[f].domain == ABOVE_0 ||
                (unaries[f].domain == ABOVE_MINUS_1 && mpfr_cmp_si(x, -1) <= 0))
                mpfr_abs(x, x, MPFR_RNDN);
            around(&a, x, rng);
            contains(&a, x);
            unaries[f].op(&r, &a);
            unaries[f].ref(y, x, MPFR_RNDN);
            contains(&r, y);
            unaries[f].op(&a, &a); /* aliased: the same */
            assert_true(mpfr_equal_p(a.lo, r.lo) && mpfr_equal_p(a.hi, r.hi));
        }
    ival_clear(&r);
    ival_clear(&a);
    mpfr_clear(y);
    mpfr_clear(x);
    test_rng_free(rng);
}

/*
 * erfc of a point is accurate up to a few bits, around the border between its
 * series and its continued fraction, and far out.
 */
static void
erfc_is_as_tight_as_asked(void **state)
{
    static const long precisions[] = {24, 53, 64, 112, 192, 320};
    mpfr_t x, y, width;
    ival a, r;

    (void)state;
    mpfr_init2(x, REF_BITS);
    mpfr_init2(y, REF_BITS);
    mpfr_init2(width, REF_BITS);
    for (size_t p = 0; p < COUNT_OF(precisions); p++) {
        ival_init(&a, precisions[p]);
        ival_init(&r, precisions[p]);
        for (unsigned long i = 20; i < 400; i += 7) {
            mpfr_set_ui(x, i, MPFR_RNDN);
            mpfr_div_2ui(x, x, 3, MPFR_RNDN); /* 2.5 to 50, exactly */
            mpfr_set(a.lo, x, MPFR_RNDD);
            mpfr_set(a.hi, x, MPFR_RNDU);
            ival_erfc(&r, &a);
            mpfr_erfc(y, x, MPFR_RNDN);
            contains(&r, y);
            mpfr_sub(width, r.hi, r.lo, MPFR_RNDU);
            mpfr_mul_2ui(width, width, (unsigned long)precisions[p] - 2,
                         MPFR_RNDU);
            assert_true(mpfr_lessequal_p(width, y));
        }
        ival_clear(&a);
        ival_clear(&r);
    }
    mpfr_clear(x);
    mpfr_clear(y);
    mpfr_clear(width);
}

static void
erfc_of_few_terms_holds_the_value(void **state)
{
    mpfr_t x, y;
    ival a, r;

    (void)state;
    mpfr_init2(x, REF_BITS);
    mpfr_init2(y, REF_BITS);
    ival_init(&a, 64);
    ival_init(&r, 64);
    for (unsigned long i = 1; i < 60; i++)
        for (unsigned long n = 0; n < 9; n++)
            for (long off = -1; off <= 1; off++) { /* at an end, or inside */
                mpfr_set_ui_2exp(x, i, -3, MPFR_RNDN);
                mpfr_set(a.lo, x, MPFR_RNDD);
                mpfr_set(a.hi, x, MPFR_RNDU);
                if (off <= 0)
                    mpfr_sub_d(a.lo, a.lo, 0.0625, MPFR_RNDD);
                if (off >= 0)
                    mpfr_add_d(a.hi, a.hi, 0.25, MPFR_RNDU);
                ival_erfc_fraction(&r, &a, n);
                mpfr_erfc(y, x, MPFR_RNDN);
                contains(&r, y);
            }
    mpfr_clear(x);
    mpfr_clear(y);
    ival_clear(&a);
    ival_clear(&r);
}

typedef void binary(ival *, const ival *, const ival *);
typedef int binary_ref(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

static const struct {
    binary *op;
    binary_ref *ref;
} binaries[] = {
    {ival_add, mpfr_add},
    {ival_sub, mpfr_sub},
    {ival_mul, mpfr_mul},
    {ival_div, mpfr_div},
};

static void
arithmetic_contains_its_values(void **state)
{
    custos_rng *rng = test_rng_seeded(2);
    mpfr_t x, y, z;
    ival a, b, r, c;

    (void)state;
    mpfr_init2(x, REF_BITS);
    mpfr_init2(y, REF_BITS);
    mpfr_init2(z, REF_BITS);
    ival_init(&a, LOW);
    ival_init(&b, LOW);
    ival_init(&c, LOW);
    ival_init(&r, LOW);
    for (size_t f = 0; f < COUNT_OF(binaries); f++)
        for (int i = 0; i < ROUNDS; i++) {
            some_point(x, rng);
            some_point(y, rng);
            around(&a, x, rng);
            around(&b, y, rng);
            binaries[f].ref(z, x, y, MPFR_RNDN);
            binaries[f].op(&r, &a, &b);
            contains(&r, z);
            assert_true(mpfr_number_p(r.lo) && mpfr_number_p(r.hi));
            ival_set(&c, &a);
            binaries[f].op(&c, &c, &b); /* aliased with either */
            assert_true(mpfr_equal_p(c.lo, r.lo) && mpfr_equal_p(c.hi, r.hi));
            binaries[f].op(&b, &a, &b);
            assert_true(mpfr_equal_p(b.lo, r.lo) && mpfr_equal_p(b.hi, r.hi));
        }
    ival_clear(&r);
    ival_clear(&c);
    ival_clear(&b);
    ival_clear(&a);
    mpfr_clear(z);
    mpfr_clear(y);
    mpfr_clear(x);
    test_rng_free(rng);
}

/* Intervals of rationals and integers, checked by their ends as rationals. */
static void
ends_enclose_exact_numbers(void **state)
{
    static const char *const numbers[] = {"0",    "1/3", "-1/3",  "0.1",
                                          "1e30", "-7",  "1e-400"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        rat r = ref_rat(numbers[i]), down, up, width;
        ival a;

        rat_init(&down);
        rat_init(&up);
        rat_init(&width);
        ival_init(&a, LOW);
        ival_set_rat(&a, &r);
        ival_down(&a, &down);
        ival_up(&a, &up);
        assert_true(rat_cmp(&down, &r) <= 0 && rat_cmp(&r, &up) <= 0);
        rat_sub(&width, &up, &down); /* within 2^-69 */
        rat_set_pow2(&down, -69);
        rat_mul(&down, &down, &r);
        rat_abs(&down, &down);
        assert_true(rat_cmp(&width, &down) <= 0);
        assert_false(ival_certainly_less_rat(&a, &r));
        assert_false(ival_certainly_above_rat(&a, &r));
        ival_clear(&a);
        rat_clear(&width);
        rat_clear(&up);
        rat_clear(&down);
        rat_clear(&r);
    }
}

static void
comparisons_are_certain(void **state)
{
    rat third = ref_rat("1/3"), half = ref_rat("1/2");
    ival a, b;

    (void)state;
    ival_init(&a, LOW);
    ival_init(&b, LOW);
    ival_set_rat(&a, &third);
    ival_set_rat(&b, &half);
    assert_true(ival_certainly_less(&a, &b));
    assert_false(ival_certainly_less(&b, &a));
    assert_false(ival_certainly_less(&b, &b));
    assert_true(ival_certainly_less_rat(&a, &half));
    assert_true(ival_certainly_above_rat(&b, &third));
    assert_false(ival_certainly_less_rat(&b, &third));
    assert_false(ival_certainly_above_rat(&a, &half));
    mpfr_set(a.hi, b.hi, MPFR_RNDU); /* [1/3, 1/2] */
    assert_false(ival_certainly_less(&a, &b));
    assert_false(ival_certainly_less_rat(&a, &half));
    ival_clear(&b);
    ival_clear(&a);
    rat_clear(&half);
    rat_clear(&third);
}

static void
says_nothing(const ival *a)
{
    rat huge = ref_rat("1e400"), tiny = ref_rat("-1e400");

    assert_false(ival_certainly_less_rat(a, &huge));
    assert_false(ival_certainly_above_rat(a, &tiny));
    assert_false(mpfr_nan_p(a->lo) || mpfr_nan_p(a->hi));
    rat_clear(&tiny);
    rat_clear(&huge);
}

/* Where the result is undefined on part of the interval. */
static void
undefined_is_the_whole_line(void **state)
{
    ival a, b, r;
    mpz_t z;

    (void)state;
    mpz_init(z);
    ival_init(&a, LOW);
    ival_init(&b, LOW);
    ival_init(&r, LOW);
    ival_set_i64(&a, -1);
    ival_set_i64(&b, 1);
    mpfr_set_si(b.lo, -1, MPFR_RNDD); /* [-1, 1] */
    ival_div(&r, &a, &b);
    says_nothing(&r);
    assert_false(ival_floor_pow2(&r, 0, z));
    ival_set_i64(&b, 0);
    ival_div(&r, &a, &b);
    says_nothing(&r);
    ival_mul(&r, &r, &b); /* 0 times an interval that contains infinity */
    says_nothing(&r);
    ival_log(&r, &a);
    says_nothing(&r);
    ival_sqrt(&r, &a);
    says_nothing(&r);
    ival_set_i64(&a, -2);
    ival_log1p(&r, &a);
    says_nothing(&r);
    ival_log(&r, &b); /* log 0: -inf at both ends, below every number */
    assert_true(mpfr_inf_p(r.lo));
    ival_set_i64(&a, 1);
    ival_div(&r, &a, &b);
    ival_sub(&r, &r, &r);
    says_nothing(&r);
    mpfr_set_si(b.lo, -1, MPFR_RNDD);
    mpfr_set_si(b.hi, 4, MPFR_RNDU);
    ival_sqrt(&r, &b); /* defined at the upper end only */
    assert_true(mpfr_inf_p(r.lo) && mpfr_cmp_ui(r.hi, 2) >= 0);
    assert_false(ival_floor_pow2(&r, 0, z));
    mpfr_set_inf(a.lo, -1);
    mpfr_set_inf(a.hi, 1);
    mpfr_set_inf(b.lo, -1);
    mpfr_set_inf(b.hi, -1);
    ival_add(&r, &a, &b); /* inf - inf at the upper end */
    says_nothing(&r);
    ival_clear(&r);
    ival_clear(&b);
    ival_clear(&a);
    mpz_clear(z);
}

static void
floors_are_certain(void **state)
{
    rat third = ref_rat("1/3");
    ival a;
    mpz_t z;

    (void)state;
    mpz_init(z);
    ival_init(&a, LOW);
    ival_set_rat(&a, &third);
    assert_true(ival_floor_pow2(&a, 10, z));
    assert_int_equal(mpz_get_si(z), 341);
    assert_false(ival_floor_pow2(&a, 200, z)); /* wider than a unit */
    ival_neg(&a, &a);
    assert_true(ival_floor_pow2(&a, 10, z));
    assert_int_equal(mpz_get_si(z), -342);
    ival_set_i64(&a, 5);
    assert_true(ival_floor_pow2(&a, -1, z));
    assert_int_equal(mpz_get_si(z), 2);
    mpfr_nextbelow(a.lo); /* now just below 5 is possible */
    assert_false(ival_floor_pow2(&a, 0, z));
    ival_mul_pow2(&a, &a, 3);
    assert_int_equal(mpfr_get_si(a.hi, MPFR_RNDN), 40);
    ival_forget_caches();
    ival_clear(&a);
    mpz_clear(z);
    rat_clear(&third);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_contain_their_values),
        cmocka_unit_test(erfc_is_as_tight_as_asked),
        cmocka_unit_test(erfc_of_few_terms_holds_the_value),
        cmocka_unit_test(arithmetic_contains_its_values),
        cmocka_unit_test(ends_enclose_exact_numbers),
        cmocka_unit_test(comparisons_are_certain),
        cmocka_unit_test(undefined_is_the_whole_line),
        cmocka_unit_test(floors_are_certain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
