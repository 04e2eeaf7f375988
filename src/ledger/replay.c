/*
 * A row is valid if it follows the row before and matches its hash. A charge
 * must also be within the budgets of the terms then in force, and must not be
 * of an analyst whom a failure had suspended. Windows are not replayed: they
 * are limits, not promises. Nor are the policy's limits on failures and
 * overruns, which the chain does not hold.
 */
#include "ledger/replay.h"

#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "ledger/tripwire.h"

struct walk {
    arena *arena;
    struct replay *out;
    struct tally *common;
    struct terms *terms; /* in force at this row */
};

static struct tally *
tally_of(struct walk *w, str who)
{
    struct tally *t = w->out->tallies;

    while (t && !str_equal(t->who, who))
        t = t->next;
    if (t)
        return t;
    t = arena_take(w->arena, 1, sizeof *t);
    if (t)
        t->who = (str){arena_copy(w->arena, who), who.len};
    if (!t || !t->who.ptr)
        return NULL;
    sums_init(&t->sums);
    t->next = w->out->tallies;
    w->out->tallies = t;
    return t;
}

static custos_status
walk_terms(struct walk *w, const struct ledger_row *row, custos_err *err)
{
    struct terms *t = NULL;
    custos_status st = terms_read(row, &t, err);

    if (!st && w->terms &&
        (t->said.adjacency != w->terms->said.adjacency ||
         !str_equal(t->said.unit, w->terms->said.unit)))
        st = chain_fail(err, row->seq,
                        "changes the adjacency or the privacy unit");
    if (st) {
        terms_free(t);
        return st;
    }
    terms_free(w->terms);
    w->terms = t;
    return CUSTOS_OK;
}

static bool
is_admitted(const struct filter *limits, const struct sums *before,
            const struct charge *c)
{
    struct filter f = *limits;

    filter_resume(&f, &before->spent);
    return filter_admit(&f, c, NULL) == CUSTOS_OK;
}

static custos_status
walk_charge(struct walk *w, const struct ledger_row *row, custos_err *err)
{
    const struct filter *own = NULL;
    struct tally *t = w->common;
    struct charge c;
    size_t analyst;
    custos_status st;

    if (!chain_charge(row, &c))
        return chain_fail(err, row->seq, "has no amounts");
    if (!w->terms)
        return chain_fail(err, row->seq, "is a charge before any terms");
    if (row->who.len) {
        analyst = terms_analyst(w->terms, row->who);
        if (analyst == w->terms->said.n_analysts)
            return chain_fail(err, row->seq, "charges an unknown analyst");
        st = terms_own(w->terms, analyst, &own, err);
        if (st)
            return st;
        t = tally_of(w, row->who);
        if (!t)
            return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    if (t->failed)
        return chain_fail(err, row->seq,
                          "charges an analyst who was suspended");
    if (chain_is_shared(row) && t == w->common)
        return chain_fail(err, row->seq,
                          "is a shared answer without an analyst");
    if ((!chain_is_shared(row) &&
         !is_admitted(&w->terms->common, &w->common->sums, &c)) ||
        (own && !is_admitted(own, &t->sums, &c)))
        return chain_fail(err, row->seq,
                          "spends more than the budget had left");
    if (!chain_is_shared(row))
        sums_add(&w->common->sums, &c, row->seq);
    if (t != w->common) {
        sums_add(&t->sums, &c, row->seq);
        t->row = row->receipt;
    }
    return CUSTOS_OK;
}

/* A failure follows a charge, so its analyst has a tally. */
static custos_status
walk_tripwire(struct walk *w, const struct ledger_row *row, custos_err *err)
{
    struct tally *t = w->out->tallies;

    if (str_equal(row->kind, str_of(TRIPWIRE_RESUME)))
        for (; t; t = t->next)
            t->failed = false;
    if (!str_equal(row->kind, str_of(TRIPWIRE_FAILURE)))
        return CUSTOS_OK;
    while (t && !str_equal(t->who, row->who))
        t = t->next;
    if (!t)
        return chain_fail(err, row->seq,
                          "names an analyst who was never charged");
    t->failed = true;
    return CUSTOS_OK;
}

static custos_status
walk_row(struct walk *w, const struct ledger_row *row, custos_err *err)
{
    struct receipt *head = &w->out->head;
    custos_status st = chain_follow(row, head, err);

    if (st)
        return st;
    if (!w->common)
        w->common = tally_of(w, BUDGETS_COMMON);
    if (!w->common)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (str_equal(row->kind, str_of("terms")))
        st = walk_terms(w, row, err);
    else if (str_equal(row->kind, str_of("charge")))
        st = walk_charge(w, row, err);
    else
        st = walk_tripwire(w, row, err);
    w->common->sums.seq = head->seq;
    w->common->row = *head;
    return st;
}

custos_status
replay_run(struct db *d, arena *a, struct replay *out, custos_err *err)
{
    struct walk w = {.arena = a, .out = out};
    struct ledger_row row;
    custos_status st = CUSTOS_OK, ended;
    struct query q;

    memset(out, 0, sizeof *out);
    query_begin(&q, d, "SELECT " CHAIN_COLUMNS " FROM chain ORDER BY seq");
    while (!st && query_next(&q)) {
        chain_read(&q, &row);
        st = walk_row(&w, &row, err);
    }
    ended = query_end(&q, st ? NULL : err);
    terms_free(w.terms);
    return st ? st : ended;
}
