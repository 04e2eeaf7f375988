/*
 * The templates of the grammar. In a template, $ and a letter stand for an
 * expression or a word:
 *
 *   $i whole number   $n any number     $r real      $m decimal
 *   $t text           $D date           $T timestamp or date
 *   $b condition      $w whole number within ten million
 *   $z an expression that is always 0   $c one whose terms cancel
 *   $E an end of 64 bits                $u 0, 1 or -1
 *   $g "this is the person"             $P the person
 *   $k whole literal  $x literal, any number    $q text literal
 *   $K a whole literal, the same wherever the template names it
 *   $s 19 to 37, a scale beyond that of stored decimals
 *   $p a pattern of LIKE                $l a long text
 *   $f the name of a function of one number
 *   $d a literal date, far away or near
 *   $v a text that is read as another type
 *   $a an aggregate   $o a value computed from aggregates
 *   $Q a quantile     $S a count or a sum, as it is
 *   $e a number with a public range     $C a column with one
 *
 * A template that is listed twice is used twice as often. test/audit/t_grammar
 * checks that all functions of the dialect are reached.
 */
#include "audit/curator/grammar.h"
#include "base/base.h"

static const char *const whole_forms[] = {
    "($i + $i)",
    "($i - $i)",
    "($i * $i)",
    "($i * $k)",
    "($i * $k)",
    "($k * $i)",
    "($i + $k)",
    "($i - $k)",
    "($k - $i)",
    "($i / $i)",
    "($i / $k)",
    "($k / $i)",
    "($i % $i)",
    "($i % $k)",
    "mod($i, $i)",
    "(- $i)",
    "(- (- $i))",
    "abs($i)",
    "abs($i - $k)",
    "$f($n)",
    "$f($n)",
    "$f($r)",
    "$f($r * $x)",
    "floor($r)",
    "round($m)",
    "ceil(($r + $x) * 10)",
    "ceil((CASE WHEN $g THEN 0.1 ELSE 0.0 END + 0.2) * 10)",
    "(ceil((CASE WHEN $g THEN 0.1 ELSE 0.0 END + 0.2) * 10) * $k)",
    "greatest(CAST($n AS bigint) - $k, 0)",
    "least(greatest($i, $k), $k)",
    "least($i, $i)",
    "greatest($i, $i)",
    "coalesce($i, $i)",
    "coalesce($i, $k)",
    "nullif($i, $i)",
    "CASE WHEN $b THEN $i ELSE $i END",
    "CASE WHEN $b THEN $i END",
    "CASE WHEN $g THEN $k ELSE $w END",
    "CASE WHEN $g THEN $i ELSE 0 END",
    "CAST($n AS bigint)",
    "CAST($r AS bigint)",
    "CAST($r * $x AS bigint)",
    "CAST($m AS integer)",
    "CAST($n AS smallint)",
    "CAST($v AS bigint)",
    "CAST(CASE WHEN $g THEN $q ELSE '1' END AS bigint)",
    "CAST($b AS integer)",
    "coalesce(CAST($m AS integer), $k)",
    "length($t)",
    "length(CAST($n AS text))",
    "length(CAST($T AS text))",
    "($D - $D)",
    "(($D + $w) - $D)",
    "width_bucket($n, 0, 100, 10)",
    "width_bucket($n, 100, -0.5, 1073741824)",
    "extract(year FROM $T)",
    "(extract(year FROM $T) * $k)",
    "extract(quarter FROM $T)",
    "extract(month FROM $T)",
    "extract(week FROM $T)",
    "extract(day FROM $T)",
    "extract(dow FROM $T)",
    "extract(doy FROM $T)",
    "extract(hour FROM $T)",
    "extract(minute FROM $T)",
    "extract(second FROM $T)",
    "($E + $u)",
    "($E - $u)",
    "($E * $u)",
    "($E / $u)",
    "($E % $u)",
    "($i / $u)",
    "($i % $u)",
    "(- $E)",
    "abs($E)",
    "($z * $k * $k)",
    "($k * $k * $z)",
    "($z * $k)",
    "($c + $c + $c + $c)",
    "($c + $c + $c)",
    "($c + $c)",
    "($c - $c - $c)",
    "($c * $k)",
};

