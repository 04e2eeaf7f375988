/*
 * The tables of the fact checker: columns of every type, with and without a
 * range, nullable and not, with rows at the edges of each. The values go
 * through the import, which may change them.
 */
#ifndef TEST_ENGINE_FACT_DATA_H
#define TEST_ENGINE_FACT_DATA_H

#include "curator/edge_expr.h"
#include "made.h"

enum { FACT_ROWS = 64 };

#define FACT_COLUMNS                                                           \
    "      i: {type: integer}\n"                                               \
    "      most: {type: integer, range: [-9223372036854775808,\n"              \
    "             9223372036854775807], nullable: false}\n"                    \
    "      half: {type: integer, range: [-4611686018427387904,\n"              \
    "             4611686018427387904]}\n"                                     \
    "      exact: {type: integer, range: [-9007199254740993,\n"                \
    "              9007199254740993], nullable: false}\n"                      \
    "      age: {type: integer, range: [0, 100], nullable: false}\n"           \
    "      level: {type: integer, range: [-3, 3]}\n"                           \
    "      code: {type: integer, values: [1, 2, 30]}\n"                        \
    "      cost: {type: decimal, scale: 2, range: [-50, 5000],\n"              \
    "             nullable: false}\n"                                          \
    "      money: {type: decimal, scale: 2}\n"                                 \
    "      fine: {type: decimal, scale: 18, range: [-1, 1]}\n"                 \
    "      vast: {type: decimal, scale: 2, range: [-1e33, 1e33]}\n"            \
    "      r: {type: real}\n"                                                  \
    "      tenth: {type: real, range: [0.3, 0.8], nullable: false}\n"          \
    "      weight: {type: real, range: [-10.1, 200.7]}\n"                      \
    "      wide: {type: real, range: [-1e35, 1e35], nullable: false}\n"        \
    "      steps: {type: real, range: [0, 4611686018427387904]}\n"             \
    "      s: {type: text}\n"                                                  \
    "      note: {type: text, nullable: false}\n"                              \
    "      city: {type: text, values: [Oslo, '100', '']}\n"                    \
    "      b: {type: boolean}\n"                                               \
    "      yes: {type: boolean, nullable: false}\n"                            \
    "      day: {type: date}\n"                                                \
    "      born: {type: date, range: [1920-01-01, 2019-12-31]}\n"              \
    "      ever: {type: date, range: [0001-01-01, 9999-12-31],\n"              \
    "             nullable: false}\n"                                          \
    "      at: {type: timestamp}\n"                                            \
    "      seen: {type: timestamp, range: [0001-01-01 00:00:00,\n"             \
    "             9999-12-31 23:59:59], nullable: false}\n"

static const char fact_policy[] =
    "custos: 1\n"
    "budget: {epsilon: 1000000, delta: 1e-3, n: 100}\n"
    "query: {epsilon: 0.1, max_epsilon: 10, delta: 1e-12, max_groups: 2000}\n"
    "tables:\n"
    "  edges:\n    source: edges.csv\n    unit: row\n    columns:\n"
    "      who: {type: integer, nullable: false}\n" FACT_COLUMNS
    "  people:\n    source: edges.csv\n    unit: who\n"
    "    rows_per_unit: 4\n    columns:\n"
    "      who: {type: integer, nullable: false}\n" FACT_COLUMNS
    "  codes:\n    public: true\n    source: codes.csv\n    columns:\n"
    "      code: {type: integer}\n      label: {type: text}\n";

static const char *const fact_wholes[] = {"i",   "most",  "half", "exact",
                                          "age", "level", "code", NULL};
static const char *const fact_decimals[] = {"cost", "money", "fine", "vast",
                                            NULL};
static const char *const fact_reals[] = {"r",    "tenth", "weight",
                                         "wide", "steps", NULL};
static const char *const fact_texts[] = {"s", "note", "city", NULL};
static const char *const fact_dates[] = {"day", "born", "ever", "born", NULL};
static const char *const fact_times[] = {"at", "seen", NULL};
static const char *const fact_truths[] = {"b", "yes", "(age = 7)", NULL};
static const char *const fact_smalls[] = {"age", "level", "code", NULL};

static const struct edge_table fact_table = {
    .whole = fact_wholes,
    .decimal = fact_decimals,
    .real = fact_reals,
    .text = fact_texts,
    .date = fact_dates,
    .timestamp = fact_times,
    .truth = fact_truths,
    .small = fact_smalls,
};

/* ---------------------------------------------------------------- values -- */

static const char *const fact_int[] = {"-9223372036854775808",
                                       "9223372036854775807",
                                       "0",
                                       "-1",
                                       "1",
                                       "",
                                       "-4611686018427387904",
                                       "4611686018427387904",
                                       "4611686018427387903",
                                       "9007199254740993",
                                       "-9007199254740993",
                                       "9007199254740992",
                                       "7",
                                       "100",
                                       "30",
                                       "2",
                                       "3",
                                       "-3",
                                       "9223372036854775806"};
static const char *const fact_decimal[] = {
    "0",
    "0.01",
    "-0.01",
    "5000",
    "-50",
    "0.5",
    "0.125",
    "1",
    "-1",
    "0.000000000000000001",
    "0.999999999999999999",
    "",
    "999999999999999999999999999999999999.99",
    "-1e33",
    "1e33",
    "12.345",
    "2.5",
    "99.5",
    "999999999999999999999999999999999.99"};
