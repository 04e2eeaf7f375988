/*
 * What synthesizers have in common: each asks the trusted side for marginals and
 * choices, pays from one budget, and keeps what comes back.
 */
#ifndef SYNTH_ASK_H
#define SYNTH_ASK_H

#include "synth/limits.h"
#include "synth/model.h"
#include "synth/recode.h"
#include "synth/trusted.h"

struct asker {
    custos_alloc alloc;
    const struct trusted *trusted;
    uint64_t l2_squared; /* of a marginal, as in price_variance() */
    amount left;
    struct limits *passed; /* gets what is scored; NULL: nobody */
};

/* What a synthesizer returns: a fitted model of the recoded columns. */
struct synthesis {
    struct model *model;
    struct recoding *recoding;     /* NULL: the columns are as they were */
    size_t rounds;                 /* of AIM */
    struct released_limit *limits; /* of AIM, for released_limits() */
    size_t n_limits, limits_room;
    custos_alloc alloc;
    amount left; /* of rho */
};

void synthesis_free(struct synthesis *s);

/* The noisy marginal of a set with this many cells. May fail: as the trusted
   side. */
CUSTOS_MUST_USE custos_status ask_marginal(struct asker *a, struct colset set,
                                           amount rho, int64_t *out,
                                           custos_err *err);

/* The noisy residual of a set. May fail: as the trusted side. */
CUSTOS_MUST_USE custos_status ask_residual(struct asker *a, struct colset set,
                                           amount rho, int64_t *out,
                                           custos_err *err);

/* The noisy marginal as doubles, with the variance of the noise. May also fail with
   CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status ask_values(struct asker *a, struct colset set,
                                         size_t cells, amount rho,
                                         double *values, double *variance,
                                         custos_err *err);

/* The same, as a measurement of the model. May also fail with CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status ask_for_model(struct asker *a, struct model *m,
                                            struct colset set, amount rho,
                                            custos_err *err);

/* Says the score of candidate i, given the model's marginal, in rows, which is
   rounded, and the penalty a unit of weight. May fail: as the trusted side. */
CUSTOS_MUST_USE custos_status ask_score(struct asker *a, size_t i,
                                        struct colset set, uint64_t weight,
                                        const double *marginal, size_t cells,
                                        double penalty, custos_err *err);

CUSTOS_MUST_USE custos_status ask_select(struct asker *a, const size_t *among,
                                         size_t n, uint64_t weight, amount rho,
                                         size_t *winner, custos_err *err);

#endif
