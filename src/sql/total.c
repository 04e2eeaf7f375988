/*
 * One row for each function of the engine. Those that only one function of ours
 * prints stand in its row of functions.def or aggregates.def. BIG and SMALL are
 * the ends of BIGINT, WIDE_BIG and WIDE_SMALL those of HUGEINT. Dates are in the
 * years 1 to 9999: no others are stored or computed.
 */
#include "sql/total.h"

#include "base/base.h"

#define BIG "CAST('9223372036854775807' AS BIGINT)"
#define SMALL "CAST('-9223372036854775808' AS BIGINT)"
#define ONE "CAST('1' AS BIGINT)"
#define MINUS "CAST('-1' AS BIGINT)"
#define WIDE_BIG "CAST('170141183460469231731687303715884105727' AS HUGEINT)"
#define WIDE_SMALL "CAST('-170141183460469231731687303715884105728' AS HUGEINT)"
#define WIDE_MINUS "CAST('-1' AS HUGEINT)"
#define NAN "CAST('nan' AS DOUBLE)"
#define INF "CAST('inf' AS DOUBLE)"
#define FAR "CAST('1e308' AS DOUBLE)"
#define FIRST "DATE '0001-01-01'"
#define LAST "DATE '9999-12-31'"
#define FIRST_TIME "TIMESTAMP '0001-01-01'"
#define LAST_TIME "TIMESTAMP '9999-12-31 23:59:59.999999'"
#define NINES "CAST('99999999999999999999999999999999999999' AS DECIMAL(38, 0))"
#define LONG "repeat('aé', 100000)"

#define NUMBERS                                                                \
    "(VALUES (" INF "), (- " INF "), (" NAN "), (CAST(NULL AS DOUBLE))) AS "   \
    "v(x)"
#define LARGE "(VALUES (" FAR "), (" FAR "), (- " FAR ")) AS v(x)"

#define STOPS "stops at the ends of its type"
#define OF_DATES "every date and timestamp is of the years 1 to 9999"
#define READS "NULL if the text is not such a value"

const struct total totals[] = {
/* what scalar functions print */
#define ROW(id, ...) __VA_ARGS__
#define TOTAL(...) {__VA_ARGS__},
#include "sql/functions.def"
    /* our own functions that several of them use */
    {"whole_clamp", "one of its arguments",
     "whole_clamp(" BIG ", " SMALL ", " MINUS ")"},
    {"whole_narrow", STOPS,
     "whole_narrow(" WIDE_BIG "); whole_narrow(" WIDE_SMALL ")"},
    {"whole_of", STOPS "; of NaN NULL",
     "whole_of(" NAN ", " SMALL ", " BIG "); whole_of(" INF ", " SMALL ", " BIG
     "); whole_of(- " FAR ", " WIDE_SMALL ", " WIDE_BIG ")"},
    {"whole_index", "outside its range NULL",
     "whole_index(" SMALL ", " BIG ", " BIG "); whole_index(" WIDE_BIG
     ", " WIDE_SMALL ", " WIDE_BIG ")"},
    {"period_number", "outside the years 1 to 9999 NULL",
     "period_number(DATE 'infinity', " ONE "); period_number(" FIRST ", " SMALL
     "); period_number(TIMESTAMP '-infinity', CAST('5' AS BIGINT)); "
     "period_number(TIMESTAMP '294247-01-10', " ONE ")"},
    {"date_shift", "outside the years 1 to 9999 NULL",
     "date_shift(" LAST ", " BIG "); date_shift(" FIRST ", " SMALL ")"},
    {"read_whole", READS,
     "read_whole('9223372036854775808'); read_whole(" LONG
     "); read_whole('1_0')"},
    {"read_real", READS, "read_real('1e999'); read_real('nan')"},
    {"read_bool", READS, "read_bool('maybe')"},
    {"read_date", READS, "read_date('20000-01-01'); read_date('infinity')"},
    {"read_timestamp", READS, "read_timestamp('294248-01-01 00:00:00')"},
    {"read_decimal", READS,
     "read_decimal('1e36', 38, 38); read_decimal('x', 0, 9)"},
    {"text_concat", "NULL where it is long", "text_concat(" LONG ", " LONG ")"},
    {"text_short", "NULL where it is long", "text_short(" LONG ", 4096)"},
    {"text_like", "NULL after a fixed number of steps",
     "text_like(" LONG ", '%a_é%_%z'); text_like('a', 'a\\')"},
    /* the engine's */
    {"TRY_CAST", "NULL where it is impossible",
     "TRY_CAST(" NAN " AS BIGINT); TRY_CAST(" INF " AS DECIMAL(38, 9)); "
     "TRY_CAST(" WIDE_BIG " AS BIGINT); TRY_CAST(" NINES
     " AS DECIMAL(38, 2)); TRY_CAST(" LAST " AS TIMESTAMP); TRY_CAST(" LAST_TIME
     " AS DATE)"},
    {"CAST", "literals; numbers as DOUBLE; BIGINT as HUGEINT; clamped before",
     "CAST(" NINES " AS DOUBLE); CAST(" WIDE_SMALL " AS DOUBLE); CAST(" BIG
     " AS HUGEINT)"},
    {"date_diff", OF_DATES, "date_diff('day', " FIRST ", " LAST ")"},
    {"IN", "of one type", NAN " IN (" INF ", " NAN ", NULL)"},
/* aggregates, over public rows */
#define ROW(id, ...) __VA_ARGS__
#define TOTAL(...) {__VA_ARGS__},
#include "sql/aggregates.def"
};