static const char *const fact_real[] = {"0",
                                        "-0.0",
                                        "0.1",
                                        "0.7",
                                        "0.3",
                                        "0.8",
                                        "0.30000000000000004",
                                        "0.5",
                                        "1.5",
                                        "2.5",
                                        "-10.1",
                                        "200.7",
                                        "nan",
                                        "inf",
                                        "-inf",
                                        "5e-324",
                                        "-5e-324",
                                        "2.2250738585072014e-308",
                                        "1.7976931348623157e308",
                                        "-1.7976931348623157e308",
                                        "9007199254740992",
                                        "9007199254740994",
                                        "9223372036854775807",
                                        "-9223372036854775808",
                                        "4611686018427387904",
                                        "4611686018427387392",
                                        "0.49999999999999994",
                                        "",
                                        "1e300",
                                        "1e19",
                                        "0.2",
                                        "0.6"};
static const char *const fact_text[] = {
    "1_000_000",
    " 100 ",
    "100",
    "99.5",
    "1e5",
    "inf",
    "nan",
    "-0",
    "+7",
    "0x10",
    "9223372036854775808",
    "20000-01-01",
    "294247-01-11",
    "0000-01-01",
    "0044-03-15 (BC)",
    "infinity",
    "epoch",
    "2020-02-30",
    "2020-1-5",
    "2020-01-01 24:00:00",
    "true",
    "Oslo",
    "x",
    "\xc3\xa9",
    "\xe1\xba\x9e",
    "\xc4\xb0stanbul",
    "\xef\xac\x83",
    "\xf0\x9f\x92\x89",
    "e\xcc\x81",
    "%_\\",
    "99999999999999999999999999999999999999",
    "1e-400",
    "1e400",
    "  ",
    "'",
    "NULL",
    "5874897-12-31"};
static const char *const fact_bool[] = {"true", "false", "", "true"};
static const char *const fact_date[] = {"1970-01-01",      "0001-01-01",
                                        "9999-12-31",      "294246-12-31",
                                        "294247-01-10",    "294247-01-11",
                                        "0001-12-31 (BC)", "5877642-06-25 (BC)",
                                        "5881580-07-10",   "290309-12-21 (BC)",
                                        "infinity",        "-infinity",
                                        "2000-02-29",      "1969-12-31",
                                        "20000-01-01",     "",
                                        "2019-12-31",      "1920-01-01"};
static const char *const fact_time[] = {"1970-01-01 00:00:00",
                                        "0001-01-01 00:00:00",
                                        "9999-12-31 23:59:59.999999",
                                        "294247-01-10 04:00:54.775806",
                                        "294247-01-10 00:00:00",
                                        "290309-12-22 (BC) 00:00:00",
                                        "0001-12-31 (BC) 23:59:59",
                                        "infinity",
                                        "-infinity",
                                        "1969-12-31 23:59:59.999999",
                                        "",
                                        "2020-02-29 12:30:30.5",
                                        "20000-01-01 00:00:00"};

struct fact_values {
    const char *const *list;
    unsigned n;
    unsigned columns; /* for this many consecutive columns */
};

#define FACT_LIST(list, columns)                                               \
    {                                                                          \
        list, COUNT_OF(list), columns                                          \
    }

/* The columns of FACT_COLUMNS, in their order. */
static const struct fact_values fact_values[] = {
    FACT_LIST(fact_int, 7),  FACT_LIST(fact_decimal, 4),
    FACT_LIST(fact_real, 5), FACT_LIST(fact_text, 3),
    FACT_LIST(fact_bool, 2), FACT_LIST(fact_date, 3),
    FACT_LIST(fact_time, 2)};

/* ------------------------------------------------------------------ rows -- */

static inline void
fact_cell(struct buf *out, const char *value)
{
    if (!*value) {
        buf_add_text(out, ",");
        return;
    }
    buf_add_text(out, ",\"");
    buf_add_text(out, value);
    buf_add_text(out, "\"");
}

/* Whether it is a date or timestamp in the years 1 to 9999. */
static inline bool
fact_is_day(const char *text)
{
    return strlen(text) > 4 && text[4] == '-' && !strstr(text, "BC");
}

/*
 * Rows with every value of every list, and with many combinations of values of
 * different columns. A row with a NULL in a column that is not nullable would
 * not be imported, so such columns get the first value of their list instead of
 * an empty one.
 */
static inline void
fact_write(const struct made *m)
{
    struct maker draw = {.state = 20};
    struct buf b;

    buf_init(&b, NULL, 1 << 22);
    buf_add_text(&b, "who,i,most,half,exact,age,level,code,cost,money,fine,"
                     "vast,r,tenth,weight,wide,steps,s,note,city,b,yes,day,"
                     "born,ever,at,seen\n");
    for (unsigned row = 0; row < FACT_ROWS; row++) {
        unsigned column = 0;

        buf_printf(&b, "%u", row / 3);
        for (size_t k = 0; k < COUNT_OF(fact_values); k++)
            for (unsigned c = 0; c < fact_values[k].columns; c++, column++) {
                const struct fact_values *v = &fact_values[k];
                unsigned at = row < v->n ? row : below(&draw, v->n);
                bool whole = column == 1 || column == 3 || column == 4 ||
                             column == 7 || column == 12 || column == 14 ||
                             column == 17 || column == 20 || column == 23 ||
                             column == 25;
                const char *text = v->list[(at + 7 * c) % v->n];

                if (whole && (!*text || (column != 17 && strstr(text, "inf")) ||
                              !strcmp(text, "nan") ||
                              (column > 20 && !fact_is_day(text))))
                    text = v->list[0];
                fact_cell(&b, text);
            }
        buf_add_text(&b, "\n");
    }
    made_file(m, "edges.csv", buf_text(&b));
    made_file(m, "codes.csv", "code,label\n1,one\n2,\n30,thirty\n,none\n");
    buf_clear(&b);
}

#endif
