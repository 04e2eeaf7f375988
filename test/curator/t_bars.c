/*
 * Error bars of ratios and variances: simulated coverage of the exact value,
 * and the bars of values that are all noise.
 *
 * Coverage is asserted within 4 sampling deviations. With fresh seeds, a
 * setting with a coverage of exactly 95 % would fail falsely once in 10,000
 * runs or less often. The seeds are fixed.
 */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/base.h"
#include "curator/bars.h"
#include "noise/noise.h"
#include "support/support.h"

static const char *const kinds[] = {"Laplace", "Gauss"};

/* ------------------------------------------------------------------ noise -- */

static void
draw(struct bar_law law, custos_rng *rng, i128 *out, size_t n)
{
    custos_law which = law.kind == BAR_LAPLACE ? CUSTOS_DISCRETE_LAPLACE
                                               : CUSTOS_DISCRETE_GAUSSIAN;
    custos_noise *noise = NULL;
    char scale[40];

    snprintf(scale, sizeof scale, "%.17g", law.scale);
    assert_int_equal(custos_noise_new(NULL, which, scale, &noise, NULL), 0);
    assert_int_equal(noise_draw(noise, rng, out, n), 0);
    custos_noise_free(noise);
}

/* --------------------------------------------------------------- coverage -- */

/*
 * A group of n values. `place` is where in the range, from 0 to 1, the mean is;
 * for variances, the share of values at the upper end.
 */
struct setting {
    double n, epsilon, width, place;
    enum bar_kind kind;
};

struct seen {
    double covered;      /* share of the bars that contain the exact value */
    double whole;        /* share that are the entire range */
    double microseconds; /* CPU time of one bar */
};

/*
 * The price is split equally over `parts` releases. 4.2 is the sigma that a
 * sensitivity of 1 needs at epsilon 1 and delta 10^-6.
 */
static struct bar_law
law_of(const struct setting *t, double sensitivity, int parts)
{
    double scale = sensitivity * parts / t->epsilon;

    return (struct bar_law){t->kind,
                            t->kind == BAR_GAUSSIAN ? 4.2 * scale : scale};
}

static double
seconds_since(const struct timespec *from)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)(now.tv_sec - from->tv_sec) +
           1e-9 * (double)(now.tv_nsec - from->tv_nsec);
}

static void
seen_add(struct seen *seen, struct bar b, double exact, struct bar limits)
{
    seen->covered += exact >= b.low && exact <= b.high;
    seen->whole += b.low <= limits.low && b.high >= limits.high;
    assert_true(b.low <= b.high && b.low >= limits.low &&
                b.high <= limits.high);
}

static struct seen
see_ratio(const struct setting *t, uint64_t seed, int trials)
{
    struct bar range = {-floor(t->width / 2), ceil(t->width / 2)};
    struct bar_law ls = law_of(t, range.high, 2), lc = law_of(t, 1, 2);
    double sum = nearbyint(t->n * (range.low + t->place * t->width));
    double exact = t->n > 0 ? sum / t->n : range.low + t->place * t->width;
    size_t n = (size_t)trials;
    i128 *ns = calloc(n, sizeof *ns), *nc = calloc(n, sizeof *nc);
    custos_rng *rng = test_rng_seeded(seed);
    struct seen seen = {0};
    struct timespec start;

    assert_true(ns && nc);
    draw(ls, rng, ns, n);
    draw(lc, rng, nc, n);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    for (size_t i = 0; i < n; i++) {
        struct bar_part s = {sum + (double)ns[i], ls};
        struct bar_part c = {t->n + (double)nc[i], lc};
        struct bar b = bar_ratio(s, c, range, 0.05);
        double guess = bar_ratio_point(s.value, c.value, range);

        seen_add(&seen, b, exact, range);
        assert_true(guess >= b.low && guess <= b.high);
    }
    seen.microseconds = seconds_since(&start) * 1e6 / trials;
    seen.covered /= trials;
    seen.whole /= trials;
    test_rng_free(rng);
    free(ns);
    free(nc);
    return seen;
}

