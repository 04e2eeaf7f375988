/*
 * Threads ask queries of two servers at one time, in slices: each slice has new
 * stores of the next target. Whatever looks like a fault is examined by one
 * thread while the others wait at a gate, so that their load does not disturb
 * it.
 */
#include "audit/curator/attack.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "audit/clock.h"
#include "audit/curator/attack_inside.h"
#include "base/base.h"
#include "base/error.h"

enum {
    CSV_MAX = 16 << 20,
    THREADS = 4,
    THREADS_MAX = 64,
    REPAIRS = 10,       /* items that are dropped before a query is given up */
    SLICE_SECONDS = 20, /* on one target */
    QUESTION_SECONDS = 8,
    PERCENT_FAILURE = 55,
    PERCENT_TIME = 15,
};

/* ----------------------------------------------------------------- servers -- */

static void
stop_servers(struct curator_state *a)
{
    for (int i = 0; i < N_SIDES; i++)
        stranger_stop(&a->server[i]);
    memset(a->server, 0, sizeof a->server);
}

static custos_status
start_side(struct curator_state *a, enum crowd_side side, unsigned threads)
{
    const struct schema *schema = a->target->schema;
    const struct stranger_options options = {
        .program = a->options->program,
        .analysts = threads,
        .clock = CLOCK_NONE,
        .workers = 2,
        .max_seconds = QUESTION_SECONDS,
    };
    struct buf file[CROWD_TABLES_MAX];
    str csv[CROWD_TABLES_MAX] = {{NULL, 0}};
    custos_status st = CUSTOS_OK;
    size_t n = 0;

    if (schema->n_tables > CROWD_TABLES_MAX)
        return custos_fail(&a->err, CUSTOS_EINVAL,
                           "the schema has more than %d tables",
                           CROWD_TABLES_MAX);
    for (; n < schema->n_tables; n++) {
        buf_init(&file[n], NULL, CSV_MAX);
        crowd_write(schema, n, side, a->target->size, &file[n]);
        csv[n] = (str){buf_text(&file[n]), file[n].len};
        if (file[n].failed)
            st = custos_fail(&a->err, CUSTOS_ENOMEM,
                             "the rows of a table do not fit into memory");
    }
    if (!st && side == CROWD_WITH)
        st = stranger_start(schema, csv, &options, &a->server[SIDE_WITH],
                            &a->err);
    else if (!st)
        st = stranger_start_beside(&a->server[SIDE_WITH], schema, csv,
                                   &a->server[SIDE_WITHOUT], &a->err);
    while (n)
        buf_clear(&file[--n]);
    return st;
}

/* ------------------------------------------------------------------ asking -- */

static void
count(struct attacker *a, const struct outcome *out, uint64_t expressions)
{
    struct curator_state *k = a->shared;
    bool rejected = out->verdict == VERDICT_REJECTED;

    pthread_mutex_lock(&k->lock);
    k->counts.queries++;
    k->counts.pairs += !rejected;
    k->counts.rejected += rejected;
    k->counts.expressions += expressions;
    k->counts.tables += out->tables_checked;
    k->counts.seconds = clock_seconds() - k->began;
    if (k->options->progress)
        k->options->progress(k->options->context, &k->counts);
    pthread_mutex_unlock(&k->lock);
}

/* Asks a query that EXPLAIN accepted. */
static custos_status
ask_accepted(struct attacker *a, const struct pair_question *q,
             struct outcome *out, custos_err *err)
{
    custos_status st = pair_ask(&a->sides, q, out, err);

    if (!st && out->verdict == VERDICT_SAME && pair_is_slow(out))
        out->verdict = VERDICT_LATE;
    if (!st && out->verdict == VERDICT_SPENT)
        a->shared->slice_over = true;
    return st;
}

/* Drops what EXPLAIN rejects; false if nothing is left to ask. */
static bool
repair(struct attacker *a, const struct outcome *out)
{
    struct made *m = &a->made;
    size_t item = made_item_at(m, out->at);

    if (item >= m->n_keys && item < m->n_items &&
        made_left(m) > m->n_keys + 1) {
        m->dropped[item] = true;
        grammar_learn(&a->grammar, &m->forms[item], false);
        return true;
    }
    grammar_learn(&a->grammar, item < m->n_items ? &m->forms[item] : &m->rest,
                  false);
    return false;
}

static custos_status
ask_made(struct attacker *a, struct buf *sql, struct pair_question *q,
         struct outcome *out, custos_err *err)
{
    struct made *m = &a->made;
    custos_status st = CUSTOS_OK;

