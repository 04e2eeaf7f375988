/*
 * Ranges, bottom up: from declared columns and literals through every total
 * function. An INT always has a range (its type's, where nothing better is
 * known), so that overflow can be excluded; a sum needs a declared range.
 *
 * Half a range is kept too: greatest(x, 0) has a floor whatever x is, and
 * least(greatest(x, 0), 10) has a range. NaN sorts above all numbers, so a
 * value with a floor may be NaN, and one with a ceiling cannot be. So a floor
 * of x gives no ceiling of -x or a - x. Sums and products of values with half
 * a range have no range.
 *
 * Nullability is found in the same way: a value is nullable unless it is proven
 * not to be.
 */
#include "plan/type/range.h"

#include "num/rat_round.h"
#include "plan/work.h"
#include "sql/text_limits.h"

enum {
    LONG_BITS = 512,  /* a rational of at most so many bits is kept exactly */
    LONG_PLACES = 60, /* a longer one is rounded outwards to 60 decimals */
    LARGE_BITS = 300, /* a range beyond 2^300 is dropped */
};

void
range_settle(struct fact *f)
{
    rat limit, x;

    if (f->known == KNOWN_NOTHING && !f->floor && !f->ceiling)
        return;
    if (rat_size(&f->lower) > LONG_BITS)
        rat_places_down(&f->lower, &f->lower, LONG_PLACES);
    if (rat_size(&f->upper) > LONG_BITS)
        rat_places_up(&f->upper, &f->upper, LONG_PLACES);
    rat_init(&limit);
    rat_init(&x);
    rat_set_pow2(&limit, LARGE_BITS);
    rat_abs(&x, &f->lower);
    if (rat_cmp(&x, &limit) > 0)
        f->known = KNOWN_NOTHING, f->floor = false;
    rat_abs(&x, &f->upper);
    if (rat_cmp(&x, &limit) > 0)
        f->known = KNOWN_NOTHING, f->ceiling = false;
    rat_clear(&limit);
    rat_clear(&x);
}

/* ----------------------------------------------------------------- calls -- */

static void
set_ends(struct fact *f, int64_t lower, int64_t upper)
{
    rat_set_i64(&f->lower, lower, 1);
    rat_set_i64(&f->upper, upper, 1);
    f->known = KNOWN_DECLARED;
}

static enum known
least_known(const struct expr *e)
{
    enum known known = KNOWN_DECLARED;

    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i] && fact_of(e->args[i])->known < known)
            known = fact_of(e->args[i])->known;
    return known;
}

static bool
any_nullable(const struct expr *e)
{
    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i] && fact_of(e->args[i])->nullable)
            return true;
    return false;
}

static bool
all_nullable(const struct expr *e)
{
    for (size_t i = 0; i < e->n_args; i++)
        if (!fact_of(e->args[i])->nullable)
            return false;
    return true;
}

/* Extends f to cover x, one of the possible results. */
static void
join_range(struct fact *f, const struct expr *x, bool first)
{
    const struct fact *a = fact_of(x);

    if (x->kind == EXPR_LITERAL && x->value.type == TYPE_NULL)
        return; /* adds no value */
    if (first || a->known < f->known)
        f->known = a->known;
    f->floor = fact_has_floor(a) && (first || f->floor);
    f->ceiling = fact_has_ceiling(a) && (first || f->ceiling);
    range_cover(f, &a->lower, &a->upper, first);
}

static bool
is_null_literal(const struct expr *x)
{
    return x->kind == EXPR_LITERAL && x->value.type == TYPE_NULL;
}

/* The union over the results of CASE or the arguments of COALESCE. */
static void
range_choice(struct expr *e)
{
    bool is_case = e->kind == EXPR_CASE, first = true, sure = false;
    struct fact *f = fact_of(e);

    f->nullable = is_case && e->n_args % 2 == 0;
    f->known = KNOWN_DECLARED;
    for (size_t i = is_case ? 1 : 0; i < e->n_args && !sure;
         i += is_case && i + 2 < e->n_args ? 2 : 1) {
        const struct expr *x = e->args[i];

        if (!x) {
            f->nullable = true;
            continue;
        }
        join_range(f, x, first);
        first = first && is_null_literal(x);
        if (is_case)
            f->nullable = f->nullable || fact_of(x)->nullable;
        else
            sure = !fact_of(x)->nullable;
    }
    if (!is_case)
        f->nullable = !sure;
    if (first && e->type == TYPE_INT) /* all results are NULL */
        set_ends(f, 0, 0);
}

