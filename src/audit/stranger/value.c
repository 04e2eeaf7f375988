/*
 * Values of columns. Lists of extremes come first: each has once been the cause
 * of an error, of a slow query or of a wrong bound in some system.
 */
#include "audit/stranger/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LONG_TEXT = 65536, FIRST_KEY = 1000, NUMBER_ROOM = 64 };

static const char *const extreme_int[] = {
    "0",
    "-1",
    "1",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "2147483648",
    "-2147483649",
    "4611686018427387904",
    "1e18",
    "1.5",
    "007",
};
static const char *const extreme_decimal[] = {
    "0",
    "-0.00",
    "0.005",
    "-0.005",
    "99999999999999999.99",
    "-99999999999999999.99",
    "1e30",
    "0.000000000000000001",
    "9223372036854775807",
    "123456789012345678901234567890",
};
static const char *const extreme_real[] = {
    "0",
    "-0",
    "NaN",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "1.7976931348623157e308",
    "5e-324",
    "-5e-324",
    "2.2250738585072014e-308",
    "1e-300",
    "0.1",
    "9007199254740993",
    "1e400",
};
static const char *const extreme_bool[] = {"true", "false", "t", "0", "2"};
static const char *const extreme_date[] = {
    "0001-01-01", "9999-12-31", "1970-01-01", "1969-12-31",  "2000-02-29",
    "1900-02-28", "1900-02-29", "0000-12-31", "10000-01-01", "infinity",
    "-infinity",  "2024-12-31", "1582-10-10", "2038-01-19",  "0001-01-01 (BC)",
};
static const char *const extreme_timestamp[] = {
    "0001-01-01 00:00:00",
    "9999-12-31 23:59:59.999999",
    "1970-01-01 00:00:00",
    "1969-12-31 23:59:59.999999",
    "2000-02-29 12:00:00",
    "2024-03-31 02:30:00",
    "10000-01-01 00:00:00",
    "infinity",
    "-infinity",
    "2016-12-31 23:59:60",
    "2024-01-01 24:00:00",
    "2024-01-01 10:00:00+14",
};
static const char *const extreme_text[] = {
    "",
    " ",
    "a",
    "NULL",
    "null",
    "0",
    "-1",
    " 12 ",
    "1e400",
    "9223372036854775808",
    "NaN",
    "infinity",
    "true",
    "2000-02-30",
    "%",
    "_",
    "\\",
    "'",
    "\"",
    "line\nbreak",
    "tab\there",
    "\xc3\x9f",         /* sharp s: longer in upper case */
    "\xc4\xb0",         /* I with a dot: longer in lower case */
    "\xc8\xba\xc8\xba", /* grows from 2 to 3 bytes in lower case */
    "e\xcc\x81",        /* e and a combining accent */
    "\xf0\x9f\x98\x80", /* beyond the basic plane */
    "\xe2\x80\xaezyx",  /* right-to-left override */
    "\xef\xbf\xbf",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
};

static const struct {
    const char *const *texts;
    uint32_t n;
} extremes[] = {
    [TYPE_BOOL] = {extreme_bool, COUNT_OF(extreme_bool)},
    [TYPE_INT] = {extreme_int, COUNT_OF(extreme_int)},
    [TYPE_DECIMAL] = {extreme_decimal, COUNT_OF(extreme_decimal)},
    [TYPE_REAL] = {extreme_real, COUNT_OF(extreme_real)},
    [TYPE_TEXT] = {extreme_text, COUNT_OF(extreme_text)},
    [TYPE_DATE] = {extreme_date, COUNT_OF(extreme_date)},
    [TYPE_TIMESTAMP] = {extreme_timestamp, COUNT_OF(extreme_timestamp)},
};

/* ------------------------------------------------------------------- cells -- */

void
value_add_text(struct buf *out, str text)
{
    buf_add_text(out, "\"");
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"')
            buf_add_text(out, "\"");
        buf_add(out, text.ptr + i, 1);
    }
    buf_add_text(out, "\"");
}

