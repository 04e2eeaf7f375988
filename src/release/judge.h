/*
 * How near synthetic rows come to the true ones, as users of synthetic data judge it.
 * It reads the true rows: what it finds is NOT private, and only the owner may see it.
 */
#ifndef RELEASE_JUDGE_H
#define RELEASE_JUDGE_H

#include "base/arena.h"
#include "synth/schema.h"

/* Rows as codes of the schema: codes[c][row] for column c of the domain. */
struct judge_rows {
    size_t n;
    const uint16_t *const *codes;
};

/* A set of columns, and how far its true and synthetic distributions are apart. */
struct judged_set {
    struct colset set;
    double l1; /* 0: the same; 2: nothing in common */
};

/*
 * Ordered columns of more than 20 codes are first cut into 20 groups of about the same
 * number of true rows, as SDNist does; univariate numbers are of all codes.
 */
struct judgement {
    size_t n_true, n_synthetic;
    struct judged_set *columns, *pairs; /* the worst first */
    size_t n_columns, n_pairs, n_triples;
    double score_pairs, score_triples; /* 500 (2 - mean l1), of 1000 */
    double like_percent;   /* the score of pairs of a random sample of so many
                                percent of the true rows is the same; 100: of all */
    double propensity;     /* mean (p - 1/2)^2: 0 is not to be told apart, 1/4
                                always told apart; of rows kept from learning */
    double told_apart;     /* area under the curve: 0.5 to 1 */
    double matches;        /* share of synthetic rows that equal a true one */
    double unique_matches; /* share of true rows that are the only one of their
                                kind and have a synthetic equal */
    bool has_target;       /* some column has two codes or more: */
    size_t target;         /* the column that is predicted */
    uint32_t target_code;  /* is it this code, its most frequent one? */
    double learnt_from_true; /* areas under the curve, on true rows that neither
                                has learnt from */
    double learnt_from_synthetic;
};

/*
 * Needs rows on both sides, within the schema. `target`: the column of the domain to
 * predict; SIZE_MAX: one with the fewest codes from two on. In `a`. `progress` (or
 * NULL) gets the part that is done, of 100. May fail: CUSTOS_EINVAL (no rows),
 * CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status judge(const struct schema *s,
                                    const struct judge_rows *truth,
                                    const struct judge_rows *synthetic,
                                    size_t target, arena *a,
                                    void (*progress)(void *ctx, unsigned done),
                                    void *ctx, struct judgement *out,
                                    custos_err *err);

#endif
