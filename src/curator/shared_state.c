/*
 * Opens a store, shares it between handles, and follows new data and policies.
 * The store's small file `current` names the policy and data in force, and is
 * replaced by rename. Checking whether it was replaced costs a microsecond, so
 * every question checks.
 *
 * A new data version under the same policy is used at once. A new policy waits
 * for the owner's reload: until then questions are answered under the old
 * policy as long as the ledger has its terms; after that the ledger refuses
 * them.
 */
#include "curator/shared_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "curator/crash.h"
#include "curator/reply.h"
#include "num/ival.h"

enum { POLICY_ARENA = 1 << 26, WORDS_MAX = 96 };

/* ------------------------------------------------------------ snapshots -- */

static void
snapshot_release(struct snapshot *w)
{
    if (!w || atomic_fetch_sub(&w->holders, 1) > 1)
        return;
    catalogs_free(w->catalogs);
    engine_close(w->engine);
    arena_free(w->a);
    free(w);
}

/* Opens the policy that s has in force, without its data. The caller
   releases *out, also after a failure if it is not NULL. */
static custos_status
snapshot_open(const struct store *s, struct snapshot **out, custos_err *err)
{
    struct snapshot *w = calloc(1, sizeof *w);
    custos_status st;
    str text;

    if (!w)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    atomic_init(&w->holders, 1);
    w->of = (struct work_snapshot){.version = s->version, .policy = s->policy};
    w->a = arena_new(NULL, POLICY_ARENA);
    w->catalogs = catalogs_new();
    st = w->a && w->catalogs ? store_policy(s, w->a, &text, err)
                             : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (!st)
        st = policy_read(w->a, text, "the store's policy", &w->policy, err);
    if (!st)
        reply_load(s, w);
    *out = w;
    return st;
}

/* Opens a snapshot's data; limits: of a worker, or NULL. */
static custos_status
snapshot_fill(const struct store *s, struct snapshot *w,
              const struct work_limits *limits, custos_err *err)
{
    struct engine_limits within;

    if (!limits)
        return engine_open(s, w->policy, &w->engine, err);
    within.spill = limits->spill;
    within.memory_bytes = limits->memory_bytes;
    return engine_open_within(s, w->policy, &within, &w->engine, err);
}

/* --------------------------------------------------------- shared state -- */

static custos_status
ledger_paths(const struct shared_state *h, char *ledger, char *lock,
             custos_err *err)
{
    store_path(&h->store, "ledger.db", ledger);
    store_path(&h->store, "lock", lock);
    if (access(ledger, F_OK))
        return custos_fail(err, CUSTOS_ECORRUPT,
                           "the store has no ledger" HINT "restore it from a "
                           "backup");
    return CUSTOS_OK;
}

/* Was `current` replaced since the last time? */
static bool
is_replaced(struct shared_state *h, struct stat *is)
{
    char path[STORE_PATH_MAX];

    store_path(&h->store, "current", path);
    if (stat(path, is))
        return false;
    return is->st_ino != h->current.st_ino ||
           is->st_mtim.tv_sec != h->current.st_mtim.tv_sec ||
           is->st_mtim.tv_nsec != h->current.st_mtim.tv_nsec;
}

static void
shared_state_close(struct shared_state *h)
{
    ledger_writer_close(h->writer);
    if (h->crashes >= 0)
        close(h->crashes);
    snapshot_release(h->snapshot);
    store_close(&h->store);
    pthread_mutex_destroy(&h->mutex);
    free(h);
}

static custos_status
shared_state_new(const char *path, struct shared_state **out, custos_err *err)
{
    struct shared_state *h = calloc(1, sizeof *h);
    custos_status st;

    if (!h)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = store_open(path, &h->store, err);
    if (st) {
        free(h);
        return st;
    }
    pthread_mutex_init(&h->mutex, NULL);
    h->handles = 1;
    h->crashes = CRASH_NO_FILE;
    *out = h;
    return CUSTOS_OK;
}

/*
 * Opens what is in force, with its data. An import removes all versions except
 * the one in force, so the version read a moment ago may be gone; then the new
 * one is opened instead.
 */
static custos_status
shared_state_fill(struct shared_state *h, custos_err *err)
{
    custos_status st;

    do {
        snapshot_release(h->snapshot);
        h->snapshot = NULL;
        (void)is_replaced(h, &h->current);
        /* read it again, in case it was replaced before is_replaced looked */
        st = store_refresh(&h->store, err);
        if (!st)
            st = snapshot_open(&h->store, &h->snapshot, err);
        if (!st)
            st = snapshot_fill(&h->store, h->snapshot, NULL, err);
    } while (st && is_replaced(h, &(struct stat){0}));
    return st;
}