/* Is the end that limits LEAST, or GREATEST, known and declared? */
static bool
has_limit(const struct fact *a, bool least)
{
    return least ? fact_has_ceiling(a) : fact_has_floor(a);
}

/*
 * LEAST and GREATEST give one of their arguments, so the union of all ranges
 * covers them. They skip NULLs: an argument that is never NULL is a limit
 * whatever the others are; an argument that may be NULL is not a limit.
 */
static void
range_extreme(struct expr *e)
{
    bool least = e->call == CALL_LEAST, first = true;
    bool some = false, declared = false;
    struct fact *f = fact_of(e);
    rat *end = least ? &f->upper : &f->lower;

    f->nullable = all_nullable(e);
    f->known = KNOWN_DECLARED;
    for (size_t i = 0; i < e->n_args; i++) {
        join_range(f, e->args[i], first);
        first = first && is_null_literal(e->args[i]);
    }
    for (size_t i = 0; i < e->n_args; i++) {
        const struct fact *a = fact_of(e->args[i]);
        const rat *x = least ? &a->upper : &a->lower;

        if (a->nullable || (a->known == KNOWN_NOTHING && !has_limit(a, least)))
            continue;
        if (!some || (least ? rat_cmp(x, end) < 0 : rat_cmp(x, end) > 0))
            rat_set(end, x);
        some = true;
        declared = declared || has_limit(a, least);
    }
    if (declared)
        *(least ? &f->ceiling : &f->floor) = true;
    if (f->floor && f->ceiling)
        f->known = KNOWN_DECLARED;
}

/* Says whether something is known of every operand, and so of the result. */
static bool
operands_known(struct expr *e)
{
    fact_of(e)->known = least_known(e);
    return fact_of(e)->known != KNOWN_NOTHING;
}

static void
range_negation(struct expr *e)
{
    if (operands_known(e))
        range_neg(fact_of(e), fact_of(e->args[0]));
}

static void
range_sum(struct expr *e)
{
    if (operands_known(e))
        range_add(fact_of(e), fact_of(e->args[0]), fact_of(e->args[1]));
}

static void
range_difference(struct expr *e)
{
    if (operands_known(e))
        range_sub(fact_of(e), fact_of(e->args[0]), fact_of(e->args[1]));
}

static void
range_product(struct expr *e)
{
    if (!operands_known(e))
        return;
    if (expr_same(e->args[0], e->args[1]))
        range_square(fact_of(e), fact_of(e->args[0]));
    else
        range_mul(fact_of(e), fact_of(e->args[0]), fact_of(e->args[1]));
}

/* May the divisor be 0? Then the result may be NULL. */
static bool
may_be_zero(const struct fact *b)
{
    return b->known == KNOWN_NOTHING ||
           (rat_sign(&b->lower) <= 0 && rat_sign(&b->upper) >= 0);
}

static void
range_quotient(struct expr *e)
{
    const struct fact *a = fact_of(e->args[0]), *b = fact_of(e->args[1]);
    struct fact *f = fact_of(e);

    f->nullable = f->nullable || may_be_zero(b);
    if (!operands_known(e))
        return;
    if (e->type == TYPE_INT) {
        range_div_whole(f, a, b);
    } else if (!range_div(f, a, b)) {
        f->known = KNOWN_NOTHING;
        f->loose = e;
    }
}

static void
range_remainder(struct expr *e)
{
    const struct fact *a = fact_of(e->args[0]), *b = fact_of(e->args[1]);
    struct fact *f = fact_of(e);

    f->nullable = f->nullable || may_be_zero(b);
    if (!operands_known(e))
        return;
    f->known = b->known;
    range_mod(f, a, b);
}

/* abs(x) >= 0, even if x has no range. */
static void
range_magnitude(struct expr *e)
{
    struct fact *f = fact_of(e);

    rat_set_i64(&f->lower, 0, 1);
    f->floor = true;
    if (operands_known(e))
        range_abs(f, fact_of(e->args[0]));
}

static void
range_nearest(struct expr *e)
{
    const struct fact *a = fact_of(e->args[0]);
    struct fact *f = fact_of(e);
    int digits = e->n_args == 2 ? (int)e->args[1]->value.n : 0;

    f->known = a->known;
    if (f->known == KNOWN_NOTHING)
        return;
    if (digits > 0 && expr_is_double(e->args[0])) /* x * 10^d / 10^d */
        range_round_double(f, a, digits);
    else
        range_round(f, a, digits);
}

