/* Analysts and their credentials. */
#include "contract/inside.h"

/* Have the password and all tokens expired? */
static bool
is_expired(const struct credential_info *c, int64_t now)
{
    bool over = !c->password || credential_is_expired(c->expires, now);

    for (size_t i = 0; i < c->n_tokens; i++)
        over = over && credential_is_expired(c->tokens[i].expires, now);
    return over;
}

const char *
contract_analyst_state(const struct credential_info *c, int64_t now)
{
    return !c->known            ? "not in the policy"
           : c->revoked         ? "revoked"
           : !c->seq            ? "no password yet"
           : is_expired(c, now) ? "expired"
                                : "can log in";
}

custos_status
contract_since(struct json *j, struct ledger *l, uint64_t seq, arena *a,
               custos_err *err)
{
    struct ledger_row *rows = NULL;
    size_t n = 1;
    custos_status st = CUSTOS_OK;

    if (seq)
        st = ledger_rows(l, seq, str_of(""), str_of(""), a, &rows, &n, err);
    if (!st)
        json_add_moment(j, "since",
                        rows && n && rows->seq == seq ? rows->time : 0);
    return st;
}

static custos_status
add_budget(struct json *j, struct ledger *l, const struct ledger_terms *t,
           str name, int64_t now, custos_err *err)
{
    for (size_t i = 0; i < t->n_analysts; i++)
        if (str_equal(t->analysts[i].name, name))
            return contract_analyst_budget(j, "budget", l, &t->analysts[i], now,
                                           err);
    json_add_null(j, "budget");
    return CUSTOS_OK;
}

static void
add_tokens(struct json *j, const struct credential_info *c)
{
    json_begin_list(j, "tokens");
    for (size_t i = 0; i < c->n_tokens; i++) {
        json_begin(j, NULL);
        json_add_count(j, "row", c->tokens[i].seq);
        json_add_moment(j, "expires", c->tokens[i].expires);
        json_end(j);
    }
    json_end(j);
}

static custos_status
add_analyst(struct json *j, struct ledger *l, const struct ledger_terms *terms,
            const struct credential_info *c, int64_t now, arena *a,
            custos_err *err)
{
    custos_status st;

    json_begin(j, NULL);
    json_add_text(j, "name", c->name);
    json_add_text(j, "state", str_of(contract_analyst_state(c, now)));
    json_add_bool(j, "password", c->password);
    json_add_bool(j, "token", c->token);
    json_add_moment(j, "password_expires", c->expires);
    add_tokens(j, c);
    if (c->seq)
        json_add_count(j, "row", c->seq);
    else
        json_add_null(j, "row");
    st = contract_since(j, l, c->seq, a, err);
    if (!st)
        st = add_budget(j, l, terms, c->name, now, err);
    json_end(j);
    return st;
}

custos_status
contract_analysts(struct json *j, struct ledger *l, int64_t now, arena *a,
                  custos_err *err)
{
    struct credential_info *credentials = NULL;
    struct ledger_terms terms;
    size_t n = 0;
    custos_status st = ledger_terms_get(l, a, &terms, err);

    if (!st)
        st = credential_list(l, a, &credentials, &n, err);
    json_begin_list(j, "analysts");
    for (size_t i = 0; !st && i < n; i++)
        st = add_analyst(j, l, &terms, &credentials[i], now, a, err);
    json_end(j);
    return st;
}

void
contract_secrets(struct json *j, const struct contract_secrets *s,
                 const struct receipt *r)
{
    json_add_text(j, "name", s->name);
    json_add_text_or_null(j, "password", s->password);
    json_add_text_or_null(j, "token", s->token);
    json_add_moment(j, "expires", s->expires);
    contract_receipt(j, "receipt", r);
}
