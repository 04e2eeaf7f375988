/*
 * SQL text: a query that sql_read accepts is printed, read again and printed
 * again, and both prints must be equal. A rejection must have a message and a
 * position within the text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sql/tree.h"
#include "support/said.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { ARENA_MAX = 1 << 26, PRINTED_MAX = 1 << 22 };

static void
require(bool fact)
{
    if (!fact)
        abort();
}

static void
check_refused(custos_status st, size_t len, const custos_err *err)
{
    require(st == CUSTOS_ESYNTAX || st == CUSTOS_EUNSUPPORTED);
    require(err->code == st && err->said[0]);
    require(memchr(err->said, '\0', sizeof err->said) != NULL);
    require(err->at >= 0 && (size_t)err->at <= len);
}

/* The printed text has more parentheses and quotes than the input, so it may be
   rejected for its length or depth, but for nothing else. */
static void
check_taken(arena *a, const struct query *q)
{
    struct buf first, second;
    struct query *again;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;

    buf_init(&first, NULL, PRINTED_MAX);
    buf_init(&second, NULL, PRINTED_MAX);
    sql_print(q, &first);
    require(!first.failed && first.len > 0);
    st = sql_read(a, (str){first.ptr, first.len}, &again, &err);
    if (st) {
        require(st == CUSTOS_EUNSUPPORTED);
        require(strstr(whole_said(&err), "deeper") ||
                strstr(whole_said(&err), "longer"));
    } else {
        sql_print(again, &second);
        require(first.len == second.len &&
                !memcmp(first.ptr, second.ptr, first.len));
    }
    buf_clear(&first);
    buf_clear(&second);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    arena *a = arena_new(NULL, ARENA_MAX);
    struct query *q = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;

    require(a != NULL);
    st = sql_read(a, (str){(const char *)data, len}, &q, &err);
    if (st)
        check_refused(st, len, &err);
    else
        check_taken(a, q);
    arena_free(a);
    return 0;
}