/* Dates are in the years 1 to 9999; a result outside them is NULL. */
static void
range_calendar(struct fact *f)
{
    bool before = rat_cmp_i64(&f->lower, DATE_FIRST) < 0;
    bool after = rat_cmp_i64(&f->upper, DATE_LAST) > 0;

    f->nullable = f->nullable || before || after;
    if (before || rat_cmp_i64(&f->lower, DATE_LAST) > 0)
        rat_set_i64(&f->lower, DATE_FIRST, 1);
    if (after || rat_cmp_i64(&f->upper, DATE_FIRST) < 0)
        rat_set_i64(&f->upper, DATE_LAST, 1);
}

static void
range_bucket(struct expr *e)
{
    struct fact *f = fact_of(e);
    rat one;

    if (fact_of(e->args[0])->known != KNOWN_DECLARED)
        f->nullable = true; /* the bucket of NaN is NULL */
    rat_init(&one);
    rat_set_i64(&one, 1, 1);
    set_ends(f, 0, 0);
    rat_add(&f->upper, &fact_of(e->args[3])->upper, &one);
    rat_clear(&one);
}

/* LIKE gives NULL where it would take more than its limit of steps (like.h). */
static void
range_like(struct expr *e)
{
    size_t text = TEXT_CASE_GROWTH * e->args[0]->text_max;
    size_t pattern = TEXT_CASE_GROWTH * e->args[1]->text_max;

    if (text * (pattern + 1) + 2 * pattern > LIKE_STEPS_MAX)
        fact_of(e)->nullable = true;
}

/* Truth values and texts have no range. */
static void
range_none(struct expr *e)
{
    (void)e;
}

static void
range_never_null(struct expr *e)
{
    fact_of(e)->nullable = false;
}

static void
range_first_or_null(struct expr *e)
{
    fact_of(e)->nullable = true;
    join_range(fact_of(e), e->args[0], true);
}

static void
range_length(struct expr *e)
{
    set_ends(fact_of(e), 0, (int64_t)e->args[0]->text_max);
    fact_of(e)->known = KNOWN_TYPE;
}

static void range_limits(struct expr *e);
static void range_rounded(struct expr *e);

static const struct {
    void (*range)(struct expr *e);
    int64_t low, high;
    void (*round)(rat *r, const rat *a); /* monotone */
} rules[N_CALLS] = {
#define ROW(id, ...) [CALL_##id] = {__VA_ARGS__},
#define RANGE(rule) .range = rule
#define LIMITS(least, most) .range = range_limits, .low = least, .high = most
#define ROUNDS(rule) .range = range_rounded, .round = rat_##rule
#include "sql/functions.def"
};

static void
range_limits(struct expr *e)
{
    set_ends(fact_of(e), rules[e->call].low, rules[e->call].high);
}

static void
range_rounded(struct expr *e)
{
    const struct fact *a = fact_of(e->args[0]);
    struct fact *f = fact_of(e);

    f->known = a->known;
    if (f->known == KNOWN_NOTHING)
        return;
    rules[e->call].round(&f->lower, &a->lower);
    rules[e->call].round(&f->upper, &a->upper);
}

/* Notes where the range was first lost: at a column or a division, say. */
static void
note_loose(struct expr *e)
{
    struct fact *f = fact_of(e);

    if (f->known == KNOWN_DECLARED || f->loose)
        return;
    for (size_t i = 0; i < e->n_args && !f->loose; i++) {
        const struct expr *x = e->args[i];

        if (x && x->type != TYPE_BOOL && fact_of(x)->known != KNOWN_DECLARED)
            f->loose = fact_of(x)->loose ? fact_of(x)->loose : x;
    }
}

void
range_call(struct expr *e)
{
    struct fact *f = fact_of(e);

    f->known = KNOWN_NOTHING;
    f->floor = f->ceiling = false;
    f->nullable = any_nullable(e);
    if (e->kind == EXPR_CASE)
        range_choice(e);
    else if (e->kind == EXPR_CALL)
        rules[e->call].range(e);
    if (e->type == TYPE_DATE && f->known != KNOWN_NOTHING)
        range_calendar(f);
    range_settle(f);
    if (expr_is_double(e))
        range_outward(f);
    note_loose(e);
    if (f->known == KNOWN_NOTHING && e->type == TYPE_INT)
        range_of_type(f, TYPE_INT);
}
