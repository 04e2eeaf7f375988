/*
 * Public values: reading, writing, comparing. All arithmetic is on integers;
 * dates are in the proleptic Gregorian calendar.
 */
#include "base/datum.h"

#include <strings.h>

enum {
    DIGITS_MAX = 36,
    EXPONENT_MAX = 36,
    DAYS_OF_400_YEARS = 146097,
    DAYS_TO_1970 = 719468, /* from 0000-03-01 */
};

static const struct {
    const char *name;
    enum data_type type;
} names[] = {
    /* the first name of a type is the one we write */
    {"null", TYPE_NULL},       {"boolean", TYPE_BOOL},
    {"integer", TYPE_INT},     {"decimal", TYPE_DECIMAL},
    {"real", TYPE_REAL},       {"text", TYPE_TEXT},
    {"date", TYPE_DATE},       {"timestamp", TYPE_TIMESTAMP},
    {"bool", TYPE_BOOL},       {"int", TYPE_INT},
    {"bigint", TYPE_INT},      {"smallint", TYPE_INT},
    {"numeric", TYPE_DECIMAL}, {"double", TYPE_REAL},
    {"float", TYPE_REAL},      {"varchar", TYPE_TEXT},
    {"string", TYPE_TEXT},
};

const char *
data_type_name(enum data_type type)
{
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (names[i].type == type)
            return names[i].name;
    return "unknown"; /* UNREACHABLE: every type has a name */
}

bool
data_type_find(str name, enum data_type *out)
{
    for (size_t i = 1; i < COUNT_OF(names); i++)
        if (strlen(names[i].name) == name.len &&
            !strncasecmp(names[i].name, name.ptr, name.len)) {
            *out = names[i].type;
            return true;
        }
    return false;
}

bool
data_type_is_number(enum data_type type)
{
    return type == TYPE_INT || type == TYPE_DECIMAL || type == TYPE_REAL;
}

/* ------------------------------------------------------------- reading -- */

struct reader {
    const char *ptr, *end;
};

static bool
accept_char(struct reader *r, char c)
{
    if (r->ptr == r->end || *r->ptr != c)
        return false;
    r->ptr++;
    return true;
}

static bool
read_digit(struct reader *r, int *out)
{
    if (r->ptr == r->end || *r->ptr < '0' || *r->ptr > '9')
        return false;
    *out = *r->ptr++ - '0';
    return true;
}

/* Reads exactly n digits. */
static bool
read_digits(struct reader *r, int n, int *out)
{
    int d;

    *out = 0;
    while (n-- > 0) {
        if (!read_digit(r, &d))
            return false;
        *out = *out * 10 + d;
    }
    return true;
}

/* Reads an exponent such as "e-3", or nothing. */
static bool
read_exponent(struct reader *r, int *out)
{
    bool minus, any = false;
    int d;

    *out = 0;
    if (!accept_char(r, 'e') && !accept_char(r, 'E'))
        return true;
    minus = accept_char(r, '-');
    if (!minus)
        accept_char(r, '+');
    while (read_digit(r, &d)) {
        any = true;
        *out = *out * 10 + d;
        if (*out > EXPONENT_MAX)
            return false;
    }
    if (minus)
        *out = -*out;
    return any;
}

/* Reads a decimal and removes trailing zeros from its fraction. */
static bool
read_number(struct reader *r, struct datum *out)
{
    bool minus = accept_char(r, '-'), any = false, point = false;
    int d, e, significant = 0, scale = 0;
    i128 n = 0;

    if (!minus)
        accept_char(r, '+');
    for (;;) {
        if (!point && accept_char(r, '.')) {
            point = true;
            continue;
        }
        if (!read_digit(r, &d))
            break;
        any = true;
        significant += significant > 0 || d > 0;
        scale += point;
        if (significant > DIGITS_MAX || scale > 2 * DIGITS_MAX)
            return false;
        n = n * 10 + d;
    }
    if (!any || !read_exponent(r, &e))
        return false;
    for (scale -= e; scale > 0 && n % 10 == 0; scale--)
        n /= 10;
    for (; scale < 0; scale++) {
        if (n != 0 && ++significant > DIGITS_MAX)
            return false;
        n *= 10;
    }
    if (scale > DIGITS_MAX)
        return false;
    out->n = minus ? -n : n;
    out->scale = scale;
    return true;
}

/* Days since 1970-01-01; Howard Hinnant, "chrono-compatible low-level date
   algorithms": years begin in March, so that the leap day comes last. */
