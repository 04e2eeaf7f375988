/*
 * Sensitivities: against all neighbours of small data sets, and the worked
 * table of Gaboardi's slides.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "num/rat.h"
#include "support/support.h"

/* The ten rows of table D: three bits each, the first one highest. */
static const unsigned table_d[10] = {0, 5, 2, 5, 0, 1, 6, 0, 2, 5};

static custos_sensitivity
sensitivity_make(custos_query q, custos_adjacency adjacency)
{
    custos_sensitivity s = CUSTOS_SENSITIVITY_INIT;
    custos_err err = CUSTOS_ERR_INIT;

    q.size = sizeof q;
    if (custos_sensitivity_of(&q, adjacency, &s, &err))
        fail_msg("%s", err.said);
    return s;
}

/* Writes the answers of a family on rows of three bits; returns how many. */
static size_t
answers(custos_family family, const unsigned *rows, size_t n, long *out)
{
    size_t count = family == CUSTOS_ATTRIBUTES                         ? 3
                   : family == CUSTOS_MARGINALS                        ? 12
                   : family == CUSTOS_COUNT || family == CUSTOS_LINEAR ? 1
                                                                       : 8;

    memset(out, 0, 16 * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        unsigned x = rows[i], a = x >> 2, b = x >> 1 & 1, c = x & 1;

        if (family == CUSTOS_COUNT)
            out[0] += x % 2;
        if (family == CUSTOS_LINEAR) /* values -3 .. 4 */
            out[0] += (long)x - 3;
        if (family == CUSTOS_POINTS)
            out[x]++;
        if (family == CUSTOS_THRESHOLDS)
            for (unsigned y = x; y < 8; y++)
                out[y]++;
        if (family == CUSTOS_ATTRIBUTES) {
            out[0] += a;
            out[1] += b;
            out[2] += c;
        }
        if (family == CUSTOS_MARGINALS) { /* the three 2-way tables */
            out[2 * a + b]++;
            out[4 + 2 * a + c]++;
            out[8 + 2 * b + c]++;
        }
        if (family == CUSTOS_COUNTS) /* eight properties; row 7 has all */
            for (unsigned k = 0; k < 8; k++)
                out[k] += x == 7 || x == k;
    }
    return count;
}

/* The largest norms over all pairs of neighbours of a small data set. */
static void
worst(custos_family family, custos_adjacency adjacency, long *l1, long *l2)
{
    *l1 = *l2 = 0;
    for (unsigned x = 0; x < 8; x++)
        for (unsigned y = 0; y < 8; y++) {
            unsigned one[3] = {1, 4, x}, two[3] = {1, 4, y};
            long a[16], b[16], sum = 0, squares = 0;
            size_t n = answers(family, one, 3, a);

            answers(family, two, adjacency == CUSTOS_ADD_REMOVE ? 2 : 3, b);
            for (size_t i = 0; i < n; i++) {
                sum += labs(a[i] - b[i]);
                squares += (a[i] - b[i]) * (a[i] - b[i]);
            }
            *l1 = sum > *l1 ? sum : *l1;
            *l2 = squares > *l2 ? squares : *l2;
        }
}

static void
sensitivity_is_that_of_all_neighbours(void **state)
{
    static const custos_query queries[] = {
        {.family = CUSTOS_COUNT},
        {.family = CUSTOS_LINEAR, .lower = "-3", .upper = "4"},
        {.family = CUSTOS_POINTS, .count = 8},
        {.family = CUSTOS_THRESHOLDS, .count = 8},
        {.family = CUSTOS_ATTRIBUTES, .count = 3},
        {.family = CUSTOS_MARGINALS, .count = 3, .ways = 2},
        {.family = CUSTOS_COUNTS, .count = 8},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(queries); i++)
        for (int a = CUSTOS_ADD_REMOVE; a <= CUSTOS_CHANGE_ONE; a++) {
            custos_sensitivity s =
                sensitivity_make(queries[i], (custos_adjacency)a);
            long l1, l2;

            worst(queries[i].family, (custos_adjacency)a, &l1, &l2);
            /* Of these eight properties at most seven differ. */
            if (queries[i].family == CUSTOS_COUNTS && a == CUSTOS_CHANGE_ONE) {
                assert_true(l1 <= 8 && l2 <= 8);
                continue;
            }
            assert_int_equal(strtol(s.l1, NULL, 10), l1);
            assert_int_equal(strtol(s.l2_squared, NULL, 10), l2);
        }
}

