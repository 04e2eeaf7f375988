/*
 * The one path from an analyst's text to a released answer.
 *
 * THEOREM  charge-first
 *   Whatever an analyst sees of private data was charged, durably, before the
 *   data was touched; a failure after the charge is not refunded.
 * SOURCE   doc/proofs/charge-first.md
 * NEEDS    ledger_charge is durable on return (ledger-durable-first).
 * GIVES    an answer of private data carries the receipt of its charge; one
 *          stored before costs nothing, being the same bytes again. A failure
 *          below the charge is in the chain before it is told (tripwire).
 * FAILS    above the charge: on query, policy, ledger and the columns of
 *          attached files alone; below it: CUSTOS_EENGINE with one constant
 *          sentence, CUSTOS_EENTROPY, CUSTOS_ENOMEM.
 * TESTED   the_charge_comes_first a_failed_engine_is_not_refunded
 *          the_same_question_is_free
 *          an_attached_file_that_is_gone_costs_nothing
 */
#include "curator/curator.h"

#include <stdio.h>

#include "base/error.h"
#include "curator/answer.h"
#include "curator/forecast.h"
#include "curator/house.h"
#include "curator/key.h"
#include "curator/race.h"
#include "curator/tripwire.h"

enum { TEXT_MAX = 1 << 20 };

enum purse {
    PURSE_BOTH,
    PURSE_OWN, /* of who gets what another has paid for */
};

static custos_status
charge(struct curator *c, const struct ask *ask, const struct plan *p,
       enum purse purse, struct receipt *receipt, custos_err *err)
{
    struct ledger_request r = {
        .who = ask->who,
        .query = ask->sql,
        .charge = &p->charge,
        .data_version = engine_version(c->engine),
        .now = ask->now,
        .shared = purse == PURSE_OWN,
        .max_failures = c->world->policy->max_failures,
        .max_overruns = c->world->policy->max_overruns,
    };
    struct buf plan, theorems;
    custos_status st;

    buf_init(&plan, NULL, TEXT_MAX);
    buf_init(&theorems, NULL, TEXT_MAX);
    plan_explain(p, &plan);
    for (size_t i = 0; i < p->n_theorems; i++)
        buf_printf(&theorems, "%s%s", i ? " " : "", p->theorems[i]);
    memcpy(r.policy, c->world->policy->id, sizeof r.policy);
    r.plan = str_of(buf_text(&plan));
    r.theorems = str_of(buf_text(&theorems));
    st = plan.failed || theorems.failed
             ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
             : tripwire_ready(c, ask->now, err);
    if (!st)
        st = till_charge(c->house->till, &r, receipt, err);
    tripwire_refused(c, st, err);
    buf_clear(&plan);
    buf_clear(&theorems);
    return st;
}

/* Where the quantiles of a part go. */
struct quantiles {
    const struct part_quantiles *of;
    custos_rng *rng;
    custos_int *values;
    int64_t *room; /* of one release */
};

static custos_status
take_quantiles(void *ctx, size_t cell, enum engine_place place,
               custos_sealed *sealed, size_t cells, custos_err *err)
{
    struct quantiles *q = ctx;
    const custos_quantile *by = place == PLACE_AT    ? q->of->at
                                : place == PLACE_LOW ? q->of->low
                                                     : q->of->high;
    custos_int *to = q->values + (3 * cell + (size_t)place) * q->of->n;
    custos_status st =
        custos_quantile_release(by, q->rng, sealed, cells, q->room, err);

    for (size_t i = 0; i < q->of->n && !st; i++)
        to[i] = q->room[i];
    return st;
}

/* Of the groups g, or of all where that is NULL. */
static custos_status
release_quantiles(struct curator *c, arena *a, const struct plan *p,
                  struct engine_groups *g, size_t i, custos_int *values,
                  custos_err *err)
{
    struct quantiles q = {
        .of = p->parts[i].quantiles, .rng = c->rng, .values = values};

    q.room = arena_take(a, q.of->n, sizeof *q.room);
    if (!q.room)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    return g ? engine_groups_quantiles(c->engine, g, i, take_quantiles, &q, err)
             : engine_quantiles(c->engine, p, i, take_quantiles, &q, err);
}

/* One part of a chosen group. */
static custos_status
release_part(struct curator *c, const struct plan *p, struct engine_groups *g,
             size_t group, size_t part, custos_int *out, custos_err *err)
{
    custos_sealed *sealed = NULL;
    custos_status st;

    if (p->parts[part].served) {
        *out = engine_groups_units(g, group);
        return CUSTOS_OK;
    }
    st = engine_groups_part(g, group, part, &sealed, err);
    if (!st)
        st = custos_release_wide(p->parts[part].mech, c->rng, sealed, out, 1,
                                 err);
    custos_sealed_free(sealed);
    return st;
}