static struct seen
see_variance(const struct setting *t, enum bar_divisor divisor, uint64_t seed,
             int trials)
{
    struct bar range = {-floor(t->width / 2), ceil(t->width / 2)};
    double high = nearbyint(t->n * t->place), low = t->n - high;
    double sum = high * range.high + low * range.low;
    double squares =
        high * range.high * range.high + low * range.low * range.low;
    double least = 1 + (int)divisor;
    double exact = 0;
    double most = t->width * t->width / (divisor == BAR_SAMPLE ? 2 : 4);
    struct bar limits = {0, most};
    struct bar_law l[3];
    size_t n = (size_t)trials;
    i128 *noise[3];
    custos_rng *rng = test_rng_seeded(seed);
    struct seen seen = {0};
    struct timespec start;

    if (t->n >= least)
        exact = (squares - sum * (sum / t->n)) / (t->n - (int)divisor);
    l[0] = law_of(t, range.high * range.high, 3);
    l[1] = law_of(t, range.high, 3);
    l[2] = law_of(t, 1, 3);
    for (int i = 0; i < 3; i++) {
        noise[i] = calloc(n, sizeof *noise[i]);
        assert_non_null(noise[i]);
        draw(l[i], rng, noise[i], n);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    for (size_t i = 0; i < n; i++) {
        struct bar_part q = {squares + (double)noise[0][i], l[0]};
        struct bar_part s = {sum + (double)noise[1][i], l[1]};
        struct bar_part c = {t->n + (double)noise[2][i], l[2]};
        struct bar b = bar_variance(q, s, c, range, divisor, 0.05);
        double guess =
            bar_variance_point(q.value, s.value, c.value, range, divisor);

        seen_add(&seen, b, exact, limits);
        assert_true(guess >= b.low * (1 - 1e-9) &&
                    guess <= b.high * (1 + 1e-9));
    }
    seen.microseconds = seconds_since(&start) * 1e6 / trials;
    seen.covered /= trials;
    seen.whole /= trials;
    test_rng_free(rng);
    for (int i = 0; i < 3; i++)
        free(noise[i]);
    return seen;
}

static void
check_seen(const char *what, const struct setting *t, struct seen seen,
           double most, int trials)
{
    double deviation = sqrt(0.05 * 0.95 / trials);

    print_message("%-8s n %-6g epsilon %-4g width %-5g place %-4g %-7s "
                  "%.4f covered %.3f whole %.2f us\n",
                  what, t->n, t->epsilon, t->width, t->place, kinds[t->kind],
                  seen.covered, seen.whole, seen.microseconds);
    if (seen.covered < 0.95 - 4 * deviation)
        fail_msg("%s: covers %.4f only", what, seen.covered);
    if (seen.covered > most + 4 * deviation)
        fail_msg("%s: covers %.4f, too wide", what, seen.covered);
}

static const double sizes[] = {0, 1, 10, 100, 1000, 1e5};
static const double epsilons[] = {0.01, 0.1, 1, 5};
static const double widths[] = {1, 100, 1e6};
static const double places[] = {0, 0.5, 0.83, 1};

static struct setting
setting_of(size_t i)
{
    struct setting t;

    t.kind = i % 2 ? BAR_GAUSSIAN : BAR_LAPLACE;
    i /= 2;
    t.n = sizes[i % COUNT_OF(sizes)];
    i /= COUNT_OF(sizes);
    t.epsilon = epsilons[i % COUNT_OF(epsilons)];
    i /= COUNT_OF(epsilons);
    t.width = widths[i % COUNT_OF(widths)];
    i /= COUNT_OF(widths);
    t.place = places[i % COUNT_OF(places)];
    return t;
}

enum {
    SETTINGS = 2 * COUNT_OF(sizes) * COUNT_OF(epsilons) * COUNT_OF(widths) *
               COUNT_OF(places)
};

static void
ratio_covers(void **state)
{
    int trials = test_size(100, 2000);

    (void)state;
    for (size_t i = 0; i < SETTINGS; i++) {
        struct setting t = setting_of(i);

        check_seen("ratio", &t, see_ratio(&t, 100 + i, trials), 1, trials);
    }
}

static void
variance_covers(void **state)
{
    int trials = test_size(100, 1000);

    (void)state;
    for (size_t i = 0; i < SETTINGS; i++) {
        struct setting t = setting_of(i);
        enum bar_divisor d = i % 3 ? BAR_POPULATION : BAR_SAMPLE;

        check_seen("variance", &t, see_variance(&t, d, 100 + i, trials), 1,
                   trials);
    }
}

/*
 * Groups of 1,000 and more, where the noise is smaller than the range: 10^5
 * answers each, with a coverage between 95 % and 98 %. (At the ends of a range
 * only one side can miss: 97.5 %.)
 */
static void
ratio_is_not_wide(void **state)
{
    static const struct {
        double n, epsilon;
    } rows[] = {{1000, 0.1}, {1000, 1}, {1e5, 0.01}, {1e5, 5}};
    int trials = test_size(300, 100000);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows) * COUNT_OF(places) * 2; i++) {
        struct setting t = {.width = i % 3 ? 100 : 1e6,
                            .place = places[i / 2 % COUNT_OF(places)],
                            .kind = i % 2 ? BAR_GAUSSIAN : BAR_LAPLACE};

        t.n = rows[i / 2 / COUNT_OF(places)].n;
        t.epsilon = rows[i / 2 / COUNT_OF(places)].epsilon;
        check_seen("ratio", &t, see_ratio(&t, 900 + i, trials), 0.98, trials);
    }
}

