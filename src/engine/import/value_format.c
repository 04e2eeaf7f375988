/*
 * Each value votes for one format, and a format with more than half of the votes is
 * the guess. Some values fit two formats, as 1,234 and 05/06/2024 do: their votes go
 * to the one that other values have.
 */
#include "engine/import/value_format.h"

#include <ctype.h>
#include <string.h>

#include "base/base.h"

enum format {
    FORMAT_UNKNOWN,
    FORMAT_DECIMAL_COMMA,
    FORMAT_THOUSANDS,
    FORMAT_COMMA_OR_THOUSANDS,
    FORMAT_FRACTION,
    FORMAT_SYMBOL,
    FORMAT_MISSING,
    FORMAT_DAY_POINTS,
    FORMAT_DAY_FIRST,
    FORMAT_MONTH_FIRST,
    FORMAT_DAY_OR_MONTH_FIRST,
    FORMAT_SHORT_YEAR,
    FORMAT_NO_SEPARATOR,
    FORMAT_SECONDS,
    FORMAT_MILLISECONDS,
    FORMAT_SEX,
    FORMAT_YES_NO,
    FORMAT_CASE,
    FORMAT_SPACES,
    FORMAT_CASE_AND_SPACES,
    FORMATS
};

#define WRITE_DATES "write dates as YYYY-MM-DD in the source, or set type: text"
#define WRITE_NUMBERS                                                          \
    "write numbers like 1234.5 in the source, or set type: text"
#define FROM_EPOCH                                                             \
    "set type: integer with a range, or write dates as YYYY-MM-DD in the "     \
    "source"
#define LIST_AS_IS                                                             \
    "change values: to what the source has, or correct the source"

static const struct value_format formats[FORMATS] = {
    [FORMAT_DECIMAL_COMMA] = {"a decimal comma", WRITE_NUMBERS},
    [FORMAT_THOUSANDS] = {"thousands separators", WRITE_NUMBERS},
    [FORMAT_COMMA_OR_THOUSANDS] = {"a decimal comma or thousands separators",
                                   WRITE_NUMBERS},
    [FORMAT_FRACTION] = {"numbers with a fraction",
                         "set type: decimal with a scale, or type: real"},
    [FORMAT_SYMBOL] = {"numbers with a unit or currency",
                       "write the number alone in the source, or set type: "
                       "text"},
    [FORMAT_MISSING] = {"a mark for a missing value",
                        "leave the field empty in the source, or accept that "
                        "they become NULL with --accept-loss"},
    [FORMAT_DAY_POINTS] = {"day.month.year", WRITE_DATES},
    [FORMAT_DAY_FIRST] = {"day/month/year", WRITE_DATES},
    [FORMAT_MONTH_FIRST] = {"month/day/year", WRITE_DATES},
    [FORMAT_DAY_OR_MONTH_FIRST] = {"day/month/year or month/day/year",
                                   WRITE_DATES},
    [FORMAT_SHORT_YEAR] = {"dates with a year of two digits", WRITE_DATES},
    [FORMAT_NO_SEPARATOR] = {"YYYYMMDD", WRITE_DATES},
    [FORMAT_SECONDS] = {"seconds since 1970", FROM_EPOCH},
    [FORMAT_MILLISECONDS] = {"milliseconds since 1970", FROM_EPOCH},
    [FORMAT_SEX] = {"a sex, of which f is read as false",
                    "set type: text with values:, such as [f, m]"},
    [FORMAT_YES_NO] = {"yes and no in other words",
                       "write true or false in the source, or set type: text "
                       "with values:"},
    [FORMAT_CASE] = {"listed values but for case", LIST_AS_IS},
    [FORMAT_SPACES] = {"listed values but for spaces", LIST_AS_IS},
    [FORMAT_CASE_AND_SPACES] = {"listed values but for case and spaces",
                                LIST_AS_IS},
};

/* What to do about values that have none of the formats above. */
static const char *
general_remedy(const struct policy_column *c, enum view_change change)
{
    if (change == CHANGE_UNLISTED)
        return "add the missing values to values:, or remove values:";
    switch (c->type) {
    case TYPE_BOOL:
        return "write true or false in the source, or set type: text with "
               "values:";
    case TYPE_TEXT: return "set a larger max_bytes:";
    case TYPE_DATE: return WRITE_DATES;
    case TYPE_TIMESTAMP:
        return "write timestamps as YYYY-MM-DD HH:MM:SS in the source, or set "
               "type: text";
    default: return WRITE_NUMBERS;
    }
}

