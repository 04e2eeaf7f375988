/*
 * Texts and casts. Texts are UTF-8 and counted in characters; upper and
 * lower case follow Unicode, whatever the locale.
 */
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <wctype.h>

#include "evaluate/evaluate_parts.h"
#include "sql/text_limits.h"

enum { TEXT_MAX = 1 << 16 };

static bool
text_value(arena *a, const char *ptr, size_t len, struct value *out)
{
    char *copy = arena_copy(a, (str){ptr, len});

    if (!copy)
        return false;
    *out = (struct value){
        .datum = {.type = TYPE_TEXT, .text = {copy, len}},
    };
    return true;
}

/* Bytes of the character at s; 1 where it is invalid. */
static size_t
read_character(const char *s, size_t len, wint_t *code)
{
    unsigned char c = (unsigned char)*s;
    size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;

    if (n > len)
        n = 1;
    *code = n == 1 ? c : c & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++)
        *code = *code << 6 | ((unsigned char)s[i] & 0x3fu);
    return n;
}

static size_t
put_character(wint_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

/* Opened once for all threads and never closed: opening it takes longer than
   changing the case of a short text. */
static locale_t utf8_locale;

static void
open_locale(void)
{
    utf8_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
}

static bool
change_case(arena *a, str s, bool upper, struct value *out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    size_t len = 0;
    char *text;

    if (s.len > TEXT_COMPUTED_MAX) /* NULL, as in the engine */
        return true;
    text = arena_take(a, 4 * s.len + 1, 1);
    if (!text || pthread_once(&once, open_locale) || !utf8_locale)
        return false;
    for (size_t i = 0; i < s.len;) {
        wint_t c;
        size_t n = read_character(s.ptr + i, s.len - i, &c);

        c = upper ? towupper_l(c, utf8_locale) : towlower_l(c, utf8_locale);
        len += put_character(c, text + len);
        i += n;
    }
    *out = (struct value){.datum = {.type = TYPE_TEXT, .text = {text, len}}};
    return true;
}

static i128
count_characters(str s)
{
    i128 n = 0;
    wint_t c;

    for (size_t i = 0; i < s.len; n++)
        i += read_character(s.ptr + i, s.len - i, &c);
    return n;
}

bool
text_lower(arena *a, const struct expr *e, const struct value *v,
           struct value *out)
{
    (void)e;
    return change_case(a, v[0].datum.text, false, out);
}

bool
text_upper(arena *a, const struct expr *e, const struct value *v,
           struct value *out)
{
    (void)e;
    return change_case(a, v[0].datum.text, true, out);
}

bool
text_length(arena *a, const struct expr *e, const struct value *v,
            struct value *out)
{
    (void)a, (void)e;
    out->datum = (struct datum){.type = TYPE_INT,
                                .n = count_characters(v[0].datum.text)};
    return true;
}

/* Positions are counted from 1. Positions before 1 have no character, but count
   towards the length. */
bool
text_substring(arena *a, const struct expr *e, const struct value *v,
               struct value *out)
{
    str s = v[0].datum.text;
    i128 from = v[1].datum.n, at = 1;
    i128 to = e->n_args > 2 ? from + v[2].datum.n : (i128)1 << 100;
    size_t start = 0, end = 0;
    wint_t c;

    for (size_t i = 0; i < s.len; at++) {
        size_t n = read_character(s.ptr + i, s.len - i, &c);

        if (at < from)
            start = i + n;
        if (at < to)
            end = i + n;
        i += n;
    }
    return text_value(a, s.ptr + start, end > start ? end - start : 0, out);
}

bool
text_trim(arena *a, const struct expr *e, const struct value *v,
          struct value *out)
{
    str s = v[0].datum.text;

    (void)e;
    while (s.len && *s.ptr == ' ') {
        s.ptr++;
        s.len--;
    }
    while (s.len && s.ptr[s.len - 1] == ' ')
        s.len--;
    return text_value(a, s.ptr, s.len, out);
}

/* As || does: takes any types; NULL if an argument is NULL. */
bool
text_joined(arena *a, const struct expr *e, const struct value *v,
            struct value *out)
{
    struct buf b;
    bool good;

    buf_init(&b, NULL, TEXT_MAX);
    for (size_t i = 0; i < e->n_args; i++)
        datum_write(&v[i].datum, &b);
    good = !b.failed && text_value(a, buf_text(&b), b.len, out);
    buf_clear(&b);
    return good;
}

bool
value_text(arena *a, const struct expr *e, const struct value *v,
           struct value *out)
{
    for (size_t i = 0; i < e->n_args; i++)
        if (v[i].datum.type == TYPE_NULL)
            return true;
    if (!evaluators[e->call].text(a, e, v, out))
        return false;
    if (out->datum.type == TYPE_TEXT && out->datum.text.len > TEXT_COMPUTED_MAX)
        out->datum = (struct datum){.type = TYPE_NULL}; /* as in the engine */
    return true;
}

/* --------------------------------------------------------------- casts -- */

/* Rounds to the digits of the cast: numeric(p, s), or else a whole number. */
static void
round_value(const struct expr *e, struct value *out)
{
    enum { DIGITS_MOST = 38 };
    bool decimal = e->cast_to == TYPE_DECIMAL;
    int scale = decimal ? e->cast_scale : 0;
    double ten = pow(10, scale);

    if (out->datum.scale > scale) {
        out->low = round(out->low * ten) / ten;
        out->high = round(out->high * ten) / ten;
    }
    if (!datum_round(&out->datum, decimal ? e->cast_precision : DIGITS_MOST,
                     scale))
        out->datum = (struct datum){.type = TYPE_NULL};
}

static void
cast_number(const struct expr *e, const struct value *v, struct value *out)
{
    *out = *v;
    if (e->cast_to != TYPE_REAL)
        round_value(e, out);
    if (e->cast_to == TYPE_INT &&
        (out->datum.n < INT64_MIN || out->datum.n > INT64_MAX))
        out->datum = (struct datum){.type = TYPE_NULL};
    if (out->datum.type != TYPE_NULL)
        out->datum.type = e->cast_to;
}

bool
evaluate_cast(arena *a, const struct expr *e, const struct value *v,
              struct value *out)
{
    enum data_type from = v->datum.type, to = e->cast_to;
    struct buf b;
    bool good = true;

    *out = (struct value){.certainty = v->certainty};
    if (from == TYPE_NULL)
        return true;
    if (data_type_is_number(from) && data_type_is_number(to)) {
        cast_number(e, v, out);
    } else if (from == TYPE_BOOL && to == TYPE_INT) {
        out->datum = (struct datum){.type = to, .n = v->datum.n};
        out->low = out->high = (double)v->datum.n;
    } else if (from == TYPE_INT && to == TYPE_BOOL) {
        out->datum = (struct datum){.type = to, .n = v->datum.n != 0};
        out->certainty = v->certainty == CERTAIN ? CERTAIN : UNCERTAIN;
    } else if (from == TYPE_DATE && to == TYPE_TIMESTAMP) {
        out->datum = (struct datum){.type = to, .n = v->datum.n * DAY_US};
        out->low = v->low * DAY_US;
        out->high = v->high * DAY_US;
    } else if (from == TYPE_TIMESTAMP && to == TYPE_DATE) {
        out->datum = (struct datum){.type = to, .n = datum_day(&v->datum)};
        out->low = floor(v->low / DAY_US);
        out->high = floor(v->high / DAY_US);
    } else {
        buf_init(&b, NULL, TEXT_MAX);
        datum_write(&v->datum, &b);
        good = !b.failed;
        if (good && to == TYPE_TEXT)
            good = text_value(a, buf_text(&b), b.len, out);
        else if (good)
            /* stays NULL if the text is not a value */
            (void)datum_read(to, (str){buf_text(&b), b.len}, &out->datum);
        if (good && to == TYPE_DECIMAL && out->datum.type != TYPE_NULL)
            round_value(e, out);
        buf_clear(&b);
        if (v->certainty != CERTAIN)
            out->certainty = UNCERTAIN;
    }
    return good;
}
