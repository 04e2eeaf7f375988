/* Names of a list, one after the other; quotes may hold commas. */
#include "release/names.h"

#include <string.h>

#include "base/error.h"

static const char BLANKS[] = " \t\r";

static bool
is_blank(char letter)
{
    return letter && strchr(BLANKS, letter);
}

static str
skip(str s, size_t n)
{
    return (str){s.ptr + n, s.len - n};
}

static str
skip_blanks(str s)
{
    while (s.len > 0 && is_blank(s.ptr[0]))
        s = skip(s, 1);
    return s;
}

str
names_trim(str s)
{
    s = skip_blanks(s);
    while (s.len > 0 && is_blank(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

static str
take_plain(str *rest, char comment)
{
    str name = {rest->ptr, 0};

    while (name.len < rest->len && name.ptr[name.len] != ',' &&
           (!comment || name.ptr[name.len] != comment))
        name.len++;
    *rest = skip(*rest, name.len);
    return names_trim(name);
}

/* The name after its first quote. */
static custos_status
take_quoted(arena *a, str *rest, str *out, custos_err *err)
{
    char *name = arena_take(a, rest->len + 1, 1);
    size_t n = 0, i = 0;

    if (!name)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (; i < rest->len; i++) {
        if (rest->ptr[i] == '"' && (++i == rest->len || rest->ptr[i] != '"')) {
            *rest = skip_blanks(skip(*rest, i));
            *out = (str){name, n};
            return CUSTOS_OK;
        }
        name[n++] = rest->ptr[i];
    }
    return custos_fail(err, CUSTOS_EINVAL,
                       "the quote before %.*s is not closed" HINT
                       "write \"\" for a quote that is part of a name",
                       (int)(rest->len < 60 ? rest->len : 60), rest->ptr);
}

custos_status
names_take(arena *a, str *list, char comment, str *out, custos_err *err)
{
    str rest = skip_blanks(*list), name;
    custos_status st = CUSTOS_OK;

    if (rest.len > 0 && rest.ptr[0] == '"') {
        rest = skip(rest, 1);
        st = take_quoted(a, &rest, &name, err);
        if (!st && rest.len > 0 && rest.ptr[0] != ',' &&
            (!comment || rest.ptr[0] != comment))
            st = custos_fail(err, CUSTOS_EINVAL,
                             "after \"%.*s\" there is no comma",
                             (int)(name.len < 60 ? name.len : 60), name.ptr);
    } else {
        name = take_plain(&rest, comment);
    }
    if (st)
        return st;
    if (rest.len > 0 && rest.ptr[0] == ',')
        rest = skip_blanks(skip(rest, 1));
    if (comment && rest.len > 0 && rest.ptr[0] == comment)
        rest.len = 0;
    *list = rest;
    *out = name;
    return CUSTOS_OK;
}
