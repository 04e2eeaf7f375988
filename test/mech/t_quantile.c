/*
 * Quantiles. The law of one cut is compared with its definition word by word:
 * the slot increases with the first word drawn, so every border can be found.
 * The promise is checked on the exact laws of one and of several quantiles,
 * over all neighbours of all small data sets.
 */
#include <math.h>
#include <stdlib.h>

#include <mpfr.h>

#include "base/alloc.h"
#include "base/base.h"
#include "mech/i128.h"
#include "mech/quantile.h"
#include "num/rat_double.h"
#include "support/support.h"

enum { MOST = 12, SLOTS = 64, WORDS = 12 };

/* Options for all quantiles that quantile_make makes from now on. */
static struct {
    uint64_t pad;
    const int64_t *shift;
    size_t apart; /* number of differing values; 0: as many as a unit has */
} moved;

static custos_quantile *
quantile_make(custos_adjacency adjacency, int64_t lower, int64_t upper,
              const char *const *ranks, size_t n, uint64_t per_unit,
              const char *epsilon)
{
    custos_quantile_options o = {.size = sizeof o,
                                 .adjacency = adjacency,
                                 .values_per_unit = per_unit,
                                 .lower = lower,
                                 .upper = upper,
                                 .ranks = n,
                                 .rank = ranks,
                                 .epsilon = epsilon,
                                 .pad = moved.pad,
                                 .shift = moved.shift};
    custos_quantile *q = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    if (custos_quantile_new(NULL, &o, &q, &err))
        fail_msg("%s", err.said);
    return q;
}

/* --------------------------------------------------- the definition -- */

/*
 * The slots of the definition, in order: a point without values is one slot, a
 * point with t equal values has t + 1, its pieces.
 */
struct slots {
    size_t n;
    uint64_t point[SLOTS], points[SLOTS], left[SLOTS];
    double pieces[SLOTS]; /* sizes, in points */
};

/*
 * The pieces of a point with t equal values: each value halves the first of the
 * largest pieces.
 */
static size_t
pieces_of(size_t t, double *pieces)
{
    size_t n = 1;

    pieces[0] = 1;
    for (; t > 0; t--) {
        size_t at = 0;

        for (size_t i = 1; i < n; i++)
            if (pieces[i] > pieces[at])
                at = i;
        memmove(pieces + at + 1, pieces + at, (n - at) * sizeof *pieces);
        pieces[at] /= 2;
        pieces[at + 1] /= 2;
        n++;
    }
    return n;
}

/* The slots of n sorted values within low .. high, point by point. */
static void
slots_of(const uint64_t *values, size_t n, uint64_t low, uint64_t high,
         struct slots *s)
{
    size_t below = 0;

    s->n = 0;
    for (uint64_t o = low; o <= high; o++) {
        double pieces[MOST + 1];
        size_t t = 0, count;

        while (below + t < n && values[below + t] == o)
            t++;
        count = pieces_of(t, pieces);
        for (size_t i = 0; i < count; i++) {
            assert_true(s->n < SLOTS);
            s->point[s->n] = o;
            s->points[s->n] = 1;
            s->left[s->n] = below + i;
            s->pieces[s->n++] = pieces[i];
        }
        below += t;
    }
}

static double
slot_score(const struct node *node, uint64_t left, size_t n)
{
    return fabs((double)(node->den * left) - (double)(node->num * n) -
                (double)node->shift);
}

/* ------------------------------------------------- the law of a cut -- */

/*
 * floor(2^64 S_j / V): the border between the first j slots of the definition
 * and the others, with 600 bits; *whole if the border is exactly that number.
 */
static uint64_t
border_of(const struct slots *s, size_t j, const struct node *node, size_t n,
          bool *whole)
{
    mpfr_t w, sum, all, rate;
    mpz_t z;
    uint64_t got;

    mpfr_inits2(600, w, sum, all, rate, (mpfr_ptr)0);
    mpfr_set_q(rate, node->slope.rate.q, MPFR_RNDN);
    mpfr_set_zero(sum, 1);
    mpfr_set_zero(all, 1);
    for (size_t i = 0; i < s->n; i++) {
        mpfr_mul_d(w, rate, -slot_score(node, s->left[i], n), MPFR_RNDN);
        mpfr_exp(w, w, MPFR_RNDN);
        mpfr_mul_d(w, w, s->pieces[i], MPFR_RNDN);
        mpfr_add(all, all, w, MPFR_RNDN);
        if (i < j)
            mpfr_add(sum, sum, w, MPFR_RNDN);
    }
    mpfr_div(sum, sum, all, MPFR_RNDN);
    mpfr_mul_2ui(sum, sum, 64, MPFR_RNDN);
    mpfr_set_ui_2exp(w, 1, -400, MPFR_RNDN);
    mpfr_add(sum, sum, w, MPFR_RNDN);
    mpz_init(z);
    mpfr_get_z(z, sum, MPFR_RNDD);
    got = mpz_get_ui(z);
    mpfr_sub_z(sum, sum, z, MPFR_RNDN);
    mpfr_mul_2ui(w, w, 1, MPFR_RNDN);
    *whole = mpfr_less_p(sum, w);
    mpz_clear(z);
    mpfr_clears(w, sum, all, rate, (mpfr_ptr)0);
    return got;
}

static struct cut
cut_taped(const uint64_t *values, size_t n, uint64_t high,
          const struct node *node, const uint64_t *words, size_t len)
{
    i128 cells[MOST + 1];
    struct stretch s = {.cells = (const u128 *)cells, .to = n, .high = high};
    const custos_alloc hooks = alloc_or_default(NULL);
    custos_rng *rng = test_rng_taped(words, len);
    struct cut cut;

    for (size_t i = 0; i < n; i++)
        cells[i] = (i128)values[i];
    stretch_prepare(cells, n, 0, (i128)high);
    assert_int_equal(stretch_cut(&hooks, &s, node, rng, &cut), CUSTOS_OK);
    test_rng_free(rng);
    return cut;
}

