/*
 * A queue of requests. The writer's thread empties it or, before that thread is
 * started, the caller does.
 *
 * Callers wait for charges and acts. Answers to store are copied, and written
 * with the next charge or after a short delay. Uses of cached answers are
 * counted, and the counts are written as rows once a second. So a busy ledger
 * syncs once for a whole group (up to LEDGER_GROUP_MOST) of the requests
 * that came during its last sync, and an idle one syncs at once.
 *
 * THEOREM  till-durable-first
 *   ledger_writer_charge returns CUSTOS_OK only after the commit of its row has
 *   returned: whatever a thread does after its charge happens after the sync.
 * SOURCE   doc/proofs/ledger-group.md
 * NEEDS    ledger-group; a job is marked done by the writer alone, after
 *          ledger_post.
 * GIVES    charge-first for any number of threads.
 * FAILS    as ledger_post; every caller gets its own result.
 * TESTED   ledger_writer_many_threads_spend_exactly
 *          ledger_writer_failure_is_told_to_all
 *          ledger_writer_waits_for_the_commit
 */
#include "curator/ledger_writer.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "num/ival.h"

enum {
    KEY_BYTES = 32,
    KEEP_WAIT_MS = 20,    /* how long an answer waits for a group commit */
    AGAIN_WAIT_MS = 1000, /* how long a count waits */
    KEEP_BYTES_MOST = 64 << 20,
    AGAIN_MOST = 512,
    AGAIN_MANY =
        256, /* at this many the writer is woken, so that the table is rarely
                full */
    WORDS_MOST = 1 << 16,
};

struct writer_job {
    struct ledger_job job;
    sem_t done; /* posted once, for the caller that waits */
    bool owned; /* an answer: nobody waits, the writer frees it */
    struct writer_job *next;
};

/* How often a cached answer was given since the last row. */
struct again {
    char *who;
    size_t who_len;
    uint64_t seq, times;
    int64_t now;
};

struct ledger_writer {
    struct ledger *ledger;
    pthread_mutex_t mutex;
    pthread_cond_t work, done;
    pthread_t thread;
    bool started, stopping, urgent;
    bool turning; /* a thread is writing to the ledger, without the mutex */
    struct writer_job *first, **last; /* waiting jobs */
    struct writer_job *running;       /* jobs being written */
    size_t keep_bytes;
    struct again again[AGAIN_MOST];
    size_t n_again;
    int64_t keep_since, again_since; /* start of the wait, ms; 0: none */
};

static int64_t
now_ms(void)
{
    struct timespec now = {0, 0};

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + 1;
}

custos_status
ledger_writer_open(const char *ledger, const char *lock,
                   struct ledger_writer **out, custos_err *err)
{
    struct ledger_writer *t = calloc(1, sizeof *t);
    pthread_condattr_t monotonic;
    custos_status st;