/*
 * Shares of yes and no: the noise of sum and count has a scale of about one
 * step.
 */
static void
ratio_of_flags_covers(void **state)
{
    static const double flags[] = {0.5, 1, 2, 4};
    int trials = test_size(300, 100000);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(flags) * 2; i++) {
        struct setting t = {1000, flags[i / 2], 1, 0.3,
                            i % 2 ? BAR_GAUSSIAN : BAR_LAPLACE};

        check_seen("flags", &t, see_ratio(&t, 800 + i, trials), 0.98, trials);
    }
}

static void
variance_is_not_wide(void **state)
{
    static const struct {
        double n, epsilon;
    } rows[] = {{1000, 1}, {1000, 5}, {1e5, 0.1}};
    static const double parts[] = {0, 0.3, 0.83};
    /* Fewer than of other bars: each bar of a variance takes 100 microseconds. */
    int trials = test_size(300, 20000);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows) * COUNT_OF(parts) * 2; i++) {
        struct setting t = {.width = i % 4 ? 100 : 1e5,
                            .place = parts[i / 2 % COUNT_OF(parts)],
                            .kind = i % 2 ? BAR_GAUSSIAN : BAR_LAPLACE};
        enum bar_divisor d = i % 3 ? BAR_POPULATION : BAR_SAMPLE;

        t.n = rows[i / 2 / COUNT_OF(parts)].n;
        t.epsilon = rows[i / 2 / COUNT_OF(parts)].epsilon;
        check_seen("variance", &t, see_variance(&t, d, 900 + i, trials), 0.98,
                   trials);
    }
}

/*
 * The two noises may have different distributions, and one may be far smaller.
 */
