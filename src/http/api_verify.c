/*
 * Reports whether the chain is intact. Only the owner sees how long it is and
 * which row is wrong, since these would show an analyst how much others ask.
 */
#include <inttypes.h>
#include <stdio.h>

#include "contract/contract.h"
#include "http/api.h"
#include "serve/clock.h"

enum { SAID_MAX = 640 };

static void
report_owner(const struct verified_facts *f, char said[SAID_MAX])
{
    int n = 0;

    if (!f->ok)
        snprintf(said, SAID_MAX, "%s", f->said);
    else if (!f->ago_us)
        snprintf(said, SAID_MAX,
                 "All %" PRIu64 " rows were hashed again now, every balance "
                 "was computed again from its charges, and every stored "
                 "answer was checked.",
                 f->all);
    else
        n = snprintf(said, SAID_MAX,
                     "%" PRId64 " s ago, all %" PRIu64
                     " rows that existed then were verified, with every "
                     "balance and stored answer; ",
                     f->ago_us / 1000000, f->all);
    if (n > 0 && n < SAID_MAX)
        snprintf(said + n, SAID_MAX - (size_t)n,
                 "the %" PRIu64 " rows added since follow from them.",
                 f->head.seq - f->all);
}

static const char *
for_analyst(bool ok)
{
    return ok ? "The chain is intact: every row has the hash that follows from "
                "its content and from the row before. New rows are verified "
                "once and all rows again from time to time, not on every "
                "request."
              : "The chain is damaged. Tell the owner: custos ledger verify "
                "names the row.";
}

void
api_verify(struct verified *v, struct curator *c, str who,
           struct http_reply *out)
{
    char said[SAID_MAX];
    struct verified_facts f;
    struct json j;
    custos_err err = CUSTOS_ERR_INIT;

    if (verified_look(v, curator_ledger(c), steady_us, &f, &err)) {
        if (err.code == CUSTOS_EBUSY)
            http_header(out, "Retry-After", "1");
        http_refuse(out, &err, str_of(""));
        return;
    }
    report_owner(&f, said);
    json_init(&j, &out->body, JSON_ONE_LINE);
    json_begin(&j, NULL);
    contract_verified(&j, f.ok, who.len || !f.ok ? NULL : &f.head,
                      str_of(who.len ? for_analyst(f.ok) : said));
    json_end(&j);
}
