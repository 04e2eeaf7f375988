/*
 * The side that is trusted with the data, played for the benchmark of synthetic
 * data: exact discrete Gaussian noise and the exact exponential mechanism. One unit
 * has one row.
 */
#ifndef BENCH_SYNTH_KEEPER_H
#define BENCH_SYNTH_KEEPER_H

#include "custos.h"
#include "synth/released.h"
#include "synth/trusted.h"
#include "synth_data.h"

struct keeper {
    const struct data *data;
    uint32_t size[SYNTH_COLUMNS]; /* as recoded */
    uint16_t *code[SYNTH_COLUMNS];
    custos_rng *rng;
    amount spent;
    struct released *released; /* gets what is measured; NULL: nobody */
    int64_t *scores;           /* by candidate */
    struct counted {
        struct colset set;
        size_t cells;
        int32_t *x;
    } * counted; /* by candidate: its exact marginal */
    size_t n_scores;
};

/* Borrows the data, which recoding does not change. */
struct keeper keeper_of(const struct data *data, custos_rng *rng);
void keeper_clear(struct keeper *k);

/* Its calls; borrows it. */
struct trusted keeper_trusted(struct keeper *k);

#endif