    if (!t)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = ledger_open(ledger, lock, &t->ledger, err);
    if (st) {
        free(t);
        return st;
    }
    pthread_mutex_init(&t->mutex, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&t->work, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_cond_init(&t->done, NULL);
    t->last = &t->first;
    *out = t;
    return CUSTOS_OK;
}

/* --------------------------------------------------------------- writing -- */

/* Writes one row for one analyst: "17:3 19:1" (receipt:times), with the latest
   time. */
static void
again_row(struct ledger_writer *t, const struct again *of, size_t n)
{
    int64_t now = of->now;
    struct receipt ignored;
    struct buf words;
    custos_err quiet = CUSTOS_ERR_INIT;

    buf_init(&words, NULL, WORDS_MOST);
    for (size_t i = 0; i < n; i++) {
        buf_printf(&words, "%s%llu:%llu", i ? " " : "",
                   (unsigned long long)of[i].seq,
                   (unsigned long long)of[i].times);
        now = of[i].now > now ? of[i].now : now;
    }
    /* If this fails, the owner misses a count; no answer changes. */
    if (!words.failed)
        (void)!ledger_act(t->ledger, "given again",
                          (str){buf_text(&words), words.len},
                          (str){of->who, of->who_len}, now, &ignored, &quiet);
    buf_clear(&words);
}

static int
again_order(const void *a, const void *b)
{
    const struct again *x = a, *y = b;
    int c = strcmp(x->who, y->who);

    if (c)
        return c;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Without the mutex: `all` belongs to the caller. */
static void
again_write(struct ledger_writer *t, struct again *all, size_t n)
{
    qsort(all, n, sizeof *all, again_order);
    for (size_t i = 0, k; i < n; i = k) {
        for (k = i + 1; k < n && !strcmp(all[k].who, all[i].who);)
            k++;
        again_row(t, &all[i], k - i);
    }
    for (size_t i = 0; i < n; i++)
        free(all[i].who);
}

static void
group_write(struct ledger_writer *t, struct writer_job *group)
{
    for (struct writer_job *j = group; j; j = j->next)
        j->job.next = j->next ? &j->next->job : NULL;
    if (group)
        ledger_post(t->ledger, &group->job);
}

/* With the mutex: takes all waiting jobs, writes them, and wakes their
   callers. */
static void
write_pending(struct ledger_writer *t)
{
    struct writer_job *group = t->first, *next;
    bool due = t->n_again && (t->stopping || t->n_again >= AGAIN_MANY ||
                              now_ms() >= t->again_since + AGAIN_WAIT_MS);
    struct again again[AGAIN_MOST];
    size_t n_again = due ? t->n_again : 0;

    memcpy(again, t->again, n_again * sizeof *again);
    if (due)
        t->n_again = 0;
    t->turning = true;
    t->running = group;
    t->first = NULL;
    t->last = &t->first;
    t->keep_since = 0;
    t->urgent = false;
    pthread_mutex_unlock(&t->mutex);
    group_write(t, group);
    again_write(t, again, n_again);
    pthread_mutex_lock(&t->mutex);
    t->running = NULL;
    t->turning = false;
    for (; group; group = next) {
        next = group->next;
        if (group->owned) {
            t->keep_bytes -= group->job.answer.len;
            free(group);
        } else {
            sem_post(&group->done); /* the job may be gone after this */
        }
    }
    pthread_cond_broadcast(&t->done);
}

/* When to write next if nothing urgent comes; 0: never. */
static int64_t
due_at(const struct ledger_writer *t)
{
    int64_t keep = t->keep_since ? t->keep_since + KEEP_WAIT_MS : 0;
    int64_t again = t->n_again ? t->again_since + AGAIN_WAIT_MS : 0;

    if (!keep || !again)
        return keep ? keep : again;
    return keep < again ? keep : again;
}

static void *
ledger_writer_run(void *arg)
{
    struct ledger_writer *t = arg;

    pthread_mutex_lock(&t->mutex);
    for (;;) {
        int64_t due = due_at(t);

        if (t->turning) /* a caller is still writing by itself */
            pthread_cond_wait(&t->done, &t->mutex);
        else if (t->urgent || t->stopping || (due && due <= now_ms())) {
            if (t->stopping && !t->first && !t->n_again)
                break;
            write_pending(t);
        } else if (due) {
            struct timespec until = {due / 1000, due % 1000 * 1000000};

            pthread_cond_timedwait(&t->work, &t->mutex, &until);
        } else {
            pthread_cond_wait(&t->work, &t->mutex);
        }
    }
    pthread_mutex_unlock(&t->mutex);
    ival_forget_caches();
    return NULL;
}

custos_status
ledger_writer_start(struct ledger_writer *t, custos_err *err)
{
    bool started;

    pthread_mutex_lock(&t->mutex);
    if (!t->started)
        t->started = !pthread_create(&t->thread, NULL, ledger_writer_run, t);
    started = t->started;
    pthread_mutex_unlock(&t->mutex);
    if (started)
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_ENOMEM, "no thread can be started");
}

void
ledger_writer_close(struct ledger_writer *t)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->mutex);
    t->stopping = true;
    pthread_cond_signal(&t->work);
    if (!t->started)
        write_pending(t);
    pthread_mutex_unlock(&t->mutex);
    if (t->started)
        pthread_join(t->thread, NULL);
    pthread_cond_destroy(&t->work);
    pthread_cond_destroy(&t->done);
    pthread_mutex_destroy(&t->mutex);
    ledger_close(t->ledger);
    free(t);
}

/* --------------------------------------------------------------- waiting -- */

/* With the mutex: makes the writer write now; without its thread, writes
   here. */
static void
wake_writer(struct ledger_writer *t)
{
    if (t->started && !t->urgent)
        pthread_cond_signal(&t->work);
    t->urgent = true;
    if (!t->started && !t->turning)
        write_pending(t);
}

static void
join_queue(struct ledger_writer *t, struct writer_job *j)
{
    j->next = NULL;
    *t->last = j;
    t->last = &j->next;
}

/* Queues a job and waits until it is done; a commit wakes only the callers
   whose rows it has. Without the writer's thread the caller writes by
   itself. */
static void
wait_for(struct ledger_writer *t, struct writer_job *j)
{
    sem_init(&j->done, 0, 0);
    pthread_mutex_lock(&t->mutex);
    join_queue(t, j);
    while (!t->started && t->turning)
        pthread_cond_wait(&t->done, &t->mutex);
    wake_writer(t);
    pthread_mutex_unlock(&t->mutex);
    while (sem_wait(&j->done) && errno == EINTR)
        continue;
    sem_destroy(&j->done);
}

custos_status
ledger_writer_charge(struct ledger_writer *t, const struct ledger_request *r,
                     struct receipt *out, custos_err *err)
{
    struct writer_job j = {
        .job = {.kind = LEDGER_CHARGE, .request = r, .err = err}};

