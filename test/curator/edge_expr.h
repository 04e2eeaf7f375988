/*
 * Random typed expressions that aim at the edges: literals near 2^53, 2^62 and
 * 2^63, products that just fit, casts among all types, texts that only some
 * parsers read as numbers, dates far outside the calendar.
 *
 * The grammar is a list of templates for every type. In a template, $ and a
 * letter stand for an expression:
 *
 *   $i whole number   $n any number     $r real     $m decimal
 *   $t text           $D date           $T timestamp or date
 *   $b condition      $w whole number within ten million
 *   $k whole literal  $x literal, any number    $q text literal
 *   $s 19 to 37, a scale beyond that of stored decimals
 *   $f the name of a function of one number
 *
 * The columns depend on the table; everything else is the same for all tables.
 */
#ifndef TEST_CURATOR_EDGE_EXPR_H
#define TEST_CURATOR_EDGE_EXPR_H

#include "curator/maker.h"

/* Column names by type, each list ended by NULL and never empty. */
struct edge_table {
    const char *const *whole;
    const char *const *decimal;
    const char *const *real;
    const char *const *text;
    const char *const *date;
    const char *const *timestamp;
    const char *const *truth;
    const char *const *small; /* whole numbers within ten million */
};

static const char *const edge_wholes[] = {
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "10",
    "100",
    "-100",
    "1000000",
    "2147483647",
    "-2147483648",
    "2147483648",
    "9007199254740991",
    "9007199254740993",
    "9007199254740995",
    "-9007199254740993",
    "922337203685477",
    "92233720368547758",
    "46116860184273879",
    "3000000000000000000",
    "4611686018427387903",
    "4611686018427387904",
    "4611686018427387905",
    "-4611686018427387904",
    "9223372036854775806",
    "9223372036854775807",
    "-9223372036854775807",
    "(-9223372036854775807 - 1)",
    "9223372036854775808",
    "922000000000000",
    "85070591730234615865843651857942052863",
};

static const char *const edge_numbers[] = {
    "0.1",
    "0.2",
    "0.3",
    "0.5",
    "1.5",
    "2.5",
    "-0.5",
    "0.05",
    "1.005",
    "0.0",
    "-0.0",
    "0.7",
    "99.5",
    "1e5",
    "1e15",
    "1e18",
    "1e19",
    "1e-9",
    "1e-320",
    "5e-324",
    "1e300",
    "1e308",
    "-1e308",
    "0.49999999999999994",
    "9007199254740992.5",
    "9007199254740993.0",
    "4611686018427387904.0",
    "9223372036854775807.0",
    "123456789012345678.99",
    "9999999999999999999999999999999999.99",
    "0.000000000000000001",
    "99999999999999999999999999999999999999",
};

static const char *const edge_texts[] = {
    "'1_000_000'",
    "' 100 '",
    "'99.5'",
    "'1e5'",
    "'inf'",
    "'nan'",
    "'-0'",
    "'+7'",
    "'0x10'",
    "'9223372036854775808'",
    "'20000-01-01'",
    "'294247-01-11'",
    "'0000-01-01'",
    "'0044-03-15 (BC)'",
    "'infinity'",
    "'epoch'",
    "'2020-02-30'",
    "'2020-1-5'",
    "'24:00'",
    "'true'",
    "'yes'",
    "''",
    "' '",
    "'x'",
    "'\xc3\xa9'",
    "'\xe1\xba\x9e'",
    "'\xc4\xb0'",
    "'\xef\xac\x83'",
    "'\xf0\x9f\x92\x89'",
    "'e\xcc\x81'",
    "'99999999999999999999999999999999999999'",
    "'0.000000000000000000000000000000000000001'",
};

static const char *const edge_dates[] = {
    "date '0001-01-01'", "date '9999-12-31'", "date '1970-01-01'",
    "date '2000-02-29'", "date '2020-12-31'", "date '1969-12-31'",
};

