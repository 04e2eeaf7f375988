/*
 * THEOREM  doors-in-the-chain
 *   Who may log in changes only together with a row of the chain that says so,
 *   and the row holds nothing of a password or a token.
 * SOURCE   one transaction (ledger-durable-first); the row contains only the
 *          name, as the code below shows.
 * NEEDS    SHA-256 is one-way on 256 random bits; a SCRAM verifier does not let
 *          its holder log in (RFC 5802, section 9).
 * GIVES    after a crash credential and row both exist or neither does; someone
 *          who reads the store's ledger cannot log in with what they find.
 * FAILS    CUSTOS_ENAME, CUSTOS_EINVAL: nothing is written. Also as a charge
 *          does.
 * TESTED   credentials_and_rows_are_one credentials_survive_a_power_cut
 *          credentials_leave_no_secret_in_the_chain tokens_and_rows_are_one
 */
#include "ledger/credentials.h"

#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "ledger/inside.h"

/* Columns: name, seq, verifier, expires. False: malformed. */
static bool
credential_read(struct query *q, struct ledger_credential *out)
{
    str name = query_bytes(q, 0), verifier = query_bytes(q, 2);

    memset(out, 0, sizeof *out);
    if (name.len >= sizeof out->name || verifier.len >= sizeof out->verifier)
        return false;
    memcpy(out->name, name.ptr, name.len);
    memcpy(out->verifier, verifier.ptr, verifier.len);
    out->seq = (uint64_t)query_int(q, 1);
    out->expires = query_int(q, 3);
    return true;
}

/* Columns: hash, name, access, seq, expires. */
static bool
token_read(struct query *q, struct ledger_token *out)
{
    str name = query_bytes(q, 1);
    int64_t access = query_int(q, 2);

    memset(out, 0, sizeof *out);
    if (name.len >= sizeof out->name ||
        !query_fixed(q, 0, out->hash, sizeof out->hash) ||
        (access != LEDGER_ACCESS_FULL && access != LEDGER_ACCESS_METRICS))
        return false;
    memcpy(out->name, name.ptr, name.len);
    out->access = (enum ledger_access)access;
    out->seq = (uint64_t)query_int(q, 3);
    out->expires = query_int(q, 4);
    return true;
}

static custos_status
fail_damage(custos_err *err)
{
    return custos_fail(err, CUSTOS_ECORRUPT,
                       "the ledger is damaged: a credential is malformed" HINT
                       "restore a backup");
}

/* Ends a query of at most one row. Fails with CUSTOS_ENAME if there was none,
   and with CUSTOS_ECORRUPT if it was malformed. */
static custos_status
discovered_one(struct query *q, bool found, bool whole, custos_err *err)
{
    custos_status st = query_end(q, err);

    if (st)
        return st;
    if (!whole)
        return fail_damage(err);
    return found ? CUSTOS_OK
                 : custos_fail(err, CUSTOS_ENAME, "no such credential");
}

custos_status
credentials_find_name(struct db *d, str name, struct ledger_credential *out,
                      custos_err *err)
{
    struct query q;
    bool found;

    query_begin(
        &q, d, "SELECT name, seq, verifier, expires FROM doors WHERE name = ?");
    query_put_text(&q, name);
    found = query_next(&q);
    return discovered_one(&q, found, !found || credential_read(&q, out), err);
}

custos_status
credentials_check_name(struct ledger *l, str name, custos_err *err)
{
    custos_status st = name.len ? ledger_terms_now(l, err) : CUSTOS_OK;
    size_t ignored;

    if (!st && name.len)
        st = terms_find(l->terms, name, &ignored, err);
    return st;
}

/* ------------------------------------------------------------- looking up -- */

struct look {
    str name;
    const uint8_t *hash; /* or NULL: by name, access and seq */
    enum ledger_access access;
    uint64_t seq;
    struct ledger_credential *credential;
    struct ledger_token *token;
};

static custos_status
step_credential(struct ledger *l, void *arg, custos_err *err)
{
    struct look *look = arg;
    custos_status st =
        credentials_find_name(l->db, look->name, look->credential, err);

    return st ? st : credentials_check_name(l, look->name, err);
}