    for (int i = 0; i < REPAIRS; i++) {
        buf_clear(sql);
        buf_init(sql, NULL, GRAMMAR_TEXT_MAX);
        made_write(m, sql);
        *q = (struct pair_question){buf_text(sql), m->epsilon};
        out->verdict = VERDICT_REJECTED;
        if (sql->failed)
            return CUSTOS_OK;
        st = pair_explain(&a->sides, q, out, err);
        if (st || out->verdict != VERDICT_REJECTED || !repair(a, out))
            break;
    }
    if (st || out->verdict != VERDICT_SAME)
        return st;
    for (size_t i = 0; i < m->n_items; i++)
        if (!m->dropped[i])
            grammar_learn(&a->grammar, &m->forms[i], true);
    grammar_learn(&a->grammar, &m->rest, true);
    return ask_accepted(a, q, out, err);
}

static enum aim
pick_aim(struct attacker *a)
{
    unsigned x = grammar_below(&a->grammar, 100);

    return x < PERCENT_FAILURE                  ? AIM_FAILURE
           : x < PERCENT_FAILURE + PERCENT_TIME ? AIM_TIME
                                                : AIM_SENSITIVITY;
}

/* The target's query with this number: the standing ones come first. NULL if
   there are not so many. */
static const struct corpus_query *
corpus_at(const struct curator_state *k, size_t i)
{
    const struct corpus *list[] = {k->target->standing, k->options->corpus};

    for (size_t c = 0; c < COUNT_OF(list); c++) {
        if (list[c] && i < list[c]->n)
            return &list[c]->query[i];
        i -= list[c] ? list[c]->n : 0;
    }
    return NULL;
}

/* The next query of the corpus, or NULL. */
static const struct corpus_query *
next_of_corpus(struct curator_state *k)
{
    const struct corpus_query *q;

    pthread_mutex_lock(&k->lock);
    q = corpus_at(k, *k->corpus_next);
    *k->corpus_next += q != NULL;
    pthread_mutex_unlock(&k->lock);
    return q;
}

static custos_status
ask_next(struct attacker *a, struct buf *sql, struct pair_question *q,
         struct outcome *out, custos_err *err)
{
    const struct corpus_query *old = next_of_corpus(a->shared);
    custos_status st;

    out->verdict = VERDICT_SAME;
    out->tables_checked = false;
    if (!old && a->shared->options->only_corpus) {
        a->done = true;
        return CUSTOS_OK;
    }
    if (!old) {
        grammar_make(&a->grammar, pick_aim(a), &a->made);
        st = ask_made(a, sql, q, out, err);
        if (!st)
            count(a, out,
                  out->verdict == VERDICT_REJECTED ? 0 : made_left(&a->made));
        return st;
    }
    *q = (struct pair_question){old->sql, old->epsilon > 0 ? old->epsilon : 1};
    st = pair_explain(&a->sides, q, out, err);
    if (!st && out->verdict == VERDICT_SAME)
        st = ask_accepted(a, q, out, err);
    if (!st)
        count(a, out, 1);
    return st;
}

/* ----------------------------------------------------------------- threads -- */

/* Has the attack used its time, or asked its number of queries? */
static bool
is_enough(const struct curator_state *k, double now)
{
    uint64_t most = k->options->queries;

    return most ? k->counts.queries >= most : now > k->ends;
}

/* A slice lasts until the corpus was asked, however slow the machine is. */
static bool
is_over(struct curator_state *k)
{
    double now = clock_seconds();
    bool over;

    pthread_mutex_lock(&k->lock);
    over = k->stop || k->slice_over || k->status || is_enough(k, now) ||
           (now > k->slice_ends && !corpus_at(k, *k->corpus_next));
    pthread_mutex_unlock(&k->lock);
    return over;
}

static void
fail_attack(struct curator_state *k, custos_status st, const custos_err *err)
{
    pthread_mutex_lock(&k->lock);
    if (!k->status) {
        k->status = st;
        k->err = *err;
    }
    pthread_mutex_unlock(&k->lock);
}

/* Something looks like a fault: the others wait. */
static custos_status
examine_alone(struct attacker *a, const struct pair_question *q,
              struct outcome *out, custos_err *err)
{
    struct curator_state *k = a->shared;
    custos_status st = CUSTOS_OK;

    pthread_mutex_lock(&k->turnstile);
    pthread_rwlock_wrlock(&k->gate);
    if (!k->stop && !k->slice_over)
        st = examine(a, q, out, err);
    pthread_rwlock_unlock(&k->gate);
    pthread_mutex_unlock(&k->turnstile);
    return st;
}

static void *
attack_thread(void *context)
{
    struct attacker *a = context;
    struct curator_state *k = a->shared;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = CUSTOS_OK;
    struct pair_question q;
    struct outcome out;
    struct buf sql;

    buf_init(&sql, NULL, GRAMMAR_TEXT_MAX);
    a->done = false;
    while (!st && !a->done && !is_over(k)) {
        pthread_mutex_lock(&k->turnstile);
        pthread_mutex_unlock(&k->turnstile);
        pthread_rwlock_rdlock(&k->gate);
        st = is_over(k) ? CUSTOS_OK : ask_next(a, &sql, &q, &out, &err);
        pthread_rwlock_unlock(&k->gate);
        if (!st && verdict_is_fault(out.verdict))
            st = examine_alone(a, &q, &out, &err);
    }
    if (st)
        fail_attack(k, st, &err);
    buf_clear(&sql);
    return NULL;
}

