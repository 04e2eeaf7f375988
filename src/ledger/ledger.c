/*
 * Opening, transactions, and the acts that add a row.
 *
 * THEOREM  ledger-durable-first
 *   When ledger_post returns CUSTOS_OK for a charge, the row and the balance
 *   that counts it are on disk; a crash of the process or of the machine at any
 *   moment leaves a ledger that has every charge whose receipt was handed out,
 *   and whose sums count exactly the rows it has.
 * SOURCE   doc/proofs/ledger-durable-first.md
 * NEEDS    a disk that keeps what it has synced; SQLite's WAL, synced at every
 *          commit, sums and row in one transaction; lock held by all writers.
 * GIVES    no answer that is not charged, and no budget exceeded.
 * FAILS    CUSTOS_EIO, CUSTOS_EBUSY, CUSTOS_ECORRUPT, CUSTOS_ENOMEM: then there
 *          is no receipt, and no answer; the charge may be in the ledger. After
 *          a failed commit the file is reopened before anything is admitted.
 * TESTED   powercut_loses_no_receipt powercut_harness_finds_a_lying_disk
 *          kill_loses_no_receipt fault_every_io_once charge_from_two_processes
 */
#include "ledger/ledger.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/base.h"
#include "base/error.h"
#include "ledger/inside.h"
#include "ledger/lock.h"

enum { LOG_PAGES_MOST = 256, TERMS_TEXT_MAX = 1 << 26 };

/* -------------------------------------------------------------- opening -- */

/* Opens the file, under the lock; creates or migrates it if need be. */
static custos_status
open_file(struct ledger *l, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    if (!l->read_only && access(l->path, F_OK) != 0 && errno == ENOENT)
        st = ledger_make(l->path, err);
    if (!st)
        st = db_open(l->path, l->read_only ? DB_READ : DB_THERE, &l->db, err);
    if (!st)
        st = ledger_migrate(l->db, err);
    if (st) {
        db_close(l->db);
        l->db = NULL;
    }
    return st;
}

static void
close_file(struct ledger *l)
{
    terms_free(l->terms);
    l->terms = NULL;
    db_close(l->db);
    l->db = NULL;
}

custos_status
ledger_open(const char *path, const char *lock, struct ledger **out,
            custos_err *err)
{
    custos_alloc hooks = alloc_or_default(NULL);
    struct ledger *l = alloc_take(&hooks, 1, sizeof *l);
    custos_status st = CUSTOS_OK;

    if (!l)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    l->alloc = hooks;
    l->lock = -1;
    l->path_bytes = strlen(path) + 1;
    l->path = alloc_take(&hooks, l->path_bytes, 1);
    if (!l->path)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    else
        memcpy(l->path, path, l->path_bytes);
    if (!st)
        st = lock_open(lock, &l->lock, &l->read_only, err);
    if (!st)
        st = lock_take(l->lock, err);
    if (!st) {
        st = open_file(l, err);
        lock_drop(l->lock);
    }
    if (st)
        ledger_close(l);
    else
        *out = l;
    return st;
}

void
ledger_close(struct ledger *l)
{
    custos_alloc hooks;

    if (!l)
        return;
    hooks = l->alloc;
    close_file(l);
    if (l->lock >= 0)
        close(l->lock);
    if (l->path)
        alloc_give(&hooks, l->path, l->path_bytes, 1);
    alloc_give(&hooks, l, 1, sizeof *l);
}

/* ---------------------------------------------------------- transactions -- */

/* Failures of disk or memory, after which the file must be reopened. */
static bool
is_failure(custos_status st)
{
    return st == CUSTOS_EIO || st == CUSTOS_ECORRUPT || st == CUSTOS_ENOMEM ||
           st == CUSTOS_EINTERNAL;
}

/* Only this request was refused: the ledger works, and other requests may go
   on. */
static bool
is_refusal(custos_status st)
{
    return st && !is_failure(st) && st != CUSTOS_EBUSY;
}

/*
 * Opens the file if it is not open. After a failed sync the end of the log may
 * be in memory only, and a second sync would not report that; a new connection
 * would take it for durable and append to it. This connection still knows where
 * the durable part ends: it checkpoints that part into the file and truncates
 * the log before the file is reopened.
 */
static custos_status
make_ready(struct ledger *l, custos_err *err)
{
    if (l->suspect && l->db) {
        custos_status st = db_checkpoint(l->db, DB_EMPTY_LOG, err);

        if (st)
            return st;
        close_file(l);
    }
    l->suspect = false;
    return l->db ? CUSTOS_OK : open_file(l, err);
}