static custos_status
release_chosen(struct curator *c, arena *a, const struct plan *p,
               struct engine_groups *g, struct released *out, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    if (!released_take(a, p, engine_groups_count(g), out))
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < out->cells && !st; i++) {
        for (size_t k = 0; k < p->n_keys && !st; k++) {
            struct datum *d = &out->keys[i * p->n_keys + k];

            *d = engine_groups_key(g, i, k);
            if (d->type == TYPE_TEXT && !(d->text.ptr = arena_copy(a, d->text)))
                st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        }
        for (size_t part = 0; part < p->n_parts && !st; part++)
            if (p->parts[part].kind != PART_QUANTILES)
                st = release_part(c, p, g, i, part, &out->values[part][i], err);
    }
    for (size_t part = 0; part < p->n_parts && !st; part++)
        if (p->parts[part].kind == PART_QUANTILES)
            st = release_quantiles(c, a, p, g, part, out->values[part], err);
    return st;
}

/* Groups of the data: chosen first, then parts of the chosen ones. */
static custos_status
release_groups(struct curator *c, arena *a, const struct plan *p,
               struct released *out, custos_err *err)
{
    struct engine_groups *g = NULL;
    custos_status st = engine_find(c->engine, p, &g, err);

    if (!st)
        st = engine_groups_choose(g, c->rng, err);
    if (!st)
        st = release_chosen(c, a, p, g, out, err);
    if (!st)
        out->more = engine_groups_more(g);
    engine_groups_free(g);
    return st;
}

/* Below the charge: exact values in, released values out. */
static custos_status
release(struct curator *c, arena *a, const struct plan *p,
        struct released *released, custos_err *err)
{
    custos_sealed **sealed;
    custos_status st;

    if (p->selection)
        return release_groups(c, a, p, released, err);
    sealed = arena_take(a, p->n_parts, sizeof(custos_sealed *));
    if (!sealed || !released_take(a, p, p->cells, released))
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = engine_run(c->engine, p, sealed, err);
    for (size_t i = 0; i < p->n_parts && !st; i++)
        st = p->parts[i].kind == PART_QUANTILES
                 ? release_quantiles(c, a, p, NULL, i, released->values[i], err)
                 : custos_release_wide(p->parts[i].mech, c->rng, sealed[i],
                                       released->values[i], p->cells, err);
    for (size_t i = 0; i < p->n_parts; i++)
        custos_sealed_free(sealed[i]);
    return st;
}

/*
 * Keeps what was paid for. If that fails (the disk is full) the answer is
 * given all the same, for it was charged: it says so, and that is all.
 */
static void
keep_own(struct curator *c, const struct answer_keys *keys,
         struct answer *answer)
{
    custos_err quiet;

    if (answer_keep(c->house->till, keys->own, answer, &quiet))
        answer_remark(answer, "This answer could not be kept: asking again "
                              "will cost again.");
}

/* How many groups were chosen is released with them: to say it is free. */
static void
tell_more(size_t more, struct answer *answer)
{
    char text[160];

    snprintf(text, sizeof text,
             "%zu more group%s chosen than %s shown, the last in the order of "
             "keys: group by something coarser",
             more, more == 1 ? " was" : "s were", more == 1 ? "is" : "are");
    answer_remark(answer, text);
}

/* A private query that was not answered before. */
static custos_status
answer_private(struct curator *c, const struct ask *ask, arena *a,
               const struct plan *p, const struct answer_keys *keys,
               struct answer **out, custos_err *err)
{
    const struct plan *run = p;
    struct released released;
    struct receipt receipt;
    custos_err quiet;
    custos_status st;
    int work;

    st = engine_ready(c->engine, p, a, err);
    if (!st)
        st = charge(c, ask, p, PURSE_BOTH, &receipt, err);
    if (st)
        return st;
    work = tripwire_begin(c, &receipt);
    st = race_run(c->engine, c->rng, p, &run, err);
    if (!st)
        st = release(c, a, run, &released, err);
    if (!st)
        st = answer_of_released(run, &released, &receipt, out, err);
    tripwire_after(c, ask, &receipt, work, st);
    if (st)
        return st;
    if (p->race)
        race_tell(p, *out);
    if (released.more)
        tell_more(released.more, *out);
    /* Without it the next asker is charged in full, which is safe. */
    if (c->world->policy->share_answers)
        (void)!answer_keep(c->house->till, keys->shared, *out, &quiet);
    keep_own(c, keys, *out);
    return CUSTOS_OK;
}