static void
ratio_of_mixed_laws_covers(void **state)
{
    static const double scales[][2] = {{3, 3}, {40, 2}, {2, 40}, {400, 50}};
    size_t n = (size_t)test_size(300, 20000);
    i128 *ns = calloc(n, sizeof *ns), *nc = calloc(n, sizeof *nc);
    custos_rng *rng = test_rng_seeded(17);
    struct bar range = {0, 10};

    (void)state;
    assert_true(ns && nc);
    for (size_t i = 0; i < 2 * COUNT_OF(scales); i++) {
        struct bar_law ls = {i % 2 ? BAR_LAPLACE : BAR_GAUSSIAN,
                             scales[i / 2][0]};
        struct bar_law lc = {i % 2 ? BAR_GAUSSIAN : BAR_LAPLACE,
                             scales[i / 2][1]};
        struct seen seen = {0};
        double share;

        draw(ls, rng, ns, n);
        draw(lc, rng, nc, n);
        for (size_t k = 0; k < n; k++)
            seen_add(&seen,
                     bar_ratio((struct bar_part){7000 + (double)ns[k], ls},
                               (struct bar_part){1000 + (double)nc[k], lc},
                               range, 0.05),
                     7, range);
        share = seen.covered / (double)n;
        print_message("mixed %zu: %.4f covered\n", i, share);
        assert_true(share >= 0.95 - 4 * sqrt(0.05 * 0.95 / (double)n));
        assert_true(share <= 0.98 + 4 * sqrt(0.05 * 0.95 / (double)n));
    }
    test_rng_free(rng);
    free(ns);
    free(nc);
}

/* Ten values and hardly any noise, where dividing by n - 1 and by n differs. */
static void
variance_of_a_sample_covers(void **state)
{
    struct setting t = {10, 300, 1e5, 0.3, BAR_LAPLACE};
    int trials = test_size(300, 20000);

    (void)state;
    for (int i = 0; i < 4; i++) {
        t.kind = i % 2 ? BAR_GAUSSIAN : BAR_LAPLACE;
        check_seen(i < 2 ? "sample" : "all", &t,
                   see_variance(&t, i < 2 ? BAR_SAMPLE : BAR_POPULATION,
                                700 + (uint64_t)i, trials),
                   1, trials);
    }
}

/*
 * The squares are known far better than the mean. The error of the variance is
 * then the squared error of the mean, always to one side.
 */
static void
variance_counts_the_mean(void **state)
{
    struct bar_law l[3] = {{BAR_LAPLACE, 100}, {BAR_LAPLACE, 2000}, {0, 1}};
    size_t n = (size_t)test_size(300, 20000);
    struct bar range = {-50, 50}, all = {0, 2500};
    i128 *noise[3];
    custos_rng *rng = test_rng_seeded(23);
    struct seen seen = {0};

    (void)state;
    for (int i = 0; i < 3; i++) {
        noise[i] = calloc(n, sizeof *noise[i]);
        assert_non_null(noise[i]);
        draw(l[i], rng, noise[i], n);
    }
    /* 900 times 0 and 100 times 20: mean 2, variance 36. */
    for (size_t i = 0; i < n; i++)
        seen_add(
            &seen,
            bar_variance((struct bar_part){40000 + (double)noise[0][i], l[0]},
                         (struct bar_part){2000 + (double)noise[1][i], l[1]},
                         (struct bar_part){1000 + (double)noise[2][i], l[2]},
                         range, BAR_POPULATION, 0.05),
            36, all);
    print_message("mean unknown: %.4f covered\n", seen.covered / (double)n);
    assert_true(seen.covered / (double)n >=
                0.95 - 4 * sqrt(0.05 * 0.95 / (double)n));
    for (int i = 0; i < 3; i++)
        free(noise[i]);
    test_rng_free(rng);
}

/* ------------------------------------------------------------- quotients -- */

