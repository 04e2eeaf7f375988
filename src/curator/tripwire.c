/*
 * Which endings of a charged question count, and how they are recorded in the
 * chain.
 *
 * Counted as failures: every error of the work on private data, whether of the
 * engine or for lack of memory or randomness; and a crash, by the mark it left
 * (crash.h). Not counted: work that was interrupted because its analyst, the
 * owner or the shutdown of the server stopped it; work that was not begun in
 * time, or that failed before it read private data; and kills from outside,
 * which leave no mark. Work that failed by itself counts even if it was stopped
 * too: otherwise an analyst who disconnects in time could provoke failures
 * without limit. A question that the server ended because its time was up is an
 * overrun, even if its work finished a moment later: the analyst was told of an
 * overrun.
 */
#include "curator/tripwire.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "curator/crash.h"
#include "curator/shared_state.h"
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

/* Finds the analyst of a charge; not found: there is no such charge. */
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

/* Writes a row for each crash. A mark that names no charge is as bad as one
   that cannot be read: a query crashed, and nobody knows whose it was. */
static custos_status
write_crashes(struct ledger *l, struct crash_marks *marks, arena *a,
              int64_t now, struct tripwire_tally *out, custos_err *err)
{
    char words[TRIPWIRE_WORDS_MAX];
    struct receipt ignored;
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < marks->n && !st; i++) {
        struct crash_mark *mark = &marks->list[i];
        bool found = false;
        str who;

        if (mark->readable)
            st = find_charge(l, mark->seq, a, &who, &found, err);
        if (!st && !found)
            out->unreadable++;
        if (st || !found)
            continue;
        words_of(mark->seq, "crash", words);
        st = ledger_act(l, TRIPWIRE_FAILURE, str_of(words), who, now, &ignored,
                        err);
        mark->taken_up = !st;
        out->failures += !st;
        out->row = mark->seq;
    }
    return st;
}

custos_status
tripwire_take_up(struct ledger *l, int file, int64_t now, enum take_up mode,
                 struct tripwire_tally *out, custos_err *err)
{
    struct crash_marks marks;
    custos_status st, erased;
    custos_err quiet = CUSTOS_ERR_INIT;
    arena *a;

    *out = (struct tripwire_tally){.failures = 0};
    if (crash_size(file) == 0)
        return CUSTOS_OK;
    a = arena_new(NULL, MARKS_ARENA);
    if (!a)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = crash_read(file, a, &marks, err);
    if (!st) {
        st = write_crashes(l, &marks, a, now, out, err);
        for (size_t i = 0; !st && mode == TAKE_UP_ALL && i < marks.n; i++)
            marks.list[i].taken_up = true;
        erased = crash_forget(file, &marks, st ? &quiet : err);
        st = st ? st : erased;
        out->size = marks.size;
    }
    arena_free(a);
    return st;
}

/* With the shared state's mutex, which excludes other threads as the file's
   lock excludes other processes. */
static custos_status
take_up_marks(struct curator *c, int64_t now, custos_err *err)
{
    struct shared_state *h = c->shared;
    struct tripwire_tally found;
    custos_status st = tripwire_take_up(c->ledger, h->crashes, now,
                                        TAKE_UP_READABLE, &found, err);

    atomic_fetch_add(&h->trips.failures, found.failures);
    c->crashes += found.failures;
    c->crash_row = found.failures ? found.row : c->crash_row;
    if (st)
        return st;
    atomic_store(&h->unreadable, found.unreadable > 0);
    if (found.unreadable)
        return custos_fail(err, CUSTOS_EDENIED, "%s", LEDGER_SUSPENDED_SAID);
    atomic_store(&h->crashes_seen, found.size);
    return CUSTOS_OK;
}

custos_status
tripwire_ready(struct curator *c, int64_t now, custos_err *err)
{
    struct shared_state *h = c->shared;
    custos_status st = CUSTOS_OK;

    if (atomic_load(&h->unwritten))
        return custos_fail(err, CUSTOS_EDENIED, "%s", LEDGER_SUSPENDED_SAID);
    if (h->crashes == CRASH_READ_ONLY)
        return CUSTOS_OK; /* the ledger will refuse the charge, and say why */
    if (h->crashes < 0)
        return custos_fail(err, CUSTOS_EIO,
                           "cannot open the store's crash file" HINT
                           "check that the "
                           "store is writable and owned by you");
    if (crash_size(h->crashes) == atomic_load(&h->crashes_seen))
        return CUSTOS_OK;
    pthread_mutex_lock(&h->mutex);
    if (crash_size(h->crashes) != atomic_load(&h->crashes_seen))
        st = take_up_marks(c, now, err);
    pthread_mutex_unlock(&h->mutex);
    return st;
}

/* ------------------------------------------------------------- endings -- */

custos_status
tripwire_claim(int *work, custos_err *err)
{
    *work = crash_claim();
    if (*work < 0)
        return custos_fail(err, CUSTOS_EBUSY,
                           "too many private queries are running" HINT
                           "try again");
    return CUSTOS_OK;
}

void
tripwire_begin(struct curator *c, const struct receipt *r, int work)
{
    c->trip = TRIP_NONE;
    crash_begin(work, c->shared->crashes, r->seq);
}

