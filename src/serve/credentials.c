#include "serve/credentials.h"

#include <assert.h>

#include "base/base.h"
#include "base/error.h"
#include "wire/scram.h"

enum { VERIFIER_MAX = 512 };

static_assert(CREDENTIALS_PASSWORD_MAX - 1 == (int)SCRAM_PASSWORD_MAX,
              "one length");
static_assert(CREDENTIAL_SALT_BYTES == (int)SCRAM_SALT_BYTES, "one length");

static custos_status
verifier_of(const char *password, struct buf *out, custos_err *err)
{
    uint8_t salt[SCRAM_SALT_BYTES];
    struct scram_verifier v;
    custos_status st = credential_salt_new(salt, err);

    if (st)
        return st;
    st = scram_verifier_make(str_of(password), salt, sizeof salt,
                             SCRAM_ITERATIONS, &v, err);
    if (!st)
        scram_verifier_write(&v, out);
    wipe(&v, sizeof v);
    if (!st && out->failed)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    return st;
}

custos_status
credentials_give(struct ledger *l, str name, enum credential_change how,
                 struct credentials *c, int64_t now, struct receipt *out,
                 custos_err *err)
{
    custos_status st = CUSTOS_OK;
    struct buf text;

    if (!name.len)
        return custos_fail(err, CUSTOS_EINVAL,
                           "the name of an analyst cannot be empty" HINT
                           "custos owner token gives the owner a token");
    buf_init(&text, NULL, VERIFIER_MAX);
    if (!*c->password)
        st = credential_password_new(c->password, err);
    if (!st)
        st = verifier_of(c->password, &text, err);
    if (!st)
        st = credential_token_new(c->token, err);
    if (!st)
        st = credential_set(l, name, how, (str){buf_text(&text), text.len},
                            str_of(c->token), c->expires, now, out, err);
    buf_clear(&text);
    return st;
}
