#include "serve/verified.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum {
    LEAST_US = 60 * 1000000, /* between two verifications of the whole chain */
    TIMES = 20, /* and at least this many times as long as the last one took */
};

struct verified {
    pthread_mutex_t mutex;
    bool busy;                 /* somebody verifies */
    bool tried, known;         /* the whole chain was tried; there is a
                                  result */
    int64_t ended_us, took_us; /* of the last verification of the whole chain */
    struct verified_facts facts;
};

struct verified *
verified_new(void)
{
    struct verified *v = calloc(1, sizeof *v);

    if (v)
        pthread_mutex_init(&v->mutex, NULL);
    return v;
}

void
verified_free(struct verified *v)
{
    if (!v)
        return;
    pthread_mutex_destroy(&v->mutex);
    free(v);
}

/* With the mutex. */
static bool
is_due(const struct verified *v, int64_t now)
{
    int64_t pause =
        TIMES * v->took_us > LEAST_US ? TIMES * v->took_us : LEAST_US;

    return !v->tried || now - v->ended_us >= pause;
}

/* Notes what a verification found. False: it had no result, and *err says
   why. */
static bool
note_finding(struct verified_facts *f, custos_status st, const custos_err *err)
{
    f->ok = !st;
    if (st == CUSTOS_ECORRUPT || st == CUSTOS_ENAME)
        snprintf(f->said, sizeof f->said, "%s%s%s", err->said,
                 *err->hint ? "; " : "", err->hint);
    return !st || st == CUSTOS_ECORRUPT || st == CUSTOS_ENAME;
}

/* Without the mutex; this caller has set `busy`. */
static custos_status
look_again(struct verified *v, struct ledger *l, bool all,
           int64_t (*now_us)(void), custos_err *err)
{
    struct verified_facts f = v->facts;
    int64_t began = now_us();
    custos_status st;
    bool tells;

    if (all)
        st = ledger_verify(l, f.head.seq ? &f.head : NULL, &f.head, err);
    else
        st = ledger_verify_after(l, &f.head, &f.head, err);
    tells = note_finding(&f, st, err);
    if (all && !st)
        f.all = f.head.seq;
    pthread_mutex_lock(&v->mutex);
    if (tells)
        v->facts = f;
    v->known = v->known || tells;
    if (all) {
        v->tried = true;
        v->ended_us = now_us();
        v->took_us = v->ended_us - began;
    }
    pthread_mutex_unlock(&v->mutex);
    return tells ? CUSTOS_OK : st;
}

custos_status
verified_look(struct verified *v, struct ledger *l, int64_t (*now_us)(void),
              struct verified_facts *out, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    bool all, mine;

    pthread_mutex_lock(&v->mutex);
    all = is_due(v, now_us());
    /* a damaged chain counts as damaged until all of it is verified again */
    mine = !v->busy && (all || (v->known && v->facts.ok));
    v->busy = v->busy || mine;
    pthread_mutex_unlock(&v->mutex);
    if (mine)
        st = look_again(v, l, all, now_us, err);
    pthread_mutex_lock(&v->mutex);
    if (mine)
        v->busy = false;
    if (!st && !v->known)
        st = custos_fail(err, CUSTOS_EBUSY,
                         "the ledger is being verified" HINT "ask again soon");
    if (!st) {
        *out = v->facts;
        out->ago_us = mine && all ? 0 : now_us() - v->ended_us;
    }
    pthread_mutex_unlock(&v->mutex);
    return st;
}
