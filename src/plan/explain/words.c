/*
 * Expressions and numbers as people read them, for messages, EXPLAIN and
 * remarks. The canonical text quotes every name; here quotes are kept only
 * around names that need them.
 */
#include "plan/explain/words.h"

#include "num/rat_round.h"
#include "plan/work.h"

enum { SHORT_TEXT = 12, DIGITS = 6, EXPR_TEXT_MAX = 1 << 16 };

int
words_shown(str s)
{
    size_t n = s.len < SHOWN_MAX ? s.len : SHOWN_MAX;

    while (n > 0 && n < s.len && ((unsigned char)s.ptr[n] & 0xC0) == 0x80)
        n--;
    return (int)n;
}

/* The length of what is quoted by `quote` at s, or 0. A doubled quote is part of
   it. */
static size_t
quoted_length(char quote, const char *s, const char *end)
{
    const char *p = s + 1;

    if (*s != quote)
        return 0;
    while (p < end && (*p != quote || (p + 1 < end && p[1] == quote)))
        p += *p == quote ? 2 : 1;
    return (size_t)(p - s) + (p < end);
}

/* Does a quoted name of n bytes need no quotes? */
static bool
is_plain(const char *s, size_t n)
{
    for (size_t i = 1; i + 1 < n; i++)
        if (!(s[i] >= 'a' && s[i] <= 'z') && s[i] != '_' &&
            !(s[i] >= '0' && s[i] <= '9' && i > 1))
            return false;
    return n > 2;
}

static void
write_plain(const char *s, const char *end, struct buf *out)
{
    while (s < end) {
        size_t name = quoted_length('"', s, end);
        size_t text = quoted_length('\'', s, end);
        size_t n = name > 0 ? name : text > 0 ? text : 1;

        if (name > 0 && is_plain(s, name))
            buf_add(out, s + 1, name - 2);
        else
            buf_add(out, s, n);
        s += n;
    }
}

/* Does the bracket at s close at the last byte before end, and not earlier? */
static bool
is_wrapped(const char *s, const char *end)
{
    int depth = 0;

    if (s + 2 >= end || *s != '(')
        return false;
    for (size_t step; s < end; s += step) {
        step = quoted_length('\'', s, end) + quoted_length('"', s, end);
        step = step > 0 ? step : 1;
        depth += *s == '(';
        depth -= *s == ')';
        if (depth == 0)
            return s + step == end;
    }
    return false;
}

void
words_expr(const struct expr *e, struct buf *out)
{
    const char *text;
    struct buf b;

    buf_init(&b, NULL, EXPR_TEXT_MAX);
    sql_print_expr(e, &b);
    text = buf_text(&b);
    if (b.failed)
        buf_add_text(out, "a long expression");
    else if (is_wrapped(text, text + b.len))
        write_plain(text + 1, text + b.len - 1, out); /* unwrapped */
    else
        write_plain(text, text + b.len, out);
    buf_clear(&b);
}

void
words_expr_shown(const struct expr *e, struct buf *out)
{
    struct buf b;

    buf_init(&b, NULL, EXPR_TEXT_MAX);
    words_expr(e, &b);
    if (!b.failed) {
        size_t shown = (size_t)words_shown((str){buf_text(&b), b.len});

        buf_add(out, buf_text(&b), shown);
        buf_add_text(out, shown < b.len ? "..." : "");
    }
    buf_clear(&b);
}

const char *
work_text(struct work *w, const struct expr *e)
{
    const char *text = NULL;
    struct buf b;

    buf_init(&b, NULL, EXPR_TEXT_MAX);
    words_expr_shown(e, &b);
    if (!b.failed)
        text = arena_copy(w->a, (str){buf_text(&b), b.len});
    buf_clear(&b);
    return text ? text : "";
}

void
words_number(const rat *r, struct buf *out)
{
    char text[RAT_DECIMAL_MAX];
    struct buf exact;
    long places;
    rat x;

    buf_init(&exact, NULL, 1 << 12);
    rat_write(r, &exact);
    if (!exact.failed && exact.len <= SHORT_TEXT &&
        !memchr(exact.ptr, '/', exact.len)) {
        buf_add(out, buf_text(&exact), exact.len);
    } else {
        rat_init(&x);
        rat_abs(&x, r);
        places = DIGITS - 1 - rat_log2_floor(&x) * 30103 / 100000;
        rat_places_up(&x, &x, places > 0 ? (unsigned)places : 0);
        rat_decimal(&x, RAT_UP, text);
        buf_printf(out, "%s%s", rat_sign(r) < 0 ? "-" : "", text);
        rat_clear(&x);
    }
    buf_clear(&exact);
}

void
words_steps(const rat *steps, struct grid g, struct buf *out)
{
    rat x;

    rat_init(&x);
    grid_step(g, &x);
    rat_mul(&x, &x, steps);
    words_number(&x, out);
    rat_clear(&x);
}

void
words_value(const struct part *part, i128 steps, struct buf *out)
{
    struct datum d = {.type = part->of->type, .n = steps};

    if ((d.type == TYPE_DATE || d.type == TYPE_TIMESTAMP) &&
        part->grid.digits == 0)
        datum_write(&d, out);
    else
        words_whole_steps(steps, part->grid, out);
}

void
words_whole_steps(i128 steps, struct grid g, struct buf *out)
{
    rat x;

    rat_init(&x);
    rat_set_i128(&x, steps);
    words_steps(&x, g, out);
    rat_clear(&x);
}