/*
 * The rows {1, 4} and up to two rows of a unit: the digits of `unit` (0 .. 80)
 * in base 9, where 8 means no row.
 */
static size_t
rows_with_unit(unsigned unit, unsigned rows[4])
{
    size_t n = 0;

    rows[n++] = 1;
    rows[n++] = 4;
    if (unit % 9 < 8)
        rows[n++] = unit % 9;
    if (unit / 9 < 8)
        rows[n++] = unit / 9;
    return n;
}

/* Like worst(), with at most two rows per unit; a unit may have fewer. */
static void
worst_of_two(custos_family family, custos_adjacency adjacency, long *l1,
             long *l2)
{
    *l1 = *l2 = 0;
    for (unsigned x = 0; x < 81; x++)
        for (unsigned y = 0; y < 81; y++) {
            unsigned one[4], two[4];
            long a[16], b[16], sum = 0, squares = 0;
            size_t m = rows_with_unit(x, one), n = rows_with_unit(y, two);

            if (adjacency == CUSTOS_ADD_REMOVE && n != 2)
                continue;
            answers(family, two, n, b);
            n = answers(family, one, m, a);
            for (size_t i = 0; i < n; i++) {
                sum += labs(a[i] - b[i]);
                squares += (a[i] - b[i]) * (a[i] - b[i]);
            }
            *l1 = sum > *l1 ? sum : *l1;
            *l2 = squares > *l2 ? squares : *l2;
        }
}

/*
 * If a unit with two rows is replaced by one without rows, both rows disappear.
 */
static void
sensitivity_holds_for_units_of_fewer_rows(void **state)
{
    static const custos_query queries[] = {
        {.family = CUSTOS_COUNT, .rows_per_unit = 2},
        {.family = CUSTOS_LINEAR,
         .lower = "-3",
         .upper = "4",
         .rows_per_unit = 2},
        {.family = CUSTOS_POINTS, .count = 8, .rows_per_unit = 2},
        {.family = CUSTOS_THRESHOLDS, .count = 8, .rows_per_unit = 2},
        {.family = CUSTOS_ATTRIBUTES, .count = 3, .rows_per_unit = 2},
        {.family = CUSTOS_MARGINALS, .count = 3, .ways = 2, .rows_per_unit = 2},
        {.family = CUSTOS_COUNTS, .count = 8, .rows_per_unit = 2},
    };
    custos_query ages = {.family = CUSTOS_LINEAR, .lower = "18", .upper = "80"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(queries); i++)
        for (int a = CUSTOS_ADD_REMOVE; a <= CUSTOS_CHANGE_ONE; a++) {
            custos_sensitivity s =
                sensitivity_make(queries[i], (custos_adjacency)a);
            long l1, l2;

            worst_of_two(queries[i].family, (custos_adjacency)a, &l1, &l2);
            assert_int_equal(strtol(s.l1, NULL, 10), l1);
            assert_int_equal(strtol(s.l2_squared, NULL, 10), l2);
        }
    assert_string_equal(sensitivity_make(ages, CUSTOS_CHANGE_ONE).l1, "62");
    ages.rows_per_unit = 2;
    assert_string_equal(sensitivity_make(ages, CUSTOS_CHANGE_ONE).l1, "160");
    ages.lower = "-80";
    ages.upper = "-18";
    assert_string_equal(sensitivity_make(ages, CUSTOS_CHANGE_ONE).l1, "160");
}

/* The sensitivities of counts and histograms that textbooks give. */
static void
adjacency_is_a_choice(void **state)
{
    custos_query count = {.family = CUSTOS_COUNT};
    custos_query cells = {.family = CUSTOS_POINTS, .count = 10};
    custos_query k = {.family = CUSTOS_COUNTS, .count = 5};
    custos_query whole = {.family = CUSTOS_POINTS, .count = 1};

    (void)state;
    assert_string_equal(sensitivity_make(count, CUSTOS_ADD_REMOVE).l1, "1");
    assert_string_equal(sensitivity_make(count, CUSTOS_CHANGE_ONE).l1, "1");
    assert_string_equal(sensitivity_make(cells, CUSTOS_ADD_REMOVE).l1, "1");
    assert_string_equal(sensitivity_make(cells, CUSTOS_CHANGE_ONE).l1, "2");
    assert_string_equal(sensitivity_make(cells, CUSTOS_ADD_REMOVE).l2_squared,
                        "1");
    assert_string_equal(sensitivity_make(cells, CUSTOS_CHANGE_ONE).l2_squared,
                        "2");
    assert_string_equal(sensitivity_make(k, CUSTOS_ADD_REMOVE).l1, "5");
    assert_string_equal(sensitivity_make(k, CUSTOS_CHANGE_ONE).l1, "5");
    assert_string_equal(sensitivity_make(whole, CUSTOS_CHANGE_ONE).l1, "1");
}