static void
add_datum(struct buf *out, const struct datum *d)
{
    if (d->type == TYPE_TEXT)
        value_add_text(out, d->text);
    else
        datum_write(d, out);
}

/* ------------------------------------------------------------------ numbers -- */

/* The least difference between two values of the column. */
static struct datum
shifted(const struct schema_column *c, const struct datum *d, int by)
{
    struct datum moved = *d;

    if (c->type == TYPE_DECIMAL || c->type == TYPE_REAL)
        for (; moved.scale < (c->type == TYPE_REAL ? 3 : c->scale);
             moved.scale++)
            moved.n *= 10;
    moved.n += by;
    return moved;
}

/* Between the ends, with their difference cut into steps of 2^-20. */
static struct datum
between(const struct schema_column *c, struct coins *coins)
{
    struct datum low = shifted(c, &c->lower, 0),
                 high = shifted(c, &c->upper, 0);
    i128 span = high.n - low.n, part = coins_below(coins, (1u << 20) + 1);

    /* A range may be as wide as the type, so the product could overflow. */
    low.n += span >> 40 ? (span >> 20) * part : span * part >> 20;
    return low;
}

static void
add_in_range(struct buf *out, const struct schema_column *c,
             struct coins *coins)
{
    uint32_t which = coins_below(coins, 8);
    struct datum d = which == 0   ? c->lower
                     : which == 1 ? c->upper
                     : which == 2 ? shifted(c, &c->lower, 1)
                     : which == 3 ? shifted(c, &c->upper, -1)
                                  : between(c, coins);

    datum_write(&d, out);
}

static void
add_beside_range(struct buf *out, const struct schema_column *c,
                 struct coins *coins)
{
    struct datum d = coins_flip(coins, 0.5) ? shifted(c, &c->lower, -1)
                                            : shifted(c, &c->upper, 1);

    datum_write(&d, out);
}

/* ------------------------------------------------------------------- styles -- */

/* About as long as the longest value that is kept, or one byte longer. */
static void
add_long_text(struct buf *out, const struct schema_column *c,
              struct coins *coins)
{
    size_t most =
        c->text_max && c->text_max < LONG_TEXT ? c->text_max : LONG_TEXT;
    size_t len = most - 1 + coins_below(coins, 3);

    for (size_t i = 0; i < len; i++)
        buf_add_text(out, "a");
}

static void
add_extreme(struct buf *out, const struct schema_column *c, struct coins *coins)
{
    const char *text =
        extremes[c->type].texts[coins_below(coins, extremes[c->type].n)];
    uint32_t dice = coins_below(coins, 32);

    /* Of what is not valid UTF-8, the import takes nothing; NUL it takes. */
    if (c->type == TYPE_TEXT && dice == 0)
        add_long_text(out, c, coins);
    else if (c->type == TYPE_TEXT && dice == 1)
        value_add_text(out, (str){"a\0b", 3});
    else if (c->type == TYPE_TEXT)
        value_add_text(out, str_of(text));
    else
        buf_add_text(out, text);
}

/* A value without list and range: small, so that many people share it. */
static void
add_common(struct buf *out, const struct schema_column *c, struct coins *coins)
{
    unsigned n = coins_below(coins, 20);

    switch (c->type) {
    case TYPE_BOOL: buf_add_text(out, n % 2 ? "true" : "false"); break;
    case TYPE_TEXT: buf_printf(out, "word%u", n); break;
    case TYPE_DATE: buf_printf(out, "2020-01-%02u", n + 1); break;
    case TYPE_TIMESTAMP:
        buf_printf(out, "2020-01-%02u %02u:30:00", n + 1, n);
        break;
    default: buf_printf(out, "%u", n); break;
    }
}

static bool
is_listed(const struct schema_column *c, const struct datum *d)
{
    for (size_t i = 0; i < c->n_values; i++)
        if (!datum_cmp(&c->values[i], d))
            return true;
    return c->n_values == 0;
}