/* Whether the cut is in one of the first j slots of the definition. */
static bool
cut_is_before(struct cut cut, const struct slots *s, size_t j)
{
    for (size_t i = 0; i < j; i++)
        if (s->point[i] == cut.point && s->left[i] == cut.left)
            return true;
    return false;
}

/* Checks that words just below a border draw a slot before it, and words just above
   it one behind it. Words 0 .. at - 1 are given, word `at` is the border's. */
static void
check_border(const uint64_t *values, size_t n, uint64_t high,
             const struct node *node, const struct slots *s, size_t j,
             const uint64_t *words, size_t at, bool whole)
{
    const uint64_t border = words[at];

    for (int k = 0; k < 4; k++) {
        uint64_t tape[WORDS] = {words[0]};
        struct cut cut;

        if ((k == 0 && border == 0) || (k == 1 && border == UINT64_MAX))
            continue; /* there is no such word */
        tape[at] = k == 0 ? border - 1 : k == 1 ? border + 1 : border;
        /* the two extremes that refinement may draw */
        tape[at + 1] = k % 2 == (k < 2) ? 0 : UINT64_MAX;
        tape[at + 7] = k == 2;
        cut = cut_taped(values, n, high, node, tape, WORDS);
        assert_int_equal(cut_is_before(cut, s, j),
                         k == 0 || (k == 2 && !whole));
    }
}

/*
 * The first word chooses how many values go left; the words after it choose one of
 * the slots for which so many do, by their sizes. Checks the border before slot j.
 */
static void
check_slot(const uint64_t *values, size_t n, uint64_t high,
           const struct node *node, const struct slots *s, size_t j)
{
    size_t first = j - 1, last = j;
    uint64_t words[2];
    u128 before = 0, all = 0;
    bool whole;

    words[0] = border_of(s, j, node, n, &whole);
    if (s->left[j] != s->left[j - 1]) {
        check_border(values, n, high, node, s, j, words, 0, whole);
        return;
    }
    while (first > 0 && s->left[first - 1] == s->left[j])
        first--;
    while (last < s->n && s->left[last] == s->left[j])
        last++;
    for (size_t i = first; i < last; i++) {
        u128 shares = (u128)ldexp(s->pieces[i], QUANTILE_SHARE_BITS);

        before += i < j ? shares : 0;
        all += shares;
    }
    words[0] = first > 0 ? border_of(s, first, node, n, &whole) : 0;
    words[1] = last < s->n ? border_of(s, last, node, n, &whole) : UINT64_MAX;
    if ((words[1] - words[0]) >> 20 == 0)
        return; /* so near to a border the first word is refined by others */
    words[0] += (words[1] - words[0]) / 2;
    words[1] = (uint64_t)((before << 64) / all);
    whole = (before << 64) % all == 0;
    check_border(values, n, high, node, s, j, words, 1, whole);
}

static size_t
check_borders(const uint64_t *values, size_t n, uint64_t high,
              const struct node *node)
{
    struct slots s;

    slots_of(values, n, 0, high, &s);
    for (size_t j = 1; j < s.n; j++)
        check_slot(values, n, high, node, &s, j);
    return s.n - 1;
}

static void
quantile_law_by_enumeration(void **state)
{
    static const char *const ranks[] = {"1/2", "0", "0.9"};
    static const char *const eps[] = {"1", "1/7", "30"};
    size_t checked = 0;

    (void)state;
    for (size_t r = 0; r < (size_t)test_size(1, 3); r++)
        for (size_t e = 0; e < COUNT_OF(eps); e++) {
            custos_quantile *q =
                quantile_make(CUSTOS_ADD_REMOVE, 0, 4, &ranks[r], 1, 1, eps[e]);
            uint64_t v[4];

            for (v[0] = 0; v[0] < 5; v[0]++)
                for (v[1] = v[0]; v[1] < 5; v[1]++)
                    for (v[2] = v[1]; v[2] < 5; v[2] += 2)
                        for (v[3] = v[2]; v[3] < 5; v[3]++)
                            for (size_t n = 0; n <= 4; n++)
                                checked += check_borders(v, n, 4, q->nodes);
            custos_quantile_free(q);
        }
    assert_true(checked > 1000);
}

/* The same with shifted ranks, within the values and beyond their ends. */
static void
quantile_shifted_law_by_enumeration(void **state)
{
    static const char *const ranks[] = {"1/2", "0", "1"};
    static const int64_t shifts[] = {1, -1, 3, -70};
    size_t checked = 0;

    (void)state;
    for (size_t r = 0; r < COUNT_OF(ranks); r++)
        for (size_t i = 0; i < COUNT_OF(shifts); i++) {
            custos_quantile *q;
            uint64_t v[3];

            moved.shift = &shifts[i];
            moved.pad = i % 2;
            q = quantile_make(CUSTOS_ADD_REMOVE, 0, 4, &ranks[r], 1, 1, "3");
            for (v[0] = 0; v[0] < 5; v[0]++)
                for (v[1] = v[0]; v[1] < 5; v[1]++)
                    for (v[2] = v[1]; v[2] < 5; v[2]++)
                        for (size_t n = 0; n <= 3; n++)
                            checked += check_borders(v, n, 4, q->nodes);
            custos_quantile_free(q);
        }
    moved.shift = NULL;
    moved.pad = 0;
    assert_true(checked > 500);
}