static custos_status
shared_state_open(const char *path, struct shared_state **out, custos_err *err)
{
    char ledger[STORE_PATH_MAX], lock[STORE_PATH_MAX], crashes[STORE_PATH_MAX];
    struct shared_state *h = NULL;
    custos_status st = shared_state_new(path, &h, err);

    if (st)
        return st;
    store_path(&h->store, "crashes", crashes);
    h->crashes = crash_open(crashes);
    st = ledger_paths(h, ledger, lock, err);
    if (!st)
        st = ledger_writer_open(ledger, lock, &h->writer, err);
    if (!st)
        st = shared_state_fill(h, err);
    if (st)
        shared_state_close(h);
    else
        *out = h;
    return st;
}

/* For a worker: opens the given version and policy, without the ledger. */
static custos_status
shared_state_open_work(const char *path, const struct work_snapshot *of,
                       const struct work_limits *limits,
                       struct shared_state **out, custos_err *err)
{
    struct shared_state *h = NULL;
    custos_status st = shared_state_new(path, &h, err);

    if (st)
        return st;
    h->store.version = of->version;
    h->store.policy = of->policy;
    st = snapshot_open(&h->store, &h->snapshot, err);
    if (!st)
        st = snapshot_fill(&h->store, h->snapshot, limits, err);
    if (st)
        shared_state_close(h);
    else
        *out = h;
    return st;
}

/* With the mutex: the current snapshot, with one more holder. */
static struct snapshot *
shared_state_snapshot(struct shared_state *h)
{
    atomic_fetch_add(&h->snapshot->holders, 1);
    return h->snapshot;
}

static void
shared_state_move(struct shared_state *h, const struct store *s,
                  struct snapshot *w)
{
    snapshot_release(h->snapshot);
    h->snapshot = w;
    h->store.version = s->version;
    h->store.policy = s->policy;
}

/*
 * With the mutex: moves to the data in force, if its policy is the one held
 * here. A version that cannot be opened is skipped until `current` changes
 * again.
 */
static void
shared_state_follow(struct shared_state *h, const struct stat *is)
{
    struct store s = h->store;
    struct snapshot *w = NULL;
    custos_err quiet = CUSTOS_ERR_INIT;

    h->current = *is;
    if (!store_refresh(&s, &quiet) && s.version != h->store.version &&
        !snapshot_open(&s, &w, &quiet) &&
        !memcmp(w->policy->id, h->snapshot->policy->id, sizeof w->policy->id) &&
        !snapshot_fill(&s, w, NULL, &quiet)) {
        shared_state_move(h, &s, w);
        w = NULL;
    }
    snapshot_release(w);
    wipe(s.secret, sizeof s.secret);
}

/* -------------------------------------------------------------- handles -- */

/* Makes a handle on h; h->handles already counts it. */
static custos_status
handle_new(struct shared_state *h, struct curator **out, custos_err *err)
{
    char ledger[STORE_PATH_MAX], lock[STORE_PATH_MAX];
    struct curator *c = calloc(1, sizeof *c);
    custos_status st = CUSTOS_OK;

    if (!c)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    pthread_mutex_init(&c->mutex, NULL);
    c->shared = h;
    if (h->writer) {
        st = ledger_paths(h, ledger, lock, err);
        if (!st)
            st = ledger_open(ledger, lock, &c->ledger, err);
    }
    if (!st)
        st = custos_rng_new(&c->rng, err);
    if (!st && !(c->mechs = mechs_new()))
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    pthread_mutex_lock(&h->mutex);
    c->snapshot = shared_state_snapshot(h);
    pthread_mutex_unlock(&h->mutex);
    *out = c;
    return st;
}

/* The first handle on h. */
static custos_status
handle_first(struct shared_state *h, struct curator **out, custos_err *err)
{
    struct curator *c = NULL;
    custos_status st = handle_new(h, &c, err);

    if (!st)
        *out = c;
    else if (c)
        curator_close(c);
    else
        shared_state_close(h);
    return st;
}

custos_status
curator_open(const char *path, struct curator **out, custos_err *err)
{
    struct shared_state *h = NULL;
    custos_status st = shared_state_open(path, &h, err);

    return st ? st : handle_first(h, out, err);
}

custos_status
curator_open_work(const char *path, const struct work_snapshot *of,
                  const struct work_limits *limits, struct curator **out,
                  custos_err *err)
{
    struct curator *c = NULL;
    struct shared_state *h = NULL;
    custos_status st = shared_state_open_work(path, of, limits, &h, err);

    if (!st)
        st = handle_first(h, &c, err);
    if (!st)
        st = curator_refresh(c, err); /* connects to the engine */
    if (st)
        curator_close(c);
    else
        *out = c;
    return st;
}

void
curator_use(struct curator *c, const struct executor *by)
{
    c->executor = by;
}

