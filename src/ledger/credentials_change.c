/*
 * Changes of credentials. Each is one transaction with its row, which holds the
 * name and nothing secret. See credentials.c.
 */
#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "ledger/credentials.h"
#include "ledger/inside.h"

static const char OWNER[] = "owner";
static const char METRICS[] = "metrics";

struct change {
    const struct ledger_credential *credential;
    const struct ledger_token *token;
    enum ledger_credential_how how;
    int64_t old_until; /* when the token before it ends; 0: unchanged */
    size_t keep;
    struct ledger_row row;
};

static const char *
name_shown(const char *name, enum ledger_access access)
{
    return access == LEDGER_ACCESS_METRICS ? METRICS : *name ? name : OWNER;
}

static custos_status
run_query(struct query *q, custos_err *err)
{
    while (query_next(q))
        ;
    return query_end(q, err);
}

/* ------------------------------------------------------------------ tokens -- */

static custos_status
insert_token(struct db *d, const struct ledger_token *t, uint64_t seq,
             custos_err *err)
{
    struct query q;

    query_begin(&q, d,
                "INSERT INTO tokens (hash, name, access, seq, expires)"
                " VALUES (?, ?, ?, ?, ?)");
    query_put_bytes(&q, t->hash, sizeof t->hash);
    query_put_text(&q, str_of(t->name));
    query_put_int(&q, t->access);
    query_put_int(&q, (int64_t)seq);
    query_put_int(&q, t->expires);
    return run_query(&q, err);
}

/* Deletes all tokens of a name and access except the newest `keep`. */
static custos_status
delete_tokens(struct db *d, const struct ledger_token *of, size_t keep,
              custos_err *err)
{
    struct query q;

    query_begin(&q, d,
                "DELETE FROM tokens WHERE name = ?1 AND access = ?2 AND"
                " hash NOT IN (SELECT hash FROM tokens WHERE name = ?1 AND"
                " access = ?2 ORDER BY seq DESC LIMIT ?3)");
    query_put_text(&q, str_of(of->name));
    query_put_int(&q, of->access);
    query_put_int(&q, (int64_t)keep);
    return run_query(&q, err);
}

static custos_status
count_tokens(struct db *d, const struct ledger_token *of, size_t *out,
             custos_err *err)
{
    struct query q;

    query_begin(&q, d,
                "SELECT count(*) FROM tokens WHERE name = ? AND access = ?");
    query_put_text(&q, str_of(of->name));
    query_put_int(&q, of->access);
    *out = query_next(&q) ? (size_t)query_int(&q, 0) : 0;
    return query_end(&q, err);
}

/* Makes tokens expire at `until`, unless they expire earlier. */
static custos_status
limit_tokens(struct db *d, const struct ledger_token *of, int64_t until,
             custos_err *err)
{
    struct query q;

    query_begin(&q, d,
                "UPDATE tokens SET expires = ?3 WHERE name = ?1 AND"
                " access = ?2 AND (expires = 0 OR expires > ?3)");
    query_put_text(&q, str_of(of->name));
    query_put_int(&q, of->access);
    query_put_int(&q, until);
    return run_query(&q, err);
}

static custos_status
step_token_put(struct ledger *l, void *arg, custos_err *err)
{
    struct change *c = arg;
    const struct ledger_token *t = c->token;
    struct ledger_credential credential;
    custos_status st = CUSTOS_OK;

    if (t->access == LEDGER_ACCESS_FULL) {
        st = credentials_check_name(l, str_of(t->name), err);
        if (!st)
            st =
                credentials_find_name(l->db, str_of(t->name), &credential, err);
        if (st == CUSTOS_ENAME)
            return custos_fail(err, CUSTOS_ENAME,
                               "%.60s has no password and no token yet",
                               name_shown(t->name, t->access));
    }
    if (!st)
        st = ledger_append(l, &c->row, NULL, NULL, err);
    if (!st)
        st = delete_tokens(l->db, t, LEDGER_TOKENS_MAX - 1, err);
    if (!st && c->old_until)
        st = limit_tokens(l->db, t, c->old_until, err);
    return st ? st : insert_token(l->db, t, c->row.seq, err);
}

static custos_status
step_tokens_end(struct ledger *l, void *arg, custos_err *err)
{
    struct change *c = arg;
    size_t n = 0;
    custos_status st = count_tokens(l->db, c->token, &n, err);

    if (st)
        return st;
    if (n <= c->keep)
        return custos_fail(err, CUSTOS_ENAME, "%.60s has no %stoken",
                           name_shown(c->token->name, c->token->access),
                           c->keep ? "older " : "");
    st = ledger_append(l, &c->row, NULL, NULL, err);
    return st ? st : delete_tokens(l->db, c->token, c->keep, err);
}

/* ------------------------------------------------------------- credentials -- */