static custos_status
open_attacker(struct attacker *a, custos_err *err)
{
    struct curator_state *k = a->shared;
    custos_status st = CUSTOS_OK;

    a->sides.person = k->person;
    for (int i = 0; !st && i < N_SIDES; i++)
        st = client_open(k->server[i].port, a->number, k->server[i].password,
                         &a->sides.client[i], err);
    return st;
}

/* ------------------------------------------------------------------ slices -- */

/* Has thread i ended? Watches all of them meanwhile. */
static bool
joined(struct attacker *attackers, size_t i, size_t n)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    if (pthread_timedjoin_np(attackers[i].thread, NULL, &until) == 0)
        return true;
    for (size_t k = 0; k < n; k++)
        pair_watch(&attackers[k].sides);
    return false;
}

/* The time of the attack begins with its first slice: two servers may take
   longer to start than all of it. */
static void
start_clocks(struct curator_state *k)
{
    double now = clock_seconds();

    if (isinf(k->ends))
        k->ends = now + k->options->seconds;
    k->slice_ends = now + SLICE_SECONDS;
    if (!k->options->queries && k->slice_ends > k->ends)
        k->slice_ends = k->ends;
}

static custos_status
run_threads(struct curator_state *k, struct attacker *attackers, size_t n)
{
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; !st && i < n; i++)
        st = open_attacker(&attackers[i], &k->err);
    start_clocks(k);
    for (size_t i = 0; !st && i < n; i++) {
        attackers[i].started =
            pthread_create(&attackers[i].thread, NULL, attack_thread,
                           &attackers[i]) == 0;
        if (!attackers[i].started)
            st = custos_fail(&k->err, CUSTOS_ENOMEM, "cannot start a thread");
    }
    for (size_t i = 0; i < n; i++) {
        while (attackers[i].started)
            attackers[i].started = !joined(attackers, i, n);
        for (int side = 0; side < N_SIDES; side++)
            client_close(&attackers[i].sides.client[side]);
    }
    return st ? st : k->status;
}

static custos_status
run_slice(struct curator_state *k, struct attacker *attackers, size_t n)
{
    custos_status st = start_side(k, CROWD_WITH, (unsigned)n);

    if (!st)
        st = start_side(k, CROWD_WITHOUT, (unsigned)n);
    k->slice_over = false;
    crowd_person(k->target->schema, k->person);
    for (size_t i = 0; i < n; i++)
        attackers[i].grammar.schema = k->target->schema;
    if (!st)
        st = run_threads(k, attackers, n);
    stop_servers(k);
    return st;
}

static custos_status
run_all(struct curator_state *k, struct attacker *attackers, size_t n)
{
    const struct curator_options *o = k->options;
    custos_status st = CUSTOS_OK;
    size_t *asked = calloc(o->n_targets, sizeof *asked), left = o->n_targets;

    if (!asked)
        return custos_fail(&k->err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0;
         !st && !k->stop && left && !is_enough(k, clock_seconds()); i++) {
        k->target = &o->targets[i % o->n_targets];
        k->corpus_next = &asked[i % o->n_targets];
        if (!o->only_corpus || corpus_at(k, *k->corpus_next))
            st = run_slice(k, attackers, n);
        /* what a new store interrupted goes on in the next round */
        left = o->only_corpus && !corpus_at(k, *k->corpus_next) ? left - 1
                                                                : o->n_targets;
    }
    free(asked);
    return st;
}

custos_status
curator_attack(const struct curator_options *options,
               struct curator_counts *out, custos_err *err)
{
    unsigned n = options->threads ? options->threads : THREADS;
    struct attacker *attackers;
    struct curator_state k = {
        .options = options,
        .began = clock_seconds(),
        .ends = HUGE_VAL,
        .err = CUSTOS_ERR_INIT,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .turnstile = PTHREAD_MUTEX_INITIALIZER,
        .gate = PTHREAD_RWLOCK_INITIALIZER,
    };
    custos_status st;

    n = n > THREADS_MAX ? THREADS_MAX : n;
    attackers = calloc(n, sizeof *attackers);
    if (!attackers)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (unsigned i = 0; i < n; i++) {
        attackers[i].shared = &k;
        attackers[i].number = i;
        attackers[i].sides.reply_seconds = PAIR_REPLY_SECONDS;
        made_init(&attackers[i].made);
        grammar_init(&attackers[i].grammar, options->targets[0].schema,
                     options->seed, i);
    }
    st = run_all(&k, attackers, n);
    for (unsigned i = 0; i < n; i++)
        made_clear(&attackers[i].made);
    free(attackers);
    k.counts.seconds = clock_seconds() - k.began;
    *out = k.counts;
    if (st)
        *err = k.err;
    return st;
}