static const char *const edge_times[] = {
    "timestamp '0001-01-01 00:00:00'",
    "timestamp '9999-12-31 23:59:59.999999'",
    "timestamp '1970-01-01 00:00:00'",
    "timestamp '1969-12-31 23:59:59.999999'",
};

static const char *const edge_smalls[] = {
    "0", "1", "-1", "10000000", "-10000000", "3650000", "-719163", "2932897",
};

/* ------------------------------------------------------------ templates -- */

static const char *const whole_forms[] = {
    "($i + $i)",
    "($i - $i)",
    "($i * $i)",
    "($i * $k)",
    "($k * $i)",
    "($i + $k)",
    "($i - $k)",
    "($i / $i)",
    "($i / $k)",
    "($i % $i)",
    "($i % $k)",
    "(- $i)",
    "abs($i)",
    "$f($n)",
    "$f($n)",
    "$f($n)",
    "$f($n)",
    "floor($r)",
    "round($m)",
    "ceil(($r + $x) * 10)",
    "floor($r * $x)",
    "ceil((CASE WHEN $b THEN 0.1 ELSE 0.0 END + 0.2) * 10) * $k",
    "greatest(CAST($n AS bigint) - $k, 0)",
    "least(greatest($i, $k), $k)",
    "least($i, $i)",
    "greatest($i, $i)",
    "coalesce($i, $i)",
    "nullif($i, $i)",
    "CASE WHEN $b THEN $i ELSE $i END",
    "CASE WHEN $b THEN $i END",
    "CAST($n AS bigint)",
    "CAST($r AS bigint)",
    "CAST($r * $x AS bigint)",
    "CAST($m AS integer)",
    "CAST($n AS smallint)",
    "CAST($t AS bigint)",
    "CAST($b AS integer)",
    "coalesce(CAST($m AS integer), $k)",
    "length($t)",
    "length(CAST($n AS text))",
    "length(CAST($T AS text))",
    "($D - $D)",
    "width_bucket($n, 0, 100, 10)",
    "width_bucket($n, 100, -0.5, 1073741824)",
    "extract(year FROM $T)",
    "extract(year FROM $T) * $k",
    "extract(quarter FROM $T)",
    "extract(month FROM $T)",
    "extract(week FROM $T)",
    "extract(day FROM $T)",
    "extract(dow FROM $T)",
    "extract(doy FROM $T)",
    "extract(hour FROM $T)",
    "extract(minute FROM $T)",
    "extract(second FROM $T)",
};

static const char *const decimal_forms[] = {
    "($m + $m)",
    "($m - $m)",
    "($m * $m)",
    "($m * $i)",
    "($m + $x)",
    "(- $m)",
    "abs($m)",
    "round($m, 1)",
    "round($n, 18)",
    "least($m, $m)",
    "greatest($m, $x)",
    "coalesce($m, $m)",
    "coalesce($m, $k)",
    "nullif($m, $m)",
    "CASE WHEN $b THEN $m ELSE $m END",
    "CAST($n AS numeric(1, 0))",
    "CAST($n AS numeric(1, 1))",
    "CAST($n AS numeric(3, 2))",
    "CAST($n AS numeric(5, 0))",
    "CAST($n AS numeric(9, 2))",
    "CAST($n AS numeric(18, 2))",
    "CAST($n AS numeric(18, 18))",
    "CAST($n AS numeric(19, 0))",
    "CAST($n AS numeric(38, 0))",
    "CAST($n AS numeric(38, 10))",
    "CAST($n AS numeric(38, 37))",
    "CAST($n AS numeric(38, $s))",
    "CAST($x AS numeric(38, $s))",
    "CAST($t AS numeric(4, 1))",
    "CAST($t AS numeric(18, 2))",
    "CAST($t AS numeric(38, 0))",
    "CAST($t AS numeric(38, 18))",
    "(CAST($t AS numeric(38, 0)) + CAST($n AS numeric(18, 2)))",
};

