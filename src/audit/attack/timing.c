/*
 * Timing: a sampler that loops until a coin fails takes the longer the larger the
 * noise is. Whoever measures the reply knows about how much noise to take away. The
 * samplers of custos take the same steps whatever they draw.
 *
 * Both samplers are timed in turn, so that a busy machine disturbs them alike. A
 * load that changes cannot make a false alarm: it has nothing to do with the noise.
 */
#include "audit/attack/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "audit/clock.h"
#include "base/error.h"

enum {
    BINS =
        12, /* of the picture, each of half a scale; the last ones are rare */
    BIN_LEAST = 30,
};

static const char scale_text[] = "100";
static const double scale = 100;

int64_t
loop_laplace(struct coins *coins, double s)
{
    const double more = exp(-1 / s);

    for (;;) {
        int64_t k = 0;
        bool minus = coins_word(coins) & 1;

        while (coins_flip(coins, more))
            k++;
        if (k || !minus) /* minus zero would be counted twice */
            return minus ? -k : k;
    }
}

/* ------------------------------------------------------------------ AUC -- */

static int
by_time(const void *a, const void *b)
{
    double x = ((const struct timed_draw *)a)->ns;
    double y = ((const struct timed_draw *)b)->ns;

    return (x > y) - (x < y);
}

static int
by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* The median of the noise; 0 if memory is out. */
static int64_t
median_noise(const struct timed_draw *draws, size_t n)
{
    int64_t *all = calloc(n, sizeof *all), median = 0;

    for (size_t i = 0; i < n && all; i++)
        all[i] = draws[i].noise;
    if (all) {
        qsort(all, n, sizeof *all, by_number);
        median = all[n / 2];
    }
    free(all);
    return median;
}

double
auc_of(struct timed_draw *draws, size_t n, double *sd)
{
    const int64_t median = median_noise(draws, n);
    double wins = 0, small = 0, large = 0;

    qsort(draws, n, sizeof *draws, by_time);
    for (size_t i = 0; i < n;) {
        double same_small = 0, same_large = 0;
        double now = draws[i].ns;

        for (; i < n && draws[i].ns == now; i++)
            if (draws[i].noise > median)
                same_large++;
            else
                same_small++;
        wins += same_large * (small + same_small / 2);
        small += same_small;
        large += same_large;
    }
    if (small == 0 || large == 0) {
        *sd = 0.5;
        return 0.5;
    }
    *sd = sqrt((small + large + 1) / (12 * small * large));
    return wins / (small * large);
}

/* --------------------------------------------------------------- samples -- */

static double
now_ns(void)
{
    return 1e9 * clock_seconds();
}

/* Draws n of each, in turn. */
static custos_status
sample(const struct attack_options *o, struct timed_draw *naive,
       struct timed_draw *custos, size_t n, custos_err *err)
{
    custos_noise *noise = NULL;
    custos_rng *rng = NULL;
    struct coins coins;
    custos_status st = custos_noise_new(NULL, CUSTOS_DISCRETE_LAPLACE,
                                        scale_text, &noise, err);

    coins_seed(&coins, o->seed, 6);
    if (!st)
        st = custos_rng_new(&rng, err);
    for (size_t i = 0; i < n && !st; i++) {
        double start = now_ns(), middle, end;
        int64_t x = loop_laplace(&coins, scale), y = 0;

        middle = now_ns();
        st = custos_noise_draw_i64(noise, rng, &y, 1, err);
        end = now_ns();
        naive[i] = (struct timed_draw){middle - start, llabs(x)};
        custos[i] = (struct timed_draw){end - middle, llabs(y)};
        if (i % 1024 == 0)
            attack_step(o, (double)i / (double)n);
    }
    custos_rng_free(rng);
    custos_noise_free(noise);
    return st;
}

/* ---------------------------------------------------------------- report -- */

/* The mean time of the middle half of the draws of one bin: disturbances are left
   out, and a coarse clock is averaged. Draws are sorted by time. */
