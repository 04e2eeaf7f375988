/*
 * A good reply is recognised by its first bytes and passed on as it is; only a
 * refusal is parsed as JSON.
 */
#include "serve/owner_reply.h"

#include <string.h>

#include "base/error.h"
#include "wire/json.h"

static const char *
text_of(const struct json_value *reply, const char *name)
{
    const struct json_value *v = json_member(reply, name);

    return v && v->kind == JSON_TEXT ? v->text.ptr : NULL;
}

custos_status
owner_reply_read(arena *a, str reply, str *rest, custos_err *err)
{
    static const char good[] = "{\"ok\":true";
    size_t len = sizeof good - 1;
    const char *code, *said, *hint;
    struct json_value v;
    custos_status st;

    if (reply.len > len && !memcmp(reply.ptr, good, len)) {
        *rest = (str){reply.ptr + len, reply.len - len};
        return CUSTOS_OK;
    }
    st = json_read(a, reply, &v, err);
    if (st == CUSTOS_ENOMEM)
        return st;
    code = st ? NULL : text_of(&v, "code");
    said = st ? NULL : text_of(&v, "error");
    hint = st ? NULL : text_of(&v, "hint");
    if (!code || !said)
        return custos_fail(err, CUSTOS_EIO, "the server did not answer");
    st = status_named(code);
    return custos_fail(err, st ? st : CUSTOS_EINTERNAL, "%s" HINT "%s", said,
                       hint ? hint : "");
}
