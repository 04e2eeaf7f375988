#include "serve/owner_reply.h"

#include "base/error.h"

static const char *
text_of(const struct json_value *reply, const char *name)
{
    const struct json_value *v = json_member(reply, name);

    return v && v->kind == JSON_TEXT ? v->text.ptr : NULL;
}

custos_status
owner_reply_read(arena *a, str reply, struct json_value *out, custos_err *err)
{
    const struct json_value *ok;
    const char *code, *said, *hint;
    struct json_value v;
    custos_err wrong = CUSTOS_ERR_INIT;
    custos_status st = json_read(a, reply, &v, &wrong);

    if (st == CUSTOS_ENOMEM)
        return custos_fail(err, st, "%s", wrong.said);
    ok = st ? NULL : json_member(&v, "ok");
    if (ok && ok->truth) {
        *out = v;
        return CUSTOS_OK;
    }
    code = ok ? text_of(&v, "code") : NULL;
    said = ok ? text_of(&v, "error") : NULL;
    hint = ok ? text_of(&v, "hint") : NULL;
    if (!code || !said)
        return custos_fail(err, CUSTOS_EIO, "the server did not answer");
    st = status_named(code);
    return custos_fail(err, st ? st : CUSTOS_EINTERNAL, "%s" HINT "%s", said,
                       hint ? hint : "");
}
