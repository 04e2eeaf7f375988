/*
 * Which endings of a charged question count, and how they come into the chain.
 *
 * Counted as failures: every status below the charge, be it the engine's, for
 * want of memory or of randomness; and a crash, by the mark it left (crash.h).
 * Not counted: what was interrupted because its analyst, the owner or the end of
 * the server had stopped it; and kills from outside, which leave no mark. What
 * failed by itself counts though it was stopped too: else whoever hangs up in
 * time could try failures as often as he likes. A question that the server ended
 * for its time is an overrun, even where it was done a moment later: its
 * analyst was told so.
 */
#include "curator/tripwire.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "curator/crash.h"
#include "curator/house.h"
#include "curator/owner.h"
#include "ledger/tripwire.h"

enum { MARKS_ARENA = 1 << 26 };

static_assert((int)LEDGER_OVERRUN_WINDOW == (int)POLICY_OVERRUN_WINDOW,
              "the policy's rate is of the window that the ledger counts");

static void
words_of(uint64_t seq, const char *why, char words[TRIPWIRE_WORDS_MAX])
{
    snprintf(words, TRIPWIRE_WORDS_MAX, "charge %" PRIu64 ": %s", seq, why);
}

/* ---------------------------------------------------------- from crashes -- */

/* In whose name the charge was; not found: there is no such charge. */
static custos_status
find_charge(struct ledger *l, uint64_t seq, arena *a, str *who, bool *found,
            custos_err *err)
{
    struct ledger_row *row = NULL;
    size_t n = 1;
    custos_status st =
        ledger_rows(l, seq, str_of(""), str_of(""), a, &row, &n, err);

    *found = !st && seq && n && row->seq == seq &&
             str_equal(row->kind, str_of("charge"));
    if (*found)
        *who = row->who;
    return st;
}

/* *written: how many of the n marks name a charge, and so became a row. */
static custos_status
write_crashes(struct ledger *l, const uint64_t *seqs, size_t n, arena *a,
              int64_t now, size_t *written, custos_err *err)
{
    char words[TRIPWIRE_WORDS_MAX];
    struct receipt ignored;
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < n && !st; i++) {
        bool found = false;
        str who;

        st = find_charge(l, seqs[i], a, &who, &found, err);
        if (st || !found)
            continue;
        words_of(seqs[i], "crash", words);
        st = ledger_act(l, TRIPWIRE_FAILURE, str_of(words), who, now, &ignored,
                        err);
        *written += !st;
    }
    return st;
}

custos_status
tripwire_take_up(struct ledger *l, int file, int64_t now, size_t *n,
                 custos_err *err)
{
    uint64_t *seqs = NULL;
    size_t marks = 0;
    custos_status st;
    arena *a;

    *n = 0;
    if (!crash_is_marked(file))
        return CUSTOS_OK;
    a = arena_new(NULL, MARKS_ARENA);
    if (!a)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = crash_read(file, a, &seqs, &marks, err);
    if (!st) {
        st = write_crashes(l, seqs, marks, a, now, n, err);
        crash_forget(file, st ? CRASH_KEEP : CRASH_EMPTY);
    }
    arena_free(a);
    return st;
}

custos_status
tripwire_ready(struct curator *c, int64_t now, custos_err *err)
{
    struct house *h = c->house;
    custos_status st;
    size_t n = 0;

    if (atomic_load(&h->unwritten))
        return custos_fail(err, CUSTOS_EDENIED, "%s", LEDGER_SUSPENDED_SAID);
    if (h->crashes == CRASH_READ_ONLY)
        return CUSTOS_OK; /* the ledger refuses, and says why */
    if (h->crashes < 0)
        return custos_fail(err, CUSTOS_EIO,
                           "the store's file of crashes cannot be opened: see "
                           "that the store is not read-only and is owned by "
                           "you");
    if (!crash_is_marked(h->crashes))
        return CUSTOS_OK;
    /* For threads what the file's lock is for processes. */
    pthread_mutex_lock(&h->mutex);
    st = tripwire_take_up(c->ledger, h->crashes, now, &n, err);
    pthread_mutex_unlock(&h->mutex);
    atomic_fetch_add(&h->trips.failures, n);
    return st;
}

