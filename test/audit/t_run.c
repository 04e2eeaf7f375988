/*
 * The auditor itself: it finds each planted fault by the feature made for it, is
 * quiet on correct mechanisms, repeats itself for the same seed on any number
 * of threads, and passes failures on.
 *
 * False alarms: every quiet claim is audited at level 1e-9, so that all of them
 * together are wrong with probability below 1e-7; seeds are fixed.
 */
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "audit/audit.h"
#include "base/error.h"
#include "support/support.h"

static const double epsilon = 0.5;
static const double grid = 0x1p-10;
static double zeros[8];
static double ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
static const struct pair one = {"0 and 1", {zeros, 1}, {ones, 1}};
static const struct pair eight = {"zeros and ones", {zeros, 8}, {ones, 8}};

static custos_status
add_noise(const struct audit_target *t, void *state, const struct data *data,
          struct coins *coins, struct batch *out, custos_err *err)
{
    double scale = *(const double *)t->self;

    (void)state;
    (void)err;
    for (size_t i = 0; i < out->n; i++) {
        out->length[i] = (uint32_t)data->n;
        for (size_t k = 0; k < data->n; k++)
            out->number[i * out->width + k] =
                data->value[k] + coins_lattice_laplace(coins, scale, grid);
    }
    return CUSTOS_OK;
}

/* As most programs do it: doubles. */
static custos_status
float_noise(const struct audit_target *t, void *state, const struct data *data,
            struct coins *coins, struct batch *out, custos_err *err)
{
    double scale = *(const double *)t->self;

    (void)state;
    (void)err;
    for (size_t i = 0; i < out->n; i++) {
        double noise = -scale * log(coins_uniform(coins));

        out->length[i] = 1;
        out->number[i * out->width] =
            data->value[0] + (coins_word(coins) >> 63 ? noise : -noise);
    }
    return CUSTOS_OK;
}

/* Correct noise, but something else shows the value. */
enum leak { LEAK_LENGTH, LEAK_CODE, LEAK_TIME, LEAK_RUNNING_SUMS, LEAK_RARE };

static custos_status
leak(const struct audit_target *t, void *state, const struct data *data,
     struct coins *coins, struct batch *out, custos_err *err)
{
    enum leak what = *(const enum leak *)t->self;
    bool hit = data->value[0] > 0;

    (void)state;
    (void)err;
    for (size_t i = 0; i < out->n; i++) {
        double *number = out->number + i * out->width, sum = 0;

        out->length[i] = 1;
        number[0] = coins_lattice_laplace(coins, 10, grid);
        if (what == LEAK_LENGTH && hit)
            out->length[i] = coins_flip(coins, 0.5) ? 2 : 1;
        if (what == LEAK_CODE && hit)
            out->code[i] = coins_flip(coins, 0.01) ? 77 : 0;
        if (what == LEAK_RARE && hit)
            out->code[i] = coins_flip(coins, 1e-3) ? 78 : 0;
        if (out->seconds)
            out->seconds[i] =
                coins_uniform(coins) + (what == LEAK_TIME && hit ? 0.3 : 0);
        for (size_t k = 0; what == LEAK_RUNNING_SUMS && k < 8; k++) {
            out->length[i] = 8;
            number[k] = sum +=
                data->value[k] + coins_lattice_laplace(coins, 2, grid);
        }
    }
    return CUSTOS_OK;
}

static struct finding
audit(const struct audit_target *t, const struct pair *pair, struct claim claim,
      double samples, double level)
{
    struct audit_options options = {
        .samples = (uint64_t)samples, .level = level, .seed = 7};
    struct finding f;
    custos_err err = CUSTOS_ERR_INIT;

    if (audit_run(t, &claim, pair, 1, &options, &f, &err))
        fail_msg("%s", err.said);
    return f;
}

static void
correct_noise_is_quiet(void **state)
{
    double scale = 1 / epsilon, shared = 8 / epsilon;
    struct audit_target scalar = {
        .name = "laplace", .width = 1, .self = &scale, .sample = add_noise};
    struct audit_target vector = {
        .name = "vector", .width = 8, .self = &shared, .sample = add_noise};
    struct finding f;

    (void)state;
    f = audit(&scalar, &one, (struct claim){.epsilon = epsilon}, 4e5, 1e-9);
    assert_false(f.refuted);
    assert_true(f.epsilon > 0.9 * epsilon); /* and not blind */
    f = audit(&vector, &eight, (struct claim){.epsilon = epsilon}, 1e5, 1e-9);
    assert_false(f.refuted);
}

