/*
 * Does the time of a draw reveal its size? Computes the AUC of a classifier
 * that sees only the time: the probability that a large batch took longer than
 * a small one, where a tie counts one half. 0.5 means no leak, 1 a complete
 * one.
 *
 * For each batch it records the time in ticks, and |X_1| + ... + |X_n| of the
 * values drawn. The quarter of the batches with the smallest sums is "small",
 * the quarter with the largest "large"; where a quarter would end between equal
 * sums, all of them belong to it. The rest is left out, and so is the slowest
 * half percent of the two classes together (interrupts). It also computes the
 * t-test of dudect (Reparaz, Balasch, Verbauwhede 2017): Welch's t of the two
 * classes, computed several times, each time without the batches slower than a
 * certain quantile; the t farthest from 0 is shown.
 *
 * The same measurement of the textbook sampler, whose time grows with |X|,
 * shows that the method detects a leak.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "measure.h"
#include "noise/draw.h"
#include "textbook.h"

enum { BATCHES = 2000000, BATCH_MAX = 8, WARM_UP = 10000 };

struct batch {
    uint64_t ticks;
    uint64_t size; /* the sum of |X| */
    bool large;
};

struct subject {
    custos_law law;
    const char *parameter;
    size_t draws; /* per batch */
    bool textbook;
    double auc, t;
};

static struct subject subjects[] = {
    {CUSTOS_DISCRETE_LAPLACE, "10", 1, false, 0, 0},
    {CUSTOS_DISCRETE_LAPLACE, "1000", 1, false, 0, 0},
    {CUSTOS_DISCRETE_LAPLACE, "1000", 8, false, 0, 0},
    {CUSTOS_DISCRETE_GAUSSIAN, "10", 1, false, 0, 0},
    {CUSTOS_DISCRETE_GAUSSIAN, "1000", 1, false, 0, 0},
    {CUSTOS_DISCRETE_GAUSSIAN, "1000", 8, false, 0, 0},
    {CUSTOS_DISCRETE_LAPLACE, "10", 1, true, 0, 0},
};

static struct batch batches[BATCHES];
static custos_rng *rng;

static void
check(custos_status st, const custos_err *err)
{
    if (st) {
        fprintf(stderr, "bench: %s\n", err->said);
        exit(1);
    }
}

/* ---------------------------------------------------------- measuring -- */

static struct batch
time_ours(const custos_noise *noise, size_t draws)
{
    custos_wide x[BATCH_MAX];
    struct batch b = {0, 0, false};
    custos_err err = CUSTOS_ERR_INIT;
    uint64_t begin = measure_ticks();
    custos_status st = custos_noise_draw_wide(noise, rng, x, draws, &err);

    b.ticks = measure_ticks() - begin;
    check(st, &err);
    for (size_t i = 0; i < draws; i++)
        b.size += x[i].high < 0 ? -x[i].low : x[i].low;
    return b;
}

static struct batch
time_textbook(const mpz_t t, const mpz_t one, mpz_t x)
{
    struct batch b = {0, 0, false};
    uint64_t begin = measure_ticks();

    textbook_laplace(rng, t, one, x);
    b.ticks = measure_ticks() - begin;
    b.size = mpz_get_ui(x); /* ignores the sign */
    return b;
}

static void
measure(const struct subject *s, size_t number)
{
    custos_noise *noise = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    mpz_t t, one, x;

    mpz_init_set_str(t, s->parameter, 10);
    mpz_init_set_ui(one, 1);
    mpz_init(x);
    check(custos_noise_new(NULL, s->law, s->parameter, &noise, &err), &err);
    for (size_t i = 0; i < WARM_UP + BATCHES; i++) {
        struct batch b =
            s->textbook ? time_textbook(t, one, x) : time_ours(noise, s->draws);

        if (i >= WARM_UP)
            batches[i - WARM_UP] = b;
        if (i % 10000 == 0)
            measure_progress("timing", number * BATCHES + i,
                             COUNT_OF(subjects) * BATCHES + WARM_UP);
    }
    custos_noise_free(noise);
    mpz_clears(t, one, x, NULL);
}

/* ------------------------------------------------------------ judging -- */

static int
by_size(const void *a, const void *b)
{
    uint64_t x = ((const struct batch *)a)->size;
    uint64_t y = ((const struct batch *)b)->size;

    return (x > y) - (x < y);
}

static int
by_ticks(const void *a, const void *b)
{
    uint64_t x = ((const struct batch *)a)->ticks;
    uint64_t y = ((const struct batch *)b)->ticks;

    return (x > y) - (x < y);
}