/*
 * The divisor of a mean divides the sensitivity, the rows of a unit multiply
 * it; exact numbers stay exact.
 */
static void
divisors_and_units(void **state)
{
    custos_query q = {.family = CUSTOS_LINEAR,
                      .lower = "-1/3",
                      .upper = "0.25",
                      .divisor = "10",
                      .rows_per_unit = 3};
    custos_sensitivity s = sensitivity_make(q, CUSTOS_ADD_REMOVE);

    (void)state;
    assert_string_equal(s.l1, "0.1");
    assert_string_equal(s.l2_squared, "0.01");
    s = sensitivity_make(q, CUSTOS_CHANGE_ONE);
    assert_string_equal(s.l1, "0.175");
    q.lower = "0.1";
    s = sensitivity_make(q, CUSTOS_ADD_REMOVE);
    assert_string_equal(s.l1, "0.075");
    q = (custos_query){.family = CUSTOS_MARGINALS, .count = 64, .ways = 32};
    assert_string_equal(sensitivity_make(q, CUSTOS_CHANGE_ONE).l1,
                        "3665248281885181068"); /* 2 C(64, 32) */
    q = (custos_query){.family = CUSTOS_MARGINALS, .count = 5, .ways = 5};
    assert_string_equal(sensitivity_make(q, CUSTOS_ADD_REMOVE).l1, "1");
}

/* The largest of several sensitivities, and the Hamming distance. */
static void
max_and_hamming(void **state)
{
    custos_query h = {.family = CUSTOS_HAMMING};
    const char *each[3] = {"1", "7/2", "0.5"};
    custos_sensitivity out = CUSTOS_SENSITIVITY_INIT;

    (void)state;
    for (int a = CUSTOS_ADD_REMOVE; a <= CUSTOS_CHANGE_ONE; a++)
        assert_string_equal(sensitivity_make(h, (custos_adjacency)a).l1, "1");
    assert_int_equal(custos_sensitivity_max(each, 3, &out, NULL), CUSTOS_OK);
    assert_string_equal(out.l1, "3.5");
    assert_string_equal(out.l2_squared, "12.25");
    assert_int_equal(custos_sensitivity_max(NULL, 3, &out, NULL), 1);
    assert_int_equal(custos_sensitivity_max(each, 0, &out, NULL), 1);
    assert_int_equal(custos_sensitivity_max(each, 3, NULL, NULL), 1);
    each[1] = "-1";
    assert_int_equal(custos_sensitivity_max(each, 3, &out, NULL), 1);
    each[1] = "x";
    assert_int_equal(custos_sensitivity_max(each, 3, &out, NULL), 2);
    each[1] = NULL;
    assert_int_equal(custos_sensitivity_max(each, 3, &out, NULL), 2);
    each[1] = "1e100"; /* its square is too long */
    assert_int_equal(custos_sensitivity_max(each, 3, &out, NULL),
                     CUSTOS_EOVERFLOW);
    assert_string_equal(out.l1, "3.5");
}