/* The ends of 64 bits. */
static const char *const end_forms[] = {
    "(-9223372036854775807 - 1)",
    "9223372036854775807",
    "CASE WHEN $g THEN -9223372036854775807 - 1 ELSE 0 END",
    "CASE WHEN $g THEN 9223372036854775807 ELSE 1 END",
    "least($i, -9223372036854775807 - 1)",
    "greatest(least($i, 9223372036854775807), 9223372036854775807)",
};

/* 0, 1 and -1, by which the ends cannot be divided or multiplied. */
static const char *const tiny_forms[] = {
    "0",
    "-1",
    "CASE WHEN $g THEN 0 ELSE 1 END",
    "CASE WHEN $g THEN -1 ELSE 1 END",
    "sign($n)",
    "(- CAST($b AS integer))",
};

/* Always 0, although it reads a column. */
static const char *const zero_forms[] = {
    "floor($r * 0)",
    "least(abs($w), 0)",
    "CASE WHEN $b THEN 0 WHEN $b THEN 0 ELSE 0 END",
    "CASE WHEN $b THEN 0 ELSE 0 END",
    "($w * 0)",
    "($w % 1)",
    "greatest(least($i, 0), 0)",
};

/* Small, although its terms are not. */
static const char *const cancel_forms[] = {
    "(floor($C - 4e18) + 4000000000000000000)",
    "(floor(CAST($C AS double precision) - 4e18) + 4000000000000000000)",
    ("(CASE WHEN $b THEN -4000000000000000000 ELSE -4000000000000000001 END + "
     "4000000000000000000)"),
    "(CASE WHEN $b THEN - $K ELSE 1 - $K END + $K)",
    "(CASE WHEN $b THEN $K ELSE $K - 1 END - $K)",
    "(($w - $K) + $K)",
    "(floor($r - $K) + $K)",
    "(least(greatest($i, $K), $K) - $K)",
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
    "CASE WHEN $g THEN $x ELSE 0.5 END",
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
    "CAST($v AS numeric(4, 1))",
    "CAST($v AS numeric(18, 2))",
    "CAST($v AS numeric(38, 0))",
    "CAST($v AS numeric(38, 18))",
    "CAST(CASE WHEN $g THEN $q ELSE '1' END AS numeric(38, 0))",
    "(CAST($v AS numeric(38, 0)) + CAST($n AS numeric(18, 2)))",
    "(CAST($n AS numeric(38, $s)) * CAST($n AS numeric(38, $s)))",
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
    "sqrt($n)",
    "ln($n)",
    "exp($n)",
    "power($n, $x)",
    "round($r, 2)",
    "round($r, 0)",
    "least($r, $n)",
    "greatest($r, $x)",
    "coalesce($r, $n)",
    "nullif($r, $r)",
    "CASE WHEN $b THEN $r ELSE $n END",
    "CASE WHEN $g THEN 0.1 ELSE 0.0 END",
    "CASE WHEN $g THEN $x ELSE 0.0 END",
    "CAST($n AS double precision)",
    "CAST($m AS double precision)",
    "CAST($x AS double precision)",
    "CAST($i AS real)",
    "CAST($v AS double precision)",
    "CAST(CASE WHEN $g THEN $q ELSE '1' END AS double precision)",
    "least(greatest($r, -1), 1e10)",
    "(CAST($n AS double precision) * 1e35 * 1e35 * 1e35)",
};

static const char *const text_forms[] = {
    "($t || $t)",
    "($l || $t)",
    "(NULL || $t)",
    "concat($t, $t)",
    "concat($t, $l, $t)",
    "lower($t)",
    "upper($t)",
    "trim($t)",
    "substring($t, 1, 2)",
    "substring($t, -3)",
    "substring($t, 0, 2147483647)",
    "coalesce($t, $t)",
    "nullif($t, $t)",
    "least($t, $t)",
    "greatest($t, $t)",
    "CASE WHEN $b THEN $t ELSE $t END",
    "CASE WHEN $g THEN $q ELSE $q END",
    "CASE WHEN $g THEN $l ELSE '' END",
    "CAST($n AS text)",
    "CAST($m AS text)",
    "CAST($r AS text)",
    "CAST($T AS text)",
    "CAST($b AS text)",
};

static const char *const date_forms[] = {
    "($D + $w)",
    "($D - $w)",
    "(($D + $w) + $w)",
    "($D + CASE WHEN $g THEN 10000000 ELSE 0 END)",
    "($D - CASE WHEN $g THEN 10000000 ELSE 0 END)",
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
    "CASE WHEN $g THEN $d ELSE $D END",
    "CAST($T AS date)",
    "CAST($v AS date)",
    "CAST(CASE WHEN $g THEN $q ELSE '2000-01-01' END AS date)",
};