static double
middle_time(const struct timed_draw *draws, size_t n, int64_t least,
            int64_t below, size_t in)
{
    size_t seen = 0, used = 0;
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        if (draws[i].noise < least || draws[i].noise >= below)
            continue;
        if (seen >= in / 4 && seen < in - in / 4) {
            sum += draws[i].ns;
            used++;
        }
        seen++;
    }
    return sum / (double)used;
}

/* The time by noise, relative to that of all draws. */
static void
add_curve(const struct timed_draw *draws, size_t n, const char *label,
          struct attack_report *r)
{
    struct attack_curve *c = attack_add_curve(r, label);
    double all = middle_time(draws, n, 0, INT64_MAX, n);

    for (int bin = 0; bin < BINS; bin++) {
        int64_t least = (int64_t)(bin * scale / 2);
        int64_t below = (int64_t)((bin + 1) * scale / 2);
        size_t in = 0;

        for (size_t i = 0; i < n; i++)
            in += draws[i].noise >= least && draws[i].noise < below;
        if (in < BIN_LEAST)
            break;
        attack_add_point(c, (double)(least + below) / 2,
                         middle_time(draws, n, least, below, in) /
                             fmax(all, 1));
    }
}

static void
write_texts(size_t n, struct attack_report *r)
{
    char times[ATTACK_GROUPED];

    attack_grouped(n, times);
    snprintf(r->title, sizeof r->title, "Timing of the noise");
    snprintf(r->knows, sizeof r->knows,
             "The attacker measures how long a draw of Laplace noise (scale "
             "%s) takes, %s times, and guesses from the time alone which of "
             "two draws was the larger: above or below the median. Blind "
             "guessing is right half of the time.",
             scale_text, times);
    snprintf(r->picture, sizeof r->picture,
             "time of a draw, relative to that of all draws");
    snprintf(r->means, sizeof r->means,
             "A sampler that counts coins until one fails tells its noise by "
             "its time, and noise that is known can be taken away. The "
             "samplers of custos take the same steps whatever they draw: their "
             "time says nothing.");
    r->x = (struct attack_axis){.label = "size of the noise",
                                .most = 0.5 * BINS * scale};
    r->y = (struct attack_axis){.label = "relative time"};
}

static void
set_axes(struct attack_report *r)
{
    double x = scale, y = 2;

    for (size_t i = 0; i < r->n_curves; i++) {
        const struct attack_curve *c = &r->curves[i];

        for (size_t k = 0; k < c->n; k++) {
            x = fmax(x, c->x[k]);
            y = fmax(y, ceil(c->y[k]));
        }
    }
    r->x.most = x;
    r->y.most = y;
}

static custos_status
run(const struct attack_options *o, struct attack_report *r, custos_err *err)
{
    static const char measure[] = "right guesses which noise was larger (AUC)";
    static const char *const who[] = {"counts coins until one fails", "custos"};
    const size_t n = o->quick ? 20000 : 200000;
    struct timed_draw *draws = calloc(2 * n, sizeof *draws);
    custos_status st = draws ? sample(o, draws, draws + n, n, err)
                             : custos_fail(err, CUSTOS_ENOMEM, "out of memory");

    if (!st)
        write_texts(n, r);
    for (int s = 0; s < 2 && !st; s++) {
        double sd, auc = auc_of(draws + (size_t)s * n, n, &sd);
        struct attack_row *row = attack_add_number(
            r, s ? SERVER_CUSTOS : SERVER_NAIVE, measure, auc);

        snprintf(row->who, sizeof row->who, "%s", who[s]);
        row->low = fmax(0, auc - 1.96 * sd);
        row->high = fmin(1, auc + 1.96 * sd);
        if (s == 1) /* chance exceeds this with probability ATTACK_BLAME */
            row->ceiling = 0.5 + 4.76 * sd;
    }
    if (!st) {
        add_curve(draws + n, n, "custos", r);
        add_curve(draws, n, "loop", r);
        set_axes(r);
    }
    free(draws);
    return st;
}

const struct attack attack_timing = {
    .name = "timing",
    .summary = "noise that shows in the time it takes",
    .run = run,
};