/* Table D of the slides: exact answers, sensitivities and a release. */
static void
table_of_the_slides(void **state)
{
    static const struct {
        custos_family family;
        size_t n;
        long tenths[8];
        const char *l1; /* of the fractions, change-one, n = 10 public */
    } rows[] = {
        {CUSTOS_THRESHOLDS, 8, {3, 4, 6, 6, 6, 9, 10, 10}, "0.7"},
        {CUSTOS_ATTRIBUTES, 3, {4, 3, 4}, "0.3"},
        {CUSTOS_POINTS, 8, {3, 1, 2, 0, 0, 3, 1, 0}, "0.2"},
    };
    custos_rng *rng = test_rng_seeded(2);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        custos_query q = {
            .family = rows[i].family, .count = rows[i].n, .divisor = "10"};
        custos_sensitivity s = sensitivity_make(q, CUSTOS_CHANGE_ONE);
        custos_mech_options o = {.size = sizeof o,
                                 .kind = CUSTOS_LAPLACE,
                                 .domain = CUSTOS_REALS,
                                 .values = rows[i].n,
                                 .epsilon = "1",
                                 .sensitivity = s.l1};
        custos_sealed *sealed = NULL;
        custos_mech *m = NULL;
        double exact[8], out[8], width;
        long sums[16];

        assert_int_equal(answers(rows[i].family, table_d, 10, sums), rows[i].n);
        for (size_t k = 0; k < rows[i].n; k++) {
            assert_int_equal(sums[k], rows[i].tenths[k]);
            exact[k] = (double)sums[k] / 10;
        }
        assert_string_equal(s.l1, rows[i].l1);
        assert_int_equal(custos_mech_new(NULL, &o, &m, NULL), CUSTOS_OK);
        assert_int_equal(
            custos_seal_reals(NULL, exact, rows[i].n, &sealed, NULL),
            CUSTOS_OK);
        assert_int_equal(
            custos_release_reals(m, rng, sealed, out, rows[i].n, NULL),
            CUSTOS_OK);
        /* The band misses at most once in 1e9 runs; the seed is fixed. */
        assert_int_equal(custos_mech_error(m, "1e-9", rows[i].n, &width, NULL),
                         CUSTOS_OK);
        for (size_t k = 0; k < rows[i].n; k++)
            assert_true(out[k] - exact[k] <= width &&
                        exact[k] - out[k] <= width && out[k] != exact[k]);
        custos_sealed_free(sealed);
        custos_mech_free(m);
    }
    test_rng_free(rng);
}

static void
sensitivity_refuses(void **state)
{
    static const struct {
        custos_query q;
        custos_status st;
    } rows[] = {
        {{.family = (custos_family)0}, CUSTOS_EINVAL},
        {{.family = (custos_family)9}, CUSTOS_EINVAL},
        {{.family = CUSTOS_POINTS}, CUSTOS_EINVAL},
        {{.family = CUSTOS_COUNTS}, CUSTOS_EINVAL},
        {{.family = CUSTOS_LINEAR}, CUSTOS_EPARSE},
        {{.family = CUSTOS_LINEAR, .lower = "1"}, CUSTOS_EPARSE},
        {{.family = CUSTOS_LINEAR, .lower = "1", .upper = "0"}, CUSTOS_EINVAL},
        {{.family = CUSTOS_LINEAR, .lower = "0", .upper = "1e300"},
         CUSTOS_EOVERFLOW},
        {{.family = CUSTOS_LINEAR, .lower = "0", .upper = "1e100"},
         CUSTOS_EOVERFLOW}, /* its square */
        {{.family = CUSTOS_COUNT, .divisor = "0"}, CUSTOS_ERANGE},
        {{.family = CUSTOS_COUNT, .divisor = "ten"}, CUSTOS_EPARSE},
        {{.family = CUSTOS_MARGINALS, .count = 3}, CUSTOS_EINVAL},
        {{.family = CUSTOS_MARGINALS, .count = 3, .ways = 4}, CUSTOS_EINVAL},
        {{.family = CUSTOS_MARGINALS, .count = 200, .ways = 100},
         CUSTOS_EOVERFLOW},
    };
    custos_query good = {.size = sizeof good, .family = CUSTOS_COUNT};
    custos_sensitivity out = {sizeof out, "unset", "unset"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        custos_query q = rows[i].q;
        custos_err err = CUSTOS_ERR_INIT;

        q.size = sizeof q;
        assert_int_equal(
            custos_sensitivity_of(&q, CUSTOS_ADD_REMOVE, &out, &err),
            rows[i].st);
        assert_true(err.said[0] != '\0');
    }
    assert_int_equal(
        custos_sensitivity_of(&good, (custos_adjacency)0, &out, NULL), 1);
    assert_int_equal(custos_sensitivity_of(NULL, CUSTOS_ADD_REMOVE, &out, NULL),
                     1);
    assert_int_equal(
        custos_sensitivity_of(&good, CUSTOS_ADD_REMOVE, NULL, NULL), 1);
    assert_string_equal(out.l1, "unset");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sensitivity_is_that_of_all_neighbours),
        cmocka_unit_test(sensitivity_holds_for_units_of_fewer_rows),
        cmocka_unit_test(adjacency_is_a_choice),
        cmocka_unit_test(divisors_and_units),
        cmocka_unit_test(max_and_hamming),
        cmocka_unit_test(table_of_the_slides),
        cmocka_unit_test(sensitivity_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