static int
double_cmp(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Two or more released numbers in one quotient. */
struct shape {
    const char *name;
    size_t n;
    double exact[4]; /* of the parts, times size */
    double above[4], below[4], constant;
    double scale[4];
};

static const struct shape shapes[] = {
    {"count / count", 2, {0.3, 1}, {1}, {0, 1}, 0, {2, 2}},
    {"sum / count", 2, {35, 1}, {1}, {0, 1}, 0, {120, 2}},
    {"100 a / (a + b)", 2, {0.2, 0.8}, {100}, {1, 1}, 0, {3, 3}},
    {"(a - b) / c", 3, {0.5, 0.2, 1}, {1, -1}, {0, 0, 1}, 0, {4, 4, 4}},
    {"a - b", 2, {0.5, 0.2}, {1, -1}, {0}, 1, {9, 4}},
    {"a + b - c", 3, {0.5, 0.2, 4}, {1, 1, -1}, {0}, 1, {9, 9, 9}},
    {"a / (b + c + d)", 4, {9, 1, 2, 3}, {1}, {0, 1, 1, 1}, 0, {50, 3, 3, 3}},
};

struct judged {
    double covered, bar, error; /* mean half width; 95 % of errors are below */
    size_t without;
};

/* The size is so many deviations of the noise of the denominator. */
static struct judged
judge_quotient(const struct shape *s, enum bar_kind kind, double deviations,
               uint64_t seed, size_t runs)
{
    custos_rng *rng = test_rng_seeded(seed);
    double sigma = 0, whole = s->constant, above = 0, below, size, exact;
    double *errors = calloc(runs, sizeof *errors);
    struct bar_term terms[4];
    struct judged j = {0};
    i128 *noise[4];

    assert_non_null(errors);
    for (size_t i = 0; i < s->n; i++) {
        double unit = kind == BAR_LAPLACE ? sqrt(2) : 1;

        terms[i] =
            (struct bar_term){{kind, s->scale[i]}, s->above[i], s->below[i]};
        sigma = hypot(sigma, s->below[i] * s->scale[i] * unit);
        whole += s->below[i] * s->exact[i];
        noise[i] = calloc(runs, sizeof *noise[i]);
        assert_non_null(noise[i]);
        draw(terms[i].law, rng, noise[i], runs);
    }
    size = sigma > 0 ? ceil(deviations * sigma / whole) : 100;
    below = s->constant;
    for (size_t i = 0; i < s->n; i++) {
        above += s->above[i] * nearbyint(size * s->exact[i]);
        below += s->below[i] * nearbyint(size * s->exact[i]);
    }
    exact = above / below;
    for (size_t k = 0; k < runs; k++) {
        double u = above, w = below;
        struct bar b = {-INFINITY, INFINITY};

        for (size_t i = 0; i < s->n; i++) {
            u += s->above[i] * (double)noise[i][k];
            w += s->below[i] * (double)noise[i][k];
        }
        errors[k] = w == 0 ? INFINITY : fabs(u / w - exact);
        if (!bar_quotient(terms, s->n, u, w, 0.05, &b)) {
            j.without++;
            j.covered++;
            continue;
        }
        assert_true(b.low <= u / w && u / w <= b.high);
        j.covered += b.low <= exact && exact <= b.high;
        j.bar += (b.high - b.low) / 2;
    }
    j.covered /= (double)runs;
    j.bar /= (double)(runs - j.without);
    qsort(errors, runs, sizeof *errors, double_cmp);
    j.error = errors[runs * 95 / 100];
    for (size_t i = 0; i < s->n; i++)
        free(noise[i]);
    free(errors);
    test_rng_free(rng);
    return j;
}

static void
quotient_covers(void **state)
{
    static const double far[] = {1, 3, 4.5, 12, 100};
    size_t runs = (size_t)test_size(1000, 20000);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes) * COUNT_OF(far) * 2; i++) {
        const struct shape *s = &shapes[i / 2 % COUNT_OF(shapes)];
        double deviations = far[i / 2 / COUNT_OF(shapes)];
        struct judged j = judge_quotient(s, i % 2 ? BAR_GAUSSIAN : BAR_LAPLACE,
                                         deviations, 300 + i, runs);

        print_message("%-16s %-7s %5g deviations: %.4f covered, bar %.3f of "
                      "the error, none %zu\n",
                      s->name, kinds[i % 2], deviations, j.covered,
                      j.bar / j.error, j.without);
        if (j.covered < 0.95 - 4 * sqrt(0.05 * 0.95 / (double)runs))
            fail_msg("%s covers %.4f only", s->name, j.covered);
    }
}

