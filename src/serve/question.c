#include "serve/question.h"

#include "base/error.h"
#include "serve/clock.h"

static void
tell_left(struct question *q, struct curator *c)
{
    custos_err quiet;

    q->has_left = !ledger_left(curator_ledger(c), q->ask.who, q->ask.now, NULL,
                               q->left_epsilon, &quiet);
}

/* Only what is known to have cost nothing may leave when it likes. */
void
question_work(struct job *j, struct curator *c)
{
    struct question *q = (struct question *)j;

    q->ask.who = str_of(q->who.name);
    q->ask.now = wall_us();
    q->err = (custos_err){.at = -1};
    q->status = door_holds(c, &q->who, &q->err);
    q->lost = q->status == CUSTOS_EDENIED;
    if (!q->status)
        q->status = curator_answer(c, &q->ask, &q->answer, &q->err);
    if (q->status)
        return;
    j->stepped =
        !(q->answer->stored || q->answer->explained || q->answer->is_public);
    memcpy(q->policy, curator_policy(c)->id, sizeof q->policy);
    q->version = curator_version(c);
    if (!q->quiet && !q->answer->is_public)
        tell_left(q, c);
}

void
question_init(struct question *q)
{
    *q = (struct question){.job.work = question_work};
}
