/* Pieces of the reconstruction attack. */
#ifndef AUDIT_ATTACK_RECONSTRUCTION_H
#define AUDIT_ATTACK_RECONSTRUCTION_H

#include "audit/attack/attack.h"
#include "audit/attack/least_squares.h"

/* Gaussian noise of libcustos for a number of questions that share one budget. */
struct shared_noise {
    size_t questions;
    double sigma;
    custos_mech *mech;
};

/* May fail: as custos_calibrate_noise and custos_mech_new; clear it in any case. */
CUSTOS_MUST_USE custos_status shared_noise_init(struct shared_noise *s,
                                                size_t questions,
                                                const char *epsilon,
                                                const char *of_delta,
                                                custos_err *err);
void shared_noise_clear(struct shared_noise *s);

/* Who answers: custos if there is a noise, else a naive server whose own noise has
   the standard deviation sigma (0: none). Borrows all. */
struct server {
    double sigma;
    const struct shared_noise *noise;
    struct coins *coins;
    custos_rng *rng;
};

/* Answers the first m counts; m is that of the noise. May fail: as
   custos_release_ints. */
CUSTOS_MUST_USE custos_status server_answer(const struct server *server,
                                            const int64_t *exact, size_t m,
                                            double *out, custos_err *err);

/* People with secret bits, the subsets that are asked about, and room for
   answers and guesses. */
struct people {
    struct subsets subsets;
    bool *secret, *guess;
    int64_t *exact;
    double *answers;
};

/* Starts with zeros. May fail: CUSTOS_ENOMEM; clear it in any case. */
CUSTOS_MUST_USE custos_status people_init(struct people *p, size_t n,
                                          size_t questions, struct coins *coins,
                                          custos_err *err);
void people_clear(struct people *p);

/* Guesses from the first m of p->answers, whose noise has the standard deviation
   sigma; *right is how many guesses are. May fail: CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status people_guess(struct people *p, size_t m,
                                           double sigma, uint64_t *right,
                                           custos_err *err);

#endif
