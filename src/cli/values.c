#include "cli/values.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/ck.h"

enum { ROOM_FIRST = 1024 };

void
values_init(struct values *v, enum values_kind kind)
{
    memset(v, 0, sizeof *v);
    v->kind = kind;
    v->line = 1;
}

void
values_clear(struct values *v)
{
    if (v->ints)
        wipe(v->ints, v->room * sizeof *v->ints);
    if (v->reals)
        wipe(v->reals, v->room * sizeof *v->reals);
    free(v->ints);
    free(v->reals);
    wipe(v, sizeof *v);
}

/* Makes room for one more value. realloc would leave an unwiped copy behind. */
static bool
make_room(struct values *v)
{
    size_t room = v->room ? v->room * 2 : ROOM_FIRST;
    void *old = v->kind == VALUES_INTS ? (void *)v->ints : (void *)v->reals;
    void *now;

    static_assert(sizeof *v->ints == 8 && sizeof *v->reals == 8, "one size");
    if (v->n < v->room)
        return true;
    now = calloc(room, 8);
    if (!now)
        return false;
    if (old) {
        memcpy(now, old, v->n * 8);
        wipe(old, v->room * 8);
        free(old);
    }
    if (v->kind == VALUES_INTS)
        v->ints = now;
    else
        v->reals = now;
    v->room = room;
    return true;
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads [+-]digits and nothing else. Returns what is wrong, or NULL. */
static const char *
read_int(const char *text, int64_t *out)
{
    bool negative = *text == '-';
    int64_t x = 0;

    text += *text == '-' || *text == '+';
    if (!is_digit(*text))
        return "is not a whole number";
    for (; is_digit(*text); text++) {
        int64_t digit = *text - '0';

        if (!ck_mul_i64(x, 10, &x) ||
            !ck_add_i64(x, negative ? -digit : digit, &x))
            return text[strspn(text, "0123456789")]
                       ? "is not a whole number"
                       : "is past the range of 64-bit whole numbers";
    }
    if (*text)
        return "is not a whole number";
    *out = x;
    return NULL;
}

/* Is all of p [+-]digits[.digits][e[+-]digits]? */
static bool
is_decimal(const char *p)
{
    size_t digits;

    p += *p == '-' || *p == '+';
    digits = strspn(p, "0123456789");
    p += digits;
    if (*p == '.') {
        size_t more = strspn(++p, "0123456789");

        digits += more;
        p += more;
    }
    if (!digits)
        return false;
    if (*p == 'e' || *p == 'E') {
        p++;
        p += *p == '-' || *p == '+';
        if (!is_digit(*p))
            return false;
        p += strspn(p, "0123456789");
    }
    return !*p;
}

/* strtod depends on the locale, but the command never sets one: the decimal
   separator is a dot. */
static const char *
read_real(const char *text, double *out)
{
    double x;

    if (!is_decimal(text))
        return "is not a decimal number";
    x = strtod(text, NULL);
    if (!isfinite(x))
        return "is past the range of a double";
    *out = x;
    return NULL;
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void
end_line(struct values *v)
{
    char *text = v->text;

    while (v->len > 0 && is_blank(text[v->len - 1]))
        v->len--;
    text[v->len] = '\0';
    while (is_blank(*text))
        text++;
    if (memchr(v->text, '\0', v->len))
        v->wrong = "holds a NUL byte";
    else if (!*text)
        v->wrong = "is empty";
    else if (v->n == VALUES_MAX)
        v->wrong = "is one too many: the limit is 100 million";
    else if (!make_room(v))
        v->no_memory = true;
    else if (v->kind == VALUES_INTS)
        v->wrong = read_int(text, &v->ints[v->n]);
    else
        v->wrong = read_real(text, &v->reals[v->n]);
    if (v->wrong || v->no_memory)
        return;
    v->n++;
    v->line++;
    v->len = 0;
}

void
values_feed(struct values *v, const char *ptr, size_t len)
{
    for (size_t i = 0; i < len && !v->wrong && !v->no_memory; i++) {
        if (ptr[i] == '\n')
            end_line(v);
        else if (v->len == VALUES_LINE_MAX)
            v->wrong = "is longer than 400 characters";
        else
            v->text[v->len++] = ptr[i];
    }
}

bool
values_end(struct values *v)
{
    if (v->len > 0 && !v->wrong && !v->no_memory)
        end_line(v); /* the last line may lack its newline */
    return !v->wrong && !v->no_memory;
}
