/*
 * Sensitivities of the query families: the exact largest distance between the
 * answers of neighbours. The caller always chooses the adjacency.
 *
 * THEOREM  sensitivity-families
 *   Let each unit have one row, and let the answers be sums over rows of
 *   f(row). Answers of neighbours differ by f(x) under add/remove, and by
 *   f(x) - f(y) under change-one. sensitivity_row gives, for each family, the
 *   largest l1 norm and the largest squared l2 norm of this difference. If a
 *   unit has up to r > 1 rows, l1 is r times and squared l2 is r^2 times these
 *   values, where under change-one y may also be no row.
 *   Dividing by a public n divides them by n and n^2. The maximum of queries
 *   with sensitivities D_i has sensitivity at most max D_i; the Hamming
 *   distance to a set at most 1.
 * SOURCE   Vadhan 1.3 and 1.5; Gaboardi, examples I to III;
 *          doc/proofs/sensitivity-families.md
 * NEEDS    the description of the family is true of the query.
 * GIVES    the sensitivities, exact, as text.
 * FAILS    CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE, CUSTOS_EOVERFLOW.
 * TESTED   sensitivity_is_that_of_all_neighbours
 *          sensitivity_holds_for_units_of_fewer_rows table_of_the_slides
 */
#include <string.h>

#include "base/base.h"
#include "base/ck.h"
#include "base/error.h"
#include "base/sized.h"
#include "num/rat.h"

/* Memory for one text of the largest size. */
struct block {
    char bytes[2 * CUSTOS_SENSITIVITY_MAX];
    size_t used;
};

static void *
block_take(void *ctx, size_t bytes)
{
    struct block *b = ctx;

    /* The buf asks first for 64 bytes, then for its limit. */
    CUSTOS_REQUIRE(bytes <= sizeof b->bytes - b->used);
    b->used += bytes;
    return b->bytes + b->used - bytes;
}

static void
block_give(void *ctx, void *p, size_t bytes)
{
    (void)ctx;
    (void)p;
    (void)bytes;
}

/* a as exact text; false when it is too long. */
static bool
write_number(const rat *a, char text[CUSTOS_SENSITIVITY_MAX])
{
    struct block block = {.used = 0};
    custos_alloc hooks = {block_take, block_give, &block};
    struct buf b;

    buf_init(&b, &hooks, CUSTOS_SENSITIVITY_MAX);
    rat_write(a, &b);
    if (b.failed)
        return false;
    memcpy(text, buf_text(&b), b.len + 1);
    return true;
}

/* The binomial coefficient n over k; false if it exceeds 64 bits. */
static bool
binomial(uint64_t n, uint64_t k, uint64_t *out)
{
    u128 c = 1;

    if (k > n - k)
        k = n - k;
    for (uint64_t i = 1; i <= k; i++) {
        c = c * (n - k + i) / i; /* exact: a binomial at every step */
        if (c > UINT64_MAX)
            return false;
    }
    *out = (uint64_t)c;
    return true;
}

/*
 * If a unit may have several rows, it may also have fewer. So the unit that
 * replaces another may have no row where the other had one.
 */
static bool
rows_can_vanish(const custos_query *q)
{
    return q->rows_per_unit > 1;
}

/* Sums of a bounded value: the largest |f|, or the largest |f(x) - f(y)|. */
static custos_status
linear_row(const custos_query *q, bool change_one, rat *l1, rat *l2,
           custos_err *err)
{
    custos_status st;
    rat lower, upper;

    rat_init(&lower);
    rat_init(&upper);
    st = rat_read(q->lower, "lower bound", &lower, err);
    if (!st)
        st = rat_read(q->upper, "upper bound", &upper, err);
    if (!st && rat_cmp(&lower, &upper) > 0)
        st = custos_fail(err, CUSTOS_EINVAL,
                         "the lower bound is above the upper one");
    if (!st && change_one) {
        if (rows_can_vanish(q) && rat_sign(&lower) > 0)
            rat_set_i64(&lower, 0, 1);
        if (rows_can_vanish(q) && rat_sign(&upper) < 0)
            rat_set_i64(&upper, 0, 1);
        rat_sub(l1, &upper, &lower);
    } else if (!st) {
        rat_abs(&lower, &lower);
        rat_abs(&upper, &upper);
        rat_set(l1, rat_cmp(&lower, &upper) > 0 ? &lower : &upper);
    }
    rat_mul(l2, l1, l1);
    rat_clear(&lower);
    rat_clear(&upper);
    return st;
}

/*
 * The families of 0/1 answers: how many of them differ, which is both the l1
 * and the squared l2 norm. The caller has checked count.
 */
