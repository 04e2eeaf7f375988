/*
 * Reading: balances, windows, rows, terms, and a copy of the file. Each call
 * reads in one transaction, and takes the lock only if the file must be
 * reopened after a failure.
 */
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "ledger/inside.h"
#include "ledger/lock.h"

static custos_status
fail_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* -------------------------------------------------------------- balances -- */

struct look {
    str who;
    int64_t now;
    struct ledger_balance *out;
};

static void
report_filter(const struct filter *limits, const struct sums *s,
              struct filter *f, struct ledger_balance *out)
{
    *f = *limits;
    filter_resume(f, &s->spent);
    filter_report(f, &out->facts);
    out->limited = true;
}

static custos_status
step_balance(struct ledger *l, void *arg, custos_err *err)
{
    struct look *look = arg;
    struct ledger_balance *out = look->out;
    const struct filter *limits = NULL;
    struct receipt head;
    struct filter f;
    struct sums s;
    amount left, own;
    size_t analyst;
    custos_status st = ledger_terms_now(l, err);

    if (!st)
        st = chain_head(l->db, &head, err);
    if (!st)
        st = budgets_load_common(l->db, &head, &s, err);
    if (st)
        return st;
    report_filter(&l->terms->common, &s, &f, out);
    left = filter_left_epsilon(&f);
    if (look->who.len) {
        st = terms_find(l->terms, look->who, &analyst, err);
        if (!st)
            st = budgets_load(l->db, look->who, &s, err);
        if (!st)
            st = terms_own(l->terms, analyst, &limits, err);
        if (st)
            return st;
        memset(out, 0, sizeof *out);
        if (limits) {
            report_filter(limits, &s, &f, out);
            own = filter_left_epsilon(&f);
            if (own < left)
                left = own;
        }
    }
    out->charges = s.charges;
    amount_write(left, AMOUNT_LOSS, out->left_epsilon);
    return CUSTOS_OK;
}

custos_status
ledger_balance(struct ledger *l, str who, struct ledger_balance *out,
               custos_err *err)
{
    struct ledger_balance got = {0};
    struct look look = {.who = who, .out = &got};
    custos_status st = ledger_read(l, step_balance, &look, err);

    if (!st)
        *out = got;
    return st;
}

static custos_status
step_window(struct ledger *l, void *arg, custos_err *err)
{
    struct look *look = arg;
    const struct filter *limits = NULL;
    struct filter f;
    struct sums own, s;
    size_t analyst;
    amount left;
    custos_status st = ledger_terms_now(l, err);

    if (!st)
        st = terms_find(l->terms, look->who, &analyst, err);
    if (!st)
        st = budgets_load(l->db, look->who, &own, err);
    if (!st)
        st = budgets_window(l->db, l->terms, analyst, look->now, &own, &limits,
                            &s, err);
    if (st || !limits)
        return st;
    report_filter(limits, &s, &f, look->out);
    look->out->charges = s.charges;
    left = filter_left_epsilon(&f);
    amount_write(left, AMOUNT_LOSS, look->out->left_epsilon);
    return CUSTOS_OK;
}

custos_status
ledger_window(struct ledger *l, str who, int64_t now,
              struct ledger_balance *out, custos_err *err)
{
    struct ledger_balance got = {0};
    struct look look = {.who = who, .now = now, .out = &got};
    custos_status st = ledger_read(l, step_window, &look, err);

    if (!st)
        *out = got;
    return st;
}

/* ----------------------------------------------------------------- terms -- */

struct get {
    arena *arena;
    struct ledger_terms *out;
};

/* Copies one text; false without memory. */
static bool
copy_text(arena *a, str *text)
{
    char *copy = arena_copy(a, *text);

    text->ptr = copy;
    return copy != NULL;
}

static custos_status
step_get(struct ledger *l, void *arg, custos_err *err)
{
    struct get *get = arg;
    arena *a = get->arena;
    struct ledger_analyst *all;
    struct ledger_terms t;
    bool kept;
    custos_status st = ledger_terms_now(l, err);

    if (st)
        return st;
    t = l->terms->said;
    t.seq = l->terms->seq;
    all = arena_take(a, t.n_analysts + 1, sizeof *all);
    if (!all)
        return fail_memory(err);
    memcpy(all, t.analysts, t.n_analysts * sizeof *all);
    t.analysts = all;
    kept = copy_text(a, &t.unit) && copy_text(a, &t.budget.epsilon) &&
           copy_text(a, &t.budget.delta);
    for (size_t i = 0; i < t.n_analysts && kept; i++)
        kept = copy_text(a, &all[i].name) &&
               copy_text(a, &all[i].budget.epsilon) &&
               copy_text(a, &all[i].budget.delta) &&
               copy_text(a, &all[i].window.epsilon) &&
               copy_text(a, &all[i].window.delta);
    if (!kept)
        return fail_memory(err);
    *get->out = t;
    return CUSTOS_OK;
}

custos_status
ledger_terms_get(struct ledger *l, arena *a, struct ledger_terms *out,
                 custos_err *err)
{
    struct get get = {.arena = a, .out = out};

    return ledger_read(l, step_get, &get, err);
}

