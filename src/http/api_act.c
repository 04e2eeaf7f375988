/*
 * Acts of the owner by HTTP: adding, changing and revoking credentials of
 * analysts, and putting the store's policy and data in force. Each act adds a
 * row to the chain, by the same code as for `custos analyst` and the owner's
 * socket. Secrets appear in the reply and nowhere else.
 */
#include "base/base.h"
#include "base/error.h"
#include "contract/contract.h"
#include "curator/owner.h"
#include "http/api_owner.h"
#include "serve/clock.h"
#include "serve/credentials.h"
#include "serve/log.h"
#include "wire/http.h"

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

/* Writes the credentials, which are shown only here; after a revoke g is empty. */
static void
write_credentials(struct http_reply *out, str name, const struct credentials *g,
                  const struct receipt *r)
{
    struct json j;

    json_init(&j, &out->body, JSON_ONE_LINE);
    json_begin(&j, NULL);
    contract_secrets(&j,
                     &(struct contract_secrets){
                         .name = name,
                         .password = str_of(g->password),
                         .token = str_of(g->token),
                         .expires = g->expires,
                     },
                     r);
    json_end(&j);
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
    const struct json_value *v;
    struct json_value reply;
    struct json j;

    if (st) {
        err->at = -1;
        return st;
    }
    st = api_owner_ask(call, "reload", &reply, err);
    if (st)
        return st;
    log_say("reload", "policy and data of the store are in force");
    json_init(&j, &out->body, JSON_ONE_LINE);
    json_begin(&j, NULL);
    json_add_text(&j, "said",
                  str_of("Policy and data of the store are in force."));
    for (size_t i = 0; i < reply.n; i++) {
        v = &reply.items[i];
        if (!str_equal(v->name, str_of("ok")))
            json_add_value(&j, v->name.ptr, v);
    }
    json_end(&j);
    return CUSTOS_OK;
}
