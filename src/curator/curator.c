/*
 * The one path from an analyst's text to a released answer.
 *
 * THEOREM  charge-first
 *   Whatever an analyst sees of private data was charged, durably, before the
 *   data was touched; a failure after the charge is not refunded.
 * SOURCE   doc/proofs/charge-first.md
 * NEEDS    ledger_charge is durable on return (ledger-durable-first).
 * GIVES    an answer of private data carries the receipt of its charge; one
 *          stored before costs nothing, being the same bytes again.
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
#include "base/sha256.h"
#include "curator/answer.h"
#include "curator/house.h"
#include "curator/race.h"

enum { TEXT_MAX = 1 << 20 };

/* Length before content, so that no two lists of texts look alike. */
static void
hash_text(struct sha256 *h, str text)
{
    uint64_t len = text.len;

    sha256_add(h, &len, sizeof len);
    sha256_add(h, text.ptr, text.len);
}

/*
 * THEOREM  stored-answer
 *   Giving the same answer again is post-processing of the first release: it
 *   costs nothing.
 * SOURCE   Dwork, Roth 2014, proposition 2.1
 * NEEDS    the key covers all that a release depends on: tree, price, policy,
 *          data version, what the unit is called; and the analyst. Where the
 *          policy shares answers there is one more, of nobody: a hit tells
 *          that somebody asked, and costs the asker's own budget.
 * GIVES    equal keys, equal questions; other keys, other questions, but for
 *          collisions of SHA-256.
 * FAILS    cannot.
 * TESTED   the_same_question_is_free another_question_is_charged
 *          rule_13_the_key_is_all_of_the_question
 *          rule_13_shared_answers_cost_who_asks
 */
static custos_status
answer_key(const struct curator *c, str who, const struct ask *ask,
           const struct query *q, const struct plan *p,
           uint8_t key[SHA256_BYTES], custos_err *err)
{
    uint64_t version = engine_version(c->engine);
    custos_status st = CUSTOS_OK;
    struct sha256 h;
    struct buf text;

    buf_init(&text, NULL, TEXT_MAX);
    sql_print(q, &text);
    buf_add(&text, "", 1);
    rat_write(&p->epsilon, &text);
    buf_add(&text, "", 1);
    rat_write(&p->delta, &text);
    buf_add(&text, "", 1);
    if (text.failed) {
        st = custos_fail(err, CUSTOS_EOVERFLOW, "the query is too long");
    } else {
        sha256_init(&h);
        hash_text(&h, who);
        hash_text(&h, p->unit); /* remarks name it to some and not to others */
        hash_text(&h, (str){text.ptr, text.len});
        hash_text(&h, ask->within);
        hash_text(&h, str_of(ask->jointly ? "jointly" : ""));
        sha256_add(&h, c->world->policy->id, sizeof c->world->policy->id);
        sha256_add(&h, &version, sizeof version);
        sha256_end(&h, key);
    }
    buf_clear(&text);
    return st;
}

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
             : till_charge(c->house->till, &r, receipt, err);
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

struct keys {
    uint8_t own[SHA256_BYTES], shared[SHA256_BYTES];
};

/*
 * Keeps what was paid for. If that fails (the disk is full) the answer is
 * given all the same, for it was charged: it says so, and that is all.
 */
static void
keep_own(struct curator *c, const struct keys *keys, struct answer *answer)
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
               const struct plan *p, const struct keys *keys,
               struct answer **out, custos_err *err)
{
    const struct plan *run = p;
    struct released released;
    struct receipt receipt;
    custos_err quiet;
    custos_status st;

    st = engine_ready(c->engine, p, a, err);
    if (!st)
        st = charge(c, ask, p, PURSE_BOTH, &receipt, err);
    if (st)
        return st;
    st = race_run(c->engine, c->rng, p, &run, err);
    if (!st)
        st = release(c, a, run, &released, err);
    if (!st)
        st = answer_of_released(run, &released, &receipt, out, err);
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
find_own(struct curator *c, const struct ask *ask, const struct keys *keys,
         struct answer **out, custos_err *err)
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
              const struct keys *keys, struct answer **out, custos_err *err)
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
keys_make(const struct curator *c, const struct ask *ask, const struct query *q,
          const struct plan *p, struct keys *out, custos_err *err)
{
    custos_status st = answer_key(c, ask->who, ask, q, p, out->own, err);

    return st ? st : answer_key(c, str_of(""), ask, q, p, out->shared, err);
}

/*
 * THEOREM  forecast-is-free
 *   What is foretold of a question is a function of query, policy, budgets and
 *   the answers that were given to who asks: it reads no data and tells
 *   nothing of what others have asked.
 * SOURCE   Dwork, Roth 2014, proposition 2.1, of the answers; left-after, of
 *          the budgets, which follow from charges, public facts all.
 * NEEDS    the key of own answers names the analyst (stored-answer); shared
 *          answers are not looked for.
 * GIVES    whether it is free, and what is left after it, rounded down.
 * FAILS    cannot: what cannot be found out is told as not stored, not paid.
 * TESTED   explain_tells_what_is_stored explain_tells_nothing_of_others
 *          explain_tells_what_is_left_after
 */
static void
foretell(struct curator *c, const struct ask *ask, const struct query *q,
         const struct plan *p, struct forecast *out)
{
    struct query asked = *q;
    struct answer *given = NULL;
    struct keys keys;
    custos_err quiet;

    asked.explain = false;
    if (!p->is_public && !keys_make(c, ask, &asked, p, &keys, &quiet)) {
        till_settle(c->house->till, keys.own);
        out->stored = !answer_find(c->ledger, keys.own, &given, &quiet);
        answer_free(given);
    }
    out->can_pay = !ledger_left(c->ledger, ask->who, ask->now,
                                out->stored || p->is_public ? NULL : &p->charge,
                                out->left_epsilon, &quiet);
}

static custos_status
answer_plan(struct curator *c, const struct ask *ask, arena *a, struct query *q,
            const struct plan *p, struct answer **out, custos_err *err)
{
    struct engine_rows rows;
    struct keys keys;
    custos_status st;

    if (q->explain) {
        st = answer_of_explain(p, out, err);
        if (!st)
            foretell(c, ask, q, p, &(*out)->forecast);
        return st;
    }
    if (p->is_public) {
        st = engine_ready(c->engine, p, a, err);
        if (!st)
            st = engine_public(c->engine, p, a, &rows, err);
        return st ? st : answer_of_rows(p, &rows, out, err);
    }
    st = keys_make(c, ask, q, p, &keys, err);
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
    struct plan_options options = {
        .epsilon = ask->epsilon,
        .within = ask->within,
        .jointly = ask->jointly,
        .mechs = c->mechs,
    };
    struct answer *answer = NULL;
    struct plan *p = NULL;
    struct query *q;
    custos_status st;

    if (!a)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = curator_refresh(c, err);
    if (!st)
        st = curator_find(c, ask->who, &options.who, err);
    if (!st)
        st = read_ask(a, ask, &q, err);
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
