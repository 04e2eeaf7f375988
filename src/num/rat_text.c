/*
 * Reads rationals from text and writes them. The grammar is our own:
 *
 *     number   = [sign] digits [ "." digits ] [ ("e"|"E") [sign] digits ]
 *              | [sign] digits "/" digits
 *
 * (also ".5" and "5."). Bytes are compared directly; the locale plays no part.
 */
#include <string.h>

#include "base/error.h"
#include "num/rat.h"

struct reader {
    const char *text;
    size_t at;
};

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Skips a run of digits; returns how many. */
static size_t
skip_digits(struct reader *r)
{
    size_t from = r->at;

    while (is_digit(r->text[r->at]))
        r->at++;
    return r->at - from;
}

/* Skips a sign; true when it was a minus. */
static bool
skip_sign(struct reader *r)
{
    char c = r->text[r->at];

    if (c == '+' || c == '-')
        r->at++;
    return c == '-';
}

/* z = z * 10^len + the digits at from. */
static void
add_digits(mpz_t z, const char *from, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        mpz_mul_ui(z, z, 10);
        mpz_add_ui(z, z, (unsigned long)(from[i] - '0'));
    }
}

/*
 * Reads an exponent of at most 4 digits; false if there is none or it is
 * longer.
 */
static bool
read_exponent(struct reader *r, long *exponent)
{
    bool minus = skip_sign(r);
    const char *from = r->text + r->at;
    size_t len = skip_digits(r);

    if (len == 0 || len > 4)
        return false;
    *exponent = 0;
    for (size_t i = 0; i < len; i++)
        *exponent = 10 * *exponent + (from[i] - '0');
    if (*exponent > RAT_EXPONENT_MAX)
        return false;
    if (minus)
        *exponent = -*exponent;
    return true;
}

/* Reads num and den; false if the text is not in the grammar. */
static bool
read_number(const char *text, mpz_t num, mpz_t den)
{
    struct reader r = {text, 0};
    bool minus = skip_sign(&r);
    size_t from = r.at, whole = skip_digits(&r), decimals = 0;
    long exponent = 0;

    mpz_set_ui(num, 0);
    mpz_set_ui(den, 1);
    add_digits(num, text + from, whole);
    if (text[r.at] == '/' && whole > 0) {
        from = ++r.at;
        whole = skip_digits(&r);
        mpz_set_ui(den, 0);
        add_digits(den, text + from, whole);
    } else {
        if (text[r.at] == '.') {
            from = ++r.at;
            decimals = skip_digits(&r);
            add_digits(num, text + from, decimals);
        }
        if (whole + decimals == 0)
            return false;
        if (text[r.at] == 'e' || text[r.at] == 'E') {
            r.at++;
            if (!read_exponent(&r, &exponent))
                return false;
        }
        exponent -= (long)decimals;
    }
    if (text[r.at] != '\0' || mpz_sgn(den) == 0)
        return false;
    if (exponent != 0) {
        mpz_t power;

        mpz_init(power);
        mpz_ui_pow_ui(power, 10,
                      (unsigned long)(exponent < 0 ? -exponent : exponent));
        mpz_mul(exponent < 0 ? den : num, exponent < 0 ? den : num, power);
        mpz_clear(power);
    }
    if (minus)
        mpz_neg(num, num);
    return true;
}

custos_status
rat_read(const char *text, const char *name, rat *r, custos_err *err)
{
    rat got;
    bool good;

    if (!text)
        return custos_fail(err, CUSTOS_EPARSE, "%s is missing", name);
    if (strnlen(text, RAT_TEXT_MAX + 1) > RAT_TEXT_MAX)
        return custos_fail(err, CUSTOS_EPARSE,
                           "%s is longer than %d characters", name,
                           (int)RAT_TEXT_MAX);
    rat_init(&got);
    good = read_number(text, mpq_numref(got.q), mpq_denref(got.q));
    if (good) {
        mpq_canonicalize(got.q);
        mpq_swap(r->q, got.q);
    }
    rat_clear(&got);
    if (!good)
        return custos_fail(err, CUSTOS_EPARSE,
                           "%s must be a number such as 0.1, 1e-6 or 1/3, "
                           "not \"%.60s\"",
                           name, text);
    return CUSTOS_OK;
}