int64_t
date_days(int year, int month, int day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t era = y / 400; /* y >= 0 here */
    int64_t of_era = y - era * 400;
    int64_t of_year =
        (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

    return era * DAYS_OF_400_YEARS + of_era * 365 + of_era / 4 - of_era / 100 +
           of_year - DAYS_TO_1970;
}

static bool
is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static bool
read_date(struct reader *r, int64_t *out)
{
    static const int length[] = {31, 28, 31, 30, 31, 30,
                                 31, 31, 30, 31, 30, 31};
    int year, month, day;

    if (!read_digits(r, 4, &year) || !accept_char(r, '-') ||
        !read_digits(r, 2, &month) || !accept_char(r, '-') ||
        !read_digits(r, 2, &day))
        return false;
    if (year < 1 || month < 1 || month > 12 || day < 1 ||
        day > length[month - 1] + (month == 2 && is_leap(year)))
        return false;
    *out = date_days(year, month, day);
    return true;
}

/* Reads "12:34[:56[.123456]]" as microseconds. */
static bool
read_time(struct reader *r, int64_t *out)
{
    int hour, minute, second = 0, d;
    int64_t us = 0, unit = 1000000;

    if (!read_digits(r, 2, &hour) || !accept_char(r, ':') ||
        !read_digits(r, 2, &minute))
        return false;
    if (accept_char(r, ':')) {
        if (!read_digits(r, 2, &second))
            return false;
        if (accept_char(r, '.')) {
            if (!read_digit(r, &d))
                return false;
            do {
                unit /= 10;
                us += d * unit;
            } while (unit > 1 && read_digit(r, &d));
        }
    }
    if (hour > 23 || minute > 59 || second > 59)
        return false;
    *out = ((hour * 60 + minute) * 60 + second) * INT64_C(1000000) + us;
    return true;
}

/* Skips a time zone such as "+02:30" or " +00", if there is one: our times have
   no time zone, and like PostgreSQL we ignore it. */
static bool
skip_zone(struct reader *r)
{
    int hours, minutes;

    if (r->ptr == r->end)
        return true;
    accept_char(r, ' ');
    if (accept_char(r, 'Z'))
        return true;
    if ((!accept_char(r, '+') && !accept_char(r, '-')) ||
        !read_digits(r, 2, &hours))
        return false;
    if (r->ptr == r->end)
        return true;
    accept_char(r, ':');
    return read_digits(r, 2, &minutes);
}

static bool
read_timestamp(struct reader *r, struct datum *out)
{
    int64_t days, us = 0;

    if (!read_date(r, &days))
        return false;
    if (r->ptr < r->end) {
        if (!accept_char(r, ' ') && !accept_char(r, 'T'))
            return false;
        if (!read_time(r, &us) || !skip_zone(r))
            return false;
    }
    out->n = (i128)days * DAY_US + us;
    return true;
}

static bool
read_bool(struct reader *r, struct datum *out)
{
    static const char *const words[2][5] = {{"false", "f", "no", "off", "0"},
                                            {"true", "t", "yes", "on", "1"}};
    size_t len = (size_t)(r->end - r->ptr);

    for (int truth = 0; truth < 2; truth++)
        for (size_t i = 0; i < COUNT_OF(words[0]); i++)
            if (strlen(words[truth][i]) == len &&
                !strncasecmp(words[truth][i], r->ptr, len)) {
                out->n = truth;
                r->ptr = r->end;
                return true;
            }
    return false;
}

bool
datum_read(enum data_type type, str text, struct datum *out)
{
    struct reader r = {text.ptr, text.ptr + text.len};
    struct datum d = {.type = type};
    int64_t days;
    bool good = false;

    switch (type) {
    case TYPE_NULL: return false;
    case TYPE_BOOL: good = read_bool(&r, &d); break;
    case TYPE_INT: good = read_number(&r, &d) && d.scale == 0; break;
    case TYPE_DECIMAL:
    case TYPE_REAL: good = read_number(&r, &d); break;
    case TYPE_TEXT:
        d.text = text;
        *out = d;
        return true;
    case TYPE_DATE:
        good = read_date(&r, &days) && skip_zone(&r);
        if (good)
            d.n = days;
        break;
    case TYPE_TIMESTAMP: good = read_timestamp(&r, &d); break;
    }
    if (!good || r.ptr != r.end)
        return false;
    *out = d;
    return true;
}

/* ------------------------------------------------------------ rounding -- */

bool
datum_round(struct datum *d, int precision, int scale)
{
    i128 most = 1;

    for (; d->scale > scale; d->scale--) {
        bool last = d->scale == scale + 1;
        i128 rest = d->n % 10;

        /* Only the first digit after the cut decides; 5 or more rounds away
           from 0. */
        d->n /= 10;
        if (last && (rest >= 5 || rest <= -5))
            d->n += rest < 0 ? -1 : 1;
    }
    for (int i = 0; i < precision - scale + d->scale; i++)
        most *= 10;
    return d->n < most && d->n > -most;
}

/* ------------------------------------------------------------- writing -- */

static void
write_decimal(i128 n, int scale, struct buf *out)
{
    char text[41];
    size_t len = custos_int_write(n < 0 ? -n : n, text);
    size_t fraction = (size_t)scale;

    if (n < 0)
        buf_add(out, "-", 1);
    if (fraction == 0) {
        buf_add(out, text, len);
    } else if (len > fraction) {
        buf_add(out, text, len - fraction);
        buf_add(out, ".", 1);
        buf_add(out, text + len - fraction, fraction);
    } else {
        buf_add_text(out, "0.");
        for (size_t i = len; i < fraction; i++)
            buf_add(out, "0", 1);
        buf_add(out, text, len);
    }
}

void
date_split(int64_t days, int *year, int *month, int *day)
{
    int64_t z = days + DAYS_TO_1970;
    int64_t era = z / DAYS_OF_400_YEARS;
    int64_t of_era = z - era * DAYS_OF_400_YEARS;
    int64_t y =
        (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * y + y / 4 - y / 100);
    int64_t m = (5 * of_year + 2) / 153;

    *day = (int)(of_year - (153 * m + 2) / 5 + 1);
    *month = (int)(m < 10 ? m + 3 : m - 9);
    *year = (int)(y + era * 400 + (*month <= 2));
}

static void
write_date(int64_t days, struct buf *out)
{
    int year, month, day;

    date_split(days, &year, &month, &day);
    buf_printf(out, "%04d-%02d-%02d", year, month, day);
}

static void
write_timestamp(int64_t us, struct buf *out)
{
    int64_t days = us / DAY_US, of_day = us % DAY_US;
    int64_t seconds, fraction;

    if (of_day < 0) {
        of_day += DAY_US;
        days--;
    }
    write_date(days, out);
    seconds = of_day / 1000000;
    fraction = of_day % 1000000;
    buf_printf(out, " %02d:%02d:%02d", (int)(seconds / 3600),
               (int)(seconds / 60 % 60), (int)(seconds % 60));
    if (fraction)
        buf_printf(out, ".%06d", (int)fraction);
}

void
datum_write(const struct datum *d, struct buf *out)
{
    switch (d->type) {
    case TYPE_NULL: buf_add_text(out, "NULL"); break;
    case TYPE_BOOL: buf_add_text(out, d->n ? "true" : "false"); break;
    case TYPE_INT:
    case TYPE_DECIMAL:
    case TYPE_REAL: write_decimal(d->n, d->scale, out); break;
    case TYPE_TEXT: buf_add(out, d->text.ptr, d->text.len); break;
    case TYPE_DATE: write_date((int64_t)d->n, out); break;
    case TYPE_TIMESTAMP: write_timestamp((int64_t)d->n, out); break;
    }
}

/* ----------------------------------------------------------- comparing -- */

static int
cmp_i128(i128 a, i128 b)
{
    return (a > b) - (a < b);
}

/* Whole parts first; then fractions digit by digit, so nothing overflows. */
static int
cmp_numbers(const struct datum *a, const struct datum *b)
{
    i128 ten_a = 1, ten_b = 1, rest_a, rest_b;

    for (int i = 0; i < a->scale; i++)
        ten_a *= 10;
    for (int i = 0; i < b->scale; i++)
        ten_b *= 10;
    if (a->n / ten_a != b->n / ten_b)
        return cmp_i128(a->n / ten_a, b->n / ten_b);
    rest_a = a->n % ten_a;
    rest_b = b->n % ten_b;
    while (rest_a != 0 || rest_b != 0) {
        i128 digit_a, digit_b;

        /* ten <= 10^36 and |rest| < ten: a factor of 10 stays below 2^127. */
        rest_a *= 10;
        rest_b *= 10;
        digit_a = rest_a / ten_a;
        digit_b = rest_b / ten_b;
        if (digit_a != digit_b)
            return cmp_i128(digit_a, digit_b);
        rest_a %= ten_a;
        rest_b %= ten_b;
    }
    return 0;
}

static int
cmp_text(str a, str b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len ? memcmp(a.ptr, b.ptr, len) : 0;

    return order ? order : (a.len > b.len) - (a.len < b.len);
}

int
datum_cmp(const struct datum *a, const struct datum *b)
{
    if (a->type == TYPE_NULL || b->type == TYPE_NULL)
        return (a->type == TYPE_NULL) - (b->type == TYPE_NULL);
    if (a->type == TYPE_TEXT)
        return cmp_text(a->text, b->text);
    if (data_type_is_number(a->type))
        return cmp_numbers(a, b);
    return cmp_i128(a->n, b->n);
}