static const char *const real_forms[] = {
    "($r + $r)",
    "($r - $r)",
    "($r * $r)",
    "($r * $x)",
    "($r / $r)",
    "($n / $x)",
    "($r + $n)",
    "(- $r)",
    "abs($r)",
    "round($r, 2)",
    "round($r, 0)",
    "least($r, $n)",
    "greatest($r, $x)",
    "coalesce($r, $n)",
    "nullif($r, $r)",
    "CASE WHEN $b THEN $r ELSE $n END",
    "CAST($n AS double precision)",
    "CAST($m AS double precision)",
    "CAST($x AS double precision)",
    "CAST($i AS real)",
    "CAST($t AS double precision)",
    "least(greatest($r, -1), 1e10)",
};

static const char *const text_forms[] = {
    "($t || $t)",        "concat($t, $t)",
    "lower($t)",         "upper($t)",
    "trim($t)",          "substring($t, 1, 2)",
    "substring($t, -3)", "substring($t, 0, 2147483647)",
    "coalesce($t, $t)",  "nullif($t, $t)",
    "least($t, $t)",     "CASE WHEN $b THEN $t ELSE $t END",
    "CAST($n AS text)",  "CAST($m AS text)",
    "CAST($r AS text)",  "CAST($T AS text)",
    "CAST($b AS text)",
};

static const char *const date_forms[] = {
    "($D + $w)",
    "($D - $w)",
    "(($D + $w) + $w)",
    "date_trunc('year', $D)",
    "date_trunc('quarter', $D)",
    "date_trunc('month', $D)",
    "date_trunc('week', $D)",
    "date_trunc('day', $D)",
    "coalesce($D, $D)",
    "nullif($D, $D)",
    "least($D, $D)",
    "greatest($D, $D)",
    "CASE WHEN $b THEN $D ELSE $D END",
    "CAST($T AS date)",
    "CAST($t AS date)",
};

static const char *const time_forms[] = {
    "CAST($T AS timestamp)",
    "CAST($D AS timestamp)",
    "CAST($t AS timestamp)",
    "date_trunc('year', $T)",
    "date_trunc('month', $T)",
    "date_trunc('week', $T)",
    "date_trunc('day', $T)",
    "date_trunc('hour', CAST($T AS timestamp))",
    "coalesce($T, $T)",
    "least($T, $T)",
    "CASE WHEN $b THEN $T ELSE $T END",
};

static const char *const truth_forms[] = {
    "($n = $n)",
    "($n < $n)",
    "($i >= $k)",
    "($i <> $i)",
    "($m = $m)",
    "($m < $x)",
    "($r > $x)",
    "($t = $t)",
    "($t < $t)",
    "($D = $D)",
    "($T <= $T)",
    "($n IS DISTINCT FROM $n)",
    "($n IS NULL)",
    "($t IS NOT NULL)",
    "($T IS NULL)",
    "($b IS NOT TRUE)",
    "($n BETWEEN $x AND $k)",
    "($m BETWEEN $m AND $m)",
    "($n IN (1, 2, 3.5, 9007199254740993))",
    "($m IN (0.5, 1.25, NULL))",
    "($t IN ('x', '1_000_000', NULL))",
    "($t LIKE '%a%')",
    "($t LIKE '_%')",
    "($t NOT LIKE '%_x%')",
    "($t ILIKE '%\xc3\x89%')",
    "($b AND $b)",
    "($b OR $b)",
    "(NOT $b)",
    "CAST($i AS boolean)",
    "CAST($t AS boolean)",
    "coalesce($b, $b)",
};

static const char *const small_forms[] = {
    "least(greatest($i, -10000000), 10000000)",
    "($i % 10000000)",
    "extract(doy FROM $T)",
    "CASE WHEN $b THEN $w ELSE $w END",
    "length($t)",
    "sign($n)",
};

/* ------------------------------------------------------------ expansion -- */

static void
edge_put(struct maker *m, const struct edge_table *t, char type, int depth);

