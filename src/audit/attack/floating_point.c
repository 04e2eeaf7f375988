/*
 * Floating point: noise that is added in doubles shows the value under it.
 *
 * Mironov 2012 (porous bits): x + noise can only be some doubles, and for a
 * neighbour x' others. A release that no noise makes from x' proves that the
 * value was x. Haney and others 2022 (precision): the sum is rounded to the
 * precision of its larger part, so "not a multiple of 2^-53" is common for 0 and
 * next to impossible for 1.
 *
 * The naive server is the textbook's: -scale * log(u), with a random sign. That of
 * custos releases multiples of a grid which depends on the parameters alone.
 */
#include "audit/attack/floating_point.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "audit/bound.h"
#include "base/error.h"

enum {
    BATCH = 500,
    NEAR = 32, /* uniforms to try around the one that fits best */
};

static double
float_laplace(double scale, double u, bool minus)
{
    double noise = -scale * log(u);

    return minus ? -noise : noise;
}

double
float_release(struct coins *coins, double x, double scale)
{
    double u = coins_uniform(coins);

    return x + float_laplace(scale, u, coins_word(coins) & 1);
}

bool
float_possible(double y, double x, double scale)
{
    bool minus = y < x;
    long double u = expl(-fabsl((long double)y - x) / scale);
    int64_t best = (int64_t)(u * 0x1p53L);

    for (int64_t k = best - NEAR; k <= best + NEAR; k++)
        if (k >= 1 && k <= INT64_C(1) << 53) {
            double at = (double)k * 0x1p-53;

            if (x + float_laplace(scale, at, minus) == y ||
                (y == x && x + float_laplace(scale, at, !minus) == y))
                return true;
        }
    return false;
}

bool
float_is_fine(double y)
{
    double steps = y * 0x1p53;

    return steps != floor(steps);
}

/* ------------------------------------------------------------- custos -- */

struct ours {
    custos_mech *mech;
    custos_rng *rng;
    double grid;
    double exact[BATCH], released[BATCH];
};

static custos_status
ours_open(struct ours *o, const char *epsilon, custos_err *err)
{
    custos_mech_options options = {
        .size = sizeof options,
        .kind = CUSTOS_LAPLACE,
        .domain = CUSTOS_REALS,
        .values = BATCH,
        .epsilon = epsilon,
        .sensitivity = "1",
    };
    custos_status st = custos_mech_new(NULL, &options, &o->mech, err);

    if (!st)
        st = custos_rng_new(&o->rng, err);
    if (!st)
        o->grid = attack_number(custos_mech_facts(o->mech)->grid);
    return st;
}

/* BATCH releases of x. */
static custos_status
ours_release(struct ours *o, double x, custos_err *err)
{
    custos_sealed *sealed = NULL;
    custos_status st;

    for (size_t i = 0; i < BATCH; i++)
        o->exact[i] = x;
    st = custos_seal_reals(NULL, o->exact, BATCH, &sealed, err);
    if (!st)
        st = custos_release_reals(o->mech, o->rng, sealed, o->released, BATCH,
                                  err);
    custos_sealed_free(sealed);
    return st;
}

static void
ours_close(struct ours *o)
{
    custos_mech_free(o->mech);
    custos_rng_free(o->rng);
}

/* --------------------------------------------------------- the attack -- */

struct tally {
    uint64_t n;          /* releases of each neighbour */
    uint64_t proofs[2];  /* by server: releases that rule out the other */
    uint64_t proofs_of;  /* releases that were tested */
    uint64_t fine[2][2]; /* by server and neighbour */
};

static custos_status
attack_batch(struct ours *ours, struct coins *coins, double scale, bool proofs,
             struct tally *t, custos_err *err)
{
    for (int x = 0; x < 2; x++) {
        custos_status st = ours_release(ours, x, err);

        if (st)
            return st;
        for (size_t i = 0; i < BATCH; i++) {
            double naive = float_release(coins, x, scale);
            double steps = ours->released[i] / ours->grid;

            t->fine[0][x] += float_is_fine(naive);
            t->fine[1][x] += float_is_fine(ours->released[i]);
            if (!proofs)
                continue;
            t->proofs_of++;
            t->proofs[0] += !float_possible(naive, 1 - x, scale);
            /* Every multiple of the grid is possible for both. */
            t->proofs[1] += steps != floor(steps);
        }
    }
    t->n += BATCH;
    return CUSTOS_OK;
}

