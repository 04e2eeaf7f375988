/*
 * One question of an analyst as a job: asked on a worker, with the remaining
 * budget after it. Both listeners use it.
 */
#ifndef SERVE_QUESTION_H
#define SERVE_QUESTION_H

#include "curator/credential.h"
#include "serve/workers.h"

struct question {
    struct job job; /* first: a job is its question */
    struct credential
        who;        /* who asks; checked again before the question runs */
    struct ask ask; /* borrowed until done; who and now are set by the job */
    bool quiet;     /* the remaining budget is not wanted */

    struct curator *by;                /* its own: the handle it is asked on */
    struct work_snapshot public_parts; /* and what was computed before a move */

    /* out */
    custos_status status;
    custos_err err;
    struct answer *answer; /* the caller's, answer_free; NULL: see err */
    bool lost;             /* the credential was revoked: end the session */
    uint8_t policy[32];    /* and data version that the answer comes from */
    uint64_t version;
    bool has_left;
    bool left_in_rho; /* it is what a sum of rho has room for */
    char left_epsilon[CUSTOS_AMOUNT_MAX]; /* the largest charge admitted now */
};

/* Sets job.work; the rest is the caller's: job.done, job.asked_us, ask, who. */
void question_init(struct question *q);

/* The function that it sets: for jobs that do more. */
void question_work(struct job *j, struct curator *c);

#endif