static str
trim(str s)
{
    while (s.len > 0 && isspace((unsigned char)s.ptr[0]))
        s = (str){s.ptr + 1, s.len - 1};
    while (s.len > 0 && isspace((unsigned char)s.ptr[s.len - 1]))
        s.len--;
    return s;
}

static bool
is_one_of(str s, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_equal_but_case(s, str_of(words[i])))
            return true;
    return false;
}

static bool
is_missing_mark(str s)
{
    static const char *const marks[] = {"na",   "n/a", "nan", "null", "none",
                                        "nil",  "-",   "--",  "?",    "\\n",
                                        "#n/a", ".",   "n.a."};

    return is_one_of(s, marks, COUNT_OF(marks));
}

static size_t
count_digits(str s, size_t from)
{
    size_t n = 0;

    while (from + n < s.len && isdigit((unsigned char)s.ptr[from + n]))
        n++;
    return n;
}

static unsigned
read_digits(str s, size_t from, size_t n)
{
    unsigned x = 0;

    for (size_t i = 0; i < n; i++)
        x = x * 10 + (unsigned)(s.ptr[from + i] - '0');
    return x;
}

/* Digits with commas, points, spaces or apostrophes in between. */
static enum format
separated_number(str s)
{
    size_t commas = 0, points = 0, others = 0, last = 0;

    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];

        if (isdigit((unsigned char)c))
            continue;
        commas += c == ',';
        points += c == '.';
        others += c == ' ' || c == '\'';
        if (c != ',' && c != '.' && c != ' ' && c != '\'')
            return FORMAT_SYMBOL;
        last = i;
    }
    if (commas > 0 && s.ptr[last] == ',' && commas == 1)
        return points + others == 0 && last <= 3 && s.len - last == 4
                   ? FORMAT_COMMA_OR_THOUSANDS
                   : FORMAT_DECIMAL_COMMA;
    if (commas + others > 0 || points > 1)
        return FORMAT_THOUSANDS;
    return points == 1 ? FORMAT_FRACTION : FORMAT_UNKNOWN;
}

static enum format
number_format(const struct policy_column *c, str s)
{
    enum format f;
    size_t digits = 0;

    if (s.len > 0 && (s.ptr[0] == '-' || s.ptr[0] == '+'))
        s = (str){s.ptr + 1, s.len - 1};
    for (size_t i = 0; i < s.len; i++)
        digits += isdigit((unsigned char)s.ptr[i]) != 0;
    if (digits == 0)
        return FORMAT_UNKNOWN;
    f = separated_number(s);
    if (f == FORMAT_FRACTION && c->type != TYPE_INT)
        return FORMAT_UNKNOWN;
    /* A symbol is before or after a number, not on both sides: A1B is a code. */
    if (f == FORMAT_SYMBOL && !isdigit((unsigned char)s.ptr[0]) &&
        !isdigit((unsigned char)s.ptr[s.len - 1]))
        return FORMAT_UNKNOWN;
    return f;
}

/* Digits only: a date without separators, or a time since 1970. */
static enum format
digits_date(str s)
{
    if (s.len == 8 && read_digits(s, 4, 2) - 1 < 12 &&
        read_digits(s, 6, 2) - 1 < 31)
        return FORMAT_NO_SEPARATOR;
    if (s.len == 9 || s.len == 10)
        return FORMAT_SECONDS;
    return s.len == 12 || s.len == 13 ? FORMAT_MILLISECONDS : FORMAT_UNKNOWN;
}

static enum format
date_format(str s)
{
    size_t first = count_digits(s, 0), second, third;
    unsigned a, b;
    char mark;

    if (first == s.len)
        return digits_date(s);
    mark = s.ptr[first];
    second = count_digits(s, first + 1);
    if (first > 2 || first == 0 || second > 2 || second == 0 ||
        !strchr("./-", mark) || first + second + 1 >= s.len ||
        s.ptr[first + second + 1] != mark)
        return FORMAT_UNKNOWN;
    third = count_digits(s, first + second + 2);
    a = read_digits(s, 0, first);
    b = read_digits(s, first + 1, second);
    if (third == 2)
        return FORMAT_SHORT_YEAR;
    if (third != 4)
        return FORMAT_UNKNOWN;
    if (mark == '.')
        return FORMAT_DAY_POINTS;
    return a > 12   ? FORMAT_DAY_FIRST
           : b > 12 ? FORMAT_MONTH_FIRST
                    : FORMAT_DAY_OR_MONTH_FIRST;
}

