/*
 * Draws per second on one thread: our samplers with the portable and the AVX2
 * kernel, many draws per call and one per call, compared with the textbook
 * sampler.
 *
 * The samplers take turns, so that other load on the machine affects all of them
 * alike. A turn is called a segment; one segment of each sampler is a round. The
 * table gives the median segment and the best one. The `bench:` lines give the
 * best rate, which is disturbed least, and the median of the ratios within each
 * round, which is valid on a busy machine too.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "noise/draw.h"
#include "noise/expfix.h"
#include "random/rng.h"
#include "textbook.h"

enum {
    ROUNDS = 400,
    BATCH = 1000,          /* draws per call */
    CALLS = 5,             /* calls per segment */
    SINGLES = 1000,        /* draws per segment, one per call */
    TEXTBOOK = 100,        /* draws per segment */
    TIE_WORDS = 20 * 1000, /* blocks in which refinements are counted */
};

enum contender { OURS, PORTABLE, ONE_OURS, ONE_PORTABLE, BOOK, CONTENDERS };

static const char *const headings[] = {"batch", "portable", "single",
                                       "portable", "textbook"};

struct row {
    custos_law law;
    const char *parameter; /* a whole number */
    const char *name;      /* of its `bench:` lines; NULL: in the table only */
    custos_noise *noise;
    mpz_t scale, one; /* for the textbook */
    mpq_t variance;
    double rate[CONTENDERS][ROUNDS]; /* draws per second */
    double ratio[ROUNDS];
};

static struct row rows[] = {
    {.law = CUSTOS_DISCRETE_LAPLACE,
     .parameter = "1000",
     .name = "dlaplace1000"},
    {.law = CUSTOS_DISCRETE_GAUSSIAN,
     .parameter = "1000",
     .name = "dgauss1000"},
    {.law = CUSTOS_DISCRETE_LAPLACE, .parameter = "1"},
    {.law = CUSTOS_DISCRETE_LAPLACE, .parameter = "1000000000000"},
    {.law = CUSTOS_DISCRETE_GAUSSIAN, .parameter = "10"},
};

static custos_rng *rng;
static mpz_t drawn;
static custos_wide sink[BATCH];

static void
check(custos_status st, const custos_err *err)
{
    if (st) {
        fprintf(stderr, "bench: %s\n", err->said);
        exit(1);
    }
}

static void
draw(const custos_noise *noise, size_t n)
{
    custos_err err = CUSTOS_ERR_INIT;

    check(custos_noise_draw_wide(noise, rng, sink, n, &err), &err);
}

/* Runs one segment; returns how many values it drew. */
static size_t
run(const struct row *r, enum contender who)
{
    r->noise->kernel = who == PORTABLE || who == ONE_PORTABLE ? &kernel_portable
                                                              : kernel_best();
    switch (who) {
    case OURS:
    case PORTABLE:
        for (size_t i = 0; i < CALLS; i++)
            draw(r->noise, BATCH);
        return CALLS * BATCH;
    case ONE_OURS:
    case ONE_PORTABLE:
        for (size_t i = 0; i < SINGLES; i++)
            draw(r->noise, 1);
        return SINGLES;
    case BOOK:
    case CONTENDERS: break;
    }
    for (size_t i = 0; i < TEXTBOOK; i++)
        if (r->law == CUSTOS_DISCRETE_LAPLACE)
            textbook_laplace(rng, r->scale, r->one, drawn);
        else
            textbook_gauss(rng, r->variance, drawn);
    return TEXTBOOK;
}

static void
measure_round(size_t round)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct row *r = &rows[i];

        for (enum contender who = 0; who < CONTENDERS; who++) {
            double begin = measure_seconds();
            size_t n = run(r, who);

            r->rate[who][round] = (double)n / (measure_seconds() - begin);
        }
        r->ratio[round] = r->rate[OURS][round] / r->rate[BOOK][round];
    }
}

/* An upper bound on the refinements per draw: see src/noise/README.md. */
static double
refinement_bound(const custos_noise *noise)
{
    double ties = 0, proposals = 1, undecided = 0;

    for (size_t i = 0; i < noise->dials.count; i++)
        ties += ldexp(DIAL_CUTS, -64); /* unused cuts can tie, too */
    if (noise->dials.sign)
        ties += ldexp(DIAL_CUTS, -64); /* dial 0 compares 63 bits only */
    if (noise->law == CUSTOS_DISCRETE_GAUSSIAN) {
        proposals = 1 / 0.44; /* per draw: more than 44 % are accepted */
        undecided = ldexp(2 * EXP_ERROR, -63);
    }
    return proposals * (ties + undecided);
}