void
tripwire_drop(int work)
{
    crash_end(work);
}

/* A delay by work of the same batch is not for this: batch.c, record_end. */
static enum curator_trip
trip_of(const struct ask *ask, enum work_end end)
{
    int stop = ask->stop ? atomic_load(ask->stop) : ASK_GOES_ON;

    if (end == WORK_FAILED)
        return TRIP_FAILURE;
    if (end == WORK_DELAYED) /* if earlier work overran, that overrun counts */
        return TRIP_NONE;
    return end == WORK_OVERRUN || stop == ASK_OVERRUN ? TRIP_OVERRUN
                                                      : TRIP_NONE;
}

/*
 * A failure that cannot be recorded (the disk is full) suspends everybody as
 * long as this process lives: otherwise an analyst could cause a second
 * failure.
 */
void
tripwire_record(struct curator *c, const struct ask *ask,
                const struct receipt *r, enum work_end end, custos_status st)
{
    struct shared_state *h = c->shared;
    char words[TRIPWIRE_WORDS_MAX];
    struct receipt ignored;
    custos_err quiet = CUSTOS_ERR_INIT;
    bool failed;

    if (end == WORK_DELAYED)
        atomic_fetch_add(&h->trips.delayed, 1);
    c->trip = trip_of(ask, end);
    c->trip_seq = r->seq;
    if (c->trip == TRIP_NONE)
        return;
    failed = c->trip == TRIP_FAILURE;
    atomic_fetch_add(failed ? &h->trips.failures : &h->trips.overruns, 1);
    words_of(r->seq, failed ? custos_status_words(st) : "time", words);
    if (ledger_writer_act(
            h->writer, failed ? TRIPWIRE_FAILURE : TRIPWIRE_OVERRUN,
            str_of(words), ask->who, ask->now, &ignored, &quiet) &&
        failed)
        atomic_store(&h->unwritten, true);
}

void
tripwire_after(struct curator *c, const struct ask *ask,
               const struct receipt *r, int work, enum work_end end,
               custos_status st)
{
    crash_end(work);
    tripwire_record(c, ask, r, end, st);
}

void
tripwire_refused(struct curator *c, custos_status st, const custos_err *err)
{
    if (st == CUSTOS_EDENIED && err &&
        !strcmp(err->said, LEDGER_SUSPENDED_SAID))
        atomic_fetch_add(&c->shared->trips.refusals, 1);
    if (st == CUSTOS_EOVERFLOW) /* for a charge only ledger/sizes.c returns
                                   this */
        atomic_fetch_add(&c->shared->trips.no_room, 1);
}

enum curator_trip
curator_tripped(const struct curator *c, uint64_t *seq)
{
    *seq = c->trip_seq;
    return c->trip;
}

uint64_t
curator_crashes(struct curator *c, uint64_t *row)
{
    uint64_t n = c->crashes;

    *row = c->crash_row;
    c->crashes = 0;
    return n;
}

void
curator_trips(const struct curator *c, struct curator_trips *out)
{
    const struct trips *t = &c->shared->trips;

    out->failures = atomic_load(&t->failures);
    out->overruns = atomic_load(&t->overruns);
    out->refusals = atomic_load(&t->refusals);
    out->no_room = atomic_load(&t->no_room);
    out->delayed = atomic_load(&t->delayed);
}

/* ------------------------------------------------------------- for owners -- */

static bool
all_are_suspended(const struct shared_state *h, const struct ledger_tripwire *t,
                  const struct policy *p)
{
    return atomic_load(&h->unwritten) || atomic_load(&h->unreadable) ||
           ledger_all_suspended(t, p->max_failures);
}

custos_status
tripwire_now(struct curator *c, uint64_t *failures, bool *all, custos_err *err)
{
    struct ledger_tripwire t;
    custos_status st = ledger_tripwire(c->ledger, str_of(""), &t, err);

    if (st)
        return st;
    *failures = t.failures;
    pthread_mutex_lock(&c->shared->mutex); /* under the policy in force */
    *all = all_are_suspended(c->shared, &t, c->shared->snapshot->policy);
    pthread_mutex_unlock(&c->shared->mutex);
    return CUSTOS_OK;
}

void
tripwire_report(struct curator *c, struct json *j)
{
    const struct policy *p = c->snapshot->policy;
    struct ledger_tripwire t = {0};
    struct buf names;
    custos_err quiet = CUSTOS_ERR_INIT;

    buf_init(&names, NULL, OWNER_REPLY_MAX);
    for (size_t i = 0; i <= p->n_analysts; i++) {
        str name = i ? p->analysts[i - 1].name : str_of("");

        if (ledger_tripwire(c->ledger, name, &t, &quiet))
            continue; /* the rest of the status shows that the ledger is bad */
        if (!ledger_is_suspended(&t, p->max_failures, p->max_overruns))
            continue;
        buf_add_text(&names, names.len ? ", " : "");
        buf_add(&names, i ? name.ptr : "owner", i ? name.len : strlen("owner"));
    }
    json_add_count(j, "failures_since_resume", t.failures);
    json_add_bool(j, "all_suspended", all_are_suspended(c->shared, &t, p));
    json_add_text(j, "suspended", (str){buf_text(&names), names.len});
    buf_clear(&names);
}
