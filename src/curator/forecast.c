#include "curator/forecast.h"

#include <string.h>

#include "base/error.h"
#include "curator/answer.h"
#include "curator/shared_state.h"
#include "curator/key.h"
#include "curator/reply.h"
#include "plan/explain/useful.h"

enum { USEFUL_BYTES = 1 << 20 };

/* The time until the reply; 0: not known. Without fixed reply times
   (ask->admit), known only if the speeds were measured. */
static int64_t
forecast_time(const struct curator *c, const struct ask *ask,
              const struct plan *p)
{
    int64_t us = p->is_public || !(ask->admit || c->snapshot->measured)
                     ? INT64_MAX
                     : reply_class_of(c, p);

    return us >= INT64_MAX - ask->allowance_us ? 0 : us + ask->allowance_us;
}

/*
 * THEOREM  forecast-is-free
 *   A forecast for a question is a function of query, policy, budgets and the
 *   answers that were given to the analyst: it reads no data, and says about
 *   others only what the common budget does.
 * SOURCE   Dwork, Roth 2014, proposition 2.1, for the answers; left-after for
 *          the budgets, which follow from charges, all of them public facts.
 * NEEDS    the key of own answers names the analyst (stored-answer); shared
 *          answers are not looked for.
 * GIVES    whether the question is free, what remains after it, rounded down,
 *          and the time of its reply (plan/cost/reply_class.h).
 * FAILS    cannot: if a look-up fails, it reports "not stored" or "cannot pay".
 * TESTED   explain_tells_what_is_stored explain_tells_nothing_of_others
 *          explain_tells_what_is_left_after
 */
void
forecast_make(struct curator *c, const struct ask *ask, const struct query *q,
              const struct plan *p, struct forecast *out)
{
    struct query asked = *q;
    struct answer *given = NULL;
    struct answer_keys keys;
    custos_err quiet = CUSTOS_ERR_INIT;

    asked.explain = false;
    if (!p->is_public && !answer_keys_make(c, ask, &asked, p, &keys, &quiet)) {
        ledger_writer_settle(c->shared->writer, keys.own);
        out->stored = !answer_find(c->ledger, keys.own, &given, &quiet);
        answer_free(given);
    }
    out->reply_us = out->stored ? 0 : forecast_time(c, ask, p);
    out->can_pay = !ledger_remaining(
        c->ledger, ask->who, ask->now,
        out->stored || p->is_public ? NULL : &p->charge, &out->after, &quiet);
}

/* Adds sentences, one a line, each with `mark` before it. */
static void
write_lines(const char *const *list, size_t n, const char *mark,
            struct buf *out)
{
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "%s%s\n", mark, list[i]);
}

void
forecast_write(const struct plan *p, struct buf *out)
{
    arena *a = arena_new(NULL, USEFUL_BYTES);
    struct useful u;

    if (a && plan_useful(a, p, &u)) {
        write_lines(u.expected, u.n_expected, "expect     ", out);
        write_lines(u.warnings, u.n_warnings, "warning    ", out);
    }
    arena_free(a);
}

static str
keep_lines(arena *a, const char *const *list, size_t n)
{
    struct buf b;
    str out = {"", 0};

    buf_init(&b, NULL, USEFUL_BYTES);
    write_lines(list, n, "", &b);
    if (!b.failed && b.len > 0) {
        out.ptr = arena_copy(a, (str){b.ptr, b.len});
        out.len = out.ptr ? b.len : 0;
    }
    buf_clear(&b);
    return out;
}

void
forecast_add(const struct plan *p, struct answer *out)
{
    arena *a = arena_new(NULL, USEFUL_BYTES);
    struct useful u;

    if (a && plan_useful(a, p, &u)) {
        out->expected = keep_lines(out->arena, u.expected, u.n_expected);
        out->warnings = keep_lines(out->arena, u.warnings, u.n_warnings);
    }
    arena_free(a);
}

custos_status
forecast_check(const struct ask *ask, const struct plan *p, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    struct useful u;
    arena *a;
    str all;

    if (!ask->warned)
        return CUSTOS_OK;
    a = arena_new(NULL, USEFUL_BYTES);
    if (a && plan_useful(a, p, &u)) {
        all = keep_lines(a, u.warnings, u.n_warnings);
        if (all.len > 0)
            st = ask->warned(ask->warned_ctx, all, err);
    } else {
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    arena_free(a);
    return st;
}

custos_status
ask_reject_warned(void *ctx, str warnings, custos_err *err)
{
    const char *end = memchr(warnings.ptr, '\n', warnings.len);

    (void)ctx;
    return custos_fail(err, CUSTOS_EINVAL,
                       "%.*s" HINT
                       "nothing was charged: change the query, or ask it "
                       "without being cautious",
                       (int)(end ? end - warnings.ptr : 0), warnings.ptr);
}
