/*
 * Encodes and decodes numeric (digits of base 10,000) and floats (shortest
 * decimals).
 */
#include "wire/pg_number.h"

#include <math.h>
#include <stdio.h>

#include "wire/pg_bytes.h"

/* ----------------------------------------------------------- numeric -- */

enum {
    GROUP = 4,       /* decimal digits of one base-10,000 digit */
    GROUPS_MAX = 40, /* more groups: over 36 digits, or useless zeros */
    WEIGHT_MAX = 20, /* of the first group, positive or negative */
    SCALE_MAX = 80,  /* of a written number: far above any in use */
    SIGN_MINUS = 0x4000,
};

static int
group_value(const char *digits)
{
    int v = 0;

    for (int i = 0; i < GROUP; i++)
        v = v * 10 + (digits[i] - '0');
    return v;
}

/*
 * Pads the digits with zeros on both sides, so that the decimal point falls
 * between two groups. Groups of zeros at either end are not sent.
 */
void
numeric_write(i128 n, int scale, struct buf *out)
{
    char text[41], padded[41 + SCALE_MAX + 2 * GROUP];
    size_t sign = n < 0, len = custos_int_write(n, text) - sign;
    size_t fraction = (size_t)scale;
    size_t whole = len > fraction ? len - fraction : 0;
    size_t before = (GROUP - whole % GROUP) % GROUP;
    size_t zeros = len > fraction ? 0 : fraction - len; /* as in 0.00<text> */
    size_t total = before + whole + fraction, first = 0, last;

    CUSTOS_REQUIRE(scale >= 0 && scale <= SCALE_MAX);
    memset(padded, '0', sizeof padded);
    memcpy(padded + before + zeros, text + sign, len);
    last = (total + GROUP - 1) / GROUP;
    while (first < last && group_value(padded + GROUP * first) == 0)
        first++;
    while (last > first && group_value(padded + GROUP * (last - 1)) == 0)
        last--;
    add_u16(out, (uint16_t)(last - first));
    add_u16(out, last == first
                     ? 0
                     : (uint16_t)((before + whole) / GROUP - 1 - first));
    add_u16(out, n < 0 ? SIGN_MINUS : 0);
    add_u16(out, (uint16_t)fraction);
    for (size_t i = first; i < last; i++)
        add_u16(out, (uint16_t)group_value(padded + GROUP * i));
}

/* Converts the number to decimal text and reads that. */
bool
numeric_read(str bytes, struct datum *out)
{
    char text[GROUP * (GROUPS_MAX + 2 * WEIGHT_MAX) + 8];
    size_t len = 0;
    int n, weight, sign;

    if (bytes.len < 8)
        return false;
    n = u16_at(bytes.ptr);
    weight = (int16_t)u16_at(bytes.ptr + 2);
    sign = u16_at(bytes.ptr + 4);
    if (n > GROUPS_MAX || bytes.len != 8 + 2 * (size_t)n ||
        (sign && sign != SIGN_MINUS))
        return false;
    if (n > 0 && (weight > WEIGHT_MAX || weight < -WEIGHT_MAX))
        return false;
    text[len++] = sign ? '-' : '+';
    text[len++] = '0';
    if (n == 0)
        weight = 0;
    for (int i = weight < 0 ? weight + 1 : 0; i < n || i <= weight; i++) {
        int v = i >= 0 && i < n ? u16_at(bytes.ptr + 8 + 2 * (size_t)i) : 0;

        if (v > 9999)
            return false;
        if (i == weight + 1)
            text[len++] = '.';
        len += (size_t)snprintf(text + len, sizeof text - len, "%04d", v);
    }
    if (n > weight + 1)
        while (text[len - 1] == '0')
            len--;
    return datum_read(TYPE_DECIMAL, (str){text, len}, out);
}

/* ------------------------------------------------------------ floats -- */

/* sure: a decimal of up to this many digits is the same after conversion to a
   float of this size and back; enough: this many digits identify every float of
   this size. */
static const struct {
    int sure, enough;
} digits_of[] = {[FLOAT_4] = {6, 9}, [FLOAT_8] = {15, 17}};

/* The nearest float of this size, as a double. */
static double
nearest_float(const char *text, enum float_bytes size)
{
    return size == FLOAT_8 ? strtod(text, NULL) : (double)strtof(text, NULL);
}

/* Writes x as d.ddde-05, with the fewest digits that read back as the same float;
   there may be zeros at the end. */
static void
write_shortest(double x, enum float_bytes size, char text[32])
{
    for (int n = digits_of[size].sure; n <= digits_of[size].enough; n++) {
        snprintf(text, 32, "%.*e", n - 1, x);
        if (nearest_float(text, size) == x)
            return;
    }
}

static double
float_of(const struct datum *d, enum float_bytes size)
{
    char text[64];
    size_t len = custos_int_write(d->n, text);

    snprintf(text + len, sizeof text - len, "e-%d", d->scale);
    return nearest_float(text, size);
}

void
float_write(const struct datum *d, enum float_bytes size, struct buf *out)
{
    double x = float_of(d, size);
    float narrow = (float)x;
    uint64_t bits;
    uint32_t few;

    memcpy(&bits, &x, sizeof bits);
    memcpy(&few, &narrow, sizeof few);
    if (size == FLOAT_8)
        add_u64(out, bits);
    else
        add_u32(out, few);
}

/*
 * Like PostgreSQL, writes an exponent if the absolute value is below 1e-4 (and
 * not 0), or at least 1e15 (float8) or 1e6 (float4).
 */
void
float_write_text(const struct datum *d, enum float_bytes size, struct buf *out)
{
    char text[32], digits[20] = "0";
    size_t n = 0;
    int exponent;

    write_shortest(float_of(d, size), size, text);
    if (text[0] == '-')
        buf_add(out, "-", 1);
    for (const char *p = text; *p && *p != 'e'; p++)
        if (*p >= '0' && *p <= '9')
            digits[n++] = *p;
    exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    while (n > 1 && digits[n - 1] == '0')
        n--;
    if (exponent < -4 || exponent >= digits_of[size].sure) {
        buf_printf(out, "%.1s%s%.*se%+03d", digits, n > 1 ? "." : "",
                   (int)n - 1, digits + 1, exponent);
        return;
    }
    if (exponent < 0)
        buf_printf(out, "0.%.*s", -exponent - 1, "000");
    for (size_t i = 0; i < n || (int)i <= exponent; i++) {
        if (exponent >= 0 && (int)i == exponent + 1)
            buf_add(out, ".", 1);
        buf_add(out, i < n ? &digits[i] : "0", 1);
    }
}

bool
float_read(const char *bytes, enum float_bytes size, struct datum *out)
{
    uint64_t bits = size == FLOAT_8 ? u64_at(bytes) : 0;
    uint32_t few = u32_at(bytes);
    char text[32];
    float narrow;
    double x;

    memcpy(&x, &bits, sizeof x);
    memcpy(&narrow, &few, sizeof narrow);
    if (size == FLOAT_4)
        x = (double)narrow;
    if (!isfinite(x))
        return false;
    write_shortest(x, size, text);
    return datum_read(TYPE_REAL, str_of(text), out);
}