/* Many equal values; and a gap far wider than the rest of the domain. */
static void
quantile_thresholds_are_exact(void **state)
{
    static const char *const rank[] = {"2/5"};
    static const uint64_t ties[] = {0, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3};
    static const uint64_t values[] = {5, 6};
    /* With the second epsilon, points and gap have about the same weight. */
    static const struct {
        const char *epsilon;
        uint64_t high;
    } rows[] = {{"2", (UINT64_C(1) << 61) + 6},
                {"27", UINT64_C(6442450999)},
                {"49", UINT64_C(5188146770730811)}};
    custos_quantile *q =
        quantile_make(CUSTOS_ADD_REMOVE, 0, 4, rank, 1, 1, "2");
    struct slots s;

    (void)state;
    for (size_t n = 0; n <= 11; n++)
        assert_true(check_borders(ties, n, 4, q->nodes) > 0 || n == 0);
    custos_quantile_free(q);
    /* Slots: one each for 0 .. 4, two each for 5 and 6, one for the rest. */
    slots_of(values, 2, 0, 7, &s);
    assert_int_equal(s.n, 10);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t high = rows[i].high;

        q = quantile_make(CUSTOS_ADD_REMOVE, 0, 4, rank, 1, 1, rows[i].epsilon);
        s.pieces[9] = (double)(high - 6);
        for (size_t j = 5; j < s.n; j++)
            check_slot(values, 2, high, q->nodes, &s, j);
        custos_quantile_free(q);
    }
}

/* The words after the slot choose the point, evenly among all points. */
static void
quantile_law_inside_gaps(void **state)
{
    static const char *const rank[] = {"1/2"};
    custos_quantile *q =
        quantile_make(CUSTOS_ADD_REMOVE, -3, 4, rank, 1, 1, "1");
    const uint64_t eighth = UINT64_C(1) << 61;

    (void)state;
    for (uint64_t k = 0; k < 8; k++)
        for (int end = 0; end < 2; end++) {
            const uint64_t words[4] = {UINT64_C(1) << 63,
                                       k * eighth + (end ? eighth - 1 : 0),
                                       end ? UINT64_MAX : 0, 0};
            custos_rng *rng = test_rng_taped(words, 4);
            i128 none = 0;
            custos_sealed *sealed = NULL;
            int64_t out = 99;

            assert_int_equal(seal_i128(NULL, &none, 1, &sealed, NULL), 0);
            assert_int_equal(
                custos_quantile_release(q, rng, sealed, 1, &out, NULL), 0);
            assert_int_equal(out, (int64_t)k - 3);
            custos_sealed_free(sealed);
            test_rng_free(rng);
        }
    custos_quantile_free(q);
}

/* floor(3 U): it is undecided as long as the words are the digits of 1/3. */
static void
quantile_uniform_by_tapes(void **state)
{
    const uint64_t d = UINT64_C(0x5555555555555555);
    const struct {
        uint64_t words[5];
        size_t used;
        uint64_t want;
    } rows[] = {
        {{0, 0}, 3, 0},
        {{d, d - 1}, 3, 0},
        {{d, d + 1}, 3, 1},
        {{d, d, d - 1}, 3, 0},
        {{d, d, d + 1}, 3, 1},
        {{d, d, d, d, d + 1}, 5, 1},
        {{d, d, d, d, 0}, 5, 0},
        {{2 * d, 2 * d + 1}, 3, 2},
        {{2 * d, 2 * d - 1}, 3, 1},
        {{UINT64_MAX, UINT64_MAX, 0}, 3, 2},
        {{d + 1, 0}, 3, 1},
        {{2 * d, 2 * d, 2 * d + 1}, 3, 2},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        custos_rng *rng = test_rng_taped(rows[i].words, 5);
        u128 got = 9;

        assert_int_equal(stretch_uniform(rng, 3, &got), CUSTOS_OK);
        assert_int_equal(got, rows[i].want);
        assert_true(test_rng_used(rng) <= rows[i].used);
        test_rng_free(rng);
    }
    for (uint64_t n = 1; n < 40; n++) {
        uint64_t words[3] = {0, 0, 0};
        custos_rng *rng;
        u128 got;

        for (uint64_t k = 0; k < n; k++) {
            /* 128 bits just above k/n */
            u128 at = k ? (~(u128)0 - (n - 1)) / n * k + k * n : 0;

            words[0] = (uint64_t)(at >> 64);
            words[1] = (uint64_t)at;
            rng = test_rng_taped(words, 3);
            assert_int_equal(stretch_uniform(rng, n, &got), CUSTOS_OK);
            assert_int_equal(got, k);
            test_rng_free(rng);
        }
    }
}

/* --------------------------------------------------------- the promise -- */

/*
 * Joint outcomes of all quantiles, as numbers with one base-`points` digit for
 * each.
 */
struct joint {
    const custos_quantile *q;
    uint64_t points;   /* of the domain */
    uint64_t digit[8]; /* points^i */
};

/*
 * The law of a branch as a table over outcomes, by the definition: for each
 * cut, the product of the laws of both sides.
 */
static void
branch_law(const struct joint *j, const uint64_t *values, size_t n,
           uint64_t low, uint64_t high, size_t first, size_t last, double *law)
{
    size_t middle = first + (last - first) / 2, all = 1;
    const struct node *node;
    struct slots s;
    double w[SLOTS], sum = 0, rate;
    double *left, *right;

    for (size_t i = 0; i < j->q->ranks; i++)
        all *= j->points;
    memset(law, 0, all * sizeof *law);
    if (first == last) {
        law[0] = 1;
        return;
    }
    node = &j->q->nodes[middle];
    rate = rat_double(&node->slope.rate);
    slots_of(values, n, low, high, &s);
    for (size_t i = 0; i < s.n; i++)
        sum += w[i] = s.pieces[i] * exp(-rate * slot_score(node, s.left[i], n));
    left = calloc(all, sizeof *left);
    right = calloc(all, sizeof *right);
    assert_true(left && right);
    for (size_t i = 0; i < s.n; i++) {
        branch_law(j, values, s.left[i], low, s.point[i], first, middle, left);
        branch_law(j, values + s.left[i], n - s.left[i], s.point[i], high,
                   middle + 1, last, right);
        for (size_t a = 0; a < all; a++)
            for (size_t b = 0; left[a] > 0 && b < all; b++)
                if (right[b] > 0)
                    law[a + b + s.point[i] * j->digit[middle]] +=
                        w[i] / sum * left[a] * right[b];
    }
    free(left);
    free(right);
}