/* ------------------------------------------------------------------ rows -- */

static custos_status
step_head(struct ledger *l, void *arg, custos_err *err)
{
    return chain_head(l->db, arg, err);
}

custos_status
ledger_head(struct ledger *l, struct receipt *out, custos_err *err)
{
    return ledger_read(l, step_head, out, err);
}

struct page {
    uint64_t from;
    str who, theorem;
    arena *arena;
    struct ledger_row *rows;
    size_t n, most;
};

static bool
keep_row(arena *a, struct ledger_row *r)
{
    return copy_text(a, &r->kind) && copy_text(a, &r->who) &&
           copy_text(a, &r->query) && copy_text(a, &r->plan) &&
           copy_text(a, &r->theorems) && copy_text(a, &r->words) &&
           copy_text(a, &r->epsilon) && copy_text(a, &r->rho) &&
           copy_text(a, &r->delta) && copy_text(a, &r->delta_rho) &&
           copy_text(a, &r->version);
}

/* Rows are collected in a list first, since their number is not known. */
struct link {
    struct ledger_row row;
    struct link *next;
};

static custos_status
step_rows(struct ledger *l, void *arg, custos_err *err)
{
    struct page *p = arg;
    struct link *first = NULL, **last = &first, *link;
    bool room = true;
    struct query q;
    custos_status st;

    query_begin(&q, l->db,
                "SELECT " CHAIN_COLUMNS ", (SELECT b.hash FROM chain b"
                " WHERE b.seq = chain.seq - 1) FROM chain WHERE seq >= ?1"
                " AND (?2 = '' OR who = ?2) AND (?3 = '' OR (kind = 'charge'"
                " AND instr(' ' || theorems || ' ', ' ' || ?3 || ' ') > 0))"
                " ORDER BY seq");
    query_put_int(&q, p->from > INT64_MAX ? INT64_MAX : (int64_t)p->from);
    query_put_text(&q, p->who);
    query_put_text(&q, p->theorem);
    while (room && p->n < p->most && query_next(&q)) {
        link = arena_take(p->arena, 1, sizeof *link);
        if (link) {
            chain_read(&q, &link->row);
            (void)query_fixed(&q, 16, link->row.before,
                              sizeof link->row.before); /* zeros for the first
                                                           row */
        }
        room = link && keep_row(p->arena, &link->row);
        if (room) {
            *last = link;
            last = &link->next;
            p->n++;
        }
    }
    st = query_end(&q, err);
    if (st)
        return st;
    p->rows = room ? arena_take(p->arena, p->n + 1, sizeof *p->rows) : NULL;
    if (!p->rows)
        return fail_memory(err);
    for (size_t i = 0; first; first = first->next)
        p->rows[i++] = first->row;
    return CUSTOS_OK;
}

custos_status
ledger_rows(struct ledger *l, uint64_t from, str who, str theorem, arena *a,
            struct ledger_row **out, size_t *n, custos_err *err)
{
    struct page page = {
        .from = from, .who = who, .theorem = theorem, .arena = a, .most = *n};
    custos_status st = ledger_read(l, step_rows, &page, err);

    if (!st) {
        *out = page.rows;
        *n = page.n;
    }
    return st;
}

/* ------------------------------------------------------------------ copy -- */

static custos_status
step_copy(struct ledger *l, void *arg, custos_err *err)
{
    const char *const *path = arg;

    return db_copy(l->db, *path, err);
}

custos_status
ledger_copy(struct ledger *l, const char *path, custos_err *err)
{
    custos_status st = file_make(path, err);

    if (st)
        return st;
    st = ledger_read(l, step_copy, &path, err);
    if (!st)
        st = folder_sync(path, err);
    if (st)
        unlink(path);
    return st;
}

/* ----------------------------------------------------------------- seals -- */

struct seals {
    uint64_t from;
    struct ledger_seal *out;
    size_t room, n;
};

static custos_status
step_seals(struct ledger *l, void *arg, custos_err *err)
{
    struct seals *s = arg;
    struct query q;
    bool whole = true;
    custos_status st;

    query_begin(&q, l->db,
                "SELECT seq, time, hash FROM chain WHERE seq >= ?"
                " ORDER BY seq LIMIT ?");
    query_put_int(&q, (int64_t)s->from);
    query_put_int(&q, (int64_t)s->room);
    while (whole && s->n < s->room && query_next(&q)) {
        struct ledger_seal *at = &s->out[s->n++];

        memset(at, 0, sizeof *at);
        at->receipt.seq = (uint64_t)query_int(&q, 0);
        at->time = query_int(&q, 1);
        whole = query_fixed(&q, 2, at->receipt.hash, sizeof at->receipt.hash);
    }
    st = query_end(&q, err);
    return st || whole
               ? st
               : chain_fail(err, s->out[s->n - 1].receipt.seq, "has no hash");
}

custos_status
ledger_seals(struct ledger *l, uint64_t from, struct ledger_seal *out,
             size_t *n, custos_err *err)
{
    struct seals s = {.from = from, .out = out, .room = *n};
    custos_status st = ledger_read(l, step_seals, &s, err);

    *n = st ? 0 : s.n;
    return st;
}
