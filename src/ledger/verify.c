/*
 * Verification: checks SQLite's pages, replays the chain, and checks every
 * balance, every cached answer and the caller's receipt.
 */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "ledger/answers.h"
#include "ledger/inside.h"
#include "ledger/replay.h"

struct task {
    arena *arena;
    const struct receipt *receipt;
    struct receipt head;
};

static custos_status
check_balances(struct db *d, const struct replay *r, custos_err *err)
{
    uint64_t kept = 0, made = 0;
    custos_status st = CUSTOS_OK;
    struct sums s;
    struct query q;

    for (const struct tally *t = r->tallies; t && !st; t = t->next, made++) {
        st = budgets_load(d, t->who, &s, err);
        if (!st && (s.spent.epsilon != t->sums.spent.epsilon ||
                    s.spent.rho != t->sums.spent.rho ||
                    s.spent.delta != t->sums.spent.delta ||
                    s.spent.delta_rho != t->sums.spent.delta_rho ||
                    s.charges != t->sums.charges || s.seq != t->sums.seq))
            st = custos_fail(err, CUSTOS_ECORRUPT,
                             "the ledger is damaged: the balance of %.60s is "
                             "not the sum of its charges" HINT
                             "restore a backup",
                             t->who.len ? t->who.ptr : "the store");
    }
    if (st)
        return st;
    query_begin(&q, d, "SELECT count(*) FROM state");
    if (query_next(&q))
        kept = (uint64_t)query_int(&q, 0);
    st = query_end(&q, err);
    if (!st && kept != made)
        st = custos_fail(err, CUSTOS_ECORRUPT,
                         "the ledger is damaged: it has %" PRIu64 " balances "
                         "where the chain has %" PRIu64 HINT "restore a backup",
                         kept, made);
    return st;
}

static custos_status
check_receipt(struct db *d, const struct receipt *want,
              const struct receipt *head, custos_err *err)
{
    struct receipt got;
    custos_status st;

    if (want->seq == 0 || want->seq > head->seq)
        return custos_fail(err, CUSTOS_ENAME,
                           "the ledger is older than this receipt: it ends at "
                           "row %" PRIu64 ", the receipt is of row %" PRIu64,
                           head->seq, want->seq);
    st = chain_find(d, want->seq, &got, err);
    if (!st && memcmp(got.hash, want->hash, sizeof got.hash) != 0)
        st = custos_fail(err, CUSTOS_ENAME,
                         "this receipt is of another chain: the ledger was "
                         "restored from a backup older than row %" PRIu64
                         " and written to since, or is another store's",
                         want->seq);
    return st;
}

static custos_status
step_verify(struct ledger *l, void *arg, custos_err *err)
{
    struct task *task = arg;
    struct replay r;
    custos_status st = db_check(l->db, err);

    if (!st)
        st = replay_run(l->db, task->arena, &r, err);
    if (!st)
        st = check_balances(l->db, &r, err);
    if (!st)
        st = answers_check(l->db, err);
    if (!st && task->receipt)
        st = check_receipt(l->db, task->receipt, &r.head, err);
    if (!st)
        task->head = r.head;
    return st;
}

custos_status
ledger_verify(struct ledger *l, const struct receipt *r, struct receipt *head,
              custos_err *err)
{
    struct task task = {.receipt = r};
    custos_status st;

    task.arena = arena_new(NULL, REPLAY_BYTES);
    if (!task.arena)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = ledger_read(l, step_verify, &task, err);
    if (!st && head)
        *head = task.head;
    arena_free(task.arena);
    return st;
}

/* ------------------------------------------------------- from a row on -- */

struct onward {
    const struct receipt *from;
    struct receipt head;
};

static custos_status
step_onward(struct ledger *l, void *arg, custos_err *err)
{
    struct onward *o = arg;
    struct ledger_row row;
    custos_status st = chain_head(l->db, &o->head, err), ended;
    struct query q;

    if (!st)
        st = check_receipt(l->db, o->from, &o->head, err);
    if (st)
        return st;
    o->head = *o->from;
    query_begin(&q, l->db,
                "SELECT " CHAIN_COLUMNS
                " FROM chain WHERE seq > ? ORDER BY seq");
    query_put_int(&q, (int64_t)o->from->seq);
    while (!st && query_next(&q)) {
        chain_read(&q, &row);
        st = chain_follow(&row, &o->head, err);
    }
    ended = query_end(&q, st ? NULL : err);
    return st ? st : ended;
}

custos_status
ledger_verify_after(struct ledger *l, const struct receipt *from,
                    struct receipt *head, custos_err *err)
{
    struct onward o = {.from = from};
    custos_status st = ledger_read(l, step_onward, &o, err);

    if (!st)
        *head = o.head;
    return st;
}