/* All multisets of at most `most` values of 0 .. points-1. */
struct data {
    size_t n;
    uint64_t values[MOST];
};

static size_t
data_all(uint64_t points, size_t most, struct data *out)
{
    size_t n = 1;

    out[0] = (struct data){.n = 0};
    for (size_t i = 0; i < n; i++)
        for (uint64_t v = out[i].n ? out[i].values[out[i].n - 1] : 0;
             v < points && out[i].n < most; v++) {
            out[n] = out[i];
            out[n].values[out[n].n++] = v;
            n++;
        }
    return n;
}

/* How many values only a has, and how many only b has. */
static void
data_differ(const struct data *a, const struct data *b, size_t *more,
            size_t *less)
{
    size_t i = 0, k = 0;

    *more = *less = 0;
    while (i < a->n || k < b->n) {
        if (k == b->n || (i < a->n && a->values[i] < b->values[k])) {
            (*more)++;
            i++;
        } else if (i == a->n || b->values[k] < a->values[i]) {
            (*less)++;
            k++;
        } else {
            i++;
            k++;
        }
    }
}

static bool
are_neighbours(custos_adjacency adjacency, size_t per_unit,
               const struct data *a, const struct data *b)
{
    size_t more, less;

    data_differ(a, b, &more, &less);
    if (adjacency == CUSTOS_ADD_REMOVE)
        return less == 0 && more <= per_unit;
    return more <= per_unit && less <= per_unit &&
           (per_unit > 1 || more == less);
}

/* The largest log-ratio of the laws of neighbours. */
static double
worst_ratio(custos_adjacency adjacency, uint64_t points, size_t most,
            const char *const *ranks, size_t n, size_t per_unit,
            const char *epsilon)
{
    enum { DATA = 800 };
    static struct data data[DATA];
    custos_quantile *q = quantile_make(adjacency, 0, (int64_t)points - 1, ranks,
                                       n, per_unit, epsilon);
    struct joint j = {.q = q, .points = points};
    size_t count = data_all(points, most, data), all = 1;
    double worst = 0, *laws;

    assert_true(count <= DATA);
    for (size_t i = 0; i < n; i++) {
        j.digit[i] = all;
        all *= points;
    }
    laws = calloc(count * all, sizeof *laws);
    assert_non_null(laws);
    for (size_t i = 0; i < count; i++) {
        double sum = 0;

        branch_law(&j, data[i].values, data[i].n, 0, points - 1, 0, n,
                   laws + i * all);
        for (size_t k = 0; k < all; k++)
            sum += laws[i * all + k];
        assert_true(fabs(sum - 1) < 1e-9);
    }
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < count; b++) {
            if (!are_neighbours(adjacency, moved.apart ? moved.apart : per_unit,
                                &data[a], &data[b]))
                continue;
            for (size_t k = 0; k < all; k++) {
                double x = laws[a * all + k], y = laws[b * all + k];

                assert_true((x > 0) == (y > 0));
                if (x > 0 && fabs(log(x / y)) > worst)
                    worst = fabs(log(x / y));
            }
        }
    free(laws);
    custos_quantile_free(q);
    return worst;
}

static void
quantile_keeps_epsilon(void **state)
{
    static const char *const ranks[] = {"1/2", "0", "1", "3/4", "0.1"};
    int n = test_size(2, 5);

    (void)state;
    for (int a = CUSTOS_ADD_REMOVE; a <= CUSTOS_CHANGE_ONE; a++)
        for (int r = 0; r < n; r++)
            for (size_t unit = 1; unit <= 2; unit++) {
                double worst =
                    worst_ratio((custos_adjacency)a, unit == 1 ? 8 : 5, 4,
                                &ranks[r], 1, unit, "1.5");

                assert_true(worst <= 1.5 + 1e-9);
                assert_true(worst > 0.5); /* the budget is used */
            }
}

static void
quantile_several_keep_epsilon(void **state)
{
    static const char *const ranks[] = {"1/4", "1/2", "3/4"};
    static const char *const uneven[] = {"0", "0.1", "0.9", "1"};

    (void)state;
    for (int a = CUSTOS_ADD_REMOVE; a <= CUSTOS_CHANGE_ONE; a++) {
        custos_adjacency adjacency = (custos_adjacency)a;
        double worst = worst_ratio(adjacency, 4, 4, ranks, 3, 1, "2");

        assert_true(worst <= 2 + 1e-9 && worst > 0.3);
        worst = worst_ratio(adjacency, 4, 4, ranks, 2, 1, "2");

        assert_true(worst <= 2 + 1e-9 && worst > 0.3);
        worst = worst_ratio(adjacency, 3, 4, ranks, 3, 2, "2");

        assert_true(worst <= 2 + 1e-9 && worst > 0.3);
        worst = worst_ratio(adjacency, 3, 4, uneven, 4, 1, "2");

        assert_true(worst <= 2 + 1e-9 && worst > 0.3);
    }
}

static void
quantile_shifted_keeps_epsilon(void **state)
{
    static const char *const ranks[] = {"0", "1/2", "1"};
    static const int64_t shifts[][3] = {{1, 0, -1}, {-1, -1, -1}, {2, 2, 2}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(shifts); i++)
        for (int a = CUSTOS_ADD_REMOVE; a <= CUSTOS_CHANGE_ONE; a++) {
            double worst;

            moved.shift = shifts[i];
            moved.pad = i;
            worst = worst_ratio((custos_adjacency)a, 4, 4, ranks, 3, 1, "2");
            assert_true(worst <= 2 + 1e-9 && worst > 0.3);
            worst =
                worst_ratio((custos_adjacency)a, 6, 4, ranks + 1, 1, 2, "2");
            assert_true(worst <= 2 + 1e-9 && worst > 0.3);
        }
    moved.shift = NULL;
    moved.pad = 0;
}

