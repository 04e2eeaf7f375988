#include "report/digits.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    READ_MAX = DIGITS_GIVEN_MAX,
    PLAIN_LEAST = -5, /* exponents outside these get scientific notation */
    PLAIN_MOST = 15,
};

/* 0.d1 d2 d3 ... times 10^point; no leading or trailing zeros. */
struct decimal {
    char digits[READ_MAX];
    int n;
    int point;
};

static void
trim(struct decimal *d)
{
    int zeros = 0;

    while (d->n > 0 && d->digits[d->n - 1] == 0)
        d->n--;
    while (zeros < d->n && d->digits[zeros] == 0)
        zeros++;
    memmove(d->digits, d->digits + zeros, (size_t)(d->n - zeros));
    d->n -= zeros;
    d->point = d->n ? d->point - zeros : 0;
}

static bool
decimal_read(const char *text, struct decimal *d)
{
    bool point = false, any = false;

    d->n = d->point = 0;
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        if (d->n == READ_MAX)
            return false;
        any = true;
        d->digits[d->n++] = (char)(*text - '0');
        d->point += !point;
    }
    if (any && (*text == 'e' || *text == 'E'))
        d->point += (int)strtol(text + 1, (char **)&text, 10);
    trim(d);
    return any && !*text;
}

/* Cuts to n digits; with `up`, raises the last digit if anything was cut. */
static void
decimal_cut(struct decimal *d, int n, bool up)
{
    if (d->n <= n)
        return;
    d->n = n;
    while (up && d->n > 0 && d->digits[d->n - 1] == 9)
        d->n--;
    if (up && d->n == 0) {
        d->digits[d->n++] = 1;
        d->point++;
    } else if (up) {
        d->digits[d->n - 1]++;
    }
    trim(d);
}

/* Digit i of the number, counted from its first one; 0 before and after its
   digits. */
static char
digit_at(const struct decimal *d, int i)
{
    return (char)('0' + (i >= 0 && i < d->n ? d->digits[i] : 0));
}

static void
decimal_write(const struct decimal *d, char out[DIGITS_MAX])
{
    bool plain = d->point > PLAIN_LEAST && d->point <= PLAIN_MOST;
    int whole = plain ? d->point : 1, at = 0;

    if (d->n == 0 || whole <= 0)
        out[at++] = '0';
    for (int i = 0; i < whole && d->n > 0; i++)
        out[at++] = digit_at(d, i);
    if (d->n > whole) {
        out[at++] = '.';
        for (int i = whole; i < d->n; i++)
            out[at++] = digit_at(d, i);
    }
    out[at] = '\0';
    if (!plain)
        snprintf(out + at, (size_t)(DIGITS_MAX - at), "e%d", d->point - 1);
}

static void
shorten(const char *text, int n, int shift, bool up, char out[DIGITS_MAX])
{
    struct decimal d;

    if (!decimal_read(text, &d)) {
        snprintf(out, DIGITS_MAX, "%.*s", DIGITS_MAX - 1, text);
        return;
    }
    decimal_cut(&d, n, up);
    d.point += d.n ? shift : 0;
    decimal_write(&d, out);
}

void
digits_up(const char *text, int n, char out[DIGITS_MAX])
{
    shorten(text, n, 0, true, out);
}

void
digits_down(const char *text, int n, char out[DIGITS_MAX])
{
    shorten(text, n, 0, false, out);
}

void
percent_up(const char *text, int n, char out[DIGITS_MAX])
{
    shorten(text, n, 2, true, out);
}

void
percent_down(const char *text, int n, char out[DIGITS_MAX])
{
    shorten(text, n, 2, false, out);
}
