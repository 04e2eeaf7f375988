/*
 * JSON: a value that was read, written and read again must be the same. The
 * body of a query must be decoded, or rejected with a message.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wire/http.h"
#include "wire/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { ARENA_MAX = 1 << 24, WRITTEN_MAX = 1 << 22 };

static void
require(bool fact)
{
    if (!fact)
        abort();
}

static void
write_value(const struct json_value *v, struct buf *out)
{
    struct json j;

    json_init(&j, out, JSON_LINES);
    json_add_value(&j, NULL, v);
}

static void
check_taken(arena *a, const struct json_value *v)
{
    struct buf first, second;
    struct json_value again;

    buf_init(&first, NULL, WRITTEN_MAX);
    buf_init(&second, NULL, WRITTEN_MAX);
    write_value(v, &first);
    require(!first.failed);
    require(!json_read(a, (str){first.ptr, first.len}, &again, NULL));
    write_value(&again, &second);
    require(first.len == second.len &&
            !memcmp(first.ptr, second.ptr, first.len));
    buf_clear(&first);
    buf_clear(&second);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    arena *a = arena_new(NULL, ARENA_MAX);
    str text = {(const char *)data, len};
    struct json_value v;
    struct http_query q;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;

    require(a != NULL);
    if (len > 1 << 14)
        goto out;
    st = json_read(a, text, &v, &err);
    if (st) {
        require(st == CUSTOS_ESYNTAX || st == CUSTOS_EOVERFLOW);
        require(err.said[0] && err.at >= 0 && (size_t)err.at <= len);
    } else {
        check_taken(a, &v);
    }
    st = http_query_read(a, text, &q, &err);
    require(st == CUSTOS_OK ? q.sql.len > 0 : err.said[0] != '\0');
out:
    arena_free(a);
    return 0;
}