/*
 * The loss is proportional to the number of values that come or go: with v
 * values per unit, y values cost y/v of epsilon, also for y > v.
 */
static void
quantile_loss_is_by_value(void **state)
{
    static const char *const ranks[] = {"1/4", "1/2", "1"};

    (void)state;
    for (size_t apart = 1; apart <= 4; apart++)
        for (size_t r = 0; r < 3; r++) {
            double most = 1.5 * (double)apart / 2, worst;

            moved.apart = apart;
            worst =
                worst_ratio(CUSTOS_ADD_REMOVE, 5, 4, &ranks[r], 1, 2, "1.5");
            assert_true(worst <= most + 1e-9 && worst > 0.3 * most);
            worst = worst_ratio(CUSTOS_ADD_REMOVE, 3, 4, ranks, 3, 2, "1.5");
            assert_true(worst <= most + 1e-9);
        }
    moved.apart = 0;
}

/* If all cuts are exact, every node aims at the position its rank gives. */
static void
quantile_shifts_are_as_proved(void **state)
{
    static const char *const ranks[] = {"0", "0.1", "1/3", "0.9", "1"};
    static const double rank[] = {0, 0.1, 1 / 3.0, 0.9, 1};
    static const int64_t shift[] = {5, 7, -3, 0, -11};
    static const size_t low[] = {5, 5, 5, 2, 2}, high[] = {1, 2, 5, 4, 5};
    custos_quantile *q;
    double place[6][2]; /* [5]: the ends */
    double n = 1000;

    (void)state;
    moved.pad = 40;
    moved.shift = shift;
    q = quantile_make(CUSTOS_ADD_REMOVE, 0, 9, ranks, 5, 1, "2");
    moved.pad = 0;
    moved.shift = NULL;
    for (size_t i = 0; i < 5; i++)
        place[i][0] = place[i][1] = rank[i] * (n - 80) + 40 + (double)shift[i];
    place[5][0] = 0;
    place[5][1] = n;
    for (size_t i = 0; i < 5; i++) {
        const struct node *node = &q->nodes[i];
        double from = place[low[i]][0], to = place[high[i]][1];
        double got =
            from + ((double)node->num * (to - from) + (double)node->shift) /
                       (double)node->den;

        if (fabs(got - place[i][0]) > 1e-6)
            fail_msg("%zu: %g, not %g", i, got, place[i][0]);
    }
    custos_quantile_free(q);
}

/*
 * Part (a) of the theorem, for the pieces: with one more value, exactly one
 * side of a cut has one value more.
 */
static void
quantile_cut_moves_one_value(void **state)
{
    (void)state;
    for (size_t t = 0; t < MOST; t++) {
        double a[MOST + 2], b[MOST + 2], at = 0;
        size_t n = pieces_of(t, a), m = pieces_of(t + 1, b), i = 0, k = 0;
        double end_a = a[0], end_b = b[0];

        assert_int_equal(n, t + 1);
        assert_int_equal(m, t + 2);
        while (at < 1) {
            assert_true(k == i || k == i + 1);
            at = fmin(end_a, end_b);
            if (at == end_a && ++i < n)
                end_a += a[i];
            if (at == end_b && ++k < m)
                end_b += b[k];
        }
    }
}

static bool
is_near(const rat *x, double want)
{
    return fabs(rat_double(x) / want - 1) < 1e-15;
}

/* The rates are those of the theorem. */
static void
quantile_rates_are_as_proved(void **state)
{
    static const char *const ranks[] = {"0.1", "1/2", "3/4"};
    custos_quantile *q =
        quantile_make(CUSTOS_ADD_REMOVE, 0, 9, ranks, 3, 5, "2");
    const custos_quantile_facts *f = custos_quantile_report(q);

    (void)state;
    assert_int_equal(f->levels, 2);
    assert_string_equal(f->epsilon, "2");
    assert_string_equal(f->rho, "0.25");
    assert_string_equal(f->theorem, "quantile-tree");
    assert_int_equal(q->nodes[0].num, 1);
    assert_int_equal(q->nodes[0].den, 5);
    assert_true(is_near(&q->nodes[0].slope.rate, 1.0 / (2 * 5 * 4)));
    assert_int_equal(q->nodes[1].den, 2);
    assert_true(is_near(&q->nodes[1].slope.rate, 1.0 / (2 * 5 * 1)));
    assert_true(is_near(&q->nodes[2].slope.rate, 1.0 / (2 * 5 * 1)));
    custos_quantile_free(q);
    q = quantile_make(CUSTOS_CHANGE_ONE, 0, 9, ranks, 3, 0, "2");
    assert_true(is_near(&q->nodes[0].slope.rate, 1.0 / (2 * 8)));
    assert_true(is_near(&q->nodes[1].slope.rate, 1.0 / (2 * 2)));
    assert_true(is_near(&q->nodes[2].slope.rate, 1.0 / (2 * 2)));
    assert_null(custos_quantile_report(NULL));
    custos_quantile_free(q);
}

/* ------------------------------------------------------- releases -- */

static custos_status
release(const custos_quantile *q, custos_rng *rng, const int64_t *values,
        size_t n, int64_t *out)
{
    i128 *cells = calloc(n + 1, sizeof *cells);
    custos_sealed *sealed = NULL;
    custos_status st;

    assert_non_null(cells);
    cells[0] = (i128)n;
    for (size_t i = 0; i < n; i++)
        cells[i + 1] = values[i];
    assert_int_equal(seal_i128(NULL, cells, n + 1, &sealed, NULL), 0);
    free(cells);
    st = custos_quantile_release(q, rng, sealed, n + 1, out, NULL);
    custos_sealed_free(sealed);
    return st;
}

static int
by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/*
 * Deciles of data with and without large ties are in order and in the domain.
 */