/* Counts the refinements in TIE_WORDS blocks of draws or proposals. */
static uint64_t
refinements_seen(const custos_noise *noise)
{
    static uint64_t words[BLOCK * (DIALS_MAX + 1)];
    static struct outcomes out;
    const uint64_t *coins = words + BLOCK * noise->dials.count;
    uint64_t seen = 0;

    for (size_t k = 0; k < TIE_WORDS; k++) {
        if (rng_words(rng, words, BLOCK * (noise->dials.count + 1)))
            exit(1);
        seen += (uint64_t)__builtin_popcountll(
            noise->kernel->scan(&noise->dials, words, 0, BLOCK, &out));
        if (noise->law == CUSTOS_DISCRETE_GAUSSIAN)
            seen += (uint64_t)__builtin_popcountll(
                noise->kernel->judge(&noise->gauss, &out, coins, 0, BLOCK)
                    .undecided);
    }
    return seen;
}

static void
print_table(void)
{
    printf("Million draws per second, one thread, kernel %s: median (best) of "
           "%d segments\n%-24s",
           kernel_best()->name, ROUNDS, "");
    for (int who = 0; who < CONTENDERS; who++)
        printf(" %17s", headings[who]);
    puts("");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct row *r = &rows[i];

        printf("%-9s %-14s",
               r->law == CUSTOS_DISCRETE_LAPLACE ? "dLaplace" : "dGauss",
               r->parameter);
        for (int who = 0; who < CONTENDERS; who++) {
            double middle = measure_median(r->rate[who], ROUNDS);

            /* measure_median has sorted the rates */
            printf(" %8.*f (%6.*f)", who == BOOK ? 4 : 2, middle / 1e6,
                   who == BOOK ? 4 : 2, r->rate[who][ROUNDS - 1] / 1e6);
        }
        printf("   x%.0f\n", measure_median(r->ratio, ROUNDS));
    }
}

static void
print_lines(struct row *r)
{
    static const char *const suffix[] = {
        [OURS] = "_avx2",
        [PORTABLE] = "_portable",
        [ONE_OURS] = "_single_avx2",
        [ONE_PORTABLE] = "_single_portable",
        [BOOK] = "_textbook",
    };
    char name[64];

    for (int who = 0; who < CONTENDERS; who++) {
        if (kernel_best() == &kernel_portable &&
            (who == OURS || who == ONE_OURS))
            continue;
        snprintf(name, sizeof name, "%s%s", r->name, suffix[who]);
        measure_print(name, r->rate[who][ROUNDS - 1] / 1e6, "M/s");
    }
    snprintf(name, sizeof name, "%s_vs_textbook", r->name);
    measure_print(name, measure_median(r->ratio, ROUNDS), "ratio");
    r->noise->kernel = kernel_best();
    snprintf(name, sizeof name, "%s_refinement_bound", r->name);
    measure_print(name, log2(refinement_bound(r->noise)), "log2/draw");
    snprintf(name, sizeof name, "%s_refinements_seen", r->name);
    measure_print(name, (double)refinements_seen(r->noise), "in_1.28e6_draws");
}

static void
row_init(struct row *r)
{
    custos_err err = CUSTOS_ERR_INIT;

    check(custos_noise_new(NULL, r->law, r->parameter, &r->noise, &err), &err);
    mpz_init_set_str(r->scale, r->parameter, 10);
    mpz_init_set_ui(r->one, 1);
    mpq_init(r->variance);
    mpz_mul(mpq_numref(r->variance), r->scale, r->scale);
}

static void
row_clear(struct row *r)
{
    mpq_clear(r->variance);
    mpz_clears(r->scale, r->one, NULL);
    custos_noise_free(r->noise);
}

int
main(void)
{
    custos_err err = CUSTOS_ERR_INIT;

    check(custos_rng_new(&rng, &err), &err);
    mpz_init(drawn);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        row_init(&rows[i]);
    for (size_t round = 0; round < ROUNDS; round++) {
        measure_progress("noise", round, ROUNDS);
        measure_round(round);
    }
    measure_progress("noise", ROUNDS, ROUNDS);
    print_table();
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (rows[i].name)
            print_lines(&rows[i]);
        row_clear(&rows[i]);
    }
    mpz_clear(drawn);
    custos_rng_free(rng);
    return 0;
}