/* What was paid for before, given again. CUSTOS_ENAME: nothing. */
static custos_status
find_own(struct curator *c, const struct ask *ask,
         const struct answer_keys *keys, struct answer **out, custos_err *err)
{
    custos_status st;

    till_settle(c->house->till, keys->own);
    st = answer_find(c->ledger, keys->own, out, err);
    if (!st)
        till_again(c->house->till, ask->who, (*out)->receipt.seq, ask->now);
    return st;
}

/* What another has paid for. CUSTOS_ENAME: nothing. */
static custos_status
answer_shared(struct curator *c, const struct ask *ask, const struct plan *p,
              const struct answer_keys *keys, struct answer **out,
              custos_err *err)
{
    custos_status st;

    if (!c->world->policy->share_answers || !ask->who.len)
        return CUSTOS_ENAME;
    st = answer_find(c->ledger, keys->shared, out, err);
    if (!st)
        st = charge(c, ask, p, PURSE_OWN, &(*out)->receipt, err);
    if (!st) {
        (*out)->stored = false; /* it was not free */
        keep_own(c, keys, *out);
    }
    return st;
}

custos_status
curator_find(const struct curator *c, str name,
             const struct policy_analyst **who, custos_err *err)
{
    *who = NULL;
    if (!name.len)
        return CUSTOS_OK;
    *who = policy_analyst_find(c->world->policy, name);
    if (*who)
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_EDENIED,
                       "the policy knows no analyst of this name");
}

static custos_status
answer_plan(struct curator *c, const struct ask *ask, arena *a, struct query *q,
            const struct plan *p, struct answer **out, custos_err *err)
{
    struct engine_rows rows;
    struct answer_keys keys;
    custos_status st;

    if (q->explain) {
        st = answer_of_explain(p, out, err);
        if (!st)
            forecast_make(c, ask, q, p, &(*out)->forecast);
        return st;
    }
    if (p->is_public) {
        st = engine_ready(c->engine, p, a, err);
        if (!st)
            st = engine_public(c->engine, p, a, &rows, err);
        return st ? st : answer_of_rows(p, &rows, out, err);
    }
    st = answer_keys_make(c, ask, q, p, &keys, err);
    if (!st)
        st = find_own(c, ask, &keys, out, err);
    if (st == CUSTOS_ENAME)
        st = answer_shared(c, ask, p, &keys, out, err);
    if (st == CUSTOS_ENAME)
        st = answer_private(c, ask, a, p, &keys, out, err);
    return st;
}

/* The tree, with the values of parameters in it; the ledger is told a text
   that has them too. */
static custos_status
read_ask(arena *a, struct ask *ask, struct query **q, custos_err *err)
{
    struct sql_params params;
    custos_status st;
    struct buf text;

    if (ask->n_params == 0)
        return sql_read(a, ask->sql, q, err);
    buf_init(&text, NULL, TEXT_MAX);
    st = sql_params_find(a, ask->sql, 0, &params, err);
    if (!st)
        st = sql_params_give(&params, ask->params, ask->n_params, err);
    if (!st)
        st = sql_read_with(a, ask->sql, &params, q, err);
    if (!st)
        st = sql_fill(a, ask->sql, &params, &text, err);
    if (!st) {
        ask->sql = str_of(arena_copy(a, (str){text.ptr, text.len}));
        if (!ask->sql.ptr)
            st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    buf_clear(&text);
    return st;
}

custos_status
curator_answer(struct curator *c, const struct ask *asked, struct answer **out,
               custos_err *err)
{
    struct ask copy = *asked, *ask = &copy;
    arena *a = arena_new(NULL, QUERY_BYTES);
    struct plan_known known = {.count = engine_count};
    struct plan_options options = {
        .epsilon = ask->epsilon,
        .within = ask->within,
        .jointly = ask->jointly,
        .mechs = c->mechs,
        .known = &known,
        .stop = ask->stop,
    };
    struct answer *answer = NULL;
    struct plan *p = NULL;
    struct query *q;
    custos_status st;

    c->trip = TRIP_NONE;
    if (!a)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = curator_refresh(c, err);
    if (!st)
        st = curator_find(c, ask->who, &options.who, err);
    if (!st)
        st = read_ask(a, ask, &q, err);
    known.ctx = c->engine; /* after the refresh */
    if (!st)
        st = plan_make(a, q, c->world->policy, &options, &p, err);
    if (!st && !p->is_public)
        st = answer_fits(a, p, err); /* EXPLAIN tells the same */
    if (!st)
        st = answer_plan(c, ask, a, q, p, &answer, err);
    if (!st) {
        *out = answer;
        answer = NULL;
    }
    answer_free(answer);
    plan_free(p);
    arena_free(a);
    return st;
}