static void
quantile_several_never_fall(void **state)
{
    static const char *const ranks[] = {"0.1", "0.2", "0.3", "0.4", "0.5",
                                        "0.6", "0.7", "0.8", "0.9"};
    custos_quantile *q =
        quantile_make(CUSTOS_ADD_REMOVE, -50, 50, ranks, 9, 1, "20");
    custos_rng *rng = test_rng_seeded(31);
    int64_t values[500], out[9];

    (void)state;
    for (int round = 0; round < test_size(5, 60); round++) {
        size_t n = (size_t)round * 8;

        for (size_t i = 0; i < n; i++)
            values[i] = round % 3 == 0   ? (int64_t)(i % 101) - 50
                        : round % 3 == 1 ? 7
                                         : (int64_t)(i % 3) * 20 - 20;
        qsort(values, n, sizeof *values, by_size);
        assert_int_equal(release(q, rng, values, n, out), CUSTOS_OK);
        for (int i = 0; i < 9; i++)
            assert_true(out[i] >= (i ? out[i - 1] : -50) && out[i] <= 50);
        if (round == 58) /* all values are 7: all deciles find it */
            for (int i = 0; i < 9; i++)
                assert_int_equal(out[i], 7);
    }
    custos_quantile_free(q);
    test_rng_free(rng);
}

/*
 * The error bar covers as often as requested (95 %), in 1000 releases of three
 * quantiles of 300 values. It is a union bound, so it covers far more often.
 */
static void
quantile_error_covers(void **state)
{
    static const char *const ranks[] = {"0.25", "0.5", "0.99"};
    enum { N = 300 };
    custos_quantile *q =
        quantile_make(CUSTOS_ADD_REMOVE, 0, 1000, ranks, 3, 1, "1");
    custos_rng *rng = test_rng_seeded(32);
    int64_t values[N], out[3];
    double missed[3] = {0}, rank[3] = {0.25, 0.5, 0.99};
    int rounds = test_size(20, 1000);

    (void)state;
    for (int i = 0; i < N; i++)
        values[i] = i < 100 ? 3 * i : i < 200 ? 400 : 400 + i;
    for (int round = 0; round < rounds; round++) {
        assert_int_equal(release(q, rng, values, N, out), CUSTOS_OK);
        for (size_t k = 0; k < 3; k++) {
            double below = 0, upto = 0;
            uint64_t off;

            for (int i = 0; i < N; i++) {
                below += values[i] < out[k];
                upto += values[i] <= out[k];
            }
            assert_int_equal(custos_quantile_error(q, k, "0.05", N, &off, NULL),
                             0);
            assert_true(off < N / 2);
            missed[k] += below > rank[k] * N + (double)off ||
                         upto < rank[k] * N - (double)off;
        }
    }
    for (size_t k = 0; k < 3; k++)
        assert_true(missed[k] <= 0.05 * rounds);
    custos_quantile_free(q);
    test_rng_free(rng);
}

static void
quantile_error_is_the_formula(void **state)
{
    static const char *const ranks[] = {"0.25", "0.5", "0.75"};
    custos_quantile *q =
        quantile_make(CUSTOS_ADD_REMOVE, 0, 99, ranks, 3, 1, "2");
    uint64_t root, leaf, far;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(custos_quantile_error(q, 1, "0.05", 49999, &root, &err),
                     0);
    assert_int_equal(root, (uint64_t)ceil(log(2 * 100 * 5e4 / 0.05) + 0.5));
    assert_int_equal(custos_quantile_error(q, 2, "0.05", 49999, &leaf, &err),
                     0);
    assert_int_equal(leaf,
                     2 * (uint64_t)ceil(log(2 * 100 * 5e4 / 0.025) + 0.5));
    assert_int_equal(custos_quantile_error(q, 0, "0.05", 49999, &far, &err), 0);
    assert_int_equal(far, leaf);
    /* The error is at most the number of values; 0: that number is unknown. */
    assert_int_equal(custos_quantile_error(q, 0, "0.05", 20, &far, &err), 0);
    assert_int_equal(far, 20);
    assert_int_equal(custos_quantile_error(q, 0, "0.05", 5, &far, &err), 0);
    assert_int_equal(far, 5);
    assert_int_equal(custos_quantile_error(q, 1, "0.05", 0, &far, &err), 0);
    assert_int_equal(far, (uint64_t)ceil(log(200 * 0x1p32 / 0.05) + 0.5));
    assert_int_equal(
        custos_quantile_error(q, 1, "0.05", UINT64_MAX, &leaf, &err), 0);
    assert_int_equal(far, leaf);
    assert_int_equal(custos_quantile_error(NULL, 1, "0.1", 9, &far, &err), 1);
    assert_int_equal(custos_quantile_error(q, 3, "0.1", 9, &far, &err), 1);
    assert_int_equal(custos_quantile_error(q, 1, "0.1", 9, NULL, &err), 1);
    assert_int_equal(custos_quantile_error(q, 1, "x", 9, &far, &err),
                     CUSTOS_EPARSE);
    custos_quantile_free(q);
    /* An epsilon so small that the bar exceeds 128 bits. */
    q = quantile_make(CUSTOS_ADD_REMOVE, 0, 99, ranks, 1, 1, "1e-300");
    assert_int_equal(custos_quantile_error(q, 0, "0.1", 9, &far, &err), 0);
    assert_int_equal(far, 9);
    custos_quantile_free(q);
}

/*
 * A domain of 62 bits, the ends of 64 bits, values outside, an epsilon close to
 * 0.
 */