static const char *const time_forms[] = {
    "CAST($T AS timestamp)",
    "CAST($D AS timestamp)",
    "CAST($v AS timestamp)",
    "date_trunc('year', $T)",
    "date_trunc('quarter', $T)",
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
    "($i > 5)",
    "($i <> $i)",
    "($m = $m)",
    "($m < $x)",
    "($r > $x)",
    "($t = $t)",
    "($t < $t)",
    "($t <= $t)",
    "($D = $D)",
    "($T <= $T)",
    "($n IS DISTINCT FROM $n)",
    "($m IS NOT DISTINCT FROM $x)",
    "($n IS NULL)",
    "($t IS NOT NULL)",
    "($T IS NULL)",
    "($b IS TRUE)",
    "($b IS FALSE)",
    "($b IS NOT TRUE)",
    "($b IS NOT FALSE)",
    "($n BETWEEN $x AND $k)",
    "($n NOT BETWEEN $k AND $x)",
    "($m BETWEEN $m AND $m)",
    "($n IN (1, 2, 3.5, 9007199254740993))",
    "($m IN (0.5, 1.25, NULL))",
    "($i NOT IN ($k, $k))",
    "($t IN ('x', '1_000_000', NULL))",
    "($t LIKE $p)",
    "($t NOT LIKE $p)",
    "($t ILIKE $p)",
    "($t NOT ILIKE $p)",
    "(CASE WHEN $g THEN $t ELSE '' END LIKE $p)",
    "($b AND $b)",
    "($b OR $b)",
    "(NOT $b)",
    "($g AND $b)",
    "($g OR $b)",
    "$g",
    "CAST($i AS boolean)",
    "CAST($v AS boolean)",
    "coalesce($b, $b)",
};

static const char *const small_forms[] = {
    "least(greatest($i, -10000000), 10000000)",
    "($i % 10000000)",
    "extract(doy FROM $T)",
    "CASE WHEN $b THEN $w ELSE $w END",
    "CASE WHEN $g THEN 10000000 ELSE 0 END",
    "length($t)",
    "sign($n)",
};

static const char *const aggregate_forms[] = {
    "count($n)",
    "count($i)",
    "count($t)",
    "count($T)",
    "count($b)",
    "count(nullif($i, $k))",
    "count(CASE WHEN $b THEN 1 END)",
    "count(CASE WHEN $b THEN 1 END)",
    "count(CASE WHEN $i > 5 THEN 1 END)",
    "count(CASE WHEN $i > 5 THEN 1 END)",
    "count(CASE WHEN $g AND $b THEN 1 END)",
    "sum(CASE WHEN $b THEN 1 ELSE 0 END)",
    "sum(CASE WHEN $i > 5 THEN 1 ELSE 0 END)",
    "sum(least(greatest($n, 0), 10))",
    "sum(least(greatest($i, -100), 100))",
    "sum(least($z * $k * $k, 10))",
    "sum($c + $c + $c + $c, contribution_bounds_per_row => (0, 10))",
    "count(CASE WHEN $c + $c + $c + $c > 5 THEN 1 END)",
    "sum($n, contribution_bounds_per_row => (0, 10))",
    "sum($i, contribution_bounds_per_row => (-5, 5))",
    "sum(length($t), contribution_bounds_per_row => (0, 10))",
    "avg(least(greatest($n, 0), 10))",
    "avg($n, contribution_bounds_per_row => (0, 10))",
    "var_pop(least(greatest($n, 0), 10))",
    "variance(least(greatest($r, -1), 1))",
    "var_samp($e)",
    "stddev($e)",
    "stddev_samp(least(greatest($n, 0), 10))",
    "stddev_pop($e)",
    "corr(least(greatest($n, 0), 10), least(greatest($i, -100), 100))",
    "covar_samp($e, least(greatest($r, -1), 1))",
    "covar_pop(least(greatest($n, 0), 10), $e)",
    "regr_r2(least(greatest($r, -1), 1), least(greatest($n, 0), 10))",
    "regr_slope(least(greatest($n, 0), 10), $e)",
    "regr_intercept($e, $e)",
    "count(DISTINCT $n)",
    "count(DISTINCT $t)",
    "count(DISTINCT $T)",
};