/* Where the denominator is above 20 deviations of its noise, the bar is the
   95 % error, but for the lattice and margins of smooth laws. */
static void
quotient_is_narrow(void **state)
{
    size_t runs = (size_t)test_size(1000, 20000);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes) * 2; i++) {
        struct judged j =
            judge_quotient(&shapes[i / 2], i % 2 ? BAR_GAUSSIAN : BAR_LAPLACE,
                           40, 500 + i, runs);

        assert_int_equal(j.without, 0);
        if (j.bar > 1.3 * j.error)
            fail_msg("%s: %.3f of the error", shapes[i / 2].name,
                     j.bar / j.error);
    }
}

static void
quotient_by_noise_has_no_bar(void **state)
{
    struct bar_term t[2] = {{{BAR_LAPLACE, 10}, 1, 0},
                            {{BAR_LAPLACE, 10}, 0, 1}};
    struct bar b, m;

    (void)state;
    for (double w = -30; w <= 30; w += 6)
        assert_false(bar_quotient(t, 2, 100, w, 0.05, &b));
    assert_false(bar_quotient(t, 2, NAN, 1000, 0.05, &b));
    assert_false(bar_quotient(t, 2, 100, INFINITY, 0.05, &b));
    assert_false(bar_quotient(t, 2, 100, 1000, NAN, &b));
    assert_false(bar_quotient(t, BAR_TERMS_MAX + 1, 100, 1000, 0.05, &b));
    /* the sign of the denominator does not matter */
    assert_true(bar_quotient(t, 2, 100, 1000, 0.05, &b));
    assert_true(bar_quotient(t, 2, 100, -1000, 0.05, &m));
    assert_true(fabs(b.low + m.high) < 1e-9 && fabs(b.high + m.low) < 1e-9);
    /* no noise: the value itself */
    t[0].above = t[1].below = 0;
    assert_true(bar_quotient(t, 2, 100, 1000, 0.05, &b));
    assert_true(fabs(b.low - 0.1) < 1e-9 && fabs(b.high - 0.1) < 1e-9);
}

/* ------------------------------------------------------------------ edges -- */

static void
ratio_of_nothing_is_the_range(void **state)
{
    struct bar_law fine = {BAR_LAPLACE, 10}, none = {BAR_LAPLACE, 0};
    struct bar range = {-5, 20}, b;
    const double bad[] = {NAN, INFINITY, -INFINITY};

    (void)state;
    for (double c = -30; c < 20; c += 7) {
        b = bar_ratio((struct bar_part){100, fine}, (struct bar_part){c, fine},
                      range, 0.05);
        assert_true(b.low == -5 && b.high == 20);
    }
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        b = bar_ratio((struct bar_part){bad[i], fine},
                      (struct bar_part){1e6, fine}, range, 0.05);
        assert_true(b.low == -5 && b.high == 20);
        b = bar_ratio((struct bar_part){1, fine},
                      (struct bar_part){bad[i], fine}, range, 0.05);
        assert_true(b.low == -5 && b.high == 20);
    }
    b = bar_ratio((struct bar_part){1, none}, (struct bar_part){1e6, fine},
                  range, 0.05);
    assert_true(b.low == -5 && b.high == 20);
    b = bar_ratio((struct bar_part){1, fine}, (struct bar_part){1e6, fine},
                  range, NAN);
    assert_true(b.low == -5 && b.high == 20);
    /* The bar of a ratio far outside the range is the end of the range. */
    b = bar_ratio((struct bar_part){1e9, fine}, (struct bar_part){1e6, fine},
                  range, 0.05);
    assert_true(b.low > 20 - 1e-9 && b.high == 20);
    assert_true(bar_ratio_point(7, 0, range) == 7);
    assert_true(bar_ratio_point(7, -4, range) == 7);
    assert_true(bar_ratio_point(70, 2, range) == 20);
    /* A higher confidence gives wider bars. */
    for (double beta = 0.5, before = 0; beta > 1e-6; beta /= 3) {
        b = bar_ratio((struct bar_part){7000, fine},
                      (struct bar_part){1000, fine}, range, beta);
        assert_true(b.high - b.low > before);
        before = b.high - b.low;
    }
}