/* Keeps the small and the large batches, sorted by time; returns how many. */
static size_t
label(void)
{
    uint64_t low, high;
    size_t n = 0;

    qsort(batches, BATCHES, sizeof batches[0], by_size);
    low = batches[BATCHES / 4].size;
    high = batches[BATCHES / 4 * 3].size;
    for (size_t i = 0; i < BATCHES; i++) {
        struct batch b = batches[i];

        b.large = b.size >= high;
        if (b.size <= low || b.large)
            batches[n++] = b;
    }
    qsort(batches, n, sizeof batches[0], by_ticks);
    return n;
}

/*
 * Of the n batches, sorted by time, only the first are kept: returns how many
 * make up the given share. Batches with equal times stay together: a cut
 * between them would depend on the order in which qsort left them.
 */
static size_t
quickest(size_t n, double share)
{
    size_t end = (size_t)((double)n * share);

    while (end < n && batches[end].ticks == batches[end - 1].ticks)
        end++;
    return end;
}

/* AUC of the n quickest batches, by Mann-Whitney; equal times share their mean
   rank. */
static double
auc(size_t n)
{
    double large = 0, small, ranks = 0;

    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && batches[end].ticks == batches[i].ticks; end++)
            ;
        for (size_t k = i; k < end; k++) {
            large += batches[k].large;
            ranks += batches[k].large ? (double)(i + end + 1) / 2 : 0;
        }
    }
    small = (double)n - large;
    return (ranks - large * (large + 1) / 2) / (large * small);
}

/* Welch's t of the n quickest batches. */
static double
welch(size_t n)
{
    double count[2] = {0}, sum[2] = {0}, squares[2] = {0}, part = 0;
    double mean[2];

    for (size_t i = 0; i < n; i++) {
        int c = batches[i].large;

        count[c]++;
        sum[c] += (double)batches[i].ticks;
    }
    for (int c = 0; c < 2; c++)
        mean[c] = sum[c] / count[c];
    for (size_t i = 0; i < n; i++) {
        int c = batches[i].large;
        double off = (double)batches[i].ticks - mean[c];

        squares[c] += off * off;
    }
    for (int c = 0; c < 2; c++)
        part += squares[c] / (count[c] - 1) / count[c];
    return part > 0 ? (mean[1] - mean[0]) / sqrt(part) : 0;
}

static void
judge(struct subject *s)
{
    size_t n = label();

    s->auc = auc(quickest(n, 0.995));
    s->t = 0;
    for (int percent = 50; percent <= 99; percent += 7) {
        double t = welch(quickest(n, percent / 100.0));

        if (fabs(t) > fabs(s->t))
            s->t = t;
    }
}

/* The AUC farthest from 0.5 among the subjects of this law. */
static double
worst(custos_law law)
{
    double found = 0.5;

    for (size_t i = 0; i < COUNT_OF(subjects); i++)
        if (subjects[i].law == law && !subjects[i].textbook &&
            fabs(subjects[i].auc - 0.5) >= fabs(found - 0.5))
            found = subjects[i].auc;
    return found;
}

int
main(void)
{
    const size_t last = COUNT_OF(subjects) - 1;
    double t = 0;
    custos_err err = CUSTOS_ERR_INIT;

    check(custos_rng_new(&rng, &err), &err);
    printf("Telling small from large |X| by time: %d of %d batches, kernel %s\n"
           "%-10s %-9s %6s %6s %8s %8s\n",
           BATCHES / 2, BATCHES, kernel_best()->name, "", "law", "scale",
           "batch", "AUC", "t");
    for (size_t i = 0; i <= last; i++) {
        struct subject *s = &subjects[i];

        measure(s, i);
        judge(s);
        if (!s->textbook && fabs(s->t) > fabs(t))
            t = s->t;
        measure_progress("timing", 1, 1);
        printf("%-10s %-9s %6s %6zu %8.4f %8.1f\n",
               s->textbook ? "textbook" : "custos",
               s->law == CUSTOS_DISCRETE_LAPLACE ? "dLaplace" : "dGauss",
               s->parameter, s->draws, s->auc, s->t);
        fflush(stdout);
    }
    measure_print("timing_auc", worst(CUSTOS_DISCRETE_LAPLACE), "auc");
    measure_print("timing_auc_gauss", worst(CUSTOS_DISCRETE_GAUSSIAN), "auc");
    measure_print("timing_welch_t", t, "t");
    measure_print("timing_auc_textbook", subjects[last].auc, "auc");
    custos_rng_free(rng);
    return 0;
}
