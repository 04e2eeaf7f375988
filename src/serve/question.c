#include "serve/question.h"

#include "base/error.h"
#include "serve/clock.h"

/* What is left is no more than what the asker's window has left. */
static void
tell_left(struct question *q, struct curator *c)
{
    struct ledger *l = curator_ledger(c);
    struct ledger_balance own, window;
    const char *left = own.left_epsilon;
    struct datum a, b;
    custos_err quiet;

    if (ledger_balance(l, q->ask.who, &own, &quiet))
        return;
    if (q->ask.who.len &&
        !ledger_window(l, q->ask.who, q->ask.now, &window, &quiet) &&
        window.limited &&
        datum_read(TYPE_DECIMAL, str_of(window.left_epsilon), &a) &&
        (!datum_read(TYPE_DECIMAL, str_of(own.left_epsilon), &b) ||
         datum_cmp(&a, &b) < 0))
        left = window.left_epsilon;
    memcpy(q->left_epsilon, left, sizeof q->left_epsilon);
    q->has_left = true;
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
