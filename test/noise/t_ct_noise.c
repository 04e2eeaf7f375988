/*
 * Constant time, checked by valgrind: all random words count as undefined
 * memory, so valgrind reports a branch or an address that depends on them. Two
 * samplers that leak on purpose show that valgrind catches leaks.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/memcheck.h>

#include "noise/draw.h"
#include "random/rng.h"
#include "support/ref.h"
#include "support/support.h"

enum { DRAWS = 200 };

static i128 drawn[DRAWS];

/* Draws, and returns how many errors valgrind reported. */
static unsigned
errors_of(const custos_noise *noise, size_t n)
{
    custos_rng *rng = test_rng_seeded(1);
    unsigned before = VALGRIND_COUNT_ERRORS;
    custos_status st = noise_draw(noise, rng, drawn, n);

    assert_int_equal(st, CUSTOS_OK);
    test_rng_free(rng);
    return (unsigned)VALGRIND_COUNT_ERRORS - before;
}

/* Whether all draws count as undefined, so that the marks were not lost. */
static bool
draws_are_secret(size_t n)
{
    bool secret = true;

    for (size_t i = 0; i < n; i++) {
        uint8_t undefined = 0; /* valgrind's bits: 1 is undefined */

        VALGRIND_GET_VBITS(&drawn[i], &undefined, 1);
        secret &= undefined != 0;
    }
    return secret;
}

static custos_noise *
make_noise(custos_law law, const char *parameter)
{
    custos_noise *noise = NULL;

    assert_int_equal(custos_noise_new(NULL, law, parameter, &noise, NULL),
                     CUSTOS_OK);
    return noise;
}

static const struct {
    custos_law law;
    const char *parameter;
} all[] = {
    {CUSTOS_DISCRETE_LAPLACE, "0.01"},
    {CUSTOS_DISCRETE_LAPLACE, "1000"},
    {CUSTOS_DISCRETE_LAPLACE, "1e18"},
    {CUSTOS_GEOMETRIC, "3"},
    {CUSTOS_GEOMETRIC, "1e18"},
    {CUSTOS_DISCRETE_GAUSSIAN, "0.1"},
    {CUSTOS_DISCRETE_GAUSSIAN, "1000"},
    {CUSTOS_DISCRETE_GAUSSIAN, "1e18"},
    {CUSTOS_BERNOULLI, "1/3"},
    {CUSTOS_BERNOULLI_EXP, "0.5"},
    {CUSTOS_BERNOULLI_EXP, "1e5"},
    {CUSTOS_UNIFORM, "6"},
    {CUSTOS_UNIFORM, "12345678901234567890"},
    {CUSTOS_UNIFORM, "18446744073709551616"},
};

static void
portable_draws_take_the_same_steps(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        custos_noise *noise = make_noise(all[i].law, all[i].parameter);

        assert_string_equal(noise->kernel->name, "portable");
        for (size_t n = 1; n <= DRAWS; n += 66)
            assert_int_equal(errors_of(noise, n), 0);
        custos_noise_free(noise);
    }
}

static void
avx2_draws_take_the_same_steps(void **state)
{
    (void)state;
#ifdef CUSTOS_HAVE_AVX2
    static const struct kernel avx2 = {"avx2", dials_scan_avx2,
                                       gauss_judge_avx2};

    if (!__builtin_cpu_supports("avx2"))
        skip();
    for (size_t i = 0; i < 8; i++) {
        custos_noise *noise = make_noise(all[i].law, all[i].parameter);

        noise->kernel = &avx2;
        for (size_t n = 1; n <= DRAWS; n += 66)
            assert_int_equal(errors_of(noise, n), 0);
        custos_noise_free(noise);
    }
#else
    skip();
#endif
}

/* The gaps of a slope are secret too, because they come from the data. */
static void
slopes_take_the_same_steps(void **state)
{
    custos_rng *rng = test_rng_seeded(1);
    rat rate = ref_rat("1/7");
    uint64_t gaps[DRAWS];
    uint8_t heads[DRAWS];
    struct slope s;
    unsigned before = VALGRIND_COUNT_ERRORS;

    (void)state;
    assert_int_equal(slope_init(&s, &rate), CUSTOS_OK);
    for (size_t i = 0; i < DRAWS; i++)
        gaps[i] = i * i;
    VALGRIND_MAKE_MEM_UNDEFINED(gaps, sizeof gaps);
    assert_int_equal(slope_flip(&s, rng, gaps, DRAWS, heads), CUSTOS_OK);
    assert_int_equal(VALGRIND_COUNT_ERRORS, before);
    slope_clear(&s);
    rat_clear(&rate);
    test_rng_free(rng);
}

/* ------------------------------------------------------- leaky twins -- */

/*
 * Compares with one cut after the other and stops at the first that is not
 * below the word, so that time reveals the digit.
 */
static uint64_t
stopping_scan(const struct dials *d, const uint64_t *words, size_t from,
              size_t n, struct outcomes *out)
{
    for (size_t k = from; k < n; k++) {
        out->low[k] = out->high[k] = out->sign[k] = 0;
        for (size_t i = 0; i < d->count; i++) {
            uint64_t digit = 0;

            while (digit < 15 && words[i * n + k] > d->cut[i][digit])
                digit++;
            out->low[k] += digit << (4 * i);
        }
    }
    return 0;
}

/* Looks the digit up in a table by the top bits; the cache reveals them. */
static uint64_t
looking_scan(const struct dials *d, const uint64_t *words, size_t from,
             size_t n, struct outcomes *out)
{
    const unsigned char *table = (const unsigned char *)d->across;

    for (size_t k = from; k < n; k++) {
        out->high[k] = out->sign[k] = 0;
        out->low[k] = table[words[k] >> 56];
    }
    return 0;
}

static const struct kernel leaky[] = {
    {"stopping", stopping_scan, gauss_judge},
    {"looking", looking_scan, gauss_judge},
};

/*
 * Runs in a child, whose errors do not count as ours; valgrind exits with 99.
 */
static int
status_of_child(const struct kernel *kernel)
{
    int status = -1;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        custos_noise *noise = make_noise(CUSTOS_GEOMETRIC, "1000");
        custos_rng *rng = test_rng_seeded(1);
        unsigned before = VALGRIND_COUNT_ERRORS;

        noise->kernel = kernel;
        if (noise_draw(noise, rng, drawn, DRAWS))
            _exit(3);
        _exit(VALGRIND_COUNT_ERRORS > before ? 10 : 11);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void
leaky_twins_are_reported(void **state)
{
    (void)state;
    if (!RUNNING_ON_VALGRIND)
        skip();
    for (size_t i = 0; i < COUNT_OF(leaky); i++) {
        int status = status_of_child(&leaky[i]);

        assert_true(status == 99 || status == 10);
    }
    assert_int_equal(status_of_child(&kernel_portable), 11);
}

/* Without marks on the words the tests above would be meaningless. */
static void
draws_carry_the_marks(void **state)
{
    (void)state;
    if (!RUNNING_ON_VALGRIND)
        skip();
    for (size_t i = 0; i < 8; i++) {
        custos_noise *noise = make_noise(all[i].law, all[i].parameter);

        assert_int_equal(errors_of(noise, 10), 0);
        assert_true(draws_are_secret(10));
        custos_noise_free(noise);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portable_draws_take_the_same_steps),
        cmocka_unit_test(avx2_draws_take_the_same_steps),
        cmocka_unit_test(slopes_take_the_same_steps),
        cmocka_unit_test(leaky_twins_are_reported),
        cmocka_unit_test(draws_carry_the_marks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