static void
edge_form(struct maker *m, const struct edge_table *t, const char *form,
          int depth)
{
    for (const char *p = form; *p; p++) {
        if (*p == '$' && p[1])
            edge_put(m, t, *++p, depth - 1);
        else
            buf_add(&m->b, p, 1);
    }
}

static void
edge_column(struct maker *m, const char *const *list)
{
    unsigned n = 0;

    while (list[n])
        n++;
    put(m, list[below(m, n)]);
}

#define EDGE_LEAF(m, columns, literals)                                        \
    do {                                                                       \
        if (chance(m, 65))                                                     \
            edge_column(m, columns);                                           \
        else                                                                   \
            PUT_ONE(m, literals);                                              \
    } while (0)

/*
 * A decimal with more digits after the point than stored ones have, at most 36:
 * a few digits after many zeros, or digits throughout.
 */
static void
edge_long_decimal(struct maker *m)
{
    unsigned scale = 19 + below(m, 18);
    unsigned zeros = below(m, scale);

    buf_printf(&m->b, "%s.", chance(m, 80) ? "0" : chance(m, 50) ? "7" : "-3");
    for (unsigned i = 0; i < scale; i++)
        buf_printf(&m->b, "%u",
                   i + 1 == scale ? 1 + below(m, 9)
                   : i < zeros    ? 0
                                  : below(m, 10));
}

static void
edge_number(struct maker *m)
{
    if (chance(m, 25))
        edge_long_decimal(m);
    else
        PUT_ONE(m, edge_numbers);
}

static void
edge_leaf(struct maker *m, const struct edge_table *t, char type)
{
    switch (type) {
    case 'k': PUT_ONE(m, edge_wholes); break;
    case 'q': PUT_ONE(m, edge_texts); break;
    case 'f': put_number_function(m); break;
    case 's': buf_printf(&m->b, "%u", 19 + below(m, 19)); break;
    case 'x':
        if (chance(m, 50))
            edge_number(m);
        else
            PUT_ONE(m, edge_wholes);
        break;
    case 'w': EDGE_LEAF(m, t->small, edge_smalls); break;
    case 'i': EDGE_LEAF(m, t->whole, edge_wholes); break;
    case 'm':
        if (chance(m, 65))
            edge_column(m, t->decimal);
        else
            edge_number(m);
        break;
    case 'r':
        if (chance(m, 75)) {
            edge_column(m, t->real);
        } else {
            put(m, "CAST(");
            edge_number(m);
            put(m, " AS double precision)");
        }
        break;
    case 't': EDGE_LEAF(m, t->text, edge_texts); break;
    case 'D': EDGE_LEAF(m, t->date, edge_dates); break;
    case 'T': EDGE_LEAF(m, t->timestamp, edge_times); break;
    default: edge_column(m, t->truth); break;
    }
}

#define EDGE_FORM(m, t, forms, depth)                                          \
    edge_form(m, t, (forms)[below(m, COUNT_OF(forms))], depth)

/* An expression of this type, of at most this depth. */
static void
edge_put(struct maker *m, const struct edge_table *t, char type, int depth)
{
    if (type == 'n')
        type = "iiimrr"[below(m, 6)];
    if (type == 'T' && chance(m, 50))
        type = 'D';
    if (depth <= 0 || chance(m, 20) || type == 'k' || type == 'x' ||
        type == 'q' || type == 's' || type == 'f') {
        edge_leaf(m, t, type);
        return;
    }
    switch (type) {
    case 'w': EDGE_FORM(m, t, small_forms, depth); break;
    case 'i': EDGE_FORM(m, t, whole_forms, depth); break;
    case 'm': EDGE_FORM(m, t, decimal_forms, depth); break;
    case 'r': EDGE_FORM(m, t, real_forms, depth); break;
    case 't': EDGE_FORM(m, t, text_forms, depth); break;
    case 'D': EDGE_FORM(m, t, date_forms, depth); break;
    case 'T': EDGE_FORM(m, t, time_forms, depth); break;
    default: EDGE_FORM(m, t, truth_forms, depth); break;
    }
}

#endif
