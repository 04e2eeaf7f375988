#include "cli/owner_token.h"

#include <unistd.h>

#include "base/base.h"
#include "cli/at_ledger.h"
#include "cli/at_store.h"
#include "cli/cli.h"
#include "cli/duration.h"
#include "cli/out.h"

/* Sets a new token and ends all others. */
static custos_status
replace_tokens(struct ledger *l, str token, int64_t expires, struct receipt *r,
               custos_err *err)
{
    str none = str_of("");
    custos_status st = credential_set(l, none, CREDENTIAL_NEW, none, token,
                                      expires, clock_us(), r, err);

    if (st == CUSTOS_EINVAL)
        st = credential_set(l, none, CREDENTIAL_AGAIN, none, token, expires,
                            clock_us(), r, err);
    return st;
}

static custos_status
issue_token(struct ledger *l, const struct owner_token_act *act,
            int64_t expires, int64_t grace, char token[CREDENTIAL_TOKEN_MAX],
            struct receipt *r, custos_err *err)
{
    custos_status st = credential_token_new(token, err);

    if (st)
        return st;
    if (act->access == CREDENTIAL_FULL && !act->rotate)
        return replace_tokens(l, str_of(token), expires, r, err);
    return credential_token_add(l, str_of(""), act->access, str_of(token),
                                expires, grace ? clock_us() + grace : 0,
                                clock_us(), r, err);
}

static custos_status
end_tokens(struct ledger *l, const struct owner_token_act *act,
           struct receipt *r, custos_err *err)
{
    if (act->access == CREDENTIAL_FULL && act->revoke)
        return credential_revoke(l, str_of(""), clock_us(), r, err);
    return credential_tokens_end(l, str_of(""), act->access, clock_us(), r,
                                 err);
}

static int
print_result(const struct owner_token_act *act, const char *token,
             const struct receipt *r)
{
    char receipt[RECEIPT_TEXT_MAX];
    static struct out o;
    int code;

    receipt_write(r, receipt);
    out_init(&o, STDOUT_FILENO);
    if (*token)
        out_printf(&o,
                   "token     %s\nThis is shown only once: the store keeps its "
                   "hash. Receipt %s\n",
                   token, receipt);
    else if (act->revoke)
        out_printf(&o, "%s. Receipt %s\n",
                   act->access == CREDENTIAL_FULL
                       ? "the owner's tokens are revoked"
                       : "the metrics tokens are revoked",
                   receipt);
    else
        out_printf(&o, "the old token has ended. Receipt %s\n", receipt);
    code = out_end(&o);
    wipe(&o, sizeof o);
    return code;
}

int
owner_token_do(const char *store, const struct owner_token_act *act)
{
    char token[CREDENTIAL_TOKEN_MAX] = "";
    int64_t expires, grace;
    bool expired;
    struct ledger *l = NULL;
    struct receipt r;
    custos_status st;
    custos_err err = CUSTOS_ERR_INIT;
    int code = duration_read(act->expires, "expires", &expires);

    if (!code)
        code = duration_read(act->grace, "grace", &grace);
    if (!code && act->revoke + act->rotate + act->end_old > 1)
        code = fail_usage("--rotate, --end-old and --revoke exclude each "
                          "other");
    if (!code)
        code = ledger_at(store, &l);
    if (code)
        return code;
    if (expires)
        expires += clock_us();
    expired =
        token_expires(l, str_of(""),
                      act->access == CREDENTIAL_FULL ? LEDGER_ACCESS_FULL
                                                     : LEDGER_ACCESS_METRICS);
    st = act->revoke || act->end_old
             ? end_tokens(l, act, &r, &err)
             : issue_token(l, act, expires, grace, token, &r, &err);
    ledger_close(l);
    code = st ? fail_status(st, &err) : print_result(act, token, &r);
    if (!code && *token && expired && !expires)
        print_warning("the new token never expires, unlike the old one" HINT
                      "to set an end, issue another with --expires, as in "
                      "--expires 90d");
    wipe(token, sizeof token);
    return code;
}