static custos_status
check_credential(struct ledger *l, const struct change *c, custos_err *err)
{
    str name = str_of(c->credential->name);
    struct ledger_credential was;
    custos_status st = credentials_check_name(l, name, err), found;
    custos_err quiet = CUSTOS_ERR_INIT;

    if (st)
        return st;
    found = credentials_find_name(l->db, name, &was, &quiet);
    if (found && found != CUSTOS_ENAME) {
        *err = quiet;
        return found;
    }
    if (c->how == LEDGER_CREDENTIAL_NEW && !found)
        return custos_fail(err, CUSTOS_EINVAL,
                           "%.60s already has a password and a token" HINT
                           "rotate issues new ones",
                           name.len ? name.ptr : OWNER);
    if (c->how == LEDGER_CREDENTIAL_AGAIN && found)
        return custos_fail(err, CUSTOS_ENAME,
                           "%.60s has no password and no token" HINT
                           "add issues them",
                           name.len ? name.ptr : OWNER);
    return CUSTOS_OK;
}

static custos_status
step_credential_put(struct ledger *l, void *arg, custos_err *err)
{
    struct change *c = arg;
    struct query q;
    custos_status st = check_credential(l, c, err);

    if (!st)
        st = ledger_append(l, &c->row, NULL, NULL, err);
    if (st)
        return st;
    query_begin(&q, l->db,
                "INSERT OR REPLACE INTO doors (name, seq, verifier, expires)"
                " VALUES (?, ?, ?, ?)");
    query_put_text(&q, str_of(c->credential->name));
    query_put_int(&q, (int64_t)c->row.seq);
    query_put_text(&q, str_of(c->credential->verifier));
    query_put_int(&q, c->credential->expires);
    st = run_query(&q, err);
    if (!st)
        st = delete_tokens(l->db, c->token, 0, err);
    return st ? st : insert_token(l->db, c->token, c->row.seq, err);
}

static custos_status
step_credential_drop(struct ledger *l, void *arg, custos_err *err)
{
    struct change *c = arg;
    struct ledger_credential was;
    struct query q;
    custos_status st =
        credentials_find_name(l->db, str_of(c->token->name), &was, err);

    if (st == CUSTOS_ENAME)
        return custos_fail(err, CUSTOS_ENAME,
                           "%.60s has no password and no token",
                           name_shown(c->token->name, LEDGER_ACCESS_FULL));
    if (!st)
        st = ledger_append(l, &c->row, NULL, NULL, err);
    if (st)
        return st;
    query_begin(&q, l->db, "DELETE FROM doors WHERE name = ?");
    query_put_text(&q, str_of(c->token->name));
    st = run_query(&q, err);
    return st ? st : delete_tokens(l->db, c->token, 0, err);
}

/* ------------------------------------------------------------------- calls -- */

/* The row records what was done and for whom. */
static custos_status
write_change(struct ledger *l, ledger_step *step, struct change *c,
             const char *act, int64_t now, struct receipt *out, custos_err *err)
{
    custos_status st;

    c->row.kind = str_of(act);
    c->row.words = str_of(name_shown(c->token->name, c->token->access));
    c->row.who = str_of(OWNER);
    c->row.time = now;
    st = ledger_write(l, step, c, err);
    if (!st)
        *out = c->row.receipt;
    return st;
}

custos_status
ledger_credential_put(struct ledger *l,
                      const struct ledger_credential *credential,
                      const struct ledger_token *token,
                      enum ledger_credential_how how, int64_t now,
                      struct receipt *out, custos_err *err)
{
    struct change c = {.credential = credential, .token = token, .how = how};

    return write_change(l, step_credential_put, &c,
                        how == LEDGER_CREDENTIAL_NEW ? "add" : "rotate", now,
                        out, err);
}

custos_status
ledger_token_put(struct ledger *l, const struct ledger_token *token,
                 int64_t old_until, int64_t now, struct receipt *out,
                 custos_err *err)
{
    struct change c = {.token = token, .old_until = old_until};

    return write_change(l, step_token_put, &c, "token", now, out, err);
}

/* A token with only name and access, to select all tokens that have them. */
static custos_status
token_of(str name, enum ledger_access access, struct ledger_token *out,
         custos_err *err)
{
    *out = (struct ledger_token){.access = access};
    if (name.len >= sizeof out->name)
        return ledger_fail_analyst(name, err);
    if (name.len)
        memcpy(out->name, name.ptr, name.len);
    return CUSTOS_OK;
}

custos_status
ledger_credential_drop(struct ledger *l, str name, int64_t now,
                       struct receipt *out, custos_err *err)
{
    struct ledger_token token;
    struct change c = {.token = &token};
    custos_status st = token_of(name, LEDGER_ACCESS_FULL, &token, err);

    return st ? st
              : write_change(l, step_credential_drop, &c, "revoke", now, out,
                             err);
}

custos_status
ledger_tokens_end(struct ledger *l, str name, enum ledger_access access,
                  size_t keep, int64_t now, struct receipt *out,
                  custos_err *err)
{
    struct ledger_token token;
    struct change c = {.token = &token, .keep = keep};
    custos_status st = token_of(name, access, &token, err);

    return st ? st
              : write_change(l, step_tokens_end, &c, "revoke", now, out, err);
}
