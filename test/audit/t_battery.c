/*
 * The mechanisms of the battery: that each has the law, and the fault, that it
 * is there for. Frequencies are compared with exact probabilities at 6 standard
 * deviations; there are fewer than 100 comparisons, so with fresh seeds the
 * program would fail once in 5 million runs. Seeds are fixed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "audit/battery/battery.h"
#include "audit/battery/mechanism.h"
#include "base/base.h"

enum { DRAWS = 200000 };

struct outputs {
    struct batch batch;
    double *number;
    uint32_t *length, *code;
};

static struct outputs
draw(const struct audit_target *target, const double *value, size_t n,
     uint64_t seed)
{
    struct outputs out = {.number = calloc(DRAWS * target->width, 8),
                          .length = calloc(DRAWS, 4),
                          .code = calloc(DRAWS, 4)};
    const struct data data = {value, n};
    struct coins coins;
    custos_err err = CUSTOS_ERR_INIT;

    out.batch = (struct batch){.n = DRAWS,
                               .width = target->width,
                               .number = out.number,
                               .length = out.length,
                               .code = out.code};
    coins_seed(&coins, seed, 0);
    assert_int_equal(
        target->sample(target, NULL, &data, &coins, &out.batch, &err), 0);
    return out;
}

static void
outputs_free(struct outputs *out)
{
    free(out->number);
    free(out->length);
    free(out->code);
}

static double
number_of(const struct outputs *out, size_t i, size_t j)
{
    return out->number[i * out->batch.width + j];
}

static void
check_frequency(size_t hits, double p)
{
    double sd = sqrt(DRAWS * p * (1 - p));

    if (fabs((double)hits - DRAWS * p) > 6 * sd + 1)
        fail_msg("%zu hits of %d, expected %g", hits, DRAWS, DRAWS * p);
}

static size_t
count_equal(const struct outputs *out, size_t j, double value)
{
    size_t hits = 0;

    for (size_t i = 0; i < DRAWS; i++)
        hits += number_of(out, i, j) == value;
    return hits;
}

static size_t
count_most(const struct outputs *out, size_t j, double most)
{
    size_t hits = 0;

    for (size_t i = 0; i < DRAWS; i++)
        hits += number_of(out, i, j) <= most;
    return hits;
}

/* P[Lap(scale) <= x]; the lattice of 2^-10 moves it by less than 1e-4. */
static double
laplace_cdf(double x, double scale)
{
    return x < 0 ? exp(x / scale) / 2 : 1 - exp(-x / scale) / 2;
}

static void
laplace_is_laplace(void **state)
{
    const double x = 3;
    struct outputs out = draw(&battery_laplace, &x, 1, 1);

    (void)state;
    check_frequency(count_most(&out, 0, 3 - 0x1p-11), 0.5 - 0.5 / 20480);
    check_frequency(count_most(&out, 0, -7), laplace_cdf(-10, 10));
    check_frequency(count_most(&out, 0, 33), laplace_cdf(30, 10));
    for (size_t i = 0; i < DRAWS; i++)
        assert_true(fmod(number_of(&out, i, 0), 0x1p-10) == 0);
    outputs_free(&out);
}

/* F(z)/d as the paper has it, for c = 2: 8^(c-z) 9^(5-(c-z)) and so on. */
static void
geo_sample_has_its_integer_law(void **state)
{
    const double d = 17 * 6561.0, c = 2;
    const double below[] = {64 * 729 / d,     8 * 6561 / d,
                            1 - 8 * 6561 / d, 1 - 64 * 729 / d,
                            1 - 512 * 81 / d, 1};
    struct outputs out = draw(&battery_geo_sample, &c, 1, 2);

    (void)state;
    for (size_t z = 0; z < COUNT_OF(below); z++)
        check_frequency(count_equal(&out, 0, (double)z),
                        below[z] - (z ? below[z - 1] : 0));
    outputs_free(&out);
}

