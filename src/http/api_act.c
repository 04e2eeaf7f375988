/*
 * Acts of the owner by HTTP: adding, changing and revoking credentials of
 * analysts, and putting the store's policy and data in force. Each act adds a
 * row to the chain, by the same code as for `custos analyst` and the owner's
 * socket. Secrets appear in the reply and nowhere else.
 */
#include <inttypes.h>

#include "base/base.h"
#include "base/error.h"
#include "curator/owner.h"
#include "http/api_owner.h"
#include "serve/clock.h"
#include "serve/credentials.h"
#include "serve/log.h"
#include "wire/http.h"
#include "wire/json.h"

static void
log_act(const char *act, str name, const struct receipt *r)
{
    struct log_line l;

    log_begin(&l, "act");
    log_text(&l, "by", str_of("http"));
    log_text(&l, "act", str_of(act));
    log_text(&l, "name", name);
    log_int(&l, "row", (int64_t)r->seq);
    log_end(&l, LOG_FD);
}

/*
 * Writes the credentials, which are shown only here; after a revoke g is empty.
 * The secrets are added last, in one call: if the body grew after them, it
 * would leave copies of them in freed memory.
 */
static void
write_credentials(struct http_reply *out, str name, const struct credentials *g,
                  const struct receipt *r)
{
    char receipt[RECEIPT_TEXT_MAX];
    struct buf *b = &out->body;

    receipt_write(r, receipt);
    out->secret = true;
    buf_add_text(b, "{\"name\":");
    json_add_text(b, name);
    buf_printf(b, ",\"receipt\":\"%s\"", receipt);
    if (*g->token)
        buf_printf(b, ",\"password\":\"%s\",\"token\":\"%s\"}\n", g->password,
                   g->token);
    else
        buf_add_text(b, ",\"password\":null,\"token\":null}\n");
}

custos_status
api_owner_act(const struct api_call *call, struct http_reply *out,
              custos_err *err)
{
    static const char *const words[] = {
        [HTTP_ACT_ADD] = "add",
        [HTTP_ACT_ROTATE] = "rotate",
        [HTTP_ACT_REVOKE] = "revoke",
    };
    struct ledger *l = curator_ledger(call->c);
    struct credentials given = {.token = ""};
    struct http_act act;
    struct receipt r;
    custos_status st = http_act_read(call->a, call->request->body, &act, err);

    if (st) {
        err->at = -1;
        return st;
    }
    if (act.kind == HTTP_ACT_REVOKE)
        st = credential_revoke(l, act.name, wall_us(), &r, err);
    else
        st = credentials_give(l, act.name,
                              act.kind == HTTP_ACT_ADD ? CREDENTIAL_NEW
                                                       : CREDENTIAL_AGAIN,
                              &given, wall_us(), &r, err);
    if (!st && act.kind != HTTP_ACT_ADD)
        owner_cut(curator_path(call->c), act.name);
    if (!st) {
        log_act(words[act.kind], act.name, &r);
        write_credentials(out, act.name, &given, &r);
    }
    wipe(&given, sizeof given);
    return st;
}

custos_status
api_owner_reload(const struct api_call *call, struct http_reply *out,
                 custos_err *err)
{
    custos_status st = http_nothing_read(call->a, call->request->body, err);
    str rest;

    if (st) {
        err->at = -1;
        return st;
    }
    st = api_owner_ask(call, "reload", &rest, err);
    if (st)
        return st;
    log_say("reload", "policy and data of the store are in force");
    buf_add_text(&out->body, "{\"said\":\"Policy and data of the store are in "
                             "force.\"");
    buf_add(&out->body, rest.ptr, rest.len);
    return CUSTOS_OK;
}
