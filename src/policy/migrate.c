/*
 * Edits the owner's text where it stands instead of writing the policy anew, so
 * that comments, order and layout stay. Format 2 only adds keys to format 1: the
 * number is all that changes.
 */
#include "policy/migrate.h"

#include <string.h>

#include "base/base.h"
#include "policy/node.h"

custos_status
policy_migrate(arena *a, str text, const char *path, struct buf *out,
               custos_err *err)
{
    const struct reading r = {.a = a, .path = path, .err = err};
    struct policy *p = NULL;
    struct node *root = NULL;
    const struct node *format;
    size_t end;
    custos_status st = policy_read(a, text, path, &p, err);

    if (!st)
        st = node_load(&r, text, &root);
    if (st)
        return st;
    format = node_find(root, "custos");
    CUSTOS_REQUIRE(format);
    end = format->end;
    while (strchr("\r\n", text.ptr[end - 1])) /* of a block (|) */
        end--;
    buf_add(out, text.ptr, format->begin);
    buf_printf(out, "%d", (int)POLICY_FORMAT);
    buf_add(out, text.ptr + end, text.len - end);
    return CUSTOS_OK;
}