/* Runs all parts in the open transaction. A refusal is no failure, unless the
   refused part has written something. */
static custos_status
run_parts(struct ledger *l, struct ledger_part *parts, size_t n,
          custos_err *err)
{
    for (size_t i = 0; i < n; i++) {
        struct ledger_part *p = &parts[i];
        int64_t before = db_changes(l->db);
        custos_err said = CUSTOS_ERR_INIT;

        p->status = p->step(l, p->arg, &said);
        if (!p->status)
            continue;
        if (p->err)
            *p->err = said;
        if (!is_refusal(p->status)) {
            *err = said;
            return p->status;
        }
        if (db_changes(l->db) != before)
            return custos_fail(err, CUSTOS_EINTERNAL,
                               "the ledger could not be used");
    }
    return CUSTOS_OK;
}

/* Runs the parts and commits; under the lock, with the file open. */
static custos_status
run_transaction(struct ledger *l, struct ledger_part *parts, size_t n,
                custos_err *err)
{
    custos_status st = db_begin(l->db, DB_WRITING, err);
    bool wrote = false;

    if (!st)
        st = run_parts(l, parts, n, err);
    for (size_t i = 0; i < n && !st; i++)
        wrote = wrote || !parts[i].status;
    if (!st && wrote)
        st = db_commit(l->db, err);
    if (st || !wrote)
        db_rollback(l->db);
    l->suspect = is_failure(st);
    /* The commit is durable even if this checkpoint fails. */
    if (!st && db_log_pages(l->db) > LOG_PAGES_MOST &&
        is_failure(db_checkpoint(l->db, DB_SOME, NULL)))
        l->suspect = true;
    return st;
}

static custos_status
write_parts(struct ledger *l, struct ledger_part *parts, size_t n,
            custos_err *err)
{
    custos_status st;

    if (l->read_only)
        return custos_fail(err, CUSTOS_EIO,
                           "the store is read-only: nothing can be charged" HINT
                           "the budget, explain and cached answers still work");
    st = lock_take(l->lock, err);
    if (st)
        return st;
    st = make_ready(l, err);
    if (!st)
        st = run_transaction(l, parts, n, err);
    lock_drop(l->lock);
    return st;
}

void
ledger_write_all(struct ledger *l, struct ledger_part *parts, size_t n)
{
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = write_parts(l, parts, n, &err);

    for (size_t i = 0; i < n && st; i++) {
        parts[i].status = st;
        if (parts[i].err)
            *parts[i].err = err;
    }
}

custos_status
ledger_write(struct ledger *l, ledger_step *step, void *arg, custos_err *err)
{
    struct ledger_part part = {.step = step, .arg = arg, .err = err};

    ledger_write_all(l, &part, 1);
    return part.status;
}

custos_status
ledger_read(struct ledger *l, ledger_step *step, void *arg, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    if (!l->db) {
        st = lock_take(l->lock, err);
        if (!st) {
            st = make_ready(l, err);
            lock_drop(l->lock);
        }
    }
    if (!st)
        st = db_begin(l->db, DB_READING, err);
    if (!st)
        st = step(l, arg, err);
    if (l->db)
        db_rollback(l->db);
    return st;
}

/* ----------------------------------------------------------------- rows -- */

static custos_status
append_one(struct ledger *l, struct ledger_row *row, struct receipt *head,
           struct sums *common, custos_err *err)
{
    custos_status st = chain_append(l->db, row, head, err);

    common->seq = head->seq;
    return st;
}

custos_status
ledger_append(struct ledger *l, struct ledger_row *row, const struct charge *c,
              struct sums *own, custos_err *err)
{
    struct ledger_row first;
    struct receipt head;
    struct sums common;
    custos_status st = chain_head(l->db, &head, err);

    if (!st)
        st = budgets_load_common(l->db, &head, &common, err);
    if (!st && head.seq == 0) {
        memset(&first, 0, sizeof first);
        first.kind = str_of("open");
        first.time = row->time;
        st = append_one(l, &first, &head, &common, err);
    }
    if (!st)
        st = append_one(l, row, &head, &common, err);
    if (!st && c && !chain_is_shared(row))
        sums_add(&common, c, head.seq);
    if (!st && c && row->who.len) {
        sums_add(own, c, head.seq);
        memcpy(own->row, head.hash, sizeof own->row);
        st = budgets_save(l->db, row->who, own, &head, err);
    }
    if (!st)
        st = budgets_save(l->db, BUDGETS_COMMON, &common, &head, err);
    return st;
}

/* ----------------------------------------------------------------- acts -- */