static void
scales_are_right_or_wrong_as_published(void **state)
{
    const double x[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    struct outputs out = draw(&battery_noisy_hist_1, x, 5, 3);

    (void)state;
    assert_int_equal(out.length[0], 5);
    check_frequency(count_most(&out, 4, -10), laplace_cdf(-10, 10));
    outputs_free(&out);
    out = draw(&battery_noisy_hist_2, x, 5, 4);
    check_frequency(count_most(&out, 4, -0.1), laplace_cdf(-0.1, 0.1) * 0.995);
    outputs_free(&out);
    out = draw(&battery_laplace_parallel, x, 1, 5);
    assert_int_equal(out.length[0], 20);
    check_frequency(count_most(&out, 19, -200), laplace_cdf(-200, 200));
    outputs_free(&out);
    out = draw(&battery_swapped_scale, x, 1, 6);
    check_frequency(count_most(&out, 0, -2.5), laplace_cdf(-2.5, 2.5));
    outputs_free(&out);
    out = draw(&battery_half_composition, x, 4, 7);
    check_frequency(count_most(&out, 3, -20), laplace_cdf(-20, 20));
    outputs_free(&out);
}

static void
prefix_sums_add_up(void **state)
{
    const double x[] = {5, 5, 5, 5, 5, 5, 5, 5, 5, 5};
    struct outputs out = draw(&battery_prefix_sum, x, 10, 8);
    size_t hits = 0;

    (void)state;
    for (size_t i = 0; i < DRAWS; i++)
        hits += number_of(&out, i, 9) - number_of(&out, i, 8) <= -5;
    check_frequency(hits, laplace_cdf(-10, 10));
    outputs_free(&out);
}

/* Of two equal queries either wins; of (0, 20) with Lap(s): the difference of
   two has P[> x] = e^-x/s (2 + x/s)/4. */
static void
noisy_max_has_its_law(void **state)
{
    const double equal[] = {1, 1}, apart[] = {0, 20};
    struct outputs out = draw(&battery_noisy_max_1, equal, 2, 9);

    (void)state;
    check_frequency(count_equal(&out, 0, 0), 0.5);
    outputs_free(&out);
    out = draw(&battery_noisy_max_1, apart, 2, 10);
    check_frequency(count_equal(&out, 0, 0), exp(-1) * 3 / 4);
    outputs_free(&out);
    out = draw(&battery_noisy_max_factor, apart, 2, 11);
    check_frequency(count_equal(&out, 0, 0), exp(-2));
    outputs_free(&out);
    out = draw(&battery_noisy_max_2, apart, 2, 12);
    check_frequency(count_equal(&out, 0, 0), exp(-1) / 2);
    outputs_free(&out);
    out = draw(&battery_noisy_max_3, equal, 2, 13);
    check_frequency(count_most(&out, 0, 1), 0.25);
    outputs_free(&out);
    out = draw(&battery_noisy_max_4, equal, 2, 14);
    assert_int_equal(count_most(&out, 0, 1 - 0x1p-11), 0);
    outputs_free(&out);
}

/* With a difference d of threshold and query, P[above] of a fresh threshold. */
static void
sparse_vectors_stop_where_they_should(void **state)
{
    const double low[] = {-9999, -9999, 9999, 9999, 9999,
                          9999,  9999,  9999, 9999, 9999};
    const struct {
        const struct audit_target *target;
        uint32_t length;
    } cases[] = {{&battery_svt_1, 3},     {&battery_svt_2, 3},
                 {&battery_svt_3, 3},     {&battery_svt_4, 3},
                 {&battery_svt_5, 10},    {&battery_svt_6, 10},
                 {&battery_svt_3_4, 13},  {&battery_numeric_svt, 4},
                 {&battery_svt_reused, 3}};

    (void)state;
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        struct outputs out = draw(cases[c].target, low, 10, 20 + c);
        double first = number_of(&out, 0, 0), third = number_of(&out, 0, 2);

        for (size_t i = 0; i < DRAWS; i++)
            assert_int_equal(out.length[i], cases[c].length);
        assert_true(first == 0 || first == BATTERY_BELOW);
        assert_true(first == BATTERY_BELOW ? third > 9000 : third == 1);
        outputs_free(&out);
    }
}

/* The law of the first answer at the threshold is a fair coin; and that of two
   answers of algorithm 5, which has one noise for both, is the same coin. */