static custos_status
step_token(struct ledger *l, void *arg, custos_err *err)
{
    struct look *look = arg;
    struct query q;
    custos_status st;
    bool found;

    if (look->hash) {
        query_begin(&q, l->db,
                    "SELECT hash, name, access, seq, expires FROM tokens"
                    " WHERE hash = ?");
        query_put_bytes(&q, look->hash, LEDGER_TOKEN_BYTES);
    } else {
        query_begin(&q, l->db,
                    "SELECT hash, name, access, seq, expires FROM tokens"
                    " WHERE name = ? AND access = ? AND seq = ?");
        query_put_text(&q, look->name);
        query_put_int(&q, look->access);
        query_put_int(&q, (int64_t)look->seq);
    }
    found = query_next(&q);
    st = discovered_one(&q, found, !found || token_read(&q, look->token), err);
    return st ? st : credentials_check_name(l, str_of(look->token->name), err);
}

custos_status
ledger_credential_find(struct ledger *l, str name,
                       struct ledger_credential *out, custos_err *err)
{
    struct look look = {.name = name, .credential = out};

    return ledger_read(l, step_credential, &look, err);
}

custos_status
ledger_token_find(struct ledger *l, const uint8_t hash[LEDGER_TOKEN_BYTES],
                  struct ledger_token *out, custos_err *err)
{
    struct look look = {.hash = hash, .token = out};

    return ledger_read(l, step_token, &look, err);
}

custos_status
ledger_token_of_row(struct ledger *l, str name, enum ledger_access access,
                    uint64_t seq, struct ledger_token *out, custos_err *err)
{
    struct look look = {
        .name = name, .access = access, .seq = seq, .token = out};

    return ledger_read(l, step_token, &look, err);
}

struct revoked {
    str name;
    bool found;
};

static custos_status
step_revoked(struct ledger *l, void *arg, custos_err *err)
{
    struct revoked *r = arg;
    struct query q;

    query_begin(&q, l->db,
                "SELECT 1 FROM chain WHERE kind = 'revoke' AND who = 'owner'"
                " AND words = ? LIMIT 1");
    query_put_text(&q, r->name);
    r->found = query_next(&q);
    return query_end(&q, err);
}

custos_status
ledger_was_revoked(struct ledger *l, str name, bool *out, custos_err *err)
{
    struct revoked r = {.name = name};
    custos_status st = ledger_read(l, step_revoked, &r, err);

    if (!st)
        *out = r.found;
    return st;
}

struct list {
    arena *a;
    struct ledger_credential *credentials;
    struct ledger_token *tokens;
    size_t n;
};

static custos_status
count_rows(struct db *d, const char *sql, size_t *out, custos_err *err)
{
    struct query q;

    query_begin(&q, d, sql);
    *out = query_next(&q) ? (size_t)query_int(&q, 0) : 0;
    return query_end(&q, err);
}

static custos_status
step_credentials(struct ledger *l, void *arg, custos_err *err)
{
    struct list *list = arg;
    size_t room = 0;
    struct query q;
    bool whole = true;
    custos_status st =
        count_rows(l->db, "SELECT count(*) FROM doors", &room, err);

    if (st)
        return st;
    list->credentials =
        arena_take(list->a, room + 1, sizeof *list->credentials);
    if (!list->credentials)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    query_begin(&q, l->db,
                "SELECT name, seq, verifier, expires FROM doors ORDER BY name");
    while (whole && list->n < room && query_next(&q))
        whole = credential_read(&q, &list->credentials[list->n++]);
    st = query_end(&q, err);
    return st || whole ? st : fail_damage(err);
}

static custos_status
step_tokens(struct ledger *l, void *arg, custos_err *err)
{
    struct list *list = arg;
    size_t room = 0;
    struct query q;
    bool whole = true;
    custos_status st =
        count_rows(l->db, "SELECT count(*) FROM tokens", &room, err);

    if (st)
        return st;
    list->tokens = arena_take(list->a, room + 1, sizeof *list->tokens);
    if (!list->tokens)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    query_begin(&q, l->db,
                "SELECT hash, name, access, seq, expires FROM tokens"
                " ORDER BY name, access, seq DESC");
    while (whole && list->n < room && query_next(&q))
        whole = token_read(&q, &list->tokens[list->n++]);
    st = query_end(&q, err);
    return st || whole ? st : fail_damage(err);
}

custos_status
ledger_credentials(struct ledger *l, arena *a, struct ledger_credential **out,
                   size_t *n, custos_err *err)
{
    struct list list = {.a = a};
    custos_status st = ledger_read(l, step_credentials, &list, err);

    if (!st) {
        *out = list.credentials;
        *n = list.n;
    }
    return st;
}

custos_status
ledger_tokens(struct ledger *l, arena *a, struct ledger_token **out, size_t *n,
              custos_err *err)
{
    struct list list = {.a = a};
    custos_status st = ledger_read(l, step_tokens, &list, err);

    if (!st) {
        *out = list.tokens;
        *n = list.n;
    }
    return st;
}