static void
variance_of_nothing_is_the_range(void **state)
{
    struct bar_law law = {BAR_GAUSSIAN, 10};
    struct bar_part q = {5000, law}, s = {100, law}, c = {12, law};
    struct bar range = {-5, 15}, b;

    (void)state;
    b = bar_variance(q, s, c, range, BAR_POPULATION, 0.05);
    assert_true(b.low == 0 && b.high == 100);
    b = bar_variance(q, s, c, range, BAR_SAMPLE, 0.05);
    assert_true(b.low == 0 && b.high == 200);
    c.value = 1e6;
    q.value = NAN;
    b = bar_variance(q, s, c, range, BAR_SAMPLE, 0.05);
    assert_true(b.low == 0 && b.high == 200);
    q.value = -1e9; /* a variance is never below 0 */
    b = bar_variance(q, s, c, range, BAR_POPULATION, 0.05);
    assert_true(b.low == 0 && b.high < 1e-9);
    assert_true(bar_variance_point(-1e9, 3, 10, range, BAR_SAMPLE) == 0);
    assert_true(bar_variance_point(1e9, 3, 10, range, BAR_SAMPLE) == 200);
    assert_true(bar_variance_point(1e9, 3, -1, range, BAR_POPULATION) == 100);
    /* The values 1, 2, 3, 4, 5 have the variances 2 and 2.5. */
    assert_true(bar_variance_point(55, 15, 5, range, BAR_POPULATION) == 2);
    assert_true(bar_variance_point(55, 15, 5, range, BAR_SAMPLE) == 2.5);
    b = bar_root((struct bar){4, 9});
    assert_true(b.low == 2 && b.high == 3);
}

/* An end beyond all whole numbers becomes the limit of the type. */
static void
ends_are_whole_and_within_their_limits(void **state)
{
    static const double beyond[] = {1e300, HUGE_VAL, 1e19,
                                    9223372036854775808.0};

    (void)state;
    assert_int_equal(bar_whole(2.1, true, -5, 5), 3);
    assert_int_equal(bar_whole(2.1, false, -5, 5), 2);
    assert_int_equal(bar_whole(-2.1, true, -5, 5), -2);
    assert_int_equal(bar_whole(-2.1, false, -5, 5), -3);
    assert_int_equal(bar_whole(5.5, false, -5, 5), 5);
    assert_int_equal(bar_whole(NAN, true, -5, 5), 5);
    assert_int_equal(bar_whole(NAN, false, -5, 5), -5);
    for (size_t i = 0; i < COUNT_OF(beyond); i++)
        for (int high = 0; high < 2; high++) {
            assert_int_equal(bar_whole(beyond[i], high, -5, 5), 5);
            assert_int_equal(bar_whole(-beyond[i], high, -5, 5), -5);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_are_whole_and_within_their_limits),
        cmocka_unit_test(ratio_covers),
        cmocka_unit_test(ratio_is_not_wide),
        cmocka_unit_test(ratio_of_flags_covers),
        cmocka_unit_test(ratio_of_mixed_laws_covers),
        cmocka_unit_test(variance_covers),
        cmocka_unit_test(variance_is_not_wide),
        cmocka_unit_test(variance_of_a_sample_covers),
        cmocka_unit_test(variance_counts_the_mean),
        cmocka_unit_test(quotient_covers),
        cmocka_unit_test(quotient_is_narrow),
        cmocka_unit_test(quotient_by_noise_has_no_bar),
        cmocka_unit_test(ratio_of_nothing_is_the_range),
        cmocka_unit_test(variance_of_nothing_is_the_range),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