/* Computed after the noise. */
static const char *const released_forms[] = {
    "CAST($a AS integer)",
    "CAST($a AS numeric(3, 1))",
    "CAST($a AS text)",
    "CAST($a > 3 AS integer)",
    "($a / $a)",
    "($a * $k)",
    "($a + $x)",
    "(1 / ($a - $a))",
    "round($a, 2)",
    "ceil($a * $x)",
    "abs(- $a)",
    "coalesce(nullif($a, $a), $k)",
    "CASE WHEN $a > 3 THEN $a END",
    "least($a, $k)",
    "greatest($a, $a)",
    "sign($a)",
    "sqrt($a)",
    "ln($a)",
    "exp($a / $k)",
    "power($a, 2)",
    "width_bucket($a, 0, 100, 10)",
    "(date '2000-01-01' + CAST($a AS integer))",
};

static const char *const quantile_forms[] = {
    "median($e)",
    "median(least(greatest($n, 0), 10))",
    "max(least(greatest($i, 0), 10))",
    "min($e)",
    "percentile_cont(0.9) WITHIN GROUP (ORDER BY $e)",
    "percentile_disc(0.1) WITHIN GROUP (ORDER BY least(greatest($n, 0), 10))",
    "median(least(greatest($D, date '2000-01-01'), date '2001-01-01'))",
    ("max(least(greatest($T, timestamp '2000-01-01 00:00:00'), "
     "timestamp '2000-03-01 00:00:00'))"),
};

/* Released as they are: EXPLAIN says how far one person can move each. */
static const char *const plain_forms[] = {
    "count(*)",
    "count(*)",
    "count($n)",
    "count($t)",
    "count(CASE WHEN $b THEN 1 END)",
    "count(DISTINCT $n)",
    "count(DISTINCT $t)",
    "sum($e)",
    "sum($e)",
    "sum($e)",
    "sum($C)",
    "sum($C)",
    "sum($C, contribution_bounds_per_row => (-3, 10))",
    "sum($C, contribution_bounds_per_group => (-3, 10))",
    "sum(least(greatest($n, -7), 10))",
    "sum(least(greatest($r, -0.5), 2.5))",
    "sum($n, contribution_bounds_per_row => (-3, 10))",
    "sum($r, contribution_bounds_per_row => (0, 0.1))",
    "sum(CASE WHEN $b THEN 3 ELSE -2 END)",
    "sum(CASE WHEN $g THEN 1000 ELSE 0 END)",
};

static const char *const ranged_forms[] = {
    "$C",
    "$C",
    "($C + $C)",
    "($C - $C)",
    "($C * 2)",
    "($C * $C)",
    "($C * 0.1)",
    "($C * $k)",
    "($C * $C * $k)",
    "(- $C)",
    "abs($C)",
    "round($C)",
    "floor($C * 0.3)",
    "least($C, 5)",
    "greatest($C, $C)",
    "coalesce($C, 3)",
    "nullif($C, 0)",
    "CAST($C AS double precision)",
    "CAST($C AS bigint)",
    "CAST($C AS numeric(3, 1))",
    "CASE WHEN $b THEN $C ELSE $C END",
    "CASE WHEN $g THEN $C ELSE 0 END",
    "extract(month FROM $T)",
    "length(substring($t, 1, 3))",
};

#define LIST(letter, list)                                                     \
    {                                                                          \
        (letter), (list), COUNT_OF(list), 0                                    \
    }

struct form_list
forms_of(char letter)
{
    static const struct form_list lists[] = {
        LIST('i', whole_forms),     LIST('z', zero_forms),
        LIST('E', end_forms),       LIST('u', tiny_forms),
        LIST('c', cancel_forms),    LIST('m', decimal_forms),
        LIST('r', real_forms),      LIST('t', text_forms),
        LIST('D', date_forms),      LIST('T', time_forms),
        LIST('b', truth_forms),     LIST('w', small_forms),
        LIST('a', aggregate_forms), LIST('o', released_forms),
        LIST('Q', quantile_forms),  LIST('S', plain_forms),
        LIST('e', ranged_forms),
    };
    struct form_list found = {0};
    size_t first = 0;

    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        if (lists[i].letter == letter) {
            found = lists[i];
            found.first = first;
        }
        first += lists[i].n;
    }
    CUSTOS_REQUIRE(found.n > 0 && first <= GRAMMAR_FORMS_MAX);
    return found;
}
