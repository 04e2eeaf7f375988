/*
 * The steps that a single question and a batch have in common: read and plan it,
 * look for a cached answer, compute what is public, write the request to charge
 * it, store what was paid for. Nothing here reads private data.
 */
#include "curator/course.h"

#include "base/error.h"
#include "curator/answer.h"
#include "curator/release.h"
#include "curator/reply.h"

enum { TEXT_MAX = 1 << 20 };

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* -------------------------------------------------------------- planning -- */

/* Reads the tree with the parameter values in it, and inserts them in ask->sql
   too, for the ledger. */
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
            st = no_memory(err);
    }
    buf_clear(&text);
    return st;
}

custos_status
course_plan(struct curator *c, arena *a, uint64_t *steps, struct course *k,
            custos_err *err)
{
    struct plan_known known = {.count = engine_count, .ctx = c->engine};
    struct plan_options options = {
        .epsilon = k->asked->epsilon,
        .rho = k->asked->rho,
        .within = k->asked->within,
        .jointly = k->asked->jointly,
        .mechs = c->mechs,
        .known = &known,
        .stop = k->asked->stop,
        .steps = steps,
    };
    custos_status st = curator_find(c, k->asked->who, &options.who, err);

    k->ask = *k->asked;
    if (!st)
        st = read_ask(a, &k->ask, &k->q, err);
    if (!st)
        st = plan_make(a, k->q, c->snapshot->policy, &options, &k->p, err);
    return st;
}

custos_status
curator_find(const struct curator *c, str name,
             const struct policy_analyst **who, custos_err *err)
{
    *who = NULL;
    if (!name.len)
        return CUSTOS_OK;
    *who = policy_analyst_find(c->snapshot->policy, name);
    if (*who)
        return CUSTOS_OK;
    return ledger_fail_analyst(name, err);
}

/* -------------------------------------------------------------- charging -- */

custos_status
course_request(struct curator *c, const struct course *k, bool shared,
               struct course_request *out, custos_err *err)
{
    const struct policy *policy = c->snapshot->policy;
    const struct plan *p = k->p;

    buf_init(&out->plan, NULL, TEXT_MAX);
    buf_init(&out->theorems, NULL, TEXT_MAX);
    plan_explain(p, &out->plan);
    for (size_t i = 0; i < p->n_theorems; i++)
        buf_printf(&out->theorems, "%s%s", i ? " " : "", p->theorems[i]);
    if (out->plan.failed || out->theorems.failed)
        return no_memory(err);
    out->r = (struct ledger_request){
        .who = k->ask.who,
        .query = k->ask.sql,
        .plan = str_of(buf_text(&out->plan)),
        .theorems = str_of(buf_text(&out->theorems)),
        .charge = &p->charge,
        .data_version = engine_version(c->engine),
        .now = k->ask.now,
        .shared = shared,
        .max_failures = policy->max_failures,
        .max_overruns = policy->max_overruns,
        .max_bytes = policy->ledger_bytes,
        .max_minute_bytes = policy->ledger_minute_bytes,
    };
    memcpy(out->r.policy, policy->id, sizeof out->r.policy);
    return CUSTOS_OK;
}

void
course_request_clear(struct course_request *r)
{
    buf_clear(&r->plan);
    buf_clear(&r->theorems);
}

enum work_time
course_time(int64_t class_us)
{
    return class_us == INT64_MAX    ? WORK_UNTIMED
           : class_us > ASK_LONG_US ? WORK_LONG
                                    : WORK_SHORT;
}

custos_status
course_check_class(const struct ask *ask, int64_t class_us, const char *what,
                   custos_err *err)
{
    char takes[REPLY_CLASS_TEXT];

    if (!ask->most_us || class_us <= ask->most_us || class_us == INT64_MAX)
        return CUSTOS_OK;
    reply_class_write(class_us, takes);
    return custos_fail(err, CUSTOS_EDENIED,
                       "the reply to this %s would take %s, longer than the "
                       "server allows" HINT
                       "ask something simpler, or ask the owner "
                       "for a larger --max-seconds",
                       what, takes);
}

