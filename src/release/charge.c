/* What is asked of the ledger for a release. */
#include "release/charge.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "curator/shared_state.h"
#include "curator/tripwire.h"
#include "sql/print.h"

#define COMMON                                                                 \
    " release-within-budget release-price rows-are-bounded release-steps"
#define TABLES "residual-marginals"
#define CHOSEN "marginal-price selection-price"

enum { QUERY_MAX = 1 << 20, PLAN_TEXT_MAX = 1 << 16 };

str
release_theorems(const struct release *r)
{
    const bool ranged = r->ranges.n > 0;

    if (r->method.is == METHOD_TABLES)
        return str_of(ranged ? TABLES COMMON " running-sums" : TABLES COMMON);
    return str_of(ranged ? CHOSEN COMMON " running-sums" : CHOSEN COMMON);
}

/* What is asked of the ledger, with its texts. */
struct request {
    struct ledger_request r;
    struct buf query, plan;
};

/* What the ledger keeps of the request, for people. */
static void
write_request(const struct release *r, struct buf *query, struct buf *plan)
{
    buf_add_text(query, "RELEASE ");
    print_name(r->schema->table, query);
    buf_add_text(query, " (");
    for (size_t i = 0; i < r->schema->n; i++) {
        buf_add_text(query, i ? ", " : "");
        print_name(r->schema->columns[i].name, query);
    }
    buf_add_text(query, ")");
    buf_printf(plan,
               "release    %zu columns, %zu tables asked for, by %s\n"
               "price      rho %s",
               r->schema->n, r->method.workload.n, method_name(r->method.is),
               r->price.rho_text);
    if (strcmp(r->price.delta, "0") != 0)
        buf_printf(plan, ", from epsilon %s at delta %s", r->price.epsilon,
                   r->price.delta);
    buf_printf(plan, "\nunit       %.*s, at most %" PRIu64 " rows count\n",
               (int)r->plan->unit.len, r->plan->unit.ptr, r->plan->rows);
}

/* Cleared by request_clear, also after a failure. */
static custos_status
request_make(struct curator *c, const struct release *r, int64_t now,
             struct request *out, custos_err *err)
{
    const struct policy *policy = curator_policy(c);

    buf_init(&out->query, NULL, QUERY_MAX);
    buf_init(&out->plan, NULL, PLAN_TEXT_MAX);
    write_request(r, &out->query, &out->plan);
    if (out->query.failed || out->plan.failed)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    out->r = (struct ledger_request){
        .query = str_of(buf_text(&out->query)),
        .plan = str_of(buf_text(&out->plan)),
        .theorems = release_theorems(r),
        .charge = &r->price.charge,
        .data_version = engine_version(c->engine),
        .now = now,
        .max_failures = policy->max_failures,
        .max_overruns = policy->max_overruns,
        .max_bytes = policy->ledger_bytes,
        .max_minute_bytes = policy->ledger_minute_bytes,
    };
    memcpy(out->r.policy, policy->id, sizeof out->r.policy);
    return CUSTOS_OK;
}

static void
request_clear(struct request *r)
{
    buf_clear(&r->query);
    buf_clear(&r->plan);
}

custos_status
release_charge_check(struct curator *c, const struct release *r, int64_t now,
                     custos_err *err)
{
    struct request request;
    custos_status st = request_make(c, r, now, &request, err);

    if (!st)
        st = ledger_check_charge(curator_ledger(c), &request.r, err);
    request_clear(&request);
    return st;
}

custos_status
release_charge(struct curator *c, const struct release *r, int64_t now,
               struct receipt *receipt, custos_err *err)
{
    struct request request;
    custos_status st = request_make(c, r, now, &request, err);

    if (!st)
        st = tripwire_ready(c, now, err);
    if (!st)
        st = ledger_writer_charge(c->shared->writer, &request.r, receipt, err);
    tripwire_refused(c, st, err);
    request_clear(&request);
    return st;
}
