/*
 * A synopsis of a small table of visits, made as a release makes one: MST, AIM or the
 * planner measures rows that look random, with the product's noise.
 */
#ifndef TEST_SYNOPSIS_MADE_H
#define TEST_SYNOPSIS_MADE_H

#include "synopsis/synopsis.h"
#include "synth/ask.h"

enum { MADE_ROWS = 3000, MADE_COLUMNS = 6 };

/* The columns that are modelled, by number in the domain. */
enum { MADE_SEX, MADE_SMOKER, MADE_WARD, MADE_AGE, MADE_DAY, MADE_COST };

enum made_by { MADE_BY_MST, MADE_BY_AIM, MADE_BY_TABLES };

struct synopsis_made {
    arena *arena;
    struct synopsis *synopsis;
    struct synthesis synthesis;
    custos_rng *rng;
    uint32_t rows[MADE_ROWS][MADE_COLUMNS]; /* codes of the schema */
    int64_t scores[64];
};

/* rho is that of the whole release, in units of 10^-20. */
struct synopsis_made *
synopsis_made_new(enum made_by method, amount rho, uint64_t seed);
void synopsis_made_free(struct synopsis_made *m);

#endif