/* ------------------------------------------------------------- endings -- */

int
tripwire_begin(struct curator *c, const struct receipt *r)
{
    c->trip = TRIP_NONE;
    return crash_begin(c->house->crashes, r->seq);
}

static enum curator_trip
judge(const struct ask *ask, enum work_end end)
{
    int stop = ask->stop ? atomic_load(ask->stop) : ASK_GOES_ON;

    if (end == WORK_FAILED)
        return TRIP_FAILURE;
    return end == WORK_OVERRUN || stop == ASK_OVERRUN ? TRIP_OVERRUN
                                                      : TRIP_NONE;
}

/*
 * A failure that cannot be written down (the disk is full) suspends everybody
 * as long as this process lives: nobody may see a second one because of that.
 */
void
tripwire_after(struct curator *c, const struct ask *ask,
               const struct receipt *r, int work, enum work_end end,
               custos_status st)
{
    struct house *h = c->house;
    char words[TRIPWIRE_WORDS_MAX];
    struct receipt ignored;
    custos_err quiet;
    bool failed;

    crash_end(work);
    c->trip = judge(ask, end);
    c->trip_seq = r->seq;
    if (c->trip == TRIP_NONE)
        return;
    failed = c->trip == TRIP_FAILURE;
    atomic_fetch_add(failed ? &h->trips.failures : &h->trips.overruns, 1);
    words_of(r->seq, failed ? custos_status_words(st) : "time", words);
    if (till_act(h->till, failed ? TRIPWIRE_FAILURE : TRIPWIRE_OVERRUN,
                 str_of(words), ask->who, ask->now, &ignored, &quiet) &&
        failed)
        atomic_store(&h->unwritten, true);
}

void
tripwire_refused(struct curator *c, custos_status st, const custos_err *err)
{
    if (st == CUSTOS_EDENIED && err &&
        !strcmp(err->said, LEDGER_SUSPENDED_SAID))
        atomic_fetch_add(&c->house->trips.refusals, 1);
}

enum curator_trip
curator_tripped(const struct curator *c, uint64_t *seq)
{
    *seq = c->trip_seq;
    return c->trip;
}

void
curator_trips(const struct curator *c, struct curator_trips *out)
{
    const struct trips *t = &c->house->trips;

    out->failures = atomic_load(&t->failures);
    out->overruns = atomic_load(&t->overruns);
    out->refusals = atomic_load(&t->refusals);
}

/* ------------------------------------------------------------- for owners -- */

void
tripwire_tell(struct curator *c, struct buf *json)
{
    const struct policy *p = c->world->policy;
    struct ledger_tripwire t = {0};
    struct buf names;
    custos_err quiet;
    bool all;

    buf_init(&names, NULL, OWNER_REPLY_MAX);
    for (size_t i = 0; i <= p->n_analysts; i++) {
        str name = i ? p->analysts[i - 1].name : str_of("");

        if (ledger_tripwire(c->ledger, name, &t, &quiet))
            continue; /* what is said besides tells that the ledger is bad */
        if (!ledger_is_suspended(&t, p->max_failures, p->max_overruns))
            continue;
        buf_add_text(&names, names.len ? ", " : "");
        buf_add(&names, i ? name.ptr : "owner", i ? name.len : strlen("owner"));
    }
    all = atomic_load(&c->house->unwritten) ||
          ledger_all_suspended(&t, p->max_failures);
    buf_printf(json,
               ",\"failures_since_resume\":%" PRIu64
               ",\"all_suspended\":%s,\"suspended\":",
               t.failures, all ? "true" : "false");
    json_text(json, (str){buf_text(&names), names.len});
    buf_clear(&names);
}