static custos_status
counting_row(const custos_query *q, bool change_one, i128 *differ,
             custos_err *err)
{
    uint64_t tables;

    switch (q->family) {
    case CUSTOS_POINTS: /* one cell; or the cell left and the cell entered */
        *differ = change_one && q->count > 1 ? 2 : 1;
        return CUSTOS_OK;
    case CUSTOS_THRESHOLDS: /* the last counts all rows: it may be constant */
        *differ = (i128)q->count - (change_one && !rows_can_vanish(q));
        return CUSTOS_OK;
    case CUSTOS_ATTRIBUTES:
    case CUSTOS_COUNTS: *differ = (i128)q->count; return CUSTOS_OK;
    case CUSTOS_MARGINALS: /* one cell of every table, or two */
        if (q->ways == 0 || q->ways > q->count)
            return custos_fail(err, CUSTOS_EINVAL,
                               "ways must lie between 1 and the number of "
                               "attributes");
        if (!binomial(q->count, q->ways, &tables))
            return custos_fail(err, CUSTOS_EOVERFLOW,
                               "there are more than 2^64 marginals");
        *differ = (i128)tables * (change_one ? 2 : 1);
        return CUSTOS_OK;
    default: /* a count, or a Hamming distance */ *differ = 1; return CUSTOS_OK;
    }
}

static custos_status
check_query(const custos_query *q, custos_adjacency adjacency, custos_err *err)
{
    if (adjacency != CUSTOS_ADD_REMOVE && adjacency != CUSTOS_CHANGE_ONE)
        return custos_fail(err, CUSTOS_EINVAL,
                           "the adjacency must be add/remove or change-one");
    if ((unsigned)q->family < CUSTOS_COUNT ||
        (unsigned)q->family > CUSTOS_HAMMING)
        return custos_fail(err, CUSTOS_EINVAL, "unknown family of queries");
    if (q->count == 0 && q->family >= CUSTOS_POINTS &&
        q->family <= CUSTOS_COUNTS)
        return custos_fail(err, CUSTOS_EINVAL,
                           "this family of queries needs a count");
    return CUSTOS_OK;
}

/* Both norms for one row of a unit, without the divisor. */
static custos_status
sensitivity_row(const custos_query *q, custos_adjacency adjacency, rat *l1,
                rat *l2, custos_err *err)
{
    bool change_one = adjacency == CUSTOS_CHANGE_ONE;
    custos_status st = check_query(q, adjacency, err);
    i128 differ = 0;

    if (st)
        return st;
    if (q->family == CUSTOS_LINEAR)
        return linear_row(q, change_one, l1, l2, err);
    st = counting_row(q, change_one, &differ, err);
    rat_set_i128(l1, differ);
    rat_set_i128(l2, differ);
    return st;
}

/* Multiplies l1 by rows / divisor, and l2 by its square. */
static custos_status
apply_units(const custos_query *q, rat *l1, rat *l2, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    rat factor, divisor;

    rat_init(&factor);
    rat_init(&divisor);
    rat_set_i128(&factor, q->rows_per_unit ? (i128)q->rows_per_unit : 1);
    if (q->divisor) {
        st = rat_read_positive(q->divisor, "divisor", &divisor, err);
        if (!st)
            rat_div(&factor, &factor, &divisor);
    }
    rat_mul(l1, l1, &factor);
    rat_mul(l2, l2, &factor);
    rat_mul(l2, l2, &factor);
    rat_clear(&factor);
    rat_clear(&divisor);
    return st;
}

static custos_status
write_both(const rat *l1, const rat *l2, custos_sensitivity *out,
           custos_err *err)
{
    custos_sensitivity s = CUSTOS_SENSITIVITY_INIT;

    if (!write_number(l1, s.l1) || !write_number(l2, s.l2_squared))
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "the sensitivity is too long to write exactly");
    result_write(out, &s, sizeof s);
    return CUSTOS_OK;
}

custos_status
custos_sensitivity_of(const custos_query *query, custos_adjacency adjacency,
                      custos_sensitivity *out, custos_err *err)
{
    custos_query q;
    custos_status st;
    rat l1, l2;

    st = result_check(out, err);
    if (st)
        return st;
    if (!options_read(&q, sizeof q, query))
        return custos_fail(err, CUSTOS_EINVAL, "query must have its size set");
    rat_init(&l1);
    rat_init(&l2);
    st = sensitivity_row(&q, adjacency, &l1, &l2, err);
    if (!st)
        st = apply_units(&q, &l1, &l2, err);
    if (!st)
        st = write_both(&l1, &l2, out, err);
    rat_clear(&l1);
    rat_clear(&l2);
    return st;
}

custos_status
custos_sensitivity_max(const char *const *l1, size_t n, custos_sensitivity *out,
                       custos_err *err)
{
    custos_status st = result_check(out, err);
    rat most, next;

    if (st)
        return st;
    if (!l1 || n == 0)
        return custos_fail(err, CUSTOS_EINVAL,
                           "the maximum needs at least one query");
    rat_init(&most);
    rat_init(&next);
    for (size_t i = 0; i < n && !st; i++) {
        st = rat_read(l1[i], "sensitivity", &next, err);
        if (!st && rat_sign(&next) < 0)
            st = custos_fail(err, CUSTOS_EINVAL,
                             "a sensitivity cannot be below 0");
        if (!st && rat_cmp(&next, &most) > 0)
            rat_set(&most, &next);
    }
    if (!st) {
        rat_mul(&next, &most, &most);
        st = write_both(&most, &next, out, err);
    }
    rat_clear(&most);
    rat_clear(&next);
    return st;
}
