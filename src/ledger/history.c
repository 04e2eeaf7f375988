/*
 * Spending over time, from one pass over the charges of the chain, as a bounded
 * number of points. When the array is full, every other point is dropped, so
 * that the rest are evenly spaced; the first and the last always stay.
 */
#include <string.h>

#include "base/error.h"
#include "ledger/inside.h"

enum { LANES = 2 }; /* epsilon and rho, numbered as by filter_lane */

struct grown {
    uint64_t seq;
    int64_t time;
    amount spent[LANES];
};

struct growth {
    struct grown *kept;
    size_t n, most;
    uint64_t met, every; /* charges so far; one of every `every` is kept */
    struct grown last;
};

struct look {
    str who;
    arena *arena;
    struct growth growth;
    struct sums sums;
    struct ledger_history *out;
};

static void
growth_add(struct growth *g, const struct grown *point)
{
    uint64_t at = g->met++;

    g->last = *point;
    if (at % g->every == 0 && g->n == g->most) {
        for (size_t i = 0; 2 * i < g->n; i++)
            g->kept[i] = g->kept[2 * i];
        g->n = (g->n + 1) / 2;
        g->every *= 2;
    }
    if (at % g->every == 0)
        g->kept[g->n++] = *point;
}

static void
growth_end(struct growth *g)
{
    if (!g->n || g->kept[g->n - 1].seq == g->last.seq)
        return;
    g->n -= g->n == g->most;
    g->kept[g->n++] = g->last;
}

/* The charges of the common budget. It is not charged for a cached answer that
   is given to another analyst. */
static const char COMMON[] =
    "SELECT seq, time, epsilon, rho, delta, delta_rho FROM chain"
    " WHERE kind = 'charge' AND words <> '" CHAIN_SHARED "' ORDER BY seq";
static const char OWN[] =
    "SELECT seq, time, epsilon, rho, delta, delta_rho FROM chain"
    " WHERE kind = 'charge' AND who = ? ORDER BY seq";

static custos_status
read_charges(struct db *d, struct look *look, custos_err *err)
{
    struct ledger_row row = {0};
    struct charge c;
    struct query q;
    bool whole = true;
    custos_status st;

    sums_init(&look->sums);
    query_begin(&q, d, look->who.len ? OWN : COMMON);
    if (look->who.len)
        query_put_text(&q, look->who);
    while (whole && query_next(&q)) {
        struct grown point = {.time = query_int(&q, 1)};

        row.seq = point.seq = (uint64_t)query_int(&q, 0);
        row.epsilon = query_bytes(&q, 2);
        row.rho = query_bytes(&q, 3);
        row.delta = query_bytes(&q, 4);
        row.delta_rho = query_bytes(&q, 5);
        whole = chain_charge(&row, &c);
        if (!whole)
            break;
        sums_add(&look->sums, &c, row.seq);
        point.spent[0] = look->sums.spent.epsilon;
        point.spent[1] = look->sums.spent.rho;
        growth_add(&look->growth, &point);
    }
    st = query_end(&q, err);
    if (!st && !whole)
        st = chain_fail(err, row.seq, "has no amounts");
    growth_end(&look->growth);
    return st;
}

/* Finds the currency in force, and its limit if there is one. */
static custos_status
find_limit(struct ledger *l, struct look *look, size_t *lane, custos_err *err)
{
    const struct filter *limits = &l->terms->common;
    struct ledger_history *out = look->out;
    custos_filter_facts facts;
    custos_status st = CUSTOS_OK;
    struct filter f;
    size_t analyst;

    if (look->who.len) {
        st = terms_find(l->terms, look->who, &analyst, err);
        if (!st)
            st = terms_own(l->terms, analyst, &limits, err);
    }
    if (st)
        return st;
    if (!limits) {
        *lane = look->sums.spent.epsilon == AMOUNT_INFINITE;
        out->currency = *lane ? "rho" : "epsilon";
        return CUSTOS_OK;
    }
    f = *limits;
    filter_resume(&f, &look->sums.spent);
    filter_report(&f, &facts);
    *lane = filter_lane(&f);
    out->currency = facts.currency;
    out->limited = true;
    memcpy(out->limit, facts.limit, sizeof out->limit);
    return CUSTOS_OK;
}

static custos_status
step_history(struct ledger *l, void *arg, custos_err *err)
{
    struct look *look = arg;
    const struct growth *g = &look->growth;
    size_t lane = 0;
    custos_status st = ledger_terms_now(l, err);

    if (!st)
        st = read_charges(l->db, look, err);
    if (!st)
        st = find_limit(l, look, &lane, err);
    if (st)
        return st;
    look->out->points =
        arena_take(look->arena, g->n + 1, sizeof *look->out->points);
    if (!look->out->points)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    look->out->n = g->n;
    for (size_t i = 0; i < g->n; i++) {
        struct ledger_point *p = &look->out->points[i];

        p->seq = g->kept[i].seq;
        p->time = g->kept[i].time;
        amount_write(g->kept[i].spent[lane], AMOUNT_LOSS, p->spent);
    }
    return CUSTOS_OK;
}

custos_status
ledger_history(struct ledger *l, str who, size_t most, arena *a,
               struct ledger_history *out, custos_err *err)
{
    struct ledger_history got = {0};
    struct look look = {
        .who = who,
        .arena = a,
        .growth = {.most = most, .every = 1},
        .out = &got,
    };
    custos_status st;

    CUSTOS_REQUIRE(most >= 2);
    look.growth.kept = arena_take(a, most, sizeof *look.growth.kept);
    st = look.growth.kept ? ledger_read(l, step_history, &look, err)
                          : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (!st)
        *out = got;
    return st;
}