struct work_snapshot
curator_snapshot(const struct curator *c)
{
    return c->snapshot->of;
}

custos_status
curator_share(struct curator *c, struct curator **out, custos_err *err)
{
    struct shared_state *h = c->shared;
    struct curator *more = NULL;
    custos_status st;

    pthread_mutex_lock(&h->mutex);
    st = ledger_writer_start(h->writer, err);
    h->handles += !st;
    pthread_mutex_unlock(&h->mutex);
    if (st)
        return st;
    st = handle_new(h, &more, err);
    if (!st) {
        *out = more;
    } else if (more) {
        curator_close(more);
    } else {
        pthread_mutex_lock(&h->mutex);
        h->handles--; /* never the last: c is still open */
        pthread_mutex_unlock(&h->mutex);
    }
    return st;
}

void
curator_close(struct curator *c)
{
    struct shared_state *h;
    bool last;

    if (!c)
        return;
    h = c->shared;
    custos_rng_free(c->rng);
    mechs_free(c->mechs);
    engine_close(c->engine);
    ledger_close(c->ledger);
    snapshot_release(c->snapshot);
    pthread_mutex_destroy(&c->mutex);
    free(c);
    pthread_mutex_lock(&h->mutex);
    last = --h->handles == 0;
    pthread_mutex_unlock(&h->mutex);
    if (last)
        shared_state_close(h);
    ival_forget_caches(); /* of this thread, which may have used the handle */
}

const struct policy *
curator_policy(const struct curator *c)
{
    return c->snapshot->policy;
}

const char *
curator_path(const struct curator *c)
{
    return c->shared->store.path;
}

custos_status
curator_versions(const struct curator *c, arena *a, struct store_version **out,
                 size_t *n, custos_err *err)
{
    return store_versions(&c->shared->store, a, out, n, err);
}

uint64_t
curator_version(const struct curator *c)
{
    return engine_version(c->engine ? c->engine : c->snapshot->engine);
}

void
curator_again(struct curator *c, str who, uint64_t seq, int64_t now)
{
    ledger_writer_count_cached(c->shared->writer, who, seq, now);
}

struct ledger *
curator_ledger(struct curator *c)
{
    return c->ledger;
}

/* ------------------------------------------------------------ following -- */

static void
handle_move(struct curator *c, struct engine *e)
{
    struct engine *old;

    pthread_mutex_lock(&c->mutex);
    old = c->engine;
    c->engine = e;
    pthread_mutex_unlock(&c->mutex);
    engine_close(old);
}

custos_status
curator_refresh(struct curator *c, custos_err *err)
{
    struct shared_state *h = c->shared;
    struct snapshot *old = NULL;
    struct engine *e = NULL;
    custos_status st = CUSTOS_OK;
    struct stat is;

    pthread_mutex_lock(&h->mutex);
    if (h->writer && is_replaced(h, &is)) /* a worker never moves */
        shared_state_follow(h, &is);
    if (c->snapshot != h->snapshot) {
        old = c->snapshot;
        c->snapshot = shared_state_snapshot(h);
    }
    if (old || !c->engine)
        st = engine_share(c->snapshot->engine, &e, err);
    pthread_mutex_unlock(&h->mutex);
    if (old || e)
        handle_move(c, e);
    snapshot_release(old);
    return st;
}

custos_status
curator_reload(struct curator *c, int64_t now, struct receipt *out,
               custos_err *err)
{
    struct shared_state *h = c->shared;
    struct snapshot *w = NULL;
    char words[WORDS_MAX];
    custos_status st;
    struct store s;

    pthread_mutex_lock(&h->mutex);
    s = h->store;
    pthread_mutex_unlock(&h->mutex);
    st = store_refresh(&s, err);
    if (!st)
        st = snapshot_open(&s, &w, err);
    if (!st)
        st = snapshot_fill(&s, w, NULL, err);
    snprintf(words, sizeof words, "policy %llu, data version %llu",
             (unsigned long long)s.policy, (unsigned long long)s.version);
    if (!st)
        st = ledger_writer_act(h->writer, "reload", str_of(words),
                               str_of("owner"), now, out, err);
    if (!st) {
        pthread_mutex_lock(&h->mutex);
        shared_state_move(h, &s, w);
        /* Newer data may have come meanwhile: makes the next question check. */
        h->current = (struct stat){0};
        pthread_mutex_unlock(&h->mutex);
        w = NULL;
    }
    snapshot_release(w);
    wipe(s.secret, sizeof s.secret);
    return st;
}

void
curator_interrupt(struct curator *c)
{
    pthread_mutex_lock(&c->mutex);
    if (c->engine)
        engine_interrupt(c->engine);
    pthread_mutex_unlock(&c->mutex);
}
