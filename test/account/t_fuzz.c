/*
 * Random plans compared with their exact curves: no upper bound is below the true
 * value, no lower bound is above it, and the two are seldom further apart than
 * requested.
 *
 * 600 plans; with CUSTOS_LONG 100,000 (`make fuzz-account`), whose figures
 * are printed as `bench:` lines.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "account/pld_bounds.h"
#include "account/saddle.h"
#include "support/fresh_bounds.h"
#include "support/ref_curve.h"
#include "support/support.h"

enum { PARTS = 3, OUTCOMES = 1100 };

static uint64_t seed;

static uint64_t
word(void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15u; /* splitmix64 */

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t
below(uint64_t n)
{
    return word() % n;
}

/* A random number whose logarithm is uniform. */
static double
between(double lo, double hi)
{
    return lo * exp(log(hi / lo) * ((double)(word() >> 11) * 0x1p-53));
}

struct plan {
    struct ref_mechanism part[PARTS];
    size_t n;
    double delta, epsilon, width;
};

/* How many outcomes one run of a discrete mechanism has. */
static double
outcomes(const struct ref_mechanism *m)
{
    switch (m->kind) {
    case REF_GAUSSIAN:
    case REF_LAPLACE:
    case REF_EXPONENTIAL: return 1;
    case REF_DGAUSSIAN: return 48 * sqrt(m->a) + 6 + (double)m->b;
    case REF_DLAPLACE: return (double)m->b + 1;
    case REF_RESPONSE:
    case REF_APPROXIMATE: break;
    }
    return 3;
}

static struct ref_mechanism
random_mechanism(bool smooth)
{
    struct ref_mechanism m = {.rate = 1, .count = 1};

    m.kind = smooth ? (enum ref_kind)below(3)
                    : (enum ref_kind)(REF_RESPONSE + below(4));
    if (below(3) == 0)
        m.rate = below(4) ? between(1e-6, 0.5) : 1 - between(1e-6, 0.5);
    if (m.kind == REF_GAUSSIAN) {
        m.a = between(1e-5, 8);
        if (m.rate == 1)
            m.count = (uint64_t)between(1, fmax(2, fmin(1e6, 60 / m.a / m.a)));
    } else if (m.kind == REF_DGAUSSIAN) {
        m.a = between(0.05, 300);
        m.b = 1 + below(3);
    } else {
        m.a = between(1e-5, 12);
        m.b = m.kind == REF_RESPONSE ? 2 + below(6) : 1 + below(8);
        m.delta =
            m.kind == REF_APPROXIMATE && below(4) ? between(1e-40, 1e-3) : 0;
    }
    return m;
}

/* Sets a random number of runs, so small that the exact sum stays feasible. */
static void
repeat(struct ref_mechanism *m, double *room)
{
    double each = outcomes(m), k = 1;

    if (each <= 1)
        return;
    if (m->rate == 1 &&
        (m->kind == REF_APPROXIMATE || (m->kind == REF_RESPONSE && m->b == 2) ||
         (m->kind == REF_DLAPLACE && m->b == 1)))
        k = floor(between(1, fmin(*room, fmax(2, 300 / m->a))));
    else
        while (k < 6 && pow(each, k + 1) <= *room && below(3))
            k++;
    m->count = (uint64_t)k;
    *room /= k > 6 ? k + 1 : pow(each, k);
}

static struct plan
random_plan(void)
{
    struct plan p = {.n = 1 + below(PARTS)};
    double room = OUTCOMES;
    bool smooth = below(2);

    p.delta = below(20) ? between(1e-40, 0.3) : 1 - between(1e-3, 0.5);
    p.epsilon = between(1e-4, 20);
    p.width = between(3e-3, 1e-1);
    if (smooth && p.n > 1)
        room = 24; /* each outcome then costs a function evaluation */
    for (size_t i = 0; i < p.n; i++) {
        p.part[i] = random_mechanism(smooth && i == 0);
        if (outcomes(&p.part[i]) > room) {
            p.n = i > 0 ? i : 1;
            if (i == 0)
                p.part[0].count = 1;
            break;
        }
        repeat(&p.part[i], &room);
    }
    return p;
}

static void
print_plan(const struct plan *p, const char *what)
{
    print_message("%s: delta %.17g, epsilon %.17g, width %g\n", what, p->delta,
                  p->epsilon, p->width);
    for (size_t i = 0; i < p->n; i++)
        print_message("  kind %d a %.17g b %lu delta %.17g rate %.17g x %lu\n",
                      p->part[i].kind, p->part[i].a,
                      (unsigned long)p->part[i].b, p->part[i].delta,
                      p->part[i].rate, (unsigned long)p->part[i].count);
}

