/* Amounts are fixed-point integers; only the conversions use rationals. */
#include "account/amount.h"

#include <stdio.h>
#include <string.h>

#include "base/ck.h"
#include "num/batch.h"

/* 10^unit */
static void
unit_count(enum amount_unit unit, rat *out)
{
    i128 count = 1;

    for (int i = 0; i < (int)unit; i++)
        count *= 10;
    rat_set_i128(out, count);
}

amount
amount_from_rat_up(const rat *a, enum amount_unit unit)
{
    i128 units = 0;
    bool fits;
    rat x;

    CUSTOS_REQUIRE(rat_sign(a) >= 0);
    rat_init(&x);
    unit_count(unit, &x);
    rat_mul(&x, &x, a);
    fits = rat_ceil_i128(&x, &units);
    rat_clear(&x);
    return fits ? (amount)units : AMOUNT_INFINITE;
}

bool
amount_from_rat_down(const rat *a, enum amount_unit unit, amount *out)
{
    i128 units = 0;
    bool fits;
    rat x;

    CUSTOS_REQUIRE(rat_sign(a) >= 0);
    rat_init(&x);
    unit_count(unit, &x);
    rat_mul(&x, &x, a);
    fits = rat_floor_i128(&x, &units);
    rat_clear(&x);
    if (fits)
        *out = (amount)units;
    return fits;
}

void
amount_to_rat(amount a, enum amount_unit unit, rat *out)
{
    rat x[2];

    CUSTOS_REQUIRE(a != AMOUNT_INFINITE);
    rats_init(x, 2);
    rat_set_i128(&x[0], (i128)(a >> 1));
    rat_add(&x[0], &x[0], &x[0]);
    rat_set_i128(&x[1], (i128)(a & 1));
    rat_add(&x[0], &x[0], &x[1]);
    unit_count(unit, &x[1]);
    rat_div(out, &x[0], &x[1]);
    rats_clear(x, 2);
}

size_t
amount_write(amount a, enum amount_unit unit, char text[AMOUNT_TEXT_MAX])
{
    char digits[AMOUNT_TEXT_MAX];
    size_t at = sizeof digits, places = (size_t)unit;
    size_t len;

    if (a == AMOUNT_INFINITE)
        return (size_t)snprintf(text, AMOUNT_TEXT_MAX, "infinity");
    for (; places > 0 && a % 10 == 0; places--)
        a /= 10;
    for (size_t i = 0; i < places; i++, a /= 10)
        digits[--at] = (char)('0' + (int)(a % 10));
    if (places > 0)
        digits[--at] = '.';
    do {
        digits[--at] = (char)('0' + (int)(a % 10));
        a /= 10;
    } while (a > 0);
    len = sizeof digits - at;
    memcpy(text, digits + at, len);
    text[len] = '\0';
    return len;
}

/* a x 10 + digit */
static bool
push_digit(amount *a, unsigned digit)
{
    return ck_mul_u128(*a, 10, a) && ck_add_u128(*a, digit, a);
}

bool
amount_read(str text, enum amount_unit unit, amount *out)
{
    char again[AMOUNT_TEXT_MAX];
    size_t len;
    size_t places = 0, at = 0;
    bool point = false;
    amount a = 0;

    if (str_equal(text, str_of("infinity"))) {
        *out = AMOUNT_INFINITE;
        return true;
    }
    for (; at < text.len; at++) {
        unsigned digit = (unsigned)(unsigned char)text.ptr[at] - '0';

        if (text.ptr[at] == '.' && !point)
            point = true;
        else if (digit > 9 || !push_digit(&a, digit))
            return false;
        else
            places += point;
    }
    for (; places < (size_t)unit; places++)
        if (!push_digit(&a, 0))
            return false;
    if (places > (size_t)unit || a == AMOUNT_INFINITE)
        return false;
    /* Each amount has only one valid text, so equal amounts hash alike. */
    len = amount_write(a, unit, again);
    if (!str_equal(text, (str){again, len}))
        return false;
    *out = a;
    return true;
}