static void
quantile_at_the_ends(void **state)
{
    static const char *const ranks[] = {"0.01", "0.5", "0.99"};
    static const int64_t values[] = {INT64_MIN, -5, -5, -5, 0,
                                     3,         3,  3,  3,  INT64_MAX};
    custos_rng *rng = test_rng_seeded(33);
    custos_quantile *q;
    int64_t out[3];

    (void)state;
    q = quantile_make(CUSTOS_CHANGE_ONE, INT64_MIN,
                      INT64_MIN + (INT64_C(1) << 62) - 1, ranks, 3, 1, "1024");
    assert_int_equal(release(q, rng, values, 10, out), CUSTOS_OK);
    assert_true(out[2] <= INT64_MIN + (INT64_C(1) << 62) - 1);
    custos_quantile_free(q);
    q = quantile_make(CUSTOS_ADD_REMOVE, -5, 3, ranks, 3, 1, "1000");
    assert_int_equal(release(q, rng, values, 10, out), CUSTOS_OK);
    assert_int_equal(out[0], -5);
    assert_true(out[1] >= 0 && out[1] <= 3);
    assert_int_equal(out[2], 3);
    custos_quantile_free(q);
    q = quantile_make(CUSTOS_ADD_REMOVE, 7, 7, ranks, 3, UINT64_MAX, "1e-400");
    assert_int_equal(release(q, rng, values, 10, out), CUSTOS_OK);
    assert_true(out[0] == 7 && out[1] == 7 && out[2] == 7);
    custos_quantile_free(q);
    test_rng_free(rng);
}

/*
 * The first cell holds the number of values. It is clamped to the number of
 * other cells; cells after the last value are ignored.
 */
static void
quantile_hides_its_number(void **state)
{
    static const char *const rank[] = {"0.5"};
    static const i128 rows[][4] = {{2, 40, 40, 90},    {2, 40, 40, -8},
                                   {1000, 40, 40, 40}, {3, 40, 40, 40},
                                   {-1, 90, 90, 90},   {0, 40, 40, 40}};
    custos_quantile *q =
        quantile_make(CUSTOS_ADD_REMOVE, 0, 99, rank, 1, 1, "100");
    int64_t out[6];

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        custos_rng *rng = test_rng_seeded(34);
        custos_sealed *sealed = NULL;

        assert_int_equal(seal_i128(NULL, rows[i], 4, &sealed, NULL), 0);
        assert_int_equal(
            custos_quantile_release(q, rng, sealed, 4, &out[i], NULL), 0);
        custos_sealed_free(sealed);
        test_rng_free(rng);
    }
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(out[i], 40);
    assert_int_equal(out[4], out[5]); /* no values */
    assert_int_not_equal(out[4], 40);
    custos_quantile_free(q);
}

static void
quantile_refuses(void **state)
{
    static const char *const half[] = {"0.5"}, *const bad[] = {"x"};
    static const char *const low[] = {"-0.5"}, *const high[] = {"1.5"};
    static const char *const twice[] = {"0.5", "0.5"};
    static const char *const fine[] = {"0.12345678901"};
    static const int64_t far = -((int64_t)1 << 29) - 1;
    static const char *const huge[] = {"1e-60"};
    static const char *const early[] = {"0.123456789012", "0.5", "0.75"};
    static const char *const late[] = {"0.5", "0.75", "0.123456789012"};
    static const struct {
        custos_quantile_options o;
        custos_status want;
    } rows[] = {
        {{.adjacency = 1,
          .ranks = 1,
          .rank = half,
          .epsilon = "1",
          .pad = ((uint64_t)1 << 29) + 1},
         3},
        {{.adjacency = 1,
          .ranks = 1,
          .rank = half,
          .epsilon = "1",
          .shift = &far},
         3},
        {{.adjacency = 0, .ranks = 1, .rank = half, .epsilon = "1"}, 1},
        {{.adjacency = 1, .ranks = 0, .rank = half, .epsilon = "1"}, 1},
        {{.adjacency = 1, .ranks = 1025, .rank = half, .epsilon = "1"}, 1},
        {{.adjacency = 1, .ranks = 1, .rank = NULL, .epsilon = "1"}, 1},
        {{.adjacency = 1, .ranks = 1, .rank = half, .epsilon = NULL}, 2},
        {{.adjacency = 1, .ranks = 1, .rank = half, .epsilon = "0"}, 3},
        {{.adjacency = 1, .ranks = 1, .rank = half, .epsilon = "1025"}, 3},
        {{.adjacency = 1, .ranks = 1, .rank = bad, .epsilon = "1"}, 2},
        {{.adjacency = 1, .ranks = 1, .rank = low, .epsilon = "1"}, 3},
        {{.adjacency = 1, .ranks = 1, .rank = high, .epsilon = "1"}, 3},
        {{.adjacency = 1, .ranks = 2, .rank = twice, .epsilon = "1"}, 3},
        {{.adjacency = 1, .ranks = 1, .rank = fine, .epsilon = "1"}, 3},
        {{.adjacency = 1, .ranks = 1, .rank = huge, .epsilon = "1"}, 3},
        {{.adjacency = 1, .ranks = 3, .rank = early, .epsilon = "1"}, 3},
        {{.adjacency = 1, .ranks = 3, .rank = late, .epsilon = "1"}, 3},
        {{.adjacency = 1,
          .ranks = 1,
          .rank = half,
          .lower = 1,
          .upper = 0,
          .epsilon = "1"},
         3},
        {{.adjacency = 1,
          .ranks = 1,
          .rank = half,
          .lower = INT64_MIN,
          .upper = INT64_MAX,
          .epsilon = "1"},
         3},
    };
    custos_quantile_options good = {.size = sizeof good,
                                    .adjacency = 1,
                                    .ranks = 1,
                                    .rank = half,
                                    .epsilon = "1"};
    custos_quantile *q = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        custos_quantile_options o = rows[i].o;

        o.size = sizeof o;
        err = (custos_err)CUSTOS_ERR_INIT;
        assert_int_equal(custos_quantile_new(NULL, &o, &q, &err), rows[i].want);
        assert_int_equal(err.code, rows[i].want);
        assert_true(err.said[0] != '\0');
        assert_null(q);
    }
    assert_int_equal(custos_quantile_new(NULL, &good, NULL, &err), 1);
    good.size = 5;
    assert_int_equal(custos_quantile_new(NULL, &good, &q, &err), 1);
    assert_int_equal(custos_quantile_new(NULL, NULL, &q, &err), 1);
    custos_quantile_free(NULL);
}

