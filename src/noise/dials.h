/*
 * Dials turn random words into the digits of geometric, Laplace and Gaussian
 * draws.
 *
 * A dial has up to 16 cuts 0 < F_0 < F_1 < ... < 1. A uniform real U in [0, 1)
 * gives the number of cuts at or below it. The first word of U is compared
 * with the first words of all cuts. If it equals one of them (a tie, of
 * probability at most cuts * 2^-63), more words of U are drawn and compared
 * with further digits of that cut, which are computed only then. The outcome
 * has exactly its distribution; no number is rounded.
 */
#ifndef NOISE_DIALS_H
#define NOISE_DIALS_H

#include <stddef.h>

#include "base/base.h"
#include "custos.h"
#include "noise/word.h"
#include "num/ival.h"

enum {
    DIAL_CUTS = 16,
    DIALS_MAX = 17,  /* base-16 digits at scale 2^60 */
    DIGITS_LOW = 15, /* digits in the low 60 bits */
    BLOCK = 64,      /* draws handled together */
};

/*
 * Row j is for base-16 digit j of a geometric variable. Every word is compared
 * with 16 cuts, so the loops have a fixed length; an unused cut is a word of
 * ones, which no word exceeds.
 *
 * For the two-sided law, row 0 also decides whether the draw is 0: outcome 0
 * means yes, and outcome d + 1 means digit d. The lowest bit of row 0's word
 * is the sign: `sign` is 1, the word is compared without that bit, and U
 * begins with the bits above it.
 */
struct dials {
    size_t count;
    word sign; /* mask of the sign in row 0's word: 1, or 0 for none */
    uint8_t cuts[DIALS_MAX];
    word cut[DIALS_MAX][DIAL_CUTS]; /* unused cuts are all ones */
    /*
     * for dials_avx2.c: across[4c + g] is cut[4g + c] with its top bit flipped
     */
    uint64_t across[DIALS_MAX][DIAL_CUTS];
    rat rate; /* the geometric ratio is exp(-rate) */
};

/*
 * The outcomes of a block of draws: the digits combined (the low 60 bits and
 * the rest), and for the two-sided law a sign: 0 if the draw is 0, 1 if it is
 * positive, 2 if it is negative.
 */
struct outcomes {
    uint64_t low[BLOCK];
    uint64_t high[BLOCK];
    uint64_t sign[BLOCK];
};

/* Wipes the first n outcomes. Cannot fail. */
static inline void
outcomes_wipe(struct outcomes *o, size_t n)
{
    wipe(o->low, n * sizeof o->low[0]);
    wipe(o->high, n * sizeof o->high[0]);
    wipe(o->sign, n * sizeof o->sign[0]);
}

/* Whether a draw is one- or two-sided. */
enum dials_shape { DIALS_GEOMETRIC, DIALS_LAPLACE };

/*
 * Makes the dials for the ratio exp(-rate), 2^-60 <= rate <= 2^20. Copies
 * rate. May fail: CUSTOS_EINTERNAL.
 */
CUSTOS_MUST_USE custos_status dials_init(struct dials *d,
                                         enum dials_shape shape,
                                         const rat *rate);
void dials_clear(struct dials *d);

/*
 * Reads the draws `from` .. n - 1 of a block of n <= BLOCK; the word of dial j
 * for draw i is words[j * n + i]. Returns a mask of the draws with a tie,
 * whose outcomes dials_settle must still decide. Cannot fail.
 */
typedef uint64_t dials_scan_fn(const struct dials *d, const uint64_t *words,
                               size_t from, size_t n, struct outcomes *out);

dials_scan_fn dials_scan;      /* portable */
dials_scan_fn dials_scan_avx2; /* the same outcomes from the same words */

/*
 * Decides draw i of a block of n, whose words tied, with more words. May fail:
 * CUSTOS_EENTROPY, CUSTOS_EINTERNAL.
 */
CUSTOS_MUST_USE custos_status dials_settle(const struct dials *d,
                                           custos_rng *rng,
                                           const uint64_t *words, size_t i,
                                           size_t n, struct outcomes *out);

/* A cut of a dial as a real number, for settling and for the tests. */
struct cut_of {
    const struct dials *dials;
    size_t dial, cut;
};
struct real dials_cut(const struct cut_of *of);

/*
 * *below = 1 if U >= x for the uniform U that begins with `head`, else 0;
 * exact. May fail: CUSTOS_EENTROPY, CUSTOS_EINTERNAL.
 */
CUSTOS_MUST_USE custos_status real_at_or_below(struct real x, word head,
                                               custos_rng *rng,
                                               unsigned *below);

#endif
