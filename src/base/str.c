/*
 * Borrowed and growing text.
 */
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/ck.h"

str
str_of(const char *text)
{
    return (str){text ? text : "", text ? strlen(text) : 0};
}

bool
str_equal(str a, str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool
str_equal_but_case(str a, str b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        if (a.ptr[i] != b.ptr[i] &&
            !((a.ptr[i] ^ b.ptr[i]) == 0x20 && is_letter(a.ptr[i])))
            return false;
    return true;
}

void
buf_init(struct buf *b, const custos_alloc *alloc, size_t limit)
{
    *b = (struct buf){.alloc = alloc_or_default(alloc), .limit = limit};
}

void
buf_clear(struct buf *b)
{
    alloc_give(&b->alloc, b->ptr, b->room, 1);
    b->ptr = NULL;
    b->len = b->room = 0;
    b->failed = false;
}

/* Makes room for len more bytes and the NUL; false, with b->failed set, if it
   cannot. */
static bool
make_room(struct buf *b, size_t len)
{
    size_t need, room = b->room ? b->room : 64;
    char *grown;

    if (b->failed)
        return false;
    if (!ck_add_size(b->len, len, &need) || !ck_add_size(need, 1, &need) ||
        need > b->limit)
        return !(b->failed = true);
    if (need <= b->room)
        return true;
    while (room < need)
        room = room > b->limit / 2 ? b->limit : 2 * room;
    grown = alloc_take(&b->alloc, room, 1);
    if (!grown)
        return !(b->failed = true);
    if (b->len)
        memcpy(grown, b->ptr, b->len);
    alloc_give(&b->alloc, b->ptr, b->room, 1);
    b->ptr = grown;
    b->room = room;
    return true;
}

void
buf_add(struct buf *b, const char *ptr, size_t len)
{
    if (!make_room(b, len))
        return;
    if (len)
        memcpy(b->ptr + b->len, ptr, len);
    b->len += len;
    b->ptr[b->len] = '\0';
}

void
buf_add_text(struct buf *b, const char *text)
{
    buf_add(b, text, strlen(text));
}

void
buf_printf(struct buf *b, const char *format, ...)
{
    va_list args;
    int len;

    va_start(args, format);
    len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len < 0 || !make_room(b, (size_t)len)) {
        b->failed = true;
        return;
    }
    va_start(args, format);
    vsnprintf(b->ptr + b->len, (size_t)len + 1, format, args);
    va_end(args);
    b->len += (size_t)len;
}

const char *
buf_text(const struct buf *b)
{
    return b->failed || !b->ptr ? "" : b->ptr;
}