    wait_for(t, &j);
    if (!j.job.status)
        *out = j.job.receipt;
    return j.job.status;
}

custos_status
ledger_writer_charge_all(struct ledger_writer *t,
                         const struct ledger_request *requests, size_t n,
                         struct receipt *receipts, custos_err *err)
{
    struct writer_job j = {.job = {.kind = LEDGER_CHARGES,
                                   .request = requests,
                                   .n_requests = n,
                                   .receipts = receipts,
                                   .err = err}};

    wait_for(t, &j);
    return j.job.status;
}

custos_status
ledger_writer_act(struct ledger_writer *t, const char *act, str words, str who,
                  int64_t now, struct receipt *out, custos_err *err)
{
    struct writer_job j = {.job = {.kind = LEDGER_ACT,
                                   .act = act,
                                   .words = words,
                                   .who = who,
                                   .now = now,
                                   .err = err}};

    wait_for(t, &j);
    if (!j.job.status)
        *out = j.job.receipt;
    return j.job.status;
}

/* -------------------------------------------------------------- answers -- */

static bool
is_alone(struct ledger_writer *t)
{
    bool alone;

    pthread_mutex_lock(&t->mutex);
    alone = !t->started;
    pthread_mutex_unlock(&t->mutex);
    return alone;
}

custos_status
ledger_writer_store(struct ledger_writer *t, const uint8_t key[32],
                    const struct receipt *r, str answer,
                    const struct ledger_retention *keep, custos_err *err)
{
    struct writer_job *j, own = {.job = {.kind = LEDGER_KEEP,
                                         .key = key,
                                         .receipt = *r,
                                         .answer = answer,
                                         .retention = *keep,
                                         .err = err}};
    char *room;

    if (is_alone(t)) {
        wait_for(t, &own);
        return own.job.status;
    }
    j = calloc(1, sizeof *j + KEY_BYTES + answer.len);
    if (!j)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    room = (char *)(j + 1);
    memcpy(room, key, KEY_BYTES);
    memcpy(room + KEY_BYTES, answer.ptr, answer.len);
    j->owned = true;
    j->job.kind = LEDGER_KEEP;
    j->job.receipt = *r;
    j->job.key = (const uint8_t *)room;
    j->job.answer = (str){room + KEY_BYTES, answer.len};
    j->job.retention = *keep;
    pthread_mutex_lock(&t->mutex);
    while (t->keep_bytes > KEEP_BYTES_MOST) {
        wake_writer(t);
        pthread_cond_wait(&t->done, &t->mutex);
    }
    t->keep_bytes += answer.len;
    join_queue(t, j);
    if (!t->keep_since) {
        t->keep_since = now_ms();
        pthread_cond_signal(&t->work);
    }
    pthread_mutex_unlock(&t->mutex);
    return CUSTOS_OK;
}

static bool
is_kept_in(const struct writer_job *j, const uint8_t key[32])
{
    for (; j; j = j->next)
        if (j->owned && !memcmp(j->job.key, key, KEY_BYTES))
            return true;
    return false;
}

void
ledger_writer_settle(struct ledger_writer *t, const uint8_t key[32])
{
    pthread_mutex_lock(&t->mutex);
    while (is_kept_in(t->first, key) || is_kept_in(t->running, key)) {
        wake_writer(t);
        pthread_cond_wait(&t->done, &t->mutex);
    }
    pthread_mutex_unlock(&t->mutex);
}

/* With the mutex: counts a cached answer. Without memory the count is lost. */
static void
again_add(struct ledger_writer *t, str who, uint64_t seq, int64_t now)
{
    struct again *a = t->again;

    for (size_t i = 0; i < t->n_again; i++, a++)
        if (a->seq == seq && str_equal((str){a->who, a->who_len}, who)) {
            a->times++;
            a->now = now;
            return;
        }
    *a = (struct again){
        .who = strndup(who.len ? who.ptr : "", who.len),
        .who_len = who.len,
        .seq = seq,
        .times = 1,
        .now = now,
    };
    if (!a->who)
        return;
    if (t->n_again++ == 0) {
        t->again_since = now_ms();
        pthread_cond_signal(&t->work);
    }
    if (t->n_again == AGAIN_MANY)
        wake_writer(t);
}

void
ledger_writer_count_cached(struct ledger_writer *t, str who, uint64_t seq,
                           int64_t now)
{
    pthread_mutex_lock(&t->mutex);
    while (t->n_again == AGAIN_MOST) {
        wake_writer(t);
        if (t->n_again == AGAIN_MOST)
            pthread_cond_wait(&t->done, &t->mutex);
    }
    again_add(t, who, seq, now);
    pthread_mutex_unlock(&t->mutex);
}