static void
wrong_scale_is_found(void **state)
{
    double scale = 0.5 / epsilon;
    struct audit_target t = {
        .name = "half", .width = 1, .self = &scale, .sample = add_noise};
    struct finding f =
        audit(&t, &one, (struct claim){.epsilon = epsilon}, 1e5, 1e-6);

    (void)state;
    assert_true(f.refuted);
    assert_true(f.epsilon > 1.8 * epsilon && f.epsilon < 2 * epsilon);
    assert_true(f.hits > f.other_hits);
    assert_true(f.n_bars > 2);
}

/* A2 of the team's list of attacks: at least 4 from 10^4 outputs. */
static void
floating_point_is_found(void **state)
{
    double scale = 10;
    struct audit_target t = {
        .name = "float", .width = 1, .self = &scale, .sample = float_noise};
    struct finding f =
        audit(&t, &one, (struct claim){.epsilon = 0.1}, 1e4, 0.05);

    (void)state;
    assert_true(f.refuted);
    assert_true(f.epsilon >= 4);
    assert_int_equal(f.other_hits, 0);
}

static void
every_leak_is_found(void **state)
{
    static const struct {
        enum leak leak;
        bool timed;
        const char *feature;
        double epsilon;
    } leaks[] = {
        {LEAK_LENGTH, false, "how many numbers", 6},
        {LEAK_CODE, false, "status", 3},
        {LEAK_TIME, true, "run time", 2},
        {LEAK_RUNNING_SUMS, false, "differences", 2.2}, /* 4 is the truth */
        {LEAK_RARE, false, "status", 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof leaks / sizeof leaks[0]; i++) {
        struct audit_target t = {.name = "leak",
                                 .width = 8,
                                 .timed = leaks[i].timed,
                                 .self = &leaks[i].leak,
                                 .sample = leak};
        struct finding f =
            audit(&t, &eight, (struct claim){.epsilon = 0.1}, 1e5, 1e-6);

        if (!f.refuted || f.epsilon < leaks[i].epsilon ||
            !strstr(f.event, leaks[i].feature))
            fail_msg("leak %zu: epsilon %g, %s", i, f.epsilon, f.event);
    }
}

/* P[E] <= e^epsilon Q[E] + delta: what delta allows is not refuted. */
static void
delta_allows_rare_events(void **state)
{
    enum leak rare = LEAK_RARE;
    struct audit_target t = {
        .name = "rare", .width = 8, .self = &rare, .sample = leak};
    struct claim allowed = {.epsilon = 0.01, .delta = 1.5e-3};
    struct claim broken = {.epsilon = 0.01, .delta = 1e-4};

    (void)state;
    assert_false(audit(&t, &eight, allowed, 2e5, 1e-9).refuted);
    assert_true(audit(&t, &eight, broken, 2e5, 1e-6).refuted);
}

/* Gaussian-like claims: shift over deviation of a sum of uniforms is about mu. */
static custos_status
nearly_gaussian(const struct audit_target *t, void *state,
                const struct data *data, struct coins *coins, struct batch *out,
                custos_err *err)
{
    double sigma = *(const double *)t->self;

    (void)state;
    (void)err;
    for (size_t i = 0; i < out->n; i++) {
        double sum = -6;

        for (int k = 0; k < 12; k++)
            sum += coins_uniform(coins);
        out->length[i] = 1;
        out->number[i] = rint((data->value[0] + sigma * sum) * 1024) / 1024;
    }
    return CUSTOS_OK;
}

static void
mu_of_gaussian_claims(void **state)
{
    double sigma = 2; /* mu = 0.5 in the middle of the law */
    struct audit_target t = {.name = "gaussian",
                             .width = 1,
                             .self = &sigma,
                             .sample = nearly_gaussian};
    struct finding f = audit(&t, &one, (struct claim){.mu = 0.25}, 1e5, 1e-6);

    (void)state;
    assert_true(f.refuted && f.mu > 0.44);
    f = audit(&t, &one, (struct claim){.mu = 0.6}, 1e5, 1e-9);
    assert_false(f.refuted);
}

static void
seed_decides_everything(void **state)
{
    double scale = 1 / epsilon;
    struct audit_target t = {
        .name = "laplace", .width = 1, .self = &scale, .sample = add_noise};
    struct claim claim = {.epsilon = epsilon};
    struct finding f[3];

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct audit_options options = {.samples = 50000,
                                        .level = 0.05,
                                        .threads = i + 1,
                                        .seed = i == 2 ? 8 : 7};

        assert_int_equal(audit_run(&t, &claim, &one, 1, &options, &f[i], NULL),
                         CUSTOS_OK);
    }
    assert_int_equal(f[0].hits, f[1].hits);
    assert_int_equal(f[0].other_hits, f[1].other_hits);
    assert_string_equal(f[0].event, f[1].event);
    assert_true(f[0].hits != f[2].hits || f[0].other_hits != f[2].other_hits);
}