/* Sums are of whole numbers in 128 bits, or of doubles. */
const struct total totals_around[] = {
    {"sum", "rows times the bound of a part are below 2^126, doubles to inf",
     "sum(" BIG "); sum(" SMALL "); sum(" FAR ")"},
    {"pow", "of doubles; exponents of a grid",
     "pow(CAST('2' AS DOUBLE), 1074) * " FAR
     "; pow(CAST('10' AS DOUBLE), -36)"},
    {"epoch_us", OF_DATES, "epoch_us(" FIRST_TIME "); epoch_us(" LAST_TIME ")"},
    {"calendar", "outside the years 1 to 9999 NULL",
     "calendar(DATE 'infinity'); calendar(DATE '290309-12-22 (BC)'); "
     "calendar(TIMESTAMP 'infinity'); calendar(TIMESTAMP '294247-01-10')"},
    {"enum_code", "of a value of the ENUM, or NULL",
     "enum_code(TRY_CAST('x' AS ENUM('a', 'b')))"},
    {"replace", "of the text of a decimal",
     "replace(CAST(" NINES " AS VARCHAR), '.', '')"},
    {"isnan", "of doubles", "isnan(" INF ")"},
    {"isfinite", "of doubles", "isfinite(" NAN ")"},
    {"strlen", "bytes of a text", "strlen(" LONG ")"},
    {"concat", "of texts of a row, for its hash", "concat(" LONG ", NULL)"},
    {"contains", "of texts", "contains(" LONG ", 'z')"},
    {"hash", "of any value", "hash(" NAN ", " LONG ", " WIDE_SMALL ")"},
    {"row_hash", "of any text", "row_hash(" LONG ")"},
    {"v - c, squared", "squares of a part are at most 2^48: grid_lay",
     "sum(CAST(CAST('16777216' AS INTEGER) - CAST('-16777216' AS HUGEINT) AS "
     "BIGINT) * CAST(CAST('16777216' AS INTEGER) - CAST('-16777216' AS "
     "HUGEINT) AS BIGINT))"},
    {"dense_rank", "fewer than 2^63 rows",
     "dense_rank() OVER (ORDER BY " NAN ")"},
    {"row_number", "fewer than 2^63 rows",
     "row_number() OVER (ORDER BY " NAN ")"},
};

const size_t n_totals = sizeof totals / sizeof *totals;
const size_t n_totals_around = sizeof totals_around / sizeof *totals_around;

/* Aggregates that fail on some values: sums past 128 bits, variances that are
   not finite. */
static const char *const partial[] = {
#define ROW(id, ...) __VA_ARGS__
#define PARTIAL(name) name,
#include "sql/aggregates.def"
};

/* Which list a text is checked against. */
enum scope { IN_EXPRESSION, IN_PUBLIC };

static bool
is_listed(str name, enum scope scope)
{
    if (str_equal(name, str_of("DECIMAL"))) /* a type */
        return true;
    for (size_t i = 0; i < n_totals; i++)
        if (str_equal(name, str_of(totals[i].name)))
            return true;
    for (size_t i = 0; scope == IN_PUBLIC && i < COUNT_OF(partial); i++)
        if (str_equal(name, str_of(partial[i])))
            return true;
    return false;
}

static bool
is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}

/* Skips quoted texts; a doubled quote ends one and begins another. */
static bool
are_listed(const char *text, size_t len, enum scope scope)
{
    size_t name = 0;
    bool quoted = false;

    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\'')
            quoted = !quoted;
        if (quoted || text[i] == '\'')
            name = i + 1;
        else if (text[i] == '(' && i > name &&
                 !is_listed((str){text + name, i - name}, scope))
            return false;
        if (!quoted && !is_of_name(text[i]))
            name = i + 1;
    }
    return true;
}

bool
total_is_text(const char *text, size_t len)
{
    return are_listed(text, len, IN_EXPRESSION);
}

bool
total_is_public_text(const char *text, size_t len)
{
    return are_listed(text, len, IN_PUBLIC);
}
