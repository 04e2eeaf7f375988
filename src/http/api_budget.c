/*
 * Reports budgets, and what is spent and remaining: to an analyst their own, to
 * the owner those of the store and of every analyst.
 */
#include "http/api.h"

#include "base/error.h"
#include "contract/contract.h"

enum { TERMS_BYTES = 1 << 26 };

void
api_budget(struct curator *c, str who, int64_t now, struct http_reply *out)
{
    arena *a = arena_new(NULL, TERMS_BYTES);
    struct json j;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = CUSTOS_OK;

    if (!a)
        st = custos_fail(&err, CUSTOS_ENOMEM, "out of memory");
    json_init(&j, &out->body, JSON_LINES);
    json_begin(&j, NULL);
    if (!st)
        st = contract_budget(&j, curator_ledger(c), who,
                             who.len ? READER_ANALYST : READER_OWNER, now, a,
                             &err);
    json_end(&j);
    if (!st && out->body.failed)
        st = custos_fail(&err, CUSTOS_ENOMEM, "out of memory");
    if (st)
        http_refuse(out, &err, str_of(""));
    arena_free(a);
}