/* ---------------------------------------------------------- public parts -- */

custos_status
course_check_point(const struct ask *ask, enum ask_point at, custos_err *err)
{
    return ask->check_point ? ask->check_point(ask->admit_ctx, at, err)
                            : CUSTOS_OK;
}

custos_status
course_run_public(struct curator *c, const struct course *k,
                  struct answer **out, custos_err *err)
{
    struct work w = {
        .of = curator_snapshot(c), .ask = k->asked, .is_public = true};
    enum work_end end;

    if (!c->executor)
        return release_public(c->engine, k->p, out, err);
    if (!plan_digest(k->p, w.digest))
        return no_memory(err);
    return c->executor->run(c->executor->ctx, &w, out, &end, err);
}

custos_status
course_try_public(struct curator *c, const struct work *w, custos_err *err)
{
    struct work only = *w;
    struct answer *nothing = NULL;
    enum work_end end;
    custos_status st;

    only.prepare_only = true;
    st = c->executor->run(c->executor->ctx, &only, &nothing, &end, err);
    answer_free(nothing);
    return st;
}

/* --------------------------------------------------------------- answers -- */

custos_status
course_find_own(struct curator *c, const struct answer_keys *keys,
                struct answer **out, custos_err *err)
{
    ledger_writer_settle(c->shared->writer, keys->own);
    return answer_find(c->ledger, keys->own, out, err);
}

custos_status
course_find_shared(struct curator *c, const struct course *k,
                   const struct answer_keys *keys, struct answer **out,
                   custos_err *err)
{
    if (!c->snapshot->policy->share_answers || !k->ask.who.len)
        return CUSTOS_ENAME;
    return answer_find(c->ledger, keys->shared, out, err);
}

void
course_keep_own(struct curator *c, const struct answer_keys *keys,
                struct answer *answer)
{
    custos_err quiet = CUSTOS_ERR_INIT;

    if (answer_store(c->shared->writer, keys->own, answer, c->snapshot->policy,
                     &quiet))
        answer_remark(answer, "This answer could not be kept: asking again "
                              "will cost again.");
}

/* Packs the answer so that curator_store_answer can store it later; without
   memory it will not be stored. */
static void
prepare_keeping(const struct policy *policy, const struct answer_keys *keys,
                struct answer *answer)
{
    struct answer_to_store *k = arena_take(answer->arena, 1, sizeof *k);
    struct buf b;

    if (!k)
        return;
    buf_init(&b, NULL, KEEP_BYTES_MAX);
    answer_pack(answer, &b);
    k->bytes.ptr =
        b.failed ? NULL : arena_copy(answer->arena, (str){b.ptr, b.len});
    k->bytes.len = b.len;
    buf_clear(&b);
    k->retention = retention_of(policy);
    k->is_shared = policy->share_answers;
    memcpy(k->own, keys->own, sizeof k->own);
    memcpy(k->shared, keys->shared, sizeof k->shared);
    answer->kept = k->bytes.ptr ? k : NULL;
}

void
course_keep(struct curator *c, const struct answer_keys *keys,
            enum keeping when, struct answer *answer)
{
    const struct policy *policy = c->snapshot->policy;
    custos_err quiet = CUSTOS_ERR_INIT;

    if (when == KEEP_LATER) {
        prepare_keeping(policy, keys, answer);
        return;
    }
    /* If this fails, the next asker is charged in full, which is safe. */
    if (policy->share_answers)
        (void)!answer_store(c->shared->writer, keys->shared, answer, policy,
                            &quiet);
    course_keep_own(c, keys, answer);
}

void
curator_store_answer(struct curator *c, struct answer *answer)
{
    const struct answer_to_store *k = answer->kept;
    custos_err quiet = CUSTOS_ERR_INIT;

    if (!k)
        return;
    if (k->is_shared)
        (void)!ledger_writer_store(c->shared->writer, k->shared,
                                   &answer->receipt, k->bytes, &k->retention,
                                   &quiet);
    (void)!ledger_writer_store(c->shared->writer, k->own, &answer->receipt,
                               k->bytes, &k->retention, &quiet);
    answer->kept = NULL;
}
