/*
 * What a release has measured: all its noisy tables in their order, and the codes
 * that they are about. Tables, synopsis, synthetic rows and the public report all
 * follow from it.
 *
 * Rare codes may be merged on the way. Each *coding* maps the codes of the schema to those that
 * were in force; coding 0 is the schema's own.
 */
#ifndef SYNTH_RELEASED_H
#define SYNTH_RELEASED_H

#include "account/amount.h"
#include "base/arena.h"
#include "custos.h"
#include "synth/domain.h"

struct released_coding {
    struct domain domain; /* the codes in force */
    uint32_t *size;       /* domain.size */
    uint16_t **map;       /* by column and code of the schema */
};

enum released_kind {
    RELEASED_COUNTS,   /* the marginal of a set, noise on each cell */
    RELEASED_RESIDUAL, /* its residual (mech/marginals.h), likewise */
};

struct released_table {
    enum released_kind kind;
    struct colset set;
    size_t coding;   /* which one */
    amount rho;      /* its price */
    double variance; /* of the noise of one number */
    size_t cells;
    int64_t *values;
};

/* The rows of a column up to each of many fine codes (mech/running.h, the square root):
   sum t has the noise c_0 z_t + c_1 z_(t-1) + ..., c_0 = 1, c_k = c_(k-1) (2k - 1)/2k, and is
   rounded to a whole number. */
struct released_range {
    size_t column; /* of the domain; its codes are merged from these */
    uint32_t n;    /* fine codes without that of NULL, which is the last */
    i128 *cuts;    /* n + 1 (schema_column) */
    amount rho;
    double variance; /* of z_t */
    size_t cells;
    int64_t *sums;
};

/* A bound on the l1 distance of the model's marginal to the exact one, in rows, that
   does not follow from the tables. */
struct released_limit {
    struct colset set;
    double l1;
};

/* All limits hold at once with probability 1 - RELEASED_BETA/2; with as many bounds
   from tables as are asked for, 1 - RELEASED_BETA (bound.h). */
#define RELEASED_BETA 0.05

struct released {
    arena *arena; /* borrowed: all below is in it */
    struct released_coding *codings;
    size_t n_codings;
    struct released_table *tables;
    size_t n_tables;
    struct released_range *ranges;
    size_t n_ranges;
    amount *choices; /* what each selection of what to measure cost */
    size_t n_choices;
    struct released_limit *limits; /* of the model, which has the last coding */
    size_t n_limits;
};

/* Begins with coding 0, which keeps all codes. The domain has at most 2^16 codes a
   column. May fail: CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status released_new(arena *a, const struct domain *d,
                                           struct released **out,
                                           custos_err *err);

/* From now on, code k of this column, as the last coding has it, counts as
   map[k] < codes. Begins a new coding if there is a table of the last one. May fail:
   CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status released_recode(struct released *r, size_t column,
                                              const uint16_t *map,
                                              uint32_t codes, custos_err *err);

/* Copies the table's values; it is about the last coding. May fail: CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status released_add(struct released *r,
                                           const struct released_table *t,
                                           custos_err *err);

/* Adds the price of a selection. May fail: CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status released_choice(struct released *r, amount rho,
                                              custos_err *err);

/* Copies the limits. May fail: CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status
released_limits(struct released *r, const struct released_limit *limits,
                size_t n, custos_err *err);

/* Whether the codes of all columns of the table are still in force. */
bool
released_is_current(const struct released *r, const struct released_table *t);

/* The coding in force. */
static inline const struct released_coding *
released_now(const struct released *r)
{
    return &r->codings[r->n_codings - 1];
}

#endif