custos_status
rat_read_positive(const char *text, const char *name, rat *r, custos_err *err)
{
    custos_status st = rat_read(text, name, r, err);

    if (st)
        return st;
    if (rat_sign(r) <= 0)
        return custos_fail(err, CUSTOS_ERANGE,
                           "%s must be above 0, not \"%.60s\"", name, text);
    return CUSTOS_OK;
}

custos_status
rat_read_delta(const char *text, const char *name, rat *r, custos_err *err)
{
    custos_status st = rat_read(text, name, r, err);

    if (st)
        return st;
    if (rat_sign(r) < 0 || rat_cmp_i64(r, 1) >= 0)
        return custos_fail(err, CUSTOS_ERANGE,
                           "%s must lie in [0, 1), not \"%.60s\"", name, text);
    return CUSTOS_OK;
}

custos_status
rat_read_open_unit(const char *text, const char *name, rat *r, custos_err *err)
{
    custos_status st = rat_read(text, name, r, err);

    if (st)
        return st;
    if (rat_sign(r) <= 0 || rat_cmp_i64(r, 1) >= 0)
        return custos_fail(err, CUSTOS_ERANGE,
                           "%s must lie between 0 and 1, not \"%.60s\"", name,
                           text);
    return CUSTOS_OK;
}

/* Appends the digits of z to out. */
static void
write_mpz(const mpz_t z, struct buf *out)
{
    char small[4096];

    CUSTOS_REQUIRE(mpz_sizeinbase(z, 10) + 2 <= sizeof small);
    mpz_get_str(small, 10, z);
    buf_add_text(out, small);
}

/*
 * The number of decimal places that write a exactly, or -1. The denominator
 * must be 2^i 5^j, and at most 40 places may be needed.
 */
static int
exact_places(const rat *a)
{
    mpz_t rest, base;
    mp_bitcnt_t twos, fives;
    bool finite;

    mpz_init(rest);
    mpz_init_set_ui(base, 2);
    twos = mpz_remove(rest, mpq_denref(a->q), base);
    mpz_set_ui(base, 5);
    fives = mpz_remove(rest, rest, base);
    finite = mpz_cmp_ui(rest, 1) == 0;
    mpz_clear(rest);
    mpz_clear(base);
    if (twos < fives)
        twos = fives;
    return finite && twos <= 40 ? (int)twos : -1;
}

/* Writes z with a decimal point `places` digits before its end. */
static void
write_places(const mpz_t z, size_t places, struct buf *out)
{
    char digits[4096];
    size_t len;

    CUSTOS_REQUIRE(mpz_sizeinbase(z, 10) + 2 <= sizeof digits);
    if (mpz_sgn(z) < 0)
        buf_add(out, "-", 1);
    mpz_get_str(digits, 10, z);
    len = strlen(digits);
    if (digits[0] == '-')
        memmove(digits, digits + 1, len--);
    if (places == 0) {
        buf_add(out, digits, len);
        return;
    }
    if (len <= places)
        buf_add(out, "0", 1);
    else
        buf_add(out, digits, len - places);
    buf_add(out, ".", 1);
    for (size_t i = len; i < places; i++)
        buf_add(out, "0", 1);
    len = len < places ? len : places;
    buf_add(out, digits + strlen(digits) - len, len);
}

void
rat_write(const rat *a, struct buf *out)
{
    int places = exact_places(a);
    mpz_t z;

    if (places < 0) {
        write_mpz(mpq_numref(a->q), out);
        buf_add(out, "/", 1);
        write_mpz(mpq_denref(a->q), out);
        return;
    }
    mpz_init(z);
    mpz_ui_pow_ui(z, 10, (unsigned long)places);
    mpz_mul(z, z, mpq_numref(a->q));
    mpz_divexact(z, z, mpq_denref(a->q));
    write_places(z, (size_t)places, out);
    mpz_clear(z);
}

bool
rat_write_into(const rat *a, char *text, size_t room)
{
    struct buf b;
    bool fits;

    buf_init(&b, NULL, room);
    rat_write(a, &b);
    fits = !b.failed;
    if (fits)
        memcpy(text, buf_text(&b), b.len + 1);
    buf_clear(&b);
    return fits;
}