/* Adds one of the hints that the column can have, chosen at random; a number
   perhaps one more or less. False if there is none. */
static bool
add_hint(struct buf *out, const struct schema_column *c,
         const struct data_options *options, struct coins *coins)
{
    struct datum fitting[DATA_HINTS_MAX];
    uint32_t n = 0;

    for (size_t i = 0; i < options->n_hints && n < DATA_HINTS_MAX; i++)
        if (datum_read(c->type, options->hints[i], &fitting[n]) &&
            is_listed(c, &fitting[n]))
            n++;
    if (!n)
        return false;
    fitting[0] = fitting[coins_below(coins, n)];
    if (c->type != TYPE_TEXT && c->type != TYPE_BOOL && !c->n_values)
        fitting[0] = shifted(c, &fitting[0], (int)coins_below(coins, 3) - 1);
    add_datum(out, &fitting[0]);
    return true;
}

/* Targets are inside the lists, since rows outside may not count, and at the ends
   of ranges or beyond, where they count most. */
static void
add_for_target(struct buf *out, const struct schema_column *c,
               enum value_style style, const struct data_options *options,
               struct coins *coins)
{
    bool upper = style == VALUE_UPPER;

    if (coins_flip(coins, 0.75) && add_hint(out, c, options, coins))
        return;
    if (c->n_values)
        add_datum(out, &c->values[upper ? c->n_values - 1 : 0]);
    else if (c->has_range && coins_flip(coins, 0.75))
        datum_write(upper ? &c->upper : &c->lower, out);
    else if (c->type == TYPE_BOOL)
        buf_add_text(out, upper ? "true" : "false");
    else
        add_extreme(out, c, coins);
}

static void
add_any(struct buf *out, const struct schema_column *c, struct coins *coins)
{
    uint32_t dice = coins_below(coins, 100);

    if (c->n_values && dice < 80)
        add_datum(out, &c->values[coins_below(coins, (uint32_t)c->n_values)]);
    else if (c->has_range && dice < 70)
        add_in_range(out, c, coins);
    else if (c->has_range && dice < 80)
        add_beside_range(out, c, coins);
    else if (!c->n_values && !c->has_range && dice < 60)
        add_common(out, c, coins);
    else
        add_extreme(out, c, coins);
}

void
value_add(struct buf *out, const struct schema_column *c,
          enum value_style style, const struct data_options *options,
          struct coins *coins)
{
    /* Rows without a value that must be there are dropped: few of them. */
    uint32_t null_percent = style != VALUE_ANY ? (c->nullable ? 5 : 0)
                            : c->nullable      ? 10
                                               : 1;

    if (coins_below(coins, 100) < null_percent)
        return;
    if (style == VALUE_ANY)
        add_any(out, c, coins);
    else
        add_for_target(out, c, style, options, coins);
}

/* --------------------------------------------------------------------- keys -- */

bool
value_add_distinct(struct buf *out, const struct schema_column *c, size_t n)
{
    struct datum d = {.type = c->type, .n = (i128)n + FIRST_KEY};
    char text[NUMBER_ROOM];

    if (c->n_values) {
        if (n >= c->n_values)
            return false;
        add_datum(out, &c->values[n]);
        return true;
    }
    if (c->has_range) {
        d = shifted(c, &c->lower, (int)n);
        if (datum_cmp(&d, &c->upper) > 0)
            return false;
    }
    if (c->type == TYPE_BOOL && n > 1)
        return false;
    switch (c->type) {
    case TYPE_BOOL: buf_add_text(out, n ? "true" : "false"); break;
    case TYPE_TEXT:
        snprintf(text, sizeof text, "Person %zu", n);
        value_add_text(out, str_of(text));
        break;
    case TYPE_TIMESTAMP:
        d.n *= c->has_range ? 1 : INT64_C(1000000);
        datum_write(&d, out);
        break;
    default: datum_write(&d, out); break;
    }
    return true;
}