static void
sparse_vectors_answer_by_their_noise(void **state)
{
    const double at[] = {1, 1}, above[] = {21, 21};
    struct outputs out = draw(&battery_svt_1, above, 1, 30);
    size_t differ = 0;

    (void)state;
    /* Lap(20) - Lap(40) <= 20, by partial fractions */
    check_frequency(count_equal(&out, 0, 1),
                    1 - (1600 * exp(-0.5) - 400 * exp(-1)) / (1200 * 2));
    outputs_free(&out);
    out = draw(&battery_svt_6, above, 1, 31);
    check_frequency(count_equal(&out, 0, 1), 1 - exp(-1) * 3 / 4);
    outputs_free(&out);
    out = draw(&battery_svt_5, at, 2, 32);
    for (size_t i = 0; i < DRAWS; i++)
        differ += number_of(&out, i, 0) != number_of(&out, i, 1);
    assert_int_equal(differ, 0);
    check_frequency(count_equal(&out, 0, 1), 0.5 + 0.5 / 40960);
    outputs_free(&out);
}

static void
rappor_flips_bits(void **state)
{
    const double value = 0;
    uint32_t filter = rappor_filter(value);
    struct outputs out = draw(&battery_rappor, &value, 1, 40);
    struct outputs once = draw(&battery_rappor_once, &value, 1, 41);

    (void)state;
    assert_int_equal(filter & rappor_filter(5), 0);
    assert_int_equal(__builtin_popcount(filter), 4);
    assert_int_equal(__builtin_popcount(rappor_filter(5)), 4);
    for (size_t bit = 0; bit < 20; bit++) {
        bool set = (filter >> bit) & 1;

        check_frequency(count_equal(&out, bit, 1), set ? 0.5125 : 0.4875);
        check_frequency(count_equal(&once, bit, 1), set ? 0.525 : 0.475);
    }
    outputs_free(&out);
    outputs_free(&once);
}

static void
mistakes_are_there(void **state)
{
    const double x[] = {3, 8}, keys[] = {0, 1}, limit[] = {INT32_MAX, 1};
    struct outputs out = draw(&battery_reused_seed, x, 2, 50);
    size_t shown = 0;

    (void)state;
    for (size_t i = 0; i < DRAWS; i++)
        assert_true(number_of(&out, i, 1) - number_of(&out, i, 0) == 5);
    outputs_free(&out);
    out = draw(&battery_key_threshold_low, keys, 2, 51);
    for (size_t i = 0; i < DRAWS; i++)
        shown += number_of(&out, i, 1) > 0;
    check_frequency(shown, exp(-5) / 2);
    outputs_free(&out);
    out = draw(&battery_key_threshold, keys, 2, 52);
    shown = 0;
    for (size_t i = 0; i < DRAWS; i++)
        shown += number_of(&out, i, 1) > 0;
    check_frequency(shown, exp(-6) / 2);
    outputs_free(&out);
    out = draw(&battery_wrapping_sum, limit, 2, 53);
    assert_int_equal(count_most(&out, 0, -0x1p30), DRAWS);
    outputs_free(&out);
}

/* Beside 1 a double has no bits below 2^-53; beside 0 it has. */
static void
floats_show_their_low_bits(void **state)
{
    const struct audit_target *targets[] = {
        &battery_float_laplace, &battery_float_clamp, &battery_float_gaussian};

    (void)state;
    for (size_t t = 0; t < COUNT_OF(targets); t++)
        for (int x = 0; x <= 1; x++) {
            const double value = x;
            struct outputs out = draw(targets[t], &value, 1, 60 + t);
            size_t fine = 0;

            for (size_t i = 0; i < DRAWS; i++)
                fine += fmod(number_of(&out, i, 0), 0x1p-53) != 0;
            assert_true(x ? fine == 0 : fine > DRAWS / 50);
            outputs_free(&out);
        }
}

static void
seeds_reproduce(void **state)
{
    (void)state;
    for (size_t i = 0; i < battery_n_entries; i++) {
        const struct audit_target *target = battery_entries[i].target;
        size_t bytes = DRAWS * target->width * sizeof(double);
        struct outputs a, b, c;
        struct pairs pairs;
        struct data x;

        assert_int_equal(battery_pairs(&battery_entries[i], &pairs, NULL), 0);
        x = pairs.pair[0].b;
        a = draw(target, x.value, x.n, 70);
        b = draw(target, x.value, x.n, 70);
        c = draw(target, x.value, x.n, 71);
        pairs_clear(&pairs);

        assert_memory_equal(a.number, b.number, bytes);
        assert_memory_equal(a.length, b.length, DRAWS * sizeof *a.length);
        assert_true(memcmp(a.number, c.number, bytes) ||
                    memcmp(a.length, c.length, DRAWS * sizeof *a.length));
        outputs_free(&a);
        outputs_free(&b);
        outputs_free(&c);
    }
}