/* The best of many pairs is found, and the likelier neighbour comes first. */
static void
best_pair_is_found(void **state)
{
    static double row[40];
    struct pair pairs[20];
    double scale = 1;
    struct audit_target t = {
        .name = "laplace", .width = 1, .self = &scale, .sample = add_noise};
    struct audit_options options = {
        .samples = 100000, .level = 0.05, .seed = 3};
    struct claim claim = {.epsilon = 1};
    struct finding f;

    (void)state;
    for (size_t i = 0; i < 20; i++) {
        row[2 * i + 1] = i == 13 ? 1 : (double)i / 128; /* on the grid */
        pairs[i] = (struct pair){"", {&row[2 * i], 1}, {&row[2 * i + 1], 1}};
    }
    assert_int_equal(audit_run(&t, &claim, pairs, 20, &options, &f, NULL),
                     CUSTOS_OK);
    assert_true(f.epsilon > 0.9);
    assert_true(fmax(*f.pair.a.value, *f.pair.b.value) == 1);
}

static void
seconds_are_kept(void **state)
{
    double scale = 1 / epsilon;
    struct audit_target t = {
        .name = "laplace", .width = 1, .self = &scale, .sample = add_noise};
    struct audit_options options = {.seconds = 1, .level = 0.05, .seed = 1};
    struct claim claim = {.epsilon = epsilon};
    struct finding f;

    (void)state;
    assert_int_equal(audit_run(&t, &claim, &one, 1, &options, &f, NULL),
                     CUSTOS_OK);
    assert_true(f.n >= 1000);
    assert_true(f.seconds < 60); /* not a measure of speed */
}

/* The first outputs take long, as on a machine that is busy for a while. */
static custos_status
noise_after_waiting(const struct audit_target *t, void *state,
                    const struct data *data, struct coins *coins,
                    struct batch *out, custos_err *err)
{
    static atomic_int drawn;
    const struct timespec wait = {.tv_nsec = 20000000};

    if (atomic_fetch_add(&drawn, 1) < 16)
        nanosleep(&wait, NULL);
    return add_noise(t, state, data, coins, out, err);
}

static void
search_grows_while_there_is_time(void **state)
{
    double scale = 1 / epsilon;
    struct audit_target target = {.name = "laplace",
                                  .width = 1,
                                  .slow = true,
                                  .self = &scale,
                                  .sample = noise_after_waiting};
    struct audit_options options = {.seconds = 6, .level = 1e-9, .seed = 5};
    struct claim claim = {.epsilon = epsilon};
    struct finding f;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(audit_run(&target, &claim, &one, 1, &options, &f, &err),
                     CUSTOS_OK);
    assert_false(f.refuted);
    /* By the first outputs, there is time for a search of 128. */
    assert_true(f.search >= 256);
}

static custos_status
fail_sampling(const struct audit_target *t, void *state,
              const struct data *data, struct coins *coins, struct batch *out,
              custos_err *err)
{
    (void)t;
    (void)state;
    (void)data;
    (void)coins;
    (void)out;
    return custos_fail(err, CUSTOS_EENTROPY, "no coins today");
}

static void
failures_and_bad_options(void **state)
{
    double scale = 1;
    struct audit_target good = {
        .name = "laplace", .width = 1, .self = &scale, .sample = add_noise};
    struct audit_target bad = {
        .name = "bad", .width = 1, .sample = fail_sampling};
    struct audit_target wide = good;
    struct audit_options options = {.samples = 10000, .level = 0.05};
    struct audit_options none = {.level = 0.05}, sure = {.samples = 1};
    struct claim claim = {.epsilon = 1};
    struct finding f;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(audit_run(&bad, &claim, &one, 1, &options, &f, &err),
                     CUSTOS_EENTROPY);
    assert_string_equal(err.said, "no coins today");
    assert_int_equal(audit_run(&good, &claim, &one, 0, &options, &f, &err),
                     CUSTOS_EINVAL);
    assert_int_equal(audit_run(&good, &claim, &one, 1, &none, &f, &err),
                     CUSTOS_EINVAL);
    assert_int_equal(audit_run(&good, &claim, &one, 1, &sure, &f, &err),
                     CUSTOS_EINVAL);
    wide.width = AUDIT_WIDTH_MAX + 1;
    assert_int_equal(audit_run(&wide, &claim, &one, 1, &options, &f, &err),
                     CUSTOS_EINVAL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(correct_noise_is_quiet),
        cmocka_unit_test(wrong_scale_is_found),
        cmocka_unit_test(floating_point_is_found),
        cmocka_unit_test(every_leak_is_found),
        cmocka_unit_test(delta_allows_rare_events),
        cmocka_unit_test(mu_of_gaussian_claims),
        cmocka_unit_test(seed_decides_everything),
        cmocka_unit_test(best_pair_is_found),
        cmocka_unit_test(seconds_are_kept),
        cmocka_unit_test(search_grows_while_there_is_time),
        cmocka_unit_test(failures_and_bad_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