static double
refuted(const struct tally *t, int server)
{
    return bound_of_counts(t->fine[server][0], t->fine[server][1], t->n, 0,
                           0.05)
        .epsilon;
}

static void
write_report(const struct tally *t, const char *epsilon,
             struct attack_report *r)
{
    static const char proof[] = "releases that prove the secret alone";
    static const char bound[] = "epsilon that the releases refute (95 %)";
    double claim = attack_number(epsilon);
    struct attack_row *row;

    row = attack_add_share(r, SERVER_NAIVE, proof, t->proofs[0], t->proofs_of);
    snprintf(row->who, sizeof row->who, "textbook Laplace noise in doubles");
    row = attack_add_share(r, SERVER_CUSTOS, proof, t->proofs[1], t->proofs_of);
    snprintf(row->who, sizeof row->who, "custos");
    row->ceiling = 0;
    row = attack_add_number(r, SERVER_NAIVE, bound, refuted(t, 0));
    snprintf(row->who, sizeof row->who, "textbook Laplace noise in doubles");
    row = attack_add_number(r, SERVER_CUSTOS, bound, refuted(t, 1));
    snprintf(row->who, sizeof row->who,
             "custos (%" PRIu64 " such releases of %" PRIu64 ")",
             t->fine[1][0] + t->fine[1][1], (uint64_t)2 * t->n);
    row->ceiling = claim;
    snprintf(
        r->means, sizeof r->means,
        "The textbook's program promises epsilon %s and keeps no promise "
        "at all: the last digits of its answers show the value. custos "
        "computes with whole numbers on a public grid, and its last digits "
        "show nothing.",
        epsilon);
}

static void
write_head(const char *epsilon, double most, struct attack_report *r)
{
    snprintf(r->title, sizeof r->title, "Noise in floating point");
    snprintf(
        r->knows, sizeof r->knows,
        "A person's secret is 0 or 1, and is released with Laplace noise "
        "at epsilon %s. The attacker reads all digits of the answer. Some "
        "doubles can only come from a 0, others only from a 1; and answers "
        "finer than 2^-53 hardly ever come from a 1.",
        epsilon);
    snprintf(r->picture, sizeof r->picture,
             "event: the answer is not a multiple of 2^-53; claimed epsilon %s",
             epsilon);
    r->x = (struct attack_axis){
        .label = "releases seen", .least = BATCH, .most = most, .is_log = true};
    r->y = (struct attack_axis){.label = "epsilon refuted, at 95 %", .most = 8};
}

static custos_status
run(const struct attack_options *o, struct attack_report *r, custos_err *err)
{
    const char *epsilon = attack_epsilon(o, "0.1");
    const uint64_t n = o->quick ? 16000 : 128000;
    const uint64_t proofs = o->quick ? 2000 : 10000;
    struct ours *ours = calloc(1, sizeof *ours);
    struct attack_curve *naive, *custos;
    struct tally t = {0};
    struct coins coins;
    custos_status st = ours ? ours_open(ours, epsilon, err)
                            : custos_fail(err, CUSTOS_ENOMEM, "out of memory");

    write_head(epsilon, (double)n, r);
    custos = attack_add_curve(r, "custos");
    naive = attack_add_curve(r, "noise in doubles");
    coins_seed(&coins, o->seed, 1);
    for (uint64_t next = BATCH; t.n < n && !st;) {
        double scale = attack_number(custos_mech_facts(ours->mech)->scale);

        st = attack_batch(ours, &coins, scale, t.n < proofs, &t, err);
        attack_step(o, (double)t.n / (double)n);
        if (t.n < next || st)
            continue;
        attack_add_point(naive, (double)t.n, refuted(&t, 0));
        attack_add_point(custos, (double)t.n, refuted(&t, 1));
        next *= 2;
    }
    if (!st) {
        attack_add_level(r, "claimed", attack_number(epsilon));
        r->y.most = fmax(1, ceil(naive->y[naive->n - 1]));
        write_report(&t, epsilon, r);
    }
    if (ours)
        ours_close(ours);
    free(ours);
    return st;
}

const struct attack attack_floating_point = {
    .name = "floating-point",
    .summary = "noise in doubles: the last digits show the value",
    .run = run,
};