custos_status
step_act(struct ledger *l, void *arg, custos_err *err)
{
    struct ledger_job *job = arg;
    struct ledger_row row;
    custos_status st;

    if (!*job->act || !strcmp(job->act, "charge") ||
        !strcmp(job->act, "terms") || !strcmp(job->act, "open"))
        return custos_fail(err, CUSTOS_EINVAL, "an act needs its own name");
    memset(&row, 0, sizeof row);
    row.kind = str_of(job->act);
    row.words = job->words;
    row.who = job->who;
    row.time = job->now;
    st = ledger_append(l, &row, NULL, NULL, err);
    job->receipt = row.receipt;
    return st;
}

custos_status
ledger_act(struct ledger *l, const char *act, str words, str who, int64_t now,
           struct receipt *out, custos_err *err)
{
    struct ledger_job job = {
        .kind = LEDGER_ACT,
        .act = act,
        .words = words,
        .who = who,
        .now = now,
        .err = err,
    };

    ledger_post(l, &job);
    if (!job.status)
        *out = job.receipt;
    return job.status;
}

/* ---------------------------------------------------------------- terms -- */

custos_status
ledger_terms_now(struct ledger *l, custos_err *err)
{
    struct query q;
    uint64_t seq = 0;
    custos_status st;

    query_begin(&q, l->db,
                "SELECT seq FROM chain WHERE kind = 'terms'"
                " ORDER BY seq DESC LIMIT 1");
    if (query_next(&q))
        seq = (uint64_t)query_int(&q, 0);
    st = query_end(&q, err);
    if (st || (l->terms && l->terms->seq == seq))
        return st;
    terms_free(l->terms);
    l->terms = NULL;
    if (seq)
        st = terms_load(l->db, &l->terms, err);
    if (!st && !l->terms)
        st = custos_fail(err, CUSTOS_EPOLICY,
                         "the ledger has no terms yet" HINT
                         "custos init puts a policy in force");
    return st;
}

struct terms_act {
    const struct ledger_terms *terms;
    struct ledger_row row;
    bool same;
};

/* Refuses changes under which earlier charges would lose their meaning. */
static custos_status
check_change(const struct ledger_terms *old, const struct ledger_terms *new,
             custos_err *err)
{
    if (old->adjacency != new->adjacency)
        return custos_fail(err, CUSTOS_EPOLICY,
                           "the adjacency cannot be changed: what is spent was "
                           "counted under the old one" HINT "make a new store");
    if (!str_equal(old->unit, new->unit))
        return custos_fail(err, CUSTOS_EPOLICY,
                           "the privacy unit cannot be changed: what is spent "
                           "was counted for the old one" HINT
                           "make a new store");
    return CUSTOS_OK;
}

static custos_status
step_terms(struct ledger *l, void *arg, custos_err *err)
{
    struct terms_act *act = arg;
    const struct ledger_terms *new = act->terms;
    custos_status st = ledger_terms_now(l, err);

    if (st == CUSTOS_EPOLICY)
        return ledger_append(l, &act->row, NULL, NULL, err);
    if (!st)
        st = check_change(&l->terms->said, new, err);
    if (!st) {
        struct buf b;

        buf_init(&b, NULL, TERMS_TEXT_MAX);
        terms_write(&l->terms->said, &b);
        act->same =
            !b.failed &&
            str_equal((str){buf_text(&b), b.len}, act->row.words) &&
            memcmp(l->terms->said.policy, new->policy, sizeof new->policy) == 0;
        buf_clear(&b);
    }
    if (!st && act->same)
        return chain_head(l->db, &act->row.receipt, err);
    return st ? st : ledger_append(l, &act->row, NULL, NULL, err);
}

custos_status
ledger_terms_set(struct ledger *l, const struct ledger_terms *t, str who,
                 int64_t now, struct receipt *out, custos_err *err)
{
    struct terms_act act;
    struct buf words;
    custos_status st = terms_check(t, err);

    if (st)
        return st;
    memset(&act, 0, sizeof act);
    buf_init(&words, NULL, TERMS_TEXT_MAX);
    terms_write(t, &words);
    act.terms = t;
    act.row.kind = str_of("terms");
    act.row.who = who;
    act.row.time = now;
    act.row.words = (str){buf_text(&words), words.len};
    memcpy(act.row.policy, t->policy, sizeof act.row.policy);
    if (words.failed)
        st = custos_fail(err, CUSTOS_EPOLICY, "the terms are too long");
    if (!st)
        st = ledger_write(l, step_terms, &act, err);
    if (!st)
        *out = act.row.receipt;
    buf_clear(&words);
    return st;
}