static void
quantile_release_refuses(void **state)
{
    static const char *const rank[] = {"0.5"};
    static const i128 cells[3] = {2, 1, 2};
    custos_quantile *q =
        quantile_make(CUSTOS_ADD_REMOVE, 0, 9, rank, 1, 1, "1");
    custos_rng *rng = test_rng_seeded(35);
    custos_sealed *s = NULL;
    int64_t out = 77;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(seal_i128(NULL, cells, 3, &s, NULL), 0);
    assert_int_equal(custos_quantile_release(NULL, rng, s, 3, &out, &err), 1);
    assert_int_equal(custos_quantile_release(q, NULL, s, 3, &out, &err), 1);
    assert_int_equal(custos_quantile_release(q, rng, NULL, 3, &out, &err), 1);
    assert_int_equal(custos_quantile_release(q, rng, s, 3, NULL, &err), 1);
    assert_int_equal(custos_quantile_release(q, rng, s, 2, &out, &err), 1);
    assert_int_equal(
        custos_quantile_release(q, rng, s, (size_t)1 << 32, &out, &err),
        CUSTOS_EOVERFLOW);
    assert_int_equal(custos_quantile_release(q, rng, s, 3, &out, &err), 0);
    out = 77;
    assert_int_equal(custos_quantile_release(q, rng, s, 3, &out, &err),
                     CUSTOS_ETAKEN);
    assert_int_equal(out, 77);
    custos_sealed_free(s);
    custos_quantile_free(q);
    test_rng_free(rng);
}

/*
 * Every allocation and every random word fails once; nothing is leaked or
 * released.
 */
static void
quantile_survives_faults(void **state)
{
    static const char *const ranks[] = {"0.25", "0.5", "0.75"};
    static const int64_t values[] = {1, 2, 2, 5};
    const custos_quantile_options o = {.size = sizeof o,
                                       .adjacency = CUSTOS_ADD_REMOVE,
                                       .upper = 9,
                                       .ranks = 3,
                                       .rank = ranks,
                                       .epsilon = "1"};
    custos_quantile *q = NULL;
    custos_status st = CUSTOS_ENOMEM;

    (void)state;
    for (size_t fail = 1; st; fail++) {
        struct test_memory memory = {.fail_at = fail};
        custos_alloc alloc = test_alloc(&memory);

        q = NULL;
        st = custos_quantile_new(&alloc, &o, &q, NULL);
        assert_true(st == CUSTOS_OK || st == CUSTOS_ENOMEM);
        assert_true((q != NULL) == (st == CUSTOS_OK));
        custos_quantile_free(q);
        assert_int_equal(memory.live, 0);
    }
    assert_int_equal(custos_quantile_new(NULL, &o, &q, NULL), CUSTOS_OK);
    st = CUSTOS_EENTROPY;
    for (size_t words = 0; st; words++) {
        custos_rng *rng = test_rng_failing(9, words);
        int64_t out[3] = {77, 77, 77};

        st = release(q, rng, values, 4, out);
        assert_true(st == CUSTOS_OK || st == CUSTOS_EENTROPY);
        assert_true((out[0] == 77) == (st != CUSTOS_OK));
        assert_true(st != CUSTOS_OK || words == 12);
        test_rng_free(rng);
    }
    custos_quantile_free(q);
}

/* The entropy may run out during refinement, or while a floor is undecided. */
static void
quantile_refinement_can_fail(void **state)
{
    static const char *const rank[] = {"0.5"};
    static const int64_t value = 2;
    const uint64_t d = UINT64_C(0x5555555555555555);
    const uint64_t middle[1] = {UINT64_C(1) << 63};
    const uint64_t open[3] = {UINT64_C(1) << 62, d, d};
    custos_quantile *q =
        quantile_make(CUSTOS_ADD_REMOVE, 0, 4, rank, 1, 1, "1");
    custos_rng *rng = test_rng_taped(middle, 1);
    int64_t out = 77;
    u128 point = 0;

    (void)state;
    /*
     * 0 .. 4 with a value at 2: the border between the two pieces of 2 is in
     * the middle.
     */
    assert_int_equal(release(q, rng, &value, 1, &out), CUSTOS_EENTROPY);
    assert_int_equal(out, 77);
    test_rng_free(rng);
    custos_quantile_free(q);
    rng = test_rng_taped(open + 1, 2);
    assert_int_equal(stretch_uniform(rng, 3, &point), CUSTOS_EENTROPY);
    test_rng_free(rng);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantile_law_by_enumeration),
        cmocka_unit_test(quantile_shifted_law_by_enumeration),
        cmocka_unit_test(quantile_thresholds_are_exact),
        cmocka_unit_test(quantile_law_inside_gaps),
        cmocka_unit_test(quantile_uniform_by_tapes),
        cmocka_unit_test(quantile_keeps_epsilon),
        cmocka_unit_test(quantile_several_keep_epsilon),
        cmocka_unit_test(quantile_shifted_keeps_epsilon),
        cmocka_unit_test(quantile_shifts_are_as_proved),
        cmocka_unit_test(quantile_loss_is_by_value),
        cmocka_unit_test(quantile_cut_moves_one_value),
        cmocka_unit_test(quantile_rates_are_as_proved),
        cmocka_unit_test(quantile_several_never_fall),
        cmocka_unit_test(quantile_error_covers),
        cmocka_unit_test(quantile_error_is_the_formula),
        cmocka_unit_test(quantile_at_the_ends),
        cmocka_unit_test(quantile_hides_its_number),
        cmocka_unit_test(quantile_refuses),
        cmocka_unit_test(quantile_release_refuses),
        cmocka_unit_test(quantile_survives_faults),
        cmocka_unit_test(quantile_refinement_can_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
