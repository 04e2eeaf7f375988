/*
 * One question of an analyst as a job: a worker thread asks it and reads the
 * remaining budget. Both listeners use it.
 */
#ifndef SERVE_QUESTION_H
#define SERVE_QUESTION_H

#include "curator/batch.h"
#include "curator/credential.h"
#include "serve/workers.h"

struct question {
    struct job job; /* first, so that the job can be cast to this */
    struct credential
        who;        /* who asks; checked again before the question runs */
    struct ask ask; /* borrowed until done; the job sets who and now */
    bool quiet;     /* the remaining budget is not wanted */
    struct ask_batch *batch; /* several questions at once, borrowed: they
                                replace the text of `ask`, and their answers
                                `answer`; NULL: one question */
    bool explains;           /* only plan the batch */

    struct curator *by;                /* set by the job: the handle it is asked
                                          on */
    struct work_snapshot public_parts; /* the snapshot for which the public
                                          parts were computed, before a move
                                          to another lane */

    /* out */
    custos_status status;
    custos_err err;
    struct answer *answer; /* freed by the caller (answer_free); NULL: see
                              err */
    bool lost;             /* the credential was revoked: end the session */
    uint8_t policy[32];    /* of the snapshot that the answer comes from */
    uint64_t version;
    bool has_remaining;
    struct ledger_remaining remaining;
};

/* Sets job.work; the caller sets job.done, job.asked_us, ask and who. */
void question_init(struct question *q);

/* The function that question_init sets as job.work. Jobs that do more call
   it. */
void question_work(struct job *j, struct curator *c);

#endif
