/*
 * One pass over the text: each call reads a value and the comma or closing
 * brace after it.
 */
#include "base/list_text.h"

#include <string.h>
#include <strings.h>

static bool
is_blank(char c)
{
    return c && strchr(" \t\n\r\v\f", c);
}

static void
skip_blanks(struct list_text *l)
{
    while (l->at < l->end && is_blank(*l->at))
        l->at++;
}

bool
list_text_begin(str text, struct list_text *l)
{
    *l = (struct list_text){text.ptr, text.ptr + text.len, true};
    skip_blanks(l);
    while (l->end > l->at && is_blank(l->end[-1]))
        l->end--;
    if (l->end - l->at < 2 || *l->at != '{' || l->end[-1] != '}')
        return false;
    l->at++;
    return true;
}

/* Reads a quoted value, up to and including its closing quote. */
static bool
take_quoted(struct list_text *l, struct buf *one)
{
    for (l->at++; l->at < l->end && *l->at != '"'; l->at++) {
        if (*l->at == '\\' && ++l->at == l->end)
            return false;
        buf_add(one, l->at, 1);
    }
    return l->at < l->end && *l->at++ == '"';
}

/* Reads an unquoted value, up to the next comma or brace, without trailing
   blanks. */
static bool
take_plain(struct list_text *l, struct buf *one)
{
    size_t solid = 0;

    for (; l->at < l->end && *l->at != ',' && *l->at != '}'; l->at++) {
        bool escaped = *l->at == '\\';

        if (*l->at == '{' || *l->at == '"' || (escaped && ++l->at == l->end))
            return false;
        buf_add(one, l->at, 1);
        if (escaped || !is_blank(*l->at))
            solid = one->len;
    }
    if (solid == 0 || one->failed)
        return false;
    one->len = solid;
    one->ptr[solid] = 0;
    return true;
}

enum list_item
list_text_next(struct list_text *l, struct buf *one)
{
    bool quoted;

    one->len = 0;
    if (one->ptr)
        one->ptr[0] = 0;
    skip_blanks(l);
    if (l->at == l->end || (l->first && l->at + 1 == l->end))
        return LIST_END;
    l->first = false;
    quoted = *l->at == '"';
    if (!(quoted ? take_quoted : take_plain)(l, one))
        return LIST_BAD;
    skip_blanks(l);
    /* next comes a comma, or the closing brace at the end */
    if (l->at == l->end || (*l->at != ',' && *l->at != '}') ||
        (*l->at == '}') != (l->at + 1 == l->end))
        return LIST_BAD;
    l->at++;
    return !quoted && !strcasecmp(buf_text(one), "null") ? LIST_NULL
                                                         : LIST_VALUE;
}