static void
every_entry_is_complete(void **state)
{
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t i = 0; i < battery_n_entries; i++) {
        const struct battery_entry *e = &battery_entries[i];
        const struct mechanism *m = e->target->self;
        struct pairs pairs;

        assert_ptr_equal(battery_find(e->name), e);
        assert_true(e->goal > 0 || e->soundness == CORRECT);
        assert_true(e->soundness == CORRECT ? e->truth <= e->claim.epsilon
                                            : e->truth > e->claim.epsilon);
        assert_true(e->goal <= e->truth);
        assert_true(e->goal == 0 || e->soundness == CORRECT ||
                    e->goal > e->claim.epsilon);
        assert_true(e->goal_samples > BATTERY_GOAL_SAMPLES ||
                    e->samples >= e->goal_samples);
        assert_non_null(e->sniper);
        assert_non_null(e->statdp);
        assert_true(*e->source);
        assert_int_equal(battery_pairs(e, &pairs, &err), 0);
        assert_true(pairs.n > 0);
        for (size_t p = 0; p < pairs.n; p++)
            assert_true(pairs.pair[p].a.n <= m->most &&
                        pairs.pair[p].b.n <= m->most);
        pairs_clear(&pairs);
    }
    assert_null(battery_find("no such mechanism"));
}

static enum battery_verdict
judge(const char *name, double epsilon, uint64_t n)
{
    const struct battery_entry *entry = battery_find(name);

    return battery_judge(
        entry, &(struct finding){.epsilon = epsilon,
                                 .n = n,
                                 .refuted = epsilon > entry->claim.epsilon});
}

static void
verdicts(void **state)
{
    (void)state;
    assert_int_equal(judge("laplace", 0.11, 10000000), BATTERY_FALSE_ALARM);
    assert_int_equal(judge("laplace", 0.05, 10000000), BATTERY_MISSED);
    assert_int_equal(judge("laplace", 0.05, 9999999), BATTERY_QUIET);
    assert_int_equal(judge("laplace", 0.097, 10000000), BATTERY_QUIET);
    assert_int_equal(judge("prefix-sum", 0.5, 10000000), BATTERY_MISSED);
    assert_int_equal(judge("prefix-sum", 0.5, 1000000), BATTERY_CAUGHT);
    assert_int_equal(judge("prefix-sum", 0.95, 10000000), BATTERY_CAUGHT);
    assert_int_equal(judge("svt-4", 0.15, 10000000), BATTERY_CAUGHT);
    assert_int_equal(judge("svt-4", 0.09, 10000000), BATTERY_NOT_CAUGHT);
}

static void
too_many_numbers_are_rejected(void **state)
{
    const double x[] = {1, 2};
    const struct data data = {x, 2};
    struct batch none = {.n = 0, .width = 1};
    struct coins coins;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    coins_seed(&coins, 1, 0);
    assert_int_equal(battery_laplace.sample(&battery_laplace, NULL, &data,
                                            &coins, &none, &err),
                     CUSTOS_EINVAL);
    assert_string_equal(err.said, "laplace takes at most 1 numbers, not 2");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laplace_is_laplace),
        cmocka_unit_test(geo_sample_has_its_integer_law),
        cmocka_unit_test(scales_are_right_or_wrong_as_published),
        cmocka_unit_test(prefix_sums_add_up),
        cmocka_unit_test(noisy_max_has_its_law),
        cmocka_unit_test(sparse_vectors_stop_where_they_should),
        cmocka_unit_test(sparse_vectors_answer_by_their_noise),
        cmocka_unit_test(rappor_flips_bits),
        cmocka_unit_test(mistakes_are_there),
        cmocka_unit_test(floats_show_their_low_bits),
        cmocka_unit_test(seeds_reproduce),
        cmocka_unit_test(every_entry_is_complete),
        cmocka_unit_test(verdicts),
        cmocka_unit_test(too_many_numbers_are_rejected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