static enum format
bool_format(str s)
{
    static const char *const sexes[] = {"m",      "w",   "male",
                                        "female", "man", "woman"};
    static const char *const answers[] = {
        "ja",        "nein", "j",   "oui", "non", "o",    "si",
        "s\xc3\xad", "sim",  "on",  "off", "x",   "wahr", "tak",
        "falsch",    "vrai", "nie", "nee", "da",  "net"};

    if (is_one_of(s, sexes, COUNT_OF(sexes)))
        return FORMAT_SEX;
    return is_one_of(s, answers, COUNT_OF(answers)) ? FORMAT_YES_NO
                                                    : FORMAT_UNKNOWN;
}

/* Does it differ from a listed value only in case and surrounding spaces? */
static enum format
list_format(const struct policy_column *c, str s)
{
    str bare = trim(s);

    for (size_t i = 0; i < c->n_values && c->type == TYPE_TEXT; i++) {
        str value = c->values[i].text;

        if (str_equal_but_case(s, value))
            return FORMAT_CASE;
        if (str_equal(bare, trim(value)))
            return FORMAT_SPACES;
        if (str_equal_but_case(bare, trim(value)))
            return FORMAT_CASE_AND_SPACES;
    }
    return is_missing_mark(bare) ? FORMAT_MISSING : FORMAT_UNKNOWN;
}

static enum format
format_of(const struct policy_column *c, enum view_change change, str s)
{
    str bare = trim(s);

    if (change == CHANGE_UNLISTED)
        return list_format(c, s);
    if (c->type != TYPE_TEXT && is_missing_mark(bare))
        return FORMAT_MISSING;
    switch (c->type) {
    case TYPE_BOOL: return bool_format(bare);
    case TYPE_INT:
    case TYPE_DECIMAL:
    case TYPE_REAL: return number_format(c, bare);
    case TYPE_DATE:
    case TYPE_TIMESTAMP: return date_format(bare);
    default: return FORMAT_UNKNOWN;
    }
}

/* Votes for a vague format go to the exact one that other values have, if these agree. */
static void
settle_votes(size_t votes[FORMATS], enum format vague, enum format a,
             enum format b)
{
    enum format to = votes[a] > 0 && votes[b] == 0   ? a
                     : votes[b] > 0 && votes[a] == 0 ? b
                                                     : vague;

    if (to == vague)
        return;
    votes[to] += votes[vague];
    votes[vague] = 0;
}

/* If some values differ in case and others in spaces, all count as differing in
   both. */
static void
settle_list(size_t votes[FORMATS])
{
    size_t all = votes[FORMAT_CASE] + votes[FORMAT_SPACES] +
                 votes[FORMAT_CASE_AND_SPACES];

    if (all == votes[FORMAT_CASE] || all == votes[FORMAT_SPACES])
        return;
    votes[FORMAT_CASE] = votes[FORMAT_SPACES] = 0;
    votes[FORMAT_CASE_AND_SPACES] = all;
}

struct value_format
value_format_guess(const struct policy_column *c, enum view_change change,
                   const str *values, size_t n)
{
    struct value_format out = {NULL, general_remedy(c, change)};
    size_t votes[FORMATS] = {0};

    for (size_t i = 0; i < n; i++)
        votes[format_of(c, change, values[i])]++;
    settle_votes(votes, FORMAT_COMMA_OR_THOUSANDS, FORMAT_DECIMAL_COMMA,
                 FORMAT_THOUSANDS);
    settle_votes(votes, FORMAT_DAY_OR_MONTH_FIRST, FORMAT_DAY_FIRST,
                 FORMAT_MONTH_FIRST);
    settle_list(votes);
    for (size_t f = FORMAT_UNKNOWN + 1; f < FORMATS; f++)
        if (votes[f] * 2 > n)
            out = formats[f];
    return out;
}