struct tally {
    size_t cases, unsafe, refused, wide;
    double worst; /* largest excess over the true value, divided by width */
    struct plan loosest;
};

/* Checks epsilon(delta) in one order, also by the saddle point. */
static void
check_epsilon(const struct plan *p, const struct pld_part *parts,
              const struct ref_curve *c, struct bounds b, struct tally *t)
{
    struct pld_part turned[PARTS];
    struct bounds s;
    double loose;
    const char *wrong = ref_curve_check(c, p->delta, b, &loose);

    if (!wrong) {
        for (size_t i = 0; i < p->n; i++) {
            turned[i] = parts[i];
            turned[i].loss.order = c->order;
        }
        t->wide += b.high - b.low > p->width;
        if (loose / p->width > t->worst) {
            t->worst = loose / p->width;
            t->loosest = *p;
        }
        if (!saddle_epsilon(turned, p->n, p->delta, &s))
            wrong = ref_curve_check(c, p->delta, s, &loose);
    }
    if (wrong) {
        print_plan(p, wrong);
        print_message("  order %d: [%.17g, %.17g]\n", c->order, b.low, b.high);
        t->unsafe++;
    }
}

/* Checks delta(epsilon). */
static void
check_delta(const struct plan *p, const struct ref_curve *c, struct bounds b,
            struct tally *t)
{
    mpfr_t d;

    mpfr_init2(d, CURVE_BITS);
    ref_curve_delta(c, p->epsilon, d);
    if (mpfr_cmp_d(d, b.high) > 0 || mpfr_cmp_d(d, b.low) < 0) {
        print_plan(p, "delta is outside");
        print_message("  order %d: [%.17g, %.17g] %.17g\n", c->order, b.low,
                      b.high, mpfr_get_d(d, MPFR_RNDN));
        t->unsafe++;
    }
    mpfr_clear(d);
}

static void
run(const struct plan *p, struct tally *t)
{
    struct loss_of owner[PARTS];
    struct pld_part parts[PARTS];
    struct bounds b[2], d[2];
    custos_status st, st_delta;

    for (size_t i = 0; i < p->n; i++)
        parts[i] = ref_part(&p->part[i], &owner[i]);
    st = fresh_bounds(NULL, parts, p->n, (struct pld_aim){AIM_DELTA, p->delta},
                      p->width, b);
    st_delta =
        fresh_bounds(NULL, parts, p->n,
                     (struct pld_aim){AIM_EPSILON, p->epsilon}, p->width, d);
    t->cases++;
    t->refused += st != CUSTOS_OK || st_delta != CUSTOS_OK;
    for (int order = 0; order < 2; order++) {
        struct ref_curve c;

        ref_curve_init(&c, (enum loss_order)order);
        for (size_t i = 0; i < p->n; i++)
            ref_curve_add(&c, &p->part[i]);
        if (!st)
            check_epsilon(p, parts, &c, b[order], t);
        if (!st_delta)
            check_delta(p, &c, d[order], t);
        ref_curve_clear(&c);
    }
    for (size_t i = 0; i < p->n; i++)
        loss_of_clear(&owner[i]);
}

static void
random_plans_are_enclosed(void **state)
{
    bool many = getenv("CUSTOS_LONG") != NULL;
    size_t all = many ? 100000 : (size_t)test_size(4, 600);
    struct tally t = {0};

    (void)state;
    seed = many && getenv("CUSTOS_SEED")
               ? strtoull(getenv("CUSTOS_SEED"), 0, 10)
               : 1;
    for (size_t i = 0; i < all; i++) {
        struct plan p = random_plan();

        run(&p, &t);
        if (many && (i + 1) % 1000 == 0)
            fprintf(stderr, "\r%zu of %zu, %zu unsafe ", i + 1, all, t.unsafe);
    }
    if (many)
        fputc('\n', stderr);
    print_message("%zu plans, %zu refused, %zu wider than asked for\n", t.cases,
                  t.refused, t.wide);
    if (many) {
        print_plan(&t.loosest, "the loosest");
        printf("bench: fuzz_unsafe %zu cases\n", t.unsafe);
        printf("bench: fuzz_worst_looseness %.3g widths\n", t.worst);
    }
    assert_int_equal(t.unsafe, 0);
    assert_true(20 * t.refused < all);
    assert_true(12 * t.wide < all);
    mpfr_free_cache();
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_plans_are_enclosed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
